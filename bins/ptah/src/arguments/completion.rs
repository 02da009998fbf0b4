//! The shells that a completion script can be written for.

use clap::ValueEnum;

/// A shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// Bash
    Bash,
    /// Elvish
    Elvish,
    /// Fish
    Fish,
    /// `PowerShell`
    Powershell,
    /// Zsh
    Zsh,
}
