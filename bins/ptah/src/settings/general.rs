//! What holds for every command: the form of the output.

use anstream::ColorChoice;

use crate::arguments::{Colour, GeneralFlags};
use crate::environment::{COLOR, Environment, NO_COLOR, NO_PROGRESS};
use crate::failure::Failure;

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct General {
    /// Whether one JSON document is written to stdout.
    pub json: bool,
    /// When colour is used.
    pub colour: ColorChoice,
    /// Whether progress may be shown, where stderr is a terminal.
    pub progress: bool,
}

impl General {
    /// From flags and variables. `NO_COLOR` counts where neither `--color` nor its variable says anything.
    pub fn resolve(flags: &GeneralFlags, environment: &Environment) -> Result<Self, Failure> {
        let no_colour = environment.raw(NO_COLOR).is_some_and(|value| !value.is_empty());
        let colour = match super::word(flags.color, environment, COLOR)? {
            Some(Colour::Always) => ColorChoice::Always,
            Some(Colour::Never) => ColorChoice::Never,
            Some(Colour::Auto) | None if no_colour => ColorChoice::Never,
            Some(Colour::Auto) | None => ColorChoice::Auto,
        };
        let quiet = flags.no_progress || environment.switch(NO_PROGRESS)?;
        Ok(Self { json: flags.json, colour, progress: !quiet && !flags.json })
    }
}
