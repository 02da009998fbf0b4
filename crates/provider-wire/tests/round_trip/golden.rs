//! The bytes of a frozen minor: what was written once is read for ever, and written the same again.
//!
//! `tests/golden/1.0.txt` has the bytes of one value of each message. `PTAH_WRITE_GOLDEN=1` writes it anew, which is right
//! only before its minor is released; `xtask contract` keeps the shape of the protos themselves.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use prost::Message;
use ptah_provider_wire::OnWire;

use super::*;

const GOLDEN: &str = include_str!("../golden/1.0.txt");

/// How many values are looked at for the one that says most.
const SAMPLES: usize = 32;

/// The longest encoding of some values; the same at each run.
fn sample<T>(strategy: impl Strategy<Value = T>) -> Vec<u8>
where
    T: OnWire + std::fmt::Debug,
    T::Message: Message,
{
    let mut runner = TestRunner::deterministic();
    let samples = (0..SAMPLES).map(|_| strategy.new_tree(&mut runner).unwrap().current().to_wire().encode_to_vec());
    samples.filter(|bytes| bytes.len() < 4_000).max_by_key(Vec::len).unwrap()
}

/// The bytes after they were read and written.
fn again<T>(bytes: &[u8]) -> Vec<u8>
where
    T: OnWire,
    T::Message: Message + Default,
{
    T::from_wire(T::Message::decode(bytes).unwrap()).unwrap().to_wire().encode_to_vec()
}

macro_rules! golden {
    ($($type:ident = $strategy:expr,)+) => {
        fn samples() -> Vec<(&'static str, Vec<u8>)> {
            vec![$((stringify!($type), sample::<$type>($strategy))),+]
        }

        fn rewritten(name: &str, bytes: &[u8]) -> Vec<u8> {
            match name {
                $(stringify!($type) => again::<$type>(bytes),)+
                other => panic!("{other} is no message of the contract"),
            }
        }

        const NAMES: &[&str] = &[$(stringify!($type)),+];
    };
}

golden! {
    DescribeRequest = s::describe_request(),
    Description = s::description(),
    KindModel = s::kind_model(),
    IdentifierRules = s::identifier_rules(),
    OpenRequest = s::open_request(),
    Session = s::session(),
    CloseRequest = s::close_request(),
    CloseReply = s::request().prop_map(|request| CloseReply { request }),
    InspectRequest = s::inspect_request(),
    Object = s::object(),
    Member = s::member(),
    NotDescribed = s::not_described(),
    RenderRequest = s::render_request(),
    RenderedDefinition = s::rendered_definition(),
    AnalyzeSqlRequest = s::analyze_request(),
    PlanRequest = s::plan_request(),
    PlanReply = s::plan_reply(),
    ExecuteRequest = s::execute_request(),
    ExecuteReply = s::execute_reply(),
    BeginRequest = s::begin_request(),
    EndRequest = s::end_request(),
    TransactionReceipt = s::transaction_receipt(),
    LockRequest = s::key().prop_map(|key| LockRequest { key }),
    LockReceipt = s::lock_receipt(),
    ClaimRequest = s::claim_request(),
    ClaimReceipt = s::claim_receipt(),
    ReadClaimsRequest = s::read_claims_request(),
    ClaimsReading = s::claims_reading(),
    AdoptRequest = s::adopt_request(),
    AdoptReply = s::adopt_reply(),
    ForgetRequest = s::key().prop_map(|key| ForgetRequest { key }),
    ForgetReply = s::key().prop_map(|key| ForgetReply { key }),
    QueryRowsRequest = s::query_rows_request(),
    QueryRowsReply = s::query_rows_reply(),
    ProvisionDevRequest = s::provision_request(),
    DevDatabase = s::dev_database(),
}

fn kept() -> BTreeMap<&'static str, &'static str> {
    GOLDEN.lines().filter_map(|line| line.split_once(' ')).collect()
}

#[test]
fn bytes_of_a_frozen_minor_are_read_and_written_as_they_were() {
    if std::env::var_os("PTAH_WRITE_GOLDEN").is_some() {
        let lines: Vec<String> = samples().iter().map(|(name, bytes)| format!("{name} {}\n", hex(bytes))).collect();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/1.0.txt");
        std::fs::write(path, lines.concat()).unwrap();
    }
    for (name, text) in kept() {
        let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
        let bytes: Vec<u8> = (0..text.len()).step_by(2).map(digit).collect();
        assert_eq!(hex(&rewritten(name, &bytes)), text, "{name}");
    }
}

#[test]
fn every_message_has_its_bytes_in_the_frozen_minor() {
    let kept = kept();
    let missing: Vec<_> = NAMES.iter().filter(|name| kept.get(*name).is_none_or(|bytes| bytes.len() < 4)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}
