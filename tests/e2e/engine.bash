# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of the engine share. shellcheck source=tests/e2e/common.bash
. "$TOP/tests/e2e/common.bash"
# shellcheck source=tests/e2e/log.bash
. "$TOP/tests/e2e/log.bash"

slurmd_timeout() { setting SlurmdTimeout "$1"; }

# other_yaml [FROM TO]: k8s.yaml from the next reconfigure on (or start of slurmctld), until
# put_right() or good_yaml() and another one
other_yaml() {
	[[ -e $SITE/k8s.yaml.good ]] || {
		cp "$SITE/k8s.yaml" "$SITE/k8s.yaml.copy"
		mv "$SITE/k8s.yaml.copy" "$SITE/k8s.yaml.good"
	}
	[[ ! ${1:-} ]] || put "$SITE/k8s.yaml" "$1" "$2"
}
good_yaml() { [[ ! -e $SITE/k8s.yaml.good ]] || mv "$SITE/k8s.yaml.good" "$SITE/k8s.yaml"; }

# take_over: what is in the files now is in force
take_over() {
	mark
	# (Slurm may take its time to look names up: what counts is what follows)
	as_slurm scontrol reconfigure || true
	# (from Slurm 24.11 on it is another process that reads it)
	wait_for 60 "the new configuration" logged 'k8s.yaml is in force\|k8s: engine .* runs'
	wait_for 60 "the pods in view" logged 'pods in view'
}

# cordon HOST: until uncordon, or put_right
cordon() { echo "$1" >"$SITE/cordoned" && kube cordon "$1" >/dev/null; }
uncordon() { kube uncordon "$1" >/dev/null && rm -f "$SITE/cordoned"; }

good_programs() { [[ ! -e $SITE_BIN/k8s_resume.good ]] || mv "$SITE_BIN/k8s_resume.good" "$SITE_BIN/k8s_resume"; }

put_right() {
	good_programs
	suspend_time 300
	setting ResumeTimeout 180
	! grep -q ^PrologEpilogTimeout= "$SITE/slurm.conf" || {
		sed -i '/^PrologEpilogTimeout=/d' "$SITE/slurm.conf"
		as_slurm scontrol reconfigure || true
	}
	! grep -q ^SlurmdTimeout= "$SITE/slurm.conf" || slurmd_timeout 300
	api_starts
	[[ ! -s $SITE/cordoned ]] || uncordon "$(<"$SITE/cordoned")"
	[[ ! -e $SITE/k8s.yaml.good ]] || { good_yaml && take_over; }
	template
	clean_up
}

# template [SED-EXPRESSION...]: of the bad nodes, in force
template() {
	local args=() e
	for e; do args+=(-e "$e"); done
	sed -e '' "${args[@]}" "$SITE/worker.yaml" >"$SITE/bad.yaml.new"
	! cmp -s "$SITE/bad.yaml.new" "$SITE/bad.yaml" || return 0
	mv "$SITE/bad.yaml.new" "$SITE/bad.yaml"
	take_over
}

# A job of bad-[0-1] goes back to the queue for this reason and is eligible
# soon; with a good template it runs.
comes_back() { # JOB WORDS
	wait_for 110 "job $1 to go back: $2" logged "k8s: nodes bad-0: their jobs go back to the queue.*$2"
	wait_for 30 "job $1 to be eligible" logged "k8s: job $1 is eligible again"
	grep -q "node bad-0 reason set to: k8s: .*$2" "$CTLD_LOG"
	[[ $(as_user scontrol show job "$1" | sed -n 's/^ *AdminComment=//p') = "k8s: "*$2* ]]
	good_yaml
	template
	wait_for 120 "job $1 to run" job_is "$1" COMPLETED
}

# cannot_start WORDS SED-EXPRESSION...: such a template costs its job a moment
cannot_start() {
	template "${@:2}"
	mark
	id=$(submit -p bad -w bad-0 --wrap true)
	comes_back "$id" "$1"
}

# slurmd_of NODE: its process, in this site's pod (others may have such a node)
slurmd_of() {
	local pid uid
	uid=$(pod_uid "$1")
	for pid in $(pgrep -f "^[^ ]*slurmd -D -b -N $1 "); do
		! grep -q "$uid" "/proc/$pid/cgroup" || echo "$pid"
	done
}

# running_job: a job that runs on bad-0, requeueable; sets id
running_job() {
	id=$(submit -p bad -w bad-0 --requeue --wrap 'sleep 1000')
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	mark
}

# Two looks of the engine: something else changes, and it acts on that
sleep_passes() {
	mark
	kns run stray --image=localhost/none --labels="slurm-k8s.io/cluster=cluster,slurm-k8s.io/node=nobody" >/dev/null
	wait_for 120 "the stray pod to be seen" logged 'pod stray with the label of node nobody'
}
