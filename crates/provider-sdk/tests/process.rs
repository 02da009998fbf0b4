//! A provider as a process: `serve` behind the real bootstrap and mutual TLS.

use std::collections::BTreeSet;
use std::process::Command;

use go_plugin::host::{DEFAULT_GRACE, Executable, Launch, Plugin};
use go_plugin::{Cookie, Exit};
use ptah_model::EngineName;
use ptah_provider_api::contract::{COOKIE_KEY, COOKIE_VALUE, ContractVersion, PARENT_PID_VARIABLE, REVISION};
use ptah_provider_api::describe::DescribeRequest;
use ptah_provider_api::feature::{LARGE_MESSAGES, REQUIRED};
use ptah_provider_api::key::RequestId;
use ptah_provider_api::query::{QueryRowsReply, QueryRowsRequest};
use ptah_provider_api::session::{Address, OpenRequest, OpenTarget, Purpose, Session};
use ptah_provider_wire::OnWire;
use ptah_provider_wire::pb::provider_client::ProviderClient;

const ZORP: &str = env!("CARGO_BIN_EXE_provider-zorp");

fn launch(versions: Vec<u32>) -> Launch {
    let executable = Executable::File { path: ZORP.into(), sha256: None };
    let mut launch = Launch::new(executable, Cookie::new(COOKIE_KEY, COOKIE_VALUE), versions);
    launch.parent_pid_variable = Some(PARENT_PID_VARIABLE.to_owned());
    launch
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_serves_its_host_and_ends_when_asked() {
    let started = Plugin::start(launch(vec![REVISION])).await.unwrap();
    assert_eq!(started.app_version, REVISION);
    let mut client = ProviderClient::new(started.channel).max_decoding_message_size(usize::MAX);
    let describe = DescribeRequest {
        contract: ContractVersion::CURRENT,
        host_features: [LARGE_MESSAGES.to_owned()].into(),
        required_features: REQUIRED.map(str::to_owned).into(),
        host: "ptah test".to_owned(),
    };
    client.describe(describe.to_wire()).await.unwrap();
    let open = OpenRequest {
        request: RequestId::new("r1").unwrap(),
        engine: EngineName::new("zorp").unwrap(),
        target: OpenTarget::Address(Address::new("zorp://main")),
        purpose: Purpose::Read,
        create: false,
        recover: false,
        accept: BTreeSet::new(),
        lock_timeout_ms: 0,
    };
    let session = Session::from_wire(client.open(open.to_wire()).await.unwrap().into_inner()).unwrap().session;
    let query = QueryRowsRequest { session, query: "60000000".to_owned(), transaction: None, limit: 1 };
    let reply = client.query_rows(query.to_wire()).await.unwrap().into_inner();
    let rows = QueryRowsReply::from_wire(reply).unwrap().rows;
    assert_eq!(rows.first().unwrap().first().unwrap().as_ref().unwrap().len(), 60_000_000);
    let ended = started.plugin.end(DEFAULT_GRACE).await;
    assert_eq!((ended.exit, ended.killed), (Exit::Status(0), false));
}

#[test]
fn a_provider_that_a_person_starts_prints_nothing_on_standard_output_and_fails() {
    let output = Command::new(ZORP).env_clear().output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8(output.stderr).unwrap().contains("its host starts it"));
}
