//! The exit status of a runner. It speaks of the delivery only, never of what is in a database.

/// How a runner ends. The numbers are those of `sysexits.h` for an input error and a temporary failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// Its frame was delivered, whatever the frame says.
    Delivered,
    /// Its frame was not delivered. What it did is in its termination message, or not known.
    NotDelivered,
    /// It got no permit in time and opened nothing.
    NeverStarted,
}

impl ExitCode {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Self::Delivered => 0,
            Self::NotDelivered => 74,
            Self::NeverStarted => 75,
        }
    }

    /// What a number means; nothing for one that no runner ends with, such as that of a signal. A number alone settles
    /// nothing.
    pub fn from_code(code: i32) -> Option<Self> {
        [Self::Delivered, Self::NotDelivered, Self::NeverStarted]
            .into_iter()
            .find(|exit| i32::from(exit.code()) == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_means_what_it_was_made_for_and_others_mean_nothing() {
        let known: Vec<(i32, ExitCode)> =
            (-1..=255).filter_map(|code| ExitCode::from_code(code).map(|exit| (code, exit))).collect();
        let expected = [(0, ExitCode::Delivered), (74, ExitCode::NotDelivered), (75, ExitCode::NeverStarted)];
        assert_eq!(known, expected);
    }
}
