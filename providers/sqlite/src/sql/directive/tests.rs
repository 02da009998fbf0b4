//! Tests of directives.

use proptest::prelude::*;

use super::*;
use crate::sql::classify::classify;
use crate::sql::split::split;

fn found(text: &str) -> (Vec<Directive>, Vec<DirectiveFault>) {
    let script = split(text).unwrap();
    let classified: Vec<_> = script.statements.iter().map(|s| classify(text, s)).collect();
    read(&script, &classified)
}

fn fault(text: &str) -> DirectiveFaultKind {
    let (directives, mut faults) = found(text);
    assert!(directives.is_empty(), "{text}");
    assert_eq!(faults.len(), 1, "{text}");
    faults.remove(0).kind
}

#[test]
fn a_directive_belongs_to_what_is_directly_below_it() {
    let text = "-- ptah:renamed from=customer\n-- ptah:nolint SL001, SL002\n-- a plain comment\nCREATE TABLE client (\r\n  \
                id INTEGER, -- the key\n  --ptah:renamed from=\"Full \"\"Name\"\n  name TEXT\n    -- ptah:nolint X\n    \
                CHECK (name <> ''),\n  -- ptah:renamed from=[old key]\n  CONSTRAINT k UNIQUE (name)\n);\n\
                -- ptah:nolint DROP\nDROP TABLE x;";
    let (directives, faults) = found(text);
    assert_eq!(faults, []);
    let read: Vec<_> = directives.into_iter().map(|d| (d.kind, d.target, d.position.line)).collect();
    let renamed = |from: &str| DirectiveKind::Renamed { from: from.to_owned() };
    let nolint =
        |codes: &[&str]| DirectiveKind::NoLint { codes: codes.iter().map(|code| (*code).to_owned()).collect() };
    let member = |member| Target::Member { statement: 0, member };
    assert_eq!(
        read,
        [
            (renamed("customer"), Target::Statement(0), 1),
            (nolint(&["SL001", "SL002"]), Target::Statement(0), 2),
            (renamed("Full \"Name"), member(1), 6),
            (nolint(&["X"]), member(2), 8),
            (renamed("old key"), member(3), 10),
            (nolint(&["DROP"]), Target::Statement(1), 13),
        ]
    );
}

#[test]
fn a_directive_that_cannot_be_followed_is_a_fault() {
    use DirectiveFaultKind as Kind;
    let create = "CREATE TABLE t(a)";
    assert_eq!(fault(&format!("-- ptah:renamed from=x\n\n{create}")), Kind::NotDirectlyAbove);
    assert_eq!(fault(&format!("-- ptah:rename from=x\n{create}")), Kind::Unknown { name: "rename".to_owned() });
    assert_eq!(fault(&format!("-- PTAH:Renamed from=x\n{create}")), Kind::Unknown { name: "Renamed".to_owned() });
    assert_eq!(fault(&format!("/* ptah:renamed from=x */\n{create}")), Kind::BlockComment);
    assert_eq!(fault("CREATE TABLE t(a, -- ptah:nolint X\n b)"), Kind::NotAlone);
    assert_eq!(fault("CREATE TABLE t(a,\n-- ptah:nolint X\n)"), Kind::NoTarget);
    assert_eq!(fault("CREATE TABLE t(a);\n-- ptah:nolint X"), Kind::NoTarget);
    assert_eq!(fault("CREATE VIEW v AS\n-- ptah:nolint X\nSELECT 1"), Kind::NoTarget);
    assert_eq!(fault("-- ptah:renamed from=x\nDROP TABLE t"), Kind::WrongTarget { name: "renamed" });
    assert_eq!(fault(&format!("-- ptah:using a + 1\n{create}")), Kind::WrongTarget { name: "using" });
    for arguments in ["", " from=", " from=a b", " from=\"a\" b", " from=\"a", " to=a", " from=a from=b"] {
        let text = format!("-- ptah:renamed{arguments}\n{create}");
        assert!(matches!(fault(&text), Kind::Arguments { name: "renamed", .. }), "{text}");
    }
    assert!(matches!(fault(&format!("-- ptah:nolint\n{create}")), Kind::Arguments { name: "nolint", .. }));
}

#[test]
fn a_string_that_looks_like_a_directive_is_none() {
    assert_eq!(found("SELECT '\n-- ptah:renamed from=x\n'"), (Vec::new(), Vec::new()));
    assert_eq!(found("-- about ptah: it works\nSELECT 1"), (Vec::new(), Vec::new()));
}

proptest! {
    #[test]
    fn any_directive_is_read_or_refused_without_a_panic(body in any::<String>()) {
        let text = format!("-- ptah:{}\nCREATE TABLE t(a)", body.replace(['\n', '\0'], " "));
        if split(&text).is_ok() {
            let (directives, faults) = found(&text);
            prop_assert_eq!(directives.len() + faults.len(), 1);
        }
    }
}
