//! Tests of what a declared schema may hold. The shapes come from common sample databases, told anew.

use proptest::prelude::*;

use super::*;

fn read(files: &[(&str, &str)]) -> SchemaSource {
    let files: Vec<_> = files.iter().map(|(file, text)| SourceText { file, text }).collect();
    schema_source(&files)
}

fn findings(text: &str) -> Vec<(Rule, Severity, u32, u32)> {
    let source = read(&[("a.sql", text)]);
    let each = source.findings.iter();
    each.map(|f| (f.rule, f.severity, f.place.position.line, f.place.position.column)).collect()
}

const RENTAL: &str = "\
--
-- Table structure for table shelf
--
CREATE TABLE shelf (
  shelf_id numeric NOT NULL ,
  label VARCHAR(45) NOT NULL,
  remark BLOB SUB_TYPE TEXT DEFAULT NULL,
  touched TIMESTAMP NOT NULL,
  PRIMARY KEY  (shelf_id),
  CONSTRAINT fk_shelf_room FOREIGN KEY (label) REFERENCES room (label) ON DELETE NO ACTION ON UPDATE CASCADE
)
;
CREATE  INDEX idx_shelf_label ON shelf(label)
;
CREATE TRIGGER shelf_ai AFTER INSERT ON shelf
 BEGIN
  UPDATE shelf SET touched = DATETIME('NOW')  WHERE rowid = new.rowid;
 END
;
CREATE VIEW shelf_list
AS
SELECT s.shelf_id AS ID, s.label||' '||s.remark AS name,
       CASE WHEN s.touched=1 THEN 'active' ELSE '' END AS notes
FROM shelf AS s JOIN room AS r ON s.label = r.label
;
CREATE TABLE [room]
(
    [RoomId] INTEGER  NOT NULL,
    [label] NVARCHAR(160)  NOT NULL,
    CONSTRAINT [PK_Room] PRIMARY KEY  ([RoomId])
);
CREATE UNIQUE INDEX [IPK_Room] ON [room]([RoomId]);
";

#[test]
fn the_shapes_of_common_sample_databases_are_accepted() {
    let source = read(&[("rental.sql", RENTAL)]);
    assert_eq!(source.findings, []);
    let names: Vec<_> = source.objects.iter().map(|o| o.declaration.header().name.folded.as_str()).collect();
    assert_eq!(names, ["shelf", "idx_shelf_label", "shelf_ai", "shelf_list", "room", "ipk_room"]);
    for object in &source.objects {
        assert!(object.declaration.canonical().exact, "{}", object.declaration.header().name);
    }
    assert!(source.statements.iter().all(|statement| statement.builds));
}

#[test]
fn everything_that_is_no_schema_is_refused_at_its_place_and_all_at_once() {
    let text = "CREATE TABLE ok(a);\nINSERT INTO ok VALUES (1);\n  PRAGMA foreign_keys=OFF;\nBEGIN;\nCREATE TEMP TABLE x(a);\n\
                CREATE TABLE aux.y(a);\nCREATE TABLE z AS SELECT 1;\nDROP TABLE gone;\nALTER TABLE ok DROP COLUMN a;\n\
                CREATE TABLE bad(a ON);\nVACUUM;\nFROB x;\nSELECT 1";
    let error = Severity::Error;
    assert_eq!(
        findings(text),
        [
            (Rule::NotSchema, error, 2, 1),
            (Rule::NotSchema, error, 3, 3),
            (Rule::NotSchema, error, 4, 1),
            (Rule::Temporary, error, 5, 1),
            (Rule::OtherDatabase, error, 6, 1),
            (Rule::NotSchema, error, 7, 1),
            (Rule::NotSchema, error, 8, 1),
            (Rule::NotSchema, error, 9, 1),
            (Rule::Unreadable, error, 10, 20),
            (Rule::NotSchema, error, 11, 1),
            (Rule::NotSchema, error, 12, 1),
            (Rule::NotSchema, error, 13, 1),
        ]
    );
    let source = read(&[("a.sql", text)]);
    assert!(!source.is_accepted());
    assert!(source.findings.iter().all(|f| !f.message.is_empty()));
    assert_eq!(source.statements.iter().filter(|s| s.builds).count(), 1);
}

#[test]
fn each_file_that_is_no_sql_has_its_own_finding() {
    let source = read(&[("a.sql", "CREATE TABLE t(a"), ("b.sql", ".mode box\n"), ("c.sql", "SELECT 'x")]);
    let found: Vec<_> = source.findings.iter().map(|f| (f.place.file, f.rule)).collect();
    assert_eq!(found, [(0, Rule::Unreadable), (1, Rule::Text), (2, Rule::Text)]);
}

#[test]
fn additions_and_renames_are_accepted_with_their_members() {
    let text = "CREATE TABLE main.t(a);\nALTER TABLE t ADD COLUMN b INT REFERENCES u(x);\nALTER TABLE t RENAME TO v;\n\
                ALTER TABLE t RENAME a TO c;\nALTER TABLE t ADD CONSTRAINT k CHECK (b > 1);";
    let source = read(&[("a.sql", text)]);
    assert_eq!(source.findings, []);
    assert_eq!(source.alters.len(), 4);
}

#[test]
fn a_drop_is_a_note_only_before_a_create_of_the_same_object() {
    let note = (Rule::DropBeforeCreate, Severity::Note, 1, 1);
    let refused = |line| (Rule::NotSchema, Severity::Error, line, 1);
    assert_eq!(findings("DROP TABLE IF EXISTS t;\nCREATE TABLE T(a);"), [note]);
    assert_eq!(findings("DROP TABLE IF EXISTS t;\nCREATE VIRTUAL TABLE t USING fts5(a);"), [note]);
    assert_eq!(findings("DROP TABLE IF EXISTS t;"), [refused(1)]);
    assert_eq!(findings("DROP VIEW IF EXISTS t;\nCREATE TABLE t(a);"), [refused(1)]);
    assert_eq!(findings("CREATE TABLE t(a);\nDROP TABLE IF EXISTS t;"), [refused(2)]);
}

#[test]
fn equal_definitions_collapse_and_different_ones_name_both_places() {
    let same = read(&[
        ("a.sql", "CREATE TABLE t(a INT UNIQUE)"),
        ("b.sql", "\ncreate table if not exists \"T\" (\"A\" int, unique (a))"),
    ]);
    assert!(same.is_accepted());
    assert_eq!(same.objects.len(), 1);
    assert_eq!(same.findings[0].rule, Rule::Repeated);
    assert!(!same.statements[1].builds);
    let different = read(&[("a.sql", "CREATE TABLE t(a INT)"), ("b.sql", "\nCREATE VIEW t AS SELECT 1")]);
    let finding = &different.findings[0];
    assert_eq!((finding.rule, finding.place.file, finding.place.position.line), (Rule::Conflict, 1, 2));
    assert_eq!(finding.other.as_ref().map(|place| place.file), Some(0));
    let apart = read(&[("a.sql", "CREATE TABLE t(a); CREATE TRIGGER t INSERT ON t BEGIN SELECT 1; END")]);
    assert_eq!(apart.findings, []);
}

#[test]
fn an_index_knows_the_columns_of_its_table() {
    let text = "CREATE INDEX i ON t(\"a\", \"x\" || a);\nCREATE TABLE t(a);";
    let source = read(&[("a.sql", text)]);
    let Declaration::Index(index) = &*source.objects[0].declaration else { panic!("not an index") };
    assert_eq!(index.canonical().text, "CREATE INDEX i ON t (a, ('x' || a))");
    assert_eq!(index.columns[1].expression.span.text(text), "\"x\" || a");
}

#[test]
fn directives_and_their_faults_come_with_the_source() {
    let text = "-- ptah:renamed from=old\nCREATE TABLE t(a);\n-- ptah:nope\nCREATE TABLE u(a);";
    assert_eq!(findings(text), [(Rule::Directive, Severity::Error, 3, 1)]);
    let source = read(&[("a.sql", text)]);
    assert_eq!(source.directives.len(), 1);
    assert_eq!(source.directives[0].directive.target, directive::Target::Statement(0));
}

proptest! {
    #[test]
    fn any_files_are_read_without_a_panic(texts in prop::collection::vec(any::<String>(), 0..4)) {
        let files: Vec<_> = texts.iter().map(|text| SourceText { file: "x", text }).collect();
        let _ = schema_source(&files).is_accepted();
    }
}
