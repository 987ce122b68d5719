# SPDX-License-Identifier: GPL-2.0-or-later
# A pod starts when a job gets its node, and not when power saving looks at that next. So that these
# tests know which of both comes first, power saving looks at its nodes each 20 s only.
setup_file() {
	load engine.bash
	cp "$SITE/slurm.conf" "$SITE/slurm.conf.each-second"
	sed -i '/^SlurmctldParameters=/s/\(power_save_\(min_\)\?interval\)=[0-9]*/\1=20/g' "$SITE/slurm.conf"
}
teardown_file() {
	load engine.bash
	mv "$SITE/slurm.conf.each-second" "$SITE/slurm.conf"
	begins_anew
}
setup() { load engine.bash; }
teardown() {
	kill -CONT "$(<"$SITE/slurmctld.pid")" || true
	put_right
}

# begins_anew: power saving looks at its nodes when slurmctld starts
begins_anew() {
	slurmctld_stop
	mark
	slurmctld_start
	LOOKED=$(date +%s)
	wait_for 60 "the engine" logged 'pods in view'
}
# allocate SECONDS [SBATCH-OPTION...]: submits a job (sets id) that long after power saving has
# looked, and waits until the job has a node (sets NODE)
allocate() {
	begins_anew
	until (($(date +%s) >= LOOKED + $1)); do sleep 0.1; done
	mark
	id=$(submit --requeue "${@:2}" --wrap true)
	until NODE=$(job "$id" NodeList) && [[ $NODE && $NODE != "(null)" ]]; do sleep 0.02; done
}
has_completed() {
	wait_for 60 "job $id" job_is "$id" COMPLETED
	job_says "$id" Restarts=0
	update NodeName="$NODE" State=POWER_DOWN
	wait_for 90 "$NODE to be powered down" nodes_are "$NODE" idle~
	wait_for 90 "its pod to go" pods_are 0
}
engine_made() { logged "k8s: $NODE: pod [^ ]* created"; }

# resume_begins: what k8s_resume has logged is of before from here on; adopted: it has found NODE's pod
resume_begins() { BEFORE=$(grep -c '' "$POWER_LOG" 2>/dev/null) || BEFORE=0; }
adopted() { tail -n "+$((BEFORE + 1))" "$POWER_LOG" | grep -q "k8s_resume.*$NODE: pod [^ ]* there already"; }

# (the API server looks at quotas before it looks whether there is a pod of this name)
@test "a pod is made when its job gets the node; k8s_resume adopts it, and a quota with room for one is enough" {
	quota one 1
	# (so that its slurmd does not register before power saving comes, for then no k8s_resume does)
	template 's#imagePullPolicy: .*#&\n      command: [/bin/sh, -c, "sleep 10; exec /usr/local/sbin/slurmd-entrypoint"]#'
	for ((try = 0; try < 3; try++)); do
		resume_begins
		allocate 18 -p bad -w bad-0
		has_completed
		! engine_made || ! adopted || break
	done
	engine_made
	adopted
}

@test "a node that registers before power saving comes says nothing of failures before" {
	update NodeName=cpu-0 Comment="k8s: of before"
	resume_begins
	allocate 0 -w cpu-0
	has_completed
	run ! adopted
	[[ ! $(node cpu-0 Comment) ]]
}

# starts_unheard: slurmd starts while slurmctld stands still, and is heard only when power saving
# has looked at its node (or had looked before: then Slurm takes it)
starts_unheard() {
	local rc=0
	# (on a busy machine the engine needs its time; when power saving is first it does nothing)
	until_logged 3 "k8s: $NODE: pod [^ ]* created" || return 1
	kill -STOP "$(<"$SITE/slurmctld.pid")"
	{ pods_are 1 && wait_for 60 "the pod's slurmd" has_run "$NODE" && slurmd_gets STOP; } || rc=1
	kill -CONT "$(<"$SITE/slurmctld.pid")"
	((rc == 0)) || return 1
	wait_for 60 "power saving" nodes_are "$NODE" 'alloc#'
	# (its pod may be gone before kubectl is done)
	slurmd_gets CONT || true
}
# has_run POD: its container, for two seconds (slurmd's start and power saving's look have whole ones)
has_run() {
	local at
	at=$(of_pod "$SITE_NS" "$1" '.status.containerStatuses[0].state.running.startedAt // empty | fromdate')
	[[ $at ]] && (($(date +%s) - at >= 2))
}
# slurmd_gets SIGNAL
slurmd_gets() {
	# shellcheck disable=SC2016 # the pod's
	kns exec "$NODE" -- sh -c 'for p in /proc/[0-9]*; do
		[ "$(cat "$p/comm")" != slurmd ] || kill -s "$1" "${p#/proc/}"; done' sh "$1"
}

@test "a slurmd that Slurm does not hear, as it started too early, is replaced at once, and its job runs" {
	[[ $SITE_RELEASE != 22.05 ]] || skip "Slurm $SITE_RELEASE counts slurmd's start from its reading of slurm.conf"
	for ((try = 0; try < 3; try++)); do
		allocate 18
		starts_unheard || echo "not this time: power saving was there, or no pod"
		has_completed
		! logged "k8s: $NODE: pod [^ ]* is deleted (registered too early)" || break
	done
	logged "k8s: $NODE: pod [^ ]* is deleted (registered too early)"
}
