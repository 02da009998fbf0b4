//! Looking at a database: inspect, and plans that find nothing or one thing to do. With the growth over all sizes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Bench;
use crate::figure::{Aim, Figure, Row};
use crate::invocation::Invocation;
use crate::stage::Schemas;
use crate::statistics::exponent;

const INSPECT: &str = "inspect";
const FULL: &str = "plan, no change, in full";
const REMEMBERED: &str = "plan, no change, remembered";
const CHANGED: &str = "plan, one change, proven";

/// The aims that name a size.
const AIMS: &[(&str, usize, Aim)] =
    &[(FULL, 2_000, Aim::TimesAsFast(20.0)), (FULL, 10_000, Aim::AtMost(3.0)), (REMEMBERED, 10_000, Aim::AtMost(1.0))];

/// The most that work may grow with the number of tables.
const GROWTH: f64 = 1.1;

/// One size, ready to be worked on.
struct Place {
    tables: usize,
    schemas: Schemas,
    /// Made by a run of ours.
    ours: PathBuf,
    /// Made plainly, for the peer; absent where the peer is left out.
    plain: Option<PathBuf>,
}

/// Times by size, for ours and for the peer, of each kind of work.
type Growth = BTreeMap<&'static str, (Vec<(usize, Duration)>, Vec<(usize, Duration)>)>;

/// Measures all sizes. A schema of one table tells what a command costs by itself, which the growth leaves out.
pub(crate) fn measure(bench: &mut Bench<'_>) {
    let mut growth = Growth::new();
    for tables in std::iter::once(1).chain(bench.sizes.iter().copied()) {
        Bench::tell(&format!("looking at {tables} tables"));
        let place = place(bench, tables);
        let Some(place) = bench.noted(&format!("the database of {tables} tables"), place) else { continue };
        for (what, ours, peer) in place.work(bench) {
            one(bench, what, tables, &ours, peer.as_ref(), &mut growth);
        }
        if tables > 1 {
            for (what, ours, peer) in place.work(bench) {
                bench.memory(what, tables, &ours, peer.as_ref());
            }
        }
    }
    for (what, (ours, peer)) in growth {
        let aim = (what == INSPECT || what == FULL).then_some(Aim::AtMost(GROWTH));
        bench.row(Row {
            what: format!("growth: {what}"),
            tables: None,
            ours: power(&ours),
            peer: power(&peer).map(|figure| ("atlas".to_owned(), figure)),
            aim,
        });
    }
}

fn place(bench: &Bench<'_>, tables: usize) -> anyhow::Result<Place> {
    let schemas = bench.stage.write_schemas(tables)?;
    let ours = bench.stage.made_by_us(tables, &schemas)?;
    let compared = bench.stage.peers.atlas.is_some() && tables <= bench.peer_limit;
    let plain = compared.then(|| bench.stage.made_plainly(tables, &schemas)).transpose()?;
    Ok(Place { tables, schemas, ours, plain })
}

/// A kind of work, our command for it, and the peer's.
type Work = (&'static str, Invocation, Option<(String, Invocation)>);

impl Place {
    fn work(&self, bench: &Bench<'_>) -> Vec<Work> {
        let peers = &bench.stage.peers;
        let of_peer = |told: &dyn Fn(&Path) -> Option<(String, Invocation)>| self.plain.as_deref().and_then(told);
        let plan = |sql: &Path| {
            bench.stage.ours(["schema", "plan"], &self.ours).arg("--schema-file").arg(sql).arg("--dry-run")
        };
        let no_change = of_peer(&|plain| peers.change(plain, &self.schemas.hcl, false));
        let one_change = of_peer(&|plain| peers.change(plain, &self.schemas.changed_hcl, false));
        let inspect = bench.stage.ours(["schema", "inspect"], &self.ours);
        vec![
            (INSPECT, inspect, of_peer(&|plain| peers.inspect(plain))),
            (REMEMBERED, plan(&self.schemas.sql), None),
            (FULL, plan(&self.schemas.sql).arg("--fresh"), no_change),
            (CHANGED, plan(&self.schemas.changed_sql), one_change),
        ]
    }
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").field("tables", &self.tables).finish_non_exhaustive()
    }
}

fn one(
    bench: &mut Bench<'_>,
    what: &'static str,
    tables: usize,
    ours: &Invocation,
    peer: Option<&(String, Invocation)>,
    growth: &mut Growth,
) {
    let ours = bench.time(what, ours);
    let peer = peer.and_then(|(name, invocation)| {
        let figure = bench.time(&format!("{what} ({name})"), invocation)?;
        Some((name.clone(), figure))
    });
    let grown = growth.entry(what).or_default();
    grown.0.extend(ours.map(|figure| (tables, figure.time())));
    grown.1.extend(peer.as_ref().map(|(_, figure)| (tables, figure.time())));
    let aim = AIMS.iter().find(|(aimed, size, _)| *aimed == what && *size == tables).map(|(_, _, aim)| *aim);
    bench.row(Row { what: what.to_owned(), tables: Some(tables), ours, peer, aim });
}

/// The exponent of what comes on top of the smallest size, which is what a command costs by itself.
fn power(points: &[(usize, Duration)]) -> Option<Figure> {
    let (_, start) = points.first()?;
    let grown = points[1..].iter().map(|(size, time)| (*size, time.saturating_sub(*start)));
    let grown: Vec<(usize, Duration)> = grown.filter(|(_, time)| *time > Duration::ZERO).collect();
    exponent(&grown).map(|value| Figure::of_power(value, grown.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_growth_leaves_out_what_a_command_costs_by_itself() {
        let ms = Duration::from_millis;
        let points = [(1, ms(20)), (100, ms(30)), (1000, ms(120)), (10_000, ms(1020))];
        let figure = power(&points).expect("an exponent");
        assert!((figure.value - 1.0).abs() < 1e-6, "{}", figure.value);
        assert_eq!(figure.runs, 3);
        assert!(power(&points[..2]).is_none());
        assert!(power(&[]).is_none());
    }
}
