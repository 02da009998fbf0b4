//! What the errors are made of, and how it reads.

use std::fmt;

use ptah_model::ProviderId;

use super::Difference;
use crate::choose::Skipped;

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its {} is {}, and the release says {}", self.what, self.found.escape_debug(), self.announced)
    }
}

/// Things with commas between them.
pub(super) struct List<'a, T>(pub(super) &'a [T]);

impl<T: fmt::Display> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, thing) in self.0.iter().enumerate() {
            write!(f, "{}{thing}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// The only reason, or how many there are: all of them are findings.
pub(super) struct Reasons<'a>(pub(super) &'a [Skipped]);

impl fmt::Display for Reasons<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("there is none"),
            [only] => only.fmt(f),
            all => write!(f, "{} were looked at", all.len()),
        }
    }
}

/// What was asked for.
pub(super) struct Named<'a>(pub(super) &'a Option<String>);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "`{}`", name.escape_debug()),
            None => f.write_str("any provider"),
        }
    }
}

/// What there is instead.
pub(super) struct Offered<'a>(pub(super) &'a [ProviderId]);

impl fmt::Display for Offered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "; there are {}", List(self.0)) }
    }
}

/// What is installed instead.
pub(super) struct Installed<'a>(pub(super) &'a [ProviderId]);

impl fmt::Display for Installed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("; nothing is") } else { write!(f, "; installed are {}", List(self.0)) }
    }
}

/// A size that is known, or one above what was read.
pub(super) struct Size<'a>(pub(super) &'a Option<u64>);

impl fmt::Display for Size<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(size) => size.fmt(f),
            None => f.write_str("more"),
        }
    }
}
