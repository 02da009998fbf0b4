//! The language: what a text says, where each piece of it stands, and what a statement does.
//!
//! ```text
//! CREATE TABLE item (name text, price number)
//! ALTER TABLE item ADD COLUMN note text
//! DROP TABLE [IF EXISTS] item
//! ```
//!
//! Names compare exactly, columns have no order, and `--` begins a comment. A fault is a sentence of ours and a place; it
//! never quotes the text.

use std::collections::BTreeMap;
use std::ops::Range;

use ptah_model::{Code, Comparison, Diagnostic, Digest, Kind, MemberId, Name, ObjectId, Position, SourceName};
use ptah_provider_api::sql::{AnalyzeSqlRequest, Definition, SourceAnalysis, Statement, StatementRole};

/// The tables of a database by name, each with its columns by name and their types.
pub(crate) type Tables = BTreeMap<String, BTreeMap<String, String>>;

/// What a column may hold.
const TYPES: [&str; 3] = ["text", "number", "bool"];

/// What is wrong, and where in the text.
pub(crate) struct Fault {
    pub(crate) code: &'static str,
    pub(crate) sentence: &'static str,
    place: Range<usize>,
}

/// A column with its place in the text.
struct Column {
    name: String,
    sort: String,
    place: Range<usize>,
}

/// What a statement does to its table.
enum Action {
    Create(Vec<Column>),
    AddColumn(Column),
    Drop { if_exists: bool },
}

/// One statement. Places are in bytes.
pub(crate) struct Parsed {
    table: String,
    table_place: Range<usize>,
    action: Action,
    place: Range<usize>,
}

pub(crate) fn table_id(name: &str) -> ObjectId {
    ObjectId { kind: Kind::table(), schema: None, owner: None, name: Name::new(name, Comparison::Exact) }
}

pub(crate) fn column_id(name: &str) -> MemberId {
    MemberId { kind: Kind::column(), name: Name::new(name, Comparison::Exact) }
}

/// The statement that makes a table.
pub(crate) fn create_text(table: &str, columns: &BTreeMap<String, String>) -> String {
    let columns: Vec<String> = columns.iter().map(|(name, sort)| format!("{name} {sort}")).collect();
    format!("CREATE TABLE {table} ({})", columns.join(", "))
}

/// The one statement of a unit.
pub(crate) fn one(text: &str) -> Result<Parsed, Fault> {
    let (mut statements, faults) = parse(text);
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault);
    }
    match (statements.pop(), statements.is_empty()) {
        (Some(only), true) => Ok(only),
        _ => Err(Fault { code: "ONE_STATEMENT", sentence: "a unit is exactly one statement", place: 0..0 }),
    }
}

/// Does what a statement says. A refused one leaves everything as it was.
pub(crate) fn run(statement: Parsed, tables: &mut Tables) -> Result<(), Fault> {
    let fault = |code, sentence| Err(Fault { code, sentence, place: 0..0 });
    let known = tables.contains_key(&statement.table);
    match statement.action {
        Action::Create(_) if known => fault("TABLE_EXISTS", "a table of this name is there already"),
        Action::Create(columns) => {
            let columns = columns.into_iter().map(|column| (column.name, column.sort)).collect();
            tables.insert(statement.table, columns);
            Ok(())
        }
        Action::AddColumn(column) => match tables.get_mut(&statement.table) {
            None => fault("NO_TABLE", "there is no table of this name"),
            Some(columns) if columns.contains_key(&column.name) => {
                fault("COLUMN_EXISTS", "a column of this name is there already")
            }
            Some(columns) => {
                columns.insert(column.name, column.sort);
                Ok(())
            }
        },
        Action::Drop { if_exists } => match tables.remove(&statement.table) {
            None if !if_exists => fault("NO_TABLE", "there is no table of this name"),
            _ => Ok(()),
        },
    }
}

/// What stands where in a source.
pub(crate) fn analyze(request: &AnalyzeSqlRequest) -> SourceAnalysis {
    let places = Places::of(&request.text, &request.source);
    let (statements, faults) = parse(&request.text);
    let mut found = SourceAnalysis::default();
    for fault in faults {
        let code = Code(fault.code);
        found.diagnostics.push(Diagnostic::error(code, fault.sentence).at(places.at(&fault.place)));
    }
    for statement in statements {
        let object = table_id(&statement.table);
        let mut defines = |member: Option<MemberId>, place: &Range<usize>| {
            let (object, position) = (object.clone(), places.at(place));
            found.definitions.push(Definition { object, member, position });
        };
        let role = match &statement.action {
            Action::Create(columns) => {
                defines(None, &statement.table_place);
                columns.iter().for_each(|column| defines(Some(column_id(&column.name)), &column.place));
                let said = columns.iter().map(|column| (column.name.clone(), column.sort.clone())).collect();
                let definition = Digest::of(create_text(&statement.table, &said).as_bytes());
                StatementRole::Define { object, definition }
            }
            Action::AddColumn(column) => {
                defines(Some(column_id(&column.name)), &column.place);
                StatementRole::Extend { object }
            }
            Action::Drop { if_exists: true } => StatementRole::DropIfExists { object },
            Action::Drop { if_exists: false } => {
                let summary = "a source says what there is, and drops nothing";
                let place = places.at(&statement.place);
                found.diagnostics.push(Diagnostic::error(Code("SOURCE_DROPS"), summary).at(place));
                continue;
            }
        };
        let text = request.text[statement.place.clone()].to_owned();
        let position = places.at(&statement.place);
        found.statements.push(Statement { position, text, role, needs: Vec::new() });
    }
    found
}

/// From bytes to lines and columns.
struct Places {
    source: SourceName,
    lines: Vec<usize>,
}

impl Places {
    fn of(text: &str, source: &SourceName) -> Self {
        let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { source: source.clone(), lines: std::iter::once(0).chain(after).collect() }
    }

    fn at(&self, place: &Range<usize>) -> Position {
        let line = self.lines.partition_point(|begin| *begin <= place.start);
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position {
            source: self.source.clone(),
            offset: place.start as u64,
            length: number(place.len()),
            line: number(line),
            column: number(place.start - self.lines[line - 1] + 1),
        }
    }
}

/// Every statement and every fault of a text, in order.
fn parse(text: &str) -> (Vec<Parsed>, Vec<Fault>) {
    let mut parser = Parser { text, tokens: tokens(text), at: 0 };
    let (mut statements, mut faults) = (Vec::new(), Vec::new());
    while parser.at < parser.tokens.len() {
        if parser.mark(";") {
            continue;
        }
        match parser.statement() {
            Ok(statement) => statements.push(statement),
            Err(fault) => {
                faults.push(fault);
                parser.skip();
            }
        }
    }
    (statements, faults)
}

/// Words, marks and whatever else there is, each by its place.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        if c.is_ascii_whitespace() {
            continue;
        }
        // A directive asks something of Ptah that this language has no answer to: it is no mere comment.
        if text[start..].starts_with("--") && !text[start..].starts_with("-- ptah:") {
            while rest.next_if(|(_, c)| *c != '\n').is_some() {}
            continue;
        }
        let mut end = start + c.len_utf8();
        while in_word(c) && rest.next_if(|(_, c)| in_word(*c)).is_some() {
            end += 1;
        }
        tokens.push(start..end);
    }
    tokens
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Range<usize>>,
    at: usize,
}

impl Parser<'_> {
    fn statement(&mut self) -> Result<Parsed, Fault> {
        let start = self.here().start;
        let verb = self.one_of(&["CREATE", "ALTER", "DROP"])?;
        self.one_of(&["TABLE"])?;
        let if_exists = verb == "DROP" && self.is("IF") && self.one_of(&["EXISTS"]).is_ok();
        let (table, table_place) = self.name()?;
        let action = match verb {
            "CREATE" => Action::Create(self.columns()?),
            "ALTER" => {
                self.one_of(&["ADD"])?;
                self.one_of(&["COLUMN"])?;
                Action::AddColumn(self.column()?)
            }
            _ => Action::Drop { if_exists },
        };
        let end = self.tokens[self.at - 1].end;
        if self.at < self.tokens.len() && !self.mark(";") {
            return Err(self.fault("SYNTAX", "a statement ends here with a semicolon"));
        }
        Ok(Parsed { table, table_place, action, place: start..end })
    }

    fn columns(&mut self) -> Result<Vec<Column>, Fault> {
        if !self.mark("(") {
            return Err(self.fault("SYNTAX", "columns stand in parentheses"));
        }
        let mut columns: Vec<Column> = Vec::new();
        loop {
            let column = self.column()?;
            if columns.iter().any(|known| known.name == column.name) {
                let sentence = "a column of this name stands there already";
                return Err(Fault { code: "COLUMN_TWICE", sentence, place: column.place });
            }
            columns.push(column);
            if self.mark(")") {
                return Ok(columns);
            }
            if !self.mark(",") {
                return Err(self.fault("SYNTAX", "a comma or a closing parenthesis is expected here"));
            }
        }
    }

    fn column(&mut self) -> Result<Column, Fault> {
        let (name, place) = self.name()?;
        let sort = self.one_of(&TYPES)?.to_owned();
        Ok(Column { name, sort, place: place.start..self.tokens[self.at - 1].end })
    }

    fn name(&mut self) -> Result<(String, Range<usize>), Fault> {
        let place = self.here();
        let text = &self.text[place.clone()];
        if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(self.fault("NAME", "a name of letters, digits and `_` is expected here"));
        }
        self.at += 1;
        Ok((text.to_owned(), place))
    }

    /// Takes one of the words, in any case.
    fn one_of(&mut self, words: &[&'static str]) -> Result<&'static str, Fault> {
        let found = words.iter().copied().find(|word| self.is(word));
        found.ok_or_else(|| self.fault("SYNTAX", "the language has another word here"))
    }

    fn is(&mut self, word: &str) -> bool {
        let is = self.text[self.here()].eq_ignore_ascii_case(word);
        self.at += usize::from(is);
        is
    }

    fn mark(&mut self, mark: &str) -> bool {
        self.is(mark)
    }

    /// To what follows the next semicolon.
    fn skip(&mut self) {
        while self.at < self.tokens.len() && !self.mark(";") {
            self.at += 1;
        }
    }

    /// The place of the next token, or of the end.
    fn here(&self) -> Range<usize> {
        self.tokens.get(self.at).cloned().unwrap_or(self.text.len()..self.text.len())
    }

    fn fault(&self, code: &'static str, sentence: &'static str) -> Fault {
        Fault { code, sentence, place: self.here() }
    }
}
