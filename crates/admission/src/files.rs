//! What a cluster is given, file by file.

use serde_json::{Value, json};

use crate::policies::policies;
use crate::roles::roles;
use crate::settings::{Settings, names};
use crate::stamps::stamps;
use crate::yaml;

/// One file of `deploy/admission/`.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Its name. In the order of their names the files can be applied one after the other.
    pub name: String,
    /// What it holds, in order.
    pub objects: Vec<Value>,
}

impl File {
    /// The file's text.
    pub fn text(&self) -> String {
        yaml::documents(&self.objects)
    }
}

/// Every file, by name: the settings come first, because without them the policies refuse everything.
pub fn files() -> Vec<File> {
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": names::NAMESPACE } });
    let mut files = vec![
        File { name: "00-settings.yaml".to_owned(), objects: vec![namespace, Settings::default().config_map()] },
        File { name: "10-roles.yaml".to_owned(), objects: roles() },
    ];
    files.extend(
        stamps().iter().map(|stamp| File {
            name: format!("20-{}.yaml", stamp.name),
            objects: vec![stamp.object(), stamp.binding()],
        }),
    );
    files.extend(policies().iter().map(|policy| File {
        name: format!("30-{}.yaml", policy.name),
        objects: vec![policy.object(), policy.binding()],
    }));
    files
}
