//! `admission check`: whether every policy acts, in the version of this program, for everything. Nothing is stored.

use std::io::Write;

use ptah_admission::canary::{canaries, covers};

use crate::arguments::AdmissionCheck;
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::manager::policies::{GROUP, Wanted, ask, wanted};

pub(super) async fn run(cluster: &Cluster, flags: &AdmissionCheck, out: &mut impl Write) -> Result<(), Failure> {
    let bindings: Vec<Wanted> = wanted().into_iter().filter(|one| one.is_binding).collect();
    let mut missing = 0;
    for canary in canaries(&flags.namespace) {
        let acts = ask(cluster, &canary).await?;
        let name = canary.policy;
        let binding = bindings.iter().find_map(|kind| Some((kind.plural, kind.objects.get(name)?)));
        let covered = match binding {
            Some((plural, expected)) => {
                let found = cluster.get(&format!("{GROUP}/{plural}/{name}")).await?;
                found.is_some_and(|found| covers(expected, &found))
            }
            None => false,
        };
        let state = match (acts, covered) {
            (Ok(()), true) => "in force".to_owned(),
            (Ok(()), false) => "its binding covers less than everything".to_owned(),
            (Err(problem), _) => problem.to_string(),
        };
        missing += usize::from(state != "in force");
        writeln!(out, "{}: {state}", canary.policy)?;
    }
    if missing == 0 { Ok(()) } else { Err(Failure::NotInForce(missing)) }
}
