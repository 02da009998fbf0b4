//! What has to hold of a provider with the required services and locks, seen by our host.

use std::fmt::Debug;
use std::io::Write as _;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use ptah_model::{EngineName, Scope, SourceName};
use ptah_provider_api::execute::Outcome;
use ptah_provider_api::lock::LockState;
use ptah_provider_api::plan::SnapshotRef;
use ptah_provider_api::render::RenderRequest;
use ptah_provider_api::session::Purpose;
use ptah_provider_api::sql::AnalyzeSqlRequest;
use ptah_provider_api::step::Unit;
use ptah_provider_host::{Answer, Provider, Session};

use crate::Target;

/// Says what holds. The first thing that does not ends the run: all after it would only confuse.
#[derive(Default)]
struct Checks {
    passed: u32,
}

impl Checks {
    fn that(&mut self, what: &str, holds: bool, seen: &impl Debug) -> Result<()> {
        ensure!(holds, "FAILED: {what}; seen: {seen:?}");
        self.passed += 1;
        writeln!(std::io::stdout(), "ok    {what}")?;
        Ok(())
    }
}

/// Makes the calls.
pub(crate) async fn check(target: &Target, unit: &str) -> Result<()> {
    let mut checks = Checks::default();
    let provider = target.start().await?;
    let started = provider.report().launch_to_described();
    checks.that("the provider starts within its ten seconds", started < Duration::from_secs(10), &started)?;
    let first = target.open(&provider, Purpose::Apply).await?;
    let second = target.open(&provider, Purpose::Apply).await?;
    analysis(&mut checks, target, &provider, unit).await?;
    locks(&mut checks, &first, &second).await?;
    execution(&mut checks, target, &provider, &first, unit).await?;
    let lock = second.lock(&Scope::new("left")?);
    let held = state(second.try_lock(&lock).await)?;
    checks.that("another scope is locked beside it", held == LockState::Acquired, &held)?;
    second.close().await?;
    let again = state(first.try_lock(&first.lock(&Scope::new("left")?)).await)?;
    checks.that("closing a session releases its locks", again == LockState::Acquired, &again)?;
    let end = provider.end().await;
    checks.that("every open session says that it is closed", end.sessions == end.closed, &end)?;
    checks.that("the process ends by itself", !end.process.killed && end.process.directory_removed, &end)?;
    writeln!(std::io::stdout(), "{} passed, 0 failed", checks.passed)?;
    Ok(())
}

async fn analysis(checks: &mut Checks, target: &Target, provider: &Provider, unit: &str) -> Result<()> {
    let engine = EngineName::new(target.engine.clone())?;
    let analyze = |text: &str| AnalyzeSqlRequest {
        engine: engine.clone(),
        source: SourceName::new("source"),
        text: text.to_owned(),
    };
    let good = provider.analyze_sql(analyze(unit)).await?;
    checks.that("a source is analysed", good.statements.len() == 1 && good.diagnostics.is_empty(), &good)?;
    let bad = provider.analyze_sql(analyze("é ! nonsense")).await?;
    let placed = bad.diagnostics.iter().any(|found| found.position.is_some());
    checks.that("nonsense is a finding with a place", placed && bad.statements.is_empty(), &bad)
}

async fn locks(checks: &mut Checks, first: &Session, second: &Session) -> Result<()> {
    let scope = Scope::new("run")?;
    let (lock, other) = (first.lock(&scope), second.lock(&scope));
    let fenced = second.lock(&scope);
    let seen = state(first.try_lock(&lock).await)?;
    checks.that("a free lock is acquired", seen == LockState::Acquired, &seen)?;
    let seen = state(first.try_lock(&lock).await)?;
    checks.that("the same ID gets the first answer", seen == LockState::Acquired, &seen)?;
    let seen = state(first.check_lock(&lock).await)?;
    checks.that("a held lock is proven", seen == LockState::Acquired, &seen)?;
    let seen = state(second.try_lock(&other).await)?;
    checks.that("a second session is kept out", seen == LockState::Busy, &seen)?;
    let seen = state(second.check_lock(&other).await)?;
    checks.that("a lock that is not held is not proven", seen == LockState::Lost, &seen)?;
    let seen = state(second.release_lock(&fenced).await)?;
    checks.that("the release of an unknown ID fences it", seen == LockState::Released, &seen)?;
    let seen = state(first.release_lock(&lock).await)?;
    checks.that("a held lock is given back", seen == LockState::Released, &seen)?;
    let seen = state(second.try_lock(&fenced).await)?;
    checks.that("a fenced ID acquires nothing, although the lock is free", seen == LockState::Lost, &seen)?;
    let seen = state(second.try_lock(&other).await)?;
    checks.that("an ID that was busy stays busy", seen == LockState::Busy, &seen)?;
    let seen = state(first.check_lock(&lock).await)?;
    checks.that("a lock that was given back is not proven", seen == LockState::Lost, &seen)
}

async fn execution(
    checks: &mut Checks,
    target: &Target,
    provider: &Provider,
    session: &Session,
    unit: &str,
) -> Result<()> {
    let scope = Scope::new("run")?;
    let before = session.inspect(Duration::ZERO, false).await?;
    let sql = |text: &str| Unit::Sql { text: text.to_owned() };
    let executed = session.execute(&scope, vec![sql(unit), sql("é ! nonsense")], None, None).await;
    let prefix = executed.reply.outcome == Outcome::Partial && executed.reply.applied_count == 1;
    checks.that("a prefix is confirmed when a later unit is refused", prefix, &executed)?;
    let reason = executed.reply.diagnostic.is_some();
    checks.that("a result that did not succeed says why", reason, &executed)?;
    let executed = session.execute(&scope, vec![sql("é ! nonsense")], None, None).await;
    checks.that("a refused unit applied nothing", executed.reply.outcome == Outcome::NotApplied, &executed)?;
    let after = session.inspect(Duration::ZERO, false).await?;
    checks.that("what was applied is read", after.count == before.count + 1, &after)?;
    let request = RenderRequest {
        engine: EngineName::new(target.engine.clone())?,
        snapshot: SnapshotRef { session: session.facts().session.clone(), snapshot: after.snapshot.clone() },
    };
    let rendered = provider.render(request).await?;
    let whole = rendered.definitions.len() == after.schema.objects().len();
    checks.that("a reading is written as source text", whole, &rendered)?;
    let closed = target.open(provider, Purpose::Read).await?;
    let executed = closed.execute(&scope, vec![sql(unit)], None, None).await;
    let nothing = executed.reply.outcome == Outcome::NotStarted;
    checks.that("a session for reading changes nothing", nothing, &executed)?;
    closed.close().await.context("closing the session for reading")
}

fn state(answer: Answer<ptah_provider_api::lock::LockReceipt>) -> Result<LockState> {
    Ok(answer.into_result()?.state)
}
