"""The language: what a text says, where each piece of it stands, and what a statement does to a database.

    CREATE TABLE item (name text REQUIRED, price number)      ALTER TABLE item RENAME TO thing
    DROP TABLE [IF EXISTS] item                               ALTER TABLE item RENAME COLUMN price TO cost
    ALTER TABLE item ADD COLUMN note text                     ALTER TABLE item ALTER COLUMN note SET REQUIRED
    ALTER TABLE item DROP COLUMN note                         ALTER TABLE item ALTER COLUMN note DROP REQUIRED
    INSERT INTO item (name, price) VALUES ('pen', 2)          SELECT count(*) FROM item [WHERE note IS NULL]

Names are lower-case words and compare exactly. Columns have no order. Words of the language may have any case.
"""

import dataclasses
import itertools
import re
from typing import Optional

TYPES = ("bool", "number", "text")

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<comment>--[^\n]*)|(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>-?[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<string>'(?:[^']|'')*')|(?P<mark>[(),;*])|(?P<other>.)",
    re.DOTALL,
)
_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_DIRECTIVE = re.compile(r"--\s*ptah:(\S+)\s*(.*)")


@dataclasses.dataclass(frozen=True)
class Token:
    sort: str
    text: str
    start: int
    end: int


@dataclasses.dataclass(frozen=True)
class Column:
    name: str
    type: str
    required: bool

    def text(self):
        return f"{self.name} {self.type}" + (" REQUIRED" if self.required else "")


@dataclasses.dataclass(frozen=True)
class Statement:
    """One statement. Which fields are used depends on `sort`; see the parser."""

    sort: str
    table: str
    columns: tuple = ()
    name: Optional[str] = None
    to: Optional[str] = None
    required: bool = False
    if_exists: bool = False
    values: tuple = ()
    # Where it stands: characters from the start of the text, and the same for the pieces of a definition by name.
    start: int = 0
    end: int = 0
    places: tuple = ()


class Fault(Exception):
    """What is wrong, as one sentence in our own words, and where. It never quotes the text."""

    def __init__(self, code, sentence, start=0, end=0):
        super().__init__(sentence)
        self.code, self.sentence, self.start, self.end = code, sentence, start, end


class Positions:
    """From characters to what the contract counts in: bytes, lines, and columns in bytes."""

    def __init__(self, text):
        self._bytes = [0, *itertools.accumulate(len(c.encode()) for c in text)]
        self._lines = [0, *(at + 1 for at, c in enumerate(text) if c == "\n")]

    def span(self, start, end):
        """(offset, length, line, column) of the characters from `start` to `end`."""
        line = sum(1 for begin in self._lines if begin <= start)
        offset = self._bytes[start]
        return offset, self._bytes[end] - offset, line, offset - self._bytes[self._lines[line - 1]] + 1


def parse(text):
    """Every statement and every fault of a text, in order, and its directives: (statements, faults, directives)."""
    tokens, comments, faults = [], [], []
    for match in _TOKEN.finditer(text):
        token = Token(match.lastgroup, match.group(), match.start(), match.end())
        if token.sort == "comment":
            comments.append((len(tokens), token))
        elif token.sort == "other":
            faults.append(Fault("drawer.character", "a character that the language does not have", token.start, token.end))
        elif token.sort != "space":
            tokens.append(token)
    parser = _Parser(tokens, len(text))
    statements = []
    while parser.at < len(tokens):
        try:
            statements.append(parser.statement())
        except Fault as fault:
            faults.append(fault)
            parser.skip()
    directives = [_directive(token, parser.beginnings.get(following), faults) for following, token in comments]
    return statements, faults, [d for d in directives if d]


def one(text):
    """The single statement of a text."""
    statements, faults, _ = parse(text)
    if faults:
        raise faults[0]
    if len(statements) != 1:
        raise Fault("drawer.one-statement", "a unit is exactly one statement")
    return statements[0]


@dataclasses.dataclass(frozen=True)
class Directive:
    name: str
    arguments: tuple
    table: str
    column: Optional[str]
    start: int
    end: int


def _directive(token, owner, faults):
    match = _DIRECTIVE.match(token.text)
    if not match:
        return None
    if owner is None:
        sentence = "a directive stands directly above a table's or a column's definition"
        faults.append(Fault("drawer.directive", sentence, token.start, token.end))
        return None
    arguments = tuple(tuple(word.partition("=")[::2]) for word in match.group(2).split())
    return Directive(match.group(1), arguments, *owner, token.start, token.end)


class _Parser:
    def __init__(self, tokens, length):
        self._tokens, self._length, self.at = tokens, length, 0
        # What begins at a token, for the directives above it: (table, column or None).
        self.beginnings = {}

    def statement(self):
        begin = self.at
        first = self._peek()
        word = self._one_of("CREATE", "DROP", "ALTER", "INSERT", "SELECT")
        statement = getattr(self, "_" + word.lower())(begin)
        end = self._tokens[self.at - 1].end
        if self.at < len(self._tokens):
            self._mark(";")
        return dataclasses.replace(statement, start=first.start, end=end)

    def skip(self):
        """To what follows the next semicolon."""
        while self.at < len(self._tokens) and self._tokens[self.at].text != ";":
            self.at += 1
        self.at += 1

    def _create(self, begin):
        self._one_of("TABLE")
        table_token = self._peek()
        table = self._name()
        self.beginnings[begin] = (table, None)
        self._mark("(")
        columns, places = [], [(None, table_token.start, table_token.end)]
        while True:
            token, at = self._peek(), self.at
            column = self._column()
            if any(known.name == column.name for known in columns):
                raise Fault("drawer.column-twice", "a column of this name stands there already", token.start, token.end)
            columns.append(column)
            self.beginnings[at] = (table, column.name)
            places.append((column.name, token.start, self._tokens[self.at - 1].end))
            if self._mark(",", ")") == ")":
                return Statement("create", table, columns=tuple(columns), places=tuple(places))

    def _drop(self, _):
        self._one_of("TABLE")
        if_exists = bool(self._is("IF")) and bool(self._one_of("EXISTS"))
        return Statement("drop", self._name(), if_exists=if_exists)

    def _alter(self, _):
        self._one_of("TABLE")
        table = self._name()
        word = self._one_of("ADD", "DROP", "RENAME", "ALTER")
        if word == "RENAME" and self._is("TO"):
            return Statement("rename", table, to=self._name())
        self._one_of("COLUMN")
        if word == "ADD":
            token, at = self._peek(), self.at
            column = self._column()
            self.beginnings[at] = (table, column.name)
            place = (column.name, token.start, self._tokens[self.at - 1].end)
            return Statement("add-column", table, columns=(column,), places=(place,))
        name = self._name()
        if word == "DROP":
            return Statement("drop-column", table, name=name)
        if word == "RENAME":
            self._one_of("TO")
            return Statement("rename-column", table, name=name, to=self._name())
        required = self._one_of("SET", "DROP") == "SET"
        self._one_of("REQUIRED")
        return Statement("require", table, name=name, required=required)

    def _insert(self, _):
        self._one_of("INTO")
        table = self._name()
        names = self._list(self._name)
        self._one_of("VALUES")
        values = self._list(self._value)
        if len(names) != len(values):
            raise self._fault("drawer.values", "there are as many values as columns")
        return Statement("insert", table, columns=tuple(names), values=tuple(values))

    def _select(self, _):
        self._one_of("COUNT")
        for mark in "(*)":
            self._mark(mark)
        self._one_of("FROM")
        table = self._name()
        if not self._is("WHERE"):
            return Statement("count", table)
        name = self._name()
        self._one_of("IS")
        self._one_of("NULL")
        return Statement("count", table, name=name)

    def _column(self):
        name = self._name()
        kind = self._one_of(*(word.upper() for word in TYPES)).lower()
        return Column(name, kind, bool(self._is("REQUIRED")))

    def _list(self, item):
        self._mark("(")
        items = [item()]
        while self._mark(",", ")") == ",":
            items.append(item())
        return items

    def _value(self):
        token = self._peek()
        self.at += 1
        if token.sort == "string":
            return token.text[1:-1].replace("''", "'")
        if token.sort == "number":
            return float(token.text) if "." in token.text else int(token.text)
        word = token.text.upper() if token.sort == "word" else ""
        if word in ("TRUE", "FALSE", "NULL"):
            return {"TRUE": True, "FALSE": False, "NULL": None}[word]
        self.at -= 1
        raise self._fault("drawer.syntax", "a value is expected here")

    def _name(self):
        token = self._peek()
        if token.sort != "word" or not _NAME.fullmatch(token.text):
            raise self._fault("drawer.name", "a name of lower-case letters, digits and `_` is expected here")
        self.at += 1
        return token.text

    def _is(self, word):
        """Takes the word if it is next."""
        if self.at < len(self._tokens) and self._tokens[self.at].text.upper() == word:
            self.at += 1
            return word
        return None

    def _one_of(self, *words):
        for word in words:
            if self._is(word):
                return word
        raise self._fault("drawer.syntax", f"{' or '.join(words)} is expected here")

    def _mark(self, *marks):
        return self._one_of(*marks)

    def _peek(self):
        if self.at < len(self._tokens):
            return self._tokens[self.at]
        return Token("end", "", self._length, self._length)

    def _fault(self, code, sentence):
        token = self._peek()
        return Fault(code, sentence, token.start, token.end)


def create_text(table, columns):
    """The statement that makes a table; `columns` as the file has them."""
    made = [Column(name, c["type"], c["required"]).text() for name, c in sorted(columns.items())]
    return f"CREATE TABLE {table} ({', '.join(made)})"


def run(statement, tables):
    """Does to the tables what a statement says. A refused one leaves them as they were."""
    table = tables.get(statement.table)
    if statement.sort == "count":
        raise Fault("NOT_A_CHANGE", "a question changes nothing and is no unit")
    if statement.sort == "create":
        if table is not None:
            raise Fault("TABLE_EXISTS", "a table of this name exists")
        columns = {c.name: {"type": c.type, "required": c.required} for c in statement.columns}
        tables[statement.table] = {"columns": columns, "rows": []}
        return
    if table is None:
        if statement.sort == "drop" and statement.if_exists:
            return
        raise Fault("NO_TABLE", "there is no table of this name")
    _CHANGES[statement.sort](statement, tables, table)


def _drop(statement, tables, _):
    del tables[statement.table]


def _rename(statement, tables, table):
    if statement.to in tables:
        raise Fault("TABLE_EXISTS", "a table of this name exists")
    del tables[statement.table]
    tables[statement.to] = table


def _add_column(statement, _, table):
    column = statement.columns[0]
    if column.name in table["columns"]:
        raise Fault("COLUMN_EXISTS", "the table has a column of this name")
    if column.required and table["rows"]:
        raise Fault("ROWS_EXIST", "the table has rows, which would have no value in a required column")
    table["columns"][column.name] = {"type": column.type, "required": column.required}


def _drop_column(statement, _, table):
    _existing(table, statement.name)
    if len(table["columns"]) == 1:
        raise Fault("LAST_COLUMN", "a table has at least one column")
    del table["columns"][statement.name]
    for row in table["rows"]:
        row.pop(statement.name, None)


def _rename_column(statement, _, table):
    column = _existing(table, statement.name)
    if statement.to in table["columns"]:
        raise Fault("COLUMN_EXISTS", "the table has a column of this name")
    del table["columns"][statement.name]
    table["columns"][statement.to] = column
    for row in table["rows"]:
        if statement.name in row:
            row[statement.to] = row.pop(statement.name)


def _require(statement, _, table):
    column = _existing(table, statement.name)
    if statement.required and count(table, statement.name):
        raise Fault("NULLS_EXIST", "the table has rows without a value in the column")
    column["required"] = statement.required


def _insert(statement, _, table):
    row = {}
    for name, value in zip(statement.columns, statement.values):
        kind = _existing(table, name)["type"]
        fits = {"text": str, "number": (int, float), "bool": bool}[kind]
        if value is not None:
            if not isinstance(value, fits) or (kind == "number" and isinstance(value, bool)):
                raise Fault("TYPE", "a value is not of its column's type")
            row[name] = value
    if any(c["required"] and name not in row for name, c in table["columns"].items()):
        raise Fault("REQUIRED", "a required column has no value")
    table["rows"].append(row)


def _existing(table, name):
    if name not in table["columns"]:
        raise Fault("NO_COLUMN", "the table has no column of this name")
    return table["columns"][name]


_CHANGES = {
    "drop": _drop,
    "rename": _rename,
    "add-column": _add_column,
    "drop-column": _drop_column,
    "rename-column": _rename_column,
    "require": _require,
    "insert": _insert,
}


def count(table, null_in=None):
    """How many rows there are, or how many have no value in a column."""
    return sum(1 for row in table["rows"] if null_in is None or row.get(null_in) is None)


def query(statement, tables):
    """The answer to a question about rows: one number."""
    if statement.sort != "count":
        raise Fault("NOT_A_QUERY", "only questions are asked here")
    if statement.table not in tables:
        raise Fault("NO_TABLE", "there is no table of this name")
    table = tables[statement.table]
    if statement.name is not None:
        _existing(table, statement.name)
    return count(table, statement.name)
