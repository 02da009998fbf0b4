//! Operations for tests: those that the records' own golden files hold.

use ptah_records::operator::latest::OperationSpec;
use ptah_records::operator::seal;

/// An Apply of a migration.
pub(crate) fn spec() -> OperationSpec {
    golden(include_bytes!("../../../crates/records/src/operator/v1/golden/operation-apply-migration.json"))
}

/// One of each sort: Apply, Settle and Refresh, of both families.
pub(crate) fn every_spec() -> [OperationSpec; 6] {
    [
        spec(),
        golden(include_bytes!("../../../crates/records/src/operator/v1/golden/operation-apply-schema.json")),
        golden(include_bytes!("../../../crates/records/src/operator/v1/golden/operation-settle-migration.json")),
        golden(include_bytes!("../../../crates/records/src/operator/v1/golden/operation-settle-schema.json")),
        golden(include_bytes!("../../../crates/records/src/operator/v1/golden/operation-refresh-migration.json")),
        golden(include_bytes!("../../../crates/records/src/operator/v1/golden/operation-refresh-schema.json")),
    ]
}

fn golden(bytes: &[u8]) -> OperationSpec {
    seal::read(bytes.trim_ascii_end()).unwrap()
}
