//! The attributes of an object or a member: a short list in the order of its names, which can be shared.
//!
//! A database has as many lists as it has columns, and few that differ: most columns are one of a dozen types. Shared
//! lists ([`FacetPool`]) are what keeps a reading of tens of thousands of tables small.

use std::collections::BTreeSet;
use std::fmt;
use std::slice;
use std::sync::Arc;

/// The name of a facet, for example `type` or `default`. A facet name is the provider's word for one attribute.
pub type FacetName = String;

/// One attribute of an object or a member.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Facet {
    /// The server's own spelling, for people.
    pub text: String,
    /// What equality rests on. Two facets are the same exactly when their canonical forms are the same bytes.
    pub canonical: String,
}

impl Facet {
    /// A facet whose spelling is its canonical form.
    pub fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { canonical: text.clone(), text }
    }

    /// A facet whose spelling differs from its canonical form.
    pub fn new(text: impl Into<String>, canonical: impl Into<String>) -> Self {
        Self { text: text.into(), canonical: canonical.into() }
    }
}

/// Facets by name, in the order of the names, each name once. An absent name means that the object does not have the
/// attribute, which differs from an empty one. Cheap to clone.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Facets(Option<Arc<Vec<(FacetName, Facet)>>>);

impl Facets {
    /// Without any.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list().is_empty()
    }

    /// The facet of that name.
    pub fn get(&self, name: &str) -> Option<&Facet> {
        let list = self.list();
        self.place(name).ok().and_then(|place| list.get(place)).map(|(_, facet)| facet)
    }

    /// The facet of that name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Facet> {
        let place = self.place(name).ok()?;
        self.list_mut().get_mut(place).map(|(_, facet)| facet)
    }

    /// Whether there is one of that name.
    pub fn contains_key(&self, name: &str) -> bool {
        self.place(name).is_ok()
    }

    /// Sets a facet, and gives back what the name had.
    pub fn insert(&mut self, name: FacetName, facet: Facet) -> Option<Facet> {
        match self.place(&name) {
            Ok(place) => self.list_mut().get_mut(place).map(|(_, known)| std::mem::replace(known, facet)),
            Err(place) => {
                self.list_mut().insert(place, (name, facet));
                None
            }
        }
    }

    /// Takes a facet out.
    pub fn remove(&mut self, name: &str) -> Option<Facet> {
        let place = self.place(name).ok()?;
        let (_, facet) = self.list_mut().remove(place);
        if self.is_empty() {
            self.0 = None;
        }
        Some(facet)
    }

    /// Names and facets, in the order of the names.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.list().iter())
    }

    /// The names, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &FacetName> {
        self.list().iter().map(|(name, _)| name)
    }

    fn list(&self) -> &[(FacetName, Facet)] {
        self.0.as_ref().map_or(&[], |list| list.as_slice())
    }

    fn list_mut(&mut self) -> &mut Vec<(FacetName, Facet)> {
        Arc::make_mut(self.0.get_or_insert_default())
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.list().binary_search_by(|(known, _)| known.as_str().cmp(name))
    }
}

/// Names and facets, in the order of the names.
#[derive(Clone, Debug)]
pub struct Iter<'a>(slice::Iter<'a, (FacetName, Facet)>);

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a FacetName, &'a Facet);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, facet)| (name, facet))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a Facets {
    type Item = (&'a FacetName, &'a Facet);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl IntoIterator for Facets {
    type Item = (FacetName, Facet);
    type IntoIter = std::vec::IntoIter<(FacetName, Facet)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.map(Arc::unwrap_or_clone).unwrap_or_default().into_iter()
    }
}

impl Extend<(FacetName, Facet)> for Facets {
    fn extend<I: IntoIterator<Item = (FacetName, Facet)>>(&mut self, facets: I) {
        for (name, facet) in facets {
            self.insert(name, facet);
        }
    }
}

/// Of facets with one name the last one stays.
impl FromIterator<(FacetName, Facet)> for Facets {
    fn from_iter<I: IntoIterator<Item = (FacetName, Facet)>>(facets: I) -> Self {
        let mut list: Vec<(FacetName, Facet)> = facets.into_iter().collect();
        if list.is_empty() {
            return Self::new();
        }
        if !list.is_sorted_by(|(before, _), (after, _)| before < after) {
            let mut kept = Self::new();
            kept.extend(list);
            return kept;
        }
        list.shrink_to_fit();
        Self(Some(Arc::new(list)))
    }
}

impl<const N: usize> From<[(FacetName, Facet); N]> for Facets {
    fn from(facets: [(FacetName, Facet); N]) -> Self {
        facets.into_iter().collect()
    }
}

impl fmt::Debug for Facets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// Lists that were met, so that equal ones are kept once.
#[derive(Clone, Debug, Default)]
pub struct FacetPool(BTreeSet<Facets>);

impl FacetPool {
    /// The same facets, in a list that is shared with all equal ones that came here.
    pub fn share(&mut self, mut facets: Facets) -> Facets {
        if facets.is_empty() {
            return Facets::new();
        }
        if let Some(known) = self.0.get(&facets) {
            return known.clone();
        }
        facets.list_mut().shrink_to_fit();
        self.0.insert(facets.clone());
        facets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facets(names: &[&str]) -> Facets {
        names.iter().map(|name| ((*name).to_owned(), Facet::plain(name.to_uppercase()))).collect()
    }

    #[test]
    fn facets_stand_in_the_order_of_their_names_however_they_came() {
        let mut one_by_one = Facets::new();
        for name in ["type", "default", "collation"] {
            assert_eq!(one_by_one.insert(name.to_owned(), Facet::plain(name.to_uppercase())), None);
        }
        let names: Vec<&str> = one_by_one.keys().map(String::as_str).collect();
        assert_eq!(names, ["collation", "default", "type"]);
        assert_eq!(one_by_one, facets(&["default", "type", "collation"]));
        assert_eq!(one_by_one.get("type"), Some(&Facet::plain("TYPE")));
        assert!(one_by_one.contains_key("default") && !one_by_one.contains_key("defaul"));
    }

    #[test]
    fn of_two_with_one_name_the_last_one_stays() {
        let named = |text: &str| ("type".to_owned(), Facet::plain(text));
        let mut facets = Facets::from([named("a"), named("b")]);
        assert_eq!(facets, Facets::from([named("b")]));
        assert_eq!(facets.insert("type".to_owned(), Facet::plain("c")), Some(Facet::plain("b")));
        assert_eq!(facets.len(), 1);
    }

    #[test]
    fn a_change_of_a_shared_list_is_seen_by_one_alone() {
        let before = facets(&["a", "b"]);
        let mut after = before.clone();
        after.get_mut("a").expect("it is there").text = "other".to_owned();
        assert_eq!(before.get("a"), Some(&Facet::plain("A")));
        assert_eq!(after.remove("b"), Some(Facet::plain("B")));
        assert_eq!((before.len(), after.len()), (2, 1));
    }

    #[test]
    fn what_lost_its_last_facet_equals_what_never_had_one() {
        let mut facets = facets(&["a"]);
        facets.remove("a");
        assert_eq!(facets, Facets::new());
        assert!(facets.is_empty() && facets.into_iter().next().is_none());
    }

    #[test]
    fn equal_lists_of_a_pool_are_one_list() {
        let mut pool = FacetPool::default();
        let (first, second) = (pool.share(facets(&["a", "b"])), pool.share(facets(&["b", "a"])));
        let pointer = |facets: &Facets| facets.0.as_ref().map(Arc::as_ptr);
        assert_eq!(pointer(&first), pointer(&second));
        assert_ne!(pointer(&pool.share(facets(&["a"]))), pointer(&first));
        assert_eq!(pointer(&pool.share(Facets::new())), None);
    }
}
