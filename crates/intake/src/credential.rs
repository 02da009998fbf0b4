//! What a request says about its sender, taken from its one `Authorization` header.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use ptah_model::Digest;
use ptah_records::operator::text::Sha256;
use zeroize::Zeroizing;

use crate::reviewer::Token;

/// How many hexadecimal digits a key has.
const KEY_DIGITS: usize = 64;

/// What a request brings along. `Debug` shows no part of it.
#[derive(Debug)]
pub(crate) enum Credential {
    /// A Pod's token: the API server says whose it is.
    Token(Token),
    /// The key that a permit names.
    Key(Key),
}

/// The digest of a key that was sent; the key itself is forgotten at once.
pub(crate) struct Key(Digest);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Key {
    /// Whether it is the key with this digest. The time that it takes says nothing about where they differ.
    pub(crate) fn is(&self, digest: &Sha256) -> bool {
        let expected = Digest::from(digest);
        let differences = self.0.as_bytes().iter().zip(expected.as_bytes()).fold(0, |all, (one, other)| {
            // Hidden from the optimiser, which could otherwise stop at the first difference.
            std::hint::black_box(all | (one ^ other))
        });
        differences == 0
    }
}

/// Reads the header; nothing where there is none, more than one, or none that is known.
pub(crate) fn credential(headers: &HeaderMap) -> Option<Credential> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (value, None) = (values.next()?.to_str().ok()?, values.next()) else { return None };
    let (scheme, rest) = value.split_once(' ')?;
    match scheme {
        "Bearer" => Token::new(rest).map(Credential::Token),
        "Ptah-Key" => key(rest).map(Credential::Key),
        _ => None,
    }
}

fn key(text: &str) -> Option<Key> {
    let is_key = text.len() == KEY_DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let mut bytes = Zeroizing::new([0; KEY_DIGITS / 2]);
    (is_key && hex::decode_to_slice(text, &mut bytes[..]).is_ok()).then(|| Key(Digest::of(&bytes[..])))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn read(values: &[&str]) -> Option<Credential> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        credential(&headers)
    }

    #[test]
    fn a_key_is_known_by_its_digest_alone() {
        let digest = Sha256::from(&Digest::of(&[0xab; 32]));
        let Some(Credential::Key(key)) = read(&[&format!("Ptah-Key {}", "ab".repeat(32))]) else { panic!() };
        assert!(key.is(&digest));
        for other in [[0xac; 32], [0; 32]] {
            assert!(!key.is(&Sha256::from(&Digest::of(&other))));
        }
        assert!(!format!("{key:?}").contains("ab"));
    }

    #[test]
    fn what_is_no_single_credential_is_none() {
        let upper = format!("Ptah-Key {}", "AB".repeat(32));
        let short = format!("Ptah-Key {}", "ab".repeat(31));
        let padded = format!("Ptah-Key  {}", "ab".repeat(32));
        for wrong in ["", "Bearer", "Bearer ", "Bearer a b", "Basic YTpi", "bearer token", &upper, &short, &padded] {
            assert!(read(&[wrong]).is_none(), "{wrong}");
        }
        assert!(read(&[]).is_none());
        assert!(read(&["Bearer one", "Bearer two"]).is_none());
        assert!(matches!(read(&["Bearer one"]), Some(Credential::Token(_))));
    }
}
