//! A server on this machine that gives out what lies in a folder, or lies about it, and remembers what it was asked for.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// How a server answers a path that it lies about.
#[derive(Clone, Copy)]
pub(super) enum Lie {
    Status(&'static str),
    Page,
    Redirect(&'static str),
    /// Half of the file with the length of all of it.
    Cut,
    /// Half of the file, and then nothing for ever.
    Stalls,
    /// The file, and then more for ever.
    Endless,
}

pub(super) struct Server {
    pub(super) root: String,
    asked: Arc<Mutex<Vec<String>>>,
}

/// An authority of its own, and a server's certificate from it.
pub(super) struct Authority {
    /// Its certificate, as a machine keeps it.
    pub(super) pem: String,
    config: Arc<ServerConfig>,
}

impl Authority {
    /// With a certificate for a server of this name.
    pub(super) fn for_server(name: &str) -> Self {
        let (key, own) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        // Two authorities with one name would be told apart by their signatures alone.
        params.distinguished_name.push(DnType::CommonName, format!("authority of {name}"));
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        let issuer = Issuer::new(params, key);
        let leaf = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&own, &issuer).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let private = PrivatePkcs8KeyDer::from(own.serialize_der()).into();
        let config = builder.with_no_client_auth().with_single_cert(vec![leaf.der().clone()], private).unwrap();
        Self { pem, config: Arc::new(config) }
    }
}

impl Server {
    /// Serves a folder; what is asked for at `path` is answered by the lie.
    pub(super) fn new(folder: PathBuf, lies: &'static [(&'static str, Lie)]) -> Self {
        Self::with(folder, lies, None)
    }

    /// The same over TLS, as `localhost`.
    pub(super) fn with_tls(folder: PathBuf, lies: &'static [(&'static str, Lie)], authority: &Authority) -> Self {
        Self::with(folder, lies, Some(Arc::clone(&authority.config)))
    }

    fn with(folder: PathBuf, lies: &'static [(&'static str, Lie)], tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let root = if tls.is_some() { format!("https://localhost:{port}") } else { format!("http://127.0.0.1:{port}") };
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (folder, seen, tls) = (folder.clone(), Arc::clone(&seen), tls.clone());
                let stream = stream.unwrap();
                std::thread::spawn(move || match tls {
                    Some(config) => {
                        let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
                        serve(&mut stream, &folder, lies, &seen);
                        stream.conn.send_close_notify();
                        let _ = stream.flush();
                    }
                    None => serve(&mut { stream }, &folder, lies, &seen),
                });
            }
        });
        Self { root, asked }
    }

    /// Every path that was asked for, in order.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(stream: &mut (impl Read + Write), folder: &Path, lies: &[(&str, Lie)], seen: &Mutex<Vec<String>>) {
    let path = path(stream);
    if path.is_empty() {
        // Somebody who does not accept our certificate asks for nothing.
        return;
    }
    seen.lock().unwrap().push(path.clone());
    let lie = lies.iter().find(|(at, _)| *at == path).map(|(_, lie)| *lie);
    // A client that went away is what some of the tests are about.
    let _ = answer(stream, &folder.join(path.trim_start_matches('/')), lie);
}

fn path(stream: &mut impl Read) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap().split(' ').nth(1).unwrap_or_default().to_owned()
}

fn answer(stream: &mut (impl Read + Write), file: &Path, lie: Option<Lie>) -> std::io::Result<()> {
    let bytes = std::fs::read(file).unwrap_or_default();
    let ok = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", bytes.len());
    let half = &bytes[..bytes.len() / 2];
    match lie {
        None if !file.is_file() => stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
        None => stream.write_all(ok.as_bytes()).and_then(|()| stream.write_all(&bytes)),
        Some(Lie::Status(status)) => {
            stream.write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").as_bytes())
        }
        Some(Lie::Page) => {
            let page = "<!doctype html><title>Log in</title>";
            stream.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{page}", page.len()).as_bytes())
        }
        Some(Lie::Redirect(to)) => {
            let head = format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
            stream.write_all(head.as_bytes())
        }
        Some(Lie::Cut) => stream.write_all(ok.as_bytes()).and_then(|()| stream.write_all(half)),
        Some(Lie::Stalls) => {
            stream.write_all(ok.as_bytes())?;
            stream.write_all(half)?;
            stream.read(&mut [0]).map(drop)
        }
        Some(Lie::Endless) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
            stream.write_all(&bytes)?;
            loop {
                stream.write_all(&[b' '; 4096])?;
            }
        }
    }
}
