//! Identities and moments: the core's numbers and their text forms.

use ptah_lifecycle::{Epoch, Operation, Time, Uid, Version};
use ptah_model::Digest;
use ptah_records::operator::text::{self, Sha256};
use ptah_records::operator::time::Moment;

use crate::object::Unreadable;

/// A UUID of version 7 that no manager makes: its moment is the start of 1970.
pub(crate) const NO_OPERATION: Operation = Operation(0x7000 << 64 | 0x8000 << 48);

/// A UID. The API server makes them as UUIDs (`k8s.io/apimachinery/pkg/util/uuid`); what is none is refused, because two
/// different ones might become equal here.
pub fn uid(text: &str) -> Result<Uid, Unreadable> {
    uuid(text).map(Uid).ok_or(Unreadable::Uid)
}

/// The text of a UID.
pub fn uid_text(uid: Uid) -> text::Uid {
    made(text::Uid::new(hyphenated(uid.0)))
}

/// An operation.
pub fn operation(id: &text::OperationId) -> Operation {
    Operation(uuid(id.as_str()).unwrap_or_default())
}

/// The text of an operation, if it is one: a UUID of version 7.
pub fn operation_text(operation: Operation) -> Option<text::OperationId> {
    text::OperationId::new(hyphenated(operation.0)).ok()
}

/// A tenure, or a set of components.
pub fn epoch(epoch: &text::Epoch) -> Epoch {
    let number = epoch.as_str().strip_prefix("v1-").and_then(|digits| u128::from_str_radix(digits, 16).ok());
    Epoch(number.unwrap_or_default())
}

/// The text of an epoch.
pub fn epoch_text(epoch: Epoch) -> text::Epoch {
    made(text::Epoch::new(format!("v1-{:032x}", epoch.0)))
}

/// The version of an object. It is a number on every API server that this operator supports; it is compared for equality.
pub fn version(text: Option<&str>) -> Result<Version, Unreadable> {
    text.and_then(|text| text.parse().ok()).map(Version).ok_or(Unreadable::Version)
}

/// A moment, in whole seconds: what is below is cut off.
pub fn time(moment: Moment) -> Time {
    Time(i64::try_from(moment.milliseconds() / 1_000).unwrap_or(i64::MAX))
}

/// The moment, if it is between 1970 and the end of 9999.
pub fn moment(time: Time) -> Option<Moment> {
    let milliseconds = u64::try_from(time.0).ok()?.checked_mul(1_000)?;
    Moment::from_milliseconds(milliseconds).ok()
}

/// A digest.
pub fn digest(digest: &Sha256) -> Digest {
    Digest::from(digest)
}

/// The text of a digest.
pub fn sha256(digest: Digest) -> Sha256 {
    Sha256::from(&digest)
}

/// The number of a UUID in its canonical form: lower case, hyphens where they belong.
fn uuid(text: &str) -> Option<u128> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let number = u128::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 32)?;
    (hyphenated(number) == text).then_some(number)
}

fn hyphenated(number: u128) -> String {
    let digits = format!("{number:032x}");
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// A text that was made of a number in the very form that its type checks.
#[expect(clippy::expect_used, reason = "made of a number in the very form that is checked")]
pub(crate) fn made<T, E: std::fmt::Debug>(text: Result<T, E>) -> T {
    text.expect("a number in its text form")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uid_has_one_text_and_a_text_is_one_uid() {
        let text = "01890a5d-ac96-774b-bcce-b302099a8001";
        assert_eq!(uid_text(uid(text).unwrap()).as_str(), text);
        for other in ["01890A5D-ac96-774b-bcce-b302099a8001", "01890a5dac96774bbcceb302099a8001", "", "a-b", "+1"] {
            assert_eq!(uid(other), Err(Unreadable::Uid), "{other}");
        }
    }

    #[test]
    fn an_epoch_and_a_moment_survive_their_texts() {
        for number in [0, 1, u128::MAX, u128::MAX / 3] {
            assert_eq!(epoch(&epoch_text(Epoch(number))), Epoch(number));
        }
        for seconds in [0, 1, 1_800_000_000, 253_402_300_799] {
            assert_eq!(time(moment(Time(seconds)).unwrap()), Time(seconds));
        }
        for seconds in [i64::MIN, -1, 253_402_300_800, i64::MAX] {
            assert_eq!(moment(Time(seconds)), None, "{seconds}");
        }
    }

    #[test]
    fn only_a_uuid_of_version_seven_names_an_operation() {
        let seven = 0x0189_0a5d_ac96_774b_bcce_b302_099a_8001;
        let text = operation_text(Operation(seven)).unwrap();
        assert_eq!(operation(&text), Operation(seven));
        assert_eq!(operation_text(Operation(7)), None);
    }
}
