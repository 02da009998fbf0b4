//! Versions, limits and deadlines of the contract.

use std::fmt;
use std::time::Duration;

/// The major version. A host and a provider of different majors never talk. It is the package of the wire format
/// (`ptah.provider.v1`) and the application version of the bootstrap.
pub const REVISION: u32 = 1;

/// The minor version that this code speaks. Each minor adds only what an older peer can ignore. 0 until the first
/// release.
pub const CONTRACT_MINOR: u32 = 0;

/// How long a call may take whose work does not grow with the schema.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// How long provisioning a dev database may take.
pub const PROVISION_TIMEOUT: Duration = Duration::from_mins(10);

/// How long a start may take, from the launch of the executable to the end of negotiation.
pub const START_TIMEOUT: Duration = Duration::from_secs(10);

/// The code of a start that took longer than [`START_TIMEOUT`].
pub const PROVIDER_START_TIMEOUT: &str = "provider_start_timeout";

/// How long the sessions of a command may take to close, all together.
pub const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// The largest message in either direction, in bytes of its encoded form; a message of exactly this size passes.
pub const MESSAGE_LIMIT: usize = 4 * 1024 * 1024;

/// The largest message when both sides list `transport.large-messages`.
pub const LARGE_MESSAGE_LIMIT: usize = 64 * 1024 * 1024;

/// The most units in one `Execute`.
pub const UNITS_LIMIT: usize = 1_000;

/// The longest lock wait that one call may ask for; longer waits are the host's, with new request IDs.
pub const LOCK_WAIT_LIMIT: Duration = Duration::from_secs(20);

/// The variable that tells a provider that a host started it, and not a person in a shell; see [`COOKIE_VALUE`].
pub const COOKIE_KEY: &str = "PTAH_PROVIDER_COOKIE";

/// Its value: the SHA-256 of `ptah provider contract`, the same for all versions. It is no secret and no protection.
pub const COOKIE_VALUE: &str = "09065f2a2c73c4d27a12fd27b52acddb4e797aaf572707eba00da794ddf405e1";

/// The variable in which the host gives its process ID, so that a provider sees when its host is gone already.
pub const PARENT_PID_VARIABLE: &str = "PTAH_PROVIDER_PARENT_PID";

/// A contract version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContractVersion {
    /// The major; see [`REVISION`].
    pub major: u32,
    /// The minor; see [`CONTRACT_MINOR`].
    pub minor: u32,
}

impl ContractVersion {
    /// The version that this code speaks.
    pub const CURRENT: Self = Self { major: REVISION, minor: CONTRACT_MINOR };

    /// The version that a text such as `1.0` writes; nothing for another text.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        let (major, minor) = text.split_once('.')?;
        Some(Self { major: number(major)?, minor: number(minor)? })
    }
}

impl fmt::Display for ContractVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_4_mib_and_a_large_one_64() {
        assert_eq!((MESSAGE_LIMIT, LARGE_MESSAGE_LIMIT), (4_194_304, 67_108_864));
    }

    #[test]
    fn a_version_reads_as_it_is_written() {
        let version = ContractVersion { major: 1, minor: 12 };
        assert_eq!(version.to_string(), "1.12");
        assert_eq!(ContractVersion::parse("1.12"), Some(version));
        for wrong in ["", "1", "1.", ".1", "1.2.3", "+1.0", "1.-2", "a.b", "4294967296.0"] {
            assert_eq!(ContractVersion::parse(wrong), None, "{wrong}");
        }
    }
}
