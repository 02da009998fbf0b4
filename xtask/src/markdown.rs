//! Just enough reading of Markdown for the rules: headings, links and tables, code left out.
//!
//! It follows what the forge shows: code in fences and in backticks holds no link and no heading.

/// A heading with its line, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// Line in the file.
    pub(crate) line: usize,
    /// 1 for `#`, 2 for `##`, and so on.
    pub(crate) level: usize,
    /// The words, as written.
    pub(crate) text: String,
}

/// The lines outside of code fences, each with its number from 1.
pub(crate) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let marks = line.trim_start().starts_with("```");
        if marks {
            fence = !fence;
        }
        (!fence && !marks).then_some((at + 1, line))
    })
}

/// The headings, in order.
pub(crate) fn headings(text: &str) -> Vec<Heading> {
    prose(text)
        .filter_map(|(line, words)| {
            let rest = words.trim_start_matches('#');
            let level = words.len() - rest.len();
            (level > 0 && rest.starts_with(' ')).then(|| Heading { line, level, text: rest.trim().to_owned() })
        })
        .collect()
}

/// The anchor of a heading, as the forge makes it: lower case, blanks to dashes, punctuation gone.
pub(crate) fn anchor(heading: &str) -> String {
    heading
        .chars()
        .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .flat_map(char::to_lowercase)
        .collect()
}

/// The targets of links and pictures, each with its line.
pub(crate) fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (line, words) in prose(text) {
        let words = without_code(words);
        let mut rest = words.as_str();
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            let target = rest.split([')', ' ']).next().unwrap_or_default();
            found.push((line, target.trim_matches(['<', '>']).to_owned()));
        }
        if let Some((name, target)) = words.split_once("]: ")
            && name.starts_with('[')
            && !name.contains(' ')
        {
            found.push((line, target.trim().to_owned()));
        }
    }
    found
}

/// A line without what stands between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// The rows of the first table under a heading of this text, head and rule left out; `None` without one.
pub(crate) fn table_under(text: &str, heading: &str) -> Option<Vec<(usize, Vec<String>)>> {
    let start = headings(text).into_iter().find(|found| found.text == heading)?.line;
    let rows: Vec<(usize, Vec<String>)> = prose(text)
        .skip_while(|(line, _)| *line <= start)
        .skip_while(|(_, words)| !words.starts_with('|'))
        .take_while(|(_, words)| words.starts_with('|'))
        .map(|(line, words)| {
            let inner = words.trim().trim_matches('|');
            let cells = inner.split('|').map(|cell| cell.trim().to_owned());
            (line, cells.collect())
        })
        .collect();
    (rows.len() > 2).then(|| rows.into_iter().skip(2).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_holds_no_link_and_no_heading() {
        let text = "# A b\n```\n# no\n[x](no.md)\n```\n`[y](no.md)` [z](yes.md#a) ![p](pic.svg)\n[r]: ref.md\n";
        assert_eq!(headings(text).len(), 1);
        let targets: Vec<String> = links(text).into_iter().map(|(_, to)| to).collect();
        assert_eq!(targets, ["yes.md#a", "pic.svg", "ref.md"]);
    }

    #[test]
    fn anchors_are_made_as_the_forge_makes_them() {
        assert_eq!(anchor("Crates and edges"), "crates-and-edges");
        assert_eq!(anchor("What `plan` does, and why"), "what-plan-does-and-why");
    }

    #[test]
    fn the_rows_of_a_table_are_read_without_its_head() {
        let text = "## T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n| other | table |\n";
        assert_eq!(table_under(text, "T"), Some(vec![(5, vec!["1".to_owned(), "2".to_owned()])]));
        assert_eq!(table_under(text, "U"), None);
    }
}
