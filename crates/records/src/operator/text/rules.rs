//! What each text has to look like, as functions: the same as its pattern, without an engine for patterns.

/// Whether all of `text` is lower-case hexadecimal.
fn hexadecimal(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

pub(super) fn sha256(text: &str) -> bool {
    text.strip_prefix("sha256:").is_some_and(|digits| digits.len() == 64 && hexadecimal(digits))
}

pub(super) fn uuid_v7(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    lengths == [8, 4, 4, 4, 12]
        && groups.iter().all(|group| hexadecimal(group))
        && groups[2].starts_with('7')
        && groups[3].starts_with(['8', '9', 'a', 'b'])
}

pub(super) fn epoch(text: &str) -> bool {
    text.strip_prefix("v1-").is_some_and(|digits| digits.len() == 32 && hexadecimal(digits))
}

pub(super) fn uid(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

pub(super) fn label(text: &str) -> bool {
    let inside = text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    inside && !text.is_empty() && !text.starts_with('-') && !text.ends_with('-')
}

pub(super) fn subdomain(text: &str) -> bool {
    text.split('.').all(label)
}

pub(super) fn data_key(text: &str) -> bool {
    uid(text)
}

pub(super) fn engine(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && uid(text)
}

pub(super) fn image(text: &str) -> bool {
    let Some((name, digest)) = text.split_once('@') else { return false };
    !name.is_empty() && !name.bytes().any(white_space) && sha256(digest)
}

pub(super) fn graphic(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_graphic())
}

pub(super) fn code(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}

pub(super) fn oci(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("oci://") else { return false };
    !rest.is_empty() && !rest.bytes().any(|b| white_space(b) || b == b'?' || b == b'#')
}

pub(super) fn no_control(text: &str) -> bool {
    !text.chars().any(|c| c.is_ascii_control())
}

/// A certificate, never a key: everything in it stands between the marks of a certificate.
pub(super) fn certificate(text: &str) -> bool {
    text.starts_with("-----BEGIN CERTIFICATE-----")
        && !text.contains("PRIVATE")
        && text.bytes().all(|b| b == b'\n' || b.is_ascii_graphic() || b == b' ')
}

/// What `\s` means where the API server reads a pattern.
fn white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}
