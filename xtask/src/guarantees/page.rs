//! Every test that the page names exists.

use super::{Known, PAGE, quoted};
use crate::report::Problem;

/// The rule's name.
const RULE: &str = "page";

/// A name with at least this many words is a sentence, and a sentence is a test.
const WORDS: usize = 4;

/// Looks at every name in backticks that reads as a sentence.
pub(super) fn check(page: &str, known: &Known) -> Vec<Problem> {
    quoted(page)
        .into_iter()
        .filter(|(_, word)| word.split('_').count() >= WORDS && word.chars().all(|l| l.is_lowercase() || l == '_'))
        .filter(|(_, word)| !known.tests.contains(*word) && !known.functions.contains(*word))
        .map(|(line, word)| Problem::at(RULE, PAGE, line, format!("names `{word}`, which the sources do not have")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarantees::known;

    #[test]
    fn a_sentence_that_no_test_has_is_refused_and_other_words_are_not() {
        let known = known(&["a_long_function_name"], &["a_row_is_kept"]);
        let page = "`a_row_is_kept` `a_long_function_name` `two_words` `A_B_C_D`\n`a_row_is_lost`\n";
        let lines: Vec<usize> = check(page, &known).into_iter().map(|found| found.line).collect();
        assert_eq!(lines, [2]);
    }
}
