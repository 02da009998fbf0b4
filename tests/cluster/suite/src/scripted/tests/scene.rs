//! A script on disk, and operations on it as a manager would write them.

use std::path::PathBuf;

use ptah_lifecycle as core;
use ptah_mirror::frame::{About, Sent, read};
use ptah_model::Digest;
use ptah_records::operator::latest::{
    Answer, ApplyContent, AttachmentName, ChunkRef, Encoding, HistoryRead, MigrationStep, OperationSpec, Proposed,
    RefreshReading, RunReport, SchemaTransactions, Section, SettleBasis, StoredContent, Work,
};
use ptah_records::operator::list::List;
use ptah_records::operator::text::{ObjectName, OciReference, OperationId, Sha256, Uid};
use ptah_records::operator::whole::Whole;
use ptah_records::operator::{check::Record as _, seal};

use super::super::fetch::fetch;
use super::super::{Database, Ending, Kind, Misbehaviour, Objects, Parcel, Place, Script, Step, Store, Trouble, work};

pub(super) const REFERENCE: &str = "oci://registry.test/db/billing:2026.10";

/// A script, and the next operation's number.
pub(super) struct Scene {
    folder: tempfile::TempDir,
    pub(super) store: Store,
    next: std::cell::Cell<u32>,
}

pub(super) fn objects(all: &[(&str, &str)]) -> Objects {
    all.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

pub(super) fn put(name: &str, text: &str) -> Step {
    Step::Put(name.to_owned(), text.to_owned())
}

/// An operation as it is checked in.
pub(super) fn golden(name: &str) -> OperationSpec {
    let file = format!("{}/../../../crates/records/src/operator/v1/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    seal::read(std::fs::read_to_string(file).unwrap().trim_end().as_bytes()).unwrap()
}

impl Scene {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = Script { database: Database::named("billing"), ..Script::default() };
        let store = Store::create(&folder.path().join("script.json"), &script).unwrap();
        Self { folder, store, next: std::cell::Cell::new(1) }
    }

    pub(super) fn edit(&self, change: impl FnOnce(&mut Script)) {
        self.store
            .update(|script| {
                change(script);
                Ok(())
            })
            .unwrap();
    }

    pub(super) fn strikes(&self, kind: Kind, trouble: Trouble) {
        self.edit(|script| script.misbehaviours.push(Misbehaviour::next(kind, trouble)));
    }

    pub(super) fn database(&self) -> Database {
        self.store.read().unwrap().database
    }

    /// Loses a piece that was staged.
    pub(super) fn lose(&self, piece: &str) {
        std::fs::remove_file(self.folder.path().join(piece)).unwrap();
    }

    fn folder(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn operation(&self, name: &str) -> OperationSpec {
        let mut spec = golden(name);
        spec.operation_id = OperationId::new(format!("01890a5d-ac96-774b-bcce-{:012x}", self.next.get())).unwrap();
        spec.limits.lock_timeout_milliseconds = Whole::new(50).unwrap();
        self.next.set(self.next.get() + 1);
        spec
    }

    /// Does the work of an operation that may have to fetch.
    pub(super) fn ending(&self, spec: &OperationSpec) -> Ending {
        assert_eq!(spec.check(), Ok(()));
        let stage = fetch(&self.store, spec).ok();
        if let Some(stage) = &stage {
            seal::write(stage).unwrap();
        }
        let pod = Uid::new("11111111-1111-4111-8111-111111111105").unwrap();
        let content = self.folder(if Kind::of(spec) == Kind::Settle { "desired" } else { "plan" });
        work(&Place { store: &self.store, spec, pod: &pod, stage, content }).unwrap()
    }

    /// The same of one that reports; its frame is one that a manager reads.
    pub(super) fn reports(&self, spec: &OperationSpec) -> Parcel {
        let Ending::Reports(parcel) = self.ending(spec) else { panic!("it reports") };
        seal::write(&parcel.frame).unwrap();
        for attachment in parcel.frame.attachments.as_slice() {
            let bytes = match attachment.name {
                AttachmentName::Plan => &parcel.plan,
                AttachmentName::Desired => &parcel.desired,
            };
            assert_eq!(attachment.digest, Sha256::from(&Digest::of(bytes)));
        }
        *parcel
    }

    pub(super) fn refresh(&self, family: &str) -> OperationSpec {
        let mut spec = self.operation(&format!("operation-refresh-{family}"));
        if let Work::Refresh { artifact, .. } = &mut spec.work {
            artifact.reference = OciReference::new(REFERENCE).unwrap();
        }
        spec
    }

    /// The Apply of what a schema's refresh planned.
    pub(super) fn apply_schema(&self, planned: &Parcel) -> OperationSpec {
        let plan = staged(&self.folder("plan"), &planned.plan);
        let Some(Section::Plan(Answer::Done(Proposed::Schema { actual_state_fingerprint, .. }))) = last(planned) else {
            panic!("a plan");
        };
        let mut spec = self.operation("operation-apply-schema");
        self.aim(&mut spec);
        if let Work::Apply { content, .. } = &mut spec.work {
            *content = ApplyContent::Schema {
                content: plan,
                actual_state_fingerprint: actual_state_fingerprint.clone(),
                protected_tables: List::default(),
            };
        }
        spec
    }

    /// The Apply of what a migration's refresh planned.
    pub(super) fn apply_migration(&self, planned: &Parcel) -> OperationSpec {
        let (history, steps) = proposed(planned);
        let mut spec = self.operation("operation-apply-migration");
        self.aim(&mut spec);
        let script = self.store.read().unwrap();
        if let Work::Apply { content: ApplyContent::Migration { artifact, artifact_digest, planned, .. }, .. } =
            &mut spec.work
        {
            artifact.reference = OciReference::new(REFERENCE).unwrap();
            *artifact_digest = Sha256::new(script.registry.tags[REFERENCE].clone()).unwrap();
            *planned = List::new(steps).unwrap();
        }
        if let Work::Apply { content: ApplyContent::Migration { history_fingerprint, sequence_digest, .. }, .. } =
            &mut spec.work
        {
            *history_fingerprint = history.fingerprint;
            *sequence_digest = history.sequence_digest;
        }
        spec
    }

    /// The reading that settles a run of a schema.
    pub(super) fn settle_schema(&self, run: &OperationSpec, planned: &Parcel) -> OperationSpec {
        let desired = staged(&self.folder("desired"), &planned.desired);
        let mut spec = self.settle("operation-settle-schema", run);
        if let Work::Settle { basis: SettleBasis::Schema { desired: wanted, .. }, .. } = &mut spec.work {
            *wanted = Some(desired);
        }
        spec
    }

    /// The reading that settles a run of a migration.
    pub(super) fn settle_migration(&self, run: &OperationSpec, planned: &Parcel) -> OperationSpec {
        let (history, steps) = proposed(planned);
        let mut spec = self.settle("operation-settle-migration", run);
        if let Work::Settle { basis, .. } = &mut spec.work {
            *basis = SettleBasis::Migration {
                planned: List::new(steps).unwrap(),
                sequence_digest: history.sequence_digest,
                applied_rows_digest: history.rows_digest,
            };
        }
        spec
    }

    fn settle(&self, name: &str, run: &OperationSpec) -> OperationSpec {
        let mut spec = self.operation(name);
        self.aim(&mut spec);
        if let Work::Settle { settles, .. } = &mut spec.work {
            *settles = run.operation_id.clone();
        }
        spec
    }

    /// At this database.
    fn aim(&self, spec: &mut OperationSpec) {
        let identity = self.database().identity();
        if let Work::Apply { target_identity, .. } | Work::Settle { target_identity, .. } = &mut spec.work {
            target_identity.database_identity = identity.database_identity;
            target_identity.route_digest = identity.route_digest;
        }
    }
}

/// How a schema's plan is put into transactions.
pub(super) fn without_transactions(spec: &mut OperationSpec) {
    if let Work::Refresh { reading: RefreshReading::Schema { transaction_mode, .. }, .. } = &mut spec.work {
        *transaction_mode = SchemaTransactions::None;
    }
}

pub(super) fn last(parcel: &Parcel) -> Option<&Section> {
    parcel.frame.sections.as_slice().last()
}

pub(super) fn run_of(parcel: &Parcel) -> &RunReport {
    let Some(Section::Run(run)) = last(parcel) else { panic!("a run: {parcel:?}") };
    run
}

/// A migration's history and what was planned on it.
pub(super) fn proposed(parcel: &Parcel) -> (HistoryRead, Vec<MigrationStep>) {
    let sections = parcel.frame.sections.as_slice();
    let Some(Section::History(Answer::Done(history))) = sections.get(2) else { panic!("a history: {parcel:?}") };
    let Some(Section::Plan(Answer::Done(plan))) = sections.get(3) else { panic!("a plan: {parcel:?}") };
    let steps = match plan {
        Proposed::Migration { migrations } => migrations.as_slice().to_vec(),
        _ => Vec::new(),
    };
    (history.clone(), steps)
}

/// What the core makes of a frame about this database, for the operation that `settles` a run on a basis.
pub(super) fn core_of(scene: &Scene, parcel: &Parcel, settles: Option<(core::Operation, core::Basis)>) -> core::Frame {
    let identity = scene.database().identity();
    let about = About {
        database: Some(Digest::from(&identity.database_identity)),
        settles: settles.map(|(run, basis)| (run, Some(basis))),
    };
    read(&parcel.frame, Sent { key: None, state_version: 1 }, &about).unwrap()
}

/// What the core makes of a refresh.
pub(super) fn reading(scene: &Scene, parcel: &Parcel) -> Result<core::Reading, core::ReadFailure> {
    match core_of(scene, parcel, None).section {
        core::Section::Refresh(reading) => reading,
        other => panic!("{other:?}"),
    }
}

/// Cuts content into two pieces in a folder.
fn staged(folder: &std::path::Path, bytes: &[u8]) -> StoredContent {
    let size = |bytes: &[u8]| u64::try_from(bytes.len()).unwrap();
    let halves = bytes.split_at(bytes.len() / 2);
    let mut chunks = Vec::new();
    for (index, piece) in [halves.0, halves.1].into_iter().enumerate() {
        std::fs::write(folder.join(format!("{index:04}")), piece).unwrap();
        chunks.push(ChunkRef {
            name: ObjectName::new(format!("piece-{index}")).unwrap(),
            index: Whole::new(u64::try_from(index).unwrap()).unwrap(),
            digest: Sha256::from(&Digest::of(piece)),
            size: Whole::new(size(piece)).unwrap(),
        });
    }
    StoredContent {
        digest: Sha256::from(&Digest::of(bytes)),
        size: Whole::new(size(bytes)).unwrap(),
        encoding: Encoding::Identity,
        stored_size: Whole::new(size(bytes)).unwrap(),
        chunks: List::new(chunks).unwrap(),
    }
}
