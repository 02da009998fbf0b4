//! `crds apply`: the definitions of the resources, brought forward.
//!
//! ```text
//! look ─▶ decide ─▶ try every write ─▶ look again ─▶ decide again ─▶ write, one by one ─▶ wait until served
//! ```
//!
//! **Guarantees.** Up to the first write nothing is changed. A definition is replaced only if it is still the one that was
//! judged: its resource version goes along, so of two programs that update at the same time one is refused. Killed between
//! two writes, a run leaves some definitions new and the others old; run again, it writes the others.
//!
//! **Caveats.** State that a newer manager stores between the second look and the first write is not seen. That manager
//! starts only with its own definitions in place, so they would have moved, and the write is refused.

use std::io::Write;
use std::time::{Duration, Instant};

use ptah_crds::{CRD_SCHEMA_VERSION, published};
use ptah_records::operator::CONTROLLER_STATE_VERSION;
use serde_json::Value;

use super::look::{DEFINITIONS, look};
use crate::arguments::CrdsApply;
use crate::cluster::{CallError, Cluster, Write as Mode};
use crate::definitions::{Change, Seen, Step, decide, differences, is_served, moved};
use crate::failure::Failure;
use crate::fault::{Point, hit};

/// How long the API server may take until it serves a kind. It takes a tenth of a second.
const UNTIL_SERVED: Duration = Duration::from_secs(30);
/// How often it is asked.
const BETWEEN: Duration = Duration::from_millis(100);
/// How many places of a difference are shown.
const SHOWN: usize = 5;

pub(super) async fn run(cluster: &Cluster, flags: CrdsApply, out: &mut impl Write) -> Result<(), Failure> {
    let published = published();
    let first = look(cluster, &published).await?;
    let planned = decide(&published, &first, CONTROLLER_STATE_VERSION).map_err(Failure::Refused)?;
    let planned = tried(cluster, &first, planned).await?;
    let second = look(cluster, &published).await?;
    decide(&published, &second, CONTROLLER_STATE_VERSION).map_err(Failure::Refused)?;
    if let Some(name) = moved(&first, &second) {
        return Err(Failure::Moved(name));
    }
    if flags.dry_run {
        return Ok(tell(&planned, "would be ", out)?);
    }
    write(cluster, &planned).await?;
    for tried in &planned {
        served(cluster, &tried.change.name).await?;
    }
    Ok(tell(&planned, "", out)?)
}

/// A change that the API server would take, with what it would change.
struct Tried {
    change: Change,
    /// The places; none in a definition that is new.
    places: Vec<String>,
}

impl Tried {
    /// Whether there is something to write.
    fn is_due(&self) -> bool {
        self.change.step == Step::Create || !self.places.is_empty()
    }
}

/// Has the API server try every write. It fills in defaults, so only its answer says whether anything changes.
async fn tried(cluster: &Cluster, seen: &Seen, changes: Vec<Change>) -> Result<Vec<Tried>, CallError> {
    let mut all = Vec::new();
    for change in changes {
        let made = send(cluster, &change, Mode::Try).await?;
        let live = seen.definitions.get(&change.name);
        let places = live.map(|live| differences(live, &made)).unwrap_or_default();
        all.push(Tried { change, places });
    }
    Ok(all)
}

async fn write(cluster: &Cluster, planned: &[Tried]) -> Result<(), Failure> {
    let due: Vec<&Change> = planned.iter().filter(|tried| tried.is_due()).map(|tried| &tried.change).collect();
    for (changed, change) in due.iter().enumerate() {
        hit(Point::BeforeUpdate(changed + 1));
        let answer = send(cluster, change, Mode::Store).await;
        hit(Point::AfterUpdate(changed + 1));
        match answer {
            Ok(_) => {}
            // Refused, and the first of them: then it is certain that nothing was changed.
            Err(source) if changed == 0 && source.status() == Some(409) => {
                return Err(Failure::Moved(change.name.clone()));
            }
            Err(source) if changed == 0 && source.status().is_some_and(|status| status < 500) => {
                return Err(source.into());
            }
            Err(source) => {
                return Err(Failure::Half { changed, all: due.len(), name: change.name.clone(), source });
            }
        }
    }
    Ok(())
}

async fn send(cluster: &Cluster, change: &Change, mode: Mode) -> Result<Value, CallError> {
    match change.step {
        Step::Create => cluster.create(DEFINITIONS, &change.object, mode).await,
        Step::Replace => cluster.replace(&format!("{DEFINITIONS}/{}", change.name), &change.object, mode).await,
    }
}

/// Waits until the API server serves a kind.
async fn served(cluster: &Cluster, name: &str) -> Result<(), Failure> {
    let end = Instant::now() + UNTIL_SERVED;
    loop {
        let asked = cluster.get(&format!("{DEFINITIONS}/{name}")).await;
        if asked.is_ok_and(|live| live.as_ref().is_some_and(is_served)) {
            return Ok(());
        }
        if Instant::now() >= end {
            return Err(Failure::NotServed(name.to_owned()));
        }
        tokio::time::sleep(BETWEEN).await;
    }
}

fn tell(planned: &[Tried], would: &str, out: &mut impl Write) -> std::io::Result<()> {
    for tried in planned {
        let name = &tried.change.name;
        match tried.change.step {
            Step::Create => writeln!(out, "{name}: {would}created")?,
            Step::Replace if tried.places.is_empty() => writeln!(out, "{name}: current")?,
            Step::Replace => writeln!(out, "{name}: {would}updated ({})", shown(&tried.places))?,
        }
    }
    let due = planned.iter().filter(|tried| tried.is_due()).count();
    writeln!(out, "definitions of version {CRD_SCHEMA_VERSION}: {due} of {} {would}changed", planned.len())
}

/// The first places of a difference, and how many more there are.
fn shown(places: &[String]) -> String {
    let first = places.iter().take(SHOWN).cloned().collect::<Vec<String>>().join(", ");
    if places.len() > SHOWN { format!("{first} and {} more", places.len() - SHOWN) } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_difference_is_cut_and_counted() {
        let places: Vec<String> = (1..=7).map(|place| format!("p{place}")).collect();
        assert_eq!(shown(&places), "p1, p2, p3, p4, p5 and 2 more");
        assert_eq!(shown(&places[..2]), "p1, p2");
    }

    #[test]
    fn what_is_current_is_said_and_not_counted_as_a_change() {
        let change = |step| Change { name: "a".to_owned(), step, object: Value::Null };
        let planned = [
            Tried { change: change(Step::Create), places: Vec::new() },
            Tried { change: change(Step::Replace), places: Vec::new() },
            Tried { change: change(Step::Replace), places: vec!["spec.x".to_owned()] },
        ];
        let mut out = Vec::new();
        tell(&planned, "would be ", &mut out).unwrap_or_default();
        let expected = format!(
            "a: would be created\na: current\na: would be updated (spec.x)\n\
             definitions of version {CRD_SCHEMA_VERSION}: 2 of 3 would be changed\n"
        );
        assert_eq!(String::from_utf8(out).unwrap_or_default(), expected);
    }
}
