# SPDX-License-Identifier: GPL-2.0-or-later
# What one sees of Slurm from Kubernetes' side, and what protects a pod with jobs.
setup() { load engine.bash; }
teardown() {
	put_right
	kube delete runtimeclass "$SITE_NS" --ignore-not-found >/dev/null
}

label() { kns get pod "$1" -o "jsonpath={.metadata.labels.slurm-k8s\.io/$2}"; }
not_busy() { [[ ! $(label "$1" busy) ]]; }
event() { kns get events --field-selector "involvedObject.name=$1,reason=$2" -o 'jsonpath={.items[*].message}'; }
event_has() { [[ $(event "$1" "$2") = *"$3"* ]]; }

@test "a pod tells its cluster, node, nodeset and template, and while it is busy jobs, users and accounts" {
	running_job
	wait_for 60 "its annotations" annotation_is bad-0 job-ids "$id"
	[[ $(annotation bad-0 users) = "$SITE_USER" ]]
	[[ $(label bad-0 busy) = true ]]
	[[ $(label bad-0 cluster) = cluster && $(label bad-0 node) = bad-0 && $(label bad-0 nodeset) = bad ]]
	[[ $(label bad-0 template-hash) ]]
}

@test "scontrol show node tells the pod, its uid and its Kubernetes node" {
	running_job
	wait_for 60 "its Extra" node_says bad-0 "Extra=k8s: pod .*/bad-0 uid $(pod_uid bad-0) on k8s-"
}

@test "Events on the pod say what was done to it and why" {
	template 's#image: .*#image: localhost/no-such:1#'
	id=$(submit -p bad -w bad-0 --wrap true)
	wait_for 100 "the Event" event_has bad-0 CannotStart ImagePullBackOff
	as_slurm scancel "$id"
	update NodeName=big-0 State=POWER_UP
	wait_for 90 "big-0" nodes_are big-0 idle
	update NodeName=big-0 State=POWER_DOWN
	wait_for 60 "the Event" event_has big-0 PowerDown 'Slurm powers its node down'
}

@test "a pod whose node has left its nodeset loses its protection when its job has ended" {
	running_job
	wait_for 60 "its annotations" annotation_is bad-0 job-ids "$id"
	other_yaml 'nodes: bad-[0-3]' 'nodes: bad-[1-3]'
	take_over
	[[ $(label bad-0 busy) = true ]]
	as_slurm scancel "$id"
	wait_for 60 "the label to go" not_busy bad-0
	wait_for 10 "the word" logged 'pod bad-0: its node bad-0 is in no nodeset of this cluster and has no jobs'
	[[ ! $(annotation bad-0 job-ids) && $(pod_uid bad-0) ]]
}

@test "a rolling upgrade takes no more nodes at once than maxUnavailable" {
	update NodeName=bad-[0-1] State=POWER_UP
	wait_for 120 "two nodes" nodes_are bad-[0-1] idle
	template 's#^spec:#metadata: {labels: {new: "yes"}}\nspec:#'
	wait_for 200 "both to be replaced" nodes_are bad-[0-1] 'idle~'
	steps=$(tail -n "+$((MARK + 1))" "$CTLD_LOG" | grep -o 'nodes bad-[01]\(,bad-[01]\)*: power\(ed\)\? down (\(old template\|powered down\))' | cut -d' ' -f3)
	echo "$steps"
	[[ $(tr '\n' ' ' <<<"$steps") = 'power powered power powered ' ]]
}

# what Kubernetes counts of its node for a pod: cpu and memory
asked() { kube describe node "$(kns get pod "$1" -o 'jsonpath={.spec.nodeName}')" | awk -v of="$SITE_NS $1" '$1 " " $2 == of { print $3, $7 }'; }

# (pod-level resources are off by default in 1.33, which forgets them then)
@test "a template's sidecar, overhead and resources of the whole pod count as Kubernetes counts them" {
	kube apply -f - >/dev/null <<-Y
	{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: "$SITE_NS"}, handler: runc, overhead: {podFixed: {cpu: 200m, memory: 64Mi}}}
	Y
	template "s#^spec:#spec:\n  runtimeClassName: $SITE_NS\n  resources: {requests: {cpu: 1200m, memory: 700Mi}}\n  initContainers: [{name: beside, image: \"$SITE_IMAGE\", command: [sleep, \"10000\"], restartPolicy: Always, resources: {requests: {cpu: 100m, memory: 32Mi}}}]#"
	# (fromNode is the default)
	other_yaml
	sed -i '/name: bad$/,/podTemplateFile/s/resources: template/resources: fromNode/' "$SITE/k8s.yaml"
	grep -q fromNode "$SITE/k8s.yaml"
	take_over
	running_job
	cpu=$(($(node bad-0 CPUTot) * 1000)) memory=$(node bad-0 RealMemory)
	((cpu + 100 < 1200 && memory + 32 < 700))
	if [[ $(kns get pod bad-0 -o 'jsonpath={.spec.resources}') ]]; then
		[[ $(asked bad-0) = '1400m 764Mi' ]]
	else
		[[ $(asked bad-0) = "$((cpu + 100 + 200))m $((memory + 32 + 64))Mi" ]]
	fi
}

@test "a pod that grows until nobody can read it keeps its job and its node, also after a restart of slurmctld" {
	id=$(submit -p bad -w bad-0 --wrap "$UNTIL_TOLD")
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	mark
	uid=$(pod_uid bad-0)
	swell_in "$SITE_NS" bad-0
	save_job "$id"
	slurmctld_stop
	mark
	slurmctld_start
	wait_for 60 "the word of the list, too" logged "pods: $SITE_NS/bad-0: "
	wait_for 60 "the pods in view" logged '[0-9]* pods in view'
	# (twice as long as a node without a pod keeps its job)
	run ! within 20 "anything to happen to it" logged 'bad-0: \(pod\|their jobs\|down\)'
	job_is "$id" RUNNING
	[[ $(pod_uid bad-0) = "$uid" ]]
	pods_are 1
	tell "$id"
	wait_for 60 "job $id to end" job_is "$id" COMPLETED
	mark
	kns delete pod bad-0 --wait=false >/dev/null
	wait_for 60 "its end to be seen" node_says bad-0 'pod gone\|POWERED_DOWN\|POWERING_DOWN'
	wait_for 60 "the pod to go" pods_are 0
}
