//! What a plan file promises: the same bytes, and no changed byte that is not refused.

use super::*;
use crate::plan_file::v1::*;
use crate::shared::{HazardV1, LossV1, MemberIdV1, NameV1, ObjectIdV1, PositionV1, RiskV1, RuleV1};

const GOLDEN: &str = include_str!("v1/golden.json");

fn name(text: &str) -> NameV1 {
    NameV1 { source: text.to_owned(), normalized: text.to_lowercase() }
}

fn users() -> ObjectIdV1 {
    ObjectIdV1 { kind: "table".to_owned(), schema: None, owner: None, name: name("Users") }
}

fn why() -> ServedV1 {
    ServedV1 {
        change: ChangeV1 {
            change_id: 7,
            object: users(),
            member: Some(MemberIdV1 { kind: "column".to_owned(), name: name("Age") }),
            action: ActionV1::Alter {
                facets: vec![FacetChangeV1 {
                    name: "type".to_owned(),
                    from: Some(FacetV1 { text: "TEXT".to_owned(), canonical: "text".to_owned() }),
                    to: None,
                }],
            },
            risk: RiskV1::Warning,
            loss: None,
        },
        asked: Some(PositionV1 {
            source: "schema.sql".to_owned(),
            offset: u64::MAX.to_string(),
            length: 12,
            line: 3,
            column: 5,
        }),
    }
}

fn step(number: u32, unit: UnitV1) -> StepV1 {
    StepV1 {
        number,
        step_id: format!("step:{number}"),
        phase: PhaseV1::Changes,
        title: "change type of column Age of table Users".to_owned(),
        risk: RiskV1::Destructive,
        loss: Some(LossV1::Values),
        unit,
        why: vec![why()],
        rule: RuleV1 { name: "rebuild.type".to_owned(), sentence: "a type changes by a rebuild".to_owned() },
        after: vec![AfterV1 { step_id: "step:0".to_owned(), rule: "the copy reads it".to_owned() }],
        after_commit: vec!["step:0".to_owned()],
        atomic_group: Some("users".to_owned()),
        needs: vec!["references=off".to_owned()],
        transaction: TransactionRuleV1::Inside,
        provider_risk: RiskV1::Warning,
        provider_loss: None,
        hazards: vec![HazardV1 { code: "slow".to_owned(), text: "it takes long".to_owned() }],
        locks: vec![LockV1 { object: users(), mode: "exclusive".to_owned(), rewrites: true, scans: false }],
        checks: vec![CheckV1 {
            code: "rows.type".to_owned(),
            count: "select count(*) from Users".to_owned(),
            rows: None,
            sentence: "a value would change".to_owned(),
            lossy: true,
        }],
    }
}

fn file() -> PlanFileV1 {
    let sql = UnitV1::Sql { text: "alter table Users\n  drop Age".to_owned() };
    let native = UnitV1::Native {
        kind: "rebuild-table".to_owned(),
        version: 2,
        payload: "00ff".to_owned(),
        statements: vec!["select 'é'".to_owned()],
        digest: Digest::of(b"native").to_string(),
    };
    seal(PlanV1 {
        plan_id: "0190-plan".to_owned(),
        engine: "zorp".to_owned(),
        target: TargetV1 { uuid: None, physical: "inode 7".to_owned(), route: "/srv/a.zorp".to_owned() },
        from: Digest::of(b"from").to_string(),
        to: Digest::of(b"to").to_string(),
        sources: Digest::of(b"sources").to_string(),
        policy: PolicyV1 {
            column_order: ColumnOrderV1::Exact,
            allow_destructive: true,
            allow_empty: false,
            protected_tables: vec!["orders".to_owned()],
            tx_mode: TxModeV1::File,
        },
        renames: vec![RenameV1 {
            kind: "column".to_owned(),
            owner: Some("users".to_owned()),
            from: "years".to_owned(),
            to: "age".to_owned(),
        }],
        segments: vec![SegmentV1 {
            transaction: true,
            settings: vec!["references=off".to_owned()],
            before: Digest::of(b"from").to_string(),
            after: Digest::of(b"to").to_string(),
            steps: vec![step(1, sql), step(2, native)],
        }],
    })
}

#[test]
fn the_bytes_of_version_1_stay_as_they_are() {
    assert_eq!(String::from_utf8(write(&file()).unwrap()).unwrap(), GOLDEN);
}

#[test]
fn what_was_written_is_read_back() {
    assert_eq!(parse(GOLDEN.as_bytes()), Ok(file()));
}

#[test]
fn a_changed_byte_is_refused_wherever_it_is() {
    // Every byte: a bit is flipped that keeps most letters letters, so that many changed texts are still JSON.
    let good = GOLDEN.as_bytes();
    for at in 0..good.len() {
        let mut changed = good.to_vec();
        changed[at] ^= 0b0000_0001;
        assert!(parse(&changed).is_err(), "byte {at} of {:?}", &GOLDEN[..at.min(40)]);
    }
}

#[test]
fn spaces_and_missing_ends_are_refused_though_they_mean_the_same() {
    for changed in [format!("{GOLDEN}\n"), GOLDEN.trim_end().to_owned(), GOLDEN.replacen("  ", "\t", 1)] {
        assert_eq!(parse(changed.as_bytes()), Err(PlanFileError::Changed));
    }
}

#[test]
fn a_later_version_is_refused_by_its_number_before_its_fields_are_looked_at() {
    let later = br#"{"format_version": 2, "novelty": []}"#;
    assert_eq!(parse(later), Err(PlanFileError::Version { found: 2 }));
}

#[test]
fn a_malformed_file_is_refused_with_its_place_and_no_value() {
    let check = |text: &str, expected: &str| {
        let error = parse(text.as_bytes()).unwrap_err();
        let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        assert_eq!(source, expected);
    };
    check("{\n  oops", "it is no JSON at line 2, column 3");
    check("", "it is no JSON at line 1, column 0");
    check("{}", "the field `format_version` is missing before line 1, column 2");
    check("[]", "what stands before line 1, column 2 is not what belongs there");
    check(r#"{"format_version": "hunter2"}"#, "what stands before line 1, column 28 is not what belongs there");
    check(&GOLDEN.replace("\"engine\"", "\"motor\""), "the field `motor` at line 6, column 11 is not known");
    check(
        &GOLDEN.replacen("    \"engine\": \"zorp\",\n", "", 1),
        "the field `engine` is missing before line 265, column 3",
    );
}

#[test]
fn a_file_above_the_limit_is_refused_before_it_is_read() {
    let size = SIZE_LIMIT + 1;
    assert_eq!(parse(&vec![b' '; size]), Err(PlanFileError::TooLarge { size }));
}
