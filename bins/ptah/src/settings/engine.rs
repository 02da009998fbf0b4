//! Which engine is meant, and where other providers than the bundled ones are listed.

use std::path::PathBuf;

use ptah_model::EngineName;

use super::Surroundings;
use crate::arguments::EngineFlags;
use crate::environment::{DIALECT, PROVIDERS};
use crate::failure::Failure;

/// Which engine is meant, as far as flags and variables say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineChoice {
    /// The engine, if it was named.
    pub engine: Option<EngineName>,
    /// The manifest, if there is one.
    pub manifest: Option<PathBuf>,
}

impl EngineChoice {
    /// From flags, variables, and the manifest that lies in the working directory.
    pub fn resolve(flags: &EngineFlags, around: &Surroundings) -> Result<Self, Failure> {
        let named = match &flags.dialect {
            Some(name) => Some(name.as_str()),
            None => around.environment.text(DIALECT)?,
        };
        let engine = named.map(EngineName::new).transpose().map_err(|error| {
            Failure::usage(format!("the engine's name is malformed: {error}"))
                .hint("list the engines: ptah providers list")
        })?;
        let from_variable = around.environment.raw(PROVIDERS);
        if from_variable.is_some_and(std::ffi::OsStr::is_empty) {
            return Err(Failure::usage(format!("{PROVIDERS} is set and is not a value")));
        }
        let manifest = flags
            .providers
            .clone()
            .or_else(|| from_variable.map(PathBuf::from))
            .or_else(|| around.default_manifest.clone());
        Ok(Self { engine, manifest })
    }
}
