//! The client against a real server on this machine that answers slowly, partly, endlessly or with something else.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use super::*;

/// What a server does with one connection after it has read the request: a piece of what it writes, or holding still
/// until the other side goes away.
enum Act {
    Say(Vec<u8>),
    Hold,
    Drip,
    Forever(&'static [u8]),
}

fn say(text: &str) -> Vec<Act> {
    vec![Act::Say(text.as_bytes().to_vec())]
}

/// A server that answers each path as it is told; the address of its root.
fn server(answer: impl Fn(&str) -> Vec<Act> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let root = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let head = head(&mut stream);
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            let acts = answer(&path);
            std::thread::spawn(move || acts.iter().for_each(|act| perform(&mut stream, act)));
        }
    });
    root
}

fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

/// A peer that went away is no fault of the server's.
fn perform(stream: &mut TcpStream, act: &Act) {
    match act {
        Act::Say(bytes) => drop(stream.write_all(bytes)),
        Act::Hold => drop(stream.read(&mut [0])),
        Act::Drip => {
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        Act::Forever(bytes) => while stream.write_all(bytes).is_ok() {},
    }
}

const SHORT: Limits =
    Limits { connect: Duration::from_secs(5), idle: Duration::from_millis(300), whole: Duration::from_millis(900) };

async fn get(url: &str, limits: Limits) -> Result<Vec<u8>, HttpFault> {
    let client = Client::new(limits, false, "ptah/test");
    let mut answer = client.get(&Url::parse(url).unwrap()).await?;
    let mut bytes = Vec::new();
    while let Some(piece) = answer.next().await? {
        bytes.extend_from_slice(&piece);
        assert!(bytes.len() < 1 << 30, "endless");
    }
    Ok(bytes)
}

#[tokio::test]
async fn a_file_arrives_whole_by_length_by_chunks_and_by_the_end_of_the_connection() {
    let root = server(|path| match path {
        "/length" => say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        "/chunks" => say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"),
        _ => say("HTTP/1.0 200 OK\r\n\r\nhello"),
    });
    for path in ["length", "chunks", "end"] {
        assert_eq!(get(&format!("{root}/{path}"), Limits::default()).await.unwrap(), b"hello", "{path}");
    }
}

#[tokio::test]
async fn a_server_that_is_slow_is_given_up_at_each_place_where_it_can_be() {
    let root = server(|path| match path {
        "/head" => vec![Act::Hold],
        "/half-a-head" => vec![Act::Say(b"HTTP/1.1 200 OK\r\nContent-".to_vec()), Act::Hold],
        "/body" => vec![Act::Say(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello".to_vec()), Act::Hold],
        // Never silent for long, and never done: only the limit of the whole ends it.
        _ => vec![Act::Say(b"HTTP/1.1 200 OK\r\n\r\n".to_vec()), Act::Drip],
    });
    for (path, ends) in [("head", SHORT.idle), ("half-a-head", SHORT.idle), ("body", SHORT.idle), ("drip", SHORT.whole)]
    {
        let begun = Instant::now();
        let fault = get(&format!("{root}/{path}"), SHORT).await.unwrap_err();
        assert!(matches!(fault, HttpFault::Timeout { limit, .. } if limit == ends), "{path}: {fault}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{path}");
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_off_is_never_taken_for_a_whole_one() {
    let root = server(|path| match path {
        "/length" => say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"),
        "/chunks" => say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello"),
        "/head" => say("HTTP/1.1 200 OK\r\nContent-"),
        "/nothing" => Vec::new(),
        _ => vec![Act::Forever(b"this is no HTTP\n")],
    });
    for path in ["length", "chunks", "head", "nothing", "noise"] {
        let fault = get(&format!("{root}/{path}"), Limits::default()).await.unwrap_err();
        assert!(matches!(fault, HttpFault::Broken), "{path}: {fault}");
    }
}

#[tokio::test]
async fn anything_but_a_file_is_told_for_what_it_is() {
    let root = server(|path| match path {
        "/404" => say("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
        "/500" => say("HTTP/1.1 500 Look at me\r\nContent-Length: 0\r\n\r\n"),
        "/206" => say("HTTP/1.1 206 Partial Content\r\nContent-Length: 1\r\n\r\nx"),
        "/page" => say("HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=utf-8\r\nContent-Length: 1\r\n\r\n<"),
        _ => say("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx"),
    });
    let fault = async |path: &str| get(&format!("{root}/{path}"), Limits::default()).await.unwrap_err().to_string();
    assert_eq!(fault("404").await, "the server answered with status 404");
    assert_eq!(fault("500").await, "the server answered with status 500");
    assert_eq!(fault("206").await, "the server answered with status 206");
    assert_eq!(fault("page").await, "the server answered with a web page");
    assert!(fault("packed").await.contains("Content-Encoding"));
}

#[tokio::test]
async fn a_redirect_is_followed_to_a_server_and_never_to_a_file_or_for_ever() {
    let root = server(|path| {
        let to = match path {
            "/file" => "file:///etc/passwd",
            "/ftp" => "ftp://127.0.0.1/a",
            "/secret" => "http://user:hunter2@127.0.0.1/a",
            "/elsewhere" => "http://192.0.2.1/a",
            "/round" => "/round",
            "/once" => "there",
            _ => return say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        };
        say(&format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"))
    });
    let fault = async |path: &str| get(&format!("{root}/{path}"), Limits::default()).await.unwrap_err();
    for path in ["file", "ftp", "secret"] {
        let told = fault(path).await;
        assert!(matches!(told, HttpFault::Redirect { fault: RedirectFault::Address }), "{path}: {told}");
        assert!(!told.to_string().contains("hunter2"));
    }
    assert!(matches!(fault("round").await, HttpFault::Redirect { fault: RedirectFault::TooMany }));
    assert!(matches!(fault("elsewhere").await, HttpFault::Plain));
    assert_eq!(get(&format!("{root}/once"), Limits::default()).await.unwrap(), b"hello");
}

#[tokio::test]
async fn http_to_another_machine_is_refused_before_it_is_connected_to() {
    let begun = Instant::now();
    assert!(matches!(get("http://192.0.2.1/a", Limits::default()).await, Err(HttpFault::Plain)));
    assert!(begun.elapsed() < Duration::from_secs(5));
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert!(matches!(get(&format!("http://{nobody}/"), SHORT).await, Err(HttpFault::Unreachable(_))));
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_does_not_get_a_request() {
    let root = server(|_| say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
    let fault = get(&root.replace("http://", "https://"), SHORT).await.unwrap_err();
    // On a machine that trusts nobody it ends one step earlier.
    assert!(matches!(fault, HttpFault::Tls(_) | HttpFault::NoRoots | HttpFault::Timeout { .. }), "{fault}");
}
