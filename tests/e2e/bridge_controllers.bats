# SPDX-License-Identifier: GPL-2.0-or-later
# Bridged pods under the controllers that make them, all of them real: Kubernetes' own of
# Jobs, those of JobSet and LeaderWorkerSet.
# bats file_tags=alone
setup_file() {
	load bridge.bash
	controllers
	bridge_up
}
teardown_file() {
	load bridge.bash
	bridge_down
}
setup() {
	load bridge.bash
	begin
	controllers_shared
}
teardown() {
	controllers
	kube label namespace "$TEAM" pod-security.kubernetes.io/enforce- >/dev/null 2>&1 || true
	kteam delete resourcequotas,limitranges --all >/dev/null 2>&1 || true
	kteam delete jobsets,leaderworkersets,jobs --all --wait=false >/dev/null 2>&1 || true
	wait_for 60 "what the test made to go" none_of jobsets,leaderworkersets,jobs,statefulsets
	bridge_clean
}

none_of() { [[ ! $(kteam get "$1" -o name) ]]; }
some_pod_says() { # SELECTOR WORDS
	local name
	for name in $(kteam get pods -l "$1" -o 'jsonpath={.items[*].metadata.name}'); do
		! pod_says "$TEAM" "$name" "$2" || return 0
	done
	return 1
}
# gone_foreground KIND NAME SELECTOR: nothing is left of it, and its jobs are cancelled
gone_foreground() {
	kteam delete "$1" "$2" --cascade=foreground --wait=false >/dev/null
	wait_for 60 "$1 $2 to go" pod_gone_of "$1" "$2"
	[[ ! $(uids "$3") ]]
}
pod_gone_of() { [[ ! $(kteam get "$1" "$2" --ignore-not-found -o name) ]]; }

@test "Job: a pod of a gang that fails is made anew, and takes its place in the job" {
	a_job pair 2 "$UNTIL_TOLD_CODE" '' '' "$GANG"
	wait_for 120 "both to run" run_are job-name=pair 2
	id=$(job_of pair)
	index=job-name=pair,batch.kubernetes.io/job-completion-index=0
	first=$(pods "$index")
	end_pod "$first" 3
	wait_for 60 "its failure" pod_is "$first" Failed
	wait_for 120 "the new one to run" run_are "$index" 1
	[[ $(jobs_of pair %T) = "$id RUNNING" ]]
	for name in $(pods job-name=pair); do end_pod "$name" 0; done
	wait_for 60 "the Job to be complete" condition job pair Complete
	# (as of any job of Slurm's: the exit code of what failed first)
	wait_for 60 "its end in Slurm" job_is "$id" FAILED
	[[ $(job "$id" ExitCode) = 3:0 ]]
	states_are pair FAILED
}

@test "Job: more pods and fewer; a gang of another size" {
	a_job flock 1 "$LONG" "annotations: {$SHARED}" # (three on two nodes)
	flocks() { kteam patch job flock -p "{\"spec\": {\"parallelism\": $1, \"completions\": $1}}" >/dev/null; }
	wait_for 120 "one to run" run_are job-name=flock 1
	flocks 3
	wait_for 120 "three to run" run_are job-name=flock 3
	mapfile -t ids < <(kteam get pods -l job-name=flock --sort-by='{.metadata.name}' -o 'jsonpath={range .items[*]}{.metadata.labels.slurm-k8s\.io/job-id}{"\n"}{end}')
	[[ ${#ids[@]} -eq 3 && $(printf '%s\n' "${ids[@]}" | sort -u | wc -l) -eq 3 ]]
	flocks 1
	wait_for 60 "its job to be cancelled" job_is "${ids[2]}" CANCELLED
	wait_for 60 "its job to be cancelled" job_is "${ids[1]}" CANCELLED
	job_is "${ids[0]}" RUNNING
	gone_foreground job flock job-name=flock
	wait_for 60 "its last job to be cancelled" job_is "${ids[0]}" CANCELLED

	a_job crew 2 "$LONG" 'annotations: {job.slurm-k8s.io/sbatch-options: "--hold"}' '' "$GANG"
	wait_for 60 "its job" has_job crew
	[[ $(job "$(job_of crew)" NumTasks) = 2 ]]
	kteam patch job crew -p '{"spec": {"parallelism": 3, "completions": 3}}' >/dev/null
	wait_for 60 "a job for three" newest_has crew NumTasks 3
	as_user scontrol release "$(job_of crew)"
	wait_for 120 "three to run" run_are job-name=crew 3
	id=$(job_of crew)
	kteam patch job crew -p '{"spec": {"parallelism": 4, "completions": 4}}' >/dev/null
	wait_for 60 "the fourth to be told" some_pod_says job-name=crew "job $id was made for 3 pods, which run"
	kteam patch job crew -p '{"spec": {"parallelism": 2, "completions": 2}}' >/dev/null
	wait_for 60 "two to be left" run_are job-name=crew 2
	job_is "$id" RUNNING
}

stopped() { [[ $(job "$1" JobState) != RUNNING ]]; }

@test "Job: a pod that names it by a forged uid has no part in its gang" {
	a_job real 2 "$LONG" '' '' "$GANG"
	wait_for 120 "both to run" run_are job-name=real 2
	id=$(job_of real)
	a_pod forged "$LONG" | notes 'job.slurm-k8s.io/gang: "true"' |
		sed 's/^metadata:$/&\n  ownerReferences: [{apiVersion: batch\/v1, kind: Job, controller: true, name: real, uid: 00000000-0000-4000-8000-000000000000}]/' | create
	wait_for 120 "Kubernetes to collect it" pod_gone forged
	run within 10 "the end of the real one's job" stopped "$id"
	((status != 0))
	run_are job-name=real 2
}

@test "Job: suspended, its jobs are cancelled; resumed, it gets new ones; deleted in the foreground" {
	a_job nap 2 "$LONG" '' '' "$GANG"
	wait_for 120 "both to run" run_are job-name=nap 2
	id=$(job_of nap)
	before=$(uids job-name=nap)
	kteam patch job nap -p '{"spec": {"suspend": true}}' >/dev/null
	wait_for 60 "its job to be cancelled" job_is "$id" CANCELLED
	wait_for 60 "its pods to go" others_run job-name=nap 0 "$before"
	kteam patch job nap -p '{"spec": {"suspend": false}}' >/dev/null
	wait_for 120 "both to run again" others_run job-name=nap 2 "$before"
	states_are nap 'CANCELLED RUNNING'
	# (who cancels the job ends its pods; the controller makes others)
	before=$(uids job-name=nap)
	as_user scancel "$(job_of nap)"
	wait_for 120 "two others to run" others_run job-name=nap 2 "$before"
	states_are nap 'CANCELLED CANCELLED RUNNING'
	id=$(job_of nap)
	gone_foreground job nap job-name=nap
	wait_for 60 "its job to be cancelled" job_is "$id" CANCELLED
	states_are nap 'CANCELLED CANCELLED CANCELLED'
}

@test "Job: its controller is killed; what it has missed it makes up for" {
	controllers_alone
	a_job steady 2 "$UNTIL_TOLD_CODE" '' '' "$GANG"
	wait_for 120 "both to run" run_are job-name=steady 2
	id=$(job_of steady)
	first=$(pods job-name=steady | head -n 1)
	kill_controller controller-manager
	end_pod "$first" 1
	wait_for 60 "its failure" pod_is "$first" Failed
	state_is "$id" RUNNING
	controllers
	wait_for 120 "two to run again" run_are job-name=steady 2
	[[ $(jobs_of steady %T) = "$id RUNNING" ]]
	for name in $(pods job-name=steady); do end_pod "$name" 0; done
	wait_for 60 "the Job to be complete" condition job steady Complete
}

# --- JobSet

@test "JobSet: a pod that fails: the set is made anew, as its failure policy says" {
	a_set play '' 'failurePolicy: {maxRestarts: 2}' lead:1:1 rest:2:1
	wait_for 120 "all three to run" run_are "$(of_set play)" 3
	id=$(job_of play)
	[[ $(job "$id" NumTasks) -ge 1 ]]
	states_are play RUNNING
	before=$(uids "$(of_set play)")
	end_pod "$(pods "$(of_set play),jobset.sigs.k8s.io/replicatedjob-name=lead")" 5
	wait_for 120 "three others to run" others_run "$(of_set play)" 3 "$before"
	jobs_run play 1
	kteam get jobset play -o 'jsonpath={.status.restarts}' | grep -qx 1
	for name in $(pods "$(of_set play)"); do end_pod "$name" 0; done
	wait_for 60 "the set to be complete" condition jobset play Completed
	wait_for 60 "no job" no_jobs
}

@test "JobSet: a gang of which some have succeeded, when one of the others fails" {
	BACKOFF=3 a_set late '' '' lead:1:1 rest:2:1
	wait_for 120 "all three to run" run_are "$(of_set late)" 3
	for name in $(pods "$(of_set late),jobset.sigs.k8s.io/replicatedjob-name=rest"); do end_pod "$name" 0; done
	wait_for 60 "one to be left" run_are "$(of_set late)" 1
	first=$(pods "$(of_set late)")
	id=$(job_of late)
	end_pod "$first" 4
	wait_for 60 "the job to end" job_is "$id" FAILED
	wait_for 60 "the new one to run" run_are "$(of_set late)" 1
	end_pod "$(pods "$(of_set late)")" 0
	wait_for 60 "the set to be complete" condition jobset late Completed
	wait_for 60 "its last job to end" states_are late 'FAILED COMPLETED'
}

@test "JobSet: in order, each pod a job; suspended and resumed; deleted in the foreground" {
	SET_GANG='' COMMAND=$LONG a_set row "annotations: {$SHARED, job.slurm-k8s.io/job-name: row}" '' first:1:1 'then:1:2:dependsOn: [{name: first, status: Ready}]'
	wait_for 120 "all to run" run_are "$(of_set row)" 3
	jobs_run row 3
	before=$(uids "$(of_set row)")
	kteam patch jobset row --type=merge -p '{"spec": {"suspend": true}}' >/dev/null
	wait_for 60 "its jobs to be cancelled" states_are row 'CANCELLED CANCELLED CANCELLED'
	kteam patch jobset row --type=merge -p '{"spec": {"suspend": false}}' >/dev/null
	wait_for 120 "all to run again" others_run "$(of_set row)" 3 "$before"
	jobs_run row 3
	gone_foreground jobset row "$(of_set row)"
	wait_for 60 "no job" no_jobs
	# (the number of its pods cannot be changed: its webhook refuses that)
	SET_GANG='' COMMAND=$LONG a_set row '' 'suspend: true' first:1:1
	run kteam patch jobset row --type=json -p '[{"op": "replace", "path": "/spec/replicatedJobs/0/replicas", "value": 2}]'
	[[ $status != 0 ]]
	has 'field is immutable'
}

@test "JobSet: a gang: suspended, its job is cancelled; resumed, it gets another; deleted in the foreground" {
	COMMAND=$LONG a_set herd '' '' lead:1:1 rest:1:1
	wait_for 120 "both to run" run_are "$(of_set herd)" 2
	jobs_run herd 1
	before=$(uids "$(of_set herd)")
	kteam patch jobset herd --type=merge -p '{"spec": {"suspend": true}}' >/dev/null
	wait_for 60 "its job to be cancelled" states_are herd CANCELLED
	wait_for 60 "its pods to go" others_run "$(of_set herd)" 0 "$before"
	kteam patch jobset herd --type=merge -p '{"spec": {"suspend": false}}' >/dev/null
	wait_for 120 "both to run again" others_run "$(of_set herd)" 2 "$before"
	states_are herd 'CANCELLED RUNNING'
	gone_foreground jobset herd "$(of_set herd)"
	wait_for 60 "its job to be cancelled" states_are herd 'CANCELLED CANCELLED'
}

@test "JobSet: its controller is killed; what it has missed it makes up for" {
	controllers_alone
	a_set firm '' 'failurePolicy: {maxRestarts: 2}' lead:1:1 rest:1:2
	wait_for 120 "all three to run" run_are "$(of_set firm)" 3
	before=$(uids "$(of_set firm)")
	kill_controller jobset
	name=$(pods "$(of_set firm),jobset.sigs.k8s.io/replicatedjob-name=lead")
	end_pod "$name" 1
	wait_for 60 "the Job to have failed" condition job firm-lead-0 Failed
	controllers
	wait_for 120 "three others to run" others_run "$(of_set firm)" 3 "$before"
	jobs_run firm 1
}

# --- LeaderWorkerSet

@test "LeaderWorkerSet: a group whose pod fails is made anew, and the others go on" {
	a_lws web 2 2
	wait_for 120 "all to run" run_are "$(of_lws web)" 4
	zero=$(job_of web-0) one=$(job_of web-1)
	before=$(uids "$(of_lws web 0)") others=$(uids "$(of_lws web 1)")
	end_pod web-0-1 1
	wait_for 120 "the group to run anew" others_run "$(of_lws web 0)" 2 "$before"
	wait_for 60 "its job" jobs_run web-0 1
	[[ $(uids "$(of_lws web 1)") = "$others" ]]
	state_is "$one" RUNNING
	[[ $(job_of web-1) = "$one" ]]
	job_has "$(job_of web-0)" TimeLimit 00:13:00
	# (who cancels the job of a group ends its pods; the controller makes others)
	zero=$(job_of web-0)
	before=$(uids "$(of_lws web 0)")
	as_user scancel "$zero"
	wait_for 120 "the group to run anew" others_run "$(of_lws web 0)" 2 "$before"
	state_is "$zero" CANCELLED
	jobs_run web-0 1
	[[ $(uids "$(of_lws web 1)") = "$others" ]]
}

@test "LeaderWorkerSet: more groups and fewer; deleted in the foreground" {
	COMMAND=$LONG a_lws farm 1 2
	wait_for 120 "the first group to run" run_are "$(of_lws farm)" 2
	zero=$(job_of farm-0)
	kteam scale leaderworkerset farm --replicas=2 >/dev/null
	wait_for 120 "two groups to run" run_are "$(of_lws farm)" 4
	one=$(job_of farm-1)
	[[ $one && $one != "$zero" ]]
	kteam scale leaderworkerset farm --replicas=1 >/dev/null
	wait_for 60 "the second group's job to be cancelled" job_is "$one" CANCELLED
	wait_for 60 "one group to be left" run_are "$(of_lws farm)" 2
	state_is "$zero" RUNNING
	gone_foreground leaderworkerset farm "$(of_lws farm)"
	wait_for 60 "its job to be cancelled" job_is "$zero" CANCELLED
	[[ $(jobs_of farm-0,farm-1 | wc -l) -eq 2 ]]
}

@test "LeaderWorkerSet: where workers come when their leader runs, the group waits, and is told" {
	COMMAND=$LONG a_lws shy 1 2 'startupPolicy: LeaderReady'
	wait_for 60 "the leader to be told" pod_says "$TEAM" shy-0 '1 of 2 pods are there'
	[[ ! $(job_of shy-0) ]]
}

@test "LeaderWorkerSet: its controller is killed; what it has missed it makes up for" {
	controllers_alone
	a_lws keen 1 2
	wait_for 120 "the group to run" run_are "$(of_lws keen)" 2
	before=$(uids "$(of_lws keen)")
	kill_controller lws
	end_pod keen-0-1 1
	restarted() { [[ $(kteam get pod keen-0-1 -o 'jsonpath={.status.containerStatuses[0].restartCount}') -ge 1 ]]; }
	wait_for 60 "the container to run once more" restarted
	kteam scale leaderworkerset keen --replicas=2 >/dev/null
	controllers
	wait_for 120 "the group to run anew" others_run "$(of_lws keen 0)" 2 "$before"
	wait_for 120 "another one, too" run_are "$(of_lws keen 1)" 2
	jobs_run keen-0 1
	jobs_run keen-1 1
}

# --- what namespaces allow

@test "a namespace of Pod Security's level restricted: pods that comply are served like any other" {
	kube label namespace "$TEAM" pod-security.kubernetes.io/enforce=restricted >/dev/null
	run a_pod rich true
	run kteam apply -f - <<<"$output"
	[[ $status != 0 ]]
	has 'violates PodSecurity "restricted:latest"'
	a_pod modest "$UNTIL_GO" | complying | create
	runs modest
	id=$(job_of modest)
	go_on modest
	wait_for 60 "job $id to end" job_is "$id" COMPLETED
	# (a controller's pods that do not comply are never made: Slurm hears nothing of them)
	a_job rough 2 true '' '' "$GANG"
	wait_for 60 "an Event" some_event 'rough.*violates PodSecurity'
	[[ ! $(job_of rough) ]]
}
complying() {
	sed -e 's/^  restartPolicy/  securityContext: {runAsNonRoot: true, runAsUser: 65534, seccompProfile: {type: RuntimeDefault}}\n&/' \
		-e 's/^      resources/      securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}\n&/'
}

@test "a ResourceQuota: a gang waits until it allows all pods; a LimitRange: its defaults count" {
	kteam apply -f - >/dev/null <<-'Y'
	apiVersion: v1
	kind: ResourceQuota
	metadata: {name: few}
	spec: {hard: {pods: "1", requests.cpu: "4", limits.memory: 1Gi}}
	---
	apiVersion: v1
	kind: LimitRange
	metadata: {name: some}
	spec: {limits: [{type: Container, default: {cpu: "2", memory: 64Mi}, defaultRequest: {cpu: 1500m, memory: 40Mi}}]}
	Y
	in_force() { [[ $(kteam get quota few -o 'jsonpath={.status.hard.pods}') = "$1" ]]; }
	wait_for 60 "the quota" in_force 1
	# (what a pod without requests gets by default is what its job asks for)
	a_pod plain "$UNTIL_GO" | sed '/^      resources/d' | notes "$SHARED" | create
	runs plain
	id=$(job_of plain)
	job_has "$id" NumCPUs 2
	go_on plain
	wait_for 60 "job $id to end" job_is "$id" COMPLETED
	kteam delete pod plain >/dev/null
	a_job couple 2 "$LONG" '' '' "$GANG"
	wait_for 60 "half a gang to be told" some_pod_says job-name=couple '1 of 2 pods are there'
	wait_for 60 "an Event" some_event 'couple.*exceeded quota: few'
	[[ ! $(job_of couple) ]]
	kteam patch quota few -p '{"spec": {"hard": {"pods": "2"}}}' >/dev/null
	wait_for 120 "the gang to run" run_are job-name=couple 2
	states_are couple RUNNING
}
