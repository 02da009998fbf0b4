//! Every validator refuses every corruption of a good message, and says which field it was.
#![expect(clippy::unwrap_used, reason = "tests")]

mod changing;
mod describing;
mod good;
mod reading;
mod remembering;

use ptah_provider_api::Violation;

/// The field that is named, and what is done to the message.
type Corruption<'a, T> = (&'static str, &'a dyn Fn(&mut T));

/// Proves that a good message passes, and that each corruption is refused at the field that it names.
#[track_caller]
fn check<T: Clone>(good: &T, validate: impl Fn(&T) -> Result<(), Violation>, corruptions: &[Corruption<'_, T>]) {
    assert_eq!(validate(good), Ok(()), "a good message passes");
    for (field, corrupt) in corruptions {
        let mut corrupted = good.clone();
        corrupt(&mut corrupted);
        let found = validate(&corrupted).map_err(|violation| violation.field);
        assert_eq!(found, Err(*field), "a corruption of {field}");
    }
}
