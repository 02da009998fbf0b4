//! An installed provider at work, beside manifests, and taken away.

use std::os::unix::fs::MetadataExt as _;

use super::shop::{Shop, code, sha256};
use crate::support::{Ran, go_on, is_stopped, until};

const APPLY: &[&str] =
    &["schema", "apply", "--db-url", "zorp://app.db", "--schema-file", "schema.sql", "--auto-approve"];

fn with_schema() -> Shop {
    let shop = Shop::new();
    shop.scratch.write("schema.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);");
    shop.release("one", "1.0.0");
    shop
}

#[test]
fn an_installed_provider_serves_its_engine() {
    let shop = with_schema();
    shop.ptah(APPLY).ended_with(2).says("no provider serves");
    shop.install(&["one"]).ended_with(0).says("example.org/zorp").says("installed");
    shop.check();
    shop.ptah(APPLY).ended_with(0);
    assert_eq!(shop.scratch.one("app.db", "SELECT count(*) FROM pragma_table_info('t')"), "2");
    shop.ptah(&["providers", "describe", "zo"]).ended_with(0).says("release 1.0.0").says("schema.inspect");
    shop.ptah(&["providers", "remove", "zorp"]).ended_with(0).says("removed");
    assert_eq!(shop.installed(), None);
    shop.ptah(APPLY).ended_with(2).says("no provider serves");
    assert_eq!(code(&shop.ptah(&["providers", "remove", "zorp", "--json"])), "provider_not_installed");
}

#[test]
fn what_an_installation_leaves_belongs_to_its_user_alone() {
    let shop = with_schema();
    shop.install(&["one"]).ended_with(0);
    let mode = |path: std::path::PathBuf| path.metadata().unwrap().mode() & 0o7777;
    let (root, record, release) = (shop.installations(), &shop.there("records")[0], &shop.there("releases")[0]);
    assert_eq!(mode(root.clone()), 0o700);
    assert_eq!(mode(root.join("records")), 0o700);
    assert_eq!(mode(root.join("records").join(record)), 0o600);
    assert_eq!(mode(root.join("releases").join(release)), 0o700);
    assert_eq!(mode(root.join("releases").join(release).join("bin/ptah-provider-zorp-1.0.0")), 0o500);
    assert_eq!(mode(root.join("releases").join(release).join("LICENSE")), 0o600);
}

#[test]
fn a_manifest_goes_before_an_installation_of_the_same_provider_and_the_list_says_so() {
    let shop = with_schema();
    shop.install(&["one"]).ended_with(0);
    let executable = shop.path("ptah-provider-zorp-9.9.9");
    let installed = shop.ptah(&["providers", "list", "--json"]).document()["providers"][1]["executable"].clone();
    std::fs::copy(installed.as_str().unwrap(), &executable).unwrap();
    let manifest = |id: &str, path: &std::path::Path| {
        let digest = sha256(path);
        let entry = format!("  - id: {id}\n    executable: {}\n    sha256: \"{digest}\"\n", path.display());
        format!("providers:\n{entry}    engines:\n      - name: zorp\n        aliases: [zo]\n")
    };
    shop.scratch.write("ptah-providers.yaml", &manifest("example.org/zorp", &executable));
    shop.ptah(&["providers", "list"]).ended_with(0).says("instead of  the installed version 1.0.0");
    shop.ptah(&["providers", "check"]).ended_with(0).says("9.9.9");
    shop.ptah(APPLY).ended_with(0);
    // The user's manifest goes before the installation, and after the project's.
    std::fs::create_dir_all(shop.path(".config/ptah")).unwrap();
    shop.scratch.write(".config/ptah/ptah-providers.yaml", &manifest("example.org/zorp", &executable));
    let list = shop.ptah(&["providers", "list", "--json"]).ended_with(0).document();
    assert_eq!(list["providers"][1]["instead_of"].as_array().unwrap().len(), 2);
    std::fs::remove_file(shop.path("ptah-providers.yaml")).unwrap();
    let list = shop.ptah(&["providers", "list", "--json"]).ended_with(0).document();
    assert_eq!(list["providers"][1]["origin"], "manifest");
    assert_eq!(list["providers"][1]["instead_of"].as_array().unwrap().len(), 1);
    // Another provider that claims the engine is refused, whichever of the two was first.
    shop.scratch.write(".config/ptah/ptah-providers.yaml", &manifest("example.org/other", &executable));
    assert_eq!(code(&shop.ptah(&["providers", "list", "--json"])), "provider_engine_conflict");
    assert_eq!(code(&shop.install(&["one", "--json"])), "provider_engine_conflict");
}

#[test]
fn what_a_manifest_names_is_not_removed() {
    let shop = with_schema();
    shop.install(&["one"]).ended_with(0);
    let installed = shop.ptah(&["providers", "list", "--json"]).document()["providers"][1]["executable"].clone();
    let path = std::path::PathBuf::from(installed.as_str().unwrap());
    let manifest = format!(
        "providers:\n  - id: example.org/zorp\n    executable: {}\n    sha256: \"{}\"\n    engines: [{{name: zorp, aliases: [zo]}}]\n",
        path.display(),
        sha256(&path)
    );
    shop.scratch.write("ptah-providers.yaml", &manifest);
    assert_eq!(code(&shop.ptah(&["providers", "remove", "zorp", "--json"])), "provider_in_use");
    assert!(path.exists());
    std::fs::remove_file(shop.path("ptah-providers.yaml")).unwrap();
    shop.ptah(&["providers", "remove", "example.org/zorp"]).ended_with(0);
    assert!(!path.exists());
}

#[test]
fn a_run_goes_on_when_its_provider_is_removed() {
    let shop = with_schema();
    shop.install(&["one"]).ended_with(0);
    let run = shop.scratch.command(APPLY).env("PTAH_FAULT", "3:before:stop").spawn().unwrap();
    until("the run holds still", || is_stopped(run.id()));
    shop.ptah(&["providers", "remove", "zorp"]).ended_with(0);
    assert_eq!(shop.installed(), None);
    go_on(run.id());
    Ran::of(run.wait_with_output().unwrap()).ended_with(0);
    assert_eq!(shop.scratch.one("app.db", "SELECT count(*) FROM pragma_table_info('t')"), "2");
}

#[test]
fn another_folder_can_be_named_and_none_is_needed_for_what_is_bundled() {
    let shop = with_schema();
    shop.install(&["one", "--install-dir", "elsewhere"]).ended_with(0);
    assert_eq!(shop.installed(), None);
    shop.ptah(&["providers", "check", "--install-dir", "elsewhere", "--dialect", "zorp"]).ended_with(0);
    let homeless = |words: &[&str]| {
        let output = shop.scratch.command(words).env_remove("HOME").output().unwrap();
        Ran::of(output)
    };
    homeless(&["providers", "list"]).ended_with(0);
    homeless(&["providers", "install", "one"]).ended_with(2).says("PTAH_INSTALL_DIR");
}
