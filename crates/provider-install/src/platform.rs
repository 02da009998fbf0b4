//! Platforms: an operating system and a processor, in Rust's words.

use std::fmt;

/// The word for a build that does not care, such as a script.
const ANY: &str = "any";

/// The longest word.
const WORD_LIMIT: usize = 32;

/// An operating system and a processor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Platform {
    os: String,
    arch: String,
}

impl Platform {
    /// The platform of this program.
    pub fn here() -> Self {
        Self { os: std::env::consts::OS.to_owned(), arch: std::env::consts::ARCH.to_owned() }
    }

    /// A platform from its two words; nothing when one is no word.
    pub fn new(os: &str, arch: &str) -> Option<Self> {
        let is_word = |text: &str| {
            let clean = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
            !text.is_empty() && text.len() <= WORD_LIMIT && text.bytes().all(clean)
        };
        (is_word(os) && is_word(arch)).then(|| Self { os: os.to_owned(), arch: arch.to_owned() })
    }

    /// The operating system.
    pub fn os(&self) -> &str {
        &self.os
    }

    /// The processor.
    pub fn arch(&self) -> &str {
        &self.arch
    }

    /// Whether a build for this platform runs on `machine`.
    pub fn runs_on(&self, machine: &Self) -> bool {
        let fits = |build: &str, machine: &str| build == ANY || build == machine;
        fits(&self.os, &machine.os) && fits(&self.arch, &machine.arch)
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.os, self.arch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_runs_on_its_platform_and_any_runs_everywhere() {
        let of = |os, arch| Platform::new(os, arch).unwrap();
        let machine = of("linux", "x86_64");
        assert!(of("linux", "x86_64").runs_on(&machine));
        assert!(of("linux", "any").runs_on(&machine) && of("any", "any").runs_on(&machine));
        assert!(!of("linux", "aarch64").runs_on(&machine) && !of("macos", "x86_64").runs_on(&machine));
        // The machine's own word is never a joker.
        assert!(!of("linux", "x86_64").runs_on(&of("any", "any")));
    }

    #[test]
    fn what_is_no_word_is_no_platform() {
        for (os, arch) in [("", "x86_64"), ("Linux", "x86_64"), ("linux", "x86/64"), ("linux", "\u{1b}[2J")] {
            assert_eq!(Platform::new(os, arch), None, "{os:?} {arch:?}");
        }
    }
}
