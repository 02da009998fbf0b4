//! Looking without changing: plans that are only shown or saved, comparisons, readings, renderings.
//!
//! Nothing here takes the run lock or writes to a target. What is read may be old a moment later, which is why a saved
//! plan is held against the database again when it is carried out.

use std::collections::BTreeSet;
use std::time::Duration;

use ptah_diff::Change;
use ptah_model::{Digest, OperationId};
use ptah_plan::{Explanation, Policy};
use ptah_provider_api::claim::ClaimsReading;
use ptah_provider_api::feature::SESSIONS_CLAIMS;
use ptah_provider_api::reading::Reading;
use ptah_provider_api::render::{RenderReply, RenderRequest};
use ptah_provider_api::session::{Address, OpenTarget, Purpose};
use ptah_provider_host::{HostError, Opening, Session};
use ptah_sources::Sources;

use crate::desired::{Loaded, create_sources, load, snapshot, sources_digest};
use crate::engine::Engine;
use crate::failure::Failure;
use crate::memory::proven_state;
use crate::patience::{one_wait, within};
use crate::prepare::{Decision, Prepared, Question, compared, prepare};
use crate::progress::{Phase, Progress};
use crate::run::Target;

/// How many finished operations are read for people.
const OPERATIONS_READ: u32 = 64;

/// Where to look, and what is accepted for it.
#[derive(Clone, Debug)]
pub struct Place {
    /// The database.
    pub address: Address,
    /// Whether recovery after a crash of another writer may change files.
    pub recover: bool,
    /// Words that accept what cannot be made safe.
    pub accept: BTreeSet<String>,
    /// How long to wait for other writers.
    pub lock: Duration,
}

/// A database that was opened to read.
#[derive(Debug)]
pub struct Opened {
    session: Session,
    /// The database.
    pub target: Target,
    /// What it remembers; absent when the engine keeps no claims or the database does not exist.
    pub claims: Option<ClaimsReading>,
    /// How long to wait for other writers, at each reading.
    lock: Duration,
}

/// What is wanted of a database that is only looked at.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// The sources.
    pub sources: &'a Sources,
    /// What the caller permits.
    pub policy: &'a Policy,
    /// The operation that a plan will be.
    pub operation: &'a OperationId,
    /// Whether a remembered proof is not to be used.
    pub fresh: bool,
    /// Whether keys of offending rows are wanted.
    pub show_rows: bool,
}

/// A plan that was only made.
#[derive(Debug)]
pub struct Looked {
    /// What was decided.
    pub prepared: Prepared,
    /// Whether "nothing to do" rests on a remembered proof.
    pub remembered: bool,
}

/// A comparison: what differs, and the statements that would end it.
#[derive(Debug)]
pub struct Compared {
    /// The differences.
    pub changes: Vec<Change>,
    /// The steps that would end them; empty where the engine refuses, and then the findings say why.
    pub explanations: Vec<Explanation>,
    /// What is worth knowing or wrong.
    pub findings: Vec<ptah_model::Diagnostic>,
}

/// Opens a database to read it.
pub async fn open(engine: &Engine, place: &Place, progress: &dyn Progress) -> Result<Opened, Failure> {
    let session = place.open(engine, Purpose::Read, progress).await?;
    let asks = session.facts().exists && session.offers(SESSIONS_CLAIMS);
    let claims = if asks {
        let read = async |_| session.read_claims(OPERATIONS_READ).await;
        Some(within(place.lock, Some(one_wait(place.lock)), (progress, None), read).await?)
    } else {
        None
    };
    let mut target = Target::of(&session, claims.as_ref());
    target.note_unfinished(claims.as_ref());
    Ok(Opened { target, session, claims, lock: place.lock })
}

impl Place {
    /// Opens a session. Whoever holds the database is waited for; nothing is created, so that trying again is safe.
    pub(crate) async fn open(
        &self,
        engine: &Engine,
        purpose: Purpose,
        progress: &dyn Progress,
    ) -> Result<Session, HostError> {
        let opening = Opening {
            recover: self.recover || purpose == Purpose::Apply,
            accept: self.accept.clone(),
            lock_timeout: one_wait(self.lock),
            ..Opening::new(engine.name().clone(), OpenTarget::Address(self.address.clone()), purpose)
        };
        let open = async |_| engine.provider().open(opening.clone()).await;
        within(self.lock, Some(opening.lock_timeout), (progress, None), open).await
    }
}

impl Opened {
    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Reads the catalogue.
    pub async fn read(&self, progress: &dyn Progress) -> Result<Reading, Failure> {
        progress.at(Phase::Reading);
        Ok(self.inspect(false, progress).await?)
    }

    async fn inspect(&self, fingerprint_only: bool, progress: &dyn Progress) -> Result<Reading, HostError> {
        let inspect = async |lock_timeout| self.session.inspect(lock_timeout, fingerprint_only).await;
        within(self.lock, None, (progress, None), inspect).await
    }

    /// Whether the database remembers that it reads as these sources ask, and still does.
    async fn is_remembered(&self, sources: Digest, progress: &dyn Progress) -> Result<bool, Failure> {
        let settings = self.session.facts().settings_digest;
        let Some(state) = proven_state(self.claims.as_ref(), sources, settings) else { return Ok(false) };
        Ok(self.inspect(true, progress).await?.fingerprint == state)
    }

    fn question<'a>(
        &'a self,
        engine: &'a Engine,
        wish: &Wish<'a>,
        sources: Digest,
        read: (&'a Reading, &'a Loaded),
        progress: &'a dyn Progress,
    ) -> Question<'a> {
        Question {
            engine,
            target: &self.session,
            identity: &self.target.identity,
            current: read.0,
            loaded: read.1,
            policy: wish.policy,
            operation: wish.operation,
            sources,
            ledger: self.claims.as_ref().map(|c| c.renames.as_slice()).unwrap_or_default(),
            show_rows: wish.show_rows,
            progress,
        }
    }
}

/// Makes a plan without carrying it out.
pub async fn plan(
    engine: &Engine,
    opened: &Opened,
    wish: &Wish<'_>,
    progress: &dyn Progress,
) -> Result<Looked, Failure> {
    let sources = sources_digest(engine, wish.sources, wish.policy);
    if !wish.fresh && opened.is_remembered(sources, progress).await? {
        let prepared = Prepared { decision: Decision::InSync, findings: Vec::new(), lint: Vec::new() };
        return Ok(Looked { prepared, remembered: true });
    }
    let (reading, loaded) = both(engine, opened, wish.sources, progress).await?;
    let question = opened.question(engine, wish, sources, (&reading, &loaded), progress);
    Ok(Looked { prepared: prepare(&question).await?, remembered: false })
}

/// Reads the database while the sources are created in a dev database: two sessions, which do not wait for each other.
async fn both(
    engine: &Engine,
    opened: &Opened,
    sources: &Sources,
    progress: &dyn Progress,
) -> Result<(Reading, Loaded), Failure> {
    let creating = create_sources(engine, Some(&opened.session), sources, progress);
    // In this order, so that the longer phase is the one that people see.
    let (reading, created) = tokio::try_join!(opened.read(progress), creating)?;
    let loaded = created.read(Some(&reading)).await?;
    Ok((reading, loaded))
}

/// Compares without judging or proving.
pub async fn compare(
    engine: &Engine,
    opened: &Opened,
    wish: &Wish<'_>,
    progress: &dyn Progress,
) -> Result<Compared, Failure> {
    let sources = sources_digest(engine, wish.sources, wish.policy);
    let (reading, loaded) = both(engine, opened, wish.sources, progress).await?;
    compared(&opened.question(engine, wish, sources, (&reading, &loaded), progress)).await
}

/// Compares two sets of sources, without a database of anybody's.
pub async fn diff(
    engine: &Engine,
    from: &Sources,
    wish: &Wish<'_>,
    progress: &dyn Progress,
) -> Result<Compared, Failure> {
    let before = load(engine, None, from, progress).await?;
    let loaded = load(engine, None, wish.sources, progress).await?;
    let session = before.session();
    compared(&Question {
        engine,
        target: session,
        identity: &session.facts().identity,
        current: &before.reading,
        loaded: &loaded,
        policy: wish.policy,
        operation: wish.operation,
        sources: sources_digest(engine, wish.sources, wish.policy),
        ledger: &[],
        show_rows: false,
        progress,
    })
    .await
}

/// Writes a reading as source text.
pub async fn render(engine: &Engine, session: &Session, reading: &Reading) -> Result<RenderReply, Failure> {
    let request = RenderRequest { engine: engine.name().clone(), snapshot: snapshot(session, reading) };
    Ok(engine.provider().render(request).await?)
}
