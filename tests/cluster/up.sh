#!/usr/bin/env bash
# up.sh DIR: starts a Kubernetes of one node whose files all lie in DIR. When it returns, DIR/kubeconfig reaches the API
# server from this host. With API_ONLY=1 there is no node: etcd, the API server and the controllers alone.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
mkdir -p "$1"
dir=$(cd "$1" && pwd -P)
for path in "$dir" "$bin"; do
  case $path/ in /run/* | /var/lib/* | /var/log/*)
    echo "up.sh: the node hides /run, /var/lib and /var/log from itself, and $path lies there" >&2; exit 1 ;;
  esac
done
start=$(date +%s%N)
fail() { echo "up.sh: $*" >&2; "$here/down.sh" "$dir" || true; exit 1; }
logs() { tail -n "$1" "$dir"/logs/*.log >&2 || true; }

[ ! -e "$dir/run/pid" ] || { echo "up.sh: $dir has a cluster already; down.sh $dir first" >&2; exit 1; }
mkdir -p "$dir"/{run,logs,keys,etcd}
rm -f "$dir/run/port" "$dir/kubeconfig"

# The node is a set of namespaces of its own: mounts, network, processes, host name and IPC. Its first process is node.sh;
# when that one dies, the kernel ends every process in it, and its mounts and interfaces go with the last.
PTAH_CLUSTER_BIN=$bin setsid "$bin/cluster-tool" listen 127.0.0.1:0 "$dir/run/port" -- \
  unshare --mount --net --pid --fork --uts --ipc --kill-child --propagation private \
  bash "$here/node.sh" "$dir" >"$dir/logs/node.log" 2>&1 </dev/null &
echo "$!" >"$dir/run/pid"

trap 'fail interrupted' INT TERM
deadline=$((SECONDS + ${UP_TIMEOUT:-180}))
until [ -e "$dir/run/ready" ]; do
  kill -0 "$(cat "$dir/run/pid")" 2>/dev/null || { logs 20; fail "the node ended"; }
  [ $SECONDS -lt $deadline ] || { logs 5; fail "not ready in time"; }
  sleep 0.1
done
"$bin/cluster-tool" wait 10 "$dir/keys" "https://127.0.0.1:$(cat "$dir/run/port")" /readyz ||
  fail "the API server is not reached from the host"
# The last thing, so that whoever finds it may use it.
cp "$dir/keys/admin.kubeconfig" "$dir/kubeconfig.new"
mv "$dir/kubeconfig.new" "$dir/kubeconfig"
echo "up in $((($(date +%s%N) - start) / 1000000)) ms: KUBECONFIG=$dir/kubeconfig"
