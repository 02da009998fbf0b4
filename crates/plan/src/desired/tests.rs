//! Several sources, one desired state.

use ptah_model::{Digest, Kind, ObjectId, Position, SourceName};
use ptah_provider_api::sql::{Definition, Directive, SourceAnalysis, Statement, StatementRole};

use super::*;
use crate::tests::build::{column, index, name, object, rules, table};

fn place(source: &str, line: u32) -> Position {
    Position { source: SourceName::new(source), offset: u64::from(line) * 100, length: 10, line, column: 1 }
}

/// A source of statements, one a line.
struct Source {
    name: &'static str,
    analysis: SourceAnalysis,
    line: u32,
}

fn source(name: &'static str) -> Source {
    Source { name, analysis: SourceAnalysis::default(), line: 0 }
}

impl Source {
    fn statement(mut self, text: &str, role: StatementRole, needs: &[ObjectId]) -> Self {
        self.line += 1;
        self.analysis.statements.push(Statement {
            position: place(self.name, self.line),
            text: text.to_owned(),
            role,
            needs: needs.to_vec(),
        });
        self
    }

    fn define(mut self, object: &ObjectId, says: &str, needs: &[ObjectId]) -> Self {
        self.analysis.definitions.push(Definition {
            object: object.clone(),
            member: None,
            position: place(self.name, self.line + 1),
        });
        let role = StatementRole::Define { object: object.clone(), definition: Digest::of(says.as_bytes()) };
        self.statement(&format!("{object} {says}"), role, needs)
    }

    fn extend(self, object: &ObjectId, says: &str) -> Self {
        let role = StatementRole::Extend { object: object.clone() };
        self.statement(&format!("{object} also {says}"), role, &[])
    }

    fn drop_if_exists(self, object: &ObjectId) -> Self {
        let role = StatementRole::DropIfExists { object: object.clone() };
        self.statement(&format!("drop {object}"), role, &[])
    }

    fn directive(mut self, name: &str, arguments: &[(&str, &str)], object: &ObjectId, member: Option<&str>) -> Self {
        self.analysis.directives.push(Directive {
            name: name.to_owned(),
            arguments: arguments.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            position: place(self.name, self.line + 1),
            object: object.clone(),
            member: member.map(column),
        });
        self
    }
}

fn assembled(sources: Vec<Source>) -> Result<Desired, Vec<Diagnostic>> {
    let sources = sources.into_iter().map(|s| (SourceName::new(s.name), s.analysis));
    assemble(sources.collect(), &rules())
}

/// The statements that run and the notes, or the findings, one a line.
fn check(sources: Vec<Source>, expected: &str) {
    let told = match assembled(sources) {
        Ok(desired) => {
            let run = desired.statements.iter().map(|s| s.text.clone());
            run.chain(desired.notes.iter().map(|d| format!("{}: {d}", d.code))).collect::<Vec<_>>()
        }
        Err(findings) => findings.iter().map(|d| format!("{:?} {}: {d}", d.severity, d.code)).collect(),
    };
    assert_eq!(told.join("\n"), expected);
}

#[test]
fn what_is_needed_runs_first_and_nothing_else_moves() {
    let view = object(Kind::view(), None, "v");
    check(
        vec![
            source("a.sql").define(&view, "reads b", &[table("b")]).define(&table("z"), "", &[]),
            source("b.sql")
                .define(&index("i", "b"), "", &[])
                .define(&table("b"), "refers to c", &[table("c"), table("nowhere")])
                .define(&table("c"), "", &[]),
        ],
        "table z \ntable c \ntable b refers to c\nview v reads b\nindex i on b ",
    );
}

#[test]
fn a_need_is_met_by_name_where_the_kind_is_not_known() {
    let view = object(Kind::view(), None, "b");
    check(
        vec![source("a.sql").define(&object(Kind::view(), None, "a"), "reads b", &[table("b")]).define(&view, "", &[])],
        "view b \nview a reads b",
    );
}

#[test]
fn statements_that_need_each_other_keep_their_order() {
    check(
        vec![
            source("a.sql")
                .define(&table("a"), "refers to b", &[table("b")])
                .define(&table("b"), "refers to a", &[table("a")])
                .define(&table("c"), "refers to itself", &[table("c")]),
        ],
        "table c refers to itself\ntable a refers to b\ntable b refers to a",
    );
}

#[test]
fn the_same_definition_twice_is_a_note_and_another_one_is_an_error_that_names_both_places() {
    check(
        vec![
            source("a.sql").define(&table("t"), "x", &[]).extend(&table("t"), "y"),
            source("b.sql").define(&table("t"), "x", &[]).extend(&table("t"), "y"),
        ],
        "table t x\ntable t also y\n\
         source.same-twice: b.sql:1:1: this says about table t what a.sql:1:1 says\n\
         source.same-twice: b.sql:2:1: this says about table t what a.sql:2:1 says",
    );
    check(
        vec![
            source("a.sql").define(&table("t"), "x", &[]),
            source("b.sql").define(&table("t"), "y", &[]).define(&table("t"), "z", &[]),
        ],
        "Error source.defined-twice: b.sql:1:1: table t is defined here and, in another way, at a.sql:1:1\n\
         Error source.defined-twice: b.sql:2:1: table t is defined here and, in another way, at a.sql:1:1",
    );
}

#[test]
fn a_drop_before_its_definition_is_not_run_and_any_other_is_refused() {
    check(
        vec![source("a.sql").drop_if_exists(&table("t")).define(&table("t"), "", &[])],
        "table t \nsource.drop: a.sql:1:1: the drop of table t stands before its definition and is not run",
    );
    check(
        vec![source("a.sql").define(&table("t"), "", &[]).drop_if_exists(&table("t")).drop_if_exists(&table("u"))],
        "Error source.drop: a.sql:2:1: the drop of table t is followed by no definition of it\n\
         Error source.drop: a.sql:3:1: the drop of table u is followed by no definition of it",
    );
}

#[test]
fn what_is_added_to_runs_after_its_definition_wherever_that_is() {
    check(
        vec![source("a.sql").extend(&table("t"), "y"), source("b.sql").define(&table("t"), "x", &[])],
        "table t x\ntable t also y",
    );
    check(
        vec![source("a.sql").extend(&table("t"), "y").extend(&table("t"), "z")],
        "Error source.extends-nothing: a.sql:1:1: table t is added to, and no source defines it",
    );
}

#[test]
fn a_rename_directive_becomes_a_hint_under_the_rules_of_its_kind() {
    let desired = assembled(vec![
        source("a.sql")
            .directive("renamed", &[("from", "People")], &table("users"), None)
            .define(&table("users"), "", &[])
            .directive("renamed", &[("from", "Mail")], &table("users"), Some("email"))
            .directive("renamed", &[("from", "Old")], &index("i", "users"), None),
        // The same directive in another source counts once.
        source("b.sql").directive("renamed", &[("from", "people")], &table("users"), None),
    ])
    .unwrap();
    let hints: Vec<&str> = desired.renames.iter().map(|h| h.from.normalized.as_str()).collect();
    assert_eq!(hints, ["people", "mail", "Old"]);
    assert_eq!(desired.renames[0].position, place("a.sql", 1));
}

#[test]
fn a_directive_that_is_not_understood_is_an_error() {
    let one = |name: &str, arguments: &[(&str, &str)]| {
        vec![source("a.sql").directive(name, arguments, &table("t"), None).define(&table("t"), "", &[])]
    };
    check(
        one("renamd", &[("from", "x")]),
        "Error source.directive: a.sql:1:1: `ptah:renamd` is not a directive of a schema source",
    );
    check(one("renamed", &[]), "Error source.directive: a.sql:1:1: `ptah:renamed` has exactly one argument, `from`");
    check(
        one("renamed", &[("form", "x")]),
        "Error source.directive: a.sql:1:1: `ptah:renamed` says the old name, with `from=`",
    );
}

#[test]
fn a_source_that_its_provider_refuses_stops_the_command_with_all_other_findings() {
    let mut bad = source("a.sql").extend(&table("t"), "y");
    bad.analysis
        .diagnostics
        .push(Diagnostic::error(ptah_model::Code("sql.insert"), "rows are no part of a schema").at(place("a.sql", 9)));
    check(
        vec![bad],
        "Error sql.insert: a.sql:9:1: rows are no part of a schema\n\
         Error source.extends-nothing: a.sql:1:1: table t is added to, and no source defines it",
    );
}

#[test]
fn places_lead_to_the_first_definition() {
    let desired =
        assembled(vec![source("a.sql").define(&table("t"), "x", &[]), source("b.sql").define(&table("t"), "x", &[])])
            .unwrap();
    assert_eq!(desired.locations.get(&(table("T"), None)), Some(&place("a.sql", 1)));
    assert_eq!(desired.statements[0].object.name, name("t"));
}
