#!/usr/bin/env bash
# image.sh DIR NAME:TAG FOLDER [option of `cluster-tool image`]...: makes an image of FOLDER and imports it into the
# cluster that up.sh DIR started. A tag other than `latest`, which the kubelet would pull.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
dir=$(cd "$1" && pwd -P)
name=$2 folder=$3
shift 3
file=$(mktemp "$dir/run/image.XXXXXX")
trap 'rm -f "$file"' EXIT
"$bin/cluster-tool" image -name "$name" -out "$file" "$@" "$folder"
first=$(cat "/proc/$(cat "$dir/run/pid")/task/$(cat "$dir/run/pid")/children")
said=$(nsenter --mount --net --target "${first% }" "$bin/ctr" -n k8s.io images import --snapshotter overlayfs "$file" 2>&1) ||
  { echo "$said" >&2; exit 1; }
