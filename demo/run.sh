#!/usr/bin/env bash
# The main job, told on a database of its own in a scratch folder: a schema is declared, changed, planned, explained,
# applied and proven; then the bad day: a second runner, a run killed in the middle, a copy of the file.
#
# Every command is printed before it runs, and every exit code is asserted. `target/debug/ptah` has to be built.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
ptah="$target/debug/ptah"
# An application that knows nothing of ptah, for machines without the sqlite3 shell.
sql="$target/debug/examples/sql"
for program in "$ptah" "$sql"; do
  [ -x "$program" ] || { echo "missing $program: run make build first" >&2; exit 2; }
done

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ptah-demo.XXXXXX")
# A stopped runner is let go before the folder goes away.
stopped=""
cleanup() {
  [ -z "$stopped" ] || kill -KILL "$stopped" 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT
cd "$scratch"
export NO_COLOR=1

chapter() { printf '\n\n=== %s\n' "$*"; }

# Shows a command, runs it, and insists on its exit code.
run() {
  local expected=$1 status=0
  shift
  printf '\n$ ptah %s\n' "$*"
  "$ptah" "$@" || status=$?
  if [ "$status" -ne "$expected" ]; then
    echo "expected exit code $expected, got $status" >&2
    exit 1
  fi
  [ "$status" -eq 0 ] || echo "(exit code $status)"
}

# Rows of the database, as the application sees them.
rows() {
  printf '\n$ sql shop.db: %s\n' "$1"
  echo "$1" | "$sql" shop.db
}

chapter "A schema is declared, and a database made from it"
cat > schema.sql <<'SQL'
CREATE TABLE customers (
  id    INTEGER PRIMARY KEY,
  name  TEXT NOT NULL,
  email TEXT
);
CREATE INDEX customers_email ON customers (email);

CREATE TABLE orders (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  customer INTEGER NOT NULL REFERENCES customers (id),
  placed   TEXT NOT NULL
);
CREATE TABLE lines (
  order_id INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
  article  TEXT NOT NULL,
  amount   INTEGER NOT NULL CHECK (amount > 0),
  PRIMARY KEY (order_id, article)
) WITHOUT ROWID;
SQL
cat schema.sql
run 0 schema apply --db-url sqlite://shop.db --schema-file schema.sql --auto-approve

"$sql" shop.db <<'SQL'
PRAGMA foreign_keys = ON;
INSERT INTO customers VALUES (1, 'Ada', 'ada@example.org'), (2, 'Grace', NULL);
INSERT INTO orders VALUES (10, 1, '2026-01-02'), (11, 2, '2026-01-03');
INSERT INTO lines VALUES (10, 'lamp', 2), (10, 'desk', 1), (11, 'chair', 4);
SQL
rows "SELECT count(*) FROM lines"

chapter "The declaration changes: a column, an index, a foreign key, a name"
cat > schema.sql <<'SQL'
CREATE TABLE customers (
  id    INTEGER PRIMARY KEY,
  -- ptah:renamed from=name
  full_name TEXT NOT NULL,
  email TEXT,
  since TEXT NOT NULL DEFAULT '2026-01-01'
);

CREATE TABLE orders (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  customer INTEGER NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
  placed   TEXT NOT NULL
);
CREATE TABLE lines (
  order_id INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
  article  TEXT NOT NULL,
  amount   INTEGER NOT NULL CHECK (amount > 0),
  PRIMARY KEY (order_id, article)
) WITHOUT ROWID;
SQL
run 0 schema plan --db-url sqlite://shop.db --schema-file schema.sql --explain --output change.plan.json

chapter "The plan is applied: exactly this one, once, and proven"
run 0 schema apply --db-url sqlite://shop.db --plan change.plan.json --auto-approve
rows "SELECT id, full_name, since FROM customers"
rows "SELECT order_id, article, amount FROM lines"
run 0 schema plan --db-url sqlite://shop.db --schema-file schema.sql --dry-run
run 2 schema apply --db-url sqlite://shop.db --plan change.plan.json --auto-approve

chapter "A second runner at the same time is kept out"
cat >> schema.sql <<'SQL'
CREATE TABLE articles (name TEXT PRIMARY KEY, price INTEGER NOT NULL);
SQL
printf '\n$ ptah schema apply … (held still in the middle of its run)\n'
# Effect 7 is the proof of the lock after consent: the run holds the lock and has written nothing yet.
PTAH_FAULT=7:before:stop "$ptah" schema apply --db-url sqlite://shop.db --schema-file schema.sql --auto-approve \
  > first.out 2>&1 &
stopped=$!
until grep -q '^State:[[:space:]]*T' "/proc/$stopped/status" 2>/dev/null; do sleep 0.02; done
run 2 schema apply --db-url sqlite://shop.db --schema-file schema.sql --auto-approve --run-lock-timeout 300ms
kill -CONT "$stopped"
wait "$stopped"
stopped=""
printf '\n(the first runner goes on and ends)\n'
cat first.out

chapter "A run is killed in the middle, and the next command knows what is there"
cat >> schema.sql <<'SQL'
CREATE INDEX orders_placed ON orders (placed);
SQL
printf '\n$ ptah schema apply … (killed after its statements were sent, before the commit)\n'
status=0
PTAH_FAULT=11:after:host "$ptah" schema apply --db-url sqlite://shop.db --schema-file schema.sql --auto-approve \
  > killed.out 2>&1 || status=$?
[ "$status" -eq 137 ] || { cat killed.out; echo "expected the run to be killed, got $status" >&2; exit 1; }
echo "(killed)"
run 0 schema apply --db-url sqlite://shop.db --schema-file schema.sql --auto-approve
rows "SELECT name FROM sqlite_schema WHERE type = 'index' AND name = 'orders_placed'"

chapter "A copy of the file is not the original"
cp shop.db copy.db
cat >> schema.sql <<'SQL'
CREATE INDEX articles_price ON articles (price);
SQL
run 2 schema apply --db-url sqlite://copy.db --schema-file schema.sql --auto-approve
run 0 schema apply --db-url sqlite://copy.db --schema-file schema.sql --auto-approve --as-copy

printf '\n\nDone: every step ended as it should.\n'
