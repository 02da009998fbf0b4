#!/usr/bin/env bash
# Seeds one fault after another into a copy of the operator's core and explores it: each must be found, by the invariant or
# the search that its patch names. A patch that does not apply any more, and a fault that is not found, fail the run.
#
# With an argument only those whose name begins with it.
#
# Each patch begins with: what the fault is, `config: NAME`, `found: the beginning of what is reported`.
set -euo pipefail
cd "$(dirname "$0")/../../.."

command -v patch >/dev/null || { echo "the program \`patch\` is missing: install it, on Debian by apt-get install patch" >&2; exit 2; }

# A folder of its own for what is built, too: to Cargo a crate of the copy is the one of the workspace, and what was built of a
# faulty core would be taken for the real one's.
copy="$PWD/target/explore-faults/tree"
export CARGO_TARGET_DIR="$PWD/target/explore-faults/build"
failed=0

# The copy is a workspace of its own, so that nothing here is touched and only what is explored is built.
rm -rf "$copy"
mkdir -p "$copy/crates"
cp -r crates/model crates/lifecycle crates/reconcile crates/explore "$copy/crates/"
cp Cargo.lock "$copy/"
sed 's|^members = .*|members = ["crates/*"]|; s|^default-members = .*||' Cargo.toml > "$copy/Cargo.toml"

for patch in crates/explore/faults/"${1:-}"*.patch; do
  name=$(basename "$patch" .patch)
  config=$(sed -n 's/^config: //p' "$patch")
  found=$(sed -n 's/^found: //p' "$patch")
  cp -r crates/lifecycle crates/reconcile "$copy/crates/"
  if ! patch --quiet --directory "$copy" --strip 1 --input "$PWD/$patch" >/dev/null; then
    echo "$name: the patch does not apply any more"
    failed=1
    continue
  fi
  # Cargo compares times; a copy within the same second must not look unchanged.
  find "$copy/crates/lifecycle" "$copy/crates/reconcile" -name '*.rs' -newer "$copy/Cargo.toml" -exec touch {} +
  said=$(cd "$copy" && cargo run --quiet --profile explore --package ptah-explore -- \
    --config "$config" --limit 3000000 --seconds 300 2>&1) || true
  if grep -qF "VIOLATION: $found" <<< "$said"; then
    printf '%-34s found: %s\n' "$name" "$(sed -n 's/^ *VIOLATION: //p' <<< "$said")"
  else
    printf '%-34s NOT FOUND, expected: %s\n' "$name" "$found"
    grep -E 'VIOLATION|states:|^error' <<< "$said" | head -5 || true
    failed=1
  fi
done
exit "$failed"
