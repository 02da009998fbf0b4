# What the scripts of the test cluster share: where its programs are, and how a machine that lacks something is told.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${CARGO_TARGET_DIR:-$here/../../target}
mkdir -p "$target"
target=$(cd "$target" && pwd -P)
# Under target/, so that a machine that keeps target/ builds them once.
bin=$target/cluster/bin

# Where a shell without root's path would not look.
export PATH=$PATH:/usr/sbin:/sbin

missing=0
miss() { echo "test-cluster: $*" >&2; missing=1; }

# needs api|node: one sentence for each thing that the machine lacks, and then the end.
needs() {
  [ "$(uname -s)" = Linux ] || miss "the cluster runs on Linux alone"
  [ "$(id -u)" = 0 ] || miss "the cluster needs root: it makes mounts, a network and processes of its own"
  # containerd's module asks for more than Kubernetes' does.
  local go=1.26.0
  if [ "$1" = node ]; then go=1.26.8; fi
  if ! command -v go >/dev/null; then
    miss "Go is missing. Install version $go or newer, or put it on the PATH"
  elif ! printf '%s\n%s\n' "$go" "$(go env GOVERSION | sed 's/^go//')" | sort -VC; then
    miss "$(go version) is too old; $go or newer is needed"
  fi
  command -v unshare >/dev/null && command -v nsenter >/dev/null && command -v setsid >/dev/null ||
    miss "unshare, nsenter or setsid is missing (on Debian: apt-get install util-linux)"
  command -v ip >/dev/null || miss "ip is missing (on Debian: apt-get install iproute2)"
  if [ "$1" = node ]; then
    command -v runc >/dev/null || miss "runc is missing (on Debian: apt-get install runc)"
    command -v nft >/dev/null || miss "nft is missing (on Debian: apt-get install nftables)"
  fi
  if [ "$missing" -ne 0 ]; then
    echo "test-cluster: nothing was tested" >&2
    exit 2
  fi
}
