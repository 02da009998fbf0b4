//! Places for those who deliver: few in all, and fewer for one Pod, so that a Pod that was taken over cannot keep the
//! others from reporting.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use ptah_records::operator::text::Uid;

/// How many results are taken at once. Whoever comes then tries again.
pub const UPLOADS: usize = 16;
/// How many of them are one Pod's: a runner sends one after the other, and one may be left of a connection that was lost.
pub const UPLOADS_OF_ONE: usize = 2;

/// Who has a place.
#[derive(Debug, Default)]
pub(super) struct Places(Mutex<BTreeMap<Uid, usize>>);

/// A place. It ends with the value.
#[derive(Debug)]
pub(super) struct Taken<'a> {
    places: &'a Places,
    pod: Uid,
}

impl Places {
    /// A place for this Pod, if there is one.
    pub(super) fn take(&self, pod: &Uid) -> Option<Taken<'_>> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(pod).copied().unwrap_or_default();
        if own >= UPLOADS_OF_ONE || taken.values().sum::<usize>() >= UPLOADS {
            return None;
        }
        taken.insert(pod.clone(), own + 1);
        Some(Taken { places: self, pod: pod.clone() })
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut taken = self.places.0.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(&self.pod) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(taken.remove(&self.pod)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(number: usize) -> Uid {
        Uid::new(format!("pod-{number}")).unwrap()
    }

    #[test]
    fn one_pod_has_two_places_all_have_sixteen_and_what_ends_is_free_again() {
        let places = Places::default();
        let mut taken: Vec<_> = (0..2).map(|_| places.take(&pod(0)).unwrap()).collect();
        assert!(places.take(&pod(0)).is_none());
        taken.extend((1..15).map(|number| places.take(&pod(number)).unwrap()));
        assert!(places.take(&pod(15)).is_none());
        taken.truncate(1);
        assert_eq!(places.0.lock().unwrap().len(), 1, "nobody is remembered who has none");
        assert!(places.take(&pod(0)).is_some() && places.take(&pod(15)).is_some());
        drop(taken);
        assert!(places.0.lock().unwrap().is_empty());
    }
}
