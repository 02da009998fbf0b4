//! Readings: what Inspect streams, what Render makes of one, and how long one is kept.

use ptah_provider_api::feature::DEV_PROVISION;
use ptah_provider_api::key::SessionId;
use ptah_provider_api::reading::InspectRequest;
use ptah_provider_api::reason::validate_diagnostic;
use ptah_provider_api::render::RenderReply;
use ptah_provider_wire::pb;
use ptah_provider_wire::stream::RenderingCollector;
use tonic::Code;

use super::table;
use crate::lab::Lab;
use crate::peer::{Peer, Session, all, whole};
use crate::rule::{Check, Stop, broken, ensure, refused_with, reply};

table! { "readings":
    a_reading_is_whole_and_ends_once on database =>
        "Objects come in any number of parts, and exactly one end comes last, with their count.",
    the_fingerprint_is_that_of_the_objects on database =>
        "The fingerprint is that of the objects that arrived, so that two hosts compare the same.",
    two_readings_of_one_state_are_the_same on database => "The same state reads as the same bytes.",
    the_end_alone_says_the_same on database =>
        "With fingerprint_only there is only the end, and the objects stay in the provider.",
    what_could_not_be_read_is_a_clean_line on database => "The reason why something was not read keeps the rules of a reason.",
    an_inspect_that_would_wait_too_long_is_refused on database => "A call waits at most 20,000 ms.",
    a_rendering_has_a_text_for_objects_of_its_reading on database =>
        "Render writes definitions of the objects of a reading, in an order in which they can be executed.",
    a_rendering_makes_the_same_schema_again [DEV_PROVISION] on database =>
        "A reading that is written as source text and executed reads as the same schema.",
    two_renderings_of_one_reading_are_the_same on database => "The same reading is written as the same text.",
    a_rendering_of_no_reading_is_not_found => "A call that names a reading that is not there fails with NOT_FOUND.",
    a_reading_ends_with_its_session on database => "A reading is kept until the session that made it closes.",
}

/// Renders a reading.
pub(super) async fn render(peer: &Peer, engine: String, snapshot: pb::SnapshotRef) -> Result<RenderReply, Stop> {
    const SENT: &str = "Render";
    let request = pb::RenderRequest { engine, snapshot: Some(snapshot) };
    let parts = all(SENT, reply(SENT, peer.client().render(request).await)?).await?;
    let mut collector = RenderingCollector::default();
    let taken = parts.into_iter().try_for_each(|part| collector.push(part));
    let rendering = taken.and_then(|()| collector.finish());
    let proven = rendering.and_then(|rendering| rendering.validate().map(|()| rendering));
    proven.map_err(|rule| broken(SENT, rule.to_string()))
}

/// A session with two objects in its database.
async fn filled<'p>(lab: &Lab<'_>, peer: &'p Peer) -> Result<Session<'p>, Stop> {
    let session = lab.open(peer).await?;
    session.apply(&[&lab.create("a"), &lab.create("b")], None).await?;
    Ok(session)
}

async fn a_reading_is_whole_and_ends_once(lab: &Lab<'_>) -> Check {
    use pb::inspect_part::Part;
    let peer = lab.start().await?;
    let session = filled(lab, &peer).await?;
    let parts = all("Inspect", reply("Inspect", session.client().inspect(session.inspection(false)).await)?).await?;
    let ends = parts.iter().filter(|part| matches!(part.part, Some(Part::End(_)))).count();
    let last = matches!(parts.last().map(|part| &part.part), Some(Some(Part::End(_))));
    ensure(ends == 1 && last, "Inspect", format!("{ends} ends, or one that is not last"))?;
    let objects: usize = parts
        .iter()
        .map(|part| match &part.part {
            Some(Part::Objects(chunk)) => chunk.objects.len(),
            _ => 0,
        })
        .sum();
    let count = parts.iter().find_map(|part| match &part.part {
        Some(Part::End(end)) => Some(end.count),
        _ => None,
    });
    ensure(count == Some(objects as u64), "Inspect", format!("{objects} objects, and a count of {count:?}"))?;
    ensure(objects >= 2, "Inspect of a database in which two objects were created", format!("{objects} objects"))
}

async fn the_fingerprint_is_that_of_the_objects(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = filled(lab, &peer).await?;
    let reading = session.read().await?;
    let id = SessionId::new(session.id()).map_err(|rule| broken("Open", rule.to_string()))?;
    let asked = InspectRequest { session: id, lock_timeout_ms: 5_000, fingerprint_only: false };
    reading.validate_for(&asked).map_err(|rule| broken("Inspect", rule.to_string()))
}

async fn two_readings_of_one_state_are_the_same(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Inspect twice";
    let peer = lab.start().await?;
    let session = filled(lab, &peer).await?;
    let mut texts = Vec::new();
    for _ in 0..2 {
        let mut reading = all(SENT, reply(SENT, session.client().inspect(session.inspection(false)).await)?).await?;
        // The reading's name is its own.
        for part in &mut reading {
            if let Some(pb::inspect_part::Part::End(end)) = &mut part.part {
                end.snapshot_id.clear();
            }
        }
        texts.push(reading.iter().flat_map(prost::Message::encode_to_vec).collect::<Vec<u8>>());
    }
    ensure(texts.first() == texts.last(), SENT, "two different readings")?;
    let other = lab.start().await?;
    let (one, two) = (session.fingerprint().await?, lab.open_to_read(&other).await?.fingerprint().await?);
    ensure(one == two, "Inspect in two processes", "two fingerprints")
}

async fn the_end_alone_says_the_same(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Inspect with fingerprint_only";
    let peer = lab.start().await?;
    let session = filled(lab, &peer).await?;
    let (reading, end) = (session.read().await?, session.read_as(session.inspection(true)).await?);
    ensure(end.schema.is_empty(), SENT, "objects, although only the end was wanted")?;
    let same = (end.count, end.fingerprint) == (reading.count, reading.fingerprint);
    ensure(same, SENT, "another count or fingerprint than the whole reading has")
}

async fn what_could_not_be_read_is_a_clean_line(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let reading = filled(lab, &peer).await?.read().await?;
    let unclean = reading.schema.not_described().any(|unread| validate_diagnostic(&unread.reason).is_err());
    ensure(!unclean, "Inspect", "a reason of what was not read breaks its rules")
}

async fn an_inspect_that_would_wait_too_long_is_refused(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = lab.open(&peer).await?;
    let request = pb::InspectRequest { lock_timeout_ms: 20_001, ..session.inspection(false) };
    let answer = whole(session.client().inspect(request).await).await;
    refused_with("Inspect with a wait of 20,001 ms", answer, &[Code::InvalidArgument]).map(drop)
}

async fn a_rendering_has_a_text_for_objects_of_its_reading(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = filled(lab, &peer).await?;
    let reading = session.read().await?;
    let rendering = render(&peer, lab.engine(), session.reference(&reading.snapshot)).await?;
    ensure(!rendering.definitions.is_empty(), "Render of a reading with two objects", "no definition")?;
    for definition in &rendering.definitions {
        let known = reading.schema.objects().any(|object| object.id == definition.object);
        ensure(known, "Render", "a definition of an object that is not in the reading")?;
    }
    Ok(())
}

async fn a_rendering_makes_the_same_schema_again(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Render, Execute of its texts in an empty dev database, Inspect of that";
    let peer = lab.start().await?;
    let session = filled(lab, &peer).await?;
    let reading = session.read().await?;
    let rendering = render(&peer, lab.engine(), session.reference(&reading.snapshot)).await?;
    let dev = super::plans::empty_dev(lab, &session).await?;
    let texts: Vec<&str> = rendering.definitions.iter().map(|definition| definition.text.as_str()).collect();
    dev.apply(&texts, None).await?;
    ensure(dev.fingerprint().await? == reading.fingerprint, SENT, "another schema")
}

async fn two_renderings_of_one_reading_are_the_same(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = filled(lab, &peer).await?;
    let snapshot = session.read().await?.snapshot;
    let one = render(&peer, lab.engine(), session.reference(&snapshot)).await?;
    let other = render(&peer, lab.engine(), session.reference(&snapshot)).await?;
    ensure(one == other, "Render twice", "two different texts")
}

fn nowhere() -> pb::SnapshotRef {
    let (session_id, snapshot_id) = ("0123456789012345678901-nowhere".to_owned(), "nowhere".to_owned());
    pb::SnapshotRef { session_id, snapshot_id }
}

async fn a_rendering_of_no_reading_is_not_found(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let request = pb::RenderRequest { engine: lab.engine(), snapshot: Some(nowhere()) };
    let answer = whole(peer.client().render(request).await).await;
    refused_with("Render of a reading that is not there", answer, &[Code::NotFound]).map(drop)
}

async fn a_reading_ends_with_its_session(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    let session = filled(lab, &peer).await?;
    let snapshot = Some(session.reference(&session.read().await?.snapshot));
    session.close().await?;
    let request = pb::RenderRequest { engine: lab.engine(), snapshot };
    let answer = whole(peer.client().render(request).await).await;
    refused_with("Render of a reading whose session is closed", answer, &[Code::NotFound]).map(drop)
}
