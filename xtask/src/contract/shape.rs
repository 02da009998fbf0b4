//! The shape of the protos: a line for each field, enum value and call, without comments and in the order of names.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto};

/// The package that is frozen.
const PACKAGE: &str = "ptah.provider.v1";
/// The file that leads to all others of it.
const ROOT: &str = "ptah/provider/v1/provider.proto";

/// The lines.
pub(super) fn of(protos: &Path) -> Result<BTreeSet<String>> {
    let compiled = protox::compile([ROOT], [protos]).context("the protos cannot be compiled")?;
    Ok(compiled.file.iter().filter(|file| file.package() == PACKAGE).flat_map(file).collect())
}

fn file(file: &FileDescriptorProto) -> Vec<String> {
    let mut lines = Vec::new();
    for service in &file.service {
        for call in &service.method {
            let streams = if call.server_streaming() { "stream " } else { "" };
            let (input, output) = (short(call.input_type()), short(call.output_type()));
            lines.push(format!("{}.{}({input}) {streams}{output}", service.name(), call.name()));
        }
    }
    file.message_type.iter().for_each(|one| message(&mut lines, one));
    file.enum_type.iter().for_each(|one| enumeration(&mut lines, one));
    lines
}

fn message(lines: &mut Vec<String>, message: &DescriptorProto) {
    lines.push(message.name().to_owned());
    for field in &message.field {
        let oneof = field.oneof_index.filter(|_| !field.proto3_optional());
        let oneof = oneof.and_then(|at| message.oneof_decl.get(usize::try_from(at).ok()?));
        let oneof = oneof.map(|oneof| format!(" in {}", oneof.name())).unwrap_or_default();
        let (number, kind) = (field.number(), kind(field));
        lines.push(format!("{}.{} {number} {kind}{oneof}", message.name(), field.name()));
    }
}

fn enumeration(lines: &mut Vec<String>, one: &EnumDescriptorProto) {
    lines.extend(one.value.iter().map(|value| format!("{}.{} {}", one.name(), value.name(), value.number())));
}

fn kind(field: &FieldDescriptorProto) -> String {
    let word = match field.r#type() {
        Type::Message | Type::Enum => short(field.type_name()).to_owned(),
        other => format!("{other:?}").to_lowercase(),
    };
    match field.label() {
        Label::Repeated => format!("repeated {word}"),
        _ if field.proto3_optional() => format!("optional {word}"),
        _ => word,
    }
}

/// A type without its package.
fn short(name: &str) -> &str {
    name.strip_prefix(&format!(".{PACKAGE}.")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_a_line_for_each_field_value_and_call() -> Result<()> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir_all(folder.path().join("ptah/provider/v1"))?;
        let text = "syntax = \"proto3\";\npackage ptah.provider.v1;\nservice P { rpc Ask(Q) returns (stream A); }\n\
                    message Q { oneof what { string a = 1; E b = 2; } }\n\
                    message A { repeated Q list = 3; optional uint32 n = 4; }\nenum E { E_UNSPECIFIED = 0; E_ONE = 1; }\n";
        std::fs::write(folder.path().join(ROOT), text)?;
        let lines: Vec<String> = of(folder.path())?.into_iter().collect();
        let expected = [
            "A",
            "A.list 3 repeated Q",
            "A.n 4 optional uint32",
            "E.E_ONE 1",
            "E.E_UNSPECIFIED 0",
            "P.Ask(Q) stream A",
            "Q",
            "Q.a 1 string in what",
            "Q.b 2 E in what",
        ];
        assert_eq!(lines, expected);
        Ok(())
    }
}
