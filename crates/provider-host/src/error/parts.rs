//! What the errors are made of, and how it reads.

use std::fmt;

use ptah_model::{Diagnostic, EngineName};
use ptah_provider_api::reason::Reason;

/// Which way a message went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the provider. Nothing was sent.
    Request,
    /// From the provider.
    Reply,
}

/// What was asked of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// An engine by its name or an alias.
    Engine(String),
    /// An engine by the scheme of an address.
    Scheme(String),
}

/// What says which provider is expected, and with which bytes and engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaidBy {
    /// The program itself.
    Program,
    /// A manifest.
    Manifest,
    /// The record of an installation.
    Record,
}

impl fmt::Display for SaidBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Program => "the program",
            Self::Manifest => "the manifest",
            Self::Record => "the install record",
        })
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Request => "request",
            Self::Reply => "reply",
        })
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine(name) => write!(f, "engine `{}`", name.escape_debug()),
            Self::Scheme(scheme) => write!(f, "addresses of scheme `{}`", scheme.escape_debug()),
        }
    }
}

/// The engines that there are.
pub(super) struct Known<'a>(pub(super) &'a [EngineName]);

impl fmt::Display for Known<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("there are no engines") } else { write!(f, "there are {}", Listed(self.0)) }
    }
}

/// Things with commas between them.
pub(super) struct Listed<'a, T>(pub(super) &'a [T]);

impl<T: fmt::Display> fmt::Display for Listed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, thing) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{thing}")?;
        }
        Ok(())
    }
}

/// How many findings there are, or the only one.
pub(super) struct Findings<'a>(pub(super) &'a [Diagnostic]);

impl fmt::Display for Findings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [only] => write!(f, "{}", only.summary),
            all => write!(f, "{} findings", all.len()),
        }
    }
}

/// The part from the colon.
pub(super) struct Because<'a>(pub(super) &'a Option<Reason>);

impl fmt::Display for Because<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |reason| write!(f, ": {reason}"))
    }
}
