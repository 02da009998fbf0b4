//! Who may write what in the operator's resources, and in what it makes of them: admission policies in CEL, the roles
//! with our own verbs, the settings of both, and the manager itself with its rights: all that a cluster is given.
//!
//! There is no webhook: the API server evaluates the policies itself, so they hold while no manager runs. [`files`] makes
//! what a cluster is given; `deploy/admission/` holds it, and a test compares. [`cases`] lists, for every rule, who may do
//! what it is about and who may not: the page in the book is made from that list, and the cluster tests carry it out.
//! [`canary`] says how a manager proves that the policies are in force.
//!
//! What a policy cannot see (another object, a clock, who wrote something earlier) is checked by the core, uncached. This
//! crate is apart from `ptah-crds` because the resources do not know who may write them. It speaks to no API server.

pub mod canary;
pub mod cases;
mod comparison;
mod files;
mod installation;
mod manager;
mod page;
mod permissions;
mod policies;
mod policy;
mod roles;
mod settings;
mod stamps;
mod yaml;

pub use comparison::acts_as;
pub use files::{File, files, install, operator_files};
pub use installation::{OPERATOR_IMAGE, RUNNER_IMAGE};
pub use manager::{Right, Scope, rights};
pub use page::page;
pub use permissions::permissions;
pub use policies::policies;
pub use policy::{Policy, Rule};
pub use settings::{Settings, names};
pub use stamps::{Stamp, stamps};
