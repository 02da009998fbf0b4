//! The version that is chosen, and what is refused.

use super::{Environment, ServeConfig, choose};
use crate::bootstrap::Cookie;
use crate::identity::Identity;
use crate::plugin::ServeError;

fn read(entries: &[(&str, &str)]) -> Result<Environment, ServeError> {
    let config = ServeConfig {
        cookie: Cookie::new("KEY", "value"),
        app_versions: vec![1],
        parent_pid_variable: Some("PARENT".to_owned()),
    };
    Environment::from_lookup(&config, |name| {
        entries.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).into())
    })
}

#[test]
fn the_highest_common_version_is_chosen_and_else_the_lowest_own() {
    let table: [(&[u32], &str, u32); 8] = [
        (&[1], "1", 1),
        (&[1, 3, 2], "3,2", 3),
        (&[2, 1], "1,2,9", 2),
        (&[5, 4], "1,2", 4),
        (&[5, 4], "", 4),
        (&[2], "two,2", 2),
        (&[10, 9], "9,10", 10),
        (&[1], " 1", 1),
    ];
    for (own, offered, expected) in table {
        assert_eq!(choose(own, offered).unwrap(), expected, "{own:?} {offered}");
    }
    assert!(matches!(choose(&[], "1"), Err(ServeError::NoAppVersion)));
}

#[test]
fn a_whole_bootstrap_is_read() {
    let identity = Identity::generate().unwrap();
    let read = read(&[
        ("KEY", "value"),
        ("PLUGIN_CLIENT_CERT", identity.pem()),
        ("PLUGIN_UNIX_SOCKET_DIR", "/run/x"),
        ("PLUGIN_MULTIPLEX_GRPC", "true"),
        ("PARENT", "42"),
    ])
    .unwrap();
    assert_eq!(read.host_certificate, *identity.der());
    assert_eq!(read.socket_directory, Some("/run/x".into()));
    assert_eq!((read.seventh_field, read.parent), (true, Some(42)));
}

#[test]
fn exactly_one_certificate_is_taken() {
    let identity = Identity::generate().unwrap();
    let two = format!("{}{}", identity.pem(), identity.pem());
    for pem in ["rubbish", two.as_str()] {
        let refused = read(&[("KEY", "value"), ("PLUGIN_CLIENT_CERT", pem)]);
        assert!(matches!(refused, Err(ServeError::ClientCertificate)), "{refused:?}");
    }
    assert!(matches!(read(&[("KEY", "value")]), Err(ServeError::NoClientCertificate)));
}
