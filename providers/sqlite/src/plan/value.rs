//! What happens to a value that is moved from one column to another: what SQLite's rules for types do to it.
//!
//! The conditions are SQL over one expression. They rest on two facts: a comparison with something of NUMERIC affinity
//! turns a text that is a number into one, as storing it would, while CAST also takes the digits at the start of any
//! text; and storing turns a real without a fraction into an integer where the column wants integers.

use crate::sql::ast::{Affinity, Column, StrictType};

/// Whether storing in `to` leaves every value of `from` as it is.
pub(super) fn is_kept(from: &Column, to: &Column) -> bool {
    let class = |affinity: Affinity| match affinity {
        Affinity::Integer => Affinity::Numeric,
        other => other,
    };
    to.affinity == Affinity::Blob || class(from.affinity) == class(to.affinity)
}

/// Whether a comparison treats both columns alike.
pub(super) fn compares_alike(from: &Column, to: &Column) -> bool {
    let class = |affinity: Affinity| match affinity {
        Affinity::Integer | Affinity::Real => Affinity::Numeric,
        other => other,
    };
    class(from.affinity) == class(to.affinity)
}

/// A condition that holds where storing `value` in `to` changes its type or text; `None` when it never does.
pub(super) fn changes(value: &str, from: &Column, to: &Column) -> Option<String> {
    if is_kept(from, to) {
        return None;
    }
    let numeric = numeric_text(value);
    Some(match to.affinity {
        Affinity::Blob => return None,
        Affinity::Text => format!("typeof({value}) IN ('integer', 'real')"),
        Affinity::Real => format!("typeof({value}) = 'integer' OR {numeric}"),
        Affinity::Numeric | Affinity::Integer => {
            format!("{numeric} OR (typeof({value}) = 'real' AND CAST({value} AS INTEGER) = {value})")
        }
    })
}

/// `value` as it will be, and will compare, once it is stored in `to`.
pub(super) fn stored(value: &str, from: &Column, to: &Column) -> String {
    match to.affinity {
        _ if is_kept(from, to) && compares_alike(from, to) => value.to_owned(),
        // The sign takes the affinity away and leaves the collation.
        Affinity::Blob => format!("+{value}"),
        _ => with_affinity(value, to),
    }
}

/// An expression in the place of a column, with the values that the column would store. A text column compares numbers
/// as texts, and so does a cast; nothing stands for a column of numbers in a comparison with a text, which is then made
/// as it is.
pub(super) fn with_affinity(expression: &str, column: &Column) -> String {
    match column.affinity {
        // The sign takes the affinity away and leaves the collation.
        Affinity::Blob => format!("+({expression})"),
        Affinity::Text => format!("CAST(({expression}) AS TEXT)"),
        Affinity::Numeric | Affinity::Integer | Affinity::Real => {
            let numeric = numeric_text(&format!("({expression})"));
            format!("CASE WHEN {numeric} THEN CAST(({expression}) AS NUMERIC) ELSE ({expression}) END")
        }
    }
}

/// A condition that holds where a STRICT column refuses `value`; `None` when it takes everything.
pub(super) fn is_refused(value: &str, strict: StrictType) -> Option<String> {
    let numeric = numeric_text(value);
    Some(match strict {
        StrictType::Any => return None,
        StrictType::Blob => format!("typeof({value}) NOT IN ('blob', 'null')"),
        StrictType::Text => format!("typeof({value}) = 'blob'"),
        StrictType::Real => format!("NOT (typeof({value}) IN ('integer', 'real', 'null') OR {numeric})"),
        StrictType::Int | StrictType::Integer => format!(
            "NOT (typeof({value}) IN ('integer', 'null') OR (typeof({value}) = 'real' AND CAST({value} AS INTEGER) = \
             {value}) OR ({numeric} AND typeof(CAST({value} AS NUMERIC)) = 'integer'))"
        ),
    })
}

/// Holds where `value` is a text that storing as a number would turn into one.
fn numeric_text(value: &str) -> String {
    format!("(typeof({value}) = 'text' AND CAST({value} AS NUMERIC) = {value})")
}
