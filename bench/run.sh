#!/usr/bin/env bash
# Builds the release, and the peers that can be built, and measures them side by side: `bench/run.sh [--json] [--only …]`.
# What a row means, and what cannot be compared, stands in bench/README.md.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
cd "$root"
target=${CARGO_TARGET_DIR:-$root/target}
cargo=${CARGO:-cargo}

"$here/peers.sh"
# What is measured, and nothing else.
"$cargo" build --release --locked -p ptah -p ptah-bench >&2
"$cargo" build --release --locked -p ptah-provider-sqlite --example sql >&2

"$cargo" build --release --locked -p ptah-interop >&2
"$cargo" build --release --locked -p ptah-provider-sdk --bin provider-zorp >&2

exec "$target/release/ptah-bench" --ptah "$target/release/ptah" --sql "$target/release/examples/sql" \
  --interop "$target/release/ptah-interop" --zorp "$target/release/provider-zorp" \
  --peers "$here/.peers" --scratch "$target/bench" "$@"
