//! Texts of a provider that people see: those with the rules of a reason are checked again here, whatever the provider's
//! SDK did, and a malformed one is replaced by the fixed sentence. What was not negotiated is taken away.

use ptah_model::{NotDescribed, SchemaModel};
use ptah_provider_api::plan::PlanReply;
use ptah_provider_api::reason::{MALFORMED_REASON, Reason, validate_diagnostic};
use ptah_provider_api::sql::SourceAnalysis;

/// The text, or the fixed sentence in its place.
pub(crate) fn clean(text: &mut String) {
    if validate_diagnostic(text).is_err() {
        MALFORMED_REASON.clone_into(text);
    }
}

/// The diagnostic of a receipt or result.
pub(crate) fn clean_diagnostic(diagnostic: &mut Option<String>) {
    diagnostic.iter_mut().for_each(clean);
}

/// A code of an engine that is none is left out.
pub(crate) fn clean_engine_code(code: &mut Option<String>) {
    let allowed = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    if code.as_ref().is_some_and(|c| c.is_empty() || c.len() > 32 || !c.bytes().all(allowed)) {
        *code = None;
    }
}

/// Every sentence of a plan.
pub(crate) fn clean_plan(plan: &mut PlanReply) {
    for refusal in &mut plan.refusals {
        clean(&mut refusal.reason);
        refusal.hint.iter_mut().for_each(clean);
    }
    for step in &mut plan.steps {
        step.hazards.iter_mut().for_each(|hazard| clean(&mut hazard.text));
        step.after.iter_mut().for_each(|after| clean(&mut after.rule));
        step.checks.iter_mut().for_each(|check| clean(&mut check.sentence));
        clean(&mut step.rule.sentence);
    }
}

/// Every finding of an analysis.
pub(crate) fn clean_analysis(analysis: &mut SourceAnalysis) {
    for diagnostic in &mut analysis.diagnostics {
        clean(&mut diagnostic.summary);
        diagnostic.hint.iter_mut().for_each(clean);
    }
}

/// What a reading says about the things that it could not read.
pub(crate) fn clean_unread(schema: SchemaModel) -> SchemaModel {
    if schema.not_described().all(|unread| validate_diagnostic(&unread.reason).is_ok()) {
        return schema;
    }
    let mut cleaned = SchemaModel::default();
    for object in schema.objects() {
        cleaned.insert(object.clone());
    }
    for unread in schema.not_described() {
        let reason = Reason::or_malformed(unread.reason.clone()).as_str().to_owned();
        cleaned.insert_not_described(NotDescribed { id: unread.id.clone(), reason });
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_diagnostic_is_replaced_and_a_good_one_stays() {
        let check = |text: &str, expected: &str| {
            let mut diagnostic = Some(text.to_owned());
            clean_diagnostic(&mut diagnostic);
            assert_eq!(diagnostic.as_deref(), Some(expected));
        };
        check("another session holds it", "another session holds it");
        check("a\nb", MALFORMED_REASON);
        check("", MALFORMED_REASON);
    }

    #[test]
    fn a_code_that_is_no_code_is_left_out() {
        let check = |text: &str, kept: bool| {
            let mut code = Some(text.to_owned());
            clean_engine_code(&mut code);
            assert_eq!(code.is_some(), kept, "{text}");
        };
        check("SQLITE_BUSY", true);
        check("23505", true);
        check("lower", false);
        check("", false);
        check(&"X".repeat(33), false);
    }
}
