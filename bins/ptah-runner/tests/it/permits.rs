//! Nothing is opened before the permit, and nothing without it.

use http::StatusCode;
use ptah_model::Digest;
use ptah_records::operator::latest::{Failure, Outcome, PermitAnswer, PermitRequest, Stage, StageResult};
use ptah_records::operator::seal;
use ptah_records::operator::text::{Code, Pem, Sentence, Sha256, VersionText};
use rustix::process::{Pid, Signal, kill_process};

use crate::scene::{Scene, ended, granted, refused, until, willing};
use crate::server::Script;

/// Leaves a mark that it was started.
const MARK: &str = "touch $SCENE/opened";

fn opened(scene: &Scene) -> bool {
    scene.path("opened").exists()
}

#[test]
fn a_refused_pod_opens_nothing_and_says_so_by_its_token() {
    let scene = Scene::new(Script { permits: vec![Some(refused())], ..willing(60) });
    let ran = scene.run(MARK);
    assert_eq!(ran.code, Some(75), "{}", ran.log);
    assert!(!opened(&scene));
    assert_eq!(scene.outcome(), Some((Outcome::NotStarted, Some("another_pod".to_owned()))));
    assert!(scene.server.asked().iter().all(|asked| asked.authorization == "Bearer the-pods-token"));
    assert_eq!(scene.message().outcome, Some(Outcome::NotStarted));
}

#[test]
fn not_yet_and_a_lost_answer_are_asked_again_with_the_same_key() {
    let not_yet = Some((StatusCode::SERVICE_UNAVAILABLE, PermitAnswer::NotYet {}));
    let scene = Scene::new(Script { permits: vec![not_yet, None, Some(granted(60))], ..willing(60) });
    let ran = scene.run(MARK);
    assert_eq!(ran.code, Some(0), "{}", ran.log);
    assert!(opened(&scene));
    let permits = scene.server.permits();
    assert_eq!(permits.len(), 3);
    assert!(permits.iter().all(|asked| asked.body == permits[0].body), "one Pod asks with one key");
}

#[test]
fn what_was_let_in_delivers_by_the_key_that_the_permit_named() {
    let scene = Scene::new(willing(60));
    assert_eq!(scene.run(MARK).code, Some(0));
    let request: PermitRequest = seal::read(&scene.server.permits()[0].body).unwrap();
    let deliveries: Vec<_> = scene.server.asked().into_iter().filter(|asked| asked.path != "/v1/permit").collect();
    assert!(deliveries.len() >= 2);
    for asked in deliveries {
        let key = hex::decode(asked.authorization.strip_prefix("Ptah-Key ").unwrap()).unwrap();
        assert_eq!(Sha256::from(&Digest::of(&key)), request.key_digest, "{} {}", asked.method, asked.path);
    }
}

#[test]
fn a_pod_without_a_permit_by_its_last_moment_opens_nothing() {
    let not_yet = Some((StatusCode::SERVICE_UNAVAILABLE, PermitAnswer::NotYet {}));
    let mut scene = Scene::new(Script { permits: vec![not_yet], ..willing(60) });
    scene.times(1, 60);
    let ran = scene.run(MARK);
    assert_eq!(ran.code, Some(75), "{}", ran.log);
    assert!(!opened(&scene) && scene.server.permits().len() > 1);
    assert_eq!(scene.outcome(), Some((Outcome::NotStarted, Some("runner_no_permit".to_owned()))));
}

#[test]
fn a_late_pod_asks_once_and_the_manager_decides() {
    let mut scene = Scene::new(willing(60));
    scene.times(-3_600, 60);
    assert_eq!(scene.run(MARK).code, Some(0));
    assert!(opened(&scene), "its own calendar was wrong");
    assert_eq!(scene.server.permits().len(), 1);
}

#[test]
fn a_manager_with_another_certificate_is_told_nothing() {
    let mut scene = Scene::new(willing(60));
    let other = rcgen::generate_simple_self_signed([crate::server::NAME.to_owned()]).unwrap();
    scene.spec.delivery.authority = Pem::new(other.cert.pem()).unwrap();
    scene.times(1, 1);
    let child = scene.start(MARK);
    until(|| scene.path("message").exists().then_some(()));
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), Signal::KILL).unwrap();
    ended(child);
    assert!(!opened(&scene));
    assert!(scene.server.asked().is_empty(), "neither token nor key went there");
    assert_eq!(scene.message().outcome, Some(Outcome::NotStarted));
}

#[test]
fn an_operation_for_another_version_is_not_begun() {
    let mut scene = Scene::new(willing(60));
    scene.spec.ptah_version = VersionText::new("v9.9.9").unwrap();
    assert_eq!(scene.run(MARK).code, Some(75));
    assert!(!opened(&scene) && scene.server.permits().is_empty());
    assert_eq!(scene.outcome(), Some((Outcome::NotStarted, Some("runner_other_version".to_owned()))));
}

#[test]
fn a_pod_that_is_stopped_before_its_permit_opens_nothing() {
    let not_yet = Some((StatusCode::SERVICE_UNAVAILABLE, PermitAnswer::NotYet {}));
    let scene = Scene::new(Script { permits: vec![not_yet], ..willing(60) });
    let child = scene.start(MARK);
    until(|| (!scene.server.permits().is_empty()).then_some(()));
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), Signal::TERM).unwrap();
    assert_eq!(ended(child).code, Some(75));
    assert!(!opened(&scene));
}

#[test]
fn a_run_whose_files_were_not_fetched_asks_for_no_permit() {
    let stage = |result: StageResult| {
        let mut scene = Scene::new(willing(60));
        scene.fetched = true;
        let stage = Stage { operation_id: scene.spec.operation_id.clone(), result };
        std::fs::write(scene.path("stage.json"), seal::write(&stage).unwrap()).unwrap();
        scene
    };
    let golden = include_bytes!("../../../../crates/records/src/operator/v1/golden/stage.json");
    let golden: Stage = seal::read(golden.trim_ascii_end()).unwrap();
    let (code, sentence) = (Code::new("no_registry").unwrap(), Sentence::new("It did not answer.").unwrap());
    let failure = Failure { code, sentence };
    let there = stage(golden.result.clone());
    assert_eq!(there.run(MARK).code, Some(0));
    assert!(opened(&there));
    let StageResult::Staged { mut resolved, verification_policy_digest, content_digest, files } = golden.result else {
        panic!()
    };
    resolved.digest = content_digest.clone();
    let another = StageResult::Staged { resolved, verification_policy_digest, content_digest, files };
    for (result, code) in [(StageResult::NotResolved(failure), "no_registry"), (another, "runner_no_stage")] {
        let scene = stage(result);
        assert_eq!(scene.run(MARK).code, Some(75));
        assert!(!opened(&scene) && scene.server.permits().is_empty(), "{code}");
        assert_eq!(scene.outcome(), Some((Outcome::NotStarted, Some(code.to_owned()))));
    }
}
