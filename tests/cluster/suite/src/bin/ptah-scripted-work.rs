//! `ptah-scripted-work`: stands in for the programs of an operation's Pod. With the word `fetch` it is the process that
//! `ptah-runner fetch` starts, without a word the one that `ptah-runner supervise` starts.
//!
//! | Variable | What it is |
//! |---|---|
//! | `PTAH_SCRIPT` | the file of the script |
//! | `PTAH_OPERATION_FILE`, `PTAH_RESULT_FOLDER`, `PTAH_POD_UID` | given by the supervisor |
//! | `PTAH_STAGE_FILE` | what fetching left; `/ptah/source/stage.json` without |
//! | `PTAH_CONTENT_FOLDER` | the pieces of a plan or of a desired document, as in a real Pod |

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use ptah_cluster_tests::scripted::work::HANGS;
use ptah_cluster_tests::scripted::{Ending, Parcel, Place, Store, fetch, work};
use ptah_records::operator::latest::OperationSpec;
use ptah_records::operator::seal;
use ptah_records::operator::text::Uid;
use rustix::process::{Signal, getpid, kill_process, set_parent_process_death_signal};

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            // The supervisor drops what its process writes; of `fetch` the player keeps it.
            #[expect(clippy::print_stderr, reason = "there is no other log")]
            {
                eprintln!("ptah-scripted-work: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode> {
    // In a Pod the end of its first process ends all of it.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let store = Store::open(&path("PTAH_SCRIPT")?)?;
    let spec: OperationSpec = seal::read(&std::fs::read(path("PTAH_OPERATION_FILE")?)?)?;
    let folder = path("PTAH_RESULT_FOLDER")?;
    if std::env::args().nth(1).as_deref() == Some("fetch") {
        let stage = seal::write(&fetch::fetch(&store, &spec)?)?;
        return renamed(&folder, "stage.json", &stage).map(|()| ExitCode::SUCCESS);
    }
    let stage = path("PTAH_STAGE_FILE").unwrap_or_else(|_| PathBuf::from("/ptah/source/stage.json"));
    let stage = if stage.exists() { Some(seal::read(&std::fs::read(stage)?)?) } else { None };
    let pod = Uid::new(std::env::var("PTAH_POD_UID")?)?;
    let place = Place {
        store: &store,
        spec: &spec,
        pod: &pod,
        stage,
        // Where there is none, nothing is looked for in it.
        content: path("PTAH_CONTENT_FOLDER").unwrap_or_default(),
    };
    match work(&place)? {
        Ending::Reports(parcel) => leave(&folder, &parcel).map(|()| ExitCode::SUCCESS),
        Ending::SaysNothing => Ok(ExitCode::FAILURE),
        Ending::Dies(_session) => {
            kill_process(getpid(), Signal::KILL)?;
            Ok(ExitCode::FAILURE)
        }
        Ending::Hangs(_session) => {
            std::fs::write(folder.join(HANGS), "")?;
            loop {
                std::thread::sleep(Duration::from_hours(1));
            }
        }
    }
}

fn path(variable: &str) -> Result<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).with_context(|| format!("{variable} is not set"))
}

/// The frame last, and whole.
fn leave(folder: &Path, parcel: &Parcel) -> Result<()> {
    std::fs::write(folder.join("plan"), &parcel.plan)?;
    std::fs::write(folder.join("desired"), &parcel.desired)?;
    renamed(folder, "frame.json", &seal::write(&parcel.frame)?)
}

/// Puts a whole file into place.
fn renamed(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let new = folder.join(format!("{name}.new"));
    std::fs::write(&new, bytes)?;
    Ok(std::fs::rename(new, folder.join(name))?)
}
