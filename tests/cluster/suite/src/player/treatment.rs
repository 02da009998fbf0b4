//! What a Pod is treated to that a kubelet does not do on demand.

use ptah_cluster_tests::scripted::Kind;

use super::State;

/// A treatment of one Pod. Those that strike in the middle do so when its work [hangs](
/// ptah_cluster_tests::scripted::Trouble::Hangs); on work that ends they do nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// It is not started before the player [releases](super::Player::release) what it holds.
    HeldBack,
    /// In the middle, everything in its container is killed.
    Killed,
    /// Its end is reported without its message.
    MessageLost,
    /// It ends, and the kubelet says that it does not find its container any more.
    EndUnknown,
    /// Its container is started twice, and both run at the same time. The end that comes first is reported.
    Twice,
    /// In the middle, its Pod is deleted by force, and it goes on as on a node that nobody reaches.
    Orphaned,
}

impl State {
    /// What the next Pod of this kind is treated to.
    pub(super) fn take(&mut self, kind: Kind) -> Option<Treatment> {
        let found = self.treatments.iter().position(|(of, _)| *of == kind)?;
        Some(self.treatments.remove(found).1)
    }
}
