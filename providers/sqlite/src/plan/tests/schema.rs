//! Any schema, from bytes with a fixed place for every part: changing a byte changes one thing. Most are valid.

use std::fmt::Write as _;

pub(super) const TABLES: usize = 3;
const COLUMNS: usize = 4;
const COLUMN_BYTES: usize = 5;
const TABLE_BYTES: usize = COLUMNS * COLUMN_BYTES + 6;
pub(super) const SCHEMA_BYTES: usize = TABLES * TABLE_BYTES + 20;

/// A choice by a byte.
pub(super) fn pick<'a>(byte: u8, of: &[&'a str]) -> &'a str {
    of[usize::from(byte) % of.len()]
}

/// The statements of a schema.
pub(super) fn schema(bytes: &[u8]) -> String {
    let mut sql = String::new();
    let tables = bytes.chunks_exact(TABLE_BYTES).take(TABLES).enumerate();
    let tables: Vec<Vec<String>> = tables.map(|(n, bytes)| table(n, bytes, &mut sql)).collect();
    let rest = &bytes[TABLES * TABLE_BYTES..];
    for (n, bytes) in rest[..12].chunks_exact(4).enumerate() {
        index(n, bytes, &tables, &mut sql);
    }
    for (n, bytes) in rest[12..16].chunks_exact(2).enumerate() {
        view(n, bytes, &tables, &mut sql);
    }
    for (n, bytes) in rest[16..].chunks_exact(2).enumerate() {
        trigger(n, bytes, &tables, &mut sql);
    }
    sql
}

/// A table and one of its columns; none when the byte is below `least` or the table is left out.
fn target(at: u8, which: u8, least: u8, tables: &[Vec<String>]) -> Option<(usize, &str)> {
    let t = usize::from(at) % TABLES;
    let columns = tables[t].as_slice();
    (at >= least && !columns.is_empty()).then(|| (t, columns[usize::from(which) % columns.len()].as_str()))
}

fn index(n: usize, bytes: &[u8], tables: &[Vec<String>], sql: &mut String) {
    let (Some((t, a)), Some((_, b))) = (target(bytes[0], bytes[1], 60, tables), target(bytes[0], bytes[2], 60, tables))
    else {
        return;
    };
    let unique = pick(bytes[3], &["", "", "", "UNIQUE "]);
    let order = pick(bytes[1], &["", " DESC", " COLLATE NOCASE"]);
    let condition = pick(bytes[2], &["", "", " WHERE {b} IS NOT NULL"]).replace("{b}", b);
    _ = writeln!(sql, "CREATE {unique}INDEX i{n} ON t{t} ({a}{order}, {b}){condition};");
}

fn view(n: usize, bytes: &[u8], tables: &[Vec<String>], sql: &mut String) {
    let Some((t, c)) = target(bytes[0], bytes[1], 100, tables) else { return };
    let texts = ["SELECT * FROM t{t}", "SELECT {c} AS x FROM t{t}", "SELECT x.{c} AS x FROM t{t} AS x WHERE x.{c} > 0"];
    let over_view = n == 1 && bytes[1] > 200 && sql.contains("VIEW v0");
    let text = if over_view { "SELECT * FROM v0" } else { pick(bytes[1], &texts) };
    _ = writeln!(sql, "CREATE VIEW v{n} AS {};", text.replace("{t}", &t.to_string()).replace("{c}", c));
}

fn trigger(n: usize, bytes: &[u8], tables: &[Vec<String>], sql: &mut String) {
    let Some((t, c)) = target(bytes[0], bytes[1], 120, tables) else { return };
    let texts = ["SELECT new.{c}", "UPDATE t{t} SET {c} = {c} WHERE {c} = 12345", "DELETE FROM t{t} WHERE 0"];
    let text = pick(bytes[1], &texts).replace("{t}", &t.to_string()).replace("{c}", c);
    _ = writeln!(sql, "CREATE TRIGGER r{n} AFTER UPDATE ON t{t} BEGIN {text}; END;");
}

/// Adds one table and gives back its columns; none when it is left out.
fn table(n: usize, bytes: &[u8], sql: &mut String) -> Vec<String> {
    let options = &bytes[COLUMNS * COLUMN_BYTES..];
    let strict = options[1] > 235;
    let mut columns: Vec<(&str, String)> = Vec::new();
    for (letter, bytes) in ["a", "b", "c", "d"].into_iter().zip(bytes.chunks_exact(COLUMN_BYTES)) {
        if bytes[0] >= 70 {
            let text = column(letter, bytes, strict, columns.first().map(|(name, _)| *name));
            columns.push((letter, text));
        }
    }
    if options[0] < 40 || columns.is_empty() {
        return Vec::new();
    }
    let names: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    let (first, last) = (columns[0].0, columns[columns.len() - 1].0);
    let mut parts: Vec<String> = columns.into_iter().map(|(_, text)| text).collect();
    let without_rowid = key(options[2], strict, (first, last), &mut parts);
    for byte in &options[3..6] {
        let text = constraint(*byte).replace("{f}", first).replace("{l}", last).replace("{n}", &n.to_string());
        if !text.is_empty() && !parts.contains(&text) {
            parts.push(text);
        }
    }
    let mut tail = Vec::new();
    tail.extend(without_rowid.then_some("WITHOUT ROWID"));
    tail.extend(strict.then_some("STRICT"));
    _ = writeln!(sql, "CREATE TABLE t{n} ({}) {};", parts.join(", "), tail.join(", "));
    names
}

fn column(letter: &str, bytes: &[u8], strict: bool, first: Option<&str>) -> String {
    let types = ["INTEGER", "TEXT", "INT", "REAL", "BLOB", "VARCHAR(9)", "NUMERIC", ""];
    let mut text = format!("{letter} {}", pick(bytes[1], if strict { &types[..5] } else { &types }));
    let computed = first.filter(|_| bytes[2] > 225);
    if let Some(first) = computed {
        _ = write!(
            text,
            " AS ({first}{}){}",
            pick(bytes[3], &["", " || 'x'", " + 1"]),
            pick(bytes[4], &["", " STORED"])
        );
    } else {
        let defaults = ["", "", " DEFAULT 1", " DEFAULT 'x'", " DEFAULT NULL", " DEFAULT (abs(-2))", " DEFAULT -1.5"];
        text.push_str(pick(bytes[3], &defaults));
    }
    let clauses = ["", "", "", " NOT NULL", " COLLATE NOCASE", " NOT NULL ON CONFLICT REPLACE", ""];
    text.push_str(pick(bytes[2], &clauses));
    let (none, check) = ("", " CHECK ({c} > 0)");
    let more = [" CONSTRAINT k{c} CHECK ({c} <> 'zz')", " UNIQUE", " REFERENCES t0 (a)"];
    let rules = [none, none, none, none, check, more[0], more[1], more[2]];
    let rule = pick(bytes[4], if computed.is_some() { &rules[..5] } else { &rules });
    text + &rule.replace("{c}", letter)
}

/// Adds a primary key; whether the table is one without row IDs.
fn key(byte: u8, strict: bool, (first, last): (&str, &str), parts: &mut Vec<String>) -> bool {
    match byte % 8 {
        0 if parts[0].starts_with("a INTEGER") => "a INTEGER PRIMARY KEY".clone_into(&mut parts[0]),
        1 if !strict => parts[0] = format!("{first} INTEGER PRIMARY KEY AUTOINCREMENT"),
        2 => parts.push(format!("PRIMARY KEY ({first}, {last})")),
        3 => {
            parts.push(format!("CONSTRAINT pk PRIMARY KEY ({first})"));
            return byte > 127;
        }
        _ => {}
    }
    false
}

fn constraint(byte: u8) -> &'static str {
    let own = ["UNIQUE ({f}, {l})", "CONSTRAINT u UNIQUE ({l}) ON CONFLICT IGNORE", "CHECK ({f} IS NOT 7)"];
    let references = [
        "FOREIGN KEY ({l}) REFERENCES t0 (a) ON DELETE CASCADE",
        "CONSTRAINT fk FOREIGN KEY ({l}) REFERENCES t1 ON DELETE SET NULL",
    ];
    let all = ["", "", "", own[0], own[1], own[2], "CONSTRAINT ck CHECK (t{n}.{f} <> 9)", references[0], references[1]];
    pick(byte, &all)
}
