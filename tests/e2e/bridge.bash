# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of the bridge share: its namespaces, rights, nodes and pods.
# shellcheck source=tests/e2e/common.bash
. "$TOP/tests/e2e/common.bash"
# shellcheck source=tests/e2e/log.bash
. "$TOP/tests/e2e/log.bash"
# shellcheck source=tests/e2e/controllers.bash
. "$TOP/tests/e2e/controllers.bash"
# shellcheck source=script/lib/site-bridge.sh
. "$TOP/script/lib/site-bridge.sh"

# (each file its own: Kubernetes takes its time to delete a namespace)
FILE=${BATS_TEST_FILENAME##*/} FILE=${FILE%.bats}
TEAM=$SITE_NS-${FILE//_/-} # may enter
POOR=$TEAM-poor            # may not

# BRIDGE_PAIR (1): which two Kubernetes nodes are these tests' own: from this one on
ONE=k8s-${BRIDGE_PAIR:-1} TWO=k8s-$((${BRIDGE_PAIR:-1} + 1))
PAIR=$ONE,$TWO
BIG=wide-${BRIDGE_PAIR:-1} # one more, without a kubelet
# (another bridge, beside these tests, would tell their pods that they may not enter)
SCHEDULER=slurm-tests-${BRIDGE_PAIR:-1}
# (nor may its nodes become external ones of another: nodes with the label that is the
# default are so for each bridge)
LABEL=slurm-k8s.io/external-node${BRIDGE_PAIR:+-$BRIDGE_PAIR}

kteam() { kube -n "$TEAM" "$@"; }
external() { site_has_external; }
# Kubernetes' own
there_are_podgroups() { kube get --raw /apis/scheduling.k8s.io/v1beta1 2>/dev/null | grep -q '"podgroups"'; }

# The site with a bridge; bridge_down puts it back
#   BRIDGE_CONF   further lines of slurm.conf
#   BRIDGE_TEAM   what $TEAM may ask for, in k8s.yaml
#   BRIDGE_NODES  nodes: of k8s.yaml
#   BRIDGE_WIDE   CPUs of one more node, $BIG, whose kubelet is played by
#                 big_node() or kubelet.py (an external one comes by itself)
#   BRIDGE_SHARED jobs share nodes, as many pods are to be on few (else each has its own:
#                 the default; single pods that are to share have $SHARED)
#   BRIDGE_GRES   what a node with a slurmd has (an external one has what its kubelet says)
bridge_up() {
	site_bridge_rights
	kube create namespace "$TEAM" >/dev/null
	kube create namespace "$POOR" >/dev/null
	cp "$SITE/slurm.conf" "$SITE/slurm.conf.plain"
	cp "$SITE/k8s.yaml" "$SITE/k8s.yaml.plain"
	cat >>"$SITE/k8s.yaml" <<-Y

	bridge:
	  cluster: prod
	  schedulerName: $SCHEDULER
	  partition: k8s
	  ${BRIDGE_SHARED:+exclusive: false}
	  nodes: {label: $LABEL${BRIDGE_NODES:+, $BRIDGE_NODES}}
	  namespaces:
	    $TEAM:
	      user: $SITE_USER
	      options: [hold, begin, dependency]
	      ${BRIDGE_TEAM:-}
	Y
	external || hybrid_conf
	sed -i 's/^SlurmctldDebug=.*/SlurmctldDebug=debug/; s/^SuspendTime=.*/SuspendTime=3/' "$SITE/slurm.conf"
	if external; then
		cat >>"$SITE/slurm.conf" <<-C
		MaxNodeCount=1024
		NodeSet=k8s Feature=k8s-external
		PartitionName=k8s Nodes=k8s MaxTime=INFINITE State=UP
		$(site_since 26.05 || echo SuspendExcStates=EXTERNAL)
		C
		# (as docs/versions.md has it)
		[[ ! ${BRIDGE_GRES:-} ]] || site_since 25.11 ||
			echo "NodeName=$PAIR Name=${BRIDGE_GRES%:*} File=/dev/nvidia[0-$((${BRIDGE_GRES#*:} - 1))]" >"$SITE/gres.conf"
	fi
	printf '%s\n' "${BRIDGE_CONF:-}" >>"$SITE/slurm.conf"
	slurmctld_stop
	slurmctld_start
	external || hybrid_up
	if external; then kube label node "$ONE" "$TWO" "$LABEL=" --overwrite >/dev/null; fi
	wait_for 120 "the nodes to be Slurm's" nodes_are "$PAIR" idle
}

# Before 25.05 nodes have a slurmd beside the kubelet: both on this machine
hybrid_conf() {
	site_hybrid_paths "$SITE/slurm.conf"
	[[ ! ${BRIDGE_GRES:-} ]] || hybrid_gres "${BRIDGE_GRES%:*}" "${BRIDGE_GRES#*:}"
	cat >>"$SITE/slurm.conf" <<-C
	$(site_hybrid_nodes "$PAIR" 2)${BRIDGE_GRES:+ Gres=$BRIDGE_GRES}
	PartitionName=k8s Nodes=$PAIR${BRIDGE_WIDE:+,$BIG} MaxTime=INFINITE State=UP
	SuspendExcParts=k8s
	C
	[[ ! ${BRIDGE_WIDE:-} ]] || cat >>"$SITE/slurm.conf" <<-C
	SlurmdParameters=config_overrides
	NodeName=$BIG NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$(free_port) CPUs=$BRIDGE_WIDE RealMemory=60000
	C
}

# hybrid_gres NAME COUNT: these slurmds believe in files that there are
hybrid_gres() {
	mkdir "$SITE/gres"
	(cd "$SITE/gres" && seq -f "$1%g" 0 $(($2 - 1)) | xargs touch)
	echo "Name=$1 File=$SITE/gres/$1[0-$(($2 - 1))]" >"$SITE/gres.conf"
}

hybrid_up() {
	site_hybrid_up "$SITE/slurm.conf" "$ONE" "$TWO" ${BRIDGE_WIDE:+$BIG}
}

bridge_down() {
	kube delete node "$BIG" >/dev/null 2>&1 || true
	kube delete namespace "$TEAM" "$POOR" --wait=false >/dev/null 2>&1 || true
	kube label node "$ONE" "$TWO" "$LABEL-" slurm-k8s.io/cluster- >/dev/null 2>&1 || true
	# (the bridge would keep it for 30 s, and the next suite's is of another size)
	! external || as_slurm scontrol delete NodeName="$BIG" >/dev/null 2>&1 || true
	slurmctld_stop
	rm -rf "$SITE/gres.conf" "$SITE/gres"
	end_process "$SITE/$ONE.pid" TERM
	end_process "$SITE/$TWO.pid" TERM
	end_process "$SITE/$BIG.pid" TERM
	site_bridge_rights_end
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
	  schedulerName: $SCHEDULER
	  tolerations: [{key: slurm-k8s.io/tests, operator: Exists}]
	  restartPolicy: Never
	  terminationGracePeriodSeconds: 1
	  containers:
	    - name: main
	      image: $SITE_IMAGE
	      command: [/bin/sh, -c, "trap 'exit 143' TERM; $2"]
	      env: [{name: CITY, value: Zürich}]
	      resources: {requests: {cpu: "${4:-1}", memory: 16Mi}}
	---
	P
}
pod_is() { [[ $(of_pod "$TEAM" "$1" .status.phase) = "$2" ]]; }
pod_node() { of_pod "$TEAM" "$1" '.spec.nodeName // empty'; }
pod_gone() { [[ $(raw GET "/api/v1/namespaces/$TEAM/pods/$1" -o /dev/null -w '%{http_code}' 2>/dev/null) = 404 ]]; }
# (see within(): one kubectl that watches, and not one for each look)
until_pod_is() { kteam wait "pod/$2" --for="jsonpath={.status.phase}=$3" --timeout="$1s" >/dev/null 2>&1; }
until_pod_gone() { kteam wait "pod/$2" --for=delete --timeout="$1s" >/dev/null 2>&1; }
pod_says() { # NAMESPACE NAME WORDS: in PodScheduled=False
	of_pod "$1" "$2" '.status.conditions[]? | select(.type == "PodScheduled") | "\(.status) \(.message)"' | grep -q "^False .*$3"
}
some_event() { kteam get events | grep -q "$1"; }
# begin: what this test makes is told from what was there before (by its first try, say):
# lines of the log, jobs
begin() {
	mark
	BEFORE=$(as_user squeue -h -t all -o %A | sort -n | tail -n 1)
}
# jobs_of NAME[,NAME...] [FORMAT]: this test's, in their order: their ids, and what squeue
# makes of FORMAT
jobs_of() { as_user squeue -h -n "$1" -t all -o "%i ${2:-}" | sort -n | awk -v before="${BEFORE:-0}" '$1 + 0 > before + 0 { $1 = $1; print }'; }
# job_of NAME: the id of its placeholder, by its name in Slurm
job_of() { jobs_of "$1" | tail -n 1; }
has_job() { [[ $(job_of "$1") ]]; }

# shellcheck disable=SC2034 # the tests look there
LONG='sleep 1000 & wait'
# what a pod does until go_on POD
# shellcheck disable=SC2034
UNTIL_GO='until [ -e /tmp/go ]; do sleep 0.5; done'
go_on() { kteam exec "$1" -- touch /tmp/go; }
# with TEXT for the annotations: to be put into a pod's YAML
notes() { sed "s|^  labels|  annotations: {$1}\n&|"; }
# (an annotation)
# shellcheck disable=SC2034
SHARED='job.slurm-k8s.io/exclusive: "false"'
grace() { sed "s/terminationGracePeriodSeconds: 1/terminationGracePeriodSeconds: $1/"; }
create() { kteam apply -f - >/dev/null; }
swell() { swell_in "$TEAM" "$@"; } # NAME [FILTER]
# watch_ends: from now on, which pods are deleted, and how. (What ends at once is gone
# soon: who looks now and then may see nothing of it.)
watch_ends() {
	kubectl --kubeconfig "$SITE_KUBE" -n "$TEAM" get pods --watch -o \
		'jsonpath={.metadata.name} {.metadata.deletionGracePeriodSeconds}{"\n"}' >"$SITE/deadlines" 2>/dev/null 3>&- 9>&- &
	echo $! >"$SITE/deadlines.pid"
	wait_for 60 "the watch" test -s "$SITE/deadlines" # (what is there comes first)
}
# being deleted, with so many seconds, since watch_ends
ending() { grep -qx "$1 $2" "$SITE/deadlines"; }
state() { as_user squeue -h -t all -j "$1" -o %T; }
state_is() { [[ $(state "$1") = "$2" ]]; }
job_has() { [[ $(job "$1" "$2") = "$3" ]]; }
newest_has() { job_has "$(job_of "$1")" "$2" "$3"; } # NAME KEY VALUE: the last of its jobs
runs() { wait_for 120 "pod $1 to run" pod_is "$1" Running; }

# again NAME PARTITION CPUS NODE [NOTES]: a Job, whose controller makes another pod for
# one that was deleted (AGAIN_SPEC: more of its spec)
again() {
	kteam apply -f - >/dev/null <<-Y
	apiVersion: batch/v1
	kind: Job
	metadata: {name: $1, annotations: {slurmjob.slinky.slurm.net/job-name: $1, slurmjob.slinky.slurm.net/partition: $2${5:+, $5}}}
	spec:
	  ${AGAIN_SPEC:-backoffLimit: 6}
	  template:
	    spec:
	      schedulerName: $SCHEDULER
	      tolerations: [{key: slurm-k8s.io/tests, operator: Exists}]
	      nodeSelector: {kubernetes.io/hostname: $4}
	      restartPolicy: Never
	      terminationGracePeriodSeconds: 2
	      containers:
	        - {name: main, image: "$SITE_IMAGE", command: [/bin/sh, -c, "trap 'exit 143' TERM; $LONG"], resources: {requests: {cpu: $3}}}
	Y
}
RUNNING='.items[] | select(.status.phase == "Running" and .metadata.deletionTimestamp == null) | .metadata.name'
running_of() { of_pods "$TEAM" "job-name=$1" "$RUNNING"; }
waiting_of() { of_pods "$TEAM" "job-name=$1" '.items[] | select(.spec.nodeName == null) | .metadata.name'; }
has_running() { [[ $(running_of "$1") ]]; }
another_waits() { [[ $(waiting_of "$1") ]]; }

bridge_clean() {
	controllers_unlock
	end_process "$SITE/deadlines.pid" TERM
	end_process "$SITE/beat.pid" TERM
	if [[ -e $SITE/k8s.yaml.whole ]]; then
		slurmctld_stop
		mv "$SITE/k8s.yaml.whole" "$SITE/k8s.yaml"
	fi
	if [[ ! -s $SITE/slurmctld.pid ]] || process_ended "$(<"$SITE/slurmctld.pid")"; then slurmctld_start; fi
	delete_all || true
	raw DELETE "/api/v1/namespaces/$POOR/pods?gracePeriodSeconds=1" >/dev/null 2>&1 || true
	as_slurm scancel --user="$SITE_USER" >/dev/null 2>&1 || true
	wait_for 120 "no job" no_jobs
}
no_jobs() { [[ ! $(as_user squeue -h) ]]; }

# big_node NAME CPUS: a node without a kubelet, for many pods that need not run
# (and not for those of other suites, beside this one)
big_node() {
	kube apply -f - >/dev/null <<-N
	apiVersion: v1
	kind: Node
	metadata: {name: $1, labels: {$LABEL: ""}}
	spec: {taints: [{key: slurm-k8s.io/tests, value: bridge, effect: NoSchedule}]}
	N
	node_beat "$@"
}
# node_beat NAME CPUS: its heartbeat; NODE_PODS: so many it takes. (A node that has gone stays gone.)
node_beat() {
	local now
	now=$(date -u +%FT%TZ)
	node_status "$1" '{"status":{"allocatable":{"cpu":"'"$2"'","memory":"64Gi","pods":"'"${NODE_PODS:-2000}"'"},"capacity":{"cpu":"'"$2"'","memory":"64Gi","pods":"'"${NODE_PODS:-2000}"'"},"conditions":[{"type":"Ready","status":"True","reason":"Test","lastHeartbeatTime":"'"$now"'","lastTransitionTime":"'"$now"'"}]}}' || true
}
# node_status NAME JSON
node_status() { raw PATCH "/api/v1/nodes/$1/status" -H 'Content-Type: application/strategic-merge-patch+json' -d "$2" >/dev/null; }
# wide_up CPUS: $BIG, with a kubelet that is played (see kubelet.py)
wide_up() {
	big_node "$BIG" "$1"
	kube label node "$BIG" kubernetes.io/hostname="$BIG" --overwrite >/dev/null
	python3 "$TOP/tests/e2e/kubelet.py" "$API" "$PKI" "$TEAM" "$BIG" >"$SITE/log/kubelet.out" 2>&1 3>&- 9>&- &
	echo $! >"$SITE/kubelet.pid"
	wait_for 120 "the node to be Slurm's" nodes_are "$BIG" idle
}
wide_down() { end_process "$SITE/kubelet.pid" KILL; }

# on NODE: the pods of the input go there only
on() { sed "s/^  restartPolicy/  nodeSelector: {kubernetes.io\/hostname: $1}\n&/"; }
# lasting SECONDS: what kubelet.py makes of them
lasting() { notes "test/lasts: \"$1\""; }

# create_all WHERE: the objects of the input, at once. (kubectl takes 20 ms for
# each, and 200 to delete one.)
create_all() {
	awk -v RS='---\n' -v url="$API$1" -v d="$PKI" '{
		gsub(/\\/, "&&"); gsub(/"/, "\\\""); gsub(/\n/, "\\n")
		printf "%surl = \"%s\"\ndata-binary = \"%s\"\nheader = \"Content-Type: application/yaml\"\n", (NR > 1 ? "next\n" : ""), url, $0
		printf "cacert = \"%s/ca.crt\"\ncert = \"%s/admin.crt\"\nkey = \"%s/admin.key\"\noutput = \"/dev/null\"\nwrite-out = \"%%{http_code}\\n\"\n", d, d, d
	}' >"$SITE/curl.conf"
	curl -sS -Z --parallel-max 20 -K "$SITE/curl.conf" | sort | uniq -c | tee "$SITE/created"
	run awk '$2 != 201' "$SITE/created"
	[[ ! $output ]]
}
# (the API server gives up after a minute, with what is left: then again)
delete_all() { wait_for 240 "the pods to go" delete_some; }
delete_some() { raw DELETE "/api/v1/namespaces/$TEAM/pods?gracePeriodSeconds=0" >/dev/null 2>&1; }
all_bound() { [[ $(of_pods "$TEAM" "" '[.items[] | select(.spec.nodeName)] | length') -eq $1 ]]; }

eval "$(declare -f gave_up | sed '1s/gave_up/site_gave_up/')"
gave_up() {
	[[ ${WAIT_MAX:-} ]] || pods_and_jobs >&2
	site_gave_up
}
# what each pod was told, and why each job waits
pods_and_jobs() {
	timeout 20 kubectl --kubeconfig "$SITE_KUBE" -n "$TEAM" get pods -o \
		'jsonpath={range .items[*]}{.metadata.name} {.status.phase} {.spec.nodeName} {.metadata.deletionTimestamp} {.status.conditions[?(@.type=="PodScheduled")].message}{"\n"}{end}' || true
	as_user squeue -h -o '%i %j %T %r begins %S nodes %n' || true
	as_user scontrol show nodes "$PAIR" | grep -E 'NodeName|RealMemory|State' || true
}
