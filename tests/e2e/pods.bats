# SPDX-License-Identifier: GPL-2.0-or-later
# What one sees of Slurm from Kubernetes' side, and what protects a pod with jobs.
setup() { load engine.bash; }
teardown() { put_right; }

label() { kns get pod "$1" -o "jsonpath={.metadata.labels.slurm-k8s\.io/$2}"; }
annotation() { kns get pod "$1" -o "jsonpath={.metadata.annotations.slurm-k8s\.io/$2}"; }
annotation_is() { [[ $(annotation "$1" "$2") = "$3" ]]; }
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
	wait_for 10 "the word" logged 'pod bad-0: its node bad-0 is in no nodeset and has no jobs'
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
