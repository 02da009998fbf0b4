#!/usr/bin/env bash
# Feeds what the host reads from strangers with any bytes, each kind for T seconds: `make fuzz T=60`. Names of targets as
# arguments run only those; PTAH_FUZZ_TARGET names another folder to build in.
#
# Needs a C++ compiler, for the fuzzer itself, and says so. Nothing here touches the workspace's own build. Above 512 MiB of
# memory, after ten seconds without an end, and on a panic a run ends with a finding: it is kept under fuzz/artifacts/TARGET,
# and becomes a test of the crate that it is in and an entry of fuzz/corpus/TARGET.
set -euo pipefail

cd "$(dirname "$0")/.."
seconds=${T:-60}
folder=${PTAH_FUZZ_TARGET:-fuzz/target}

if ! command -v "${CXX:-c++}" > /dev/null; then
  echo "fuzz: a C++ compiler is missing (on Debian: apt-get install g++); nothing was run" >&2
  exit 2
fi

# What cargo-fuzz passes with `--sanitizer none`: the fuzzer sees which branches were taken and what was compared. With
# a target named, build scripts and macros are left as they are.
host=$(rustc -vV | sed -n 's/^host: //p')
llvm=level=4,inline-8bit-counters,pc-table,trace-compares
flags="--cfg fuzzing -Cpasses=sancov-module"
for argument in ${llvm//,/ }; do flags="$flags -Cllvm-args=-sanitizer-coverage-$argument"; done
RUSTFLAGS="$flags" cargo build --quiet --locked --manifest-path fuzz/Cargo.toml --target-dir "$folder" --target "$host" --bins

targets=("$@")
[ "${#targets[@]}" -gt 0 ] || mapfile -t targets < <(basename -s .rs fuzz/targets/*.rs)
failed=()
for target in "${targets[@]}"; do
  # What is learnt goes to a folder of its own, so that the corpus stays small.
  learnt=$folder/learnt/$target
  mkdir -p "$learnt" "fuzz/artifacts/$target"
  if "$folder/$host/debug/$target" "$learnt" "fuzz/corpus/$target" -max_total_time="$seconds" -timeout=10 -max_len=65536 \
    -rss_limit_mb=512 -print_final_stats=1 -artifact_prefix="fuzz/artifacts/$target/" > "$folder/$target.log" 2>&1; then
    stat() { sed -n "s/^stat::$1: *//p" "$folder/$target.log"; }
    echo "fuzz: $target: nothing found in $(stat number_of_executed_units) runs, at most $(stat peak_rss_mb) MiB"
  else
    failed+=("$target")
    tail -n 40 "$folder/$target.log"
  fi
done
if [ "${#failed[@]}" -gt 0 ]; then
  echo "fuzz: findings in ${failed[*]}; see fuzz/artifacts" >&2
  exit 1
fi
