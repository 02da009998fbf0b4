//! Releases of providers: choosing one, fetching it, unpacking it and recording that it is installed.
//!
//! ```text
//! source (archive, folder, index) ─▶ releases ─▶ choose ─▶ fetch ─▶ unpack ─▶ start and check ─▶ place ─▶ record
//! ```
//!
//! Everything before `place` happens in a folder of its own that the next start clears; the record is written last and
//! atomically, so that an installation is either all there or not there. It is apart from `ptah-provider-host` so that what
//! starts and calls providers sees no network and reads no archive.
//!
//! It decides nothing about databases, and nothing here shows who made a release: a digest shows that bytes did not change.

mod archive;
mod choose;
mod error;
mod fault;
mod fetch;
mod folder;
mod http;
mod install;
mod locate;
mod path;
mod platform;
mod record;
mod release;
mod remove;
mod source;

pub use choose::{SKIPPED, Skipped, Why};
pub use error::{Difference, InstallError};
pub use fault::STEPS;
pub use folder::Folder;
pub use http::{Limits, Url, UrlFault};
pub use install::{Reached, Report, Request, differences, install};
pub use platform::Platform;
pub use record::Record;
pub use remove::remove;
pub use semver::Version;
pub use source::Source;

/// For fuzzing and tests: reads an archive as an installation does.
pub use archive::{ArchiveFault, Bounds, unpack};
