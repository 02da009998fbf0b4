//! The largest of everything, in one place: the API server, the writer and the reader hold to the same numbers.

/// The longest that a run may be given, in seconds: one day.
pub const WINDOW_MOST: u64 = 86_400;
/// How long a Pod goes on after its window: 30 to end the run, 120 to deliver the frame, 30 to spare. In seconds.
pub const POD_GRACE: u64 = 30 + 120 + 30;
/// How long a Job goes on after its Pod, in seconds, so that the Pod's own deadline comes first and keeps its message.
pub const JOB_GRACE: u64 = 60;
/// The longest Lease, in seconds: the longest window, both graces, and 60 for the renewal that comes late.
pub const LEASE_MOST: u64 = WINDOW_MOST + POD_GRACE + JOB_GRACE + 60;
/// The shortest Lease, in seconds.
pub const LEASE_LEAST: u64 = 5;

/// The largest document in an annotation or in a Pod's termination message, in bytes.
pub const SMALL_DOCUMENT: usize = 2 * 1024;
/// The largest request or answer about a permit or a delivery, in bytes.
pub const MESSAGE: usize = 4 * 1024;
/// The largest list of what a Job has to do, in bytes. A sequence of 256 migrations with the longest texts takes about
/// half of it; a ConfigMap holds a mebibyte.
pub const OPERATION: usize = 256 * 1024;
/// The largest frame without what is attached to it, in bytes.
pub const FRAME: usize = 256 * 1024;
/// The largest plan file or desired document that the operator keeps, in bytes, as it is stored.
pub const CONTENT: usize = 8 * 1024 * 1024;
/// The largest piece of content in one object, in bytes: etcd takes 1.5 MiB a request, and base64 adds a third.
pub const PIECE: usize = 512 * 1024;
/// The most pieces of one content.
pub const CHUNKS: usize = CONTENT / PIECE;
/// The most pieces of one delivery: the frame in one, a plan and a desired document in 16 each.
pub const PIECES: usize = 2 * CHUNKS + 1;

/// The most migrations in one plan.
pub const MIGRATIONS: usize = 256;
/// The most Pods that are remembered of one run. There should be one.
pub const PODS: usize = 8;
/// The most operation IDs that a Lease remembers as settled.
pub const SETTLED: usize = 16;
/// The most findings that a status lists.
pub const FINDINGS: usize = 64;
/// The most entries of a list in a policy.
pub const POLICY_ENTRIES: usize = 128;
