//! The transactions of one session: at most one is open, and how each of the others ended.

use std::collections::HashMap;

use ptah_provider_api::execute::TransactionId;
use ptah_provider_api::transaction::TransactionState;

/// What the session knows of its transactions.
#[derive(Debug, Default)]
pub(crate) struct Transactions {
    open: Option<TransactionId>,
    ended: HashMap<TransactionId, TransactionState>,
}

impl Transactions {
    /// Whether one is open.
    pub(crate) fn any_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether this one is open.
    pub(crate) fn is_open(&self, id: &TransactionId) -> bool {
        self.open.as_ref() == Some(id)
    }

    /// Whether a request may run: in the transaction that it names, or outside when it names none.
    pub(crate) fn allow(&self, wanted: Option<&TransactionId>) -> bool {
        wanted.is_none_or(|id| self.is_open(id))
    }

    pub(crate) fn begun(&mut self, id: TransactionId) {
        self.open = Some(id);
    }

    pub(crate) fn ended(&mut self, id: TransactionId, state: TransactionState) {
        self.open.take_if(|open| *open == id);
        self.ended.insert(id, state);
    }

    /// How a transaction ended; `None` for one that is open or never was.
    pub(crate) fn end(&self, id: &TransactionId) -> Option<TransactionState> {
        self.ended.get(id).copied()
    }
}
