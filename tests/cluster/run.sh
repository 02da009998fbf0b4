#!/usr/bin/env bash
# Tests that need a real API server: `make test-cluster`. Arguments are words that a scenario's name must hold.
#
# Builds what is not current, starts one cluster for the run, and ends it whatever happens. Nothing is skipped: what the
# machine lacks is named, and then nothing was tested.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
"$here/build.sh" api
for program in ptah-cluster-tests ptah-operator ptah-runner ptah-scripted-work; do
  [ -x "$target/debug/$program" ] || { echo "test-cluster: $program was not built; run \`make test-cluster\`" >&2; exit 2; }
done

dir=$(mktemp -d "$target/cluster/run.XXXXXX")
finish() {
  local status=$?
  "$here/down.sh" "$dir" || true
  # The logs of a run that failed are kept until the next.
  rm -rf "$target/cluster/failed"
  if [ "$status" -eq 0 ]; then rm -rf "$dir"; else mv "$dir" "$target/cluster/failed"; fi
}
trap finish EXIT
API_ONLY=1 "$here/up.sh" "$dir"
"$target/debug/ptah-cluster-tests" --kubeconfig "$dir/kubeconfig" --operator "$target/debug/ptah-operator" "$@"
