//! The order of one pass. The first concern that has something to do decides.
//!
//! | # | Concern | Before what follows, because |
//! |---|---|---|
//! | 1 | fence | state that a newer manager wrote is not ours to read |
//! | 2 | owed releases | a Lease that is owed must not outlive the crash that left it |
//! | 3 | the claim | one operation at a time; a run that was dispatched is followed to its end, whatever moved |
//! | 4 | the record | an unsettled run comes before deletion of anything, suspension, the census and every new claim |
//! | 5 | acknowledgments | they touch no database, and nobody's run keeps a person from an answer |
//! | 6 | holds of others | nothing is read or planned on a database whose last run is not settled |
//! | 7 | deletion, approvals | a deleted resource claims nothing |
//! | 8 | binding | what was made with other components is not run |
//! | 9 | suspension, realm | no new claim |
//! | 10 | plan, reading | what is due |

use crate::decision::Decision;
use crate::snapshot::Snapshot;
use crate::{
    acknowledgment, approval, binding, claim, deletion, fence, hold, plan, realm, refresh, release, settle, suspension,
};

/// One concern: nothing when it has nothing to do.
type Concern = fn(&Snapshot) -> Option<Decision>;

/// The concerns, in the order of the table above.
const ORDER: [Concern; 13] = [
    fence::step,
    release::step,
    claim::step,
    settle::step,
    acknowledgment::step,
    hold::step,
    deletion::step,
    approval::step,
    binding::step,
    suspension::step,
    realm::step,
    plan::step,
    refresh::step,
];

/// What is to be done next about this resource.
///
/// **Guarantees.** At most one request; never a second mutating create for one claim; never a claim that is cleared
/// without a result or a record. **Assumes** that the resource, Leases, Job, Pods, plan and the approval of the claim
/// were read uncached in this pass.
pub fn decide(snapshot: &Snapshot) -> Decision {
    ORDER.iter().find_map(|concern| concern(snapshot)).unwrap_or_else(|| refresh::wait(snapshot))
}
