//! Time and IDs: made here, passed on as values.

use ptah_model::OperationId;

use crate::failure::Failure;

/// Now, in microseconds since 1970-01-01T00:00:00Z.
pub(crate) fn now_us() -> i64 {
    jiff::Timestamp::now().as_microsecond()
}

/// A new operation ID.
pub fn new_operation() -> Result<OperationId, Failure> {
    OperationId::new(uuid::Uuid::now_v7().to_string()).map_err(|_| Failure::Illegal)
}
