//! What sources ask of Ptah in comments: `-- ptah:renamed from=<old>`.

use ptah_diff::RenameHint;
use ptah_model::{Comparison, Diagnostic, IdentifierRules, Kind, Name};
use ptah_provider_api::sql::Directive;

use super::{code, error};

/// The one directive that a schema source may have.
const RENAMED: &str = "renamed";

/// Reads the directives of one source. One that is not understood is an error: it was meant to keep something.
pub(super) fn read(
    directives: &[Directive],
    rules: &IdentifierRules,
    renames: &mut Vec<RenameHint>,
    findings: &mut Vec<Diagnostic>,
) {
    for directive in directives {
        match read_one(directive, rules) {
            // The same definition in two sources has the same directive in both.
            Ok(hint) if renames.iter().any(|known| same(known, &hint)) => {}
            Ok(hint) => renames.push(hint),
            Err(finding) => findings.push(finding),
        }
    }
}

fn read_one(directive: &Directive, rules: &IdentifierRules) -> Result<RenameHint, Diagnostic> {
    let refuse = |summary: String| {
        error(code::DIRECTIVE, summary, &directive.position)
            .hint("write `-- ptah:renamed from=<old name>` directly above a definition")
    };
    if directive.name != RENAMED {
        return Err(refuse(format!("`ptah:{}` is not a directive of a schema source", directive.name)));
    }
    let [(word, old)] = directive.arguments.as_slice() else {
        return Err(refuse("`ptah:renamed` has exactly one argument, `from`".to_owned()));
    };
    if word != "from" || old.is_empty() {
        return Err(refuse("`ptah:renamed` says the old name, with `from=`".to_owned()));
    }
    let kind = directive.member.as_ref().map_or(&directive.object.kind, |m| &m.kind);
    Ok(RenameHint {
        object: directive.object.clone(),
        member: directive.member.clone(),
        from: Name::new(old.clone(), comparison(kind, directive.member.is_some(), rules)),
        position: directive.position.clone(),
    })
}

fn comparison(kind: &Kind, member: bool, rules: &IdentifierRules) -> Comparison {
    if member {
        rules.column
    } else if *kind == Kind::index() {
        rules.index
    } else {
        rules.table
    }
}

fn same(a: &RenameHint, b: &RenameHint) -> bool {
    a.object == b.object && a.member == b.member && a.from == b.from
}
