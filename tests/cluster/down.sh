#!/usr/bin/env bash
# down.sh DIR: ends the cluster that up.sh DIR started. DIR's files stay: up.sh DIR again is a restart of the node.
set -euo pipefail
dir=$(cd "$1" && pwd -P)
if [ -e "$dir/run/pid" ]; then
  pid=$(cat "$dir/run/pid")
  # Only the process that up.sh started: its command line names DIR.
  if tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -qxF "$dir"; then
    # The first process of the node; the kernel ends the rest.
    first=$(cat "/proc/$pid/task/$pid/children")
    kill -KILL ${first:-$pid}
    while [ -e "/proc/$pid" ] && [ "$(awk '{ print $3 }' "/proc/$pid/stat" 2>/dev/null || echo Z)" != Z ]; do
      sleep 0.05
    done
  fi
fi
if [ -e "$dir/run/cgroup" ]; then
  group=$(cat "$dir/run/cgroup")
  for folder in "/sys/fs/cgroup/$group" /sys/fs/cgroup/*/"$group"; do
    [ -d "$folder" ] || continue
    for _ in $(seq 100); do
      find "$folder" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [ -d "$folder" ] || break
      sleep 0.05
    done
    [ ! -d "$folder" ] || echo "down.sh: $folder is left" >&2
  done
fi
rm -rf "$dir/run" "$dir/kubeconfig"
