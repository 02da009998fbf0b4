#!/usr/bin/env bash
# node.sh DIR: the first process of the node (see up.sh). Descriptor 3 is a socket that listens on the host's loopback,
# for the API server. Programs that only a node needs are started by kubelet.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
bin=$PTAH_CLUSTER_BIN
export PATH=$bin:/usr/sbin:/usr/bin:/sbin:/bin
unset KUBECONFIG

name=node
node_ip=192.168.77.1     # of the node's own network, which has no way out
pods=10.244.0.0/24
services=10.96.0.0/16
service_ip=10.96.0.1
dns_ip=10.96.0.10
keys=$dir/keys
port=$(cat "$dir/run/port")
inside=https://127.0.0.1:6443

run() { # run NAME COMMAND...: in the background, its output to a log
  local log=$dir/logs/$1.log
  shift
  "$@" >>"$log" 2>&1 3>&- </dev/null &
}
# For ever; bash reaps what the processes of containers leave behind.
stay() { date +%s.%N >"$dir/run/ready"; while :; do wait -n || true; sleep 0.2; done; }

# Mounts, private to the node. What programs keep under fixed paths goes to DIR or to memory, never to the host's folders.
mount --make-rshared /
mount -t proc proc /proc
for hidden in /run /var/lib /var/log; do mount -t tmpfs tmpfs "$hidden"; done

# Network: a loopback, and a bridge without ports that carries the node's address. No route leads out; the one for Services
# only lets a packet come as far as the proxy's rules.
hostname "$name"
ip link set lo up
ip link add node0 type bridge
ip addr add "$node_ip/24" dev node0
ip link set node0 up
ip route add "$services" dev node0

if [ ! -e "$keys/ca.crt" ]; then
  fresh=1
  cluster-tool keys --dir "$keys" --node "$name" --node-ip "$node_ip" --service-ip "$service_ip" \
    --inside "$inside" --outside "https://127.0.0.1:$port"
else
  # Started again: the host's port is another one.
  sed -i -E "s#(server: https://127.0.0.1:)[0-9]+#\1$port#" "$keys/admin.kubeconfig"
fi

if [ -z "${API_ONLY-}" ]; then
  # shellcheck source=kubelet.sh
  . "$here/kubelet.sh"
  prepare
fi

cluster-tool forward 127.0.0.1:6443 >>"$dir/logs/forward.log" 2>&1 </dev/null &
exec 3>&-

run etcd etcd --name node --data-dir "$dir/etcd" --unsafe-no-fsync \
  --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
  --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
  --initial-cluster node=http://127.0.0.1:2380 --log-level warn

run apiserver kube-apiserver \
  --advertise-address "$node_ip" --bind-address 0.0.0.0 --secure-port 6443 \
  --etcd-servers http://127.0.0.1:2379 --cert-dir "$dir/run" \
  --client-ca-file "$keys/ca.crt" --tls-cert-file "$keys/apiserver.crt" --tls-private-key-file "$keys/apiserver.key" \
  --service-cluster-ip-range "$services" --allow-privileged=true \
  --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
  --service-account-issuer https://kubernetes.default.svc.cluster.local \
  --service-account-key-file "$keys/sa.pub" --service-account-signing-key-file "$keys/sa.key" \
  --kubelet-certificate-authority "$keys/ca.crt" --kubelet-preferred-address-types InternalIP \
  --kubelet-client-certificate "$keys/apiserver-kubelet-client.crt" \
  --kubelet-client-key "$keys/apiserver-kubelet-client.key" \
  --requestheader-client-ca-file "$keys/front-proxy-ca.crt" --requestheader-allowed-names front-proxy-client \
  --requestheader-extra-headers-prefix X-Remote-Extra- --requestheader-group-headers X-Remote-Group \
  --requestheader-username-headers X-Remote-User \
  --proxy-client-cert-file "$keys/front-proxy-client.crt" --proxy-client-key-file "$keys/front-proxy-client.key" \
  ${APISERVER_ARGS-}

if [ -z "${API_ONLY-}" ]; then start_containerd; fi
cluster-tool wait 120 "$keys" "$inside" /readyz
date +%s.%N >"$dir/run/api-ready"

# The default limits of its client make its start five seconds longer.
run controller-manager kube-controller-manager --kubeconfig "$keys/controller-manager.kubeconfig" \
  --authentication-kubeconfig "$keys/controller-manager.kubeconfig" \
  --authorization-kubeconfig "$keys/controller-manager.kubeconfig" \
  --bind-address 127.0.0.1 --cert-dir "$dir/run" --leader-elect=false --use-service-account-credentials \
  --service-account-private-key-file "$keys/sa.key" --root-ca-file "$keys/ca.crt" \
  --cluster-signing-cert-file "$keys/ca.crt" --cluster-signing-key-file "$keys/ca.key" \
  --requestheader-client-ca-file "$keys/front-proxy-ca.crt" \
  --service-cluster-ip-range "$services" --kube-api-qps 500 --kube-api-burst 1000 ${CONTROLLER_MANAGER_ARGS-}

if [ -z "${API_ONLY-}" ]; then start_node; fi
cluster-tool wait 120 "$keys" "$inside" /api/v1/namespaces/default/serviceaccounts/default
stay
