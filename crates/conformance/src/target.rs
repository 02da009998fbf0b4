//! What is tested, and what the suite is told about it.

use std::path::PathBuf;

/// An executable with what the suite cannot know by itself.
#[derive(Clone)]
pub struct Target {
    /// The executable.
    pub executable: PathBuf,
    /// Which of its engines; absent is the first that it describes.
    pub engine: Option<String>,
    /// The address of a database that the suite may fill and empty. `{n}` becomes a fresh word for each rule, so that
    /// every rule has a database of its own. Absent: whatever needs a database is not applicable. SECRET.
    pub address: Option<String>,
    /// The text of a unit that creates an object; `{name}` becomes a name that was never used.
    pub create: String,
    /// The text of a unit that the engine refuses, whatever is in the database.
    pub fail: String,
    /// The text of a unit that takes some seconds and changes nothing. Absent: what needs one is not applicable.
    pub slow: Option<String>,
    /// A shell command that takes the run lock of the database away from its holder; it reads the address from its
    /// standard input. Absent: what needs one is not applicable.
    pub steal: Option<String>,
    /// Names and values that the executable needs in its environment, as a manifest would give them.
    pub environment: Vec<(String, String)>,
}

impl Target {
    /// An executable of which nothing is known.
    pub fn new(executable: impl Into<PathBuf>) -> Self {
        Self {
            executable: executable.into(),
            engine: None,
            address: None,
            create: "CREATE TABLE {name} (id INTEGER)".to_owned(),
            fail: "this is no statement of any language".to_owned(),
            slow: None,
            steal: None,
            environment: Vec::new(),
        }
    }
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Target")
            .field("executable", &self.executable)
            .field("engine", &self.engine)
            .finish_non_exhaustive()
    }
}
