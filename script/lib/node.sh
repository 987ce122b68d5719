# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Nodes.  A node is a "machine" of namespaces: network (own address, the usual
# ports), mount (own /run, /var/log), host name, IPC and processes.  Its process
# 1 is the pause program; when that is killed the kernel ends everything in it,
# as a power cut does, and network and mounts are gone with it.  In it run
# containerd and a kubelet, with the runtime runc and CNI's bridge.
#
# Node N of cluster 1 is named k8s-N, has the address 10.89.0.(10+N) and the pods
# 10.244.N.0/24; those of cluster 2 have 10.90.0.(10+N) and 10.245.N.0/24, and so on.
# Host and nodes reach each other's pods by plain routes; nodes
# have no default route, so nothing they do leaves this machine.

NODES_NET=10.$((88 + CLUSTER)).0
PODS_NET=10.$((243 + CLUSTER))
# (the first cluster's: where slurmctld is, also for nodes of the others)
MACHINE_NET=10.89.0.0/24
HOST_IP=$NODES_NET.1
SERVICE_CIDR=10.96.0.0/16
SERVICE_API_IP=10.96.0.1
BRIDGE=k8sbr$((CLUSTER - 1))
# (control groups and links have it in their names: they exist once on a machine)
UNIT=k8s$SUFFIX
# shellcheck disable=SC2034 # used by other parts
MAX_NODES=50

node_ip() { echo "$NODES_NET.$((10 + $1))"; }
node_dir() { echo "$RUN_DIR/k8s-$1"; }
node_socket() { echo "$RUN_DIR/k8s-$1/containerd.sock"; }

# in_node N COMMAND...
in_node() {
	local n=$1 pid
	shift
	pid=$(pid_of "k8s-$n") || die "node k8s-$n does not run"
	nsenter -t "$pid" -m -u -i -n -p "$@"
}

# exec_in_node N COMMAND...: for the user; ctr knows where to look
exec_in_node() {
	local n=$1
	shift
	export CONTAINERD_ADDRESS CONTAINERD_NAMESPACE=k8s.io
	CONTAINERD_ADDRESS=$(node_socket "$n")
	in_node "$n" "$@"
}

# Every mounted hierarchy of control groups
cgroup_mounts() { awk '$3 ~ /^cgroup/ { print $2 }' /proc/self/mounts; }

# Where libcni and the kubelet keep things in any case, whatever they are told.
# Each node mounts a directory of its own over it; for that it must exist.
FIXED_DIRS=(/var/lib/cni /var/lib/kubelet)

link_exists() { ip link show dev "$1" >/dev/null 2>&1; }

make_fixed_dirs() {
	local dir
	for dir in "${FIXED_DIRS[@]}"; do
		[[ ! -d $dir ]] || continue
		touch "$RUN_DIR/made-${dir##*/}"
		mkdir "$dir"
	done
}

remove_fixed_dirs() {
	local dir
	for dir in "${FIXED_DIRS[@]}"; do
		[[ ! -e $RUN_DIR/made-${dir##*/} ]] || rmdir "$dir" 2>/dev/null || true
	done
}

# Each kubelet and containerd has some; Linux grants a user 128.
INOTIFY_INSTANCES=8192

INOTIFY_LIMIT=/proc/sys/fs/inotify/max_user_instances
# What it was before the first cluster of this machine, whose last one restores it
INOTIFY_BEFORE=/run/slurm-k8s-inotify-instances

raise_limit() {
	# (what a machine that went down has left says nothing of this one)
	other_clusters || rm -f $INOTIFY_BEFORE
	(($(<$INOTIFY_LIMIT) < INOTIFY_INSTANCES)) || return 0
	cp $INOTIFY_LIMIT $INOTIFY_BEFORE
	echo $INOTIFY_INSTANCES >$INOTIFY_LIMIT
}

other_clusters() { find /run -maxdepth 1 -name 'slurm-k8s-cluster*' ! -path "$OWNER_FILE" | grep -q .; }

HUGE_PAGES=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages

# set_huge_pages COUNT: the machine reserves so many of 2 MiB, until restore_huge_pages
set_huge_pages() {
	local before=$RUN_DIR/huge-pages
	[[ -w $HUGE_PAGES ]] || die "this machine has no huge pages of 2 MiB: $HUGE_PAGES cannot be written"
	[[ -s $before ]] || cp "$HUGE_PAGES" "$before"
	echo "$1" >"$HUGE_PAGES"
	# (the kernel gives as many as it finds room for, and says nothing)
	(($(<"$HUGE_PAGES") == $1)) || die "this machine has room for $(<"$HUGE_PAGES") huge pages only"
}

restore_huge_pages() {
	[[ ! -s $RUN_DIR/huge-pages ]] || cat "$RUN_DIR/huge-pages" >"$HUGE_PAGES"
}

# restore_limit: by the last cluster, which has ended
restore_limit() {
	if [[ -s $INOTIFY_BEFORE ]] && ! other_clusters; then
		cat $INOTIFY_BEFORE >$INOTIFY_LIMIT
		rm $INOTIFY_BEFORE
	fi
}

make_bridge() {
	ip link add "$BRIDGE" type bridge
	ip addr add "$HOST_IP/24" dev "$BRIDGE"
	ip link set "$BRIDGE" up
}

remove_bridge() { ! link_exists "$BRIDGE" || ip link del "$BRIDGE"; }

# init_node N DIRECTORY PAUSE: runs in the new namespaces and becomes the node's
# process 1.
init_node() {
	local f
	hostname "k8s-$1"
	mount --make-rshared /
	mount -t tmpfs tmpfs /run
	# the kubelet sets these for the whole machine: files of its own to write to
	for f in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops \
		kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
		[[ -e /proc/sys/$f ]] || continue
		mkdir -p "$2/sysctl/${f%/*}"
		cat "/proc/sys/$f" >"$2/sysctl/$f"
		mount --bind "$2/sysctl/$f" "/proc/sys/$f"
	done
	mount --bind "$2/log" /var/log
	for f in "${FIXED_DIRS[@]}"; do
		mount --bind "$2/fixed/${f##*/}" "$f"
	done
	exec "$3"
}

# Starts the namespaces and records their process 1 as k8s-N.
start_init() {
	local n=$1 dir parent
	dir=$(node_dir "$n")
	spawn "k8s-$n-init" unshare --net --mount --uts --ipc --pid --fork --kill-child \
		--mount-proc --propagation private \
		bash -c "set -e; $(declare -p FIXED_DIRS); $(declare -f init_node); init_node \"\$@\"" \
		init "$n" "$dir" "$RUN_DIR/bin/pause"
	# (before it is the pause program it is still mounting)
	if ! parent=$(pid_of "k8s-$n-init") || ! until_ok 10 pgrep -P "$parent" -x pause; then
		show_log "k8s-$n-init"
		die "the namespaces of node k8s-$n could not be made"
	fi
	record "k8s-$n" "$(pgrep -P "$parent" -x pause)"
}

# connect_node N NODES: its network
connect_node() {
	local n=$1 dir pid ip other chain
	local -a net
	ip=$(node_ip "$n")
	pid=$(pid_of "k8s-$n")
	net=(nsenter -t "$pid" -n)
	ip link add "v$UNIT-$n" type veth peer name eth0 netns "$pid"
	ip link set "v$UNIT-$n" master "$BRIDGE" up
	ip route replace "$PODS_NET.$n.0/24" via "$ip" dev "$BRIDGE"
	"${net[@]}" ip -b - <<-EOF
	link set lo up
	addr add $ip/24 dev eth0
	link set eth0 up
	route add $SERVICE_CIDR via $HOST_IP
	EOF
	((CLUSTER == 1)) || "${net[@]}" ip route add "$MACHINE_NET" via "$HOST_IP"
	for ((other = 1; other <= $2; other++)); do
		((other == n)) || "${net[@]}" ip route add "$PODS_NET.$other.0/24" via "$(node_ip "$other")"
	done
	"${net[@]}" sysctl -qw net.ipv4.ip_forward=1
	# No kube-proxy runs.  The Service that pods need is the API's: one rule for
	# pods, one for those that use the node's network.
	for chain in PREROUTING OUTPUT; do
		in_node "$n" iptables-legacy -w 10 -t nat -A "$chain" -d "$SERVICE_API_IP" -p tcp --dport 443 \
			-j DNAT --to-destination "$HOST_IP:$API_PORT"
	done
}

write_cni_config() {
	cat >"$2/cni/10-bridge.conflist" <<-EOF
	{"cniVersion": "1.0.0", "name": "k8s", "plugins": [
	 {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
	  "ipam": {"type": "host-local", "dataDir": "$2/ipam",
	   "ranges": [[{"subnet": "$PODS_NET.$1.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
	EOF
}

# restrict_oom_score_adj: containers then start without CAP_SYS_RESOURCE too,
# which virtual machines and containers may lack.
write_containerd_config() {
	local p=io.containerd
	cat >"$2/containerd.toml" <<-EOF
	version = 3
	root = "$2/root"
	state = "$2/state"
	oom_score = 0
	disabled_plugins = ["$p.snapshotter.v1.blockfile", "$p.snapshotter.v1.btrfs",
	  "$p.snapshotter.v1.devmapper", "$p.snapshotter.v1.erofs", "$p.snapshotter.v1.zfs",
	  "$p.internal.v1.opt", "$p.nri.v1.nri"]
	[grpc]
	  address = "$2/containerd.sock"
	[ttrpc]
	  address = "$2/containerd.sock.ttrpc"
	[plugins."$p.cri.v1.images"]
	  snapshotter = "overlayfs"
	  [plugins."$p.cri.v1.images".pinned_images]
	    sandbox = "localhost/pause:1"
	[plugins."$p.cri.v1.runtime"]
	  restrict_oom_score_adj = true
	  disable_apparmor = true
	  netns_mounts_under_state_dir = true
	  [plugins."$p.cri.v1.runtime".cni]
	    bin_dirs = ["$RUN_DIR/bin"]
	    conf_dir = "$2/cni"
	  [plugins."$p.cri.v1.runtime".containerd]
	    default_runtime_name = "runc"
	    [plugins."$p.cri.v1.runtime".containerd.runtimes.runc]
	      runtime_type = "io.containerd.runc.v2"
	      [plugins."$p.cri.v1.runtime".containerd.runtimes.runc.options]
	        BinaryName = "$RUN_DIR/bin/runc"
	        SystemdCgroup = false
	[plugins."$p.grpc.v1.cri"]
	  stream_server_address = "127.0.0.1"
	EOF
}

# What differs from the defaults, and why:
# cgroupRoot       one each: a kubelet removes the groups of pods it does not know
# oomScoreAdj      the default, -999, needs CAP_SYS_RESOURCE
# maxOpenFiles     no more than the limit we have
# imageGC, evict   images are never collected: nothing could pull them again
# kubeAPI*, node*  the defaults make bursts of pods, and a node's start, crawl
#                  (but each update of the status is a request)
# resolvConf       there is no cluster DNS: names fail at once, not after a delay
# failCgroupV1     the tests' machines may have control groups of the first version
write_kubelet_config() {
	local files
	files=$(ulimit -Hn)
	[[ $files != unlimited && $files -lt 1000000 ]] || files=1000000
	echo nameserver 127.0.0.1 >"$2/resolv.conf"
	cat >"$2/kubelet.yaml" <<-EOF
	apiVersion: kubelet.config.k8s.io/v1beta1
	kind: KubeletConfiguration
	authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $PKI_DIR/ca.crt}}
	authorization: {mode: Webhook}
	cgroupDriver: cgroupfs
	failCgroupV1: false
	containerRuntimeEndpoint: unix://$2/containerd.sock
	volumeStatsAggPeriod: 5s
	cgroupRoot: /$UNIT-$1
	cgroupsPerQOS: true
	oomScoreAdj: 0
	failSwapOn: false
	address: 0.0.0.0
	healthzPort: 10248
	readOnlyPort: 0
	clusterDNS: []
	imageGCHighThresholdPercent: 100
	evictionHard: {memory.available: 100Mi, nodefs.available: 200Mi, imagefs.available: 200Mi}
	evictionPressureTransitionPeriod: 10s
	nodeStatusUpdateFrequency: 4s
	nodeStatusReportFrequency: 10s
	nodeLeaseDurationSeconds: 16
	syncFrequency: 10s
	kubeAPIQPS: 100
	kubeAPIBurst: 200
	fileCheckFrequency: 1h
	serializeImagePulls: false
	enableControllerAttachDetach: false
	volumePluginDir: $2/volumeplugins
	resolvConf: $2/resolv.conf
	maxOpenFiles: $files
	EOF
}

# The kubelet wants its group to exist, a cpuset with its CPUs filled in.
make_cgroups() {
	local dir f
	for dir in $(cgroup_mounts); do
		mkdir -p "$dir/$UNIT-$1"
		[[ -e $dir/cpuset.cpus ]] || continue
		for f in cpuset.cpus cpuset.mems; do
			cat "$dir/$f" >"$dir/$UNIT-$1/$f"
		done
	done
}

remove_cgroups() {
	local dir
	for dir in $(cgroup_mounts); do
		[[ -d $dir/$UNIT-$1 ]] || continue
		# (a group stays busy until the last of its dead processes is buried)
		until_ok 10 find "$dir/$UNIT-$1" -depth -type d -exec rmdir {} + ||
			warn "the control group $dir/$UNIT-$1 could not be removed"
	done
}

# start_in_node N NAME COMMAND...: recorded is nsenter, which stays as parent. (Go's threads
# that look for something to do are a third of what an idle node costs.)
start_in_node() {
	local n=$1 name=$2
	shift 2
	GOMAXPROCS=1 spawn "k8s-$n-$name" nsenter -t "$(pid_of "k8s-$n")" -m -u -i -n -p "$@"
}

start_containerd() {
	start_in_node "$1" containerd containerd --config "$(node_dir "$1")/containerd.toml" --log-level info
	until_ok 30 ctr -a "$(node_socket "$1")" --connect-timeout 1s version || {
		show_log "k8s-$1-containerd"
		die "containerd of node k8s-$1 does not answer"
	}
}

start_kubelet() {
	local dir
	dir=$(node_dir "$1")
	set_gates
	start_in_node "$1" kubelet kubelet "${GATES[@]}" --config "$dir/kubelet.yaml" \
		--kubeconfig "$PKI_DIR/k8s-$1.kubeconfig" \
		--hostname-override "k8s-$1" --node-ip "$(node_ip "$1")" \
		--root-dir "$dir/kubelet" --cert-dir "$dir/kubelet/pki"
}

node_ready() {
	api "/api/v1/nodes/k8s-$1" |
		jq -e '.status.conditions[] | select(.type == "Ready") | .status == "True"' >/dev/null
}

# node_heard N MOMENT: Ready, and the kubelet has said so since.  (After a power
# cut the API server still has the old word for a while.)
node_heard() {
	local lease=/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases
	api "$lease/k8s-$1" | jq -e --arg t "$2" '.spec.renewTime >= $t' >/dev/null || return 1
	api "/api/v1/nodes/k8s-$1" | jq -e --arg t "${2%.*}Z" '.status.conditions[] |
		select(.type == "Ready") | .status == "True" and .lastHeartbeatTime >= $t' >/dev/null
}

# start_kubelet_and_wait N
start_kubelet_and_wait() {
	local moment
	moment=$(date -u +%FT%T.%6NZ)
	start_kubelet "$1"
	until_ok 90 node_heard "$1" "$moment" && return
	show_log "k8s-$1-kubelet"
	die "node k8s-$1 does not get Ready"
}

# start_node N NODES [IMAGE...]
start_node() {
	local n=$1 nodes=$2 dir start image
	shift 2
	start=$(now)
	dir=$(node_dir "$n")
	# what a machine keeps in memory does not survive a power cut
	rm -rf --one-file-system "$dir/state" "$dir"/containerd.sock*
	mkdir -p "$dir"/{root,state,kubelet,cni,log/pods,log/containers,volumeplugins}
	mkdir -p "${FIXED_DIRS[@]/#*\//$dir/fixed/}"
	write_cni_config "$n" "$dir"
	write_containerd_config "$n" "$dir"
	write_kubelet_config "$n" "$dir"
	start_init "$n"
	connect_node "$n" "$nodes"
	make_cgroups "$n"
	start_containerd "$n"
	for image; do
		import_image "$n" "$image"
	done
	say "node k8s-$n: containerd runs, images imported after $(since "$start")"
	start_kubelet_and_wait "$n"
	say "node k8s-$n: Ready after $(since "$start")"
}

# stop_node N: the power cut.  Its disk, with images and logs, is kept.
stop_node() {
	# (process 1 alone first: it is gone when all of the node is buried, and
	# the others are the parents who do that)
	halt "k8s-$1"
	halt "k8s-$1-init" "k8s-$1-containerd" "k8s-$1-kubelet" "k8s-$1-devices"
	ip link del "v$UNIT-$1" 2>/dev/null || true
	remove_cgroups "$1"
}

# The kubelet alone; its pods go on.
stop_kubelet() {
	local parent pid
	parent=$(pid_of "k8s-$1-kubelet") || die "the kubelet of node k8s-$1 does not run"
	pid=$(pgrep -P "$parent" -x kubelet) || true
	[[ ! $pid ]] || kill -KILL "$pid"
	halt "k8s-$1-kubelet"
}

# offers N COUNT: what the kubelet says of nvidia.com/gpu
offers() {
	api "/api/v1/nodes/k8s-$1" |
		jq -e --arg n "$2" '.status.allocatable["nvidia.com/gpu"] == $n' >/dev/null
}

# Devices that are not there (tests/kubernetes/devices), until stop_devices or the power cut
start_devices() {
	start_in_node "$1" devices "$DEVICES_BIN/devices" --node "k8s-$1" --kubelet-dir "$(node_dir "$1")/kubelet" \
		--kubeconfig "$PKI_DIR/k8s-$1.kubeconfig"
	until_ok 90 offers "$1" 8 && return
	show_log "k8s-$1-devices"
	die "node k8s-$1 does not offer its devices"
}

# (told to end, it takes its sockets away, and the kubelet knows; but what it has published the
# kubelet removes after a while only, and the scheduler would give it away until then)
stop_devices() {
	local parent pid
	parent=$(pid_of "k8s-$1-devices") || die "node k8s-$1 has no devices"
	pid=$(pgrep -P "$parent" -x devices) && kill -TERM "$pid"
	until_ok 90 offers "$1" 0 || warn "node k8s-$1 offers its devices still"
	halt "k8s-$1-devices"
	kubectl --kubeconfig "$ADMIN" delete resourceslices --field-selector "spec.nodeName=k8s-$1" >/dev/null ||
		warn "what node k8s-$1 has published could not be removed"
}
