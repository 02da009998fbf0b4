//! Who decides, who reviews and who keeps, as a test wants them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ptah_crds::PtahResultRecord;
use ptah_intake::{
    Created, Gatekeeper, Permitted, Place, Pod, Reviewed, Reviewer, Standing, Store, StoreProblem, Token,
};
use ptah_records::operator::latest::{PermitAnswer, PermitRequest};
use ptah_records::operator::text::{Code, LabelName, ObjectName, OperationId, Sentence, Sha256, Uid};
use ptah_records::operator::whole::Whole;
use tokio::sync::Semaphore;

pub(crate) const POD: &str = "11111111-1111-4111-8111-111111111105";
pub(crate) const OTHER_POD: &str = "11111111-1111-4111-8111-111111111106";
pub(crate) const TOKEN: &str = "the-pods-token";
pub(crate) const NAMESPACE: &str = "finance";

/// Knows some tokens, and those that name their Pod.
#[derive(Debug)]
pub(crate) struct Tokens;

impl Reviewer for Tokens {
    async fn review(&self, token: &Token) -> Reviewed {
        let pod = |namespace, uid| {
            Reviewed::Pod(Pod {
                namespace: LabelName::new(namespace).unwrap(),
                name: ObjectName::new("ptah-run-x1").unwrap(),
                uid: Uid::new(uid).unwrap(),
            })
        };
        match token.reveal() {
            TOKEN => pod(NAMESPACE, POD),
            "a-token-of-another-namespace" => pod("bank", POD),
            "nobody-can-say" => Reviewed::CannotSay,
            other => other.strip_prefix("the-token-of-").map_or(Reviewed::Refused, |uid| pod(NAMESPACE, uid)),
        }
    }
}

/// One answer about a permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Say {
    Granted,
    Refused,
    NotYet,
    NotLeader,
    /// It lets in, and dies before it says so.
    GrantedAndDies,
}

/// What the manager is.
#[derive(Debug)]
pub(crate) struct Manager {
    /// One answer for each request; the last one for all that follow.
    pub(crate) says: Mutex<Vec<Say>>,
    /// Where results belong, if not where they should.
    pub(crate) standing: Mutex<Option<Standing>>,
    /// Every request for a permit.
    pub(crate) asked: Mutex<Vec<PermitRequest>>,
    let_in: Mutex<Option<(Uid, Sha256)>>,
}

impl Manager {
    pub(crate) fn new(says: &[Say]) -> Self {
        Self {
            says: Mutex::new(says.to_vec()),
            standing: Mutex::default(),
            asked: Mutex::default(),
            let_in: Mutex::default(),
        }
    }

    /// Lets a Pod in by this key, as if it had asked.
    pub(crate) fn let_in(&self, pod: &str, key: Sha256) {
        *self.let_in.lock().unwrap() = Some((Uid::new(pod).unwrap(), key));
    }

    /// Where results of a Pod belong.
    pub(crate) fn place(&self, pod: &Uid) -> Place {
        let let_in = self.let_in.lock().unwrap();
        Place {
            namespace: LabelName::new(NAMESPACE).unwrap(),
            resource: Uid::new("22222222-2222-4222-8222-222222222201").unwrap(),
            key: let_in.as_ref().filter(|(one, _)| one == pod).map(|(_, key)| key.clone()),
        }
    }
}

impl Gatekeeper for Manager {
    async fn permit(&self, pod: &Pod, request: PermitRequest) -> Permitted {
        self.asked.lock().unwrap().push(request.clone());
        let say = {
            let mut says = self.says.lock().unwrap();
            if says.len() > 1 { says.remove(0) } else { says[0] }
        };
        if matches!(say, Say::Granted | Say::GrantedAndDies) {
            *self.let_in.lock().unwrap() = Some((pod.uid.clone(), request.key_digest));
        }
        let operation_id = request.operation_id;
        Permitted::Answer(match say {
            Say::Granted => PermitAnswer::Granted { operation_id, budget_seconds: Whole::new(60).unwrap() },
            Say::NotYet => PermitAnswer::NotYet {},
            Say::Refused => PermitAnswer::Refused {
                code: Code::new("another_pod").unwrap(),
                sentence: Sentence::new("Another Pod was let in.").unwrap(),
            },
            Say::NotLeader => return Permitted::NotLeader,
            Say::GrantedAndDies => panic!("dies as the test wants"),
        })
    }

    async fn standing(&self, _: &OperationId, pod: &Uid) -> Standing {
        let standing = self.standing.lock().unwrap().clone();
        standing.unwrap_or_else(|| Standing::Live(self.place(pod)))
    }
}

/// What is kept.
#[derive(Debug)]
pub(crate) struct Shelf {
    records: Mutex<BTreeMap<String, PtahResultRecord>>,
    /// How many are being kept at this moment.
    pub(crate) under_way: AtomicUsize,
    /// Whoever keeps something takes one of these first.
    pub(crate) gate: Semaphore,
    /// Whether the next record is kept and the answer lost.
    pub(crate) dies_once: AtomicBool,
    /// Whether what it keeps is gone at once.
    pub(crate) forgets: AtomicBool,
    /// How often it fails before it works.
    pub(crate) failures: AtomicUsize,
}

impl Default for Shelf {
    fn default() -> Self {
        Self {
            records: Mutex::default(),
            under_way: AtomicUsize::new(0),
            gate: Semaphore::new(1_000),
            dies_once: AtomicBool::new(false),
            forgets: AtomicBool::new(false),
            failures: AtomicUsize::new(0),
        }
    }
}

impl Shelf {
    pub(crate) fn records(&self) -> Vec<PtahResultRecord> {
        self.records.lock().unwrap().values().cloned().collect()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.records.lock().unwrap().keys().cloned().collect()
    }
}

impl Store for Shelf {
    async fn create(&self, record: &PtahResultRecord) -> Result<Created, StoreProblem> {
        self.under_way.fetch_add(1, Ordering::SeqCst);
        let _place = self.gate.acquire().await.unwrap();
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        let fails = self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if fails.is_ok() {
            return Err(StoreProblem::Silent);
        }
        assert_eq!(record.metadata.namespace.as_deref(), Some(NAMESPACE));
        let name = record.metadata.name.clone().unwrap();
        if self.forgets.load(Ordering::SeqCst) {
            return Ok(Created::Now);
        }
        let created = {
            let mut records = self.records.lock().unwrap();
            match records.entry(name) {
                Entry::Occupied(_) => Created::Before,
                Entry::Vacant(place) => {
                    place.insert(record.clone());
                    Created::Now
                }
            }
        };
        assert!(!self.dies_once.swap(false, Ordering::SeqCst), "dies as the test wants");
        Ok(created)
    }

    async fn get(&self, _: &LabelName, name: &ObjectName) -> Result<Option<PtahResultRecord>, StoreProblem> {
        Ok(self.records.lock().unwrap().get(name.as_str()).cloned())
    }

    async fn list(&self, _: &LabelName, _: &OperationId) -> Result<Vec<PtahResultRecord>, StoreProblem> {
        Ok(self.records())
    }
}
