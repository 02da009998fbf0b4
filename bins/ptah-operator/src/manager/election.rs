//! Which of several managers leads: a Lease of the manager's own, by compare and swap.
//!
//! ```text
//! ours ──every 5 s──► renew        another's ──unchanged for 15 s, by our own clock──► take over
//! ```
//!
//! No clock of another machine is read. A lead is believed for 10 seconds from the moment at which its renewal was *sent*, and
//! nobody else takes it over before 15 seconds after it was stored, so two never lead at once. What a former leader had sent
//! before may still arrive: it swaps exactly what it read, and its late Job gets no permit.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cluster::{CallError, Cluster, Write};
use crate::manager::key::leases;
use crate::manager::lead::Lead;
use ptah_records::operator::text::LabelName;

/// The name of the Lease.
const NAME: &str = "ptah-operator";
/// How long a Lease has to stand unchanged before another manager takes it.
const DURATION: Duration = Duration::from_secs(15);
/// For how long a renewal is believed by the one that sent it.
const BELIEVED: Duration = Duration::from_secs(10);
/// How often a leader renews.
const RENEW: Duration = Duration::from_secs(5);
/// How often everybody else looks, and a leader whose renewal failed.
const LOOK: Duration = Duration::from_secs(2);

/// What is to be done about the Lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    /// Create it.
    Create,
    /// Write it anew: it is ours, given back, or stood unchanged for too long.
    Take,
    /// Another one leads.
    Wait,
}

/// Decides by the holder that was read, and by how long the Lease was seen unchanged.
fn decide(found: Option<&str>, identity: &str, unchanged: Duration) -> Move {
    match found {
        None => Move::Create,
        Some(holder) if holder == identity || holder.is_empty() || unchanged >= DURATION => Move::Take,
        Some(_) => Move::Wait,
    }
}

/// One manager's part in the election.
pub(crate) struct Election {
    cluster: Cluster,
    path: String,
    identity: String,
    lead: Lead,
    /// The version of the Lease as it was last read, and since when it is that one.
    seen: Option<(String, Instant)>,
}

impl Election {
    /// `identity` is this process and no other, ever.
    pub(crate) fn new(cluster: Cluster, namespace: &LabelName, identity: String, lead: Lead) -> Self {
        Self { cluster, path: leases(namespace.as_str()), identity, lead, seen: None }
    }

    /// Takes part until it is dropped.
    pub(crate) async fn run(mut self) {
        loop {
            let pause = match self.round().await {
                Ok(true) => RENEW,
                Ok(false) => LOOK,
                Err(problem) => {
                    tracing::warn!(%problem, "the Lease of the managers was not reached");
                    LOOK
                }
            };
            if !self.lead.holds() {
                self.lead.end();
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// Looks once and does what is to be done; says whether this process leads.
    async fn round(&mut self) -> Result<bool, CallError> {
        let path = format!("{}/{NAME}", self.path);
        let found = self.cluster.get(&path).await?;
        let sent = Instant::now();
        let unchanged = self.unchanged(found.as_ref(), sent);
        let holder = found.as_ref().map(|found| found["spec"]["holderIdentity"].as_str().unwrap_or_default());
        let answer = match decide(holder, &self.identity, unchanged) {
            Move::Wait => return Ok(false),
            Move::Create => self.cluster.create(&self.path, &self.lease(None), Write::Store).await,
            Move::Take => self.cluster.replace(&path, &self.lease(found.as_ref()), Write::Store).await,
        };
        match answer {
            Ok(_) => {
                self.lead.extend(sent + BELIEVED);
                Ok(true)
            }
            Err(CallError::Refused { status: 409, .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// For how long the Lease was seen as exactly this one.
    fn unchanged(&mut self, found: Option<&Value>, now: Instant) -> Duration {
        let version = found.and_then(|found| found["metadata"]["resourceVersion"].as_str()).unwrap_or_default();
        match &self.seen {
            Some((seen, since)) if seen == version => now.duration_since(*since),
            Some(_) | None => {
                self.seen = Some((version.to_owned(), now));
                Duration::ZERO
            }
        }
    }

    /// The Lease as this process holds it.
    fn lease(&self, before: Option<&Value>) -> Value {
        let now = k8s_openapi::jiff::Timestamp::now();
        let mut lease = before.cloned().unwrap_or_else(|| {
            json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": NAME }, "spec": {} })
        });
        let spec = &mut lease["spec"];
        if spec["holderIdentity"] != json!(self.identity) {
            spec["leaseTransitions"] = json!(spec["leaseTransitions"].as_u64().unwrap_or_default() + 1);
            spec["acquireTime"] = json!(format!("{now:.6}"));
        }
        spec["holderIdentity"] = json!(self.identity);
        spec["leaseDurationSeconds"] = json!(DURATION.as_secs());
        spec["renewTime"] = json!(format!("{now:.6}"));
        lease
    }
}

/// Gives the lead back, so that the next one need not wait. Whoever dies before that is waited for.
pub(crate) async fn give_back(cluster: &Cluster, namespace: &LabelName, identity: &str) -> Result<(), CallError> {
    let path = format!("{}/{NAME}", leases(namespace.as_str()));
    let Some(mut lease) = cluster.get(&path).await? else { return Ok(()) };
    if lease["spec"]["holderIdentity"] != json!(identity) {
        return Ok(());
    }
    lease["spec"]["holderIdentity"] = json!("");
    cluster.replace(&path, &lease, Write::Store).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_is_taken_over_only_after_it_was_seen_unchanged_for_its_whole_duration() {
        let (short, long) = (DURATION.saturating_sub(Duration::from_millis(1)), DURATION);
        assert_eq!(decide(None, "a", Duration::ZERO), Move::Create);
        assert_eq!(decide(Some("a"), "a", Duration::ZERO), Move::Take);
        assert_eq!(decide(Some(""), "a", Duration::ZERO), Move::Take, "it was given back");
        assert_eq!(decide(Some("b"), "a", short), Move::Wait);
        assert_eq!(decide(Some("b"), "a", long), Move::Take);
    }

    #[test]
    fn a_lead_is_believed_for_less_long_than_others_wait() {
        assert!(BELIEVED < DURATION && RENEW < BELIEVED);
    }
}
