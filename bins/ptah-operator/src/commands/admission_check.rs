//! `admission check`: whether every policy acts, in the version of this program, for everything. Nothing is stored.

use std::io::Write;

use ptah_admission::canary::{Canary, canaries, covers, judge};
use ptah_admission::{policies, stamps};
use serde_json::Value;

use crate::arguments::AdmissionCheck;
use crate::cluster::{CallError, Cluster, Write as Mode};
use crate::failure::Failure;

/// Where the bindings of policies are.
const BINDINGS: &str = "/apis/admissionregistration.k8s.io/v1";

pub(super) async fn run(cluster: &Cluster, flags: &AdmissionCheck, out: &mut impl Write) -> Result<(), Failure> {
    let bindings = bindings();
    let mut missing = 0;
    for canary in canaries(&flags.namespace) {
        let acts = acts(cluster, &canary).await?;
        let binding = bindings.iter().find(|(name, ..)| *name == canary.policy);
        let covered = match binding {
            Some((name, plural, expected)) => {
                let found = cluster.get(&format!("{BINDINGS}/{plural}/{name}")).await?;
                found.is_some_and(|found| covers(expected, &found))
            }
            None => false,
        };
        let state = match (acts, covered) {
            (Ok(()), true) => "in force".to_owned(),
            (Ok(()), false) => "its binding covers less than everything".to_owned(),
            (Err(problem), _) => problem,
        };
        missing += usize::from(state != "in force");
        writeln!(out, "{}: {state}", canary.policy)?;
    }
    if missing == 0 { Ok(()) } else { Err(Failure::NotInForce(missing)) }
}

/// Every binding as it has to be: its name, the plural of its kind, and itself.
fn bindings() -> Vec<(&'static str, &'static str, Value)> {
    let validating = policies().into_iter().map(|one| (one.name, "validatingadmissionpolicybindings", one.binding()));
    let mutating = stamps().into_iter().map(|one| (one.name, "mutatingadmissionpolicybindings", one.binding()));
    validating.chain(mutating).collect()
}

/// What the answer to a canary proves; why it proves nothing. Without an answer nothing was found out.
async fn acts(cluster: &Cluster, canary: &Canary) -> Result<Result<(), String>, CallError> {
    let path = canary.path.split('?').next().unwrap_or_default();
    let judged = match cluster.create(path, &canary.object, Mode::Try).await {
        Ok(_) => judge(canary, 201, ""),
        Err(CallError::Refused { status, message, .. }) => judge(canary, status, &message),
        Err(error) => return Err(error),
    };
    Ok(judged.map_err(|problem| problem.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_canary_has_a_binding_that_is_looked_at() {
        let known = bindings();
        assert!(canaries("x").iter().all(|canary| known.iter().any(|(name, ..)| *name == canary.policy)));
    }
}
