//! Findings with the piece of the source that each is about.

use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use ptah_model::{Diagnostic, Position, Severity, SourceName};
use ptah_sources::Sources;

use crate::output::{Page, clean, style};

/// How many findings are shown one by one. All of them are in the document.
const SHOWN: usize = 100;
/// How many lines around a place are shown.
const CONTEXT: u32 = 1;
/// The longest line that is shown, in bytes: a whole dump can stand on one.
const LINE_LIMIT: usize = 2_000;

/// The texts that positions lead to.
#[derive(Clone, Debug, Default)]
pub struct Texts<'a>(BTreeMap<&'a SourceName, &'a str>);

impl<'a> Texts<'a> {
    /// The texts of these sources.
    pub fn of(read: impl IntoIterator<Item = &'a Sources>) -> Self {
        Self(
            read.into_iter()
                .flat_map(|read| &read.sources)
                .map(|source| (&source.name, source.text.as_str()))
                .collect(),
        )
    }

    fn get(&self, name: &SourceName) -> Option<&'a str> {
        self.0.get(name).copied()
    }
}

/// The findings in their order, each with its place and what to do.
pub fn page(findings: &[Diagnostic], texts: &Texts<'_>) -> Page {
    let mut page = Page::new();
    for finding in findings.iter().take(SHOWN) {
        page.gap();
        one(&mut page, finding, texts);
    }
    if findings.len() > SHOWN {
        page.gap().line(&format!("and {} more; --json has all of them", findings.len() - SHOWN));
    }
    page
}

fn one(page: &mut Page, finding: &Diagnostic, texts: &Texts<'_>) {
    let shown = finding.position.as_ref().and_then(|p| Some((p, window(texts.get(&p.source)?, p)?)));
    if let Some((position, window)) = shown {
        page.rendered(&snippet(finding, position, &window)).end();
    } else {
        let (word, style) = severity(finding.severity);
        page.paint(style, &format!("{word}[{}]:", finding.code)).text(" ").line(&finding.summary);
        if let Some(position) = &finding.position {
            page.line(&format!("  --> {position}"));
        }
    }
    if let Some(hint) = &finding.hint {
        page.hint(hint);
    }
}

fn severity(severity: Severity) -> (&'static str, anstyle::Style) {
    match severity {
        Severity::Error => ("error", style::BAD),
        Severity::Warning => ("warning", style::WARN),
        Severity::Note => ("note", style::STRONG),
    }
}

fn snippet(finding: &Diagnostic, position: &Position, window: &Window<'_>) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let annotation = AnnotationKind::Primary.span(window.span.clone());
    let source = Snippet::source(window.text).line_start(window.first_line).path(clean(position.source.as_str()));
    let title = level.primary_title(clean(&finding.summary)).id(clean(&finding.code));
    let group = title.element(source.annotation(annotation));
    Renderer::styled().decor_style(DecorStyle::Ascii).render(&[group])
}

/// The lines around a place.
struct Window<'a> {
    text: &'a str,
    first_line: usize,
    span: Range<usize>,
}

/// The place's first line and those around it; `None` when the place does not lie in the text, or its line is too long
/// to be shown.
fn window<'a>(text: &'a str, position: &Position) -> Option<Window<'a>> {
    let at = usize::try_from(position.offset).ok()?;
    let end = at.checked_add(position.length as usize)?;
    if !text.is_char_boundary(at) || !text.is_char_boundary(end) {
        return None;
    }
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |n| n + 1);
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |n| at + n);
    let (mut start, mut stop) = (line_start(at), line_end(at));
    // What is marked ends with its first line: a statement of a hundred lines would hide the rest.
    let span_end = end.min(stop).max(at);
    let mut first_line = position.line as usize;
    for _ in 0..CONTEXT {
        if start > 0 {
            start = line_start(start - 1);
            first_line = first_line.checked_sub(1)?;
        }
        if stop < text.len() {
            stop = line_end(stop + 1);
        }
    }
    let window = &text[start..stop];
    let fits = window.lines().all(|line| line.len() <= LINE_LIMIT);
    (fits && first_line > 0).then_some(Window { text: window, first_line, span: at - start..span_end - start })
}

#[cfg(test)]
mod tests {
    use ptah_model::Code;
    use ptah_sources::Source;

    use super::*;

    const TEXT: &str = "create table a (\n    id integer,\n    nmae txet\n);\n";

    fn sources(text: &str) -> Sources {
        let source = Source { name: SourceName::new("schema.sql"), text: text.to_owned() };
        Sources { sources: vec![source], notes: Vec::new() }
    }

    fn at(text: &str, piece: &str) -> Position {
        let offset = text.find(piece).unwrap();
        let before = &text[..offset];
        Position {
            source: SourceName::new("schema.sql"),
            offset: offset as u64,
            length: u32::try_from(piece.len()).unwrap(),
            line: u32::try_from(before.matches('\n').count() + 1).unwrap(),
            column: u32::try_from(offset - before.rfind('\n').map_or(0, |n| n + 1) + 1).unwrap(),
        }
    }

    #[test]
    fn a_finding_shows_file_line_column_the_piece_and_what_to_do() {
        let sources = sources(TEXT);
        let findings = [
            Diagnostic::error(Code("source.type"), "the type `txet` is not known")
                .at(at(TEXT, "txet"))
                .hint("write text"),
            Diagnostic::warning(Code("source.ignored"), "notes.txt was not read"),
        ];
        insta::assert_snapshot!(page(&findings, &Texts::of([&sources])).plain());
    }

    #[test]
    fn a_place_that_is_not_in_the_text_is_told_without_a_piece() {
        let sources = sources("é");
        for (offset, length) in [(1, 0), (0, 1), (9, 1)] {
            let position = Position { offset, length, ..at("é", "é") };
            let finding = Diagnostic::error(Code("c"), "wrong").at(position);
            assert_eq!(page(&[finding], &Texts::of([&sources])).plain(), "error[c]: wrong\n  --> schema.sql:1:1\n");
        }
    }

    #[test]
    fn a_finding_cannot_write_to_the_terminal() {
        let text = "create \u{1b}[2Jtable x\n";
        let sources = sources(text);
        let finding = Diagnostic::error(Code("c"), "a\u{1b}[2Jb\nc").at(at(text, "table"));
        let page = page(&[finding], &Texts::of([&sources]));
        assert!(!page.plain().contains('\u{1b}') && !page.as_str().contains("\u{1b}[2J"), "{:?}", page.as_str());
    }

    #[test]
    fn a_thousand_findings_end_with_how_many_there_are() {
        let findings = vec![Diagnostic::note(Code("c"), "n"); 1_000];
        assert!(page(&findings, &Texts::default()).plain().ends_with("and 900 more; --json has all of them\n"));
    }
}
