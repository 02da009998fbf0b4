//! Making the plan, holding a saved one against what was read, asking for consent, creating the database.

use ptah_apply::{Against, Event};
use ptah_model::{Diagnostic, Fingerprint};
use ptah_plan::Plan;
use ptah_provider_host::HostError;

use super::{Runner, Wanted, create};
use crate::code::{APPEARED, OTHER_DATABASE, STALE};
use crate::desired::create_sources;
use crate::failure::Failure;
use crate::prepare::{Decision, Planned, Prepared, Question, Refused, prepare, target};

impl Runner<'_> {
    pub(super) async fn prepare(&mut self, found: Fingerprint) -> Event {
        if self.remembered {
            return Event::InSync { to_remember: false };
        }
        match &self.order.wanted {
            Wanted::Saved(plan) => self.hold(plan, found),
            Wanted::Sources(..) => {
                let stop = self.stop;
                let made = tokio::select! {
                    made = self.make() => made,
                    () = stop.asked() => return Event::Interrupted,
                };
                match made {
                    Ok(prepared) => self.decided(prepared, found),
                    Err(Failure::Sources(findings)) => self.refuse(Against::Sources, findings),
                    Err(Failure::Proof(findings)) => self.refuse(Against::Proof, findings),
                    Err(failure) => self.lost(failure),
                }
            }
        }
    }

    async fn make(&self) -> Result<Prepared, Failure> {
        let Wanted::Sources(sources, policy) = &self.order.wanted else { return Err(Failure::Illegal) };
        let created = create_sources(self.engine, Some(&self.session), sources, self.progress).await?;
        let nothing;
        let current = if let Some(reading) = &self.reading {
            reading
        } else {
            // A database that does not exist reads as empty; the session says so too, and nothing is created by it.
            nothing = self.session.inspect(std::time::Duration::ZERO, false).await?;
            &nothing
        };
        let loaded = created.read(Some(current)).await?;
        let ledger = self.claims.as_ref().map(|c| c.renames.as_slice()).unwrap_or_default();
        let identity = self.claims.as_ref().map_or(&self.session.facts().identity, |c| &c.identity);
        prepare(&Question {
            engine: self.engine,
            target: &self.session,
            identity,
            current,
            loaded: &loaded,
            policy,
            operation: &self.order.operation,
            sources: self.sources,
            ledger,
            show_rows: self.order.show_rows,
            progress: self.progress,
        })
        .await
    }

    fn decided(&mut self, prepared: Prepared, found: Fingerprint) -> Event {
        self.findings = prepared.findings;
        self.lint = prepared.lint;
        match prepared.decision {
            Decision::InSync => Event::InSync { to_remember: self.is_worth_remembering(found) },
            Decision::Planned(planned) => {
                let work = Self::work(&planned.plan);
                self.planned = Some(*planned);
                Event::Planned(work)
            }
            Decision::Refused(refused) => {
                self.rows.clone_from(&refused.rows);
                let against = refused.against;
                self.refused = Some(*refused);
                Event::PlanRefused(against)
            }
        }
    }

    fn refuse(&mut self, against: Against, findings: Vec<Diagnostic>) -> Event {
        self.refused = Some(Refused { against, findings, ..Refused::default() });
        Event::PlanRefused(against)
    }

    /// A saved plan is for one database in one state.
    fn hold(&mut self, plan: &Plan, found: Fingerprint) -> Event {
        let identity = self.claims.as_ref().map_or(&self.session.facts().identity, |c| &c.identity);
        let against = against(plan, &target(identity), found);
        if !against.is_empty() {
            let explanations = plan.explanations();
            self.refused = Some(Refused { findings: against, explanations, ..Refused::default() });
            return Event::PlanRefused(Against::Plan);
        }
        self.planned = Some(Planned { plan: plan.clone(), explanations: plan.explanations() });
        Event::Planned(Self::work(plan))
    }

    pub(super) fn approve(&mut self) -> Event {
        let target = self.target();
        let Some(planned) = &self.planned else { return Event::Declined };
        if self.consent.approve(planned, &target, &self.settled) { Event::Approved } else { Event::Declined }
    }

    /// The new session replaces the one that found nothing.
    pub(super) async fn create_target(&mut self) -> Event {
        match create(self.engine, self.order).await {
            Ok(session) => {
                self.session = session;
                self.reading = None;
                Event::Created
            }
            Err(error) if appeared(&error) => {
                let summary = "somebody else made the database where there was none when the plan was made";
                let finding = Diagnostic::error(APPEARED, summary).hint("plan again");
                self.cause = Some(error.into());
                self.refuse(Against::Plan, vec![finding])
            }
            Err(error) => {
                self.cause = Some(error.into());
                Event::NotCreated
            }
        }
    }
}

/// Whether the provider says that something is there already; every other failure says nothing about that.
fn appeared(error: &HostError) -> bool {
    matches!(error, HostError::CallFailed { code, .. } if code.is_already_there())
}

/// What speaks against carrying out a saved plan on this database now.
fn against(plan: &Plan, now: &ptah_plan::Target, found: Fingerprint) -> Vec<Diagnostic> {
    let bound = &plan.head().target;
    let mut findings = Vec::new();
    let same = match (&bound.uuid, &now.uuid) {
        (Some(planned), Some(here)) => planned == here && bound.physical == now.physical,
        // A database in which Ptah keeps nothing is known only by its route, which also says how far it was changed.
        (None, None) => bound.route == now.route,
        (Some(_), None) | (None, Some(_)) => false,
    };
    if !same {
        let summary = "the plan is for another database than this one, or for this one before it was changed";
        findings.push(Diagnostic::error(OTHER_DATABASE, summary).hint("plan again on this database"));
    }
    if plan.head().from != found {
        let summary = format!("the schema is {found} and the plan was made on {}", plan.head().from);
        findings.push(Diagnostic::error(STALE, summary).hint("the schema changed since; plan again"));
    }
    findings
}
