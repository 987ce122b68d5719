# SPDX-License-Identifier: GPL-2.0-or-later
# The engine in slurmctld: the rows of the planner (docs/architecture.md), for
# real. bad-[0-3] take their template from bad.yaml.
setup() { load engine.bash; }
teardown() { put_right; }

@test "the engine runs beside Slurm's own scheduler" {
	grep -q 'sched/bridge: schedules with .*/sched_backfill.so' "$CTLD_LOG"
	wait_for 60 "the engine" grep -q 'k8s: engine .* runs: 1 clusters, 5 nodesets' "$CTLD_LOG"
	as_user scontrol show config | grep -q 'SchedulerType *= sched/backfill'
}

@test "cannot start: an image that is not there" {
	cannot_start ErrImagePull 's#image: .*#image: localhost/no-such:1#'
}

@test "cannot start: an image name that is no name" {
	cannot_start InvalidImageName 's#image: .*#image: localhost/NO SUCH#'
}

@test "cannot start: environment from a ConfigMap that is not there" {
	cannot_start CreateContainerConfigError 's#env:#envFrom: [{configMapRef: {name: none}}]\n      env:#'
}

@test "cannot start: slurmd's container crashes again and again" {
	cannot_start CrashLoopBackOff 's#imagePullPolicy: .*#&\n      command: [/bin/false]#'
}

@test "pod ended: slurmd's container ends and is not restarted" {
	cannot_start 'pod ended' 's#imagePullPolicy: .*#&\n      command: [/bin/false]#' 's#^spec:#spec:\n  restartPolicy: Never#'
}

@test "not started: a volume of a Secret that is not there" {
	cannot_start 'secret "none" not found' 's#secretName: [a-z]*#secretName: none#'
}

@test "unschedulable: no Kubernetes node will do, for longer than allowed" {
	other_yaml 'unschedulableAfter: 6s' 'unschedulableAfter: 2s'
	cannot_start Unschedulable 's#^spec:#spec:\n  nodeSelector: {no-such: node}#'
}

@test "not registered: a pod runs, but its slurmd never registers" {
	other_yaml 'registerWithin: 30s' 'registerWithin: 8s'
	cannot_start 'did not register' 's#imagePullPolicy: .*#&\n      command: [/bin/sleep, "1000"]#'
}

@test "cooling down: the nodeset rests after a failure, then longer, then it is idle~ by itself" {
	template 's#image: .*#image: localhost/no-such:1#'
	mark
	id=$(submit -p bad --wrap true)
	wait_for 100 "the first rest" logged 'k8s: nodeset bad cools down for 2 s: .*ErrImagePull'
	wait_for 30 "its nodes to rest" logged 'node bad-3 reason set to: k8s: nodeset bad cools down: .*ErrImagePull'
	wait_for 60 "the second rest" logged 'k8s: nodeset bad cools down for 4 s: .*ErrImagePull'
	as_slurm scancel "$id"
	wait_for 90 "idle~" nodes_are bad-[0-3] 'idle~'
}

@test "given back: what k8s_resume could not have makes the nodeset rest, and its job is eligible at once" {
	kns create quota none --hard=pods=0 >/dev/null
	wait_for 90 "the quota" sh -c "kubectl --kubeconfig $SITE_KUBE -n $SITE_NS get quota none -o 'jsonpath={.status.hard.pods}' | grep -q ."
	mark
	id=$(submit -p bad -w bad-0 --wrap true)
	wait_for 60 "the rest" logged 'k8s: nodeset bad cools down for .*exceeded quota: none'
	wait_for 30 "job $id" logged "k8s: job $id is eligible again"
	kns delete quota none >/dev/null
	wait_for 120 "job $id to run" job_is "$id" COMPLETED
}

@test "what cannot be requeued is not killed: its pod is replaced, the Comment says why" {
	template 's#image: .*#image: localhost/no-such:1#'
	mark
	as_user srun -p bad -w bad-0 hostname >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	srun=$!
	wait_for 60 "the word" logged 'k8s: bad-0: a job there cannot be requeued, so only its pod is replaced'
	id=$(as_user squeue -h -o %i)
	[[ $(job "$id" JobState) = CONFIGURING ]]
	[[ $(node bad-0 Comment) = "k8s: "*ErrImagePull* ]]
	template
	wait_for 120 "srun" sh -c "! kill -0 $srun 2>/dev/null"
	wait "$srun"
	grep -q bad-0 "$BATS_TEST_TMPDIR/out"
}

runs_again() { job_says "$1" Restarts=1 && job_is "$1" RUNNING; }

@test "pod gone: somebody deletes the pod of a running job without grace" {
	running_job
	kns delete pod bad-0 --force --grace-period=0 >/dev/null 2>&1
	within 9 "bad-0 to be down (10 s, if its end was not seen)" logged 'k8s: nodes bad-0: down (pod gone)'
	wait_for 60 "job $id to go back" logged "Requeuing JobId=$id"
	wait_for 30 "job $id to be eligible" logged "k8s: job $id is eligible again"
	wait_for 120 "job $id to run again" runs_again "$id"
}

@test "pod deleted: a graceful delete drains the node, then the job goes back" {
	running_job
	kns delete pod bad-0 --wait=false >/dev/null
	wait_for 30 "the drain" logged 'reason set to: k8s: pod bad-0 is being deleted'
	# (kubelet takes its time now and then)
	wait_for 200 "job $id to go back" logged "Requeuing JobId=$id"
	wait_for 120 "the node to be of use again" job_is "$id" RUNNING
}

@test "pod ended: slurmd is killed under a running job" {
	template 's#^spec:#spec:\n  restartPolicy: Never#'
	running_job
	kill -KILL "$(slurmd_of bad-0)"
	wait_for 90 "bad-0 to be down" logged 'k8s: nodes bad-0: down (pod ended)'
	wait_for 120 "job $id to run again" job_says "$id" Restarts=1
}

@test "slurmd restarted: its container comes back at once, but the job's processes do not" {
	running_job
	settled() { [[ $(($(date +%s) - $(date -d "$(job "$id" StartTime)" +%s))) -gt 12 ]]; }
	wait_for 60 "what the pod says to be of now" settled
	kill -KILL "$(slurmd_of bad-0)"
	wait_for 90 "bad-0 to be down" logged "k8s: nodes bad-0: down (slurmd restarted): slurmd's container was restarted: slurmd: .*exit code 137"
	wait_for 120 "job $id to run again" runs_again "$id"
}

@test "down: a reboot that times out, as its new pod is refused; the node comes back" {
	setting ResumeTimeout 20
	update NodeName=slow-0 State=POWER_UP
	wait_for 90 "slow-0" nodes_are slow-0 idle
	mark
	kns create quota none --hard=pods=0 >/dev/null
	as_slurm scontrol reboot ASAP nextstate=RESUME slow-0
	wait_for 150 "its power-down" logged 'k8s: nodes slow-0: power down (down)'
	kns delete quota none >/dev/null
	wait_for 90 "idle~" nodes_are slow-0 'idle~'
	id=$(submit -p slow --wrap true)
	wait_for 120 "job $id" job_is "$id" COMPLETED
}

@test "not responding: slurmd hangs in a pod that runs: its node gets another one" {
	slurmd_timeout 30 # (no less: a slurmd on a busy machine is to be believed alive)
	running_job
	uid=$(pod_uid bad-0)
	kill -STOP "$(slurmd_of bad-0)"
	wait_for 120 "job $id to go back" logged "Requeuing JobId=$id\|requeue job JobId=$id"
	[[ $(pod_uid bad-0) = "$uid" ]]
	wait_for 120 "bad-0 to be powered down" logged 'k8s: nodes bad-0: .*(not responding).*slurmd in its pod does not respond'
	wait_for 120 "bad-0 to be of use again" nodes_are bad-0 'idle~' # (its job Slurm lets wait)
}

# bats test_tags=alone
@test "host cordoned: no new jobs, the one there goes on; uncordoned: all is as before" {
	running_job
	host=$(kns get pod bad-0 -o 'jsonpath={.spec.nodeName}')
	kube cordon "$host" >/dev/null
	wait_for 30 "the drain" logged "reason set to: k8s: Kubernetes node $host is cordoned"
	job_is "$id" RUNNING
	kube uncordon "$host" >/dev/null
	wait_for 30 "its end" logged 'k8s: nodes bad-0: no longer drained (host is back)'
	job_is "$id" RUNNING
	[[ $(job "$id" Restarts) = 0 ]]
}

# bats test_tags=alone
@test "an administrator's drain and Reason stay" {
	running_job
	update NodeName=bad-0 State=DRAIN Reason=hands-off
	host=$(kns get pod bad-0 -o 'jsonpath={.spec.nodeName}')
	kube cordon "$host" >/dev/null
	kube uncordon "$host" >/dev/null
	update NodeName=bad-1 State=DRAIN Reason=hands-off
	sleep_passes
	[[ $(node bad-0 Reason) = hands-off* && $(node bad-1 Reason) = hands-off* ]]
	as_slurm scancel "$id"
	suspend_time 3
	wait_for 120 "the pod to go" pods_are 0
	[[ $(node bad-1 Reason) = hands-off* ]]
	update NodeName=bad-[0-1] State=RESUME
}

# Two looks of the engine: something else changes, and it acts on that
sleep_passes() {
	mark
	kns run stray --image=localhost/none --labels="slurm-k8s.io/cluster=cluster,slurm-k8s.io/node=nobody" >/dev/null
	wait_for 120 "the stray pod to be seen" logged 'pod stray with the label of node nobody'
}

@test "stray and orphan: pods that no node has go" {
	mark
	resume bulk-7
	kns run stray --image=localhost/none --labels="slurm-k8s.io/cluster=cluster,slurm-k8s.io/node=nobody" >/dev/null
	wait_for 200 "both to go" pods_are 0
	wait_for 10 "the word" logged 'pod bulk-7 is deleted (orphan)'
	wait_for 10 "the word" logged 'pod stray with the label of node nobody'
}

@test "a pod without our labels is left alone" {
	kns run mine --image=localhost/none >/dev/null
	sleep_passes
	kns get pod mine
	kns delete pod mine --force --grace-period=0 >/dev/null 2>&1
}

@test "no pod: a node whose power-up was lost gets its pod" {
	# (as if slurmctld had been killed while k8s_resume ran)
	as_slurm scontrol reconfigure || true
	mv "$SITE_BIN/k8s_resume" "$SITE_BIN/k8s_resume.good"
	printf '#!/bin/sh\nexit 1\n' >"$SITE_BIN/k8s_resume"
	chmod 755 "$SITE_BIN/k8s_resume"
	mark
	id=$(submit -p bad -w bad-1 --wrap true)
	wait_for 90 "the engine to make it" logged 'k8s: bad-1: pod .*/bad-1 created'
	good_programs
	wait_for 120 "job $id" job_is "$id" COMPLETED
}

@test "powered down: no waiting for SuspendTimeout" {
	update NodeName=big-0 State=POWER_UP
	wait_for 90 "big-0" nodes_are big-0 idle
	mark
	update NodeName=big-0 State=POWER_DOWN
	wait_for 90 "idle~" nodes_are big-0 'idle~'
	wait_for 10 "the word" logged 'k8s: nodes big-0: powered down'
}

@test "old template: idle pods are replaced, busy ones when their jobs end" {
	running_job
	update NodeName=bad-1 State=POWER_UP
	wait_for 90 "bad-1" nodes_are bad-1 idle
	template 's#^spec:#metadata: {labels: {new: "yes"}}\nspec:#' # (marks the log)
	wait_for 60 "bad-1 to be powered down" logged 'nodes bad-1: power down (old template)'
	job_is "$id" RUNNING
	[[ ! $(kns get pod bad-0 -o 'jsonpath={.metadata.labels.new}') ]]
	as_slurm scancel "$id"
	wait_for 120 "bad-0's pod to go" pods_are 0 # (kubelet takes its time now and then)
	id=$(submit -p bad -w bad-0 --wrap true)
	wait_for 120 "job $id" job_is "$id" COMPLETED
	[[ $(kns get pod bad-0 -o 'jsonpath={.metadata.labels.new}') = yes ]]
}

@test "power down asap: the job ends first, then the pod goes" {
	running_job
	update NodeName=bad-0 State=POWER_DOWN_ASAP Reason=later
	sleep_passes
	job_is "$id" RUNNING
	pods_are 1 slurm-k8s.io/node=bad-0
	as_slurm scancel "$id"
	wait_for 120 "its pod to go" pods_are 0 slurm-k8s.io/node=bad-0
	wait_for 120 "bad-0 to be of use again" nodes_are bad-0 'idle~'
}

@test "slurmctld is killed and started again: nothing lost, nothing doubled" {
	running_job
	uid=$(pod_uid bad-0)
	# (Slurm itself forgets what is younger than its last save)
	touch "$BATS_TEST_TMPDIR/now"
	submit -p bulk --hold --wrap true
	update NodeName=bad-0 Comment=saved
	wait_for 60 "Slurm to save its state" sh -c "test '$SITE/state/job_state' -nt '$BATS_TEST_TMPDIR/now' -a '$SITE/state/node_state' -nt '$BATS_TEST_TMPDIR/now'"
	kill -9 "$(<"$SITE/slurmctld.pid")"
	slurmctld_start
	wait_for 60 "the engine" logged 'pods in view'
	wait_for 120 "job $id" job_is "$id" RUNNING
	[[ $(pod_uid bad-0) = "$uid" ]]
	pods_are 1
	update NodeName=bad-0 Comment=
}

@test "a broken k8s.yaml on reconfigure: an error with its line, the one in force stays" {
	! site_in_tree || skip "from Slurm 24.11 on there is none in force: see the next test"
	mark
	other_yaml
	echo 'nonsense: 1' >>"$SITE/k8s.yaml"
	as_slurm scontrol reconfigure || true
	wait_for 60 "the error" logged "k8s: the configuration in force stays: .*k8s.yaml:[0-9]*:1: unknown key 'nonsense'"
	good_yaml
	as_user scontrol ping | grep -q UP
}

@test "a broken k8s.yaml when slurmctld starts: an error with its line, no engine until there is a good one" {
	other_yaml
	echo 'nonsense: 1' >>"$SITE/k8s.yaml"
	mark
	slurmctld_stop
	slurmctld_start
	logged "sched/bridge: .*k8s.yaml:[0-9]*:1: unknown key 'nonsense'"
	logged 'the engine does not run'
	good_yaml
	as_slurm scontrol reconfigure || true
	wait_for 60 "the engine" logged 'k8s: engine .* runs'
}

# bats test_tags=plain
@test "sbatch of a heterogeneous job works" {
	id=$(cd /tmp && as_user sbatch --parsable -p bad -n1 : -p big -n1 --wrap true)
	[[ $id ]]
	as_slurm scancel "$id"
}

# bats test_tags=plain
@test "slurmctld ends within 3 s" {
	# (the best of three: there may be others that want the processor)
	for _ in 1 2 3; do
		before=$(date +%s%3N)
		slurmctld_stop
		took=$(($(date +%s%3N) - before))
		slurmctld_start
		echo "took $took ms"
		((took >= 3000)) || break
	done
	((took < 3000))
}

# bats test_tags=alone,api
@test "API server down for a while under a running job: the job goes on, Slurm answers, later all converges" {
	id=$(submit -N1 --wrap "sleep 1000")
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	uid=$(pod_uid "$(job "$id" BatchHost)")
	"$TOP/script/cluster" api-stop
	end=$((SECONDS + ${API_DOWN_SECONDS:-15}))
	while ((SECONDS < end)); do
		as_user timeout 20 scontrol ping | grep -q "is UP"
		job_is "$id" RUNNING
		other=$(submit -p bulk --hold --wrap true)
		as_slurm scancel "$other"
		sleep 1
	done
	[[ $(job "$id" Restarts) = 0 ]]
	"$TOP/script/cluster" api-start 3>&-
	wait_for 60 "the pods to be seen again" grep -q 'k8s: cluster prod: pods can be seen again' "$SITE/log/slurmctld.log"
	job_is "$id" RUNNING
	[[ $(pod_uid "$(job "$id" BatchHost)") = "$uid" ]]
	next=$(submit -p big --wrap true)
	wait_for 120 "job $next" job_is "$next" COMPLETED
}
