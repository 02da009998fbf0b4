#!/usr/bin/env bash
# Providers and hosts in other languages, built and driven: `make test-interop`.
#
# Needs Go 1.24 or newer and Python 3.9 or newer with `venv`, and says which of them is missing. Fetches what they build
# with from their registries, once; it is kept in `interop` under the target folder. With `--build-only` nothing is tested.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
target=${CARGO_TARGET_DIR:-$here/../../target}
tools=$target/interop
export PYTHON=${PYTHON:-python3}

missing=0
miss() { echo "test-interop: $*" >&2; missing=1; }
if ! command -v go > /dev/null; then
  miss "Go is missing. Install version 1.24 or newer, or put it on the PATH"
elif ! go version | awk '{ split(substr($3, 3), v, "."); exit !(v[1] > 1 || v[2] >= 24) }'; then
  miss "$(go version) is too old; 1.24 or newer is needed"
fi
if ! command -v "$PYTHON" > /dev/null; then
  miss "Python is missing ($PYTHON). Install version 3.9 or newer, or name it with PYTHON="
elif ! "$PYTHON" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2> /dev/null; then
  miss "$("$PYTHON" --version) is older than 3.9 or has no venv (on Debian: apt-get install python3-venv)"
fi
if [ "$missing" -ne 0 ]; then
  echo "test-interop: nothing was tested" >&2
  exit 2
fi

"$here/python/build.sh" "$tools"
"$here/go/build.sh" "$tools/go" "$tools/venv/bin/python"
for program in "$tools"/go/{host,plugin}-*; do ln -sf "$program" "$tools/$(basename "$program")"; done
if [ "${1:-}" = --build-only ]; then exit; fi
"$tools/venv/bin/python" "$here/test.py" "$target/debug" "$tools" "$@"
