//! Real directories, and what is said of each thing in them.

use super::*;

fn from_dir(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Result<Sources, Vec<Diagnostic>>) {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        std::fs::write(dir.path().join(name), bytes).unwrap();
    }
    let read = read(&[dir.path().to_owned()], &mut std::io::empty());
    (dir, read)
}

fn codes(findings: &[Diagnostic]) -> Vec<&str> {
    findings.iter().map(|d| d.code.as_str()).collect()
}

#[test]
fn a_directory_is_read_in_the_order_of_names_and_nothing_is_skipped_in_silence() {
    let (_dir, read) = from_dir(&[("b.sql", b"B"), ("a.SQL", b"A"), ("README.md", b"x"), ("c.sql", b"\xef\xbb\xbfC")]);
    let read = read.unwrap();
    assert_eq!(read.sources.iter().map(|s| s.text.as_str()).collect::<Vec<_>>(), ["A", "B", "C"]);
    assert_eq!(codes(&read.notes), ["source.ignored"]);
}

#[test]
fn every_unreadable_source_is_named_at_once() {
    let missing = [PathBuf::from("no-such-a.sql"), PathBuf::from("no-such-b.sql")];
    let findings = read(&missing, &mut std::io::empty()).unwrap_err();
    assert_eq!(findings.len(), 2);
    assert_eq!(findings[0].summary, "no-such-a.sql: there is no such file or directory");
}

#[test]
fn text_that_is_not_utf8_is_refused_with_its_line() {
    let (dir, read) = from_dir(&[("a.sql", b"one\ntwo \xff")]);
    let findings = read.unwrap_err();
    let expected = format!("{}:2: not UTF-8 text (at byte 8)", dir.path().join("a.sql").display());
    assert_eq!(findings[0].summary, expected);
}

#[test]
fn a_link_that_leaves_the_tree_is_refused_and_one_that_stays_is_read() {
    let outside = tempfile::NamedTempFile::new().unwrap();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.sql"), "A").unwrap();
    std::os::unix::fs::symlink(dir.path().join("a.sql"), dir.path().join("b.sql")).unwrap();
    let within = read(&[dir.path().to_owned()], &mut std::io::empty()).unwrap();
    assert_eq!(within.sources.len(), 2);
    std::os::unix::fs::symlink(outside.path(), dir.path().join("c.sql")).unwrap();
    let findings = read(&[dir.path().to_owned()], &mut std::io::empty()).unwrap_err();
    assert_eq!(codes(&findings), ["source.leaves-tree"]);
}

#[test]
fn an_empty_directory_and_no_source_at_all_are_findings() {
    let (_dir, read_dir) = from_dir(&[("README.md", b"x")]);
    assert_eq!(codes(&read_dir.unwrap_err()), ["source.none"]);
    assert_eq!(codes(&read(&[], &mut std::io::empty()).unwrap_err()), ["source.none"]);
}

#[test]
fn standard_input_is_a_source_and_an_endless_one_ends() {
    let read_it = |mut input: &mut dyn Read| read(&[PathBuf::from("-")], &mut input);
    let read = read_it(&mut "CREATE".as_bytes()).unwrap();
    assert_eq!(read.sources[0].name.as_str(), "<stdin>");
    assert_eq!(codes(&read_it(&mut std::io::repeat(b' ')).unwrap_err()), ["source.too-large"]);
}
