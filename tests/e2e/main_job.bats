# SPDX-License-Identifier: GPL-2.0-or-later
setup() { load common.bash; }
teardown() {
	suspend_time 300
	clean_up
}

@test "sbatch on powered-down nodes runs in two pods, which know their Kubernetes nodes and which Slurm takes away again" {
	pods_are 0
	# shellcheck disable=SC2016 # the job's
	id=$(submit -N2 <<<'#!/bin/sh
	srun -l sh -c ". /run/pod.env; echo \$(hostname) \$K8S_POD_NAME \$K8S_NODE_NAME; id -un"
	sleep 1')
	wait_for 120 "job $id to complete" job_is "$id" COMPLETED
	out=$(kns exec "$(job "$id" BatchHost)" -- cat "/tmp/slurm-$id.out")
	echo "$out"
	[[ $(grep -c "k8sdemo" <<<"$out") -eq 2 ]]
	# on which Kubernetes nodes they are, and whether on one or two, is
	# kube-scheduler's to say
	for i in 0 1; do
		on=$(kns get pod "cpu-$i" -o 'jsonpath={.spec.nodeName}')
		[[ $on = k8s-* ]]
		grep -qx "$i: cpu-$i cpu-$i $on" <<<"$out"
	done
	# requests = limits = what Slurm says of the node
	[[ $(kns get pod cpu-0 -o 'jsonpath={.spec.containers[0].resources.limits.memory}') = 256Mi ]]
	[[ $(kns get pod cpu-0 -o 'jsonpath={.spec.containers[0].resources.requests.cpu}') = 1 ]]
	[[ $(kns get pod cpu-0 -o 'jsonpath={.metadata.labels.slurm-k8s\.io/nodeset}') = cpu ]]
	suspend_time 3
	wait_for 90 "Slurm to delete the pods" pods_are 0
	wait_for 90 "the nodes to be idle~" nodes_are cpu-[0-1] 'idle~'
}

@test "a second job reuses the warm nodes" {
	id=$(submit -N1 --wrap 'true')
	wait_for 120 "job $id" job_is "$id" COMPLETED
	uid=$(pod_uid cpu-0)
	id=$(submit -N1 --wrap 'true')
	wait_for 120 "job $id" job_is "$id" COMPLETED
	[[ $(pod_uid cpu-0) = "$uid" ]]
}

@test "steps leave no dead processes in the pod" {
	# shellcheck disable=SC2016 # the job's
	id=$(submit -N1 --wrap 'for i in 1 2 3 4 5; do srun true; done; touch /tmp/over.$SLURM_JOB_ID; sleep 1000')
	wait_for 120 "job $id" job_is "$id" RUNNING
	pod=$(job "$id" BatchHost)
	wait_for 60 "its steps to be over" kns exec "$pod" -- test -e "/tmp/over.$id"
	none_dead() { kns exec "$pod" -- sh -c '! grep -qs "^State:.Z" /proc/[0-9]*/status'; }
	wait_for 60 "what is dead to be buried" none_dead
	as_slurm scancel "$id"
}

@test "srun of a user waits for its pod and prints its output" {
	run as_user srun -p big -N1 hostname
	[[ $status -eq 0 && $output = *big-0* ]]
}

@test "power up and down by hand with scontrol" {
	update NodeName=big-1 State=POWER_UP
	wait_for 90 "big-1 to be idle" nodes_are big-1 idle
	pods_are 1 slurm-k8s.io/node=big-1
	update NodeName=big-1 State=POWER_DOWN
	wait_for 120 "its pod to go" pods_are 0
	wait_for 90 "big-1 to be idle~" nodes_are big-1 'idle~'
}

@test "scontrol reboot replaces the pod" {
	update NodeName=big-1 State=POWER_UP
	wait_for 90 "big-1 to be idle" nodes_are big-1 idle
	uid=$(pod_uid big-1)
	from=$(($(wc -l <"$SITE/log/slurmctld.log") + 1))
	as_slurm scontrol reboot big-1
	wait_for 60 "another pod" sh -c "kubectl --kubeconfig $SITE_KUBE -n $SITE_NS get pod big-1 -o 'jsonpath={.metadata.uid}' | grep -q . && ! kubectl --kubeconfig $SITE_KUBE -n $SITE_NS get pod big-1 -o 'jsonpath={.metadata.uid}' | grep -q $uid"
	# (it is idle for a moment only: Slurm counts from before the reboot)
	wait_for 60 "it to register" sh -c "tail -n +$from '$SITE/log/slurmctld.log' | grep -q 'node big-1 returned to service'"
}
