#!/usr/bin/env bash
# build.sh api|node: builds the programs of the test cluster from their Go modules into `cluster/bin` under the target
# folder, unless they are there and current.
#
# `api` is what answers requests: etcd, the API server and the controllers. `node` is that, and all that runs Pods:
# scheduler, kubelet, proxy, containerd, the network's plugins, DNS, and kubectl. The code that both share is compiled once.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
cd "$here"
part=${1:-}
case $part in api | node) ;; *) echo "usage: build.sh api|node" >&2; exit 2 ;; esac
needs "$part"

# What is built does not depend on the flags that a machine sets.
export CGO_ENABLED=0 GOFLAGS=-trimpath GOWORK=off
mkdir -p "$bin"

# A part is current if it was built from the same files, by the same Go and the same script.
stamp() { { go version; cat build.sh "$@"; } | sha256sum; }
current() { [ "$(cat "$bin/.$1" 2>/dev/null)" = "$2" ]; }
links() { local to=$1 name; shift; for name; do ln -sf "$to" "$bin/$name"; done; }

# Which version the programs say that they are: they learn it from their linker.
kubernetes() {
  local version major minor package
  version=$(cd "$here/kube" && go list -m -f '{{.Version}}' k8s.io/kubernetes)
  IFS=. read -r major minor _ <<<"${version#v}"
  printf -- '-s -w'
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    printf -- ' -X %s.gitVersion=%s -X %s.gitMajor=%s -X %s.gitMinor=%s' \
      "$package" "$version" "$package" "$major" "$package" "$minor"
    printf -- ' -X %s.gitTreeState=archive -X %s.buildDate=1970-01-01T00:00:00Z' "$package" "$package"
  done
}

made=$(stamp tool/go.mod tool/*.go kube/go.mod kube/go.sum kube/api/main.go)
if ! current api "$made"; then
  echo "test-cluster: building etcd, the API server and the controllers"
  go build -C "$here/tool" -o "$bin/cluster-tool" -ldflags "-s -w" .
  go build -C "$here/kube" -o "$bin/kube-api" -ldflags "$(kubernetes)" ./api
  links kube-api etcd kube-apiserver kube-controller-manager
  echo "$made" >"$bin/.api"
fi
[ "$part" = node ] || exit 0

made=$(stamp kube/go.mod kube/go.sum kube/node/main.go {containerd,dns}/go.mod {containerd,dns}/go.sum dns/main.go)
if ! current node "$made"; then
  echo "test-cluster: building the programs of a node"
  go build -C "$here/kube" -o "$bin/kube-node" -ldflags "$(kubernetes)" ./node
  links kube-node kube-scheduler kubelet kube-proxy kubectl
  containerd=$(cd "$here/containerd" && go list -m -f '{{.Version}}' github.com/containerd/containerd/v2)
  go build -C "$here/containerd" -o "$bin/" \
    -ldflags "-s -w -X github.com/containerd/containerd/v2/version.Version=$containerd" tool
  go build -C "$here/dns" -o "$bin/coredns" -ldflags "-s -w" .
  echo "$made" >"$bin/.node"
fi
