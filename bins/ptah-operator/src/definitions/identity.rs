//! Who made a definition, in which version, as it says itself.

use ptah_crds::{CRD_SCHEMA_VERSION_ANNOTATION, SCHEMA_DIGEST_ANNOTATION, STATE_VERSION_ANNOTATION};
use serde_json::Value;
use thiserror::Error;

/// What a definition of ours says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The version of all definitions together.
    pub schema_version: u32,
    /// The digest of its spec, as it was when it was made. What was changed by hand since does not show here.
    pub digest: String,
    /// The version of the contract that it was made for.
    pub state_version: u32,
}

/// Why a definition is not taken for one of ours.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IdentityProblem {
    /// It does not say it.
    #[error("it has no {0}")]
    Missing(&'static str),
    /// What it says is no version.
    #[error("its {0} is no version")]
    NoVersion(&'static str),
}

/// What a definition says of itself. All three marks have to be there: each is written together with the others.
pub fn identity(definition: &Value) -> Result<Identity, IdentityProblem> {
    let annotations = &definition["metadata"]["annotations"];
    let mark = |name: &'static str| annotations[name].as_str().ok_or(IdentityProblem::Missing(name));
    // Written as our own writer does it: no sign, no zero in front, so that one version has one spelling.
    let version = |name: &'static str| {
        let text = mark(name)?;
        let number = text.parse::<u32>().ok().filter(|number| *number > 0 && number.to_string() == text);
        number.ok_or(IdentityProblem::NoVersion(name))
    };
    Ok(Identity {
        schema_version: version(CRD_SCHEMA_VERSION_ANNOTATION)?,
        digest: mark(SCHEMA_DIGEST_ANNOTATION)?.to_owned(),
        state_version: version(STATE_VERSION_ANNOTATION)?,
    })
}
