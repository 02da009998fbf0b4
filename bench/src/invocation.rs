//! One command of somebody's, and what running it takes: wall time, or the memory of all its processes.
//!
//! Time and memory are measured in runs of their own, because watching the memory takes time.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::processes::Watch;

/// How often the memory of a running command is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// The most of an error's text that is shown, in bytes from its end.
const ERROR_TEXT: usize = 600;

/// A command that is run again and again.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    program: PathBuf,
    arguments: Vec<OsString>,
    stdin: Option<PathBuf>,
}

impl Invocation {
    /// A command without arguments.
    pub(crate) fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), arguments: Vec::new(), stdin: None }
    }

    /// With one argument more.
    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// With more arguments.
    pub(crate) fn args<const N: usize>(self, arguments: [&str; N]) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    /// With a file as its standard input, instead of nothing.
    pub(crate) fn stdin(mut self, file: &Path) -> Self {
        self.stdin = Some(file.to_owned());
        self
    }

    /// Runs it and says how long that took, from its start to its end. A failure is an error.
    pub(crate) fn time(&self) -> Result<Duration> {
        let mut errors = tempfile::tempfile()?;
        let begun = Instant::now();
        let mut child = self.spawn(&errors)?;
        let status = child.wait()?;
        let took = begun.elapsed();
        self.accept(status, &mut errors)?;
        Ok(took)
    }

    /// Runs it and says how much memory its processes took at their peaks, added up, in bytes. Pages that two processes
    /// share count twice.
    pub(crate) fn peak_memory(&self) -> Result<u64> {
        let mut errors = tempfile::tempfile()?;
        let mut child = self.spawn(&errors)?;
        let mut watch = Watch::of(child.id());
        let status = loop {
            watch.look();
            if let Some(status) = child.try_wait()? {
                break status;
            }
            std::thread::sleep(LOOK);
        };
        self.accept(status, &mut errors)?;
        Ok(watch.peak())
    }

    /// Runs it and gives what it wrote to stdout.
    pub(crate) fn output(&self) -> Result<String> {
        let output = self.command()?.stderr(Stdio::null()).output().with_context(|| self.cannot_start())?;
        if !output.status.success() {
            bail!("{} ended with {}", self.name(), output.status);
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn spawn(&self, errors: &File) -> Result<Child> {
        let mut command = self.command()?;
        command.stdout(Stdio::null()).stderr(errors.try_clone()?);
        command.spawn().with_context(|| self.cannot_start())
    }

    /// Our own settings are left out of the environment: a figure must not depend on who runs it.
    fn command(&self) -> Result<Command> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        let is_ours = |name: &OsString| name.to_string_lossy().starts_with("PTAH_");
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_ours(name)) {
            command.env_remove(name);
        }
        command.stdin(match &self.stdin {
            Some(file) => File::open(file).with_context(|| format!("cannot open {}", file.display()))?.into(),
            None => Stdio::null(),
        });
        Ok(command)
    }

    fn accept(&self, status: std::process::ExitStatus, errors: &mut File) -> Result<()> {
        if status.success() {
            return Ok(());
        }
        let mut text = Vec::new();
        errors.rewind()?;
        errors.read_to_end(&mut text)?;
        let end = &text[text.len().saturating_sub(ERROR_TEXT)..];
        bail!("{} ended with {status}: {}", self.name(), String::from_utf8_lossy(end).trim());
    }

    fn name(&self) -> String {
        let arguments = self.arguments.iter().map(|a| a.to_string_lossy().into_owned());
        let program = self.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
    }

    fn cannot_start(&self) -> String {
        format!("cannot start {}", self.program.display())
    }
}

/// Measures again and again; fewer times the longer it takes. What is short is warmed up first.
pub(crate) fn repeatedly(mut measure: impl FnMut() -> Result<Duration>) -> Result<Vec<Duration>> {
    let first = measure()?;
    let more = match first.as_millis() {
        0..100 => 21,
        100..1_000 => 9,
        1_000..5_000 => 4,
        5_000..15_000 => 2,
        _ => 0,
    };
    let mut samples = if first.as_millis() < 1_000 { Vec::new() } else { vec![first] };
    for _ in 0..more {
        samples.push(measure()?);
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_is_an_error_with_what_it_said() {
        let error = Invocation::new("sh").args(["-c", "echo no such thing >&2; exit 3"]).time();
        let text = error.expect_err("it fails").to_string();
        assert!(text.contains("no such thing") && text.contains('3'), "{text}");
    }

    #[test]
    fn stdin_and_stdout_are_those_of_the_command() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("in");
        std::fs::write(&file, "hello\n")?;
        assert_eq!(Invocation::new("cat").stdin(&file).output()?, "hello\n");
        assert_eq!(Invocation::new("cat").output()?, "");
        Ok(())
    }

    #[test]
    fn what_is_long_is_measured_less_often_and_what_is_short_is_warmed_up() -> Result<()> {
        let check = |each: u64, calls: usize, kept: usize| -> Result<()> {
            let mut count = 0;
            let samples = repeatedly(|| {
                count += 1;
                Ok(Duration::from_millis(each))
            })?;
            assert_eq!((count, samples.len()), (calls, kept), "{each} ms");
            Ok(())
        };
        check(5, 22, 21)?;
        check(500, 10, 9)?;
        check(2_000, 5, 5)?;
        check(40_000, 1, 1)
    }
}
