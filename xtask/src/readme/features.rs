//! Features and calls, from the sources that hold them: what each is, which calls it gates, and how long a call may take.

use std::collections::BTreeMap;

/// A feature.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Feature {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) is_two_way: bool,
    pub(super) calls: Vec<String>,
}

/// The features of `feature.rs`, in its order.
pub(super) fn read(text: &str) -> Vec<Feature> {
    let (mut features, mut words, mut doc) = (Vec::new(), BTreeMap::new(), String::new());
    for line in text.lines() {
        if let Some(said) = line.strip_prefix("/// ") {
            doc = if doc.is_empty() { said.to_owned() } else { format!("{doc} {said}") };
            continue;
        }
        let said = std::mem::take(&mut doc);
        let constant = line.strip_prefix("pub const ").and_then(|rest| rest.split_once(": &str = \""));
        if let Some((word, rest)) = constant {
            let name = rest.trim_end_matches("\";").to_owned();
            words.insert(word, features.len());
            let is_two_way = said.starts_with("Two-way: ");
            let doc = said.strip_prefix("Two-way: ").unwrap_or(&said).to_owned();
            features.push(Feature { name, doc, is_two_way, calls: Vec::new() });
        }
        if let Some((word, calls)) = line.trim().strip_prefix('(').and_then(|gate| gate.split_once(", &["))
            && let Some(at) = words.get(word)
        {
            let calls = calls.split('"').skip(1).step_by(2).map(str::to_owned);
            features[*at].calls = calls.collect();
        }
    }
    features
}

/// How long each call may take, from `call.rs`: the class of its variant, by the name that the contract gives it.
pub(super) fn deadlines(text: &str) -> BTreeMap<String, &'static str> {
    let between = |from: &str, to: &str| {
        let after = text.split_once(from).map_or("", |(_, after)| after);
        after.split_once(to).map_or("", |(before, _)| before).to_owned()
    };
    let names = between("pub fn name(self)", "\n    }\n");
    let classes = between("pub fn of(&self, call: Call)", "\n    }\n");
    let mut found = BTreeMap::new();
    let mut start = 0;
    for (at, _) in classes.match_indices("=>") {
        let after = classes[at..].lines().next().unwrap_or_default();
        let class = match after {
            _ if after.contains("None") => "as long as the host waits",
            _ if after.contains("provision") => "10 minutes",
            _ => "30 seconds",
        };
        for word in classes[start..at].split("Call::").skip(1) {
            let word = word.trim_end_matches([' ', '\n', '|']).trim();
            let name = names.split(&format!("Self::{word} => \"")).nth(1).and_then(|rest| rest.split('"').next());
            found.extend(name.map(|name| (name.to_owned(), class)));
        }
        start = at + after.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_has_its_doc_its_direction_and_its_calls() {
        let text = "/// The catalogue\n/// can be read.\npub const INSPECT: &str = \"schema.inspect\";\n/// Two-way: reasons.\n\
                    pub const REASONS: &str = \"errors.reasons\";\n        (INSPECT, &[\"Inspect\", \"Look\"]),\n";
        let found = read(text);
        assert_eq!(found[0].doc, "The catalogue can be read.");
        assert_eq!(found[0].calls, ["Inspect", "Look"]);
        assert!(found[1].is_two_way && found[1].doc == "reasons.");
    }

    #[test]
    fn a_call_has_the_class_of_its_variant() {
        let text = "    pub fn name(self) -> &'static str {\n        match self {\n            Self::Begin => \"BeginTransaction\",\n            \
                    Self::Plan => \"Plan\",\n        }\n    }\n    pub fn of(&self, call: Call) -> Option<Duration> {\n        match call {\n            \
                    Call::Plan => None,\n            Call::Begin\n            | Call::Other => Some(self.call),\n        }\n    }\n";
        let found = deadlines(text);
        assert_eq!(found["Plan"], "as long as the host waits");
        assert_eq!(found["BeginTransaction"], "30 seconds");
    }
}
