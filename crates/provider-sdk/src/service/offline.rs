//! What needs no connection: plans, renderings, analyses and dev databases. Each runs where it may block.

use std::sync::Arc;

use ptah_model::EngineName;
use ptah_provider_api::Violation;
use ptah_provider_api::dev::{DevContent, DevDatabase, ProvisionDevRequest};
use ptah_provider_api::plan::{PlanReply, PlanRequest};
use ptah_provider_api::render::RenderRequest;
use ptah_provider_api::sql::AnalyzeSqlRequest;
use ptah_provider_wire::pb;
use tonic::Request;

use super::Provider;
use super::sessions::clean;
use super::streams::Parts;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::status::{broken, invalid};

impl<E: Engine> Provider<E> {
    /// Turns changes into steps.
    pub(super) async fn plan_changes(&self, request: Request<pb::PlanRequest>) -> Result<PlanReply, Failure> {
        let asked: PlanRequest = self.read(request)?;
        self.agreed()?.gate_engine("Plan", asked.engine.as_str())?;
        let (current, desired) = (self.snapshot(&asked.current)?, self.snapshot(&asked.desired)?);
        self.offline(move |engine| {
            let mut reply = engine.plan(&asked, &current, &desired)?;
            for refusal in &mut reply.refusals {
                clean(&mut refusal.reason);
                refusal.hint.iter_mut().for_each(clean);
            }
            reply.steps.iter_mut().flat_map(|s| &mut s.hazards).for_each(|h| clean(&mut h.text));
            reply.validate_for(&asked).map_err(broken)?;
            Ok(reply)
        })
        .await
    }

    /// Writes a reading as source text.
    pub(super) async fn render_reading(
        &self,
        request: Request<pb::RenderRequest>,
    ) -> Result<Parts<pb::RenderPart>, Failure> {
        let asked: RenderRequest = self.read(request)?;
        self.agreed()?.gate_engine("Render", asked.engine.as_str())?;
        let snapshot = self.snapshot(&asked.snapshot)?;
        let rendering = self
            .offline(move |engine| {
                let rendering = engine.render(&snapshot)?;
                rendering.validate().map_err(broken)?;
                Ok(rendering)
            })
            .await?;
        Ok(Parts::rendering(rendering, Arc::clone(&self.negotiation)))
    }

    /// Analyses one source.
    pub(super) async fn analyze_source(
        &self,
        request: Request<pb::AnalyzeSqlRequest>,
    ) -> Result<Parts<pb::AnalyzeSqlPart>, Failure> {
        let asked: AnalyzeSqlRequest = self.read(request)?;
        self.agreed()?.gate_engine("AnalyzeSql", asked.engine.as_str())?;
        let analysis = self
            .offline(move |engine| {
                let analysis = engine.analyze_sql(&asked)?;
                analysis.validate_for(&asked).map_err(broken)?;
                Ok(analysis)
            })
            .await?;
        Ok(Parts::analysis(analysis, Arc::clone(&self.negotiation)))
    }

    /// Makes a dev database.
    pub(super) async fn provision(&self, request: Request<pb::ProvisionDevRequest>) -> Result<DevDatabase, Failure> {
        let asked: ProvisionDevRequest = self.read(request)?;
        self.agreed()?.gate_engine("ProvisionDev", asked.engine.as_str())?;
        if let Some(session) = &asked.session {
            same_engine(&asked.engine, &self.find(session)?.engine)?;
        }
        let copy_of = match &asked.content {
            DevContent::Empty => None,
            DevContent::CopyOf(snapshot) => Some(self.snapshot(snapshot)?),
        };
        self.offline(move |engine| {
            let dev = engine.provision_dev(&asked, copy_of)?;
            let database = DevDatabase { request: asked.request.clone(), dev };
            database.validate_for(&asked).map_err(broken)?;
            Ok(database)
        })
        .await
    }
}

/// Refuses a request that names one engine and a session of another.
fn same_engine(asked: &EngineName, session: &str) -> Result<(), Failure> {
    let same = asked.as_str() == session;
    Violation::unless(same, "ProvisionDevRequest", "engine", "is the session's engine").map_err(invalid)
}
