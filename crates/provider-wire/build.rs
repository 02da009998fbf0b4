//! Compiles the provider contract without `protoc`, and writes down the shape of each message for the scan.
//!
//! Generated beside prost's code: a `Shape` for each message (see `src/shape.rs`), and for each message and oneof a
//! `Debug` that shows its name and nothing of its content.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};

/// The package whose messages cross the boundary.
const PACKAGE: &str = "ptah.provider.v1";

fn main() -> Result<(), Box<dyn Error>> {
    let manifest = std::env::var("CARGO_MANIFEST_DIR")?;
    let protos = Path::new(&manifest).join("../../proto");
    println!("cargo::rerun-if-changed={}", protos.join("ptah").display());
    println!("cargo::rerun-if-changed={}", protos.join("google").display());

    let files = ["ptah/provider/v1/provider.proto", "google/rpc/status.proto"];
    let descriptors = protox::compile(files, [&protos])?;
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("shapes.rs"), shapes(&descriptors)?)?;
    tonic_prost_build::configure()
        .codec_path("crate::codec::ScannedCodec")
        .skip_debug(debugless(&descriptors))
        .emit_rerun_if_changed(false)
        .compile_fds(descriptors)?;
    Ok(())
}

/// The messages of the contract.
fn messages(descriptors: &FileDescriptorSet) -> impl Iterator<Item = &DescriptorProto> {
    let files = descriptors.file.iter().filter(|f| f.package() == PACKAGE);
    files.flat_map(|f| &f.message_type)
}

/// The oneofs of a message; those that `optional` makes are not among them.
fn oneofs(message: &DescriptorProto) -> impl Iterator<Item = &str> {
    let real = |at: usize| {
        let mut fields = message.field.iter().filter(move |f| f.oneof_index == i32::try_from(at).ok());
        fields.any(|f| !f.proto3_optional())
    };
    let all = message.oneof_decl.iter().enumerate();
    all.filter(move |(at, _)| real(*at)).map(|(_, oneof)| oneof.name())
}

/// The paths of everything whose `Debug` is ours.
fn debugless(descriptors: &FileDescriptorSet) -> Vec<String> {
    let mut paths = Vec::new();
    for message in messages(descriptors) {
        let path = format!(".{PACKAGE}.{}", message.name());
        paths.extend(oneofs(message).map(|oneof| format!("{path}.{oneof}")));
        paths.push(path);
    }
    paths
}

/// The file with the shapes and the `Debug` implementations.
fn shapes(descriptors: &FileDescriptorSet) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    for message in messages(descriptors) {
        let name = message.name();
        writeln!(text, "impl Shaped for pb::{name} {{")?;
        writeln!(text, "    const SHAPE: &'static Shape = &Shape {{")?;
        writeln!(text, "        size: size_of::<pb::{name}>(),")?;
        writeln!(text, "        fields: &[")?;
        if message.field.len() > 16 {
            return Err(format!("{name} has more than 16 fields; raise FIELDS in src/shape.rs").into());
        }
        for field in &message.field {
            writeln!(text, "            ({}, {}),", field.number(), kind(field)?)?;
        }
        writeln!(text, "        ],\n    }};\n}}")?;
        debug(&mut text, &format!("pb::{name}"), name)?;
        for oneof in oneofs(message) {
            let path = format!("pb::{}::{}", snake(name), camel(oneof));
            debug(&mut text, &path, &format!("{name}.{oneof}"))?;
        }
    }
    Ok(text)
}

/// How the scan reads a field.
fn kind(field: &FieldDescriptorProto) -> Result<String, Box<dyn Error>> {
    let repeated = field.label() == Label::Repeated;
    Ok(match field.r#type() {
        Type::String | Type::Bytes => format!("Kind::Text {{ repeated: {repeated} }}"),
        Type::Message => {
            let name = field.type_name().rsplit('.').next().unwrap_or_default();
            format!("Kind::Message {{ shape: <pb::{name} as Shaped>::SHAPE, repeated: {repeated} }}")
        }
        Type::Uint32 | Type::Enum | Type::Bool => format!("Kind::Number {{ width: 4, repeated: {repeated} }}"),
        Type::Uint64 | Type::Int64 => format!("Kind::Number {{ width: 8, repeated: {repeated} }}"),
        other => return Err(format!("the scan knows no {other:?} ({})", field.name()).into()),
    })
}

fn debug(text: &mut String, path: &str, shown: &str) -> std::fmt::Result {
    writeln!(text, "impl fmt::Debug for {path} {{")?;
    writeln!(text, "    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {{")?;
    writeln!(text, "        f.write_str(\"{shown}(…)\")\n    }}\n}}")
}

/// `OpenRequest` as `open_request`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && at > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// `role` as `Role`.
fn camel(name: &str) -> String {
    name.split('_').map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
}
