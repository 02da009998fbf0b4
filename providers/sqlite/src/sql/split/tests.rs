//! Tests of the splitter.

use proptest::prelude::*;

use super::*;

fn texts(script: &str) -> Vec<&str> {
    let read = split(script).unwrap();
    read.statements.iter().map(|s| s.text(script)).collect()
}

#[test]
fn plain_statements_are_cut_at_their_semicolons() {
    assert_eq!(
        texts("SELECT 1;\n;; -- no ; here\nSELECT ';' /* ; */ ; SELECT \";\", [;], `;`"),
        ["SELECT 1", "SELECT ';'", "SELECT \";\", [;], `;`"]
    );
}

#[test]
fn a_last_statement_needs_no_semicolon_and_empty_ones_are_none() {
    assert_eq!(texts("SELECT 1"), ["SELECT 1"]);
    assert!(texts(" ;; /* a */ -- b").is_empty());
    assert!(texts("").is_empty());
}

#[test]
fn a_trigger_stays_whole() {
    for trigger in [
        "CREATE TRIGGER a AFTER INSERT ON t BEGIN SELECT 1; SELECT 2; END",
        "CREATE TRIGGER a AFTER INSERT ON t BEGIN SELECT CASE x WHEN 1 THEN 2 END; END",
        "CREATE TRIGGER a AFTER INSERT ON t BEGIN SELECT CASE x WHEN 1 THEN 2 END /* ; END */; -- ;\n END",
        "create temp trigger a after insert on t begin update pending set \"end\" = `end`, [end] = weekend; end",
        "CREATE TEMPORARY TRIGGER IF NOT EXISTS main.a INSTEAD OF DELETE ON v BEGIN DELETE FROM t; ; END",
        "CREATE TRIGGER begin AFTER UPDATE OF begin ON t WHEN begin > 1 BEGIN SELECT new.end; END",
        "EXPLAIN CREATE TRIGGER a AFTER INSERT ON t BEGIN SELECT 1; END",
        "EXPLAIN QUERY PLAN CREATE TRIGGER a AFTER INSERT ON t BEGIN SELECT 1; END",
    ] {
        assert_eq!(texts(&format!("SELECT 0; {trigger}; SELECT 3")), ["SELECT 0", trigger, "SELECT 3"]);
        assert_eq!(texts(trigger), [trigger]);
    }
}

#[test]
fn a_transaction_is_not_taken_for_a_trigger_body() {
    assert_eq!(
        texts("BEGIN; CREATE TABLE trigger_log(a); END; SELECT 1"),
        ["BEGIN", "CREATE TABLE trigger_log(a)", "END", "SELECT 1"]
    );
    assert_eq!(texts("CREATE TRIGGER broken; SELECT 1"), ["CREATE TRIGGER broken", "SELECT 1"]);
}

#[test]
fn a_shell_command_is_named_with_its_place() {
    let error = split("SELECT 1;\n.mode \"box\nSELECT 2;").unwrap_err();
    assert_eq!(error.kind, TextErrorKind::ShellCommand { command: ".mode".to_owned() });
    assert_eq!(error.to_string(), "`.mode` is a command of the sqlite3 shell, not SQL at line 2, column 1");
}

#[test]
fn positions_count_lines_and_bytes() {
    let read = split("\u{feff}SELECT 1;\r\n  SELECT 'é'; SELECT 2").unwrap();
    let places: Vec<_> = read.statements.iter().map(|s| (s.position.line, s.position.column)).collect();
    assert_eq!(places, [(1, 1), (2, 3), (2, 16)]);
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "SELECT", "CREATE ", "TRIGGER ", "TEMP ", "BEGIN ", "END ", "CASE ", "'a;b'", "\"x;\"", "[;]", "-- c ;\n",
        "/* ; */", ";", " ", "\n", "\r\n", "\u{feff}", "x", "1.5", "(", ")", ",", "é",
    ])
}

proptest! {
    #[test]
    fn statements_and_what_lies_between_make_up_the_text(pieces in prop::collection::vec(piece(), 0..40)) {
        let text = pieces.concat();
        if let Ok(script) = split(&text) {
            let mut rebuilt = String::new();
            let mut at = 0;
            for statement in &script.statements {
                let between = split(&text[at..statement.span.start]).unwrap();
                prop_assert!(between.statements.is_empty());
                rebuilt.push_str(&text[at..statement.with_end.end]);
                at = statement.with_end.end;
            }
            prop_assert!(split(&text[at..]).unwrap().statements.is_empty());
            rebuilt.push_str(&text[at..]);
            prop_assert_eq!(rebuilt, text);
        }
    }

    #[test]
    fn any_text_is_split_or_refused_without_a_panic(text in any::<String>()) {
        let _ = split(&text);
    }
}
