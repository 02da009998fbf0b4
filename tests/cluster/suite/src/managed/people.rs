//! What people say about a resource: approvals and acknowledgments, and what they are answered.

use anyhow::Result;
use ptah_admission::cases::Actor;
use serde_json::{Value, json};

use super::Resource;
use crate::wait::until;
use crate::world::Answer;

impl Resource<'_> {
    /// A person approves the plan of this status; gives the approval's path.
    pub(crate) async fn approve(&self, status: &Value, name: &str) -> Result<String> {
        let plan = &status["plan"];
        let answer = self.try_approve(Actor::Approver, plan, name).await?;
        answer.accepted(name)?;
        Ok(format!("{}/{name}", self.approvals()))
    }

    /// Somebody approves a plan by its name, UID and fingerprint, whatever the answer is.
    pub(crate) async fn try_approve(&self, actor: Actor, plan: &Value, name: &str) -> Result<Answer> {
        let field = if self.kind == "PtahSchema" { "schemaRef" } else { "migrationRef" };
        let approval = json!({
            "apiVersion": "operator.ptah.run/v1alpha1",
            "kind": format!("{}Approval", self.kind),
            "metadata": { "name": name },
            "spec": {
                field: { "name": self.name, "uid": self.uid },
                "planRef": { "name": plan["name"], "uid": plan["uid"] },
                "planFingerprint": plan["fingerprint"],
            },
        });
        self.managed.world.user(actor)?.try_create(&self.approvals(), &approval).await
    }

    /// A person says what became of a run; gives the acknowledgment's path.
    pub(crate) async fn acknowledge(&self, operation: &Value, finding: &str, name: &str) -> Result<String> {
        let acknowledgment = json!({
            "apiVersion": "operator.ptah.run/v1alpha1",
            "kind": "PtahMigrationRunAcknowledgment",
            "metadata": { "name": name },
            "spec": {
                "claimantRef": { "kind": self.kind, "name": self.name, "uid": self.uid },
                "operationID": operation,
                "finding": finding,
                "reason": "the database was looked at",
            },
        });
        let path = self.managed.ours("ptahmigrationrunacknowledgments");
        self.managed.world.user(Actor::Approver)?.create(&path, &acknowledgment).await?;
        Ok(format!("{path}/{name}"))
    }

    fn approvals(&self) -> String {
        self.managed.ours(&format!("{}approvals", self.kind.to_lowercase()))
    }

    /// Waits until a person's word was answered with this condition and reason, and gives its status.
    pub(crate) async fn is_answered(&self, path: &str, kind: &str, reason: &str) -> Result<Value> {
        until(&format!("{path} being {kind}, {reason}"), || async {
            let status = self.managed.world.admin.get(path).await?["status"].clone();
            let mut conditions = status["conditions"].as_array().into_iter().flatten();
            let wanted = |one: &Value| one["type"] == kind && one["status"] == "True" && one["reason"] == reason;
            Ok(conditions.any(wanted).then_some(status))
        })
        .await
    }
}
