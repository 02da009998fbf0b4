//! Objects that were read before, so that an object which two readings share is parsed once and kept once.
//!
//! A plan reads the target and the desired schema, which are mostly the same; a proof reads a copy of both. What a text
//! means depends on nothing but what the key covers. Kept weakly: an object ends with the last reading that has it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use ptah_model::FacetPool;
use sha2::{Digest as _, Sha256};

use super::stored::{StoredObject, Text};
use crate::parallel::in_parts;

/// How many dead entries may lie around before they are swept.
const SWEEP_AT: usize = 1 << 16;

/// How many texts make a thread worth its start: some milliseconds of work.
const TEXTS_OF_WORKER: usize = 2_000;

type Key = [u8; 32];

#[derive(Debug, Default)]
struct Known {
    objects: HashMap<Key, Weak<StoredObject>>,
    /// How many entries there may be before they are looked through.
    room: usize,
}

/// The objects of this process.
fn known() -> MutexGuard<'static, Known> {
    static KNOWN: OnceLock<Mutex<Known>> = OnceLock::new();
    KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Parses texts, but those for which that was done before and what came of it is still there. In their order.
///
/// On all processors when there are many: it is most of the work of a reading, and one text has nothing to do with
/// another.
pub(super) fn parse(texts: &[Text<'_>]) -> Vec<Arc<StoredObject>> {
    in_parts(texts, TEXTS_OF_WORKER, parse_here)
}

fn parse_here(texts: &[Text<'_>]) -> Vec<Arc<StoredObject>> {
    let keys: Vec<Key> = texts.iter().map(key).collect();
    let mut found: Vec<Option<Arc<StoredObject>>> = {
        let known = known();
        keys.iter().map(|key| known.objects.get(key).and_then(Weak::upgrade)).collect()
    };
    let mut pool = FacetPool::default();
    let mut read = Vec::new();
    for (place, text) in texts.iter().enumerate().filter(|(place, _)| found[*place].is_none()).collect::<Vec<_>>() {
        found[place] = Some(Arc::new(StoredObject::parse(text, &mut pool)));
        read.push(place);
    }
    let mut known = known();
    known.make_room(read.len());
    let fresh = read.into_iter().filter_map(|place| Some((keys[place], Arc::downgrade(found[place].as_ref()?))));
    known.objects.extend(fresh);
    found.into_iter().flatten().collect()
}

impl Known {
    /// Sweeps dead entries out when there are many.
    fn make_room(&mut self, more: usize) {
        if self.objects.len() + more >= self.room.max(SWEEP_AT) {
            self.objects.retain(|_, object| object.strong_count() > 0);
            self.room = (self.objects.len() + more) * 2;
        }
    }
}

/// A digest of everything that [`StoredObject::parse`] looks at.
fn key(text: &Text<'_>) -> Key {
    let Text { id, sql, own, of_table } = text;
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(id.kind.as_str().as_bytes());
    part(id.owner.as_ref().map_or("", |owner| &owner.source).as_bytes());
    part(id.name.source.as_bytes());
    part(sql.as_bytes());
    part(&[u8::from(own.is_some()), u8::from(of_table.is_some())]);
    for column in own.iter().copied().flatten() {
        part(column.name.as_bytes());
        part(&column.hidden.to_le_bytes());
        part(&[u8::from(column.in_key)]);
    }
    // Between the two lists.
    part(&[]);
    for column in of_table.iter().flat_map(|columns| columns.iter()) {
        part(column.as_bytes());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use ptah_model::Kind;

    use super::*;
    use crate::kinds;

    fn read(sql: &str, of_table: Option<&[&str]>) -> Arc<StoredObject> {
        let id = kinds::object_id(Kind::index(), Some("shared"), "shared_a");
        let columns = of_table.map(|columns| columns.iter().map(|c| (*c).to_owned()).collect());
        let read = parse(&[Text { id, sql, own: None, of_table: columns.as_ref() }]);
        read.into_iter().next().expect("one for each text")
    }

    #[test]
    fn one_text_is_one_object_as_long_as_somebody_has_it() {
        let sql = "CREATE INDEX shared_a ON shared(a)";
        let first = read(sql, Some(&["a"]));
        assert!(Arc::ptr_eq(&first, &read(sql, Some(&["a"]))));
        assert!(!Arc::ptr_eq(&first, &read("CREATE INDEX shared_a ON shared(a, a)", Some(&["a"]))));
    }

    #[test]
    fn what_a_text_means_beside_other_columns_is_read_again() {
        let sql = "CREATE INDEX shared_a ON shared(\"b\")";
        let (column, string) = (read(sql, Some(&["a", "b"])), read(sql, Some(&["a"])));
        assert_ne!(column.object(), string.object());
        assert!(!Arc::ptr_eq(&string, &read(sql, None)));
    }

    #[test]
    fn many_texts_are_read_in_their_order() {
        let texts: Vec<String> =
            (0..3 * TEXTS_OF_WORKER).map(|n| format!("CREATE INDEX many_{n} ON many(c{n})")).collect();
        let id = |n: usize| kinds::object_id(Kind::index(), Some("many"), &format!("many_{n}"));
        let texts: Vec<Text<'_>> =
            texts.iter().enumerate().map(|(n, sql)| Text { id: id(n), sql, own: None, of_table: None }).collect();
        let read = parse(&texts);
        assert_eq!(read.len(), texts.len());
        assert!(read.iter().zip(&texts).all(|(read, text)| read.id == text.id && read.sql == text.sql));
    }
}
