//! What Describe settled: it comes first, once, and every later call reads it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use ptah_provider_api::contract::{LARGE_MESSAGE_LIMIT, MESSAGE_LIMIT};
use ptah_provider_api::describe::{DescribeRequest, Description};
use ptah_provider_api::feature::{ERRORS_REASONS, LARGE_MESSAGES, UNREAD_OBJECTS, gated_calls};

use crate::describe::narrow;
use crate::failure::Failure;
use crate::status::{precondition, unimplemented};

/// What holds for the connection before and after Describe. Read on every call and by the size limit.
#[derive(Debug)]
pub(crate) struct Negotiation {
    agreed: OnceLock<Agreed>,
    message_limit: AtomicUsize,
    reasons: AtomicBool,
}

/// What host and provider agreed on.
#[derive(Debug)]
pub(crate) struct Agreed {
    /// What the host said; a second Describe has to say the same.
    asked: DescribeRequest,
    /// The description as the host got it.
    pub(crate) description: Description,
    /// What the host acts on.
    pub(crate) host_features: Arc<BTreeSet<String>>,
}

impl Negotiation {
    pub(crate) fn new() -> Self {
        Self {
            agreed: OnceLock::new(),
            message_limit: AtomicUsize::new(MESSAGE_LIMIT),
            reasons: AtomicBool::new(false),
        }
    }

    /// The largest message now, in bytes; one of exactly this size passes.
    pub(crate) fn message_limit(&self) -> usize {
        self.message_limit.load(Ordering::Acquire)
    }

    /// Whether both sides list `errors.reasons`.
    pub(crate) fn reasons(&self) -> bool {
        self.reasons.load(Ordering::Acquire)
    }

    /// Hears whether the host understands reasons, so that a Describe that is refused can say why.
    pub(crate) fn hear(&self, asked: &DescribeRequest, whole: &Description) {
        if self.agreed.get().is_none() {
            let both = asked.host_features.contains(ERRORS_REASONS) && whole.features.contains(ERRORS_REASONS);
            self.reasons.store(both, Ordering::Release);
        }
    }

    /// Settles. The same request again gets the same answer; another one is refused.
    pub(crate) fn settle(&self, asked: DescribeRequest, whole: Description) -> Result<&Agreed, Failure> {
        let agreed = self.agreed.get_or_init(|| {
            let description = narrow(whole, &asked);
            let host_features = Arc::new(asked.host_features.clone());
            Agreed { asked: asked.clone(), description, host_features }
        });
        if agreed.asked != asked {
            return Err(precondition("another description was negotiated on this connection"));
        }
        if agreed.description.features.contains(LARGE_MESSAGES) {
            self.message_limit.store(LARGE_MESSAGE_LIMIT, Ordering::Release);
        }
        Ok(agreed)
    }

    /// What was agreed; every call but Describe needs it.
    pub(crate) fn agreed(&self) -> Result<&Agreed, Failure> {
        self.agreed.get().ok_or_else(|| precondition("nothing is negotiated: Describe comes first"))
    }
}

impl Agreed {
    /// Whether what exists and could not be read may be named.
    pub(crate) fn unread(&self) -> bool {
        self.description.features.contains(UNREAD_OBJECTS)
    }

    /// Refuses a call whose feature the provider does not list.
    pub(crate) fn gate(&self, call: &'static str) -> Result<(), Failure> {
        offered(call, &self.description.features)
    }

    /// Refuses a call whose feature the engine does not list, and an engine that there is not.
    pub(crate) fn gate_engine(&self, call: &'static str, engine: &str) -> Result<(), Failure> {
        self.gate(call)?;
        let engine = self.description.engine(engine).ok_or_else(|| unimplemented("the provider has no such engine"))?;
        offered(call, &engine.features)
    }
}

/// Refuses a call whose feature is not among those that are listed. A call without a gate passes.
pub(crate) fn offered(call: &'static str, features: &BTreeSet<String>) -> Result<(), Failure> {
    let gate = gated_calls().iter().find(|(_, calls)| calls.contains(&call));
    match gate {
        Some((feature, _)) if !features.contains(*feature) => {
            Err(unimplemented(format!("{call} needs the feature {feature}, which is not offered here")))
        }
        _ => Ok(()),
    }
}

thread_local! {
    static HOST_FEATURES: RefCell<Arc<BTreeSet<String>>> = RefCell::default();
}

/// The features that the host acts on, for an engine that serves a call. Empty on any other thread.
pub fn host_features() -> Arc<BTreeSet<String>> {
    HOST_FEATURES.with_borrow(Arc::clone)
}

/// Runs engine code with the host's features at hand.
pub(crate) fn with_host_features<T>(features: Arc<BTreeSet<String>>, work: impl FnOnce() -> T) -> T {
    let before = HOST_FEATURES.replace(features);
    let made = work();
    HOST_FEATURES.set(before);
    made
}
