//! The page that leads from a scaffold to an applied schema, walked as it stands.
//!
//! Beside sessions (` ```console scaffold `) and files there are changes of files: in a block ` ```diff apply=PATH ` the lines
//! that stay and go have to be in the file once, and make room for those that stay and come.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Step, matches, root, steps};

const PAGE: &str = "docs/providers/from-nothing.md";

/// The programs that the page calls. `make unit` builds them before; where they are not there at all they are built here.
const PROGRAMS: [(&str, &str); 2] = [("xtask", "xtask"), ("ptah-conformance", "ptah-provider-conformance")];

fn programs() -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_ptah")).parent().unwrap().to_owned();
    for (package, program) in PROGRAMS {
        if !folder.join(program).exists() {
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let build = ["build", "--locked", "--package", package, "--bin", program];
            assert!(Command::new(cargo).args(build).status().unwrap().success());
        }
    }
    folder
}

/// What the walk happens in.
struct Walk {
    folder: tempfile::TempDir,
    programs: PathBuf,
}

impl Walk {
    /// Builds share the packages of this workspace, which are built already.
    fn share_target(&self) {
        let own = self.folder.path().join("ptah-provider-notes");
        if own.exists() && !own.join("target").exists() {
            symlink(self.programs.parent().unwrap(), own.join("target")).unwrap();
        }
    }

    fn run(&self, step: &Step) -> (Option<i32>, String) {
        let path = format!("{}:{}", self.programs.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("sh");
        command.args(["-c", &step.command]).current_dir(self.folder.path()).env_clear();
        command.env("PATH", path).env("HOME", self.folder.path()).env("NO_COLOR", "1").env("CARGO_NET_OFFLINE", "true");
        let home = PathBuf::from(std::env::var_os("HOME").unwrap());
        for (name, usual) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            command.env(name, std::env::var_os(name).unwrap_or_else(|| home.join(usual).into_os_string()));
        }
        for name in ["RUSTFLAGS", "CARGO_INCREMENTAL", "RUSTUP_TOOLCHAIN"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.code(), text)
    }

    #[track_caller]
    fn session(&self, body: &[(usize, &str)]) {
        for step in steps(body) {
            let (code, text) = self.run(&step);
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            let is_so = code == Some(step.code) && matches(&step.output, &lines);
            assert!(is_so, "{PAGE}:{}: $ {}\n{code:?}\n{text}", step.line, step.command);
            self.share_target();
        }
    }

    #[track_caller]
    fn change(&self, path: &str, body: &[(usize, &str)]) {
        let side = |marks: [char; 2]| -> String {
            let lines = body.iter().filter(|(_, line)| line.starts_with(marks));
            lines.fold(String::new(), |text, (_, line)| text + line.get(1..).unwrap_or_default() + "\n")
        };
        let (before, after) = (side([' ', '-']), side([' ', '+']));
        let path = self.folder.path().join(path);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            text.matches(&before).count(),
            1,
            "{}: what the page changes is there once\n{before}",
            path.display()
        );
        std::fs::write(path, text.replace(&before, &after)).unwrap();
    }
}

#[test]
fn the_way_from_a_scaffold_to_an_applied_schema_is_as_the_page_says() {
    let walk = Walk { folder: tempfile::tempdir().unwrap(), programs: programs() };
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap();
    let mut lines = page.lines().enumerate();
    let mut walked = 0;
    while let Some((_, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let body: Vec<(usize, &str)> = lines.by_ref().take_while(|(_, line)| *line != "```").collect();
        if info == "console scaffold" {
            walk.session(&body);
            walked += 1;
        } else if let Some((_, path)) = info.split_once("apply=") {
            walk.change(path, &body);
        } else if let Some((_, name)) = info.split_once("file=") {
            let text = body.iter().fold(String::new(), |text, (_, line)| text + line + "\n");
            std::fs::write(walk.folder.path().join(name), text).unwrap();
        }
    }
    assert!(walked >= 5, "only {walked} sessions were found");
}
