# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of the bridge share: its namespaces, rights, nodes and pods.
# shellcheck source=tests/e2e/common.bash
. "$TOP/tests/e2e/common.bash"
# shellcheck source=tests/e2e/log.bash
. "$TOP/tests/e2e/log.bash"

TEAM=$SITE_NS-team # may enter
POOR=$SITE_NS-poor # may not

kteam() { kube -n "$TEAM" "$@"; }
external() { [[ $SITE_RELEASE = 26.05 ]]; }

# The site with a bridge; bridge_down puts it back
bridge_up() {
	local f=$SITE/bridge.yaml
	sed -e "s/^\( *namespace:\) slurm$/\1 $SITE_NS/" \
		-e "s/^\( *name: slurmctld-bridge\)$/\1-$SITE_NS/" "$TOP/etc/kubernetes/bridge.yaml" >"$f"
	kube apply -f "$f" >/dev/null
	kube create namespace "$TEAM" >/dev/null
	kube create namespace "$POOR" >/dev/null
	cp "$SITE/slurm.conf" "$SITE/slurm.conf.plain"
	cp "$SITE/k8s.yaml" "$SITE/k8s.yaml.plain"
	cat >>"$SITE/k8s.yaml" <<-Y

	bridge:
	  cluster: prod
	  partition: k8s
	  exclusive: false
	  namespaces:
	    $TEAM:
	      user: $SITE_USER
	      options: [hold, begin, dependency]
	Y
	external || hybrid_conf
	sed -i 's/^SlurmctldDebug=.*/SlurmctldDebug=debug/' "$SITE/slurm.conf"
	if external; then
		cat >>"$SITE/slurm.conf" <<-C
		MaxNodeCount=1024
		SuspendExcParts=k8s
		NodeSet=k8s Feature=k8s-external
		PartitionName=k8s Nodes=k8s MaxTime=INFINITE State=UP
		C
	fi
	slurmctld_stop
	slurmctld_start
	external || hybrid_up
	if external; then kube label node k8s-1 k8s-2 slurm-k8s.io/external-node= --overwrite >/dev/null; fi
	wait_for 40 "the nodes to be Slurm's" nodes_are k8s-1,k8s-2 idle
}

# Before 25.05 nodes have a slurmd beside the kubelet: both on this machine
hybrid_conf() {
	mkdir -p "$SITE/spool"
	sed -i -e "s#^SlurmdSpoolDir=.*#SlurmdSpoolDir=$SITE/spool/%n#" \
		-e "s#^SlurmdLogFile=.*#SlurmdLogFile=$SITE/log/%n.log#" "$SITE/slurm.conf"
	cat >>"$SITE/slurm.conf" <<-C
	SlurmdPidFile=$SITE/spool/%n.pid
	NodeName=k8s-[1-2] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[$(free_port),$(free_port)] CPUs=2 RealMemory=1000
	PartitionName=k8s Nodes=k8s-[1-2] MaxTime=INFINITE State=UP
	SuspendExcParts=k8s
	C
}

hybrid_up() {
	local n
	for n in k8s-1 k8s-2; do
		(exec_inside slurmd -D -N $n -f "$SITE/slurm.conf") >>"$SITE/log/slurmd.out" 2>&1 </dev/null 3>&- 9>&- &
		echo $! >"$SITE/$n.pid"
	done
}

bridge_down() {
	kube delete node wide-1 >/dev/null 2>&1 || true
	kube delete namespace "$TEAM" "$POOR" --wait=false >/dev/null 2>&1 || true
	kube label node k8s-1 k8s-2 slurm-k8s.io/external-node- >/dev/null 2>&1 || true
	slurmctld_stop
	end_process "$SITE/k8s-1.pid" TERM
	end_process "$SITE/k8s-2.pid" TERM
	kube delete -f "$SITE/bridge.yaml" >/dev/null 2>&1 || true
	mv "$SITE/slurm.conf.plain" "$SITE/slurm.conf"
	mv "$SITE/k8s.yaml.plain" "$SITE/k8s.yaml"
	slurmctld_start
}

# a_pod NAME COMMAND [LABELS [CPU]]: a pod for Slurm's queue
a_pod() {
	cat <<-P
	apiVersion: v1
	kind: Pod
	metadata:
	  name: $1
	  labels: {test: bridge${3:+, $3}}
	spec:
	  schedulerName: slurm-bridge-scheduler
	  restartPolicy: Never
	  terminationGracePeriodSeconds: 1
	  containers:
	    - name: main
	      image: $SITE_IMAGE
	      command: [/bin/sh, -c, "trap 'exit 143' TERM; $2"]
	      resources: {requests: {cpu: "${4:-1}", memory: 16Mi}}
	---
	P
}
pod_is() { [[ $(kteam get pod "$1" -o "jsonpath={.status.phase}") = "$2" ]]; }
pod_node() { kteam get pod "$1" -o 'jsonpath={.spec.nodeName}'; }
pod_gone() { ! kteam get pod "$1" >/dev/null 2>&1; }
pod_says() { # NAMESPACE NAME WORDS: in PodScheduled=False
	kube -n "$1" get pod "$2" -o 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].status} {.status.conditions[?(@.type=="PodScheduled")].message}' | grep -q "^False .*$3"
}
# job_of NAME: the id of its placeholder, by its name in Slurm
job_of() { as_user squeue -h -n "$1" -t all -o %i | sort -n | tail -n 1; }

bridge_clean() {
	kteam delete pods --all --grace-period=0 --force >/dev/null 2>&1 || true
	kube -n "$POOR" delete pods --all --grace-period=0 --force >/dev/null 2>&1 || true
	as_slurm scancel --user="$SITE_USER" >/dev/null 2>&1 || true
	wait_for 30 "no job" no_jobs
}
no_jobs() { [[ ! $(as_user squeue -h) ]]; }

# big_node NAME CPUS: a node without a kubelet, for many pods that need not run
big_node() {
	kube apply -f - >/dev/null <<-N
	apiVersion: v1
	kind: Node
	metadata: {name: $1, labels: {slurm-k8s.io/external-node: ""}}
	N
	local now
	now=$(date -u +%FT%TZ)
	curl -s --cacert "$SITE/ca.crt" --cert "$SITE/admin.crt" --key "$SITE/admin.key" -X PATCH \
		-H 'Content-Type: application/strategic-merge-patch+json' "$(kube config view --raw --minify -o jsonpath='{.clusters[0].cluster.server}')/api/v1/nodes/$1/status" \
		-d '{"status":{"allocatable":{"cpu":"'"$2"'","memory":"64Gi","pods":"2000"},"capacity":{"cpu":"'"$2"'","memory":"64Gi","pods":"2000"},"conditions":[{"type":"Ready","status":"True","reason":"Test","lastHeartbeatTime":"'"$now"'","lastTransitionTime":"'"$now"'"}]}}' >/dev/null
}
admin_keys() {
	local what
	for what in certificate-authority-data:ca.crt:clusters[0].cluster client-certificate-data:admin.crt:users[0].user client-key-data:admin.key:users[0].user; do
		IFS=: read -r key file where <<<"$what"
		kube config view --raw --minify --flatten -o "jsonpath={.$where.$key}" | base64 -d >"$SITE/$file"
	done
}
all_bound() { [[ $(kteam get pods -o 'jsonpath={range .items[*]}{.spec.nodeName}{"\n"}{end}' | grep -c .) -eq $1 ]]; }

eval "$(declare -f gave_up | sed '1s/gave_up/site_gave_up/')"
gave_up() {
	site_gave_up
	[[ ${WAIT_MAX:-} ]] || timeout 20 kubectl --kubeconfig "$SITE_KUBE" -n "$TEAM" get pods -o wide >&2 || true
}
