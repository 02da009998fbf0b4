//! Where and how long operation Pods run. Neither the image nor the command can be chosen.

use std::borrow::Cow;
use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Affinity, Toleration};
use ptah_records::operator::limits::WINDOW_MOST;
use ptah_records::operator::list::List;
use ptah_records::operator::text::ObjectName;
use ptah_records::operator::whole::Whole;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::duration::Between;

/// The name of a Secret in the same namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocalSecret {
    /// The Secret's name.
    pub name: ObjectName,
}

/// An amount of a resource, for example `500m`, `128Mi` or 2.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Quantity {
    /// A whole number.
    Number(i64),
    /// A number with a suffix.
    Text(String),
}

impl JsonSchema for Quantity {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [{ "type": "integer" }, { "type": "string" }],
            "maxLength": 64,
            "pattern": "^[+]?([0-9]+([.][0-9]*)?|[.][0-9]+)(([KMGTPE]i)|[numkMGTPE]|([eE][+-]?[0-9]+))?$",
            "x-kubernetes-int-or-string": true,
        })
    }
}

/// What the container that speaks to the database gets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resources {
    /// What it may use at most, by resource.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 8))]
    pub limits: BTreeMap<String, Quantity>,
    /// What is reserved for it, by resource.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 8))]
    pub requests: BTreeMap<String, Quantity>,
}

/// Labels and annotations of operation Pods, for example for a service mesh. They are no part of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PodMetadata {
    /// Labels, by key; at most 16. Keys of Kubernetes and of Ptah are refused.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "labels")]
    pub labels: BTreeMap<String, String>,
    /// Annotations, by key; at most 16. Keys of Kubernetes and of Ptah are refused.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "annotations")]
    pub annotations: BTreeMap<String, String>,
}

/// Refuses keys whose owner is Kubernetes or Ptah.
const FOREIGN_KEY: &str = "self.all(key, !key.matches('^([^/]*[.])?(kubernetes[.]io|k8s[.]io|ptah[.]run)/') \
    && key != 'controller-uid' && key != 'job-name')";

fn labels(_: &mut SchemaGenerator) -> Schema {
    entries(63)
}

fn annotations(_: &mut SchemaGenerator) -> Schema {
    entries(1024)
}

fn entries(most: usize) -> Schema {
    json_schema!({
        "type": "object",
        "maxProperties": 16,
        "additionalProperties": { "type": "string", "maxLength": most },
        "x-kubernetes-validations": [{
            "rule": FOREIGN_KEY,
            "message": "keys of kubernetes.io, k8s.io and ptah.run, controller-uid and job-name are not yours to set",
        }],
    })
}

/// Where and how long operation Pods run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Execution {
    /// How long a run may take, in seconds, from 30 to 86400.
    #[serde(default = "fifteen_minutes")]
    pub active_deadline_seconds: Whole<30, WINDOW_MOST>,
    /// How long to wait after an operation that failed, at first; the wait grows while it fails. From 5s to 1h.
    #[serde(default = "thirty_seconds")]
    pub failure_retry_interval: Between<5, 3600>,
    /// How long connecting to the database may take, from 1s to 10m.
    #[serde(default = "ten_seconds")]
    pub connect_timeout: Between<1, 600>,
    /// What the container that speaks to the database gets.
    #[serde(default)]
    pub resources: Resources,
    /// The service account of operation Pods; `default` when absent. It needs no rights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<ObjectName>,
    /// Secrets for pulling the images of operation Pods; may be empty.
    #[serde(default)]
    pub image_pull_secrets: List<LocalSecret, 16>,
    /// Labels that a node must have, by key; may be empty.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 32))]
    pub node_selector: BTreeMap<String, String>,
    /// Taints that operation Pods bear; may be empty.
    #[serde(default)]
    pub tolerations: List<Toleration, 32>,
    /// Where operation Pods would rather run, or must not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity: Option<Affinity>,
    /// The runtime class of operation Pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_class_name: Option<ObjectName>,
    /// The priority class of operation Pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority_class_name: Option<ObjectName>,
    /// Labels and annotations of operation Pods.
    #[serde(default)]
    pub pod_metadata: PodMetadata,
}

fn fifteen_minutes() -> Whole<30, WINDOW_MOST> {
    #[expect(clippy::expect_used, reason = "900 is between 30 and a day")]
    Whole::new(900).expect("the default is within the limits")
}

fn thirty_seconds() -> Between<5, 3600> {
    Between::seconds(30)
}

fn ten_seconds() -> Between<1, 600> {
    Between::seconds(10)
}

impl Default for Execution {
    fn default() -> Self {
        Self {
            active_deadline_seconds: fifteen_minutes(),
            failure_retry_interval: thirty_seconds(),
            connect_timeout: ten_seconds(),
            resources: Resources::default(),
            service_account_name: None,
            image_pull_secrets: List::default(),
            node_selector: BTreeMap::new(),
            tolerations: List::default(),
            affinity: None,
            runtime_class_name: None,
            priority_class_name: None,
            pod_metadata: PodMetadata::default(),
        }
    }
}
