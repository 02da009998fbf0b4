//! The generated trait: one line or two for each call, and the work in the files beside this one.

use ptah_provider_wire::pb;
use ptah_provider_wire::pb::provider_server::Provider as Calls;
use tonic::{Request, Response, Status};

use super::Provider;
use super::streams::Parts;
use crate::engine::Engine;

type Reply<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl<E: Engine> Calls for Provider<E> {
    type InspectStream = Parts<pb::InspectPart>;
    type RenderStream = Parts<pb::RenderPart>;
    type AnalyzeSqlStream = Parts<pb::AnalyzeSqlPart>;

    async fn describe(&self, request: Request<pb::DescribeRequest>) -> Reply<pb::Description> {
        self.reply(self.settle(request))
    }

    async fn open(&self, request: Request<pb::OpenRequest>) -> Reply<pb::Session> {
        self.reply(self.open_session(request).await)
    }

    async fn close(&self, request: Request<pb::CloseRequest>) -> Reply<pb::CloseReply> {
        self.reply(self.close_session(request).await)
    }

    async fn inspect(&self, request: Request<pb::InspectRequest>) -> Reply<Self::InspectStream> {
        self.inspect_session(request).await.map(Response::new).map_err(|f| self.refuse(f))
    }

    async fn plan(&self, request: Request<pb::PlanRequest>) -> Reply<pb::PlanReply> {
        self.reply(self.plan_changes(request).await)
    }

    async fn render(&self, request: Request<pb::RenderRequest>) -> Reply<Self::RenderStream> {
        self.render_reading(request).await.map(Response::new).map_err(|f| self.refuse(f))
    }

    async fn analyze_sql(&self, request: Request<pb::AnalyzeSqlRequest>) -> Reply<Self::AnalyzeSqlStream> {
        self.analyze_source(request).await.map(Response::new).map_err(|f| self.refuse(f))
    }

    async fn execute(&self, request: Request<pb::ExecuteRequest>) -> Reply<pb::ExecuteReply> {
        self.reply(self.execute_units(request).await)
    }

    async fn begin_transaction(&self, request: Request<pb::BeginRequest>) -> Reply<pb::TransactionReceipt> {
        self.reply(self.begin(request).await)
    }

    async fn commit_transaction(&self, request: Request<pb::EndRequest>) -> Reply<pb::TransactionReceipt> {
        self.reply(self.commit(request).await)
    }

    async fn rollback_transaction(&self, request: Request<pb::EndRequest>) -> Reply<pb::TransactionReceipt> {
        self.reply(self.rollback(request).await)
    }

    async fn try_lock(&self, request: Request<pb::LockRequest>) -> Reply<pb::LockReceipt> {
        self.reply(self.attempt_lock(request).await)
    }

    async fn check_lock(&self, request: Request<pb::LockRequest>) -> Reply<pb::LockReceipt> {
        self.reply(self.prove_lock(request).await)
    }

    async fn release_lock(&self, request: Request<pb::LockRequest>) -> Reply<pb::LockReceipt> {
        self.reply(self.give_lock_back(request).await)
    }

    async fn claim(&self, request: Request<pb::ClaimRequest>) -> Reply<pb::ClaimReceipt> {
        self.reply(self.record_claim(request).await)
    }

    async fn read_claims(&self, request: Request<pb::ReadClaimsRequest>) -> Reply<pb::ClaimsReading> {
        self.reply(self.remembered(request).await)
    }

    async fn adopt_database(&self, request: Request<pb::AdoptRequest>) -> Reply<pb::AdoptReply> {
        self.reply(self.adopt(request).await)
    }

    async fn forget_records(&self, request: Request<pb::ForgetRequest>) -> Reply<pb::ForgetReply> {
        self.reply(self.forget(request).await)
    }

    async fn query_rows(&self, request: Request<pb::QueryRowsRequest>) -> Reply<pb::QueryRowsReply> {
        self.reply(self.ask_rows(request).await)
    }

    async fn provision_dev(&self, request: Request<pb::ProvisionDevRequest>) -> Reply<pb::DevDatabase> {
        self.reply(self.provision(request).await)
    }
}
