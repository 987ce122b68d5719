# SPDX-License-Identifier: GPL-2.0-or-later
# Kubernetes pods in Slurm's queue.
# bats file_tags=alone
setup_file() {
	load bridge.bash
	controllers
	bridge_up
}
teardown_file() {
	load bridge.bash
	kube delete crd podgroups.scheduling.volcano.sh --ignore-not-found --wait=false >/dev/null
	bridge_down
}
setup() {
	load bridge.bash
	begin
}
teardown() {
	if [[ ! ${BATS_TEST_COMPLETED:-} ]]; then
		kill -CONT "$(<"$SITE/slurmctld.pid")" 2>/dev/null || true
		kteam delete jobs --all --wait=false >/dev/null 2>&1 || true
		kube delete node "$BIG" >/dev/null 2>&1 || true
	fi
	bridge_clean
}

# bats test_tags=sanitized
@test "a pod is a job of its user, runs where Slurm says, and its end is the job's" {
	a_pod one "$UNTIL_GO; exit 0" | kteam apply -f - >/dev/null
	wait_for 120 "the pod to run" pod_is one Running
	id=$(job_of one)
	[[ $(as_user squeue -h -j "$id" -o '%u %T') = "$SITE_USER RUNNING" ]]
	[[ $(job "$id" NodeList) = "$(pod_node one)" ]]
	[[ $(kteam get pod one -o 'jsonpath={.metadata.labels.scheduler\.slinky\.slurm\.net/slurm-jobid}') = "$id" ]]
	go_on one
	wait_for 120 "job $id to end" job_is "$id" COMPLETED
	[[ $(job "$id" ExitCode) = 0:0 ]]
}

@test "a pod that fails is a failed job with its exit code" {
	a_pod bad 'exit 7' | kteam apply -f - >/dev/null
	wait_for 120 "the pod to fail" pod_is bad Failed
	id=$(job_of bad)
	wait_for 120 "job $id to fail" job_is "$id" FAILED
	[[ $(job "$id" ExitCode) = 7:0 ]]
}

# bats test_tags=sanitized
@test "scancel deletes the pod, with a grace period" {
	a_pod victim 'sleep 1000 & wait' | kteam apply -f - >/dev/null
	wait_for 120 "the pod to run" pod_is victim Running
	as_user scancel "$(job_of victim)"
	wait_for 120 "the pod to go" pod_gone victim
}

@test "a pod that is deleted takes its job with it" {
	a_pod gone 'sleep 1000 & wait' | kteam apply -f - >/dev/null
	wait_for 120 "the pod to run" pod_is gone Running
	id=$(job_of gone)
	kteam delete pod gone --wait=false >/dev/null
	wait_for 120 "job $id to be cancelled" job_is "$id" CANCELLED
}

# As by "kubectl run --rm": both are in view at once.
@test "a pod that is deleted as soon as it has ended is a job that has completed" {
	a_pod brief "$UNTIL_GO; exit 0" | kteam apply -f - >/dev/null
	wait_for 120 "the pod to run" pod_is brief Running
	id=$(job_of brief)
	wait_for 60 "its job to run" job_is "$id" RUNNING
	kill -STOP "$(<"$SITE/slurmctld.pid")"
	go_on brief
	wait_for 30 "the pod to end" pod_is brief Succeeded
	kteam delete pod brief --wait=false >/dev/null
	wait_for 10 "the pod to go" pod_gone brief
	kill -CONT "$(<"$SITE/slurmctld.pid")"
	wait_for 60 "job $id to end" job_is "$id" COMPLETED
	[[ $(job "$id" ExitCode) = 0:0 ]]
}

@test "a namespace that may not enter is told so" {
	a_pod stray 'sleep 1' | kube -n "$POOR" apply -f - >/dev/null
	wait_for 60 "the pod to be told" pod_says "$POOR" stray 'bridge: namespaces'
	[[ ! $(job_of stray) ]]
	wait_for 60 "an Event" sh -c "kubectl --kubeconfig '$SITE_KUBE' -n '$POOR' get events | grep RefusedBySlurm"
}

# bats test_tags=sanitized
@test "a pod that waits says why, and how long" {
	a_pod held 'sleep 1' | notes 'job.slurm-k8s.io/sbatch-options: "--hold"' | create
	wait_for 60 "the pod to be told" pod_says "$TEAM" held 'JobHeldUser'
	as_user scontrol release "$(job_of held)"
	wait_for 120 "the pod to end" pod_is held Succeeded
}

# bats test_tags=sanitized
@test "a gang waits behind another job, and starts together" {
	cpus=$(node "$ONE" CPUTot)
	for n in 1 2; do a_pod "first-$n" 'sleep 1000 & wait' '' "$cpus"; done | kteam apply -f - >/dev/null
	wait_for 120 "the first to run" pod_is first-1 Running
	wait_for 120 "the second to run" pod_is first-2 Running
	kteam apply -f - >/dev/null <<-'Y'
	apiVersion: scheduling.x-k8s.io/v1alpha1
	kind: PodGroup
	metadata: {name: band}
	spec: {minMember: 2}
	Y
	a_pod band-1 'sleep 1000 & wait' 'scheduling.x-k8s.io/pod-group: band' "$cpus" | kteam apply -f - >/dev/null
	wait_for 60 "the first of two to be told" pod_says "$TEAM" band-1 '1 of 2 pods'
	a_pod band-2 'sleep 1000 & wait' 'scheduling.x-k8s.io/pod-group: band' "$cpus" | kteam apply -f - >/dev/null
	wait_for 60 "the gang to wait" pod_says "$TEAM" band-2 Resources
	id=$(job_of band)
	kteam delete pod first-1 --wait=false >/dev/null
	stays 3 job_is "$id" PENDING
	kteam delete pod first-2 --wait=false >/dev/null
	wait_for 120 "the gang to run" pod_is band-1 Running
	wait_for 60 "all of it" pod_is band-2 Running
	[[ $(pod_node band-1) != "$(pod_node band-2)" ]]
	as_user scancel "$id"
	wait_for 120 "the gang to go" pod_gone band-1
	wait_for 60 "all of it" pod_gone band-2
}

# Volcano's own definition of it, without its schema
volcano() {
	kube apply -f - >/dev/null <<-'Y'
	apiVersion: apiextensions.k8s.io/v1
	kind: CustomResourceDefinition
	metadata: {name: podgroups.scheduling.volcano.sh}
	spec:
	  group: scheduling.volcano.sh
	  scope: Namespaced
	  names: {kind: PodGroup, listKind: PodGroupList, plural: podgroups, singular: podgroup}
	  versions:
	    - name: v1beta1
	      served: true
	      storage: true
	      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
	Y
	kube wait --for=condition=Established crd/podgroups.scheduling.volcano.sh --timeout=60s >/dev/null
}

@test "a gang of Volcano's PodGroup starts together" {
	volcano
	kteam apply -f - >/dev/null <<-'Y'
	apiVersion: scheduling.volcano.sh/v1beta1
	kind: PodGroup
	metadata: {name: crew}
	spec: {minMember: 2, queue: default}
	Y
	a_pod crew-1 'sleep 2' | notes 'scheduling.k8s.io/group-name: crew' | create
	wait_for 60 "the first of two to be told" pod_says "$TEAM" crew-1 '1 of 2 pods'
	[[ ! $(job_of crew) ]]
	a_pod crew-2 'sleep 2' | notes 'scheduling.volcano.sh/group-name: crew' | create
	wait_for 120 "the first to end" pod_is crew-1 Succeeded
	wait_for 60 "the second to end" pod_is crew-2 Succeeded
	[[ $(jobs_of crew | wc -w) -eq 1 ]]
	kteam delete podgroups.scheduling.volcano.sh crew --wait=false >/dev/null
}

@test "a Job with YuniKorn's task groups is a gang" {
	kteam apply -f - >/dev/null <<-Y
	apiVersion: batch/v1
	kind: Job
	metadata: {name: group}
	spec:
	  completions: 2
	  parallelism: 2
	  template:
	    metadata:
	      labels: {applicationId: group-1}
	      annotations:
	        yunikorn.apache.org/task-group-name: workers
	        yunikorn.apache.org/task-groups: '[{"name": "workers", "minMember": 2, "minResource": {"cpu": "100m"}}]'
	    spec:
	      schedulerName: $SCHEDULER
	      tolerations: [{key: slurm-k8s.io/tests, operator: Exists}]
	      restartPolicy: Never
	      containers:
	        - {name: main, image: "$SITE_IMAGE", command: [/bin/sleep, "3"], resources: {requests: {cpu: 100m}}}
	Y
	group_done() { [[ $(kteam get job group -o 'jsonpath={.status.succeeded}') = 2 ]]; }
	wait_for 120 "the Job to be done" group_done
	[[ $(jobs_of group | wc -w) -eq 1 ]]
	wait_for 120 "its job to end" job_is "$(job_of group)" COMPLETED
	kteam delete job group --cascade=foreground --wait=false >/dev/null
}

# bats test_tags=sanitized
@test "each pod of a Job is a job, as the annotations of the Job say" {
	kteam apply -f - >/dev/null <<-Y
	apiVersion: batch/v1
	kind: Job
	metadata:
	  name: many
	  annotations: {slurmjob.slinky.slurm.net/timelimit: "7", slurmjob.slinky.slurm.net/job-name: from-job}
	spec:
	  completions: 2
	  parallelism: 2
	  template:
	    spec:
	      schedulerName: $SCHEDULER
	      tolerations: [{key: slurm-k8s.io/tests, operator: Exists}]
	      restartPolicy: Never
	      containers:
	        - {name: main, image: "$SITE_IMAGE", command: [/bin/sleep, "3"], resources: {requests: {cpu: 100m}}}
	Y
	job_done() { [[ $(kteam get job many -o 'jsonpath={.status.succeeded}') = 2 ]]; }
	wait_for 120 "the Job to be done" job_done
	ids=$(jobs_of from-job)
	[[ $(wc -w <<<"$ids") -eq 2 ]]
	for id in $ids; do
		[[ $(job "$id" TimeLimit) = 00:07:00 ]]
		wait_for 120 "job $id to end" job_is "$id" COMPLETED
	done
	kteam delete job many --cascade=foreground --wait=false >/dev/null
}

# bats test_tags=sanitized
@test "after kill -9 nothing is submitted or bound again" {
	a_pod keep 'sleep 1000 & wait' | kteam apply -f - >/dev/null
	wait_for 120 "the pod to run" pod_is keep Running
	id=$(job_of keep)
	uid=$(kteam get pod keep -o 'jsonpath={.metadata.uid}')
	save_job "$id"
	slurmctld_kill
	slurmctld_start
	wait_for 60 "the bridge" logged 'bridged pods in view'
	kept() {
		[[ $(as_user squeue -h -o %i) = "$id" ]] &&
			[[ $(kteam get pod keep -o 'jsonpath={.metadata.uid} {.status.phase}') = "$uid Running" ]]
	}
	stays 5 kept
}

@test "a job that is cancelled while no engine runs: its pod goes, and gets no other job" {
	a_pod cut 'sleep 1000 & wait' | kteam apply -f - >/dev/null
	wait_for 120 "the pod to run" pod_is cut Running
	id=$(job_of cut)
	slurmctld_stop
	mv "$SITE/k8s.yaml" "$SITE/k8s.yaml.whole" # (bridge_clean puts it back)
	slurmctld_start
	as_user scancel "$id"
	wait_for 120 "job $id to end" job_is "$id" CANCELLED
	pod_is cut Running
	slurmctld_stop
	mv "$SITE/k8s.yaml.whole" "$SITE/k8s.yaml"
	slurmctld_start
	wait_for 120 "the pod to go" pod_gone cut
	[[ $(jobs_of cut) = "$id" ]]
}

@test "a k8s.yaml without nodesets: the bridge alone" {
	awk '/^[a-z]/ { out = /^nodesets:/ } !out' "$SITE/k8s.yaml" >"$SITE/k8s.yaml.cut"
	mv "$SITE/k8s.yaml" "$SITE/k8s.yaml.whole"
	mv "$SITE/k8s.yaml.cut" "$SITE/k8s.yaml"
	as_slurm scontrol reconfigure
	wait_for 60 "the engine" logged 'engine .* runs: 1 clusters, 0 nodesets\|k8s.yaml is in force'
	a_pod alone 'exit 0' | kteam apply -f - >/dev/null
	wait_for 120 "the pod to end" pod_is alone Succeeded
	wait_for 120 "its job to end" job_is "$(job_of alone)" COMPLETED
	mv "$SITE/k8s.yaml.whole" "$SITE/k8s.yaml"
	mark
	as_slurm scontrol reconfigure
	wait_for 60 "the engine" logged 'engine .* runs: 1 clusters, [1-9]\|k8s.yaml is in force'
}

@test "slurm-k8s: status has pods beside their jobs, explain says why one waits" {
	a_pod runs "$UNTIL_GO" | on "$ONE" | create
	a_pod sits 'exit 0' | notes 'job.slurm-k8s.io/sbatch-options: "--hold"' | create
	runs runs
	wait_for 60 "the other to wait" pod_says "$TEAM" sits JobHeldUser
	tool status --json >"$SITE/status.json"
	job_row() { jq -e --arg of "Pod $TEAM/$1" '.jobs[] | select(.workload == $of) | '"$2" "$SITE/status.json"; }
	job_row runs '.job == "'"$(job_of runs)"'" and .state == "RUNNING" and .pods == "1 Running" and .nodes == "'"$ONE"'"'
	job_row sits '.job == "'"$(job_of sits)"'" and .state == "PENDING" and .pods == "1 Pending" and .reason == "JobHeldUser"'
	run -0 tool explain "$TEAM/sits"
	echo "$output"
	[[ $output = *"pod $TEAM/sits in Kubernetes cluster prod"*"waits in Slurm"*JobHeldUser*"job $(job_of sits) of $SITE_USER in partition k8s"* ]]
	[[ $output = *"stands for "*"1 pods of Pod $TEAM/sits"*"What would help:"*"its user releases it: scontrol release"* ]]
	run -0 tool explain "$(job_of runs)"
	[[ $output = *"job $(job_of runs) of "*RUNNING*"stands for "*"Pod $TEAM/runs"* ]]
	as_slurm scontrol release "$(job_of sits)"
	go_on runs
	wait_for 120 "the pods to end" pod_is sits Succeeded
	wait_for 120 "the pods to end" pod_is runs Succeeded
}

@test "500 pods at once are all bound, with few requests each" {
	external || skip "Slurm $SITE_RELEASE has no nodes without a slurmd"
	big_node "$BIG" 600
	(while sleep 3; do node_beat "$BIG" 600; done) 3>&- &
	echo $! >"$SITE/beat.pid"
	wait_for 120 "the node to be Slurm's" nodes_are "$BIG" idle
	for n in $(seq 500); do a_pod "many-$n" 'sleep 1'; done | notes "$SHARED" | on wide >"$SITE/many.yaml"
	kube label node "$BIG" kubernetes.io/hostname=wide --overwrite >/dev/null
	start=$(date +%s%3N)
	create_all "/api/v1/namespaces/$TEAM/pods" <"$SITE/many.yaml"
	made=$(date +%s%3N)
	wait_for 180 "all of them to be bound" all_bound 500
	bound=$(date +%s%3N)
	echo "# created in $((made - start)) ms, bound $((bound - made)) ms later" >&3
	told() { [[ $(tail -n "+$MARK" "$CTLD_LOG" | grep -cE 'k8s: pod .*/many-[0-9]*: (marked|told)$') -ge 1000 ]]; }
	wait_for 60 "a label and an Event each" told
	requests=$(tail -n "+$MARK" "$CTLD_LOG" | grep -cE 'k8s: pod .*/many-[0-9]*: (marked|bound|told|deleted)$')
	echo "# $requests requests" >&3
	# (one more for each that has waited for a second, and again each 5 s)
	((requests >= 1500 && requests <= 2000 + 500 * ((bound - start) / 5000)))
	delete_all
	wait_for 120 "no job" no_jobs
	end_process "$SITE/beat.pid" TERM
	kube delete node "$BIG" >/dev/null
}
