//! Commands about the program itself.

use clap_complete::{Shell as Known, generate};
use ptah_provider_api::contract::ContractVersion;

use super::Context;
use crate::arguments::{Shell, command_line};
use crate::bundled;
use crate::failure::Exit;
use crate::view::version::{VersionDocument, page};

/// `ptah version`.
pub(super) fn version(context: &Context) -> Exit {
    let document = VersionDocument::new(bundled::BUILD_ID, ContractVersion::CURRENT.to_string(), bundled::all());
    if context.output.json() {
        context.output.document(&document);
    } else {
        context.output.answer(&page(&document));
    }
    Exit::Done
}

/// `ptah completion`.
pub(super) fn completion(context: &Context, shell: Shell) -> Exit {
    let known = match shell {
        Shell::Bash => Known::Bash,
        Shell::Elvish => Known::Elvish,
        Shell::Fish => Known::Fish,
        Shell::Powershell => Known::PowerShell,
        Shell::Zsh => Known::Zsh,
    };
    let mut script = Vec::new();
    generate(known, &mut command_line(), "ptah", &mut script);
    context.output.data(&String::from_utf8_lossy(&script));
    Exit::Done
}
