//! Open, Close and dev databases.

use ptah_model::{EngineName, IdentifierRules};
use ptah_provider_api::dev::{DevContent, DevDatabase, ProvisionDevRequest};
use ptah_provider_api::key::{RequestId, SessionId};
use ptah_provider_api::plan::SnapshotRef;
use ptah_provider_api::session::{Address, CloseReply, CloseRequest, DatabaseIdentity, DevId, OpenRequest, OpenTarget};
use ptah_provider_api::session::{Purpose, Session};

use super::{Numbered, OnWire, WireError, digest, facts_from_wire, facts_to_wire, numbered, parsed, required, set};
use crate::pb;
use crate::pb::open_request::Target;
use crate::pb::provision_dev_request::Content;

numbered!(ptah_provider_api::session::Purpose, Purpose, Read, Apply, Dev);

impl OnWire for OpenRequest {
    type Message = pb::OpenRequest;

    fn to_wire(self) -> pb::OpenRequest {
        let Self { request, engine, target, purpose, create, recover, accept, lock_timeout_ms } = self;
        let folder = match &target {
            OpenTarget::Address(address) => address.folder().map(str::to_owned),
            OpenTarget::Dev(_) => None,
        };
        pb::OpenRequest {
            folder,
            request_id: request.as_str().to_owned(),
            engine: engine.as_str().to_owned(),
            target: Some(match target {
                OpenTarget::Address(address) => Target::Address(address.expose().to_owned()),
                OpenTarget::Dev(dev) => Target::DevId(dev.0),
            }),
            purpose: purpose.number(),
            create,
            recover,
            accept: accept.into_iter().collect(),
            lock_timeout_ms,
        }
    }

    fn from_wire(message: pb::OpenRequest) -> Result<Self, WireError> {
        const M: &str = "OpenRequest";
        let within = |address: Address| match message.folder {
            Some(folder) => address.relative_to(folder),
            None => address,
        };
        Ok(Self {
            request: RequestId::new(message.request_id)?,
            engine: parsed(EngineName::new(message.engine), M, "engine")?,
            target: match required(message.target, M, "target")? {
                Target::Address(address) => OpenTarget::Address(within(Address::new(address))),
                Target::DevId(dev) => OpenTarget::Dev(DevId(dev)),
            },
            purpose: Purpose::numbered(message.purpose, M, "purpose")?,
            create: message.create,
            recover: message.recover,
            accept: set(message.accept, M, "accept")?,
            lock_timeout_ms: message.lock_timeout_ms,
        })
    }
}

impl OnWire for Session {
    type Message = pb::Session;

    fn to_wire(self) -> pb::Session {
        let Self {
            request,
            session,
            engine,
            database,
            default_schema,
            server_version,
            identifier_rules,
            features,
            capabilities,
            settings_digest,
            identity,
            exists,
            notes,
        } = self;
        pb::Session {
            request_id: request.as_str().to_owned(),
            session_id: session.as_str().to_owned(),
            engine: engine.as_str().to_owned(),
            database,
            default_schema,
            server_version,
            identifier_rules: Some(identifier_rules.to_wire()),
            features: features.into_iter().collect(),
            capabilities: facts_to_wire(capabilities),
            settings_digest: settings_digest.to_string(),
            identity: Some(identity.to_wire()),
            exists,
            notes,
        }
    }

    fn from_wire(message: pb::Session) -> Result<Self, WireError> {
        const M: &str = "Session";
        Ok(Self {
            request: RequestId::new(message.request_id)?,
            session: SessionId::new(message.session_id)?,
            engine: parsed(EngineName::new(message.engine), M, "engine")?,
            database: message.database,
            default_schema: message.default_schema,
            server_version: message.server_version,
            identifier_rules: IdentifierRules::from_wire(required(message.identifier_rules, M, "identifier_rules")?)?,
            features: set(message.features, M, "features")?,
            capabilities: facts_from_wire(message.capabilities, M, "capabilities")?,
            settings_digest: digest(&message.settings_digest, M, "settings_digest")?,
            identity: DatabaseIdentity::from_wire(required(message.identity, M, "identity")?)?,
            exists: message.exists,
            notes: message.notes,
        })
    }
}

impl OnWire for DatabaseIdentity {
    type Message = pb::DatabaseIdentity;

    fn to_wire(self) -> pb::DatabaseIdentity {
        let Self { uuid, recorded_physical, physical, route } = self;
        pb::DatabaseIdentity { uuid, recorded_physical, physical, route }
    }

    fn from_wire(message: pb::DatabaseIdentity) -> Result<Self, WireError> {
        let pb::DatabaseIdentity { uuid, recorded_physical, physical, route } = message;
        Ok(Self { uuid, recorded_physical, physical, route })
    }
}

impl OnWire for CloseRequest {
    type Message = pb::CloseRequest;

    fn to_wire(self) -> pb::CloseRequest {
        let Self { session, request } = self;
        pb::CloseRequest { session_id: session.as_str().to_owned(), request_id: request.as_str().to_owned() }
    }

    fn from_wire(message: pb::CloseRequest) -> Result<Self, WireError> {
        Ok(Self { session: SessionId::new(message.session_id)?, request: RequestId::new(message.request_id)? })
    }
}

impl OnWire for CloseReply {
    type Message = pb::CloseReply;

    fn to_wire(self) -> pb::CloseReply {
        let Self { request } = self;
        pb::CloseReply { request_id: request.as_str().to_owned() }
    }

    fn from_wire(message: pb::CloseReply) -> Result<Self, WireError> {
        Ok(Self { request: RequestId::new(message.request_id)? })
    }
}

impl OnWire for ProvisionDevRequest {
    type Message = pb::ProvisionDevRequest;

    fn to_wire(self) -> pb::ProvisionDevRequest {
        let Self { request, engine, session, content } = self;
        pb::ProvisionDevRequest {
            request_id: request.as_str().to_owned(),
            engine: engine.as_str().to_owned(),
            session_id: session.map(|s| s.as_str().to_owned()),
            content: Some(match content {
                DevContent::Empty => Content::Empty(pb::DevEmpty {}),
                DevContent::CopyOf(snapshot) => Content::CopyOf(snapshot.to_wire()),
            }),
        }
    }

    fn from_wire(message: pb::ProvisionDevRequest) -> Result<Self, WireError> {
        const M: &str = "ProvisionDevRequest";
        Ok(Self {
            request: RequestId::new(message.request_id)?,
            engine: parsed(EngineName::new(message.engine), M, "engine")?,
            session: message.session_id.map(SessionId::new).transpose()?,
            content: match required(message.content, M, "content")? {
                Content::Empty(pb::DevEmpty {}) => DevContent::Empty,
                Content::CopyOf(snapshot) => DevContent::CopyOf(SnapshotRef::from_wire(snapshot)?),
            },
        })
    }
}

impl OnWire for DevDatabase {
    type Message = pb::DevDatabase;

    fn to_wire(self) -> pb::DevDatabase {
        let Self { request, dev } = self;
        pb::DevDatabase { request_id: request.as_str().to_owned(), dev_id: dev.0 }
    }

    fn from_wire(message: pb::DevDatabase) -> Result<Self, WireError> {
        Ok(Self { request: RequestId::new(message.request_id)?, dev: DevId(message.dev_id) })
    }
}
