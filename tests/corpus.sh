#!/usr/bin/env bash
# Runs schemas that others wrote through the round trip, through the program itself:
#
#   apply to an empty database → plan again: nothing to do → render → apply the rendering elsewhere → equal
#
# and then takes one object of each kind away, or changes it, and plans it back.
#
# corpus.sh FOLDER, where FOLDER/*/*qlite*.sql are the schemas.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
ptah="$target/debug/ptah" sql="$target/debug/examples/sql"
corpus=$(cd "$1" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/ptah-corpus.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export NO_COLOR=1

fail() { echo "FAILED: $*" >&2; exit 1; }

# Runs ptah and shows its output only when the exit code is not the expected one.
expect() {
  local expected=$1 status=0
  shift
  "$ptah" "$@" > out 2> err || status=$?
  [ "$status" -eq "$expected" ] || { cat out err; fail "ptah $* ended with $status, expected $expected"; }
}

in_sync() { expect 0 schema compare --db-url "sqlite://$1" --schema-file "$2" --exit-code; }

round_trip() {
  local schema=$1 name=$2
  expect 0 schema apply --db-url "sqlite://$name.db" --schema-file "$schema" --auto-approve
  in_sync "$name.db" "$schema"
  expect 0 db read --db-url "sqlite://$name.db"
  cp out "$name-rendered.sql"
  expect 0 schema apply --db-url "sqlite://$name-2.db" --schema-file "$name-rendered.sql" --auto-approve
  in_sync "$name-2.db" "$schema"
  in_sync "$name.db" "$name-rendered.sql"
}

# Changes the database behind our back and plans it back. $4 is SQL of an application.
change_and_plan_back() {
  local schema=$1 name=$2 what=$3 statement=$4
  [ -n "$statement" ] || return 0
  cp "$name.db" changed.db
  printf 'PRAGMA foreign_keys = OFF;\n%s\n' "$statement" | "$sql" changed.db
  expect 1 schema compare --db-url sqlite://changed.db --schema-file "$schema" --exit-code
  expect 0 schema apply --db-url sqlite://changed.db --schema-file "$schema" --auto-approve --as-copy --allow-destructive
  in_sync changed.db "$schema"
  rm -f changed.db
  echo "    planned back: $what"
}

# One object of a kind, chosen by the seed, which is printed so that a failure can be had again.
seed=${CORPUS_SEED:-$RANDOM}
echo "seed $seed (CORPUS_SEED)"
one() { echo "SELECT name FROM sqlite_schema AS s WHERE $2 AND name NOT LIKE '\\_ptah%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' ORDER BY ((rowid + $seed) * 40503) % 65537 LIMIT 1;" | "$sql" "$1"; }

count=0
for schema in "$corpus"/*/*qlite*.sql; do
  [ -e "$schema" ] || continue
  name=$(basename "$(dirname "$schema")")
  echo "== $name"
  round_trip "$schema" "$name"
  echo "    round trip: equal"
  # Also one that views read: they come back with their table.
  table=$(one "$name.db" "type = 'table'")
  index=$(one "$name.db" "type = 'index' AND sql IS NOT NULL")
  view=$(one "$name.db" "type = 'view'")
  trigger=$(one "$name.db" "type = 'trigger'")
  change_and_plan_back "$schema" "$name" "table $table dropped" "DROP TABLE \"$table\";"
  change_and_plan_back "$schema" "$name" "table $table with another column" "ALTER TABLE \"$table\" ADD COLUMN ptah_extra TEXT;"
  [ -z "$index" ] || change_and_plan_back "$schema" "$name" "index $index dropped" "DROP INDEX \"$index\";"
  [ -z "$view" ] || change_and_plan_back "$schema" "$name" "view $view changed" "DROP VIEW \"$view\"; CREATE VIEW \"$view\" AS SELECT 1 AS one;"
  [ -z "$trigger" ] || change_and_plan_back "$schema" "$name" "trigger $trigger dropped" "DROP TRIGGER \"$trigger\";"
  count=$((count + 1))
done
[ "$count" -gt 0 ] || fail "no schema in $corpus"
echo "$count schemas: all equal after every round trip"
