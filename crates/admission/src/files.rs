//! What a cluster is given, file by file.

use serde_json::Value;

use crate::installation::{self, RUNNER_IMAGE};
use crate::manager;
use crate::policies::policies;
use crate::roles::roles;
use crate::settings::Settings;
use crate::stamps::stamps;
use crate::yaml;

/// One file of `deploy/admission/` or `deploy/operator/`.
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

/// Every file of `deploy/admission/`, by name: the settings come first, because without them the policies refuse everything.
pub fn files() -> Vec<File> {
    given(&Settings::default())
}

fn given(settings: &Settings) -> Vec<File> {
    let namespace = installation::namespace();
    let mut files = vec![
        File { name: "00-settings.yaml".to_owned(), objects: vec![namespace, settings.config_map()] },
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

/// Every file of `deploy/operator/`, by name: rights come before what needs them.
pub fn operator_files() -> Vec<File> {
    let file = |name: &str, objects| File { name: name.to_owned(), objects };
    vec![
        file("40-rights.yaml", manager::objects()),
        file("50-network.yaml", installation::network()),
        file("60-manager.yaml", vec![installation::deployment()]),
    ]
}

/// All that a cluster without Ptah is given, as one file: definitions, policies, the manager. The one difference to the folders
/// is that the settings let Jobs run the runner's image.
pub fn install() -> String {
    let settings = Settings { images: vec![RUNNER_IMAGE.to_owned()], ..Settings::default() };
    let definitions = ptah_crds::published().into_iter().map(|published| ptah_crds::to_yaml(&published.definition));
    let files = given(&settings).into_iter().chain(operator_files());
    definitions.chain(files.map(|file| file.text())).collect::<Vec<String>>().join("---\n")
}
