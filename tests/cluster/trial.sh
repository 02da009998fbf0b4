#!/usr/bin/env bash
# trial.sh: a whole node, once: a Job, a StatefulSet with probes, DNS and Services, exec, a policy; then its end, and a
# look at what is left. `make test-cluster-node` runs it. Every step that does not do what it should ends the run.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
"$here/build.sh" node
dir=$(mktemp -d "$target/cluster/trial.XXXXXX")
before=$(mktemp) after=$(mktemp)
state() {
  ip -br link | awk '{ print $1, $2 }'
  awk '{ print $1, $2, $3 }' /proc/self/mounts
  find /sys/fs/cgroup -name 'ptah-node-*'
  ps -eo args | grep -F "$bin/" | grep -vF grep || true
}
ms() { echo "$((($(date +%s%N) - $1) / 1000000)) ms"; }
state >"$before"
"$here/up.sh" "$dir"
trap '"$here/down.sh" "$dir" || true' EXIT
export KUBECONFIG=$dir/kubeconfig
k=$bin/kubectl
root=$(mktemp -d)
CGO_ENABLED=0 go build -C "$here/example" -trimpath -ldflags '-s -w' -o "$root/example" .
"$here/image.sh" "$dir" example:1 "$root" -entrypoint /example
rm -r "$root"
for _ in 1 2 3; do
  s=$(date +%s%N)
  $k apply -f "$here/example/job.yaml" >/dev/null
  $k wait --for=condition=Complete job/hello --timeout=60s >/dev/null
  echo "Job to Complete: $(ms "$s")"
  $k logs job/hello | awk 'NR == 1'
  $k delete job hello >/dev/null
done
s=$(date +%s%N)
$k apply -f "$here/example/more.yaml" >/dev/null
$k rollout status sts/web --timeout=60s >/dev/null
echo "StatefulSet of 2, ready: $(ms "$s")"
s=$(date +%s%N)
$k apply -f "$here/example/get.yaml" >/dev/null
$k wait --for=jsonpath='{.status.phase}'=Succeeded pod/get --timeout=60s >/dev/null
echo "Pod to Succeeded: $(ms "$s"); by DNS name and Service: $($k logs get)"
echo "exec: $($k exec web-0 -- /example get http://web-1.web.default.svc:8080/)"
if $k create configmap bad 2>/dev/null; then echo "trial.sh: the policy did not hold" >&2; exit 1; fi
s=$(date +%s%N)
trap - EXIT
"$here/down.sh" "$dir"
echo "down in $(ms "$s"); $(du -sm "$dir" | cut -f1) MB in DIR"
rm -rf "$dir"
state >"$after"
diff "$before" "$after"
echo "nothing is left"
rm "$before" "$after"
