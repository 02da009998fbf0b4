//! From what a person named to the releases that it offers.

use std::path::{Path, PathBuf};

use ptah_records::provider::{
    DESCRIPTOR_FILE, DESCRIPTOR_LIMIT, INDEX_FILE, INDEX_LIMIT, IndexV1, Published, ReleaseV1, indexed, published,
};

use crate::choose::{Offer, Why};
use crate::error::{InstallError, SourceFault};
use crate::fetch;
use crate::http::{Client, Url};
use crate::path::InnerPath;
use crate::release::{At, Release};
use crate::source::{Place, Source};

/// What a source offers.
#[derive(Debug)]
pub(crate) struct Offered {
    pub(crate) offers: Vec<Offer>,
    /// Where the document was, for the record.
    pub(crate) document: Source,
    /// When an archive was named: its file name. Only a build that is this file may be chosen.
    pub(crate) archive: Option<String>,
}

/// Reads what a source offers.
pub(crate) async fn offered(client: &Client, source: &Source) -> Result<Offered, InstallError> {
    let (document, archive) = document_of(source)?;
    let (bytes, from) = fetch::document(client, &document, INDEX_LIMIT).await?;
    if bytes.trim_ascii_start().starts_with(b"<") {
        return Err(InstallError::WebPage { source_name: document.to_string() });
    }
    let malformed = |fault| InstallError::Document { source_name: document.to_string(), fault };
    let place = place_of(&document, from);
    let offers = match published(&bytes).map_err(malformed)? {
        Published::Release(_) if bytes.len() > DESCRIPTOR_LIMIT => {
            return Err(fetch::unreadable(&document, SourceFault::Large { limit: DESCRIPTOR_LIMIT }));
        }
        Published::Release(release) => {
            let release = Release::of(*release);
            let release =
                release.map_err(|fault| InstallError::Release { source_name: document.to_string(), fault })?;
            vec![Offer { place, release: Ok(release) }]
        }
        Published::Index(index) => of_index(index, &place),
    };
    Ok(Offered { offers, document, archive })
}

/// The document of a source, and the archive that was named instead of it.
fn document_of(source: &Source) -> Result<(Source, Option<String>), InstallError> {
    let path = match source {
        Source::Url(url) => return Ok((Source::Url(url.clone().or_in_folder(INDEX_FILE)), None)),
        Source::Path(path) => path,
    };
    let unreadable = |fault| fetch::unreadable(source, fault);
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(SourceFault::Unreadable(error)))?;
    if metadata.is_dir() {
        let there = [DESCRIPTOR_FILE, INDEX_FILE].map(|name| path.join(name));
        let found = there.into_iter().find(|document| document.exists());
        return found
            .map(|document| (Source::Path(document), None))
            .ok_or_else(|| unreadable(SourceFault::NoDescriptor));
    }
    if path.extension().is_some_and(|extension| extension == "json") {
        return Ok((source.clone(), None));
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let descriptor = folder_of(path).join(DESCRIPTOR_FILE);
    if !descriptor.exists() {
        return Err(unreadable(SourceFault::NoDescriptorBeside));
    }
    Ok((Source::Path(descriptor), Some(name)))
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_owned()
}

/// Where the files of a document are: of one that was sent on, beside where it was found in the end.
fn place_of(document: &Source, found_at: Option<Url>) -> Place {
    match document {
        Source::Url(url) => Place::Beside(found_at.unwrap_or_else(|| url.clone())),
        Source::Path(path) => Place::Folder(folder_of(path)),
    }
}

fn of_index(index: IndexV1, place: &Place) -> Vec<Offer> {
    let offer = |entry: ptah_records::provider::IndexedReleaseV1| {
        let folder = entry.folder.filter(|folder| !folder.is_empty());
        let folder = folder.map(|folder| InnerPath::new(folder.trim_end_matches('/'))).transpose();
        let release = indexed(&entry.descriptor).map_err(Why::Document);
        let read = release.and_then(|release: ReleaseV1| Release::of(release).map_err(Why::Value));
        match folder {
            Ok(folder) => Offer { place: below(place, folder.as_ref()), release: read },
            Err(_) => Offer { place: place.clone(), release: Err(Why::Folder) },
        }
    };
    index.releases.into_iter().map(offer).collect()
}

fn below(place: &Place, folder: Option<&InnerPath>) -> Place {
    match (place, folder) {
        (place, None) => place.clone(),
        (Place::Folder(path), Some(folder)) => Place::Folder(folder.under(path)),
        (Place::Beside(url), Some(folder)) => Place::Beside(url.beside(folder).into_folder()),
    }
}

/// Where an archive is.
pub(crate) fn archive(place: &Place, at: &At) -> Source {
    match (at, place) {
        (At::Url(url), _) => Source::Url(url.clone()),
        (At::File(inner), Place::Folder(folder)) => Source::Path(inner.under(folder)),
        (At::File(inner), Place::Beside(url)) => Source::Url(url.beside(inner)),
    }
}
