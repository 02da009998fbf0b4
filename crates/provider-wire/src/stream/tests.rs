//! Streams: what is cut comes back whole, and what broke off is refused.

use ptah_model::{Comparison, Facet, Fingerprint, Kind, Member, MemberId, Name, NotDescribed, Object, ObjectId};
use ptah_model::{Position, SchemaModel, SnapshotId, SourceName};
use ptah_provider_api::contract::MESSAGE_LIMIT;
use ptah_provider_api::reading::Reading;
use ptah_provider_api::render::{RenderReply, RenderedDefinition};
use ptah_provider_api::sql::{Definition, SourceAnalysis, Statement, StatementRole};

use super::*;
use crate::pb;
use crate::scan::scan;

fn name(text: &str) -> Name {
    Name::new(text, Comparison::AsciiFold)
}

fn table(number: usize) -> ObjectId {
    ObjectId { kind: Kind::table(), schema: None, owner: None, name: name(&format!("T{number:06}")) }
}

fn column(named: &str) -> Member {
    Member {
        id: MemberId { kind: Kind::column(), name: name(named) },
        facets: [("type".to_owned(), Facet::plain("INTEGER"))].into(),
    }
}

/// A table of ten columns, as they are.
fn object(number: usize) -> Object {
    Object {
        id: table(number),
        facets: [("strict".to_owned(), Facet::new("STRICT", "true"))].into(),
        members: (0..10).map(|at| column(&format!("c{at}"))).collect(),
    }
}

fn schema(tables: usize, unread: usize) -> SchemaModel {
    let mut schema = SchemaModel::default();
    for number in 0..tables {
        schema.insert(object(number));
    }
    for number in tables..tables + unread {
        schema.insert_not_described(NotDescribed {
            id: table(number),
            reason: "the definition cannot be read".to_owned(),
        });
    }
    schema
}

fn cut(schema: &SchemaModel, only: bool, limit: usize) -> Vec<Result<pb::InspectPart, EntryTooLarge>> {
    let snapshot = SnapshotId::new("s1").unwrap();
    reading_parts(schema, Fingerprint::of(schema), &snapshot, only, limit).collect()
}

fn parts(schema: &SchemaModel, only: bool) -> Vec<pb::InspectPart> {
    let parts = cut(schema, only, MESSAGE_LIMIT);
    parts.into_iter().map(Result::unwrap).collect()
}

fn collect(parts: impl IntoIterator<Item = pb::InspectPart>) -> Result<Reading, WireError> {
    let mut collector = ReadingCollector::default();
    for part in parts {
        collector.push(part)?;
    }
    collector.finish()
}

#[test]
fn a_reading_cut_into_parts_comes_back_whole() {
    let schema = schema(3_000, 5);
    let parts = parts(&schema, false);
    assert!(parts.len() > 3, "{}", parts.len());
    for part in &parts {
        assert!(part.encoded_len() <= PART_SIZE);
        assert!(scan::<pb::InspectPart>(&part.encode_to_vec()).is_ok());
    }
    let reading = collect(parts).unwrap();
    assert_eq!(reading.schema, schema);
    assert_eq!(reading.count, 3_000);
    assert_eq!(reading.fingerprint, Fingerprint::of(&schema));
}

#[test]
fn only_the_end_is_sent_when_only_the_fingerprint_is_wanted() {
    let parts = parts(&schema(10, 1), true);
    assert_eq!(parts.len(), 1);
    let reading = collect(parts).unwrap();
    assert!(reading.schema.is_empty());
    assert_eq!(reading.count, 10);
}

#[test]
fn a_table_of_thirty_columns_takes_about_one_kilobyte() {
    let table = Object { members: (0..30).map(|at| column(&format!("column_{at}"))).collect(), ..object(1) };
    let size = crate::OnWire::to_wire(table).encoded_len();
    assert!(size < 1_400, "{size}");
}

#[test]
fn an_object_above_the_limit_is_refused_with_both_numbers_and_nothing_follows_it() {
    let mut schema = schema(2, 1);
    let mut large = object(3);
    large.facets.insert("body".to_owned(), Facet::plain("x".repeat(5_000)));
    schema.insert(large);
    let parts = cut(&schema, false, 4_096);
    let Some((Err(error), before)) = parts.split_last() else {
        panic!("the last part is no error");
    };
    assert!(before.iter().all(Result::is_ok));
    assert!(error.size > 5_000);
    assert_eq!(error.limit, 4_096);
}

#[test]
fn a_reading_that_broke_off_or_goes_on_after_its_end_is_refused() {
    let parts = parts(&schema(3, 1), false);
    let (end, before) = parts.split_last().unwrap();
    assert_eq!(collect(before.iter().cloned()).unwrap_err().field, "end");
    let again = parts.iter().chain([end]).cloned();
    assert_eq!(collect(again).unwrap_err().field, "part");
    let nothing = pb::InspectPart { part: None };
    assert_eq!(collect([nothing]).unwrap_err().field, "part");
}

#[test]
fn an_object_that_comes_twice_is_refused() {
    let parts = parts(&schema(1, 1), false);
    let twice = |at: usize| [parts[at].clone(), parts[at].clone()];
    assert_eq!(collect(twice(0)).unwrap_err().field, "objects.id");
    assert_eq!(collect(twice(1)).unwrap_err().field, "not_described.id");
}

fn analysis(statements: u64) -> SourceAnalysis {
    let source = SourceName::new("schema.sql");
    let position = |at: u64| Position { source: source.clone(), offset: at * 100, length: 99, line: 1, column: 1 };
    let statement = |at: u64| Statement {
        position: position(at),
        text: "x".repeat(99),
        role: StatementRole::Extend { object: table(1) },
        needs: vec![table(2)],
    };
    let definition = |at: u64| Definition { object: table(1), member: None, position: position(at) };
    SourceAnalysis {
        statements: (0..statements).map(statement).collect(),
        definitions: (0..statements).map(definition).collect(),
        ..SourceAnalysis::default()
    }
}

fn analysed(statements: u64) -> Vec<pb::AnalyzeSqlPart> {
    let parts = analysis_parts(analysis(statements), MESSAGE_LIMIT);
    parts.map(Result::unwrap).collect()
}

#[test]
fn an_analysis_cut_into_parts_comes_back_whole() {
    let parts = analysed(5_000);
    assert!(parts.len() > 4, "{}", parts.len());
    let mut collector = AnalysisCollector::new(SourceName::new("schema.sql"));
    for part in parts {
        assert!(part.encoded_len() <= PART_SIZE);
        collector.push(part).unwrap();
    }
    assert_eq!(collector.finish().unwrap(), analysis(5_000));
}

#[test]
fn an_analysis_that_lacks_a_part_is_refused() {
    let parts = analysed(1);
    assert_eq!(parts.len(), 3);
    for left_out in 0..parts.len() {
        let mut collector = AnalysisCollector::new(SourceName::new("schema.sql"));
        for (at, part) in parts.iter().enumerate() {
            if at != left_out {
                collector.push(part.clone()).unwrap();
            }
        }
        assert!(collector.finish().is_err(), "{left_out}");
    }
}

#[test]
fn a_rendering_cut_into_parts_comes_back_whole() {
    let definition = |number| RenderedDefinition { object: table(number), text: "x".repeat(1_000) };
    let rendering = RenderReply { definitions: (0..1_000).map(definition).collect() };
    let mut collector = RenderingCollector::default();
    let mut count = 0;
    for part in rendering_parts(rendering.clone(), MESSAGE_LIMIT) {
        collector.push(part.unwrap()).unwrap();
        count += 1;
    }
    assert!(count > 3);
    assert_eq!(collector.finish().unwrap(), rendering);
}
