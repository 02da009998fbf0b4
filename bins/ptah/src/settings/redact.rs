//! Addresses as they may be shown: without a password, and without the values of secret query parameters.
//!
//! Where the text allows two readings, the one that hides more is taken.

/// What stands for a password.
const PASSWORD: &str = "***";
/// What stands for the value of a secret query parameter.
const VALUE: &str = "redacted";
/// What stands for a query that cannot be taken apart, or for an address that cannot.
const DROPPED: &str = "…";

/// Query parameters with a secret value, in lower case; `aws_` stands for every name that begins with it.
const SECRET: &[&str] = &[
    "access_token",
    "api_key",
    "apikey",
    "auth_token",
    "authtoken",
    "client_secret",
    "id_token",
    "key",
    "passphrase",
    "passwd",
    "password",
    "private_key",
    "pwd",
    "refresh_token",
    "sas",
    "secret",
    "sig",
    "signature",
    "sslcert",
    "sslkey",
    "sslpassword",
    "token",
];

/// An address that may be shown: a password becomes `***`, a secret query parameter `redacted`.
pub fn address(text: &str) -> String {
    let (scheme, rest) = scheme(text).map_or(("", text), |scheme| text.split_at(scheme.len() + "://".len()));
    let (head, query) = rest.split_once('?').map_or((rest, None), |(head, query)| (head, Some(query)));
    if query.is_some_and(|query| query.contains('@')) && !head.contains('@') && names_no_port(head) {
        // A password with `?` in it: where it ends cannot be said.
        return format!("{scheme}{DROPPED}");
    }
    let mut shown = format!("{scheme}{}", without_password(head));
    if let Some(query) = query {
        shown.push('?');
        shown.push_str(&self::query(query).unwrap_or_else(|| DROPPED.to_owned()));
    }
    shown
}

/// The scheme of an address that has one.
pub fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    let letters = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-');
    (scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(letters)).then_some(scheme)
}

/// A text in which everything that looks like an address is shown as one. For messages that may quote what was typed.
pub fn text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c| !separates(c)) {
        shown.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.find(separates).unwrap_or(rest.len());
        let word = &rest[..end];
        let looks = word.contains("://") || (word.contains('@') && word.contains(':'));
        shown.push_str(&if looks { address(word) } else { word.to_owned() });
        rest = &rest[end..];
    }
    shown + rest
}

/// What ends a word in a message; quotes and escapes are put around what is quoted.
fn separates(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\'' | '"' | '`')
}

/// Everything up to the last `@` counts as user and password, because a password may hold `@` and `/`.
fn without_password(head: &str) -> String {
    let Some((before, host)) = head.rsplit_once('@') else {
        return head.to_owned();
    };
    match before.split_once(':') {
        Some((user, _)) => format!("{user}:{PASSWORD}@{host}"),
        None => head.to_owned(),
    }
}

/// Whether a colon in the authority is followed by something other than a port.
fn names_no_port(head: &str) -> bool {
    let authority = head.split('/').next().unwrap_or(head);
    let port = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    authority.rsplit_once(':').is_some_and(|(_, after)| !port(after) && !after.ends_with(']'))
}

/// The query with secret values replaced; `None` when a name cannot be read.
fn query(text: &str) -> Option<String> {
    let mut shown = String::new();
    for part in text.split_inclusive(['&', ';']) {
        let (pair, end) = match part.strip_suffix(['&', ';']) {
            Some(pair) => (pair, &part[pair.len()..]),
            None => (part, ""),
        };
        match pair.split_once('=') {
            Some((name, _)) if is_secret(&decoded(name)?) => {
                shown.push_str(name);
                shown.push('=');
                shown.push_str(VALUE);
            }
            _ => shown.push_str(pair),
        }
        shown.push_str(end);
    }
    Some(shown)
}

fn is_secret(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    SECRET.contains(&name.as_str()) || name.starts_with("aws_")
}

/// Percent escapes taken out; `None` when one is malformed.
fn decoded(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let check = |text, expected: &str| assert_eq!(address(text), expected, "{text}");
        check("zorp://u:hunter2@h:1/db", "zorp://u:***@h:1/db");
        check("zorp://u:hunter2@h", "zorp://u:***@h");
        check("zorp://:hunter2@h", "zorp://:***@h");
        check("zorp://u@h/db", "zorp://u@h/db");
        check("u:hunter2@tcp(h:1)/db", "u:***@tcp(h:1)/db");
        check("zorp:///srv/a.db", "zorp:///srv/a.db");
        check("zorp://h:5432/db?mode=a", "zorp://h:5432/db?mode=a");
        check("a.db", "a.db");
    }

    #[test]
    fn a_password_with_the_signs_of_an_address_in_it_is_never_shown() {
        for secret in
            ["hunt/er2", "hunt@er2", "hunt:er2", "hunt?er2", "hunt#er2", "hunt?a=b&er2", "hunt://er2", "h?e@r2"]
        {
            for shape in ["zorp://u:SECRET@h/db", "zorp://u:SECRET@h/db?password=SECRET", "u:SECRET@tcp(h)/db"] {
                let shown = address(&shape.replace("SECRET", secret));
                assert!(
                    !shown.contains("er2") && !shown.contains("hunt") && !shown.contains("h?e"),
                    "{shape} {secret}: {shown}"
                );
            }
        }
    }

    #[test]
    fn a_secret_query_parameter_is_never_shown() {
        let check = |text, expected: &str| assert_eq!(address(text), expected, "{text}");
        check("zorp://h/db?password=x&mode=ro", "zorp://h/db?password=redacted&mode=ro");
        check("zorp://h/db?a=1;TOKEN=x", "zorp://h/db?a=1;TOKEN=redacted");
        check("zorp://h/db?pass%77ord=x", "zorp://h/db?pass%77ord=redacted");
        check("zorp://h/db?aws_secret_access_key=x", "zorp://h/db?aws_secret_access_key=redacted");
        check("zorp://h/db?a%zz=x", "zorp://h/db?…");
    }

    #[test]
    fn a_message_that_quotes_an_address_quotes_it_without_its_password() {
        assert_eq!(
            text("error: unexpected argument 'zorp://u:hunter2@h/db' found\n"),
            "error: unexpected argument 'zorp://u:***@h/db' found\n"
        );
        assert_eq!(text("a u:hunter2@tcp(h)/db b"), "a u:***@tcp(h)/db b");
        assert_eq!(text("no address: at all"), "no address: at all");
    }
}
