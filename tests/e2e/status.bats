# SPDX-License-Identifier: GPL-2.0-or-later
# slurm-k8s status and explain, of nodes and their jobs. (Of pods in Slurm's queue: bridge.bats.)
bats_require_minimum_version 1.5.0

setup_file() { load engine.bash; }

setup() {
	load engine.bash
	put_right
}

teardown() {
	slurmctld_answers || slurmctld_start
	[[ ! ${PRIVATE:-} ]] || setting PrivateData "$PRIVATE"
	rm -f "$SITE"/k8s.yaml.away
	put_right
}

status_of() { tool status --json "$@" >"$SITE/status.json"; }
# node_has NODE JQ: that node's row
node_has() { jq -e --arg node "$1" '.nodes[] | select(.node == $node) | '"$2" "$SITE/status.json"; }

@test "status: a node beside its pod, its Kubernetes node and its job, and who acts" {
	id=$(submit -w cpu-0 --wrap 'sleep 600')
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	status_of
	cat "$SITE/status.json"
	node_has cpu-0 '.state == "ALLOCATED" and .pod == "cpu-0" and .status == "Running" and .jobs == "'"$id"'"'
	[[ $(node_has cpu-0 .kubernetesNode) = "\"$(kns get pod cpu-0 -o 'jsonpath={.spec.nodeName}')\"" ]]
	jq -e '.slurm.cluster and (.slurm.error | not) and .clusters[0].active and .clusters[0].holder and .clusters[0].renewedSecondsAgo < 60' "$SITE/status.json"
	# those that are down as they should be are a number
	run -4 node_has cpu-3 .
	jq -e '.nodesLeftOut > 0' "$SITE/status.json"
	status_of --all
	node_has cpu-3 '.state == "IDLE+POWERED_DOWN" and .pod == ""'
	jq -e '.nodesLeftOut == 0' "$SITE/status.json"
	run tool status
	echo "$output"
	[[ $status -eq 0 && $output = *"the engine acts, as of "*" s ago, from "* ]]
	[[ $output = *"nodes are powered down, and have no pod (--all prints them)"* ]]
	grep -qE "^cpu-0 +ALLOCATED +cpu-0 +Running +[0-9a-z]+ +[^ ]+ +$id +-$" <<<"$output"
	run tool status 'cpu-[0-1]'
	[[ $(grep -c '^cpu-' <<<"$output") = 2 ]]
	run -0 tool status "$id"
	[[ $(grep -c '^cpu-' <<<"$output") = 1 && $output = *"cpu-0 "* ]]
	run -0 tool status 999999
	[[ $output = *"Slurm has no job 999999"* ]]
	run -2 tool status "$id.0"
	[[ $output = *"is a step: give its job, $id"* ]]
	TOOL_FOR=5 run -124 tool status --watch=1 cpu-0
	[[ $(grep -c '^cpu-0' <<<"$output") -ge 2 ]]
	run -2 tool status --watch=0
	run -0 tool status cpu-9
	[[ $output = *"Slurm has no node cpu-9"* ]]
	as_slurm scancel "$id"
}

# on_terminal COMMAND...: its output is a terminal; when that has cpu-0 a second time it gets ^C
on_terminal() {
	inside timeout 60 python3 -c '
import os, pty, sys

pid, fd = pty.fork()
if not pid:
    os.execvp(sys.argv[1], sys.argv[1:])
seen, told = b"", False
while True:
    try:
        more = os.read(fd, 65536)
    except OSError:
        break
    if not more:
        break
    seen += more
    if not told and seen.count(b"\ncpu-0 ") >= 2:
        told = os.write(fd, b"\x03") == 1
os.waitpid(pid, 0)
sys.stdout.buffer.write(seen)' "$@"
}
watching() { pgrep -f "^$SITE/root/usr/sbin/slurm-k8s status --watch" >/dev/null; }

@test "status --watch gives the terminal back at a ^C, and leaves no process" {
	on_terminal env -i PATH=/usr/bin:/bin SLURM_CONF="$SITE/slurm.conf" \
		"$SITE/root/usr/sbin/slurm-k8s" status --watch=1 cpu-0 >"$SITE/watched"
	[[ $(head -c 8 "$SITE/watched") = $'\e[?1049h' ]]
	[[ $(tail -c 8 "$SITE/watched") = $'\e[?1049l' ]]
	run -1 watching
}

@test "status --watch gives the terminal back before it says that a name is wrong" {
	on_terminal env -i PATH=/usr/bin:/bin SLURM_CONF="$SITE/slurm.conf" \
		"$SITE/root/usr/sbin/slurm-k8s" status --watch=1 2+x >"$SITE/watched"
	output=$(tr -d '\r' <"$SITE/watched")
	echo "$output"
	[[ $output = *$'\e[?1049l'"slurm-k8s: 2+x is no job id: "* ]]
	[[ ${output%%$'\e[?1049l'*} != *"is no job id"* ]]
	run -0 tool status 10.0.0.12
	[[ $output = *"Slurm has no node 10.0.0.12"* ]]
	run -1 tool explain 123_a
	[[ $output = *"there is no node, job or pod 123_a"* ]]
}

@test "status and explain without slurmctld, and without the API server" {
	id=$(submit -w cpu-0 --wrap 'sleep 600')
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	wait_for 60 "its note on the pod" annotation_is cpu-0 job-ids "$id"
	slurmctld_stop
	run -2 tool status
	echo "$output"
	[[ $output = *"Slurm: not known: "*"Kubernetes cluster "*": as its API server has it at "* ]]
	grep -qE '^cpu-0 +\? +cpu-0 +Running ' <<<"$output"
	run -2 tool explain cpu-0
	[[ $output = *"Slurm: not known: "*"node cpu-0 of nodeset "*"Kubernetes cluster "*"engine "*"pod $SITE_NS/cpu-0 "*"Running"* ]]
	run -2 tool explain "$id"
	echo "$output"
	[[ $output = *"pod $SITE_NS/cpu-0 in Kubernetes cluster "*"Running"* ]]
	run -2 tool explain no-such-node
	[[ $output = *"there is no node, job or pod no-such-node, as far as is known"* ]]
	slurmctld_start
	sed 's#\(https://[^:]*\):[0-9]*#\1:1#' "$SITE/kubeconfig" >"$SITE/kubeconfig.away"
	chown slurm: "$SITE/kubeconfig.away"
	chmod 600 "$SITE/kubeconfig.away"
	sed "s#$SITE/kubeconfig\b#$SITE/kubeconfig.away#; s#: kubeconfig\$#: kubeconfig.away#" "$SITE/k8s.yaml" >"$SITE/k8s.yaml.away"
	run -1 cmp -s "$SITE/k8s.yaml" "$SITE/k8s.yaml.away"
	run -2 tool status --config "$SITE/k8s.yaml.away" cpu-0
	echo "$output"
	[[ $output = *": not known: "*onnect* ]]
	run -2 tool explain --config "$SITE/k8s.yaml.away" cpu-0
	[[ $output = *"node cpu-0 of nodeset "*"state "*"ALLOCATED"*"not known "*onnect* ]]
	run -2 tool status --config "$SITE/k8s.yaml.away" cpu-0
	grep -qE '^cpu-0 +ALLOCATED +\? ' <<<"$output"
	rm -f "$SITE"/k*.away
	as_slurm scancel "$id"
}

@test "an ordinary user gets what Slurm shows him, and is told so" {
	id=$(submit -w cpu-0 --wrap 'sleep 600')
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	run -2 as_user "$SITE/root/usr/sbin/slurm-k8s" status cpu-0
	echo "$output"
	[[ $output = *"Kubernetes was not asked: this is another user than slurm"* ]]
	grep -qE "^cpu-0 +ALLOCATED +\? +- +- +- +$id +" <<<"$output"
	run -2 as_user "$SITE/root/usr/sbin/slurm-k8s" explain "$id"
	[[ $output = *"job $id of "*"state "*"RUNNING"* ]]
	as_slurm scancel "$id"
}

as_nobody() {
	inside setpriv --reuid nobody --regid nogroup --clear-groups env -i PATH=/usr/bin:/bin SLURM_CONF="$SITE/slurm.conf" "$@"
}
private() { as_user scontrol show config | grep -q "^PrivateData .*$1"; }

@test "with PrivateData a user gets no other one's jobs, and his own without the nodes" {
	tool=$SITE/root/usr/sbin/slurm-k8s
	id=$(submit -w cpu-0 --wrap 'sleep 600')
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	PRIVATE=$(sed -n 's/^PrivateData=//p' "$SITE/slurm.conf")
	[[ $PRIVATE ]]
	run -2 as_nobody "$tool" explain "$id"
	[[ $output = *"job $id of $SITE_USER"* ]]
	setting PrivateData "$PRIVATE,jobs"
	wait_for 60 "PrivateData=jobs" private jobs
	run -2 as_nobody "$tool" explain "$id"
	echo "$output"
	[[ $output = *"there is no node, job or pod $id, as far as is known"* ]]
	run -2 as_nobody "$tool" status cpu-0
	grep -qE "^cpu-0 +ALLOCATED +\? +- +- +- +- +" <<<"$output"
	run -2 as_user "$tool" explain "$id"
	[[ $output = *"job $id of $SITE_USER"* ]]
	setting PrivateData "$PRIVATE,jobs,nodes"
	wait_for 60 "PrivateData=nodes" private nodes
	run -2 as_user "$tool" status cpu-0
	echo "$output"
	[[ $output = *"Slurm: not known: cannot read slurmctld's nodes"* ]]
	run -2 as_user "$tool" explain "$id"
	[[ $output = *"job $id of $SITE_USER"* ]]
	for args in "events cpu-0" "render cpu-0 --job $id" "gc --dry-run" "diff"; do
		# shellcheck disable=SC2086 # words
		run -2 as_user "$tool" $args
		echo "$args: $output"
	done
	run -0 tool status cpu-0
	grep -qE "^cpu-0 +ALLOCATED +cpu-0 .* $id +" <<<"$output"
	as_slurm scancel "$id"
}

@test "explain: why a node's pod does not start, and what would help" {
	# (the pod is to be there as long as this test looks)
	other_yaml 'unschedulableAfter: 6s' 'unschedulableAfter: 600s'
	template 's#^spec:#spec:\n  nodeSelector: {no-such: node}#'
	id=$(submit -p bad -w bad-0 --wrap true)
	wait_for 60 "the pod to be unschedulable" pod_waits
	wait_for 60 "power saving" nodes_are bad-0 'alloc#'
	run -0 tool explain bad-0
	echo "$output"
	[[ $output = *"node bad-0 of nodeset "*"state "*"POWERING_UP"* ]]
	[[ $output = *"pod "*"/bad-0 in Kubernetes cluster "*"phase "*Pending*"PodScheduled"*"nodes are available"* ]]
	[[ $output = *"What would help:"*"see that Kubernetes nodes have the labels of the template's nodeSelector"* ]]
	run -0 tool explain "$id"
	[[ $output = *"job $id of $SITE_USER in partition bad"*"node bad-0 of nodeset "*"nodes are available"* ]]
	run -0 tool explain "$(kns get pod bad-0 -o 'jsonpath={.metadata.namespace}')/bad-0"
	[[ $output = *"pod "*"nodes are available"* ]]
	tool explain --json bad-0 >"$SITE/status.json"
	cat "$SITE/status.json"
	jq -e '.exit == 0 and .found and (.help | length > 0) and
		([.things[].kind] | contains(["slurm", "node", "cluster", "pod"])) and
		(.things[] | select(.kind == "cluster") | .facts[0].text | startswith("the engine acts, as of "))' "$SITE/status.json"
	run -1 tool explain no-such-node
	[[ $output = *"there is no node, job or pod no-such-node"* ]]
	run -2 tool explain
	as_slurm scancel "$id"
}

@test "explain: why a job went back into the queue" {
	template 's#image:.*#image: localhost/no-such:1#'
	id=$(submit -p bad -w bad-1 --wrap true)
	went_back() { job_says "$id" "AdminComment=k8s: "; }
	wait_for 150 "the job to go back" went_back
	run -0 tool explain "$id"
	echo "$output"
	[[ $output = *AdminComment*no-such*"What would help:"*"see that the image's name and tag exist"* ]]
	as_slurm scancel "$id"
}
pod_waits() { [[ $(kns get pod bad-0 -o 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].status}' 2>/dev/null) = False ]]; }

nodeset_of() { tool explain "$1" | sed -n 's/^node .* of nodeset //p' | head -n 1; }

@test "pause drains the nodes of a nodeset but for what others have drained; resume takes that back" {
	set=$(nodeset_of cpu-0)
	id=$(submit -w cpu-0 --wrap "$UNTIL_TOLD")
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	as_slurm scontrol update NodeName=cpu-3 State=DRAIN Reason="a disk"
	run -0 tool pause --reason "a new image" "$set"
	echo "$output"
	[[ $output = *"drained: "*"left alone: 1 nodes that somebody has drained"* ]]
	[[ $(node cpu-0 Reason) = "slurm-k8s pause: a new image"* && $(node cpu-3 Reason) = "a disk"* ]]
	run -0 tool status cpu-1
	grep -qE '^cpu-1 +IDLE\+DRAIN\+POWERED_DOWN +- .* slurm-k8s pause: a new image$' <<<"$output"
	later=$(submit -w cpu-1 --wrap true)
	run -0 tool pause "$set"
	[[ $output = *"left alone: 1 nodes"* && $output != *drained:* ]]
	job_is "$id" RUNNING
	job_is "$later" PENDING
	run -0 tool resume "$set"
	[[ $output = "resumed: "* ]]
	[[ $(node cpu-3 Reason) = "a disk"* ]]
	wait_for 120 "job $later to run" job_is "$later" COMPLETED
	job_is "$id" RUNNING
	tell "$id"
	wait_for 60 "job $id to end" job_is "$id" COMPLETED
	as_slurm scontrol update NodeName=cpu-3 State=RESUME
	run -2 tool pause no-such-nodeset
	[[ $output = *"k8s.yaml has no such nodeset"* ]]
}

@test "events: what was done, by node, job and pod" {
	id=$(submit -w cpu-0 --wrap true)
	wait_for 120 "job $id to run" job_is "$id" COMPLETED
	run -0 tool events cpu-0
	echo "$output"
	[[ $output = *cpu-0* ]]
	run ! grep -v 'cpu-0\|cpu-\[0' <<<"$output"
	run -1 tool events no-such-node
	run -0 tool events
	[[ $output = *"k8s: engine "*" runs"* ]]
}

@test "explain and events take tasks of arrays and components of heterogeneous jobs as squeue prints them" {
	id=$(submit --array=0-2%1 -w cpu-0 --wrap "$UNTIL_TOLD")
	wait_for 120 "task 0 to run" job_is "${id}_0" RUNNING
	run -0 tool explain "${id}_0"
	echo "$output"
	[[ $output = *"job ${id}_0 ("*"state "*"RUNNING"* ]]
	run -0 tool explain "${id}_[1-2]"
	[[ $output = *"job ${id}_[1-2%1] ("*"PENDING"* ]]
	run -0 tool explain "$id"
	[[ $output = *"job ${id}_0 ("* && $output = *"job ${id}_[1-2%1] ("* ]]
	run -1 tool explain "${id}_7"
	run -2 tool explain "${id}_0.0"
	[[ $output = *"is a step: give its job, ${id}_0"* ]]
	# (the task's pod is the log's, by slurmctld's own number of it)
	run -1 tool events "${id}_7"
	[[ $output = *"slurmctld has no job ${id}_7"* ]]
	run -2 tool events "${id}_0.batch"
	as_slurm scancel "$id"
	het=$(submit --begin=now+1hour -N1 : -N1 --wrap true)
	run -0 tool explain "$het+1"
	echo "$output"
	[[ $output = *"job $het+1 ("* && $output != *"job $het+0"* ]]
	as_slurm scancel "$het"
}

@test "gc deletes a pod that no node needs, asks first, and does nothing without slurmctld" {
	id=$(submit -w cpu-0 --wrap 'sleep 900')
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	# (a pod of ours for a node that Slurm does not have, where no engine would take it away)
	slurmctld_stop
	kns get pod cpu-0 -o json | jq '.metadata |= {name: "cpu-99", namespace, labels: (.labels | .["slurm-k8s.io/node"] = "cpu-99")}
		| .spec |= {containers: [{name: "slurmd", image: .containers[0].image, command: ["sleep", "600"]}]}' | kns create -f - >/dev/null
	other_yaml
	mv "$SITE/k8s.yaml" "$SITE/k8s.yaml.away"
	is_old() { [[ $(($(date +%s) - $(date +%s -d "$(kns get pod cpu-99 -o 'jsonpath={.metadata.creationTimestamp}')"))) -gt 20 ]]; }
	wait_for 60 "the pod to be 20 s old" is_old
	run -2 tool gc --yes --older-than 20 --config "$SITE/k8s.yaml.away"
	[[ $output != *deleted* ]]
	kns get pod cpu-99 >/dev/null
	slurmctld_start
	run -0 tool gc --dry-run --config "$SITE/k8s.yaml.away"
	[[ $output = *"none of "*" worker pods is left over"* ]]
	run -0 tool gc --dry-run --older-than 20 --config "$SITE/k8s.yaml.away"
	echo "$output"
	[[ $output = *"/cpu-99  "*" old  Slurm has no such node" && $output != *cpu-0* ]]
	run -2 tool gc --older-than 20 --config "$SITE/k8s.yaml.away" </dev/null
	[[ $output = *"nobody can be asked here"* ]]
	kns get pod cpu-99 >/dev/null
	run -0 tool gc --yes --older-than 20 --config "$SITE/k8s.yaml.away"
	[[ $output = *"/cpu-99: deleted"* ]]
	kns wait --for=delete pod/cpu-99 --timeout=60s
	kns get pod cpu-0 >/dev/null
	run -2 tool gc --older-than 19
	rm "$SITE/k8s.yaml.away"
	# (without a k8s.yaml slurmctld has had no engine)
	good_yaml
	take_over
	as_slurm scancel "$id"
}
