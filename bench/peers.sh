#!/usr/bin/env bash
# Builds the peers that this machine can build into `bench/.peers`, and says which are missing and why. Never fails for a
# missing peer. What is there already is kept; remove the folder to build again.
#
# PTAH_BENCH_PEERS names the wanted ones (default: all): atlas goose go-plugin sqlx diesel. The two in Rust take minutes to
# build.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
peers=$here/.peers
wanted=${PTAH_BENCH_PEERS-atlas goose go-plugin sqlx diesel}
mkdir -p "$peers/bin"
missing=$peers/missing.txt
: > "$missing"

# One line for each missing peer: the name, a tab, the reason. The measuring program prints it.
miss() { printf '%s\t%s\n' "$1" "$2" | tee -a "$missing" >&2; }

is_wanted() { case " $wanted " in *" $1 "*) ;; *) miss "$1" "not wanted: PTAH_BENCH_PEERS leaves it out"; return 1 ;; esac; }

# build NAME TOOL PROGRAM COMMAND…: runs the command unless the program is there. A program that is kept was built from the
# same command; the command is kept beside it.
build() {
  local name=$1 tool=$2 program=$peers/bin/$3
  shift 3
  is_wanted "$name" || return 0
  local made=$program.made-by
  if [ -x "$program" ] && [ "$(cat "$made" 2>/dev/null)" = "$*" ]; then return 0; fi
  command -v "$tool" > /dev/null || { miss "$name" "$tool is not installed"; return 0; }
  echo "building the peer $name (once)" >&2
  if "$@" > "$peers/$name.log" 2>&1 && [ -x "$program" ]; then
    printf '%s' "$*" > "$made"
  else
    rm -f "$program"
    miss "$name" "it could not be built; see bench/.peers/$name.log"
  fi
}

# The Go peers are built without a C compiler, so that they are the same everywhere.
export CGO_ENABLED=0
atlas() { (cd "$here/peers/atlas" && go build -trimpath -o "$peers/bin/atlas" .); }
goose() {
  GOBIN=$peers/bin go install -tags 'no_clickhouse no_mssql no_vertica no_ydb no_libsql no_mysql no_postgres' \
    "github.com/pressly/goose/v3/cmd/goose@v3.30.0"
}
# A host and a plugin of the same contract on HashiCorp's own library. Ours, so they are never kept: Go knows what changed.
go_plugin() {
  CARGO_TARGET_DIR=$peers "$here/../tests/interop/run.sh" --build-only &&
    cp "$peers/interop/go/host-1.8.0" "$peers/bin/go-plugin-host" &&
    cp "$peers/interop/go/plugin-1.8.0" "$peers/bin/go-plugin-provider"
}
from_cargo() {
  local status=0
  CARGO_TARGET_DIR=$peers/target cargo install --locked --root "$peers" "$@" || status=$?
  rm -rf "$peers/target"
  return "$status"
}
build atlas go atlas atlas
build goose go goose goose
rm -f "$peers/bin/go-plugin-host"
build go-plugin go go-plugin-host go_plugin
build sqlx cargo sqlx from_cargo sqlx-cli@0.9.0 --no-default-features --features rustls,sqlite
build diesel cargo diesel from_cargo diesel_cli@2.3.14 --no-default-features --features sqlite-bundled

# Not built: the shell of the system is what people use.
if ! command -v sqlite3 > /dev/null; then miss sqlite3 "the sqlite3 shell is not installed"; fi
exit 0
