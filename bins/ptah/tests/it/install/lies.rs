//! Releases, servers and folders that are not what they say. Each is refused with its code, and what was installed stays.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::server::{Authority, Lie, Server};
use super::shop::{Shop, code};
use crate::support::Ran;

/// A shop with version 1.0.0 installed, and a release of 1.1.0 in `two`.
fn shop() -> (Shop, Value) {
    let shop = Shop::new();
    shop.release("one", "1.0.0");
    shop.install(&["one"]).ended_with(0);
    let descriptor = shop.release("two", "1.1.0");
    (shop, descriptor)
}

/// The descriptor of a lie is refused, and the former release works.
#[track_caller]
fn refused(shop: &Shop, source: &[&str], wanted: &str) {
    let ran = shop.install(&[source, &["--json"]].concat());
    assert_eq!(code(&ran), wanted, "{}", ran.told());
    assert!(ran.document()["error"]["hint"].is_string(), "{}", ran.told());
    assert_eq!(shop.installed().as_deref(), Some("1.0.0"));
}

#[test]
fn a_release_that_is_not_what_its_descriptor_says_is_refused() {
    let (shop, right) = shop();
    let other = "0".repeat(64);
    let lies: &[(&str, Value, &str)] = &[
        ("/artifacts/0/sha256", json!(other), "provider_digest_mismatch"),
        ("/artifacts/0/executable_sha256", json!(other), "provider_digest_mismatch"),
        ("/artifacts/0/size", json!(1000), "provider_size_mismatch"),
        ("/artifacts/0/size", json!(1_000_000_000), "provider_size_mismatch"),
        ("/artifacts/0/executable", json!("bin/other"), "provider_archive_invalid"),
        ("/artifacts/0/executable", json!("bin"), "provider_archive_invalid"),
        ("/artifacts/0/file", json!("other.tar.gz"), "provider_source_unreadable"),
        ("/artifacts/0/file", json!("../two/zorp.tar.gz"), "provider_release_invalid"),
        ("/provider_id", json!("example.org/other"), "provider_engine_conflict"),
        ("/version", json!("1.2.0"), "provider_release_mismatch"),
        ("/contract", json!("1.4"), "provider_release_mismatch"),
        ("/engines/0/name", json!("blip"), "provider_engine_mismatch"),
        ("/engines/0/aliases", json!([]), "provider_engine_mismatch"),
        ("/engines/0/name", json!("sqlite"), "provider_engine_conflict"),
        ("/schema", json!(2), "provider_release_invalid"),
        ("/artifacts/0/os", json!("plan9"), "provider_release_none"),
        ("/min_contact", json!("1.0"), "provider_release_invalid"),
    ];
    for (at, value, wanted) in lies {
        let mut lie = right.clone();
        match lie.pointer_mut(at) {
            Some(place) => *place = value.clone(),
            None => drop(lie.as_object_mut().unwrap().insert(at[1..].to_owned(), value.clone())),
        }
        shop.describe("two", &lie);
        refused(&shop, &["two"], wanted);
    }
    shop.describe("two", &right);
    shop.install(&["two"]).ended_with(0);
    assert_eq!(shop.installed().as_deref(), Some("1.1.0"));
}

#[test]
fn a_descriptor_that_is_larger_than_one_is_refused() {
    let (shop, descriptor) = shop();
    let padded = |size: usize| format!("{descriptor}{}", " ".repeat(size - descriptor.to_string().len()));
    shop.scratch.write("two/ptah-provider.json", &padded(1024 * 1024 + 1));
    refused(&shop, &["two"], "provider_source_unreadable");
    shop.scratch.write("two/ptah-provider.json", &padded(1024 * 1024));
    shop.install(&["two"]).ended_with(0);
}

#[test]
fn the_digest_of_another_platform_is_no_digest_of_this_one() {
    let (shop, mut descriptor) = shop();
    let mut other = descriptor["artifacts"][0].clone();
    other["arch"] = json!("aarch65");
    other["sha256"] = json!("0".repeat(64));
    let (ours, theirs) = (descriptor["artifacts"][0]["sha256"].clone(), other["sha256"].clone());
    descriptor["artifacts"][0]["sha256"] = theirs;
    other["sha256"] = ours;
    descriptor["artifacts"] = json!([descriptor["artifacts"][0], other]);
    shop.describe("two", &descriptor);
    refused(&shop, &["two"], "provider_digest_mismatch");
}

#[test]
fn a_release_whose_provider_is_another_program_is_refused() {
    let (shop, mut descriptor) = shop();
    shop.scratch.write("two/zorp", "#!/bin/sh\nexit 0\n");
    let mut tar = std::process::Command::new("tar");
    tar.args(["-czf", "zorp.tar.gz", "zorp"]).current_dir(shop.path("two"));
    assert!(tar.status().unwrap().success());
    let archive = shop.path("two/zorp.tar.gz");
    let artifact = &mut descriptor["artifacts"][0];
    artifact["sha256"] = json!(super::shop::sha256(&archive));
    artifact["size"] = json!(archive.metadata().unwrap().len());
    artifact["executable"] = json!("zorp");
    artifact["executable_sha256"] = json!(super::shop::sha256(&shop.path("two/zorp")));
    shop.describe("two", &descriptor);
    refused(&shop, &["two"], "provider_start_failed");
}

#[test]
fn an_archive_that_wants_more_than_to_be_unpacked_is_refused_whole() {
    let (shop, mut descriptor) = shop();
    let folder = shop.path("two");
    let sh = |script: &str| {
        let status = std::process::Command::new("sh").args(["-ec", script]).current_dir(&folder).status().unwrap();
        assert!(status.success(), "{script}");
    };
    sh("mkdir -p in/bin && tar -xzf zorp.tar.gz -C in");
    let executable = descriptor["artifacts"][0]["executable"].as_str().unwrap().to_owned();
    for (script, word) in [
        ("ln -s /etc/passwd in/more", "a symbolic link"),
        ("ln -sf /etc/passwd in/more; ln in/LICENSE in/zzz; rm in/more", "a hard link"),
        ("rm in/zzz; mkfifo in/more", "a pipe"),
        ("rm in/more; chmod u+s in/LICENSE", "set-user-ID"),
        ("chmod u-s in/LICENSE; cp in/LICENSE in/license", "stands twice"),
    ] {
        sh(script);
        sh("tar -czf zorp.tar.gz -C in .");
        expect(&shop, &mut descriptor, word);
    }
    for (options, word) in [
        ("--transform 's,^./LICENSE,../evil,'", "`.` or `..`"),
        ("--transform 's,^./LICENSE,/tmp/ptah-evil,'", "it is absolute"),
    ] {
        sh(&format!("rm -f in/license; tar -P -czf zorp.tar.gz -C in {options} ."));
        expect(&shop, &mut descriptor, word);
    }
    assert!(!std::path::Path::new("/tmp/ptah-evil").exists());
    sh("tar -czf whole.tar.gz -C in . && head -c 1000000 whole.tar.gz > zorp.tar.gz");
    expect(&shop, &mut descriptor, "cut off");
    // The executable itself may not be a link to another file of the release.
    sh(&format!("mv in/{executable} in/real && ln -s ../real in/{executable} && tar -czf zorp.tar.gz -C in ."));
    expect(&shop, &mut descriptor, "a symbolic link");
}

/// The archive is described as it is, and refused for what is in it.
#[track_caller]
fn expect(shop: &Shop, descriptor: &mut Value, word: &str) {
    let archive = shop.path("two/zorp.tar.gz");
    descriptor["artifacts"][0]["sha256"] = json!(super::shop::sha256(&archive));
    descriptor["artifacts"][0]["size"] = json!(archive.metadata().unwrap().len());
    shop.describe("two", descriptor);
    let ran = shop.install(&["two", "--json"]);
    assert_eq!(code(&ran), "provider_archive_invalid", "{}", ran.told());
    ran.says(word);
    assert_eq!(shop.installed().as_deref(), Some("1.0.0"));
}

#[test]
fn a_full_disk_leaves_nothing() {
    let (shop, _) = shop();
    let program = env!("CARGO_BIN_EXE_ptah");
    let script = format!("trap '' XFSZ; ulimit -f 200; exec {program} providers install two --json");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script]).current_dir(shop.path("")).env_clear().env("HOME", shop.path(""));
    let ran = Ran::of(command.output().unwrap());
    assert_eq!(code(&ran), "provider_install_folder", "{}", ran.told());
    assert_eq!(shop.installed().as_deref(), Some("1.0.0"));
}

#[test]
fn a_server_that_lies_changes_nothing() {
    const LIES: &[(&str, Lie)] = &[
        ("/missing.json", Lie::Status("404 Not Found")),
        ("/broken.json", Lie::Status("500 Internal Server Error")),
        ("/page.json", Lie::Page),
        ("/redirect.json", Lie::Redirect("file:///etc/passwd")),
        ("/endless.json", Lie::Endless),
        ("/two/cut.tar.gz", Lie::Cut),
        ("/two/endless.tar.gz", Lie::Endless),
        ("/two/stalls.tar.gz", Lie::Stalls),
        ("/two/page.tar.gz", Lie::Page),
        ("/two/gone.tar.gz", Lie::Status("410 Gone")),
        ("/two/file.tar.gz", Lie::Redirect("file:///etc/passwd")),
    ];
    let (shop, mut descriptor) = shop();
    let server = Server::new(shop.path(""), LIES);
    let at = |path: &str| format!("{}/{path}", server.root);
    refused(&shop, &[&at("missing.json")], "provider_download_failed");
    refused(&shop, &[&at("broken.json")], "provider_download_failed");
    refused(&shop, &[&at("page.json")], "provider_release_invalid");
    refused(&shop, &[&at("redirect.json")], "provider_download_failed");
    refused(&shop, &[&at("endless.json")], "provider_source_unreadable");
    for (name, wanted) in [
        ("cut", "provider_download_failed"),
        ("endless", "provider_size_mismatch"),
        ("stalls", "provider_download_timeout"),
        ("page", "provider_size_mismatch"),
        ("gone", "provider_download_failed"),
        ("file", "provider_download_failed"),
    ] {
        let file = format!("{name}.tar.gz");
        std::fs::copy(shop.path("two/zorp.tar.gz"), shop.path(&format!("two/{file}"))).unwrap();
        descriptor["artifacts"][0]["file"] = json!(file);
        shop.describe("two", &descriptor);
        refused(&shop, &[&at("two/ptah-provider.json"), "--timeout", "3s"], wanted);
    }
    shop.check();
}

#[test]
fn a_server_has_to_prove_its_name_before_it_is_asked_for_anything() {
    const LIES: &[(&str, Lie)] = &[("/down.json", Lie::Redirect("http://127.0.0.1:1/"))];
    let shop = Shop::new();
    shop.release("one", "1.0.0");
    let (right, other) = (Authority::for_server("localhost"), Authority::for_server("other.example"));
    for (name, authority) in [("right.pem", &right), ("other.pem", &other)] {
        shop.scratch.write(name, &authority.pem);
    }
    let trusting = |server: &Server, path: &str, file: &str| {
        let mut command = shop.scratch.command(&["providers", "install", &format!("{}/{path}", server.root), "--json"]);
        Ran::of(command.env("SSL_CERT_FILE", shop.path(file)).output().unwrap())
    };
    let (server, impostor) =
        (Server::with_tls(shop.path(""), LIES, &right), Server::with_tls(shop.path(""), LIES, &other));
    for (server, file, word) in [(&server, "other.pem", "does not trust"), (&impostor, "other.pem", "another name")] {
        let ran = trusting(server, "one/ptah-provider.json", file);
        assert_eq!(code(&ran), "provider_download_failed");
        ran.says(word);
    }
    assert_eq!((server.asked(), impostor.asked()), (Vec::new(), Vec::new()));
    let ran = trusting(&server, "down.json", "right.pem");
    assert_eq!(code(&ran), "provider_download_failed");
    ran.says("without TLS");
    trusting(&server, "one/ptah-provider.json", "right.pem").ended_with(0);
    assert_eq!(shop.installed().as_deref(), Some("1.0.0"));
}

#[test]
fn a_credential_in_an_address_is_refused_and_a_query_is_not_kept() {
    let shop = Shop::new();
    let ran = shop.install(&["https://user:hunter2@example.org/"]).ended_with(2).says("holds a user or a password");
    assert!(!ran.told().contains("hunter2"), "{}", ran.told());
    let ran = shop.install(&["http://192.0.2.1/?token=hunter2", "--json"]);
    assert_eq!(code(&ran), "provider_download_failed");
    assert!(!ran.told().contains("hunter2"), "{}", ran.told());
    let mut command = shop.scratch.command(&["providers", "install", "http://192.0.2.1/"]);
    let output = command.env("PTAH_PLAIN_HTTP", "true").output().unwrap();
    Ran::of(output).ended_with(2).says("--plain-http is not taken from the environment");
}

#[test]
fn a_folder_that_others_may_write_names_nothing_that_is_run() {
    let (shop, _) = shop();
    let open = |path: &std::path::Path, mode| std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    let record = shop.installations().join("records").join(&shop.there("records")[0]);
    for (path, mode, wanted) in [
        (shop.installations(), 0o700, "provider_install_folder"),
        (shop.installations().join("records"), 0o700, "provider_install_folder"),
        (record.clone(), 0o600, "provider_record_invalid"),
    ] {
        open(&path, mode | 0o022);
        assert_eq!(code(&shop.ptah(&["providers", "list", "--json"])), wanted);
        assert_eq!(code(&shop.ptah(&["schema", "inspect", "--db-url", "zorp://x", "--json"])), wanted);
        open(&path, mode);
    }
    shop.check();
}

#[test]
fn a_record_that_was_changed_is_refused_by_name_and_never_passed_over() {
    let (shop, _) = shop();
    let name = shop.there("records")[0].clone();
    let path = shop.installations().join("records").join(&name);
    let right = std::fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("{", "["),
        ("\"schema\": 1", "\"schema\": 2"),
        ("example.org/zorp\"", "example.org/other\""),
        ("\"releases/", "\"../releases/"),
        ("\"releases/", "\"/releases/"),
    ] {
        std::fs::write(&path, right.replacen(from, to, 1)).unwrap();
        let ran = shop.ptah(&["providers", "check", "--json"]);
        assert_eq!(code(&ran), "provider_record_invalid", "{to}");
        assert!(ran.document()["error"]["message"].as_str().unwrap().contains(&name), "{}", ran.told());
    }
    std::fs::write(&path, &right).unwrap();
    std::fs::rename(&path, path.with_file_name("other.json")).unwrap();
    assert_eq!(code(&shop.ptah(&["providers", "list", "--json"])), "provider_record_invalid");
}

#[test]
fn an_executable_that_changed_is_not_started_and_can_be_installed_again() {
    let (shop, _) = shop();
    let list = shop.ptah(&["providers", "list", "--json"]).document();
    let executable = list["providers"][1]["executable"].as_str().unwrap().to_owned();
    let mut bytes = std::fs::read(&executable).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::set_permissions(&executable, Permissions::from_mode(0o700)).unwrap();
    std::fs::write(&executable, bytes).unwrap();
    let ran = shop.ptah(&["schema", "inspect", "--db-url", "zorp://x", "--json"]);
    assert_eq!(code(&ran), "provider_digest_mismatch");
    ran.says("the install record says").says("install the provider again");
    shop.install(&["one"]).ended_with(0).says("installed once more");
    shop.check();
}
