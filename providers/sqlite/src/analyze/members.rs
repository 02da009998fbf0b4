//! Members of a statement with the identities that the catalogue gives them.

use ptah_model::MemberId;

use crate::catalogue::member_ids;
use crate::kinds;
use crate::sql::ast::{AlterAction, Constraint, Declaration, Table};
use crate::sql::classify::{Classified, Definition, MemberKind};
use crate::sql::position::Span;

/// Columns and constraints with their places.
pub(super) fn placed_members(classified: &Classified) -> Vec<(MemberId, Span)> {
    match &classified.definition {
        Definition::Declaration(declaration) => match declaration.as_ref() {
            Declaration::Table(table) => of_table(table),
            _ => Vec::new(),
        },
        Definition::Alter(alter) => match &alter.action {
            AlterAction::AddColumn { column, constraints } => {
                let id = MemberId { kind: ptah_model::Kind::column(), name: kinds::name(&column.name.text) };
                let constraints = constraints.iter().map(|constraint| (id_of(constraint), constraint.span));
                std::iter::once((id, column.span)).chain(constraints).collect()
            }
            AlterAction::AddConstraint(constraint) => vec![(id_of(constraint), constraint.span)],
            _ => Vec::new(),
        },
        Definition::None | Definition::Unread(_) => Vec::new(),
    }
}

/// The identity of the member at that place of the statement's list.
pub(super) fn placed_member(classified: &Classified, index: usize) -> Option<MemberId> {
    let wanted = classified.members.get(index)?;
    let of_kind = |id: &MemberId| (id.kind == ptah_model::Kind::column()) == (wanted.kind == MemberKind::Column);
    let mut placed = placed_members(classified).into_iter();
    let at = |span: &Span| span.start == wanted.span.start || *span == wanted.span;
    placed.find(|(id, span)| of_kind(id) && at(span)).map(|(id, _)| id)
}

/// The catalogue lists columns first and then constraints, both in the order of the text.
fn of_table(table: &Table) -> Vec<(MemberId, Span)> {
    let columns = table.columns.iter().map(|column| column.span);
    let spans = columns.chain(table.constraints.iter().map(|constraint| constraint.span));
    member_ids(table).into_iter().zip(spans).collect()
}

fn id_of(constraint: &Constraint) -> MemberId {
    crate::catalogue::constraint_id(constraint)
}
