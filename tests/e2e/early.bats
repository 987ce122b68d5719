# SPDX-License-Identifier: GPL-2.0-or-later
# A pod starts when a job gets its node, and not when power saving looks at that next.
setup() {
	load common.bash
	# shellcheck source=tests/e2e/log.bash
	. "$TOP/tests/e2e/log.bash"
}
teardown() {
	kill -CONT "$(<"$SITE/slurmctld.pid")" || true
	clean_up
}

# allocate: submits a job (sets id) and waits until it has a node (sets NODE)
allocate() {
	mark
	id=$(submit --requeue --wrap true)
	until NODE=$(job "$id" NodeList) && [[ $NODE && $NODE != "(null)" ]]; do sleep 0.02; done
}
has_completed() {
	wait_for 60 "job $id" job_is "$id" COMPLETED
	job_says "$id" Restarts=0
	node_rests
}
node_rests() {
	update NodeName="$NODE" State=POWER_DOWN
	wait_for 90 "$NODE to be powered down" nodes_are "$NODE" idle~
}
engine_made() { logged "k8s: $NODE: pod [^ ]* created"; }
there_already() { grep -q "k8s_resume.*$NODE: pod [^ ]* there already" "$POWER_LOG"; }

# (whether power saving comes first, which looks each second, is chance; and so it is
# whether the node registers before, and no k8s_resume is started for it)
@test "a pod is made when its job gets the node; k8s_resume adopts it" {
	for ((try = 0; try < 4; try++)); do
		allocate
		has_completed
		! engine_made || ! there_already || break
	done
	engine_made
	there_already
	run ! logged 'cannot be created'
}

# starts_unheard: slurmd starts while slurmctld stands still, and is heard only when power saving
# has looked at its node. False: that was quicker, or has looked before.
starts_unheard() {
	local rc=0
	kill -STOP "$(<"$SITE/slurmctld.pid")"
	{ pods_are 1 && wait_for 60 "the pod's slurmd" has_run "$NODE" && slurmd_gets STOP; } || rc=1
	kill -CONT "$(<"$SITE/slurmctld.pid")"
	((rc == 0)) || return 1
	wait_for 60 "power saving" nodes_are "$NODE" 'alloc#'
	slurmd_gets CONT
}
# has_run POD: its container, for two seconds (slurmd's start and power saving's look have whole ones)
has_run() {
	local at
	at=$(of_pod "$SITE_NS" "$1" '.status.containerStatuses[0].state.running.startedAt // empty | fromdate')
	[[ $at ]] && (($(date +%s) - at >= 2))
}
# slurmd_gets SIGNAL
# shellcheck disable=SC2016 # the pod's
slurmd_gets() {
	kns exec "$NODE" -- sh -c 'for p in /proc/[0-9]*; do
		[ "$(cat "$p/comm")" != slurmd ] || kill -s "$1" "${p#/proc/}"; done' sh "$1"
}

@test "a slurmd that Slurm does not hear, as it started too early, is replaced at once, and its job runs" {
	for ((try = 0; try < 20; try++)); do
		allocate
		! starts_unheard || break
		has_completed
	done
	# (with 22.05 a slurmd has been started when it says so for the first time)
	[[ $SITE_RELEASE = 22.05 ]] ||
		wait_for 30 "the word" logged "k8s: $NODE: pod [^ ]* is deleted (registered too early)"
	has_completed
}
