# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Controllers that make bridged pods, all of them real, and what they are given to do.

# controllers: what Kubernetes has not by itself: the controllers of JobSet and
# LeaderWorkerSet, the kind PodGroup of scheduler-plugins
controllers() { "$TOP/script/cluster" controllers-start >&2 3>&- 9>&-; }
# There is one of each, for all suites: who kills one (controllers_alone) does it while no
# other test's objects need it (controllers_shared). Until the end of the test.
controllers_shared() { controllers_lock -s; }
controllers_alone() { controllers_lock -x; }
controllers_lock() {
	[[ ${CONTROLLERS_LOCK:-} ]] || exec {CONTROLLERS_LOCK}>>/run/lock/slurm-k8s-controllers.lock
	flock "$1" "$CONTROLLERS_LOCK"
}
controllers_unlock() {
	[[ ! ${CONTROLLERS_LOCK:-} ]] || exec {CONTROLLERS_LOCK}>&-
	CONTROLLERS_LOCK=
}
# kill_controller NAME: -9; controllers() starts it again
kill_controller() { "$TOP/script/cluster" controllers-stop "$1" >&2 3>&- 9>&-; }

# spec_of COMMAND [CPU [FIELDS]]: the spec of a pod template for Slurm's queue, in one line
spec_of() {
	echo "{schedulerName: $SCHEDULER, tolerations: [{key: slurm-k8s.io/tests, operator: Exists}]," \
		"terminationGracePeriodSeconds: 1, ${3:+$3,} containers: [{name: main, image: \"$SITE_IMAGE\"," \
		"command: [/bin/sh, -c, \"trap 'exit 143' TERM; $1\"], resources: {requests: {cpu: ${2:-100m}, memory: 16Mi}}}]}"
}

GANG='annotations: {job.slurm-k8s.io/gang: "true"}'
# until told by end_pod POD CODE
# shellcheck disable=SC2016 # the pod's shell
UNTIL_TOLD_CODE='until [ -e /tmp/code ]; do sleep 0.3; done; exit $(cat /tmp/code)'
# (it may end, and kill what runs in it, before that itself has ended: 137)
end_pod() { kteam exec "$1" -- sh -c "echo $2 >/tmp/c && mv /tmp/c /tmp/code" || (($? == 137)); }

# pods SELECTOR: names of those that run and are not being deleted
pods() { of_pods "$TEAM" "$1" "$RUNNING"; }
run_are() { [[ $(pods "$1" | wc -l) -eq $2 ]]; } # SELECTOR NUMBER
uids() { of_pods "$TEAM" "$1" '.items[].metadata.uid' | sort; }
# none of those pods is there any more, and so many others run
others_run() { # SELECTOR NUMBER UIDS
	[[ ! $(comm -12 <(uids "$1") <(echo "$3")) ]] && run_are "$1" "$2"
}
running_jobs() { jobs_of "$1" %T | awk '$2 == "RUNNING" { print $1 }'; }
jobs_run() { [[ $(running_jobs "$1" | wc -l) -eq $2 ]]; } # NAME NUMBER
states_are() { [[ $(jobs_of "$1" %T | awk '{print $2}' | paste -sd' ') = "$2" ]]; }
# condition KIND NAME CONDITION: is it true?
condition() { [[ $(kteam get "$1" "$2" -o "jsonpath={.status.conditions[?(@.type==\"$3\")].status}") = True ]]; }

# a_job NAME PODS COMMAND [META [SPEC [TEMPLATE-META]]]: with indices
a_job() {
	kteam apply -f - >/dev/null <<-Y
	apiVersion: batch/v1
	kind: Job
	metadata: {name: $1${4:+, $4}}
	spec:
	  completionMode: Indexed
	  completions: $2
	  parallelism: $2
	  ${5:-}
	  template:
	    metadata: {${6:-}}
	    spec: $(spec_of "$3" 100m 'restartPolicy: Never')
	Y
}

# a_set NAME META SPEC JOB...: JOB is NAME:REPLICAS:PODS[:FIELDS]; what it runs is $COMMAND
a_set() {
	local job name replicas pods fields
	{
		cat <<-Y
		apiVersion: jobset.x-k8s.io/v1alpha2
		kind: JobSet
		metadata: {name: $1${2:+, $2}}
		spec:
		  ${3:-suspend: false}
		  replicatedJobs:
		Y
		for job in "${@:4}"; do
			IFS=: read -r name replicas pods fields <<<"$job"
			cat <<-Y
			  - name: $name
			    replicas: $replicas
			    ${fields:-}
			    template:
			      spec:
			        completions: $pods
			        parallelism: $pods
			        backoffLimit: ${BACKOFF:-0}
			        template:
			          metadata: {${SET_GANG-$GANG}}
			          spec: $(spec_of "${COMMAND:-$UNTIL_TOLD_CODE}" 100m 'restartPolicy: Never')
			Y
		done
	} | kteam apply -f - >/dev/null
}
of_set() { echo "jobset.sigs.k8s.io/jobset-name=$1"; }

# a_lws NAME GROUPS SIZE [SPEC]: what it runs is $COMMAND
a_lws() {
	kteam apply -f - >/dev/null <<-Y
	apiVersion: leaderworkerset.x-k8s.io/v1
	kind: LeaderWorkerSet
	metadata: {name: $1, annotations: {slurmjob.slinky.slurm.net/timelimit: "13"}}
	spec:
	  replicas: $2
	  ${4:-}
	  leaderWorkerTemplate:
	    size: $3
	    workerTemplate:
	      spec: $(spec_of "${COMMAND:-$UNTIL_TOLD_CODE}")
	Y
}
of_lws() { echo "leaderworkerset.sigs.k8s.io/name=$1${2:+,leaderworkerset.sigs.k8s.io/group-index=$2}"; }
