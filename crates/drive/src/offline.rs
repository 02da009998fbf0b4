//! What can be said without a session: no `Open` is sent, so what the engine declares of itself takes the place of what a
//! session would state. Weaker than what `look` does, and said to be by whoever shows it.

use ptah_model::IdentifierRules;
use ptah_plan::offline::{self, Offline};
use ptah_plan::{Desired, assemble};
use ptah_sources::Sources;

use crate::desired::analyse;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::progress::{Phase, Progress};

/// The fact that says whether a statement of the schema can be part of a transaction.
pub const DDL_INSIDE_TRANSACTION: &str = "ddl_inside_transaction";

/// What the sources say, put together under the engine's own rules for names.
pub async fn load(engine: &Engine, sources: &Sources, progress: &dyn Progress) -> Result<Desired, Failure> {
    progress.at(Phase::LoadingSources);
    let analysed = analyse(engine, sources).await?;
    assemble(analysed, rules(engine)?).map_err(Failure::Sources)
}

/// How the first state differs from the second.
pub fn compare(engine: &Engine, from: &Desired, to: &Desired) -> Result<Offline, Failure> {
    let unknown = |offline::Undeclared(object)| Failure::UnknownKind { kind: object.kind.to_string() };
    offline::compare(from, to, engine.kinds()).map_err(unknown)
}

/// What the engine says of itself about statements of the schema and transactions; `None` where it says nothing.
pub fn ddl_inside_transaction(engine: &Engine) -> Option<bool> {
    engine.described().and_then(|described| described.default_capabilities.get(DDL_INSIDE_TRANSACTION)).copied()
}

/// A provider without them is not started.
fn rules(engine: &Engine) -> Result<&IdentifierRules, Failure> {
    engine.described().and_then(|described| described.identifier_rules.as_ref()).ok_or(Failure::Illegal)
}
