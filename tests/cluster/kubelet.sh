# What makes a node of it: containerd, scheduler, kubelet, proxy and DNS. Read by node.sh, whose names it uses.

group=ptah-node-$(cat "$dir/run/pid")
admin="kubectl --kubeconfig $keys/admin-inside.kubeconfig"

# tunable NAME VALUE: the kubelet sets some kernel parameters of the whole machine. It finds them set as it wants in these
# files, and the machine's stay as they are.
tunable() {
  [ -e "/proc/sys/$1" ] || return 0
  mkdir -p "/run/tunables/${1%/*}"
  echo "$2" >"/run/tunables/$1"
  mount --bind "/run/tunables/$1" "/proc/sys/$1"
}
bound() { mkdir -p "$1" "$2"; mount --bind "$1" "$2"; }

prepare() {
  echo "$group" >"$dir/run/cgroup"
  bound "$dir/kubelet" /var/lib/kubelet
  mount --make-rshared /var/lib/kubelet
  bound "$dir/containerd" /var/lib/containerd
  bound "$dir/logs/pods" /var/log/pods
  bound "$dir/logs/containers" /var/log/containers
  bound "$dir/cni" /var/lib/cni
  tunable vm/overcommit_memory 1
  tunable vm/panic_on_oom 0
  tunable kernel/panic 10
  tunable kernel/panic_on_oops 1
  tunable kernel/keys/root_maxkeys 1000000
  tunable kernel/keys/root_maxbytes 25000000
  echo 1 >/proc/sys/net/ipv4/ip_forward
  if [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ]; then
    echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables || true
  fi
  control_groups
}

control_groups() {
  local folder
  if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then
    mkdir -p "/sys/fs/cgroup/$group"
    return
  fi
  for folder in /sys/fs/cgroup/*/; do
    case $folder in */unified/) continue ;; esac
    mkdir -p "$folder$group"
    if [ -e "$folder$group/cpuset.cpus" ]; then
      cat "$folder/cpuset.cpus" >"$folder$group/cpuset.cpus"
      cat "$folder/cpuset.mems" >"$folder$group/cpuset.mems"
    fi
  done
}

start_containerd() {
  mkdir -p /run/cni
  cat >/run/cni/10-bridge.conflist <<CNI
{"cniVersion": "1.0.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "$pods"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}, "backend": "nftables"}
]}
CNI
  # Without CAP_SYS_RESOURCE runc may not lower a score, and dies with "can't get final child's PID".
  cat >"$dir/run/containerd.toml" <<TOML
version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.nri.v1.nri", "io.containerd.snapshotter.v1.blockfile", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.erofs", "io.containerd.snapshotter.v1.zfs"]
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins.'io.containerd.cri.v1.images']
  snapshotter = "overlayfs"
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = "localhost/pause:1"
[plugins.'io.containerd.cri.v1.runtime']
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ["$bin"]
    conf_dir = "/run/cni"
    use_internal_loopback = true
  [plugins.'io.containerd.cri.v1.runtime'.containerd]
    default_runtime_name = "runc"
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
        SystemdCgroup = false
TOML
  run containerd containerd --config "$dir/run/containerd.toml"
}

# The image of every Pod's sandbox.
pause_image() {
  local root=$dir/run/pause-root
  mkdir -p "$root"
  cp "$bin/cluster-tool" "$root/pause"
  cluster-tool image -name localhost/pause:1 -user 65535:65535 -entrypoint /pause -out "$dir/run/pause.tar" "$root" >/dev/null
  until ctr -n k8s.io images import --snapshotter overlayfs "$dir/run/pause.tar" >/dev/null 2>&1; do sleep 0.1; done
  rm -r "$root" "$dir/run/pause.tar"
}

start_kubelet() {
  : >/run/resolv.conf
  cat >"$dir/run/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /$group
failCgroupV1: false
failSwapOn: false
protectKernelDefaults: true
address: $node_ip
healthzBindAddress: 127.0.0.1
readOnlyPort: 0
tlsCertFile: $keys/kubelet.crt
tlsPrivateKeyFile: $keys/kubelet.key
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: $keys/ca.crt}
authorization: {mode: Webhook}
clusterDomain: cluster.local
clusterDNS: [$dns_ip]
resolvConf: /run/resolv.conf
volumePluginDir: /run/volume-plugins
serializeImagePulls: false
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%, imagefs.inodesFree: 1%}
nodeStatusReportFrequency: 1m
kubeAPIQPS: 500
kubeAPIBurst: 1000
YAML
  run kubelet kubelet --config "$dir/run/kubelet.yaml" --kubeconfig "$keys/node.kubeconfig" \
    --hostname-override "$name" --node-ip "$node_ip" --root-dir /var/lib/kubelet --cert-dir "$dir/run"
}

start_proxy() {
  cat >"$dir/run/proxy.yaml" <<YAML
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
hostnameOverride: $name
clusterCIDR: $pods
bindAddress: 0.0.0.0
healthzBindAddress: ""
metricsBindAddress: ""
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
clientConnection: {kubeconfig: $keys/proxy.kubeconfig}
YAML
  run proxy kube-proxy --config "$dir/run/proxy.yaml"
}

start_dns() {
  cat >"$dir/run/Corefile" <<COREFILE
.:53 {
  bind $node_ip
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $keys/dns.kubeconfig
  }
}
COREFILE
  sed "s/DNS_IP/$dns_ip/; s/NODE_IP/$node_ip/" "$here/dns/objects.yaml" | $admin apply -f - >>"$dir/logs/node.log"
  run dns coredns -conf "$dir/run/Corefile"
}

start_node() {
  run scheduler kube-scheduler --kubeconfig "$keys/scheduler.kubeconfig" \
    --authentication-kubeconfig "$keys/scheduler.kubeconfig" --authorization-kubeconfig "$keys/scheduler.kubeconfig" \
    --bind-address 127.0.0.1 --cert-dir "$dir/run" --leader-elect=false
  if [ -n "${fresh-}" ]; then pause_image; fi
  start_kubelet
  start_proxy
  start_dns
  until $admin get node "$name" >/dev/null 2>&1; do sleep 0.1; done
  $admin wait --for=condition=Ready node/"$name" --timeout=120s
}
