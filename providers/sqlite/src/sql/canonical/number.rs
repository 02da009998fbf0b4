//! Numbers by value, where that is certain.

/// With more digits SQLite and we might round differently.
const MAX_DIGITS: usize = 15;
/// A power of ten up to this is exact in a double.
const MAX_EXPONENT: i32 = 22;

/// A number literal in canonical form: `007` is `7`, `1.` and `1e0` are `1.0`, `0X1F` is `0x1f`.
///
/// An integer never becomes a real, and hexadecimal stays hexadecimal.
pub(super) fn canonical(text: &str) -> String {
    let text: String = text.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix("0x") {
        return format!("0x{}", without_leading_zeros(digits));
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return without_leading_zeros(&text).to_owned();
    }
    real(&text).unwrap_or(text)
}

fn without_leading_zeros(digits: &str) -> &str {
    let kept = digits.trim_start_matches('0');
    if kept.is_empty() { "0" } else { kept }
}

/// The shortest text of the same double; nothing when its value might depend on who rounds.
fn real(text: &str) -> Option<String> {
    let (mantissa, exponent) = match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_matches('0');
    if significant.is_empty() {
        return Some("0.0".to_owned());
    }
    let trailing = digits.len() - digits.trim_end_matches('0').len();
    let scale =
        exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?.checked_add(i32::try_from(trailing).ok()?)?;
    if significant.len() > MAX_DIGITS || scale.abs() > MAX_EXPONENT {
        return None;
    }
    let value: f64 = format!("{significant}e{scale}").parse().ok()?;
    Some(format!("{value:?}"))
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn equal_values_of_one_kind_are_equal_and_others_are_not() {
        for (text, expected) in [
            ("1.0", "1.0"),
            ("1.", "1.0"),
            ("1E0", "1.0"),
            ("10e-1", "1.0"),
            ("1", "1"),
            ("0", "0"),
            ("007", "7"),
            ("1_000", "1000"),
            (".50", "0.5"),
            ("0.000", "0.0"),
            ("1e21", "1e21"),
            ("9223372036854775808", "9223372036854775808"),
            ("0X001F", "0x1f"),
            ("0x10", "0x10"),
            ("1.00000000000000000001", "1.00000000000000000001"),
            ("1e999", "1e999"),
            ("1e99999999999", "1e99999999999"),
        ] {
            assert_eq!(canonical(text), expected, "{text}");
            assert_eq!(canonical(expected), expected, "{text}");
        }
    }
}
