//! The plugin half, seen by a host that is not this crate's: started by hand, spoken to with plain TLS.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustix::process::Signal;
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, RootCertStore, SignatureScheme};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;
use tokio_rustls::TlsConnector;

use crate::shared::{PARENT_PID, cookie};
use crate::support::{is_gone, peer, signal, wait_until};

fn generate() -> CertifiedKey<KeyPair> {
    generate_simple_self_signed(["localhost".to_owned()]).unwrap()
}

/// The bootstrap as a host makes it.
fn command(folder: &TempDir, certificate: &str) -> Command {
    let cookie = cookie();
    let mut command = Command::new(peer());
    command
        .env_clear()
        .env(cookie.key, cookie.value)
        .env("PLUGIN_PROTOCOL_VERSIONS", "1,7")
        .env("PLUGIN_CLIENT_CERT", certificate)
        .env("PLUGIN_UNIX_SOCKET_DIR", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A plugin that printed its line.
struct Served {
    process: Child,
    stdout: BufReader<ChildStdout>,
    fields: Vec<String>,
    own: CertifiedKey<KeyPair>,
    _folder: TempDir,
}

impl Served {
    fn start(change: impl FnOnce(&mut Command)) -> Self {
        let (folder, own) = (tempfile::tempdir().unwrap(), generate());
        let mut command = command(&folder, &own.cert.pem());
        change(&mut command);
        let mut process = command.spawn().unwrap();
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        Self {
            fields: line.trim_end_matches('\n').split('|').map(str::to_owned).collect(),
            process,
            stdout,
            own,
            _folder: folder,
        }
    }

    fn socket(&self) -> PathBuf {
        PathBuf::from(&self.fields[3])
    }

    /// What stock verification makes of it: the told certificate is the only trusted root, as in a Go host.
    fn config(&self, provider: Arc<CryptoProvider>, client: Option<&CertifiedKey<KeyPair>>) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        let told = STANDARD_NO_PAD.decode(&self.fields[5]).unwrap();
        roots.add(CertificateDer::from(told)).unwrap();
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let mut config = match client {
            None => builder.with_no_client_auth(),
            Some(client) => {
                let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(client.signing_key.serialize_der()));
                builder.with_client_auth_cert(vec![client.cert.der().clone()], key).unwrap()
            }
        };
        config.alpn_protocols = vec![b"h2".to_vec()];
        config
    }

    /// Whether the server's first HTTP/2 bytes arrive, which is when it has accepted the client.
    async fn is_accepted(&self, config: ClientConfig) -> bool {
        let stream = UnixStream::connect(self.socket()).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let Ok(mut tls) = TlsConnector::from(Arc::new(config)).connect(name, stream).await else {
            return false;
        };
        let mut first = [0; 9];
        tokio::time::timeout(Duration::from_secs(10), tls.read_exact(&mut first)).await.unwrap().is_ok()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn run(change: impl FnOnce(&mut Command)) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(&folder, &generate().cert.pem());
    change(&mut command);
    command.output().unwrap()
}

#[test]
fn without_its_cookie_a_plugin_exits_with_1_and_prints_nothing_on_standard_output() {
    let key = cookie().key;
    for value in [None, Some("another"), Some("")] {
        let output = run(|command| match value {
            None => _ = command.env_remove(&key),
            Some(value) => _ = command.env(&key, value),
        });
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(output.stdout, b"");
        assert!(String::from_utf8(output.stderr).unwrap().contains("is a plugin"));
    }
}

#[test]
fn a_host_without_a_readable_certificate_is_refused() {
    for change in ["", "rubbish", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        let output = run(|command| _ = command.env("PLUGIN_CLIENT_CERT", change));
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(output.stdout, b"");
    }
}

#[test]
fn a_parent_that_is_dead_before_the_watch_begins_ends_the_start() {
    let mut dead = Command::new("/proc/self/exe").arg("--list").stdout(Stdio::null()).spawn().unwrap();
    dead.wait().unwrap();
    let output = run(|command| _ = command.env(PARENT_PID, dead.id().to_string()));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, b"");
}

#[test]
fn the_line_has_six_fields_and_a_seventh_only_for_hosts_that_know_it() {
    let six = Served::start(|_| {});
    assert_eq!(six.fields.len(), 6);
    assert_eq!((&*six.fields[0], &*six.fields[1], &*six.fields[2], &*six.fields[4]), ("1", "1", "unix", "grpc"));
    let seven = Served::start(|command| _ = command.env("PLUGIN_MULTIPLEX_GRPC", "true"));
    assert_eq!(seven.fields.len(), 7);
    assert_eq!(seven.fields[6], "false");
}

#[test]
fn a_plugin_without_a_given_directory_makes_a_private_one_and_removes_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut served = Served::start(|command| {
        command.env_remove("PLUGIN_UNIX_SOCKET_DIR").env("TMPDIR", folder.path());
    });
    let directory = served.socket().parent().unwrap().to_path_buf();
    assert!(directory.starts_with(folder.path()) && directory != folder.path());
    let mode = std::os::unix::fs::PermissionsExt::mode(&directory.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700);
    signal(served.process.id(), Signal::TERM);
    assert!(served.process.wait().unwrap().success());
    assert!(!directory.exists());
}

#[tokio::test]
async fn only_the_hosts_own_certificate_is_let_in() {
    let served = Served::start(|_| {});
    let provider = go_plugin::crypto_provider;
    assert!(served.is_accepted(served.config(provider(), Some(&served.own))).await);
    assert!(!served.is_accepted(served.config(provider(), Some(&generate()))).await);
    assert!(!served.is_accepted(served.config(provider(), None)).await);
    // The refused ones changed nothing.
    assert!(served.is_accepted(served.config(provider(), Some(&served.own))).await);
}

#[tokio::test]
async fn a_client_whose_signature_algorithms_do_not_overlap_is_refused() {
    let served = Served::start(|_| {});
    for only in [SignatureScheme::ED25519, SignatureScheme::ECDSA_NISTP521_SHA512] {
        let mut provider = (*go_plugin::crypto_provider()).clone();
        let all = provider.signature_verification_algorithms.mapping;
        let kept: Vec<_> = all.iter().filter(|(scheme, _)| *scheme == only).copied().collect();
        assert_eq!(kept.len(), 1);
        provider.signature_verification_algorithms.mapping = Vec::leak(kept);
        assert!(!served.is_accepted(served.config(Arc::new(provider), None)).await);
    }
}

#[tokio::test]
async fn a_plaintext_client_gets_no_http() {
    let served = Served::start(|_| {});
    let mut stream = UnixStream::connect(served.socket()).await.unwrap();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";
    tokio::io::AsyncWriteExt::write_all(&mut stream, preface).await.unwrap();
    let mut answer = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer));
    let _closed = read.await.unwrap();
    // At most a TLS alert (record type 21).
    assert!(answer.is_empty() || answer[0] == 21, "{answer:?}");
}

#[tokio::test]
async fn an_interrupt_from_the_terminal_is_ignored() {
    let served = Served::start(|_| {});
    signal(served.process.id(), Signal::INT);
    signal(served.process.id(), Signal::INT);
    let config = || served.config(go_plugin::crypto_provider(), Some(&served.own));
    assert!(served.is_accepted(config()).await);
    assert!(!is_gone(served.process.id()));
}

#[test]
fn nothing_follows_the_line_on_standard_output() {
    let mut served = Served::start(|_| {});
    let pid = served.process.id();
    signal(pid, Signal::TERM);
    wait_until(Duration::from_secs(5), "the plugin has ended", || is_gone(pid));
    let mut rest = Vec::new();
    served.stdout.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"");
    assert!(!served.socket().exists());
}
