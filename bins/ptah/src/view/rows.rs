//! Keys of rows that stand against a change. Values of users: shown to the person who asked for them, and nowhere else.
//! There is no document of them.

use ptah_drive::prepare::OffendingRows;

use super::counted;
use crate::output::{Page, style};

/// For people who asked.
pub fn page(rows: &[OffendingRows]) -> Page {
    let mut page = Page::new();
    for offending in rows {
        page.gap();
        let count = usize::try_from(offending.count).unwrap_or(usize::MAX);
        page.line(&format!("{} ({})", offending.sentence, counted(count, "row")));
        page.block(style::FAINT, 2, &offending.columns.join(" | "));
        for key in &offending.keys {
            let values: Vec<&str> = key.iter().map(|value| value.as_deref().unwrap_or("NULL")).collect();
            // One row stays one line, whatever is in it.
            page.text("  ").line(&values.join(" | "));
        }
        let more = count.saturating_sub(offending.keys.len());
        if more > 0 {
            page.line(&format!("  and {more} more"));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_shown_one_row_a_line_with_how_many_there_are() {
        let rows = OffendingRows {
            sentence: "rows have no email".to_owned(),
            count: 3,
            columns: vec!["id".to_owned(), "name".to_owned()],
            keys: vec![vec![Some("1".to_owned()), None], vec![Some("2".to_owned()), Some("a\nb".to_owned())]],
        };
        assert_eq!(
            page(&[rows]).plain(),
            "rows have no email (3 rows)\n  id | name\n  1 | NULL\n  2 | a\\nb\n  and 1 more\n"
        );
    }
}
