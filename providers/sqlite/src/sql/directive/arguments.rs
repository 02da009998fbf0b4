//! The words of a directive.

use super::{DirectiveFaultKind, DirectiveKind};
use crate::sql::name::unquote;

const RENAMED: DirectiveFaultKind =
    DirectiveFaultKind::Arguments { name: "renamed", needs: "from=<old name> and nothing else" };
const NOLINT: DirectiveFaultKind = DirectiveFaultKind::Arguments { name: "nolint", needs: "at least one code" };
const USING: DirectiveFaultKind = DirectiveFaultKind::Arguments { name: "using", needs: "an expression" };

/// What stands after `ptah:`.
pub(super) fn kind(body: &str) -> Result<DirectiveKind, DirectiveFaultKind> {
    let (name, rest) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
    let rest = rest.trim();
    match name {
        "renamed" => renamed(rest),
        "nolint" => no_lint(rest),
        "using" if rest.is_empty() => Err(USING),
        "using" => Ok(DirectiveKind::Using { expression: rest.to_owned() }),
        _ => Err(DirectiveFaultKind::Unknown { name: name.to_owned() }),
    }
}

fn renamed(rest: &str) -> Result<DirectiveKind, DirectiveFaultKind> {
    let written = rest.strip_prefix("from=").ok_or(RENAMED)?;
    let close = match written.chars().next() {
        Some('[') => Some(']'),
        Some(quote @ ('"' | '`' | '\'')) => Some(quote),
        _ => None,
    };
    let whole = match close {
        Some(close) => written.len() > 2 && written.ends_with(close) && is_one_name(written, close),
        None => !written.is_empty() && !written.contains(|c: char| c.is_whitespace() || c == '='),
    };
    if !whole {
        return Err(RENAMED);
    }
    Ok(DirectiveKind::Renamed { from: unquote(written).into_owned() })
}

/// Whether the closing quote stands only at the end, or doubled.
fn is_one_name(written: &str, close: char) -> bool {
    let inside = &written[1..written.len() - 1];
    if close == ']' {
        return !inside.contains(']');
    }
    let doubled: String = [close, close].iter().collect();
    !inside.replace(&doubled, "").contains(close)
}

fn no_lint(rest: &str) -> Result<DirectiveKind, DirectiveFaultKind> {
    let codes: Vec<String> = rest
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|code| !code.is_empty())
        .map(str::to_owned)
        .collect();
    let plain = |code: &String| code.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if codes.is_empty() || !codes.iter().all(plain) {
        return Err(NOLINT);
    }
    Ok(DirectiveKind::NoLint { codes })
}
