//! A result is on the disk and in the Pod's status before it is sent, and it is sent until it is stored or in vain.

use http::StatusCode;
use ptah_records::operator::latest::{Frame, Outcome};
use ptah_records::operator::seal;

use crate::scene::{Scene, willing};
use crate::server::Script;

fn deliveries(statuses: &[Option<u16>]) -> Script {
    let status = |code: &Option<u16>| code.map(|code| StatusCode::from_u16(code).unwrap());
    Script { deliveries: statuses.iter().map(status).collect(), ..willing(60) }
}

#[test]
fn a_delivery_goes_on_through_refusals_that_pass_and_answers_that_are_lost() {
    let scene = Scene::new(deliveries(&[Some(503), Some(401), None, Some(429), Some(204)]));
    let ran = scene.run("exit 0");
    assert_eq!(ran.code, Some(0), "{}", ran.log);
    assert_eq!(scene.outcome().unwrap().0, Outcome::Unknown);
}

#[test]
fn a_result_that_nobody_wants_or_takes_ends_with_the_status_of_an_undelivered_one() {
    for code in [410, 409, 400, 413] {
        let scene = Scene::new(deliveries(&[Some(code)]));
        let ran = scene.run("exit 0");
        assert_eq!(ran.code, Some(74), "{code}: {}", ran.log);
        assert!(ran.log.contains("the result was not delivered"), "{}", ran.log);
        assert_eq!(scene.message().outcome, Some(Outcome::Unknown), "the Pod's status says what was to be delivered");
    }
}

#[test]
fn what_is_on_the_disk_and_in_the_status_is_what_is_delivered() {
    let scene = Scene::new(willing(60));
    assert_eq!(scene.run("exit 0").code, Some(0));
    let kept: Frame = seal::read(&std::fs::read(scene.path("work/frame.json")).unwrap()).unwrap();
    assert_eq!(scene.delivered(), Some(kept.clone()));
    let bytes = seal::write(&kept).unwrap();
    let digest = ptah_records::operator::text::Sha256::from(&ptah_model::Digest::of(&bytes));
    assert_eq!(scene.message().delivery_digest, digest);
}
