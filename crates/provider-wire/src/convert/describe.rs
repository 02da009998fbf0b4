//! Describe: the request and the description.

use ptah_model::{EngineName, IdentifierRules, KindModel, ProviderId};
use ptah_provider_api::contract::ContractVersion;
use ptah_provider_api::describe::{DescribeRequest, Description, Engine};

use super::common::kind;
use super::{Numbered, OnWire, WireError, facts_from_wire, facts_to_wire, from_list, numbered};
use super::{parsed, required, set, to_list};
use crate::pb;

numbered!(ptah_model::Holds, Holds, Rows, Values, Protection, Definition, Nothing);

impl OnWire for DescribeRequest {
    type Message = pb::DescribeRequest;

    fn to_wire(self) -> pb::DescribeRequest {
        let Self { contract, host_features, required_features, host } = self;
        pb::DescribeRequest {
            contract: Some(contract.to_wire()),
            host_features: host_features.into_iter().collect(),
            required_features: required_features.into_iter().collect(),
            host,
        }
    }

    fn from_wire(message: pb::DescribeRequest) -> Result<Self, WireError> {
        const M: &str = "DescribeRequest";
        Ok(Self {
            contract: ContractVersion::from_wire(required(message.contract, M, "contract")?)?,
            host_features: set(message.host_features, M, "host_features")?,
            required_features: set(message.required_features, M, "required_features")?,
            host: message.host,
        })
    }
}

impl OnWire for Description {
    type Message = pb::Description;

    fn to_wire(self) -> pb::Description {
        let Self { provider_id, display_name, version, build_id, contract, min_contract, features, engines } = self;
        pb::Description {
            provider_id: provider_id.as_str().to_owned(),
            display_name,
            version,
            build_id,
            contract: Some(contract.to_wire()),
            min_contract: min_contract.map(OnWire::to_wire),
            features: features.into_iter().collect(),
            engines: to_list(engines),
        }
    }

    fn from_wire(message: pb::Description) -> Result<Self, WireError> {
        const M: &str = "Description";
        Ok(Self {
            provider_id: parsed(ProviderId::new(message.provider_id), M, "provider_id")?,
            display_name: message.display_name,
            version: message.version,
            build_id: message.build_id,
            contract: ContractVersion::from_wire(required(message.contract, M, "contract")?)?,
            min_contract: message.min_contract.map(ContractVersion::from_wire).transpose()?,
            features: set(message.features, M, "features")?,
            engines: from_list(message.engines)?,
        })
    }
}

impl OnWire for Engine {
    type Message = pb::Engine;

    fn to_wire(self) -> pb::Engine {
        let Self { name, aliases, url_schemes, features, identifier_rules, default_capabilities, models } = self;
        pb::Engine {
            name: name.as_str().to_owned(),
            aliases: words(aliases),
            url_schemes: words(url_schemes),
            features: features.into_iter().collect(),
            identifier_rules: identifier_rules.map(OnWire::to_wire),
            default_capabilities: facts_to_wire(default_capabilities),
            models: to_list(models),
        }
    }

    fn from_wire(message: pb::Engine) -> Result<Self, WireError> {
        const M: &str = "Engine";
        Ok(Self {
            name: parsed(EngineName::new(message.name), M, "name")?,
            aliases: names(message.aliases, "aliases")?,
            url_schemes: names(message.url_schemes, "url_schemes")?,
            features: set(message.features, M, "features")?,
            identifier_rules: message.identifier_rules.map(IdentifierRules::from_wire).transpose()?,
            default_capabilities: facts_from_wire(message.default_capabilities, M, "default_capabilities")?,
            models: from_list(message.models)?,
        })
    }
}

fn words(names: Vec<EngineName>) -> Vec<String> {
    names.iter().map(|n| n.as_str().to_owned()).collect()
}

fn names(words: Vec<String>, field: &'static str) -> Result<Vec<EngineName>, WireError> {
    let name = |word| parsed(EngineName::new(word), "Engine", field);
    words.into_iter().map(name).collect()
}

impl OnWire for KindModel {
    type Message = pb::KindModel;

    fn to_wire(self) -> pb::KindModel {
        let Self { kind, parent, member, holds, ordered, renamable } = self;
        pb::KindModel {
            kind: kind.as_str().to_owned(),
            parent: parent.map(|p| p.as_str().to_owned()),
            member,
            holds: holds.number(),
            ordered,
            renamable,
        }
    }

    fn from_wire(message: pb::KindModel) -> Result<Self, WireError> {
        const M: &str = "KindModel";
        Ok(Self {
            kind: kind(message.kind, M)?,
            parent: message.parent.map(|word| kind(word, M)).transpose()?,
            member: message.member,
            holds: ptah_model::Holds::numbered(message.holds, M, "holds")?,
            ordered: message.ordered,
            renamable: message.renamable,
        })
    }
}
