# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=alone
# What Kubernetes and its nodes do to a pod under a running job.
setup() {
	load engine.bash
	HOST='' # that was stopped
}
teardown() {
	if [[ $HOST ]]; then
		"$TOP/script/cluster" kubelet-start "${HOST#k8s-}" 3>&- >/dev/null 2>&1 || true
		"$TOP/script/cluster" node-start "${HOST#k8s-}" 3>&- >/dev/null 2>&1 || true
		kube wait --for=condition=Ready node "$HOST" --timeout=120s >/dev/null
	fi
	put_right
}

host_of() { kns get pod "$1" -o 'jsonpath={.spec.nodeName}'; }
runs_again() { restarted "$1" && job_is "$1" RUNNING; }
restarted() { [[ $(job "$1" Restarts) -ge 1 ]]; }

@test "pod ended: kubelet evicts the pod, which uses more room than it may" {
	template 's#^  volumes:#&\n    - {name: small, emptyDir: {sizeLimit: 1Mi}}#' 's#^      volumeMounts:#&\n        - {name: small, mountPath: /small}#' 's#^spec:#spec:\n  securityContext: {fsGroup: 0}#'
	mark
	id=$(submit -p bad -w bad-0 --requeue --wrap 'head -c 5M /dev/zero >/small/big; sleep 1000')
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	wait_for 120 "bad-0 to be down" logged 'k8s: nodes bad-0: down (pod ended): its pod has ended: Evicted: .*exceeds the limit'
	wait_for 90 "job $id to go back" restarted "$id"
}

@test "pod ended: slurmd is killed for want of memory" {
	template 's#^spec:#spec:\n  restartPolicy: Never#' 's#imagePullPolicy: .*#&\n      resources: {limits: {memory: 64Mi}}#'
	running_job
	pid=$(slurmd_of bad-0)
	cgroup=$(sed -n 's/^.*:memory:\|^0:://p' "/proc/$pid/cgroup" | head -n 1)
	echo 1000 >"/proc/$pid/oom_score_adj"
	(
		# who uses memory in its cgroup is not killed first: slurmd is
		echo $BASHPID >"$(find /sys/fs/cgroup -maxdepth 2 -path "*memory*" -type d -name memory | head -n 1)$cgroup/cgroup.procs" 2>/dev/null ||
			echo $BASHPID >"/sys/fs/cgroup$cgroup/cgroup.procs"
		head -c 200M /dev/zero | tail >/dev/null
	) || true
	wait_for 90 "bad-0 to be down" logged 'k8s: nodes bad-0: down (pod ended): its pod has ended: slurmd: OOMKilled'
	wait_for 90 "job $id to go back" restarted "$id"
}

@test "host not ready: kubelet stands still, the job goes on; it is back: all is as before" {
	running_job
	host=$(host_of bad-0)
	HOST=$host
	"$TOP/script/cluster" kubelet-stop "${host#k8s-}" 3>&-
	wait_for 120 "the drain" logged "reason set to: k8s: Kubernetes node $host is not ready"
	job_is "$id" RUNNING
	"$TOP/script/cluster" kubelet-start "${host#k8s-}" 3>&-
	wait_for 120 "its end" logged 'k8s: nodes bad-0: no longer drained (host is back)'
	job_is "$id" RUNNING
	[[ $(job "$id" Restarts) = 0 ]]
}

# bats test_tags=long
@test "host lost: its power is cut, the job runs again elsewhere" {
	id=$(submit -p bad -N1 --requeue --wrap 'sleep 1000')
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	first=$(job "$id" BatchHost)
	host=$(host_of "$first")
	HOST=$host
	mark
	"$TOP/script/cluster" node-stop "${host#k8s-}" 3>&-
	# (slurmctld asks a slurmd each third of SlurmdTimeout, 100 s by default; then
	# both are to be silent for 60 s)
	wait_for 300 "$first to be down" logged "k8s: nodes $first: down (host lost): Kubernetes node $host is lost"
	wait_for 120 "job $id to run again" runs_again "$id"
	[[ $(job "$id" BatchHost) != "$first" ]]
	"$TOP/script/cluster" node-start "${host#k8s-}" 3>&-
	# (for a reconfiguration the slurmctld of 24.11 waits for all that it has asked of slurmds: by
	# then nobody answers for the lost one, and scontrol and scancel give up)
	as_slurm scancel "$id"
	suspend_time 3
	wait_for 120 "the pods to go" pods_are 0
}

# bats test_tags=long
@test "old states are gone (410): the pods are listed anew, nothing is lost" {
	running_job
	uid=$(pod_uid bad-0)
	for i in 1 2 3 4 5; do
		resume "bulk-$i"
		"$TOP/script/cluster" etcd-compact 3>&- >/dev/null
		api_stops
		api_starts
	done
	wait_for 120 "the orphans to go" pods_are 1
	job_is "$id" RUNNING
	[[ $(pod_uid bad-0) = "$uid" && $(job "$id" Restarts) = 0 ]]
}
