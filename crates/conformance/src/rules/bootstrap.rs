//! The start: cookie, handshake line, mutual TLS, control, signals, and the death of the parent.

use std::time::Duration;

use rustix::process::Signal;
use rustls::SignatureScheme;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

use super::table;
use crate::lab::Lab;
use crate::message::describe_all;
use crate::process::{Line, Process, gone};
use crate::rule::{Check, broken, ensure, pointless};
use crate::tls::{Identity, Manner, connect};

mod control;
mod lifetime;

use control::{health_is_serving, shutdown_ends_it_with_status_0, the_host_can_start_it};
use lifetime::{
    it_ends_when_its_parent_dies, it_ends_when_its_parent_dies_during_a_call, it_ends_when_its_parent_is_gone_already,
};

table! { "bootstrap":
    without_its_cookie_it_prints_nothing_and_ends_with_1 =>
        "Started without the cookie, it exits with 1 at once and prints nothing on standard output.",
    a_wrong_cookie_is_no_cookie => "The cookie's value is compared byte for byte.",
    it_prints_one_handshake_line_within_ten_seconds =>
        "It prints one line `1|VERSION|unix|PATH|grpc|CERTIFICATE` before anything else, within ten seconds.",
    it_offers_a_version_that_the_host_speaks =>
        "It picks the highest application version that both sides speak.",
    it_claims_no_version_that_it_does_not_speak =>
        "A host and a provider of different majors never talk.",
    it_listens_on_its_private_socket_alone => "gRPC runs over a local listener: a Unix socket, and no TCP port.",
    the_host_is_let_in_with_its_certificate =>
        "It presents the certificate of its line, proves to hold its key, accepts the host's certificate, and speaks HTTP/2.",
    a_peer_without_a_certificate_is_refused => "Client authentication is not optional.",
    a_peer_whose_signature_algorithms_do_not_overlap_is_refused =>
        "A peer without a certificate is refused even when signature algorithms do not overlap.",
    a_peer_with_another_certificate_is_refused => "It accepts exactly the host's certificate and no other.",
    a_peer_without_tls_is_refused => "The transport is mutual TLS; plaintext is refused.",
    the_host_can_start_it => "Ptah can start it: it executes the bytes that it hashed, from sealed memory or a private copy.",
    health_is_serving => "The health service says that `plugin` is SERVING.",
    shutdown_ends_it_with_status_0 => "Shutdown ends it with status 0 within two seconds.",
    an_interrupt_is_ignored => "It ignores SIGINT, which a terminal sends to it as well as to the host.",
    two_processes_do_not_disturb_each_other => "Each start is a process of its own.",
    it_ends_when_its_parent_dies => "It watches its parent and exits within one second when the parent dies.",
    it_ends_when_its_parent_is_gone_already => "It exits when its parent was gone before the watch began.",
    it_ends_when_its_parent_dies_during_a_call on database =>
        "It exits within one second when the parent dies, also while a session is at work.",
}

/// How long a start may take.
const A_START: Duration = Duration::from_secs(10);

/// Waits for the end of what must end at once.
const AT_ONCE: Duration = Duration::from_secs(2);

async fn without_its_cookie_it_prints_nothing_and_ends_with_1(lab: &Lab<'_>) -> Check {
    ends_with_1(lab, None, "a start without the cookie").await
}

async fn a_wrong_cookie_is_no_cookie(lab: &Lab<'_>) -> Check {
    ends_with_1(lab, Some("wrong"), "a start with another value of the cookie").await
}

async fn ends_with_1(lab: &Lab<'_>, cookie: Option<&'static str>, sent: &str) -> Check {
    let mut spawn = lab.spawn();
    spawn.cookie = cookie;
    let mut process = Process::start(&spawn)?;
    // An interpreter has to start first, and a start has ten seconds.
    let status = process.ended(A_START).await;
    let status = status.ok_or_else(|| broken(sent, "it still runs after ten seconds"))?;
    ensure(status.code() == Some(1), sent, format!("{status}"))?;
    let output = process.all_output(AT_ONCE).await.unwrap_or_default();
    ensure(output.is_empty(), sent, format!("{} bytes on standard output", output.len()))
}

async fn it_prints_one_handshake_line_within_ten_seconds(lab: &Lab<'_>) -> Check {
    let mut process = Process::start(&lab.spawn())?;
    process.line().await.map(drop)
}

async fn it_offers_a_version_that_the_host_speaks(lab: &Lab<'_>) -> Check {
    let mut spawn = lab.spawn();
    spawn.versions = "7,1,3";
    let line = Process::start(&spawn)?.line().await?;
    ensure(line.version == "1", "a start with PLUGIN_PROTOCOL_VERSIONS=7,1,3", format!("version {}", line.version))
}

async fn it_claims_no_version_that_it_does_not_speak(lab: &Lab<'_>) -> Check {
    let mut spawn = lab.spawn();
    spawn.versions = "7";
    let mut process = Process::start(&spawn)?;
    // Ending without a line is as good: there is no version that both speak.
    let Ok(line) = process.line().await else { return Ok(()) };
    ensure(line.version != "7", "a start with PLUGIN_PROTOCOL_VERSIONS=7", "it claims to speak version 7")
}

async fn it_listens_on_its_private_socket_alone(lab: &Lab<'_>) -> Check {
    let mut process = Process::start(&lab.spawn())?;
    process.line().await?;
    let ports = control::listening_ports(process.pid());
    let ports = ports.map_err(|_| pointless("the open sockets of a process cannot be seen here"))?;
    ensure(ports.is_empty(), "a start", format!("it listens on TCP as well: {ports:?}"))
}

async fn the_host_is_let_in_with_its_certificate(lab: &Lab<'_>) -> Check {
    let (process, line) = started(lab).await?;
    let stream = connect(&line.socket, &line.certificate, Manner::Host(&process.identity)).await;
    let mut stream =
        stream.map_err(|error| broken("a TLS connection with the host's certificate", error.to_string()))?;
    let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    ensure(http2, "a TLS connection that offers h2", "another protocol was negotiated")?;
    let heard = hear(&mut stream).await;
    ensure(heard, "an HTTP/2 preface over TLS with the host's certificate", "the connection was closed")
}

async fn a_peer_without_a_certificate_is_refused(lab: &Lab<'_>) -> Check {
    stranger(lab, "a TLS connection without a certificate", Manner::Anonymous(&[])).await
}

async fn a_peer_whose_signature_algorithms_do_not_overlap_is_refused(lab: &Lab<'_>) -> Check {
    const P521: &[SignatureScheme] = &[SignatureScheme::ECDSA_NISTP521_SHA512];
    const ED25519: &[SignatureScheme] = &[SignatureScheme::ED25519];
    for schemes in [P521, ED25519] {
        stranger(lab, "a TLS connection without a certificate that offers one algorithm", Manner::Anonymous(schemes))
            .await?;
    }
    Ok(())
}

async fn a_peer_with_another_certificate_is_refused(lab: &Lab<'_>) -> Check {
    let other = Identity::generate().map_err(|error| broken("making a certificate", error.to_string()))?;
    stranger(lab, "a TLS connection with a certificate that is not the host's", Manner::Host(&other)).await
}

async fn stranger(lab: &Lab<'_>, sent: &str, manner: Manner<'_>) -> Check {
    let (_process, line) = started(lab).await?;
    // In TLS 1.3 the client's half is over before the server has judged it, so what counts is whether anything comes.
    let Ok(mut stream) = connect(&line.socket, &line.certificate, manner).await else { return Ok(()) };
    let heard = hear(&mut stream).await;
    ensure(!heard, sent, "it was let in")
}

async fn a_peer_without_tls_is_refused(lab: &Lab<'_>) -> Check {
    let (_process, line) = started(lab).await?;
    let Ok(mut stream) = UnixStream::connect(&line.socket).await else { return Ok(()) };
    let mut answer = [0; 9];
    let written = stream.write_all(PREFACE).await;
    let read = tokio::time::timeout(AT_ONCE, stream.read_exact(&mut answer)).await;
    // A frame of settings begins with a length below 256 and its type, which is 4; an alert of TLS begins with 21.
    let settings =
        written.is_ok() && matches!(read, Ok(Ok(_))) && answer.starts_with(&[0, 0]) && answer.get(3) == Some(&4);
    ensure(!settings, "an HTTP/2 preface without TLS", "it was answered")
}

/// The start of HTTP/2, with an empty frame of settings.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// Whether the far side says anything after the start of HTTP/2.
async fn hear(stream: &mut (impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin)) -> bool {
    let mut answer = [0; 9];
    if stream.write_all(PREFACE).await.is_err() {
        return false;
    }
    matches!(tokio::time::timeout(AT_ONCE, stream.read_exact(&mut answer)).await, Ok(Ok(_)))
}

async fn started(lab: &Lab<'_>) -> Result<(Process, Line), crate::rule::Stop> {
    let mut process = Process::start(&lab.spawn())?;
    let line = process.line().await?;
    Ok((process, line))
}

async fn an_interrupt_is_ignored(lab: &Lab<'_>) -> Check {
    let peer = lab.start().await?;
    peer.process.signal(Signal::INT);
    let ended = gone(peer.process.pid(), Duration::from_millis(300)).await;
    ensure(!ended, "SIGINT", "the process ended")?;
    // A second Describe of the same host may be refused, but it is answered.
    match peer.client().describe(describe_all()).await {
        Err(status) if crate::rule::is_transport(&status) => {
            Err(broken("SIGINT, then a call", "the connection broke off"))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

async fn two_processes_do_not_disturb_each_other(lab: &Lab<'_>) -> Check {
    let (one, other) = tokio::join!(lab.start(), lab.start());
    let (one, other) = (one?, other?);
    drop(one);
    let answered = other.client().describe(describe_all()).await;
    let lost = answered.is_err_and(|status| crate::rule::is_transport(&status));
    ensure(!lost, "the end of another process of the same executable", "the connection broke off")
}
