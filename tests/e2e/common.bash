# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the e2e tests share. shellcheck source=script/lib/site.sh
. "$TOP/script/lib/site.sh"

bats_require_minimum_version 1.5.0 # for "run !"; a "!" alone asserts nothing
# shellcheck disable=SC2034 # bats looks there (and not in the environment)
BATS_TEST_RETRIES=${E2E_RETRIES:-0}
watch_test

# (bats does not tell where the first of two tries failed: its output says it here)
if declare -F bats_should_retry_test >/dev/null && ! declare -F bats_retries >/dev/null; then
	eval "bats_retries$(declare -f bats_should_retry_test | sed 1s/bats_should_retry_test//)"
	bats_should_retry_test() {
		bats_retries || return
		local stack_trace
		bats_get_failure_stack_trace stack_trace
		{ bats_print_stack_trace "${stack_trace[@]}" && bats_print_failed_command "${stack_trace[@]}"; } >>"$BATS_OUT"
	}
fi

# shellcheck disable=SC2034 # the tests look there
POWER_LOG=$SITE/log/power_k8s.log

resume() { as_slurm "$SITE_BIN/k8s_resume" "$@"; }
suspend() { as_slurm "$SITE_BIN/k8s_suspend" "$@"; }
update() { as_slurm scontrol update "$@"; }

# setting NAME VALUE: of slurm.conf, in force
setting() {
	! grep -qx "$1=$2" "$SITE/slurm.conf" || return 0
	sed -i "/^$1=/d" "$SITE/slurm.conf"
	echo "$1=$2" >>"$SITE/slurm.conf"
	as_slurm scontrol reconfigure || true
}
# (300: no pod goes by itself while a test looks at it. Who wants it to go says 3.)
suspend_time() { setting SuspendTime "$1"; }

# raw METHOD PATH [CURL-OPTION...]: of the API server, as an administrator. (kubectl takes four times
# the processor time, of which a run has none to give away. It asks again, too, when the API server
# has too much to do.)
API=$(sed -n 's/^ *server: //p' "$SITE_KUBE")
PKI=${SITE_KUBE%/*}/pki
raw() { curl -sSf --max-time 90 --retry 3 --cacert "$PKI/ca.crt" --cert "$PKI/admin.crt" --key "$PKI/admin.key" -X "$1" "$API$2" "${@:3}"; }

# (a row of a table has no more of a pod than its metadata; -1: who does not answer says nothing)
pod_count() {
	local rows
	rows=$(raw GET "/api/v1/namespaces/$SITE_NS/pods?labelSelector=${1:-slurm-k8s.io/node}" \
		-H 'Accept: application/json;as=Table;v=v1;g=meta.k8s.io' 2>/dev/null) || { echo -1 && return; }
	grep -o '"PartialObjectMetadata"' <<<"$rows" | wc -l
}
pods_are() { [[ $(pod_count "${2:-}") -eq $1 ]]; }
# of_pod NAMESPACE NAME FILTER: what gojq makes of it (jq takes ten times as long to start); nothing
# of a pod that there is not. of_pods NAMESPACE SELECTOR FILTER: of all these
of_pod() { of_pods "$1" "" "$3" "/$2"; }
of_pods() {
	local json
	json=$(raw GET "/api/v1/namespaces/$1/pods${4:-${2:+?labelSelector=$2}}" 2>/dev/null) && gojq -r "$3" <<<"$json"
}
# annotation POD KEY: one of ours
annotation() { kns get pod "$1" -o "jsonpath={.metadata.annotations.slurm-k8s\.io/$2}"; }
annotation_is() { [[ $(annotation "$1" "$2") = "$3" ]]; }
# quota NAME PODS: no more than so many, in force; until it is deleted
quota() {
	kns create quota "$1" --hard=pods="$2" >/dev/null
	wait_for 90 "the quota" has_quota "$1"
}
has_quota() { [[ $(kns get quota "$1" -o 'jsonpath={.status.hard.pods}') ]]; }
pod_uid() { of_pod "$SITE_NS" "$1" .metadata.uid; }
job() { as_user scontrol show job "$1" 2>/dev/null | sed -n "s/.*\b$2=\([^ ]*\).*/\1/p"; }
job_is() { [[ $(job "$1" JobState) = "$2" ]]; }
node() { as_user scontrol show node "$1" | sed -n "s/.*\b$2=\(.*\)/\1/p" | sed 's/ [A-Z][A-Za-z]*=.*//'; }
job_says() { as_user scontrol show job "$1" 2>/dev/null | grep -q -- "$2"; }
# save_job JOB: as it is now; what slurmctld has not saved it forgets when it is killed
save_job() {
	touch "$SITE/now"
	as_slurm scontrol update job "$1" comment=saved
	wait_for 60 "Slurm to save job $1" saved_since "$SITE/now"
}
saved_since() { [[ $SITE/state/job_state -nt $1 ]]; }
node_says() { as_user scontrol show node "$1" | grep -q -- "$2"; }
node_state() { as_user sinfo -h -N -n "$1" -o %t | sort -u; }
# tool ARGUMENT...: slurm-k8s as from root's own shell; for TOOL_FOR seconds at most
tool() {
	inside env -i PATH=/usr/bin:/bin HOME=/root SLURM_CONF="$SITE/slurm.conf" ${TOOL_FOR:+timeout "$TOOL_FOR"} \
		"$SITE/root/usr/sbin/slurm-k8s" "$@"
}
# green_site FOLDER: there is a k8s.yaml for all nodes of these tests in which nothing is wrong,
# with its template; nodes of the tests' own nodesets are to fail
green_site() {
	mkdir "$1"
	cp "$SITE/worker.yaml" "$1"
	sed '/^  - name: bulk$/,$d' "$SITE/k8s.yaml" >"$1/k8s.yaml"
	cat >>"$1/k8s.yaml" <<-Y
	  - name: rest
	    cluster: prod
	    nodes: bulk-[0-199],bad-[0-3],far-[0-1],slow-0,lost-0
	    resources: template
	    podTemplateFile: worker.yaml
	    failover: {unschedulableAfter: 5s, notStartedAfter: 5s, registerWithin: 10s}
	Y
	chmod 644 "$1"/*.yaml
}
# is_green FILE: check --json has found nothing but that the prolog of the tests is a script that calls ours
is_green() {
	jq -r '.checks[] | select(.state != "ok" and .state != "skipped") | "\(.state) \(.check): \(.text)"' "$1"
	[[ $(jq -r '"\(.exit) \([.checks[] | select(.state != "ok" and .state != "skipped") | .check])"' "$1") = '0 ["PrologSlurmctld"]' ]]
}
# excepted_are NODES: SuspendExcNodes, in force
excepted_are() { [[ $(as_user scontrol show config | sed -n 's/^SuspendExcNodes *= //p' | sed 's/(null)//') = "$1" ]]; }
nodes_are() { [[ $(as_user sinfo -h -n "$1" -o %t | sort -u) = "$2" ]]; }
submit() { (cd /tmp && as_user sbatch --parsable --chdir=/tmp --output=/tmp/slurm-%j.out "$@"); }
# What a job does until tell() of it
# shellcheck disable=SC2016,SC2034 # the job's; the tests use it
UNTIL_TOLD='until [ -e "/tmp/go.$SLURM_JOB_ID" ]; do sleep 0.5; done'
tell() { kns exec "$(job "$1" BatchHost)" -- touch "/tmp/go.$1"; }
# has TEXT: the output of the last `run`, or a file
has() { grep -qF -- "$1" "${2:-/dev/stdin}" <<<"${output:-}"; }

# nodes_in PATTERN: nodes whose state, as sinfo writes it, matches; with commas
nodes_in() { awk -v p="$1" '$2 ~ p && !seen[$1]++ {print $1}' <<<"$STATES" | paste -sd,; }

# Everything idle~? If not, a step towards it. (POWER_DOWN is for nodes that are
# up: on one that is idle~ it makes Slurm forget that it is, and look its name
# up; so does POWER_DOWN_FORCE, unless there is nothing to look up. A slurmctld
# that does not answer says nothing.)
no_address() { tr , '\n' <<<"$1" | sed 's/.*/127.0.0.1/' | paste -sd,; }
all_asleep() {
	local up drained
	STATES=$(as_user sinfo -h -N -o '%N %t') && [[ $STATES ]] || return 1
	up=$(nodes_in '[^~%]$') drained=$(nodes_in '[^e]~$')
	[[ ! $up ]] || update NodeName="$up" NodeAddr="$(no_address "$up")" State=POWER_DOWN_FORCE || true
	[[ ! $drained ]] || update NodeName="$drained" State=IDLE || true
	[[ $(awk '{print $2}' <<<"$STATES" | sort -u) = 'idle~' ]]
}

# The API server fails, for this site (SITE_API: one that is its alone), or for all there is
api_stops() { touch "$SITE/api-stopped" && "$TOP/script/cluster" api-stop "${SITE_API:-1}" 3>&- >/dev/null; }
api_starts() {
	[[ -e $SITE/api-stopped ]] || return 0
	"$TOP/script/cluster" api-start "${SITE_API:-1}" 3>&- >/dev/null && rm "$SITE/api-stopped"
}

delete_pods() { raw DELETE "/api/v1/namespaces/$SITE_NS/pods?gracePeriodSeconds=0${1:-}" >/dev/null 2>&1 || true; }

# sit_in: another user of the machine takes the name that the engine listens under, until
# sit_out. It must be free, as while slurmctld does not run.
sit_in() {
	local name
	name=slurm-k8s/$(sed -n 's/^ClusterName=//p' "$SITE/slurm.conf")/$SITE_PORT
	as_user python3 -c '
import os, socket, sys, time
ears = [socket.socket(socket.AF_UNIX, kind) for kind in (socket.SOCK_SEQPACKET, socket.SOCK_DGRAM)]
for ear in ears:
    ear.bind("\0" + sys.argv[1])
ears[0].listen(64)
print(os.getpid(), flush=True)
time.sleep(3600)' "$name" >"$SITE/sits" 3>&- 9>&- &
	wait_for 30 "another user to listen" test -s "$SITE/sits"
}
sit_out() {
	[[ ! -s $SITE/sits ]] || kill "$(<"$SITE/sits")" 2>/dev/null || true
	rm -f "$SITE/sits"
}

good_template() { cmp -s "$SITE/worker.yaml" "$SITE/bad.yaml" || cp "$SITE/worker.yaml" "$SITE/bad.yaml"; }

# After a test: nothing of it may reach the next one. (No pod that runs is deleted by
# force: its containers go on until the kubelet has heard of it, and a slurmd among
# them answers for its node.)
clean_up() {
	local WAIT_MAX='' # a test is to fail by itself, not here
	sit_out
	as_slurm scancel --user="$SITE_USER" >/dev/null 2>&1 || true
	raw DELETE "/api/v1/namespaces/$SITE_NS/resourcequotas" >/dev/null 2>&1 || true
	good_template
	delete_pods '&fieldSelector=spec.nodeName%3D'
	if [[ -s $SITE/slurmctld.pid ]] && process_ended "$(<"$SITE/slurmctld.pid")"; then
		echo "slurmctld has died" >&2
		tail -n 20 "$SITE/log/slurmctld.out" >&2
		slurmctld_start
		return 1
	fi
	wait_for 120 "all nodes to be idle~" all_asleep || {
		autopsy
		return 1
	}
	delete_pods
	# (those that a power-down on its way has still to delete)
	wait_for 120 "the pods to go" pods_are 0
}

# What an admin would look at when a wait was in vain (see wait_for)
gave_up() {
	[[ ! ${WAIT_MAX:-} ]] || return 0 # it was to be in vain
	as_user sinfo -N -o '%N %t %E' | grep -v 'idle~' || true
	as_user squeue || true
	timeout 20 kubectl --kubeconfig "$SITE_KUBE" -n "$SITE_NS" get pods -o wide || true
	tail -n 40 "$SITE/log/slurmctld.log"
} >&2

# What slurmctld does when it does not do what a test wants
autopsy() {
	timeout 60 gdb -p "$(<"$SITE/slurmctld.pid")" -batch -ex 'thread apply all bt 12' 2>/dev/null |
		grep -E '^(Thread|#)' | head -n 150
} >&2
