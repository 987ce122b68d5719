# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# etcd, kube-apiserver, kube-controller-manager and kube-scheduler.

# (each cluster has twenty ports of each kind for itself)
ETCD_PORT=$((2379 + 20 * (CLUSTER - 1)))
ETCD_PEER_PORT=$((ETCD_PORT + 1))
API_PORT=$((6443 + 20 * (CLUSTER - 1)))
CONTROLLER_MANAGER_PORT=$((10257 + 20 * (CLUSTER - 1)))
SCHEDULER_PORT=$((10259 + 20 * (CLUSTER - 1)))
ETCD_URL=http://127.0.0.1:$ETCD_PORT
# shellcheck disable=SC2034 # used by other parts
CONTROL_PLANE=(etcd apiserver controller-manager scheduler)

# API servers are numbered: number 1 is all components', others, beside it, are for who
# wants one that can fail.
api_name() { (($1 == 1)) && echo apiserver || echo "apiserver-$1"; }
api_port() { echo $((API_PORT + $1 - 1)); }
api_kubeconfig() { (($1 == 1)) && echo "$ADMIN" || echo "${ADMIN/%.kubeconfig/-$1.kubeconfig}"; }

# api PATH [NUMBER]: asks the API server, as its administrator
api() {
	curl -sf --max-time 3 --cacert "$PKI_DIR/ca.crt" --cert "$PKI_DIR/admin.crt" \
		--key "$PKI_DIR/admin.key" "https://127.0.0.1:$(api_port "${2:-1}")$1"
}

# Somebody else's etcd or API server would be taken for ours.
check_ports() {
	local port
	for port in $ETCD_PORT $ETCD_PEER_PORT $API_PORT $CONTROLLER_MANAGER_PORT $SCHEDULER_PORT; do check_port "$port"; done
}

check_port() {
	[[ ! $(ss -Hltn "sport = :$1") ]] ||
		die "TCP port $1 is in use by another program; the cluster needs it"
}

# Sets GATES and APIS, arguments of servers: what the tests need and the release has, but
# does not have on by itself. Dynamic resource allocation is on by itself from 1.34 on.
set_gates() {
	local gates='' apis=''
	GATES=() APIS=()
	[[ $OWNER_GATES != none ]] || return 0
	case $OWNER_RELEASE in
	1.33)
		gates=DynamicResourceAllocation=true
		apis=resource.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true
		;;
	1.37)
		gates=GenericWorkload=true,TopologyAwareWorkloadScheduling=true
		gates+=,DRAWorkloadResourceClaims=true,WorkloadWithJob=true
		apis=scheduling.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha3=true
		;;
	esac
	GATES=("--feature-gates=$gates") APIS=("--runtime-config=$apis")
}

start_etcd() {
	spawn etcd etcd --name slurm-k8s --data-dir "$RUN_DIR/etcd" \
		--logger zap --log-level warn \
		--listen-client-urls "$ETCD_URL" --advertise-client-urls "$ETCD_URL" \
		--listen-peer-urls "http://127.0.0.1:$ETCD_PEER_PORT" \
		--initial-advertise-peer-urls "http://127.0.0.1:$ETCD_PEER_PORT" \
		--initial-cluster "slurm-k8s=http://127.0.0.1:$ETCD_PEER_PORT"
}

# start_apiserver NUMBER [PREFIX]: (it waits for etcd by itself; with a PREFIX of its own there
# it is that of another cluster.)  The advertised address must not be loopback; one port stands
# for all.
start_apiserver() {
	local issuer=https://kubernetes.default.svc reconciler=none
	set_gates
	(($1 != 1)) || reconciler=lease
	spawn "$(api_name "$1")" kube-apiserver "${GATES[@]}" "${APIS[@]}" --etcd-servers "$ETCD_URL" \
		--etcd-prefix "${2:-/registry}" --bind-address 0.0.0.0 --secure-port "$(api_port "$1")" --advertise-address "$HOST_IP" \
		--endpoint-reconciler-type "$reconciler" \
		--cert-dir "$RUN_DIR/etcd" \
		--tls-cert-file "$PKI_DIR/apiserver.crt" \
		--tls-private-key-file "$PKI_DIR/apiserver.key" \
		--client-ca-file "$PKI_DIR/ca.crt" \
		--kubelet-client-certificate "$PKI_DIR/kubelet-client.crt" \
		--kubelet-client-key "$PKI_DIR/kubelet-client.key" \
		--kubelet-preferred-address-types InternalIP \
		--service-account-issuer "$issuer" --api-audiences "$issuer" \
		--service-account-signing-key-file "$PKI_DIR/sa.key" \
		--service-account-key-file "$PKI_DIR/sa.pub" \
		--delete-collection-workers 8 \
		--authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
		--allow-privileged=true --service-cluster-ip-range "$SERVICE_CIDR" --profiling=false
}

wait_apiserver() {
	until_ok 120 api /readyz "$1" && return
	show_log "$(api_name "$1")"
	die "kube-apiserver does not get ready"
}

# The default limits of the rate of requests would delay the tokens of
# ServiceAccounts by seconds.  A node is Unknown 16 s after it was last heard of.
start_controller_manager() {
	local conf=$PKI_DIR/controller-manager.kubeconfig
	set_gates
	spawn controller-manager kube-controller-manager "${GATES[@]}" --kubeconfig "$conf" \
		--authentication-kubeconfig "$conf" --authorization-kubeconfig "$conf" \
		--service-account-private-key-file "$PKI_DIR/sa.key" --root-ca-file "$PKI_DIR/ca.crt" \
		--cluster-signing-cert-file "$PKI_DIR/ca.crt" \
		--cluster-signing-key-file "$PKI_DIR/ca.key" \
		--use-service-account-credentials --leader-elect=false \
		--bind-address 127.0.0.1 --secure-port "$CONTROLLER_MANAGER_PORT" --profiling=false \
		--kube-api-qps 200 --kube-api-burst 400 \
		--node-monitor-period 2s --node-monitor-grace-period 16s
}

start_scheduler() {
	local conf=$PKI_DIR/scheduler.kubeconfig
	set_gates
	spawn scheduler kube-scheduler "${GATES[@]}" --kubeconfig "$conf" \
		--authentication-kubeconfig "$conf" --authorization-kubeconfig "$conf" \
		--leader-elect=false --bind-address 127.0.0.1 --secure-port "$SCHEDULER_PORT" --profiling=false
}

default_account_exists() { api /api/v1/namespaces/default/serviceaccounts/default >/dev/null; }

start_control_plane() {
	local start
	start=$(now)
	start_etcd
	start_apiserver 1
	wait_apiserver 1
	say "etcd and kube-apiserver ready after $(since "$start")"
	start_controller_manager
	start_scheduler
	# until then pods are refused
	until_ok 60 default_account_exists || {
		show_log controller-manager
		die "the default ServiceAccount is not made"
	}
	say "kube-controller-manager and kube-scheduler at work after $(since "$start")"
}

# is_gone REVISION: does the API server answer 410 to who asks for that state?
is_gone() {
	[[ $(curl -s -o /dev/null -w '%{http_code}' --max-time 3 --cacert "$PKI_DIR/ca.crt" \
		--cert "$PKI_DIR/admin.crt" --key "$PKI_DIR/admin.key" \
		"https://127.0.0.1:$API_PORT/api/v1/configmaps?limit=1&resourceVersion=$1&resourceVersionMatch=Exact") = 410 ]]
}

# Makes etcd forget all former states: a request that names an older
# resourceVersion gets 410 Gone from now on. API servers answer from memory, too, until
# they have seen in compact_rev_key, which their own compaction writes, what is gone.
compact_etcd() {
	local revision
	revision=$(etcdctl --endpoints "$ETCD_URL" get / --prefix --limit 1 --keys-only -w json |
		jq .header.revision)
	etcdctl --endpoints "$ETCD_URL" put compact_rev_key "$revision" >/dev/null
	etcdctl --endpoints "$ETCD_URL" compact "$revision"
	until_ok 60 is_gone $((revision - 1)) || die "the API server still knows former states"
}
