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
node_state() { as_user sinfo -h -N -n "$1" -o %t | sort -u; }
nodes_are() { [[ $(as_user sinfo -h -n "$1" -o %t | sort -u) = "$2" ]]; }
submit() { (cd /tmp && as_user sbatch --parsable --chdir=/tmp --output=/tmp/slurm-%j.out "$@"); }
# has TEXT: the output of the last `run`, or a file
has() { grep -qF -- "$1" "${2:-/dev/stdin}" <<<"${output:-}"; }

# After a test: nothing of it may reach the next one
clean_up() {
	as_slurm scancel --user="$SITE_USER" >/dev/null 2>&1 || true
	kns delete resourcequota --all >/dev/null 2>&1 || true
	kns delete pods --all --force --grace-period=0 >/dev/null 2>&1 || true
	update NodeName=ALL State=POWER_DOWN_FORCE >/dev/null 2>&1 || true
	update NodeName=ALL State=RESUME >/dev/null 2>&1 || true
	wait_for 30 "all nodes to be idle~" nodes_are 'cpu-[0-3],big-[0-1],bulk-[0-199],bad-[0-3],lost-0' 'idle~'
}
