//! `ptah providers install`: a release, after it has proven to be what it says.

use std::cell::RefCell;

use ptah_provider_host::catalogue::Entry;
use ptah_provider_install::{
    Limits, Platform, Reached, Report, Request, Skipped, Source, Version, install as carry_out,
};

use super::part;
use crate::arguments::ProvidersInstall;
use crate::bundled;
use crate::commands::Context;
use crate::commands::engine::{manifests, options};
use crate::failure::{Exit, Failure};
use crate::settings::Places;
use crate::view::diagnostics::{Texts, page as findings_page};
use crate::view::providers::{InstallationDocument, SkippedPart, installation_page};

pub(in crate::commands) async fn install(context: &Context, flags: &ProvidersInstall) -> Result<Exit, Failure> {
    context.around.environment.check()?;
    let places = Places::resolve(&flags.places, &context.around)?;
    let folder = places.installations.as_ref().ok_or_else(no_folder)?;
    let source = Source::parse(&flags.source).map_err(|fault| {
        Failure::usage(format!("the source is refused: {fault}"))
            .hint("name a folder, a file, or an https address; a token belongs into its query, which is never kept")
    })?;
    let version = flags.version.as_deref().map(Version::parse).transpose().map_err(|_| {
        Failure::usage("the version is none").hint("write three numbers with dots, such as 1.2.0, without a leading v")
    })?;
    let phase = RefCell::new(None);
    let tell = |reached: Reached| {
        let text = match reached {
            Reached::Choosing => format!("looking at what {source} offers"),
            Reached::Fetching(release) => format!("fetching {release}"),
            Reached::Unpacking => "unpacking".to_owned(),
            Reached::Checking => "starting the provider".to_owned(),
        };
        phase.replace(Some(context.output.phase(&text)));
    };
    let request = Request {
        folder,
        source: &source,
        name: flags.name.as_deref(),
        version: version.as_ref(),
        limits: flags.timeout.map_or_else(Limits::default, Limits::within),
        plain_http: flags.plain_http,
        machine: &Platform::here(),
        start: &options(),
        bundled: bundled::for_catalogue()?,
        manifests: manifests(&places)?,
    };
    let report = carry_out(request, &tell).await;
    drop(phase.take());
    tell_report(context, report?);
    Ok(Exit::Done)
}

fn tell_report(context: &Context, report: Report) {
    let findings: Vec<_> = report.skipped.iter().map(Skipped::finding).collect();
    context.output.tell(&findings_page(&findings, &Texts::default()));
    let Report { record, skipped, former, changed } = report;
    let provider = part(&Entry::from(record.installed));
    let skipped = skipped.iter().map(SkippedPart::of).collect();
    let document = InstallationDocument::installed(changed, provider, former, skipped, record.document);
    if context.output.json() {
        context.output.document(&document);
    } else {
        context.output.answer(&installation_page(&document));
    }
}

/// Why nothing can be installed or removed.
pub(super) fn no_folder() -> Failure {
    Failure::usage("nothing says where installed providers are: there is no home folder")
        .hint("name a folder with --install-dir or PTAH_INSTALL_DIR")
}
