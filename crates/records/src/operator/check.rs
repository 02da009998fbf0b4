//! What one record's fields must have to do with each other, beyond what each of them can hold.

/// Why the fields of a record contradict each other. Not to be tried again: whoever wrote it did so wrongly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {record} contradicts itself: {rule}")]
pub struct Contradiction {
    /// Which record, by its word.
    pub record: &'static str,
    /// The rule that it breaks.
    pub rule: &'static str,
}

/// A record of the operator.
pub trait Record {
    /// Its word, for messages.
    const NAME: &'static str;

    /// Checks what its fields have to do with each other.
    fn check(&self) -> Result<(), Contradiction>;
}

/// Refuses when a rule does not hold.
pub(crate) fn rule<R: Record>(holds: bool, rule: &'static str) -> Result<(), Contradiction> {
    if holds { Ok(()) } else { Err(Contradiction { record: R::NAME, rule }) }
}
