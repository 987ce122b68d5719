# SPDX-License-Identifier: GPL-2.0-or-later
# A pod starts when a job gets its node, and not when power saving looks at that next. So that these
# tests know which of both comes first, power saving looks at its nodes each 40 s only.
setup_file() {
	load engine.bash
	cp "$SITE/slurm.conf" "$SITE/slurm.conf.each-second"
	sed -i '/^SlurmctldParameters=/s/\(power_save_\(min_\)\?interval\)=[0-9]*/\1=40/g' "$SITE/slurm.conf"
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

# begins_anew: power saving looks at its nodes when slurmctld starts (not before LOOKED)
begins_anew() {
	slurmctld_stop
	mark
	LOOKED=$(date +%s)
	slurmctld_start
	wait_for 60 "the engine" logged 'pods in view'
}
# allocate [SBATCH-OPTION...]: submits a job (sets id) when power saving has just looked, and waits
# until it has a node (sets NODE) and the engine has made its pod. (Power saving looks some seconds
# after slurmctld's start. A machine may be so busy that it has looked once more before the pod is
# there; that says nothing, and all begins anew.)
allocate() {
	local try
	for ((try = 0; try < 3; try++)); do
		begins_anew
		until (($(date +%s) >= LOOKED + 5)); do sleep 0.1; done
		mark
		id=$(submit --requeue "$@" --wrap true)
		until NODE=$(job "$id" NodeList) && [[ $NODE && $NODE != "(null)" ]]; do sleep 0.02; done
		wait_for 60 "the engine's pod, or k8s_resume's" pods_are 1
		! engine_made || (($(date +%s) >= LOOKED + 35)) || return 0
		as_slurm scancel "$id"
		powers_down
	done
	echo "power saving was there before the engine, three times"
	return 1
}
has_completed() {
	wait_for 60 "job $id" job_is "$id" COMPLETED
	job_says "$id" Restarts=0
}
powers_down() {
	update NodeName="$NODE" State=POWER_DOWN
	begins_anew
	wait_for 90 "$NODE to be powered down" nodes_are "$NODE" idle~
	wait_for 90 "its pod to go" pods_are 0
}
engine_made() { logged "k8s: $NODE: pod [^ ]* created"; }

# resume_begins: what k8s_resume has logged is of before from here on; adopted: it has found NODE's pod
resume_begins() { BEFORE=$(grep -c '' "$POWER_LOG" 2>/dev/null) || BEFORE=0; }
adopted() { tail -n "+$((BEFORE + 1))" "$POWER_LOG" | grep -q "k8s_resume.*$NODE: pod [^ ]* there already"; }

# slurmd_waits: the pod of a bad node starts none before slurmd_may_start
slurmd_waits() {
	template 's#^  containers:#  initContainers: [{name: wait, image: localhost/busybox:1, command: [sh, -c, "until [ -e /tmp/go ]; do sleep 0.1; done"]}]\n&#'
}
slurmd_may_start() { kns exec "$NODE" -c wait -- touch /tmp/go; }
in_pod() { kns exec "$NODE" -c slurmd -- sh -c "$1"; }

# (the API server looks at quotas before it looks whether there is a pod of this name)
@test "a pod is made when its job gets the node; k8s_resume adopts it, and a quota with room for one is enough" {
	quota one 1
	slurmd_waits
	resume_begins
	allocate -p bad -w bad-0
	wait_for 60 "k8s_resume" adopted
	wait_for 60 "its pod to wait" slurmd_may_start
	has_completed
	powers_down
}

@test "a node that registers before power saving comes says nothing of failures before" {
	update NodeName=cpu-0 Comment="k8s: of before"
	resume_begins
	allocate -w cpu-0
	has_completed
	run ! adopted
	[[ ! $(node cpu-0 Comment) ]]
	powers_down
}

# slurmd_gets SIGNAL
# (one that was just forked may be gone)
slurmd_gets() { in_pod "kill -s $1 \$(pidof slurmd) || true"; }

# Its slurmd starts while slurmctld stands still, which then looks at its nodes before it hears slurmd.
@test "a slurmd that Slurm does not hear, as it started too early, is replaced, and its job runs" {
	[[ $SITE_RELEASE != 22.05 ]] || skip "Slurm $SITE_RELEASE counts slurmd's start from its reading of slurm.conf"
	# (k8s_resume would replace a pod whose slurmd has run for 5 s, as it may have here on a busy
	# machine; where the pod is older than 5 s the engine gives k8s_resume 15 s to do so)
	mv "$SITE_BIN/k8s_resume" "$SITE_BIN/k8s_resume.good"
	ln -s /bin/true "$SITE_BIN/k8s_resume"
	slurmd_waits
	allocate -p bad -w bad-0
	until (($(date +%s) >= LOOKED + 36)); do sleep 0.1; done
	kill -STOP "$(<"$SITE/slurmctld.pid")"
	wait_for 60 "its pod to wait" slurmd_may_start
	# (Slurm compares their times in whole seconds)
	wait_for 60 "its slurmd" in_pod 'pidof slurmd && sleep 1.1'
	slurmd_gets STOP
	kill -CONT "$(<"$SITE/slurmctld.pid")"
	wait_for 60 "power saving" nodes_are "$NODE" 'alloc#'
	slurmd_gets CONT
	wait_for 60 "the pod to be deleted" logged "k8s: $NODE: pod [^ ]* is deleted (registered too early)"
	wait_for 60 "another pod" slurmd_may_start
	has_completed
	powers_down
}
