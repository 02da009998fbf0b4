//! Which engine is meant, and where other providers than the bundled ones are named.

use std::ffi::OsStr;
use std::path::PathBuf;

use ptah_model::EngineName;
use ptah_provider_install::Folder;

use super::Surroundings;
use crate::arguments::{EngineFlags, PlaceFlags};
use crate::environment::{DIALECT, INSTALL_DIR, PROVIDERS};
use crate::failure::Failure;

/// Which engine is meant, as far as flags and variables say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineChoice {
    /// The engine, if it was named.
    pub engine: Option<EngineName>,
    /// Where its provider may be named.
    pub places: Places,
}

/// Where other providers than the bundled ones are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The manifests: that of the project first, then that of the user. May be empty.
    pub manifests: Vec<PathBuf>,
    /// The folder of installed providers; absent without a flag, a variable and a home folder.
    pub installations: Option<Folder>,
}

impl EngineChoice {
    /// From flags, variables, and what lies in the usual places.
    pub fn resolve(flags: &EngineFlags, around: &Surroundings) -> Result<Self, Failure> {
        let named = match &flags.dialect {
            Some(name) => Some(name.as_str()),
            None => around.environment.text(DIALECT)?,
        };
        let engine = named.map(EngineName::new).transpose().map_err(|error| {
            Failure::usage(format!("the engine's name is malformed: {error}"))
                .hint("list the engines: ptah providers list")
        })?;
        Ok(Self { engine, places: Places::resolve(&flags.places, around)? })
    }
}

impl Places {
    /// From flags, variables, and what lies in the usual places.
    pub fn resolve(flags: &PlaceFlags, around: &Surroundings) -> Result<Self, Failure> {
        let project = path(flags.providers.as_ref(), around, PROVIDERS)?.or_else(|| around.default_manifest.clone());
        let installations = path(flags.install_dir.as_ref(), around, INSTALL_DIR)?;
        let installations = installations.or_else(|| around.installations.clone());
        Ok(Self {
            manifests: project.into_iter().chain(around.user_manifest.clone()).collect(),
            installations: installations.map(Folder::new),
        })
    }
}

/// A path from its flag, else from its variable.
fn path(flag: Option<&PathBuf>, around: &Surroundings, variable: &str) -> Result<Option<PathBuf>, Failure> {
    let set = around.environment.raw(variable);
    if set.is_some_and(OsStr::is_empty) {
        return Err(Failure::usage(format!("{variable} is set and is not a value")));
    }
    Ok(flag.cloned().or_else(|| set.map(PathBuf::from)))
}
