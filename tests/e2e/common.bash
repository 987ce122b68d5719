# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the e2e tests share. shellcheck source=script/lib/site.sh
. "$TOP/script/lib/site.sh"

# shellcheck disable=SC2034 # the tests look there
POWER_LOG=$SITE/log/power_k8s.log

resume() { as_slurm "$SITE_BIN/k8s_resume" "$@"; }
suspend() { as_slurm "$SITE_BIN/k8s_suspend" "$@"; }
update() { as_slurm scontrol update "$@"; }

pod_count() { kns get pods --no-headers -l "${1:-slurm-k8s.io/node}" 2>/dev/null | wc -l; }
pods_are() { [[ $(pod_count "${2:-}") -eq $1 ]]; }
pod_uid() { kns get pod "$1" -o 'jsonpath={.metadata.uid}'; }
job() { as_user scontrol show job "$1" 2>/dev/null | sed -n "s/.*\b$2=\([^ ]*\).*/\1/p"; }
job_is() { [[ $(job "$1" JobState) = "$2" ]]; }
node() { as_user scontrol show node "$1" | sed -n "s/.*\b$2=\(.*\)/\1/p" | sed 's/ [A-Z][A-Za-z]*=.*//'; }
job_says() { as_user scontrol show job "$1" 2>/dev/null | grep -q -- "$2"; }
node_says() { as_user scontrol show node "$1" | grep -q -- "$2"; }
node_state() { as_user sinfo -h -N -n "$1" -o %t | sort -u; }
nodes_are() { [[ $(as_user sinfo -h -n "$1" -o %t | sort -u) = "$2" ]]; }
submit() { (cd /tmp && as_user sbatch --parsable --chdir=/tmp --output=/tmp/slurm-%j.out "$@"); }
# has TEXT: the output of the last `run`, or a file
has() { grep -qF -- "$1" "${2:-/dev/stdin}" <<<"${output:-}"; }

# nodes_awake: those that are not idle~, comma-separated
nodes_awake() {
	local states
	states=$(as_user sinfo -h -N -o '%N %t') && [[ $states ]] || return 1
	awk '$2 != "idle~" && !seen[$1]++ {print $1}' <<<"$states" | paste -sd,
}

# (POWER_DOWN is for nodes that are up: on one that is idle~ it makes Slurm
# forget that it is, and look its name up; so does POWER_DOWN_FORCE, unless
# there is nothing to look up. A slurmctld that does not answer says nothing.)
no_address() { tr , '\n' <<<"$1" | sed 's/.*/127.0.0.1/' | paste -sd,; }
all_asleep() {
	local nodes
	nodes=$(nodes_awake) || return 1
	[[ $nodes ]] || return 0
	update NodeName="$nodes" NodeAddr="$(no_address "$nodes")" State=POWER_DOWN_FORCE >/dev/null 2>&1 || true
	update NodeName="$nodes" State=RESUME >/dev/null 2>&1 || true
	return 1
}

# (slurmd of a pod that is deleted by force may answer for its node a while)
no_slurmd() { ! pgrep -f "slurmd -D .*:$SITE_PORT" >/dev/null; }

# After a test: nothing of it may reach the next one
clean_up() {
	as_slurm scancel --user="$SITE_USER" >/dev/null 2>&1 || true
	kns delete resourcequota --all >/dev/null 2>&1 || true
	kube delete --raw "/api/v1/namespaces/$SITE_NS/pods?gracePeriodSeconds=0" >/dev/null 2>&1 || true
	wait_for 60 "each slurmd to end" no_slurmd
	wait_for 120 "all nodes to be idle~" all_asleep || {
		autopsy
		return 1
	}
	# (those that a power-down on its way has still to delete)
	wait_for 60 "the pods to go" pods_are 0
}

# What slurmctld does when it does not do what a test wants
autopsy() {
	as_user sinfo -N -o '%N %t %E' | grep -v 'idle~' || true
	as_user squeue || true
	tail -n 40 "$SITE/log/slurmctld.log"
	timeout 60 gdb -p "$(<"$SITE/slurmctld.pid")" -batch -ex 'thread apply all bt 12' 2>/dev/null |
		grep -E '^(Thread|#)' | head -n 150
} >&2
