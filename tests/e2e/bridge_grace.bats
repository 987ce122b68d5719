# SPDX-License-Identifier: GPL-2.0-or-later
# Pods that want a day to end, and ignore that they are to. Their processes are looked for on
# this machine, which is that of the kubelets, too.
# bats file_tags=alone
setup_file() {
	load bridge.bash
	export BRIDGE_CONF="KillWait=7"
	bridge_up
}
teardown_file() {
	load bridge.bash
	bridge_down
}
setup() {
	load bridge.bash
	begin
	WORD=stubborn-$BASHPID-$RANDOM
	CPUS=$(node "$ONE" CPUTot)
}
teardown() {
	end_it
	bridge_clean
}

# day NAME: a pod that has all of $ONE; the word is how its process is found
day() { a_pod "$1" "trap '' TERM; : $WORD; while :; do sleep 1; done" '' "$CPUS" | grace 86400 | on "$ONE" | create; }
next() { a_pod next "$LONG" '' "$CPUS" | on "$ONE" | create; }
pids() { pgrep -f ": $WORD;" || true; }
lives() { [[ $(pids) ]]; }
end_it() {
	local pid
	for pid in $(pids); do kill -9 "$pid" 2>/dev/null || true; done
}
is_bound() { [[ $(pod_node next) ]]; }
waits() { pod_says "$TEAM" next "job [0-9]*"; }
# no pod is there before the one that goes is dead
bound_after() {
	wait_for "$1" "the next pod to be bound" is_bound
	run lives
	[[ $status -ne 0 ]]
	runs next
}

@test "a job is cancelled whose pod has a day to end: after KillWait it is dead, and only then comes the next" {
	day day
	runs day
	lives
	id=$(job_of day)
	next
	wait_for 60 "the next to wait" waits
	watch_ends
	as_user scancel "$id"
	wait_for 30 "the pod to be deleted" ending day 7
	bound_after 30
	pod_gone day
}

@test "its owner has deleted it with a day before: its time gets shorter, and until it is dead nobody comes" {
	day day
	runs day
	id=$(job_of day)
	next
	wait_for 60 "the next to wait" waits
	watch_ends
	kteam delete pod day --wait=false >/dev/null
	wait_for 30 "the pod to be deleted" ending day 86400
	# (until then its job has the CPUs)
	[[ $(kteam get pod day -o 'jsonpath={.metadata.deletionGracePeriodSeconds}') = 86400 ]]
	state_is "$id" RUNNING
	as_user scancel "$id"
	wait_for 30 "it to be deleted again" ending day 7
	run within 20 "the next to be bound" is_bound
	if [[ $status -eq 0 ]]; then # (this kubelet has learnt of it)
		bound_after 1
		return
	fi
	# the kubelet waits for what it was told at first (kubernetes/kubernetes#83916)
	[[ $(kteam get pod day -o 'jsonpath={.metadata.deletionGracePeriodSeconds}') = 7 ]]
	lives
	wait_for 60 "the next to be told" pod_says "$TEAM" next 'earlier pods are not gone'
	end_it
	bound_after 60
}

# bats test_tags=long
@test "a pod without a job that has a day to end: it is dead a minute and KillWait later, then comes the next" {
	day day
	runs day
	# (what is refused gets no other job)
	kteam annotate pod day job.slurm-k8s.io/bogus=1 >/dev/null
	slurmctld_kill
	rm -f "$SITE/state/job_state" "$SITE/state/job_state.old"
	slurmctld_start
	watch_ends
	next
	wait_for 60 "the next to be told" pod_says "$TEAM" next 'earlier pods are not gone'
	lives
	wait_for 120 "the pod to be deleted" ending day 7
	bound_after 30
	pod_gone day
}
