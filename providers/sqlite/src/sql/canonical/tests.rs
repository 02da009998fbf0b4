//! Tests of canonical forms: what is equal, what stays apart, and that spelling does not count.

use proptest::prelude::*;

use super::*;

fn scope() -> Scope {
    Scope::columns(["a", "b", "Key", "two words"])
}

fn form(text: &str) -> String {
    let canonical = expression(text, &scope());
    assert!(canonical.exact, "no tree for {text}");
    canonical.text
}

#[test]
fn spellings_of_one_expression_are_equal() {
    for same in [
        &["a = 1", "(A)==1", "\"a\" = ((1))", "[a] /* x */ = -- y\n 1", "`A`=01"][..],
        &["a <> 'X'", "a != 'X'"],
        &["a IS NULL", "a ISNULL", "a is (null)"],
        &["a IS NOT NULL", "a NOTNULL", "a NOT NULL"],
        &["a IS NOT b", "a IS DISTINCT FROM b"],
        &["a = 'none'", "a = \"none\""],
        &["a > 1.0", "a > 1.", "a > 10e-1"],
        &["a AND b AND \"key\"", "((a AND b) AND [KEY])"],
        &["lower(a) COLLATE NOCASE", "LOWER( (a) ) collate \"nocase\""],
        &["CAST(a AS VARCHAR(10))", "cast(a as varchar ( 10 ))"],
        &["a IN (1,2)", "a in ( 1 , (2) )"],
        &["x'AB'", "X'ab'"],
        &["CASE WHEN a THEN 1 ELSE 2 END", "case when (a) then (1) else (2) end"],
        &["a BETWEEN 1 AND 2 AND b", "(a BETWEEN 1 AND 2) AND b"],
        &["sum(a) OVER (ORDER BY b ASC)", "SUM(a)over(order by b)"],
        &["-a", "- (a)"],
    ] {
        for other in same {
            assert_eq!(form(other), form(same[0]), "{other}");
        }
    }
}

#[test]
fn what_may_differ_stays_apart() {
    for (one, other) in [
        ("a = 'x'", "a = 'X'"),
        ("a = 1", "a = 1.0"),
        ("a = 16", "a = 0x10"),
        ("a = 'none'", "a = none"),
        ("a = TRUE", "a = \"TRUE\""),
        ("a AND (b OR \"key\")", "a AND b OR \"key\""),
        ("a - (b - 1)", "a - b - 1"),
        ("a = b", "a IS b"),
        ("(a, b) = (1, 2)", "a = 1"),
        ("a LIKE 'x'", "a NOT LIKE 'x'"),
        ("a IN (b)", "a IN b"),
        ("count(*)", "count()"),
        ("\"two words\" = 1", "'two words' = 1"),
        ("NOT a = b", "(NOT a) = b"),
        ("a -> 'x'", "a ->> 'x'"),
        ("a LIKE 'x' ESCAPE 'y'", "a LIKE 'x'"),
        ("é = 1", "É = 1"),
    ] {
        assert_ne!(form(one), form(other), "{one} and {other}");
    }
}

#[test]
fn a_double_quoted_text_is_a_string_only_where_no_column_has_that_name() {
    assert_eq!(form("\"a\""), "a");
    assert_eq!(form("\"No'ne\""), "'No''ne'");
    assert_eq!(form("\"rowid\""), "'rowid'");
    assert_eq!(expression("\"rowid\"", &scope().with_rowid()).text, "rowid");
    assert_eq!(expression("\"Anything\"", &Scope::unknown()).text, "anything");
    assert_eq!(form("t.\"none\""), "t.none");
}

#[test]
fn defaults_are_equal_by_what_sqlite_makes_of_them() {
    for (text, expected) in [
        ("1", "1"),
        ("(1)", "1"),
        ("+1", "1"),
        ("-1", "(- 1)"),
        ("( - 1 )", "(- 1)"),
        ("abc", "'abc'"),
        ("\"abc\"", "'abc'"),
        ("'abc'", "'abc'"),
        ("true", "TRUE"),
        ("'true'", "'true'"),
        ("current_timestamp", "CURRENT_TIMESTAMP"),
        ("(datetime('now'))", "datetime('now')"),
        ("NULL", "NULL"),
        ("1.0", "1.0"),
    ] {
        let canonical = default_value(text);
        assert_eq!((canonical.text.as_str(), canonical.exact), (expected, true), "{text}");
    }
}

fn query_form(text: &str) -> String {
    let canonical = query(text, &Scope::unknown());
    assert!(canonical.exact, "no tree for {text}");
    canonical.text
}

#[test]
fn spellings_of_one_query_are_equal() {
    for same in [
        &[
            "SELECT a.x AS y, count(*) FROM main.t AS a LEFT JOIN u ON a.id=u.id WHERE x>1 GROUP BY y ORDER BY 1 ASC LIMIT 5",
            "select all A.\"X\" y,COUNT( * ) from [main].`t` A left outer join u on (a.id == u.id) where (x > 1)\n\
             group by (y) order by 1 limit (5)",
        ][..],
        &["SELECT 1 FROM a JOIN b USING (c)", "SELECT 1 FROM a INNER JOIN b USING (\"C\")"],
        &["REPLACE INTO t(a) VALUES (1)", "INSERT OR REPLACE INTO t (a) VALUES(1)"],
        &[
            "WITH c(x) AS (SELECT 1) SELECT x FROM c UNION ALL VALUES (1),(2)",
            "with C (X) as (select (1)) select x from c union all values (1), (2)",
        ],
        &[
            "UPDATE t SET a=1,(b,c)=(SELECT 2,3) WHERE rowid=new.rowid",
            "update T set A = 1, (b, c) = (select 2, 3) where (rowid = NEW.rowid)",
        ],
        &["DELETE FROM t WHERE a IS NULL", "delete from \"t\" where a isnull"],
        &[
            "SELECT sum(a) FILTER (WHERE b) OVER w FROM t WINDOW w AS (PARTITION BY c ROWS UNBOUNDED PRECEDING)",
            "select SUM(a)filter(where (b))over w from t window W as (partition by c rows unbounded preceding)",
        ],
    ] {
        for other in same {
            assert_eq!(query_form(other), query_form(same[0]), "{other}");
        }
    }
}

#[test]
fn queries_that_may_differ_stay_apart() {
    for (one, other) in [
        ("SELECT 1 FROM a, b", "SELECT 1 FROM a JOIN b"),
        ("SELECT 1 FROM a LEFT JOIN b", "SELECT 1 FROM a JOIN b"),
        ("SELECT 1 FROM a CROSS JOIN b", "SELECT 1 FROM a JOIN b"),
        ("SELECT DISTINCT a FROM t", "SELECT a FROM t"),
        ("SELECT a FROM t UNION SELECT 1", "SELECT a FROM t UNION ALL SELECT 1"),
        ("SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a DESC"),
        ("SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a NULLS LAST"),
        ("SELECT a FROM t LIMIT 1 OFFSET 2", "SELECT a FROM t LIMIT 2 OFFSET 1"),
        ("INSERT INTO t VALUES (1)", "INSERT OR IGNORE INTO t VALUES (1)"),
        ("INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING"),
        ("UPDATE t SET a = 1", "UPDATE t SET a = 1 WHERE b"),
        ("SELECT t.* FROM t", "SELECT * FROM t"),
        ("SELECT a FROM t INDEXED BY i", "SELECT a FROM t NOT INDEXED"),
        ("SELECT a FROM t()", "SELECT a FROM t"),
    ] {
        assert_ne!(query_form(one), query_form(other), "{one} and {other}");
    }
}

#[test]
fn a_text_without_a_tree_has_a_form_by_tokens_and_says_so() {
    let one = query("SELECT a FROM t LIMIT 5, 10", &Scope::unknown());
    let same = query("select A /* x */ from T\nlimit 5 , 10", &Scope::unknown());
    let other = query("SELECT a FROM t LIMIT 10, 5", &Scope::unknown());
    assert!(!one.exact && !same.exact && !other.exact);
    assert_eq!(one.text, same.text);
    assert_ne!(one.text, other.text);
    assert!(one.references.tables.contains("t"));
}

#[test]
fn what_a_text_mentions_is_found() {
    let found = query(
        "SELECT x.a, my_fn(b) FROM t AS x JOIN main.u USING (c) WHERE d IN (SELECT 1 FROM v) AND e REGEXP 'f' \
         AND g COLLATE german = 1 AND h IN w",
        &Scope::unknown(),
    )
    .references;
    let set = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(found.tables, set(&["t", "u", "v", "w", "x"]));
    assert_eq!(found.functions, set(&["my_fn", "regexp"]));
    assert_eq!(found.collations, set(&["german"]));
    assert_eq!(found.columns, set(&["a", "b", "c", "d", "e", "g", "h"]));
    assert_eq!(found.databases, set(&["main"]));
}

#[test]
fn a_long_chain_is_printed_and_a_deep_tree_is_left_to_the_tokens() {
    let chain = vec!["a = 1"; 900].join(" OR ");
    assert!(expression(&chain, &scope()).exact);
    let deep = format!("{}a", "NOT ".repeat(50_000));
    assert!(!expression(&deep, &scope()).exact);
    let nested = format!("{}a{}", "abs(".repeat(390), ")".repeat(390));
    assert!(!expression(&nested, &scope()).exact);
}

#[test]
fn type_names_are_equal_by_what_sqlite_keeps() {
    for (text, expected) in [
        ("VARCHAR ( 10 , 2 )", "varchar(10,2)"),
        ("UNSIGNED   BIG\nINT", "unsigned big int"),
        ("\"INTEGER\"", "integer"),
        ("[Big  Int]", "big int"),
        ("\"unsigned\" int", "unsigned"),
        ("DECIMAL(+10,-2)", "decimal(+10,-2)"),
    ] {
        assert_eq!(canonical_type(text), expected, "{text}");
    }
}

/// An expression as text, fully in parentheses, from parts that name only columns of the scope.
fn tree() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a",
        "b",
        "\"key\"",
        "\"two words\"",
        "1",
        "1.50",
        "'It''s'",
        "x'0A'",
        "NULL",
        "TRUE",
        "CURRENT_DATE",
        "0x1F",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| {
        let operator = prop::sample::select(vec![
            "+", "-", "||", "=", "<>", "IS", "IS NOT", "AND", "OR", "<<", "->>", "LIKE", "NOT LIKE", "GLOB", "*",
        ]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(l, o, r)| format!("({l} {o} {r})")),
            (prop::sample::select(vec!["-", "NOT", "~", "+"]), inner.clone()).prop_map(|(o, x)| format!("({o} {x})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(x, l, r)| format!("({x} BETWEEN {l} AND {r})")),
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("({x} IN ({y}, 1))")),
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("max({x}, {y})")),
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("CASE {x} WHEN {y} THEN 1 ELSE 2 END")),
            inner.clone().prop_map(|x| format!("({x} COLLATE NOCASE)")),
            inner.clone().prop_map(|x| format!("({x} NOTNULL)")),
            inner.clone().prop_map(|x| format!("CAST({x} AS Text)")),
            inner.prop_map(|x| format!("EXISTS (SELECT {x} FROM t)")),
        ]
    })
}

/// The same tokens spelled in another way; `noise` decides how.
fn respelled(text: &str, noise: &[u8]) -> String {
    let tokens = crate::sql::token::tokenize(text).unwrap();
    let mut out = String::from("(");
    for (index, token) in tokens.iter().enumerate() {
        let dice = noise[index % noise.len()];
        out.push_str(["\n", " /* ) */ ", " -- '\n", "\t\r\n "][usize::from(dice % 4)]);
        let written = token.span.text(text);
        let word = token.kind == crate::sql::token::TokenKind::Word;
        let column = word && ["a", "b"].contains(&written);
        match dice / 4 % 4 {
            0 if word => out.push_str(&written.to_ascii_lowercase()),
            1 if column => out.extend(["[", &written.to_ascii_uppercase(), "]"]),
            2 if column => out.extend(["((\"", written, "\"))"]),
            3 if column => out.extend(["`", written, "`"]),
            _ => out.push_str(written),
        }
    }
    out + ")"
}

proptest! {
    #[test]
    fn a_canonical_form_is_its_own_canonical_form(text in tree()) {
        let once = expression(&text, &scope());
        prop_assert!(once.exact);
        let twice = expression(&once.text, &scope());
        prop_assert_eq!(&once.text, &twice.text);
        prop_assert_eq!(once.references, twice.references);
    }

    #[test]
    fn spelling_does_not_change_the_canonical_form(text in tree(), noise in prop::collection::vec(any::<u8>(), 1..20)) {
        let other = respelled(&text, &noise);
        prop_assert_eq!(expression(&text, &scope()).text, expression(&other, &scope()).text, "{}", other);
    }

    #[test]
    fn any_text_has_a_form_without_a_panic(text in any::<String>()) {
        let _ = expression(&text, &scope());
        let _ = query(&text, &Scope::unknown());
        let _ = default_value(&text);
        let _ = canonical_type(&text);
    }

    #[test]
    fn any_tokens_have_a_form_without_a_panic(words in prop::collection::vec(prop::sample::select(vec![
        "SELECT", "FROM", "a", "\"b\"", "[c]", "'d'", "(", ")", ",", ".", "*", "1", "WITH", "AS", "LEFT", "JOIN", "ON",
        "INSERT INTO", "VALUES", "CASE", "WHEN", "END", "LIMIT", "?1", "OVER", "WINDOW", "FILTER", "CREATE TABLE", ";",
        "\"\"", "''", "[]", "NOT", "IN", "ORDER BY", "DISTINCT", "CAST", "RAISE", "NATURAL", "\"natural\"",
    ]), 0..20)) {
        let text = words.join(" ");
        let _ = expression(&text, &scope());
        let _ = query(&text, &Scope::unknown());
    }
}

#[test]
fn what_needs_no_parser_reads_as_the_parser_reads_it() {
    for name in [
        "a",
        "t00001",
        "\u{e9}t\u{e9}",
        "order",
        "key",
        "true",
        "current_date",
        "two words",
        "x$",
        "_",
        "a\"b",
        "rowid",
        "cast",
    ] {
        assert_eq!(column(name), expression(&quote_name(name), &Scope::unknown()), "{name}");
    }
    for number in ["0", "007", "1_000", "0X1F", "1.", ".5", "1e3", "1.00000000000000000001", " 5 ", "/* a */ 5 -- b"] {
        assert_eq!(default_value(number), parsed_default(number), "{number}");
    }
}
