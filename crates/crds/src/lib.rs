//! The resources of the operator, group `operator.ptah.run`, as Kubernetes sees them.
//!
//! One file for each kind. A resource is a mirror: the core that decides knows neither these types nor how they are
//! written. What a status keeps as a record is the type of [`ptah_records::operator`], so that a record has one
//! definition, one limit and one schema, wherever it stands.
//!
//! [`published`] makes the definitions that a cluster is given; `deploy/crds/` holds them, and a test compares. This
//! crate speaks to no API server.
//!
//! A resource that was written by a newer manager may hold what these types cannot: look with [`fence`] first, at the
//! plain JSON, and read the type afterwards.

pub mod fence;
mod kinds;
mod publish;
mod spec;
mod status;
mod text;

pub use kinds::*;
pub use publish::{
    CRD_SCHEMA_VERSION, CRD_SCHEMA_VERSION_ANNOTATION, Published, SCHEMA_DIGEST_ANNOTATION, STATE_VERSION_ANNOTATION,
    published, to_yaml,
};
/// The one writer of generated YAML.
pub mod yaml {
    pub use crate::publish::{Style, body};
}
pub use spec::*;
pub use status::*;
pub use text::{CoordinationKey, FormProblem, NamePattern, Reason, TableName};

/// The API group of every kind.
pub const GROUP: &str = "operator.ptah.run";
/// The one version that is served and stored.
pub const VERSION: &str = "v1alpha1";
