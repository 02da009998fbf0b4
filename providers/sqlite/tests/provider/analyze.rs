//! What the provider says of a source.

use ptah_model::{EngineName, Kind, Severity, SourceName};
use ptah_provider_api::sql::{AnalyzeSqlRequest, SourceAnalysis, StatementRole};
use ptah_provider_sdk::Engine as _;
use ptah_provider_sqlite::SqliteEngine;

use crate::support::{Place, reader, snapshot};

fn analyze(text: &str) -> SourceAnalysis {
    let request = AnalyzeSqlRequest {
        engine: EngineName::new("sqlite").unwrap(),
        source: SourceName::new("shop.sql"),
        text: text.to_owned(),
    };
    let analysis = SqliteEngine::new().analyze_sql(&request).unwrap();
    assert_eq!(analysis.validate_for(&request), Ok(()));
    analysis
}

fn errors(analysis: &SourceAnalysis) -> Vec<String> {
    let errors = analysis.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| format!("{} {d}", d.code)).collect()
}

const SHOP: &str = "\u{feff}-- ptah:renamed from=client
CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  -- ptah:renamed from=mail
  email TEXT UNIQUE,
  age INT CHECK (age > 0), CHECK (age > 0), CONSTRAINT young CHECK (age < 200)
);
CREATE INDEX by_email ON users (email);
CREATE VIEW old AS SELECT * FROM users;
CREATE TRIGGER g INSTEAD OF INSERT ON old BEGIN SELECT 1; END;
ALTER TABLE users ADD COLUMN more TEXT DEFAULT 'a;b';
";

#[test]
fn objects_and_members_have_the_identities_that_the_catalogue_gives_them() {
    let analysis = analyze(SHOP);
    assert_eq!(errors(&analysis), Vec::<String>::new());
    let snapshot = snapshot(&mut reader(&Place::with(&SHOP.replace('\u{feff}', "")).path));
    for object in ptah_provider_sdk::Snapshot::schema(&*snapshot).objects() {
        let has = |member: Option<&ptah_model::MemberId>| {
            analysis.definitions.iter().any(|d| d.object == object.id && d.member.as_ref() == member)
        };
        assert!(has(None), "{}", object.id);
        for member in &object.members {
            assert!(has(Some(&member.id)), "{} {}", object.id, member.id);
        }
    }
}

#[test]
fn statements_say_what_they_do_and_what_they_need() {
    let analysis = analyze(SHOP);
    let told: Vec<String> = analysis
        .statements
        .iter()
        .map(|s| {
            let needs: Vec<_> = s.needs.iter().map(ToString::to_string).collect();
            let role = match &s.role {
                StatementRole::Define { object, .. } => format!("define {object}"),
                StatementRole::Extend { object } => format!("extend {object}"),
                StatementRole::DropIfExists { object } => format!("drop {object}"),
            };
            format!("{}: {role} needs [{}]", s.position, needs.join(", "))
        })
        .collect();
    assert_eq!(
        told,
        [
            "shop.sql:2:1: define table users needs []",
            "shop.sql:8:1: define index by_email on users needs [table users]",
            "shop.sql:9:1: define view old needs [table users]",
            "shop.sql:10:1: define trigger g on old needs [view old]",
            "shop.sql:11:1: extend table users needs [table users]",
        ]
    );
    assert!(analysis.statements[3].text.ends_with("END"));
}

#[test]
fn a_rename_hint_names_the_object_or_the_member_below_it() {
    let analysis = analyze(SHOP);
    let told: Vec<_> = analysis
        .directives
        .iter()
        .map(|d| (d.name.as_str(), d.arguments[0].1.as_str(), d.member.as_ref().map(|m| m.name.shown())))
        .collect();
    assert_eq!(told, [("renamed", "client", None), ("renamed", "mail", Some("email"))]);
    assert_eq!(analysis.directives[0].object.kind, Kind::table());
}

#[test]
fn what_is_no_schema_is_refused_with_all_findings_and_is_no_statement() {
    let analysis = analyze(
        "CREATE TABLE t (a); INSERT INTO t VALUES (1);\nPRAGMA foreign_keys=1; CREATE TABLE _ptah_x (a); DROP TABLE gone;",
    );
    let codes: Vec<_> = analysis.diagnostics.iter().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, ["source.not-schema", "source.not-schema", "source.reserved-name", "source.not-schema"]);
    assert_eq!(analysis.statements.len(), 1);
    assert_eq!(
        errors(&analyze("CREATE TABLE t (a TEXT DEFAULT 'x"))[0],
        "source.text shop.sql:1:32: a string is not closed"
    );
}

#[test]
fn a_drop_before_its_definition_and_the_same_definition_twice_are_notes() {
    let analysis = analyze("DROP TABLE IF EXISTS t; CREATE TABLE t (a INT); CREATE TABLE T ( a  int );");
    assert_eq!(errors(&analysis), Vec::<String>::new());
    let roles: Vec<_> = analysis.statements.iter().map(|s| &s.role).collect();
    let [
        StatementRole::DropIfExists { .. },
        StatementRole::Define { definition: first, .. },
        StatementRole::Define { definition: second, .. },
    ] = roles.as_slice()
    else {
        unreachable!("{roles:?}")
    };
    assert_eq!(first, second);
}
