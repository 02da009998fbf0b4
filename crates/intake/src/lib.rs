//! The server to which operation Pods report: start permits, and results in pieces, with certificates of its own.
//!
//! ```text
//! Pod ──TLS 1.3, one name per generation of the authority──► Intake ─┬─ Reviewer    whose token is this?
//!                                                                   ├─ Gatekeeper  may it start? where does it belong?
//!                                                                   └─ Store       kept, and read back
//! ```
//!
//! It decides nothing about operations. Whoever embeds it says who may start and where a result belongs
//! ([`Gatekeeper`]); who asks is said by the API server ([`ClusterReviewer`]), and what is kept are objects of the API
//! server ([`ClusterStore`]). Any replica takes results, only the leader permits, and [`read_delivery`] puts together
//! what was kept. The certificates are made by [`authority`], and the embedder keeps them in a Secret of its own.
//!
//! Nothing of a body is read before it is known who sends it, and nothing is acknowledged before it was read back.

pub mod authority;
mod credential;
mod delivery;
mod gatekeeper;
mod keep;
mod names;
mod record;
mod reviewer;
mod server;
mod store;

pub use delivery::{Attached, Conflict, Delivery, Whole, read_delivery};
pub use gatekeeper::{Gatekeeper, Permitted, Place, Standing};
pub use names::{Names, NamesProblem};
pub use record::{conflict_name, is_piece_name, last_word_name, piece_name};
pub use reviewer::{ClusterReviewer, Pod, Reviewed, Reviewer, Token};
pub use server::{Intake, Note, UPLOADS, UPLOADS_OF_ONE, serve};
pub use store::{ClusterStore, Created, Store, StoreProblem};
