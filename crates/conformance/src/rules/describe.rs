//! Negotiation: what is said first, what is offered, and what a host that lists less gets to see.

use std::collections::BTreeSet;

use prost::Message as _;
use ptah_provider_api::describe::Description;
use ptah_provider_api::feature::{DEFAULT_CAPABILITIES, REQUIRED, gated_calls, two_way_features};
use ptah_provider_wire::{OnWire as _, pb};
use tonic::Code;

use super::table;
use crate::lab::Lab;
use crate::message::{describe, describe_all, fresh};
use crate::peer::unary;
use crate::rule::{Check, broken, ensure, failed, refused_with};

mod gates;

use gates::{a_service_that_is_listed_is_served, a_service_that_is_not_listed_is_unimplemented, describe_comes_first};

table! { "describe":
    describe_comes_first => "Describe comes first; every other call before it is refused with FAILED_PRECONDITION.",
    the_description_keeps_its_form => "Every field of the description has the form that the contract gives it.",
    the_required_features_are_listed =>
        "Every provider lists schema.inspect, schema.render, units.execute and sql.analyze, and each is offered by an engine.",
    every_engine_states_how_names_compare => "A missing or unknown identifier rule is refused, and none is borrowed.",
    the_contract_is_of_this_major => "The major is the number in the package's name, and min_contract is of the same major.",
    two_way_features_that_the_host_does_not_list_are_left_out =>
        "A two-way feature is used only when both sides list it; the description is narrowed to what the host can use.",
    each_two_way_feature_is_negotiated_by_itself => "A two-way feature that both sides list is in the description.",
    one_way_features_need_no_listing_by_the_host => "A feature that adds a new call needs no host listing.",
    what_a_newer_host_says_is_ignored => "Each minor adds what an older peer can ignore: a field, a feature.",
    a_host_of_another_major_is_refused => "A host and a provider of different majors never talk.",
    a_second_describe_changes_nothing => "What the first Describe settled holds for the connection.",
    two_starts_give_the_same_description => "The same question gives the same bytes.",
    a_service_that_is_listed_is_served => "A feature is listed with its service.",
    a_service_that_is_not_listed_is_unimplemented => "A service is listed with its feature.",
}

/// The two-way features among those that a description lists, for itself and for its engines.
fn two_way(description: &pb::Description) -> BTreeSet<String> {
    let engines = description.engines.iter().flat_map(|engine| &engine.features);
    let all = description.features.iter().chain(engines);
    all.filter(|feature| two_way_features().contains(&feature.as_str())).cloned().collect()
}

fn one_way(description: &pb::Description) -> BTreeSet<String> {
    let all = description.features.iter();
    all.filter(|feature| !two_way_features().contains(&feature.as_str())).cloned().collect()
}

async fn described(lab: &Lab<'_>, request: pb::DescribeRequest) -> Result<pb::Description, crate::rule::Stop> {
    lab.silent().await?.describe(request).await
}

async fn the_description_keeps_its_form(lab: &Lab<'_>) -> Check {
    let description = Description::from_wire(described(lab, describe_all()).await?);
    let proven = description.and_then(|description| description.validate());
    proven.map_err(|rule| broken("Describe", rule.to_string()))
}

async fn the_required_features_are_listed(lab: &Lab<'_>) -> Check {
    let description = described(lab, describe(&[])).await?;
    for feature in REQUIRED {
        let listed = description.features.iter().any(|f| f == feature);
        let offered = description.engines.iter().any(|engine| engine.features.iter().any(|f| f == feature));
        ensure(listed && offered, "Describe", format!("{feature} is not listed, or no engine offers it"))?;
    }
    Ok(())
}

async fn every_engine_states_how_names_compare(lab: &Lab<'_>) -> Check {
    let known = |number: i32| !matches!(pb::Comparison::try_from(number), Err(_) | Ok(pb::Comparison::Unspecified));
    for engine in described(lab, describe_all()).await?.engines {
        let rules = engine.identifier_rules.as_ref();
        let stated = rules.is_some_and(|r| known(r.table) && known(r.column) && known(r.index));
        ensure(stated, "Describe", format!("engine {} lacks an identifier rule", engine.name))?;
    }
    Ok(())
}

async fn the_contract_is_of_this_major(lab: &Lab<'_>) -> Check {
    let description = described(lab, describe_all()).await?;
    let ours = description.contract.as_ref().is_some_and(|version| version.major == 1);
    ensure(ours, "Describe", "another major than 1, or none")?;
    let minimum = description.min_contract.is_none_or(|version| version.major == 1);
    ensure(minimum, "Describe", "a min_contract of another major")
}

async fn two_way_features_that_the_host_does_not_list_are_left_out(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Describe with an empty host_features";
    let description = described(lab, describe(&[])).await?;
    let kept = two_way(&description);
    ensure(kept.is_empty(), SENT, format!("two-way features are listed: {kept:?}"))?;
    let facts = description.engines.iter().any(|engine| !engine.default_capabilities.is_empty());
    ensure(!facts, SENT, "an engine states default_capabilities")
}

async fn each_two_way_feature_is_negotiated_by_itself(lab: &Lab<'_>) -> Check {
    let offered = two_way(&lab.offer.description);
    for feature in two_way_features() {
        let sent = format!("Describe with host_features = [{feature}]");
        let description = described(lab, describe(&[feature])).await?;
        let expected: BTreeSet<String> = offered.iter().filter(|f| f == feature).cloned().collect();
        let found = two_way(&description);
        ensure(found == expected, &sent, format!("the two-way features {found:?}, where {expected:?} is negotiated"))?;
        let facts = description.engines.iter().any(|engine| !engine.default_capabilities.is_empty());
        ensure(!facts || *feature == DEFAULT_CAPABILITIES, &sent, "an engine states default_capabilities")?;
    }
    Ok(())
}

async fn one_way_features_need_no_listing_by_the_host(lab: &Lab<'_>) -> Check {
    let (bare, whole) = (described(lab, describe(&[])).await?, described(lab, describe_all()).await?);
    let same = one_way(&bare) == one_way(&whole);
    ensure(same, "Describe with and without host_features", "the one-way features differ")
}

async fn what_a_newer_host_says_is_ignored(lab: &Lab<'_>) -> Check {
    let before = described(lab, describe_all()).await?;
    let mut request = describe_all();
    request.contract = Some(pb::ContractVersion { major: 1, minor: 7 });
    request.host_features.push("future.promises".to_owned());
    // Features of a later minor that the host does without are not required ones.
    let after = described(lab, request).await?;
    let same = before.encode_to_vec() == after.encode_to_vec();
    ensure(same, "Describe from a host of contract 1.7 that lists future.promises", "another description")?;
    let sent = "Describe with a field that the contract does not have yet";
    let peer = lab.silent().await?;
    let request = LaterRequest { known: describe_all().encode_to_vec(), later: "from later".to_owned() };
    let path = "/ptah.provider.v1.Provider/Describe";
    let answer: Result<pb::Description, _> = unary(&peer.channel, path, request).await;
    let after = answer.map_err(|status| broken(sent, failed(&status)))?;
    ensure(before.encode_to_vec() == after.encode_to_vec(), sent, "another description")
}

/// A message of this minor with a field of a later one behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct LaterRequest {
    known: Vec<u8>,
    later: String,
}

/// Such a message as bytes: fields may come in any order, so the later one simply follows.
impl LaterRequest {
    const FIELD: u32 = 1_000;
}

impl prost::Message for LaterRequest {
    fn encode_raw(&self, buf: &mut impl bytes::BufMut) {
        buf.put_slice(&self.known);
        prost::encoding::string::encode(Self::FIELD, &self.later, buf);
    }

    fn merge_field(
        &mut self,
        _: u32,
        wire: prost::encoding::WireType,
        buf: &mut impl bytes::Buf,
        ctx: prost::encoding::DecodeContext,
    ) -> Result<(), prost::DecodeError> {
        prost::encoding::skip_field(wire, Self::FIELD, buf, ctx)
    }

    fn encoded_len(&self) -> usize {
        self.known.len() + prost::encoding::string::encoded_len(Self::FIELD, &self.later)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

async fn a_host_of_another_major_is_refused(lab: &Lab<'_>) -> Check {
    let peer = lab.silent().await?;
    let mut request = describe_all();
    request.contract = Some(pb::ContractVersion { major: 2, minor: 0 });
    let answer = peer.client().describe(request).await;
    refused_with("Describe from a host of contract 2.0", answer, &[Code::FailedPrecondition]).map(drop)
}

async fn a_second_describe_changes_nothing(lab: &Lab<'_>) -> Check {
    const SENT: &str = "Describe with no host_features, then with all";
    let peer = lab.silent().await?;
    peer.describe(describe(&[])).await?;
    let Ok(second) = peer.client().describe(describe_all()).await else { return Ok(()) };
    let found = two_way(&second.into_inner());
    ensure(found.is_empty(), SENT, format!("the second negotiated {found:?}"))
}

async fn two_starts_give_the_same_description(lab: &Lab<'_>) -> Check {
    let (one, other) = (described(lab, describe_all()).await?, described(lab, describe_all()).await?);
    ensure(one.encode_to_vec() == other.encode_to_vec(), "Describe in two processes", "two descriptions")
}
