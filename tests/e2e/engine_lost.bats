# SPDX-License-Identifier: GPL-2.0-or-later
# What runs is lost, or cannot be reached: more rows of the engine's planner
# (docs/architecture.md). bad-[0-3] take their template from bad.yaml.
setup() { load engine.bash; }
teardown() {
	no_prolog
	! grep -q cred_expire= "$SITE/slurm.conf" || cred_expire
	let_go
	[[ $SITE_RELEASE = 22.05 ]] || update PartitionName=bad PowerDownOnIdle=NO || true
	put_right
}

has_run() { job_says "$1" Restarts="$2" && job_is "$1" RUNNING; }
runs_again() { has_run "$1" 1; }
settled() { [[ $(($(date +%s) - $(date -d "$(job "$id" StartTime)" +%s))) -gt 12 ]]; }
comment_of() { as_user scontrol show job "$1" | sed -n 's/^ *AdminComment=\(.*[^ ]\) *$/\1/p'; }

# at_its_own_pace JOB WORDS: it may have ended its pod, and keeps Slurm's two minutes; until now
at_its_own_pace() {
	wait_for 60 "job $1 to wait for its time" job_says "$1" Reason=BeginTime
	# shellcheck disable=SC2053 # WORDS is a pattern
	[[ $(comment_of "$1") = $2 ]]
	run ! logged "k8s: job $1 is eligible again"
	update JobId="$1" StartTime=now
}

@test "pod gone: somebody deletes the pod of a running job without grace" {
	running_job
	kns delete pod bad-0 --force --grace-period=0 >/dev/null 2>&1
	within 9 "bad-0 to be down (10 s, if its end was not seen)" logged 'k8s: nodes bad-0: down (pod gone)'
	wait_for 60 "job $id to go back" logged "Requeuing JobId=$id"
	wait_for 30 "job $id to be eligible" logged "k8s: job $id is eligible again"
	wait_for 120 "job $id to run again" runs_again "$id"
}

# cred_expire [SECONDS]: of slurm.conf (none: Slurm's own, two minutes), in force
cred_expire() {
	slurmctld_stop
	sed -i -e 's/,cred_expire=[0-9]*//' -e '/^AuthInfo=cred_expire=/d' "$SITE/slurm.conf"
	if [[ ! ${1:-} ]]; then
		:
	elif grep -q ^AuthInfo= "$SITE/slurm.conf"; then
		sed -i "/^AuthInfo=/s/\$/,cred_expire=$1/" "$SITE/slurm.conf"
	else
		echo "AuthInfo=cred_expire=$1" >>"$SITE/slurm.conf"
	fi
	mark
	slurmctld_start
	wait_for 60 "the pods in view" logged 'pods in view'
}

@test "pod gone, where slurm.conf has requeued jobs wait for ten minutes: they begin at once all the same" {
	cred_expire 600
	running_job
	kns delete pod bad-0 --force --grace-period=0 >/dev/null 2>&1
	wait_for 60 "job $id to be eligible" logged "k8s: job $id is eligible again"
	wait_for 120 "job $id to run again" runs_again "$id"
}

@test "pod deleted: a graceful delete drains the node, then the job goes back" {
	running_job
	kns delete pod bad-0 --wait=false >/dev/null
	wait_for 30 "the drain" logged 'reason set to: k8s: pod bad-0 is being deleted'
	wait_for 60 "job $id to go back" logged "Requeuing JobId=$id"
	wait_for 120 "the node to be of use again" job_is "$id" RUNNING
}

@test "pod ended: slurmd is killed under a running job" {
	template 's#^spec:#spec:\n  restartPolicy: Never#'
	running_job
	kill -KILL "$(slurmd_of bad-0)"
	wait_for 90 "bad-0 to be down" logged 'k8s: nodes bad-0: down (pod ended)'
	wait_for 120 "job $id to go back" job_says "$id" Restarts=1
	at_its_own_pace "$id" "k8s: its pod has ended: *"
	wait_for 120 "job $id to run again" runs_again "$id"
}

@test "slurmd restarted: its container comes back at once, but the job's processes do not" {
	running_job
	wait_for 60 "what the pod says to be of now" settled
	kill -KILL "$(slurmd_of bad-0)"
	wait_for 90 "bad-0 to be down" logged "k8s: nodes bad-0: down (slurmd restarted): slurmd's container was restarted: slurmd: .*exit code 137"
	at_its_own_pace "$id" "k8s: slurmd's container was restarted: *"
	wait_for 120 "job $id to run again" runs_again "$id"
}

@test "slurmd restarted: a job that ends its pod each time is held the third time, until it is released" {
	running_job
	for run in 1 2 3; do
		((run == 1)) || {
			at_its_own_pace "$id" "k8s: slurmd's container was restarted: *"
			wait_for 120 "job $id to run again" has_run "$id" "$((run - 1))"
		}
		wait_for 60 "what the pod says to be of now" settled
		mark
		kill -KILL "$(slurmd_of bad-0)"
		wait_for 90 "bad-0 to be down" logged 'k8s: nodes bad-0: down (slurmd restarted)'
		wait_for 120 "job $id to go back" job_says "$id" Restarts="$run"
	done
	wait_for 60 "the hold" logged "k8s: job $id is held"
	job_says "$id" Reason=JobHeldUser
	[[ $(comment_of "$id") = "k8s: slurmd's container was restarted: "*"held after 3 runs: scontrol release $id" ]]
	(cd /tmp && as_user scontrol release "$id")
	update JobId="$id" StartTime=now
	wait_for 120 "job $id to run again" has_run "$id" 3
}

# keep POD: it does not go when it is deleted; until let_go
keep() {
	echo "$1" >"$SITE/kept"
	kns patch pod "$1" --type=merge -p '{"metadata":{"finalizers":["example.org/stays"]}}' >/dev/null
}
let_go() {
	[[ -s $SITE/kept ]] || return 0
	kns patch pod "$(<"$SITE/kept")" --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null || true
	rm -f "$SITE/kept"
}

@test "pod stays: a pod that does not go keeps jobs off its node only, until it is gone" {
	update NodeName=bad-0 State=POWER_UP
	wait_for 120 "bad-0" nodes_are bad-0 idle
	keep bad-0
	mark
	update NodeName=bad-0 State=POWER_DOWN
	wait_for 90 "the drain" logged 'k8s: nodes bad-0: drained (pod stays): its old pod is still being deleted'
	[[ $(node bad-0 Reason) = "k8s: its old pod is still being deleted"* ]]
	wait_for 150 "SuspendTimeout" node_says bad-0 'State=.*DRAIN.*POWERED_DOWN'
	id=$(submit -p bad -N1 --wrap true)
	wait_for 120 "job $id to run elsewhere" job_is "$id" COMPLETED
	[[ $(job "$id" BatchHost) != bad-0 ]]
	[[ $(job "$id" Restarts) = 0 ]]
	let_go
	wait_for 60 "the drain's end" logged 'k8s: nodes bad-0: no longer drained (cooled down)'
	wait_for 60 "bad-0 to be of use again" nodes_are bad-0 'idle~'
	run ! logged 'cools down'
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
	cordon "$host"
	wait_for 30 "the drain" logged "reason set to: k8s: Kubernetes node $host is cordoned"
	job_is "$id" RUNNING
	uncordon "$host"
	wait_for 30 "its end" logged 'k8s: nodes bad-0: no longer drained (host is back)'
	job_is "$id" RUNNING
	[[ $(job "$id" Restarts) = 0 ]]
}

# bats test_tags=alone
@test "host cordoned, and a job ends there: Slurm would not say that its Epilog failed, so the node gets a new pod" {
	running_job
	host=$(kns get pod bad-0 -o 'jsonpath={.spec.nodeName}')
	uid=$(pod_uid bad-0)
	cordon "$host"
	wait_for 30 "the drain" logged "reason set to: k8s: Kubernetes node $host is cordoned"
	as_user scancel "$id"
	wait_for 60 "the job's end" nodes_are bad-0 drain
	uncordon "$host"
	wait_for 60 "its end" logged 'k8s: nodes bad-0: .*(host is back, jobs ended)'
	wait_for 120 "bad-0 to be of use again" nodes_are bad-0 'idle~'
	id=$(submit -p bad -w bad-0 --wrap true)
	wait_for 120 "job $id" job_is "$id" COMPLETED
	[[ $(pod_uid bad-0) != "$uid" ]]
}

# bats test_tags=alone
@test "PowerDownOnIdle: a node with jobs that is to power down later is drained with its host as any other" {
	[[ $SITE_RELEASE != 22.05 ]] || skip "it came with Slurm 23.02"
	update PartitionName=bad PowerDownOnIdle=YES
	running_job
	node_says bad-0 'State=.*POWER_DOWN'
	host=$(kns get pod bad-0 -o 'jsonpath={.spec.nodeName}')
	cordon "$host"
	wait_for 30 "the drain" logged "reason set to: k8s: Kubernetes node $host is cordoned"
	job_is "$id" RUNNING
	as_user scancel "$id"
	wait_for 120 "bad-0 to be of use again" nodes_are bad-0 'idle~'
	uncordon "$host"
	update PartitionName=bad PowerDownOnIdle=NO
	id=$(submit -p bad -w bad-0 --wrap true)
	wait_for 120 "job $id" job_is "$id" COMPLETED
}

# bats test_tags=alone
@test "a drain of Slurm's, as a Prolog fails, is none of ours, whatever Reason the node had before" {
	running_job
	host=$(kns get pod bad-0 -o 'jsonpath={.spec.nodeName}')
	cordon "$host"
	wait_for 30 "the drain" logged "reason set to: k8s: Kubernetes node $host is cordoned"
	uncordon "$host"
	wait_for 30 "its end" logged 'k8s: nodes bad-0: no longer drained (host is back)'
	as_user scancel "$id"
	wait_for 60 "bad-0 to be idle" nodes_are bad-0 idle
	mark
	# (a path that pods have; the engine is a new one from then on, but for 22.05's)
	setting Prolog /bin/false
	[[ $SITE_RELEASE = 22.05 ]] || wait_for 60 "slurmd's Prolog" logged 'pods in view'
	sleep 5
	id=$(submit -p bad -w bad-0 --wrap true)
	wait_for 120 "Slurm's drain" node_says bad-0 'State=.*DRAIN'
	sleep_passes
	stays 6 node_says bad-0 'State=.*DRAIN'
	[[ $(node bad-0 Reason) != k8s:* && $(node bad-0 Reason) != "Not responding"* ]]
	run ! logged 'k8s: nodes bad-0: '
	as_slurm scancel "$id"
	no_prolog
	sleep 5
	update NodeName=bad-0 State=RESUME
	wait_for 60 "bad-0 to be of use" nodes_are bad-0 idle
	id=$(submit -p bad -w bad-0 --wrap true)
	wait_for 120 "job $id" job_is "$id" COMPLETED
}
no_prolog() {
	! grep -q ^Prolog= "$SITE/slurm.conf" || {
		sed -i '/^Prolog=/d' "$SITE/slurm.conf"
		as_slurm scontrol reconfigure || true
	}
}

# bats test_tags=alone
@test "an administrator's drain and Reason stay" {
	running_job
	update NodeName=bad-0 State=DRAIN Reason=hands-off
	host=$(kns get pod bad-0 -o 'jsonpath={.spec.nodeName}')
	cordon "$host"
	uncordon "$host"
	update NodeName=bad-1 State=DRAIN Reason=hands-off
	sleep_passes
	[[ $(node bad-0 Reason) = hands-off* && $(node bad-1 Reason) = hands-off* ]]
	as_slurm scancel "$id"
	suspend_time 3
	wait_for 120 "the pod to go" pods_are 0
	[[ $(node bad-1 Reason) = hands-off* ]]
	update NodeName=bad-[0-1] State=RESUME
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
	slurmctld_kill
	slurmctld_start
	wait_for 60 "the engine" logged 'pods in view'
	wait_for 120 "job $id" job_is "$id" RUNNING
	[[ $(pod_uid bad-0) = "$uid" ]]
	pods_are 1
	update NodeName=bad-0 Comment=
}

# bats test_tags=alone,api
@test "API server down for a while under a running job: the job goes on, Slurm answers, later all converges" {
	id=$(submit -N1 --wrap "sleep 1000")
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	uid=$(pod_uid "$(job "$id" BatchHost)")
	api_stops
	end=$((SECONDS + ${API_DOWN_SECONDS:-15}))
	while ((SECONDS < end)); do
		as_user timeout 20 scontrol ping | grep -q "is UP"
		job_is "$id" RUNNING
		other=$(submit -p bulk --hold --wrap true)
		as_slurm scancel "$other"
		sleep 1
	done
	[[ $(job "$id" Restarts) = 0 ]]
	api_starts
	wait_for 60 "the pods to be seen again" grep -q 'k8s: cluster prod: pods can be seen again' "$SITE/log/slurmctld.log"
	job_is "$id" RUNNING
	[[ $(pod_uid "$(job "$id" BatchHost)") = "$uid" ]]
	next=$(submit -p big --wrap true)
	wait_for 120 "job $next" job_is "$next" COMPLETED
}
