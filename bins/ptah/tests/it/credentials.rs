//! A password in an address goes into `Open` and nowhere else: not into what a command says, writes or starts.
//!
//! The provider is the test peer of `ptah-provider-host`. It fails in the way that it is told, and writes down what it
//! was given, what it was asked, and what anybody on the machine can see of its host and of every child of its host.

use std::path::{Path, PathBuf};
use std::process::Command;

use ptah_model::Digest;

use crate::support::{Ran, Scratch};

const SECRET: &str = "hunter2";
const URL: &str = "zorp://user:hunter2@host/db?token=hunter2";

/// What the provider may find in its environment: the bootstrap's variables, and the two of the manifest.
const VARIABLES: [&str; 10] = [
    "EVIDENCE",
    "MODE",
    "PLUGIN_CLIENT_CERT",
    "PLUGIN_MAX_PORT",
    "PLUGIN_MIN_PORT",
    "PLUGIN_PROTOCOL_VERSIONS",
    "PLUGIN_UNIX_SOCKET_DIR",
    "PTAH_PROVIDER_COOKIE",
    "PTAH_PROVIDER_PARENT_PID",
    "TMPDIR",
];

/// Every way in which a command comes to know the address.
#[derive(Clone, Copy, Debug)]
enum Way {
    Variable,
    File,
    Typed,
}

/// The test peer. A test of the whole workspace has built it beside the program; a test of this package alone has not.
fn stub() -> PathBuf {
    let stub = Path::new(env!("CARGO_BIN_EXE_ptah")).with_file_name("provider-host-stub");
    if !stub.exists() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let build = ["build", "--locked", "--package", "ptah-provider-host", "--bin", "provider-host-stub"];
        assert!(Command::new(cargo).args(build).status().unwrap().success());
    }
    stub
}

/// A folder with sources, an address file and a manifest; the evidence is outside of it.
struct Stage {
    scratch: Scratch,
    evidence: tempfile::TempDir,
    stub: PathBuf,
    digest: String,
}

impl Stage {
    fn new() -> Self {
        let scratch = Scratch::new();
        scratch.write("schema.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY);");
        scratch.write("url", URL);
        let stub = stub();
        let digest = Digest::of(&std::fs::read(&stub).unwrap()).to_string().replace("sha256:", "");
        Self { scratch, evidence: tempfile::tempdir().unwrap(), stub, digest }
    }

    /// Runs a command against a provider that behaves in these modes, and gives what it said and what was seen.
    fn run(&self, arguments: &[&str], modes: &str, way: Way) -> (Ran, Vec<String>) {
        let evidence = self.evidence.path().join("evidence");
        let _ = std::fs::remove_file(&evidence);
        let manifest = format!(
            "providers:\n  - id: example.org/zorp\n    executable: {}\n    sha256: \"{}\"\n    engines:\n      \
             - name: zorp\n        aliases: [zo]\n    environment:\n      - 'MODE={modes}'\n      - 'EVIDENCE={}'\n",
            self.stub.display(),
            self.digest,
            evidence.display(),
        );
        self.scratch.write("ptah-providers.yaml", &manifest);
        let mut command = self.scratch.command(arguments);
        match way {
            Way::Variable => command.env("PTAH_DB_URL", URL),
            Way::File => command.args(["--db-url-file", "url"]),
            Way::Typed => command.args(["--db-url", URL]),
        };
        let ran = Ran::of(command.output().unwrap());
        let seen = std::fs::read_to_string(&evidence).unwrap_or_default();
        (ran, seen.lines().map(str::to_owned).collect())
    }

    /// Nothing was written but what was there and what is named, and none of it holds the password, except the address
    /// file.
    fn check_files(&self, written: &[&str]) {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(self.scratch.path("")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let bytes = std::fs::read(&path).unwrap();
            assert!(name == "url" || !String::from_utf8_lossy(&bytes).contains(SECRET), "{name}");
            names.push(name);
        }
        names.sort();
        let mut wanted = [&["ptah-providers.yaml", "schema.sql", "url"], written].concat();
        wanted.sort_unstable();
        assert_eq!(names, wanted);
    }
}

/// What was seen of the children, and that a core dump of neither side can hold anything.
fn check_processes(what: &str, seen: &[String]) {
    // Once for each session that was opened.
    let lines = |start: &str| -> Vec<&str> {
        let mut found: Vec<_> = seen.iter().filter_map(|line| line.strip_prefix(start)).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    assert_eq!(lines("child: ").len(), 1, "{what}: the provider is the only child\n{seen:#?}");
    assert_eq!(lines("child core limit: "), ["0 0"], "{what}");
    assert_eq!(lines("host core limit: "), ["0 0"], "{what}");
    assert_eq!(lines("child cmdline: ").len(), 1, "{what}: no arguments but its name");
    for line in lines("child environ: ") {
        let name = line.split('=').next().unwrap();
        assert!(VARIABLES.contains(&name), "{what}: {name}");
    }
}

/// Each command, the modes in which its provider fails it, and whether the address is opened before it does.
const CASES: [(&[&str], &[&str]); 9] = [
    (&["schema", "inspect"], &["secret-Open", "exit-Inspect", "cut-inspect", "session-without-rules"]),
    (
        &["schema", "compare", "--schema-file", "schema.sql"],
        &["secret-ProvisionDev", "abort-AnalyzeSql", "cut-Inspect"],
    ),
    (&["schema", "drift", "--schema-file", "schema.sql"], &["secret-AnalyzeSql", "other-session", "exit-ReadClaims"]),
    (
        &["schema", "plan", "--schema-file", "schema.sql", "--output", "p.plan.json"],
        &["secret-Inspect", "abort-Open", "session-with-more"],
    ),
    (
        &["schema", "apply", "--schema-file", "schema.sql", "--auto-approve"],
        &[
            "secret-TryLock",
            "busy,malformed-diagnostic",
            "key-scope",
            "exit-TryLock",
            "secret-ReadClaims",
            "diagnostic",
        ],
    ),
    (&["schema", "apply", "--schema-file", "schema.sql", "--dry-run"], &["secret-Inspect", "exit-ReadClaims"]),
    (&["db", "read"], &["reason", "secret-Render", "abort-Inspect"]),
    (&["db", "capabilities"], &["secret-Open", "exit-Open"]),
    (&["db", "forget", "--auto-approve"], &["secret-Forget", "exit-Forget", "busy,malformed-diagnostic"]),
];

#[test]
fn credentials_never_leave_open() {
    let stage = Stage::new();
    let mut commands = 0;
    for (arguments, modes) in CASES {
        for mode in modes {
            for (json, way) in [(false, Way::Variable), (true, Way::File), (false, Way::Typed)] {
                let mut arguments = arguments.to_vec();
                arguments.extend(json.then_some("--json"));
                if arguments.contains(&"apply") || arguments.contains(&"forget") {
                    arguments.extend(["--run-lock-timeout", "0"]);
                }
                let what = format!("{} ({mode}, {way:?})", arguments.join(" "));
                let (ran, seen) = stage.run(&arguments, mode, way);
                assert_ne!(ran.code, Some(0), "{what}: {}", ran.told());
                assert!(!ran.told().contains(SECRET), "{what}: {}", ran.told());
                let (opened, others): (Vec<_>, Vec<_>) = seen.iter().partition(|line| line.starts_with("call Open: "));
                assert!(opened.iter().any(|line| line.contains(SECRET)), "{what}: {}\n{seen:#?}", ran.told());
                let leak = others.iter().find(|line| line.contains(SECRET));
                assert_eq!(leak, None, "{what}");
                check_processes(&what, &seen);
                commands += 1;
            }
        }
    }
    assert!(commands >= 30, "{commands}");
    stage.check_files(&[]);
}

#[test]
fn a_plan_and_everything_that_is_made_of_it_are_free_of_the_address() {
    let stage = Stage::new();
    let plan = ["schema", "plan", "--schema-file", "schema.sql", "--explain"];
    let saved = [&plan[..], &["--output", "p.plan.json", "--json"]].concat();
    let apply = ["schema", "apply", "--plan", "p.plan.json", "--auto-approve", "--json", "--dialect", "zorp"];
    // The provider answers an outcome as if it were an intent, so that the apply begins and cannot be believed.
    let cases: [(&[&str], i32); 4] = [(&plan, 0), (&[&plan[..], &["--dry-run"]].concat(), 0), (&saved, 0), (&apply, 3)];
    for way in [Way::Variable, Way::File, Way::Typed] {
        let _ = std::fs::remove_file(stage.scratch.path("p.plan.json"));
        for (arguments, code) in &cases {
            let what = format!("{} ({way:?})", arguments.join(" "));
            let (ran, seen) = stage.run(arguments, "plans", way);
            assert_eq!(ran.code, Some(*code), "{what}: {}\n{seen:#?}", ran.told());
            assert!(!ran.told().contains(SECRET), "{what}: {}", ran.told());
            let leak = seen.iter().find(|line| line.contains(SECRET) && !line.starts_with("call Open: "));
            assert_eq!(leak, None, "{what}");
            check_processes(&what, &seen);
        }
        stage.check_files(&["p.plan.json"]);
    }
}
