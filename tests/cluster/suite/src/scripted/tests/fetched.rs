//! What fetching leaves, and what a refresh makes of it.

use ptah_lifecycle::ReadFailure;
use ptah_records::operator::latest::{ApplyContent, Outcome, Work};
use ptah_records::operator::text::OciReference;

use super::super::{Content, Kind, Migration, Trouble};
use super::scene::{REFERENCE, Scene, objects, put, reading, run_of};

#[test]
fn only_an_artifact_that_is_not_trusted_is_refused_by_the_policy() {
    let scene = Scene::new();
    let nowhere = scene.reports(&scene.refresh("schema"));
    assert_eq!(reading(&scene, &nowhere), Err(ReadFailure::Passing));
    scene.edit(|script| drop(script.registry.push(REFERENCE, Content::Schema(objects(&[("a", "1")]))).unwrap()));
    for (trouble, expected) in
        [(Trouble::NoRegistry, ReadFailure::Passing), (Trouble::NotTrusted, ReadFailure::PolicyRefused)]
    {
        scene.strikes(Kind::Refresh, trouble);
        let read = scene.reports(&scene.refresh("schema"));
        assert_eq!(reading(&scene, &read), Err(expected));
    }
    assert!(reading(&scene, &scene.reports(&scene.refresh("schema"))).unwrap().proposal.is_some());
    let other_family = scene.reports(&scene.refresh("migration"));
    assert_eq!(reading(&scene, &other_family), Err(ReadFailure::Passing));
}

#[test]
fn a_run_whose_migrations_were_not_fetched_opens_nothing() {
    let scene = Scene::new();
    let content = Content::Migrations(vec![Migration::new("1", vec![put("a", "1")]).unwrap()]);
    scene.edit(|script| drop(script.registry.push(REFERENCE, content).unwrap()));
    let planned = scene.reports(&scene.refresh("migration"));
    let run = scene.apply_migration(&planned);
    scene.strikes(Kind::Apply, Trouble::NoRegistry);
    assert_eq!(run_of(&scene.reports(&run)).outcome, Outcome::NotStarted);
    assert_eq!(scene.database().runs, []);
}

#[test]
fn what_was_planned_is_run_whatever_the_tag_says_by_now() {
    let scene = Scene::new();
    let content = |name: &str| Content::Migrations(vec![Migration::new("1", vec![put(name, "1")]).unwrap()]);
    scene.edit(|script| drop(script.registry.push(REFERENCE, content("planned")).unwrap()));
    let planned = scene.reports(&scene.refresh("migration"));
    let run = scene.apply_migration(&planned);
    scene.edit(|script| drop(script.registry.push(REFERENCE, content("pushed later")).unwrap()));
    scene.reports(&run);
    assert!(scene.database().objects.contains_key("planned"));
}

#[test]
fn a_pinned_reference_leads_to_its_digest() {
    let scene = Scene::new();
    let mut pinned = String::new();
    scene.edit(|script| {
        let digest = script.registry.push(REFERENCE, Content::Schema(objects(&[("a", "1")]))).unwrap();
        pinned = format!("oci://registry.test/db/billing@{digest}");
        drop(script.registry.push(REFERENCE, Content::Schema(objects(&[("b", "1")]))).unwrap());
    });
    let mut refresh = scene.refresh("schema");
    if let Work::Refresh { artifact, .. } = &mut refresh.work {
        artifact.reference = OciReference::new(&pinned).unwrap();
    }
    let planned = scene.reports(&refresh);
    assert!(String::from_utf8_lossy(&planned.desired).contains("\"a\""));
    let run = scene.apply_schema(&planned);
    assert!(matches!(&run.work, Work::Apply { content: ApplyContent::Schema { .. }, .. }));
    scene.reports(&run);
    assert!(scene.database().objects.contains_key("a"));
}
