//! What the provider says about itself.

use std::collections::BTreeSet;

use ptah_model::{EngineName, ProviderId};
use ptah_provider_api::contract::ContractVersion;
use ptah_provider_api::describe::{Description, Engine};
use ptah_provider_api::feature as f;

use crate::kinds;
use crate::target::{capabilities, identifier_rules};

/// Everything that an engine and its sessions offer.
pub(crate) fn features() -> BTreeSet<String> {
    let offered = [
        f::SCHEMA_INSPECT,
        f::SCHEMA_RENDER,
        f::SCHEMA_PLAN,
        f::UNITS_EXECUTE,
        f::SQL_ANALYZE,
        f::SESSIONS_TRANSACTIONS,
        f::SESSIONS_LOCKS,
        f::SESSIONS_CLAIMS,
        f::SESSIONS_QUERY,
        f::DEV_PROVISION,
        f::COMMON_TABLE_IDENTITY,
    ];
    let two_way = f::two_way_features().iter().copied();
    offered.into_iter().chain(two_way).map(str::to_owned).collect()
}

/// The whole description; the SDK narrows it to what a host can use.
#[expect(clippy::expect_used, reason = "the names are constants that keep the rules of their types, as a test proves")]
pub(crate) fn description() -> Description {
    let engine = |name: &str| EngineName::new(name).expect("the names below are lower-case words");
    Description {
        provider_id: ProviderId::new("ptah.run/sqlite").expect("the ID is printable ASCII"),
        display_name: "SQLite".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build_id: None,
        contract: ContractVersion::CURRENT,
        min_contract: None,
        features: features(),
        engines: vec![Engine {
            name: engine("sqlite"),
            aliases: vec![engine("sqlite3")],
            url_schemes: vec![engine("sqlite")],
            features: features(),
            identifier_rules: Some(identifier_rules()),
            default_capabilities: capabilities(),
            models: kinds::models(),
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_keeps_the_contract() {
        assert_eq!(description().validate(), Ok(()));
        assert!(description().engine("sqlite3").is_some());
    }
}
