//! What was measured, and what it is held against.

use std::time::Duration;

use crate::statistics::median;

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Seconds of wall time.
    Seconds,
    /// Bytes of memory.
    Bytes,
    /// A power: 1 is linear growth.
    Power,
}

/// One measured number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    /// What it counts.
    pub(crate) unit: Unit,
    /// The number; for seconds the median.
    pub(crate) value: f64,
    /// How many runs it is made of.
    pub(crate) runs: usize,
}

/// What a figure should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Aim {
    /// At most this, in the unit of the figure.
    AtMost(f64),
    /// At least this many times as fast as the peer.
    TimesAsFast(f64),
    /// At most this many times what the peer takes.
    TimesAsLong(f64),
}

/// One line of the report.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// What was done.
    pub(crate) what: String,
    /// How many tables the schema had; absent where that means nothing.
    pub(crate) tables: Option<usize>,
    /// Ours; absent where only peers are shown.
    pub(crate) ours: Option<Figure>,
    /// The peer's name and figure.
    pub(crate) peer: Option<(String, Figure)>,
    /// What it should be; absent where there is no aim.
    pub(crate) aim: Option<Aim>,
}

impl Figure {
    /// The median of some times. `None` without one.
    pub(crate) fn of_times(samples: &[Duration]) -> Option<Self> {
        let value = median(samples)?.as_secs_f64();
        Some(Self { unit: Unit::Seconds, value, runs: samples.len() })
    }

    /// Memory.
    #[expect(clippy::cast_precision_loss, reason = "a figure for people: bytes beyond 2^53 do not occur")]
    pub(crate) fn of_bytes(bytes: u64) -> Self {
        Self { unit: Unit::Bytes, value: bytes as f64, runs: 1 }
    }

    /// An exponent, from that many points.
    pub(crate) fn of_power(value: f64, points: usize) -> Self {
        Self { unit: Unit::Power, value, runs: points }
    }

    /// The time.
    pub(crate) fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.value).unwrap_or_default()
    }
}

impl Row {
    /// How many times as fast (or as small) as the peer we are.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let (_, peer) = self.peer.as_ref()?;
        let ours = self.ours?;
        let ratio = peer.value / ours.value;
        (peer.unit == ours.unit && ratio.is_finite()).then_some(ratio)
    }

    /// Whether the aim is met; `None` without an aim, or when what it needs was not measured.
    pub(crate) fn is_met(&self) -> Option<bool> {
        Some(match self.aim? {
            Aim::AtMost(limit) => self.ours?.value <= limit,
            Aim::TimesAsFast(times) => self.ratio()? >= times,
            Aim::TimesAsLong(times) => 1.0 / self.ratio()? <= times,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ours: f64, peer: f64, aim: Aim) -> Row {
        let figure = |value| Figure { unit: Unit::Seconds, value, runs: 1 };
        Row {
            what: "x".to_owned(),
            tables: None,
            ours: Some(figure(ours)),
            peer: Some(("p".to_owned(), figure(peer))),
            aim: Some(aim),
        }
    }

    #[test]
    fn an_aim_is_met_at_its_limit_and_missed_beyond() {
        let check = |ours, aim, expected| assert_eq!(row(ours, 8.0, aim).is_met(), Some(expected), "{ours} {aim:?}");
        check(1.0, Aim::AtMost(1.0), true);
        check(1.1, Aim::AtMost(1.0), false);
        check(0.5, Aim::TimesAsFast(16.0), true);
        check(0.6, Aim::TimesAsFast(16.0), false);
        check(9.6, Aim::TimesAsLong(1.2), true);
        check(9.7, Aim::TimesAsLong(1.2), false);
        check(1.0, Aim::TimesAsLong(1.2), true);
    }

    #[test]
    fn an_aim_against_a_peer_that_is_missing_is_neither_met_nor_missed() {
        let alone = Row { peer: None, ..row(1.0, 1.0, Aim::TimesAsFast(20.0)) };
        assert_eq!(alone.is_met(), None);
        assert_eq!(Row { ours: None, ..row(1.0, 1.0, Aim::AtMost(1.0)) }.is_met(), None);
    }

    #[test]
    fn figures_of_different_units_have_no_ratio() {
        let mut row = row(1.0, 2.0, Aim::AtMost(1.0));
        assert_eq!(row.ratio(), Some(2.0));
        row.ours = Some(Figure::of_bytes(1));
        assert_eq!(row.ratio(), None);
    }
}
