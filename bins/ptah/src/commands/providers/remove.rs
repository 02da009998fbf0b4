//! `ptah providers remove`: takes an installation away.

use ptah_provider_host::catalogue::Entry;
use ptah_provider_install::remove as carry_out;

use super::install::no_folder;
use super::part;
use crate::arguments::ProvidersRemove;
use crate::commands::Context;
use crate::commands::engine::manifests;
use crate::failure::{Exit, Failure};
use crate::settings::Places;
use crate::view::providers::{InstallationDocument, installation_page};

pub(in crate::commands) async fn remove(context: &Context, flags: &ProvidersRemove) -> Result<Exit, Failure> {
    let places = Places::resolve(&flags.places, &context.around)?;
    let folder = places.installations.as_ref().ok_or_else(no_folder)?;
    let record = carry_out(folder, &flags.name, &manifests(&places)?).await?;
    let document = InstallationDocument::removed(part(&Entry::from(record.installed)), record.document);
    if context.output.json() {
        context.output.document(&document);
    } else {
        context.output.answer(&installation_page(&document));
    }
    Ok(Exit::Done)
}
