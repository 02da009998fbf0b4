//! What a line may look like; the whole table over real processes is in `tests/process/handshake.rs`.

use std::path::Path;

use super::{HandshakeFault, LINE_LIMIT, format, parse};
use crate::identity::Identity;

const DIRECTORY: &str = "/run/user/1000/gop-1-2-abc";

fn parse_text(line: &str) -> Result<super::HandshakeLine, HandshakeFault> {
    parse(line.as_bytes(), Path::new(DIRECTORY))
}

#[test]
fn what_the_plugin_half_prints_the_host_half_reads() {
    let identity = Identity::generate().unwrap();
    let socket = Path::new(DIRECTORY).join("plugin1");
    for seventh in [false, true] {
        let line = format(7, &socket, identity.der(), seventh);
        let line = line.strip_suffix('\n').unwrap();
        assert!(line.len() < LINE_LIMIT);
        assert_eq!(line.split('|').count(), if seventh { 7 } else { 6 });
        let read = parse_text(line).unwrap();
        assert_eq!((read.app_version, &read.socket, &read.certificate), (7, &socket, identity.der()));
    }
}

#[test]
fn only_a_path_directly_inside_the_directory_is_taken() {
    let identity = Identity::generate().unwrap();
    let certificate = {
        let line = format(1, Path::new("/s"), identity.der(), false);
        line.trim_end().rsplit('|').next().unwrap().to_owned()
    };
    let read = |address: &str| parse_text(&format!("1|1|unix|{address}|grpc|{certificate}")).map(|line| line.socket);
    assert!(read(&format!("{DIRECTORY}/s")).is_ok());
    let outside = ["", "s", "/s", DIRECTORY, "/run/user/1000/gop-1-2-abcd/s"].map(str::to_owned);
    let inside = ["/", "/.", "/..", "/a/s", "/../s", "//s", "s"].map(|end| format!("{DIRECTORY}{end}"));
    for address in outside.iter().chain(&inside) {
        assert_eq!(read(address), Err(HandshakeFault::Address), "{address}");
    }
    let long = format!("{DIRECTORY}/{}", "s".repeat(107 - DIRECTORY.len()));
    assert_eq!(read(&long), Err(HandshakeFault::AddressTooLong));
    assert!(read(&long[..107]).is_ok());
}

#[test]
fn padding_signs_and_spaces_are_refused() {
    let table = [
        ("1|+1|unix|x|grpc|y", HandshakeFault::AppVersion),
        ("1|1 |unix|x|grpc|y", HandshakeFault::AppVersion),
        ("1|99999999999|unix|x|grpc|y", HandshakeFault::AppVersion),
        (" 1|1|unix|x|grpc|y", HandshakeFault::OtherOutput),
        ("", HandshakeFault::OtherOutput),
        ("1|1|unix|/run/user/1000/gop-1-2-abc/s|grpc|AAA=", HandshakeFault::CertificateUnreadable),
        ("1|1|unix|x|grpc|y\r", HandshakeFault::ControlCharacter),
    ];
    for (line, expected) in table {
        assert_eq!(parse_text(line), Err(expected), "{line:?}");
    }
}
