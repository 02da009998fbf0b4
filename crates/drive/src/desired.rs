//! From sources to a reading of what they ask for: analysed, put together, created in a dev database, read back.
//!
//! Nothing is guessed from a text: what the engine made of it is what counts.

use std::collections::BTreeSet;

use ptah_model::{Diagnostic, Digest, DigestBuilder, Name, ObjectId, Scope, SourceName};
use ptah_plan::{Desired, DesiredStatement, Policy, assemble};
use ptah_provider_api::contract::{LOCK_WAIT_LIMIT, UNITS_LIMIT};
use ptah_provider_api::dev::DevContent;
use ptah_provider_api::execute::Outcome;
use ptah_provider_api::plan::SnapshotRef;
use ptah_provider_api::reading::Reading;
use ptah_provider_api::sql::{AnalyzeSqlRequest, SourceAnalysis};
use ptah_provider_api::step::Unit;
use ptah_provider_host::Session;
use ptah_sources::Sources;

use crate::code::{NOT_TRIED, REFUSED};
use crate::engine::Engine;
use crate::failure::Failure;
use crate::progress::{Phase, Progress};

/// The most bytes of statements in one call: far below the message limit, and enough that calls do not count.
const BYTES_PER_CALL: usize = 1024 * 1024;

/// What the sources ask for, created and read back. The session holds the dev database.
#[derive(Debug)]
pub struct Loaded {
    /// The statements, places and hints.
    pub desired: Desired,
    /// What the dev database read as.
    pub reading: Reading,
    session: Session,
}

impl Loaded {
    /// The dev database.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The reading, for calls that refer to it.
    pub fn snapshot(&self) -> SnapshotRef {
        snapshot(&self.session, &self.reading)
    }
}

/// A reading, for calls that refer to it.
pub(crate) fn snapshot(session: &Session, reading: &Reading) -> SnapshotRef {
    SnapshotRef { session: session.facts().session.clone(), snapshot: reading.snapshot.clone() }
}

/// The digest of the sources as they were given, and of the policy words that shape what they are compared with. Needs
/// no provider, so that a remembered proof costs no analysis.
pub fn sources_digest(engine: &Engine, sources: &Sources, policy: &Policy) -> Digest {
    let builder = DigestBuilder::new("ptah.sources.v1").text(engine.name().as_str());
    let builder = builder.number(sources.sources.len() as u64);
    let builder = sources.sources.iter().fold(builder, |b, source| b.text(&source.text));
    let builder = policy.reading_words().iter().fold(builder, |b, word| b.text(word));
    // A consent is given for one run: what was proven under it is no proof for a run without it.
    if policy.allow_empty { builder.text("allow-empty").finish() } else { builder.finish() }
}

/// What the sources ask for, created and not read yet.
#[derive(Debug)]
pub(crate) struct Created {
    desired: Desired,
    session: Session,
}

/// Analyses the sources, creates them in a dev database and reads it.
pub async fn load(
    engine: &Engine,
    target: Option<&Session>,
    sources: &Sources,
    progress: &dyn Progress,
) -> Result<Loaded, Failure> {
    create_sources(engine, target, sources, progress).await?.read(None).await
}

/// Analyses the sources and creates them in a dev database.
pub(crate) async fn create_sources(
    engine: &Engine,
    target: Option<&Session>,
    sources: &Sources,
    progress: &dyn Progress,
) -> Result<Created, Failure> {
    progress.at(Phase::LoadingSources);
    let session = engine.open_dev(target, DevContent::Empty).await?;
    let analysed = analyse(engine, sources).await?;
    let rules = &session.facts().identifier_rules;
    let desired = assemble(analysed, rules).map_err(Failure::Sources)?;
    create(&session, &desired.statements).await?;
    Ok(Created { desired, session })
}

/// What stands where in each source. Needs no session.
pub(crate) async fn analyse(engine: &Engine, sources: &Sources) -> Result<Vec<(SourceName, SourceAnalysis)>, Failure> {
    let mut analysed = Vec::with_capacity(sources.sources.len());
    for source in &sources.sources {
        let request =
            AnalyzeSqlRequest { engine: engine.name().clone(), source: source.name.clone(), text: source.text.clone() };
        analysed.push((source.name.clone(), engine.provider().analyze_sql(request).await?));
    }
    Ok(analysed)
}

impl Created {
    /// Reads the dev database. When it reads as `like` does, only the fingerprint is sent: most of the time most of a
    /// large schema is as it is wanted, and the objects are here already.
    pub(crate) async fn read(self, like: Option<&Reading>) -> Result<Loaded, Failure> {
        let Self { desired, session } = self;
        if let Some(like) = like {
            let only = session.inspect(LOCK_WAIT_LIMIT, true).await?;
            if only.fingerprint == like.fingerprint && only.count == like.count {
                let reading = Reading { schema: like.schema.clone(), ..only };
                return Ok(Loaded { desired, reading, session });
            }
        }
        let reading = session.inspect(LOCK_WAIT_LIMIT, false).await?;
        Ok(Loaded { desired, reading, session })
    }
}

/// Runs every statement, and goes on after a refused one, so that all findings come at once. What belongs to a refused
/// object is not tried: it could only fail for that.
async fn create(session: &Session, statements: &[DesiredStatement]) -> Result<(), Failure> {
    let scope = scope()?;
    let mut creation = Creation::default();
    let mut left = statements;
    while !left.is_empty() {
        let batch = batch(left);
        let tried: Vec<&DesiredStatement> = batch.iter().filter(|s| !creation.builds_on_refused(s)).collect();
        let units: Vec<Unit> = tried.iter().map(|s| Unit::Sql { text: s.text.clone() }).collect();
        let mut done = batch.len();
        if !units.is_empty() {
            let executed = session.execute(&scope, units, None, None).await;
            if executed.reply.outcome != Outcome::Applied {
                let Some(failed) = tried.get(executed.reply.applied_count as usize) else {
                    return Err(executed.cause.map_or(Failure::Illegal, Failure::Provider));
                };
                if let Some(cause) = executed.cause {
                    return Err(Failure::Provider(cause));
                }
                creation.refuse(failed, executed.reply.diagnostic);
                done = place(batch, failed) + 1;
            }
        }
        creation.pass_over(&batch[..done], &tried);
        left = &left[done..];
    }
    if creation.findings.is_empty() { Ok(()) } else { Err(Failure::Sources(creation.findings)) }
}

/// What a scratch database's calls are about.
pub(crate) fn scope() -> Result<Scope, Failure> {
    Scope::new("ptah").map_err(|_| Failure::Illegal)
}

/// As many statements as one call takes, at least one.
fn batch(left: &[DesiredStatement]) -> &[DesiredStatement] {
    let mut bytes = 0;
    let fits = |s: &&DesiredStatement| {
        bytes += s.text.len();
        bytes <= BYTES_PER_CALL
    };
    let count = left.iter().take(UNITS_LIMIT).take_while(fits).count();
    &left[..count.max(1)]
}

fn place(batch: &[DesiredStatement], statement: &DesiredStatement) -> usize {
    batch.iter().position(|s| s.position == statement.position).unwrap_or(batch.len() - 1)
}

/// What was refused so far.
#[derive(Default)]
struct Creation {
    refused: BTreeSet<ObjectId>,
    refused_names: BTreeSet<Name>,
    findings: Vec<Diagnostic>,
}

impl Creation {
    fn builds_on_refused(&self, statement: &DesiredStatement) -> bool {
        let owner = statement.object.owner.as_ref();
        self.refused.contains(&statement.object) || owner.is_some_and(|o| self.refused_names.contains(o))
    }

    fn refuse(&mut self, statement: &DesiredStatement, reason: Option<String>) {
        self.refused.insert(statement.object.clone());
        self.refused_names.insert(statement.object.name.clone());
        let why = reason.unwrap_or_else(|| "the server refused it".to_owned());
        let finding = Diagnostic::error(REFUSED, format!("{} cannot be created: {why}", statement.object));
        self.findings.push(finding.at(statement.position.clone()));
    }

    /// Tells what was not tried in the part of the batch that is done with.
    fn pass_over(&mut self, done: &[DesiredStatement], tried: &[&DesiredStatement]) {
        for statement in done {
            let was_tried = || tried.iter().any(|t| t.position == statement.position);
            if self.builds_on_refused(statement) && !was_tried() {
                let summary = format!("{} was not tried, because what it belongs to was refused", statement.object);
                self.findings.push(Diagnostic::note(NOT_TRIED, summary).at(statement.position.clone()));
            }
        }
    }
}
