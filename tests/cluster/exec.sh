#!/usr/bin/env bash
# exec.sh DIR COMMAND...: runs COMMAND in the node's network, where Pods and Services can be reached and
# https://127.0.0.1:6443 is the API server, with the host's files and processes.
set -euo pipefail
dir=$(cd "$1" && pwd -P)
shift
pid=$(cat "$dir/run/pid")
first=$(cat "/proc/$pid/task/$pid/children")
export KUBECONFIG=$dir/keys/admin-inside.kubeconfig
exec nsenter --net --target "${first% }" "$@"
