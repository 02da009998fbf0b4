//! The program from its start to its exit code.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::FromArgMatches as _;
use ptah_provider_host::manifest::FILE_NAME;

use crate::arguments::{Arguments, Command, command_line};
use crate::commands::{Context, run};
use crate::environment::{Environment, XDG_CONFIG_HOME, XDG_DATA_HOME};
use crate::failure::{Exit, Failure, INTERRUPTED};
use crate::output::{Output, Page};
use crate::settings::{General, Surroundings, redact};
use crate::signals::Signals;
use crate::{bundled, crash};

/// Does what the arguments of this process ask for.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // A provider is another program in the same file: no output of ours, no handlers, no runtime but its own.
    if let [_, first, engine, ..] = arguments.as_slice()
        && first == ptah_provider_host::bootstrap::BUNDLED_ARGUMENT
    {
        return bundled::serve(&engine.to_string_lossy());
    }
    crash::install_hook();
    let code = catch_unwind(AssertUnwindSafe(|| command(&arguments)));
    ExitCode::from(code.unwrap_or_else(|_| crash::exit().code()))
}

/// One command, to its exit code.
fn command(arguments: &[OsString]) -> u8 {
    let environment = Environment::of_process();
    let matches = match command_line().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => return not_understood(arguments, &environment, &error),
    };
    let parsed = match Arguments::from_arg_matches(&matches) {
        Ok(parsed) => parsed,
        Err(error) => return not_understood(arguments, &environment, &error),
    };
    let around = surroundings(environment);
    let general = General::resolve(&parsed.general, &around.environment);
    let output = Output::of_process(*general.as_ref().unwrap_or(&unresolved(parsed.general.json)));
    let context = Context::new(output, around, Signals::default());
    let ended = general.and_then(|_| in_runtime(&context, &parsed.command));
    finish(&context, ended)
}

/// The runtime. Its second thread takes signals while the first one works or waits for an answer.
fn in_runtime(context: &Context, command: &Command) -> Result<Ended, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|_| Failure::new("internal", "the runtime cannot be started"))?;
    let ended = runtime.block_on(async {
        context
            .signals
            .listen(&context.output)
            .map_err(|_| Failure::new("internal", "signals cannot be listened to"))?;
        tokio::select! {
            ended = run(context, command) => ended.map(Ended::Exit),
            () = context.signals.second() => Ok(Ended::AtOnce),
        }
    });
    // What still runs is not waited for: what has to be ended was ended by the command.
    runtime.shutdown_background();
    ended
}

/// How a command ended.
enum Ended {
    /// By itself.
    Exit(Exit),
    /// A second signal ended it.
    AtOnce,
}

/// Tells a failure, and says the exit code.
fn finish(context: &Context, ended: Result<Ended, Failure>) -> u8 {
    let exit = match ended {
        Ok(Ended::Exit(exit)) => exit,
        Ok(Ended::AtOnce) => return context.signals.exit_code(),
        Err(failure) => {
            context.tell_failure(&failure);
            if failure.code == INTERRUPTED {
                return context.signals.exit_code();
            }
            Exit::Refused
        }
    };
    // An answer that was asked for and could not be written is no success.
    if context.output.lost_an_answer() && exit < Exit::Refused {
        context.output.tell(&Page::of("error: the answer could not be written to stdout"));
        return crash::exit().code();
    }
    exit.code()
}

/// Help and versions are answers; everything else is a wrong call. What was typed may be an address.
fn not_understood(arguments: &[OsString], environment: &Environment, error: &clap::Error) -> u8 {
    let json = arguments.iter().any(|argument| argument == "--json");
    let flags = crate::arguments::GeneralFlags { json, color: None, no_progress: true };
    let general = General::resolve(&flags, environment).unwrap_or(unresolved(json));
    let output = Output::of_process(general);
    let plain = error.render().to_string();
    let shown = redact::text(&plain);
    // Styles are given up where something had to be hidden: they stand between the words.
    let text = if shown == plain { error.render().ansi().to_string() } else { shown.clone() };
    let code = u8::try_from(error.exit_code()).unwrap_or(Exit::Refused.code());
    if error.use_stderr() {
        output.tell_rendered(&text);
        if json {
            let message = shown.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            output.document(&crate::view::failure::document(&Failure::usage(message)));
        }
    } else {
        output.answer_rendered(&text);
    }
    code
}

/// The form of output before it is known what was asked for.
fn unresolved(json: bool) -> General {
    General { json, colour: anstream::ColorChoice::Auto, progress: false }
}

fn surroundings(environment: Environment) -> Surroundings {
    // A link that leads nowhere counts as one: it was put there, and is refused instead of passed over.
    let there = |path: PathBuf| path.symlink_metadata().is_ok().then_some(path);
    let settings = environment.folder(XDG_CONFIG_HOME, ".config");
    let data = environment.folder(XDG_DATA_HOME, ".local/share");
    Surroundings {
        user_manifest: settings.and_then(|folder| there(folder.join("ptah").join(FILE_NAME))),
        installations: data.map(|folder| folder.join("ptah/providers")),
        environment,
        stdin_is_terminal: std::io::stdin().is_terminal(),
        stderr_is_terminal: std::io::stderr().is_terminal(),
        folder: std::env::current_dir().ok().and_then(|folder| folder.into_os_string().into_string().ok()),
        default_manifest: there(PathBuf::from(FILE_NAME)),
    }
}
