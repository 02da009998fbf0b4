//! `QueryRows`: asks the rows before a change; the only call whose reply holds values of users.

use crate::Violation;
use crate::execute::TransactionId;
use crate::key::SessionId;

/// A read-only query of the provider's own planner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryRowsRequest {
    /// The session.
    pub session: SessionId,
    /// The query, as a step's check has it.
    pub query: String,
    /// The transaction to ask in; absent asks outside.
    pub transaction: Option<TransactionId>,
    /// The most rows to return, 1 to 1,000.
    pub limit: u32,
}

/// Rows as text. Their `Debug` shows how many there are and nothing of them.
#[derive(Clone, PartialEq, Eq)]
pub struct QueryRowsReply {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, each with one entry for each column; absent is NULL.
    pub rows: Vec<Vec<Option<String>>>,
    /// Whether there were more.
    pub more: bool,
}

impl std::fmt::Debug for QueryRowsReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "QueryRowsReply({} rows)", self.rows.len())
    }
}

impl QueryRowsReply {
    /// Proves that every row is as wide as the header and the limit was kept.
    pub fn validate_for(&self, asked: &QueryRowsRequest) -> Result<(), Violation> {
        const M: &str = "QueryRowsReply";
        let wide = self.rows.iter().all(|r| r.len() == self.columns.len());
        Violation::unless(wide, M, "rows", "have one entry for each column")?;
        Violation::unless(self.rows.len() <= asked.limit as usize, M, "rows", "keep the limit")
    }

    /// The single number that a count query returns.
    pub fn count(&self) -> Result<u64, Violation> {
        let only = match self.rows.as_slice() {
            [row] => row.first().cloned().flatten(),
            _ => None,
        };
        let number = only.and_then(|text| text.parse().ok());
        number.ok_or(Violation::new("QueryRowsReply", "rows", "is one number for a count"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_and_never_printed() {
        let rows = vec![vec![Some("secret".to_owned())], vec![None]];
        let reply = QueryRowsReply { columns: vec!["card".to_owned()], rows, more: true };
        assert_eq!(format!("{reply:?}"), "QueryRowsReply(2 rows)");
    }
}
