# SPDX-License-Identifier: GPL-2.0-or-later
# Kubernetes' own PodGroups (scheduling.k8s.io, 1.37) in Slurm's queue. What makes them of a
# Job is Kubernetes' own controller.
# bats file_tags=alone
setup_file() {
	load bridge.bash
	there_are_podgroups || return 0
	bridge_up
}
teardown_file() {
	load bridge.bash
	[[ ! -e $SITE/slurm.conf.plain ]] || bridge_down
	kube delete priorityclass k8s-test-first --ignore-not-found >/dev/null
}
setup() {
	load bridge.bash
	there_are_podgroups || skip 'this Kubernetes has no PodGroups'
	begin
}
teardown() {
	[[ -e $SITE/slurm.conf.plain ]] || return 0
	kteam delete jobs --all --wait=false >/dev/null 2>&1 || true
	bridge_clean
	kteam delete podgroups.scheduling.k8s.io,workloads --all --wait=false >/dev/null 2>&1 || true
}

# podgroup NAME SPEC [ANNOTATIONS]
podgroup() {
	create <<-Y
	apiVersion: scheduling.k8s.io/v1beta1
	kind: PodGroup
	metadata: {name: $1, annotations: {${3:-}}}
	spec: {$2}
	Y
}
gang() { echo "schedulingPolicy: {gang: {minCount: $1}}${2:+, $2}"; }
basic() { echo "schedulingPolicy: {basic: {}}${1:+, $1}"; }
min_count() { kteam patch podgroups.scheduling.k8s.io "$1" --type merge -p "{\"spec\": {\"schedulingPolicy\": {\"gang\": {\"minCount\": $2}}}}" >/dev/null; }
HOLD='job.slurm-k8s.io/sbatch-options: "--hold"'
# member GROUP: the pods of the input are its
member() { sed "s/^  restartPolicy/  schedulingGroup: {podGroupName: $1}\n&/"; }
group_condition() { kteam get podgroups.scheduling.k8s.io "$1" -o "jsonpath={.status.conditions[?(@.type==\"PodGroupInitiallyScheduled\")].$2}"; }
group_says() { [[ $(group_condition "$1" status) = "$2" && $(group_condition "$1" reason) = "$3" && $(group_condition "$1" message) = *"$4"* ]]; }
# who has written the status of a PodGroup
writers() { kteam get podgroups.scheduling.k8s.io "$1" --show-managed-fields -o 'jsonpath={range .metadata.managedFields[?(@.subresource=="status")]}{.manager}{"\n"}{end}' | sort -u | paste -sd' '; }
bound() { [[ $(pod_node "$1") ]]; }
other_job() { [[ $(job_of "$1") && $(job_of "$1") != "$2" ]]; } # NAME ID: it has another one than that

@test "scontrol requeuehold is a hold: a gang that grows gets no other job" {
	site_has_batch || skip "Slurm $SITE_RELEASE puts no such job back"
	podgroup held "$(gang 1)"
	a_pod held-1 "$LONG" | member held | create
	runs held-1
	id=$(job_of held)
	as_slurm scontrol requeuehold "$id"
	wait_for 60 "the pod to go" pod_gone held-1
	a_pod held-1 "$LONG" | member held | create
	wait_for 60 "the pod to be told" pod_says "$TEAM" held-1 JobHeldUser
	as_slurm scontrol hold "$id"
	wait_for 60 "the pod to be told" pod_says "$TEAM" held-1 JobHeldAdmin
	min_count held 2
	a_pod held-2 "$LONG" | member held | create
	wait_for 60 "the pod to be told" pod_says "$TEAM" held-1 "job $id is held, and stays as it is until it is released"
	[[ $(job_of held) = "$id" ]]
	job_is "$id" PENDING
	as_slurm scancel "$id"
}

@test "a gang waits whole in Slurm, starts whole, and its PodGroup says so" {
	podgroup band "$(gang 2)" "$HOLD"
	a_pod band-1 "$UNTIL_GO" | member band | create
	wait_for 60 "the first of two to be told" pod_says "$TEAM" band-1 '1 of 2 pods'
	[[ ! $(group_condition band status) ]] # (as with kube-scheduler)
	[[ ! $(job_of band) ]]
	a_pod band-2 "$UNTIL_GO" | member band | create
	wait_for 60 "its job" has_job band
	id=$(job_of band)
	wait_for 60 "the pods to be told" pod_says "$TEAM" band-2 JobHeld
	wait_for 60 "the PodGroup to be told" group_says band False Unschedulable JobHeld
	[[ ! $(pod_node band-1) && ! $(pod_node band-2) ]]
	[[ $(kteam get podgroups.scheduling.k8s.io band --no-headers) = *Gang*Unschedulable* ]]
	as_user scontrol release "$id"
	runs band-1
	runs band-2
	wait_for 60 "the PodGroup to be told" group_says band True Scheduled "job $id "
	[[ $(kteam get podgroups.scheduling.k8s.io band --no-headers) = *Gang*Scheduled* ]]
	[[ $(group_condition band observedGeneration) = "$(kteam get podgroups.scheduling.k8s.io band -o 'jsonpath={.metadata.generation}')" ]]
	[[ $(writers band) = slurm-k8s ]]
	go_on band-1
	go_on band-2
	wait_for 120 "job $id to end" job_is "$id" COMPLETED
	group_says band True Scheduled ''
}

@test "minCount may change: a gang that waits gets a job for as many" {
	podgroup grows "$(gang 3)" "$HOLD"
	for n in 1 2; do a_pod "grows-$n" "$LONG" | member grows; done | create
	wait_for 60 "the pods to be told" pod_says "$TEAM" grows-2 '2 of 3 pods'
	min_count grows 2
	wait_for 60 "its job" has_job grows
	id=$(job_of grows)
	min_count grows 3
	a_pod grows-3 "$LONG" | member grows | create
	wait_for 60 "another job" other_job grows "$id"
	wait_for 60 "the first to be cancelled" job_is "$id" CANCELLED
	id=$(job_of grows)
	wait_for 60 "the PodGroup to be told" group_says grows False Unschedulable JobHeld
	as_user scontrol release "$id"
	for n in 1 2 3; do runs "grows-$n"; done
	[[ $(job_of grows) = "$id" ]]
	wait_for 60 "the PodGroup to be told" group_says grows True Scheduled "job $id "
}

@test "the basic policy: each pod is for itself, before and after a restart of slurmctld" {
	podgroup loose "$(basic)"
	a_pod loose-1 "$UNTIL_GO" | member loose | create
	a_pod loose-2 "$LONG" | member loose | notes "$HOLD" | create
	runs loose-1
	wait_for 60 "its PodGroup to be told" group_says loose True Scheduled ''
	[[ $(kteam get podgroups.scheduling.k8s.io loose --no-headers) = *Basic*Scheduled* ]]
	wait_for 60 "the other to be told" pod_says "$TEAM" loose-2 JobHeld
	one=$(job_of loose-1) two=$(job_of loose-2)
	uid=$(kteam get pod loose-1 -o 'jsonpath={.metadata.uid}')
	as_slurm scontrol update JobId="$two" Comment=seen # (saved)
	slurmctld_stop
	slurmctld_start
	as_user scontrol release "$two"
	runs loose-2
	[[ $(job_of loose-1) = "$one" && $(job_of loose-2) = "$two" ]]
	job_is "$one" RUNNING
	[[ $(kteam get pod loose-1 -o 'jsonpath={.metadata.uid} {.status.phase}') = "$uid Running" ]]
	go_on loose-1
	wait_for 120 "job $one to end" job_is "$one" COMPLETED
	job_is "$two" RUNNING
}

@test "a gang's pods and job outlast a restart of slurmctld" {
	podgroup lasts "$(gang 2)"
	for n in 1 2; do a_pod "lasts-$n" "$UNTIL_GO" | member lasts; done | create
	for n in 1 2; do runs "lasts-$n"; done
	wait_for 60 "the PodGroup to be told" group_says lasts True Scheduled ''
	id=$(job_of lasts)
	version=$(kteam get podgroups.scheduling.k8s.io lasts -o 'jsonpath={.metadata.resourceVersion}')
	slurmctld_stop
	slurmctld_start
	go_on lasts-1
	go_on lasts-2
	wait_for 120 "job $id to end" job_is "$id" COMPLETED
	# (and nothing is written a second time)
	[[ $(kteam get podgroups.scheduling.k8s.io lasts -o 'jsonpath={.metadata.resourceVersion}') = "$version" ]]
}

@test "what Slurm cannot give is refused with words" {
	kteam apply -f - >/dev/null <<-'Y'
	apiVersion: resource.k8s.io/v1
	kind: ResourceClaim
	metadata: {name: shared}
	spec: {devices: {requests: [{name: one, exactly: {deviceClassName: gpu.example.com}}]}}
	Y
	podgroup claims "$(gang 1 'resourceClaims: [{name: gpu, resourceClaimName: shared}]')"
	podgroup rack "$(gang 1 'schedulingConstraints: {topology: [{key: topology.kubernetes.io/rack}]}')"
	podgroup loose-rack "$(basic 'schedulingConstraints: {topology: [{key: topology.kubernetes.io/rack}]}')"
	podgroup all "$(basic 'disruptionMode: {all: {}}')"
	for g in claims rack loose-rack all; do a_pod "in-$g" "$LONG" | member "$g"; done | create
	wait_for 60 "a refusal" pod_says "$TEAM" in-claims 'resourceClaims'
	wait_for 60 "a refusal" pod_says "$TEAM" in-rack 'ask for --switches'
	wait_for 60 "a refusal" pod_says "$TEAM" in-loose-rack 'ask for --switches'
	wait_for 60 "a refusal" pod_says "$TEAM" in-all 'disruptionMode all'
	for g in claims rack loose-rack all; do
		wait_for 60 "PodGroup $g to be told" group_says "$g" False Unschedulable 'Slurm: '
		run job_of "in-$g"
		[[ ! $output ]]
		run job_of "$g"
		[[ ! $output ]]
	done
	kteam delete resourceclaim shared >/dev/null
}

@test "disruptionMode all: a gang ends whole" {
	local ends=(scancel)
	! site_has_batch || ends+=("scontrol requeue")
	for end in "${ends[@]}"; do
		podgroup "${end#* }" "$(gang 2 'disruptionMode: {all: {}}')"
		for n in 1 2; do a_pod "${end#* }-$n" "$LONG" | member "${end#* }"; done | create
	done
	for end in "${ends[@]}"; do
		for n in 1 2; do runs "${end#* }-$n"; done
		# shellcheck disable=SC2086 # two words
		as_slurm $end "$(job_of "${end#* }")"
		for n in 1 2; do wait_for 120 "the gang to go" pod_gone "${end#* }-$n"; done
	done
}

@test "a PodGroup's priority and its template mean nothing to Slurm" {
	kube apply -f - >/dev/null <<-'Y'
	apiVersion: scheduling.k8s.io/v1
	kind: PriorityClass
	metadata: {name: k8s-test-first}
	value: 1000000
	Y
	create <<-Y
	apiVersion: scheduling.k8s.io/v1beta1
	kind: Workload
	metadata: {name: plan-of-two}
	spec: {podGroupTemplates: [{name: part, $(gang 2), priorityClassName: k8s-test-first}]}
	Y
	later='job.slurm-k8s.io/sbatch-options: "--begin=now+1hour"'
	podgroup ordinary "$(gang 1)" "$later"
	podgroup first "$(gang 1 'priorityClassName: k8s-test-first, workloadRef: {workloadName: plan-of-two, templateName: part}')" "$later"
	[[ $(kteam get podgroups.scheduling.k8s.io first -o 'jsonpath={.spec.priority}') = 1000000 ]]
	a_pod ordinary-1 "$LONG" | member ordinary | create
	wait_for 60 "its job" has_job ordinary
	a_pod first-1 "$LONG" | member first | create
	wait_for 60 "its job, for the one pod that the PodGroup asks for" has_job first
	# (priority/basic: a later job is never before an earlier one)
	[[ $(job "$(job_of ordinary)" Priority) -gt 0 ]]
	[[ $(job "$(job_of first)" Priority) -le $(job "$(job_of ordinary)" Priority) ]]
}

@test "the status of a PodGroup is not written when it needs pods of another scheduler, or has its words" {
	podgroup theirs "$(gang 1)"
	podgroup mixed "$(gang 2)"
	a_pod theirs-1 "$LONG" | sed 's/schedulerName: .*/schedulerName: default-scheduler/' | member theirs | create
	a_pod mixed-1 "$LONG" | sed 's/schedulerName: .*/schedulerName: nobody/' | member mixed | create
	a_pod mixed-2 "$LONG" | member mixed | create
	wait_for 60 "ours to be told" pod_says "$TEAM" mixed-2 '1 of 2 pods'
	wait_for 60 "kube-scheduler" group_says theirs True Scheduled ''
	[[ $(writers theirs) = kube-scheduler ]]
	[[ ! $(writers mixed) && ! $(group_condition mixed status) ]]
	# nor when that has written it before: ours joins later
	a_pod theirs-2 "$LONG" | member theirs | create
	runs theirs-2
	kteam delete pod theirs-1 --grace-period=1 >/dev/null 2>&1
	[[ $(writers theirs) = kube-scheduler ]]
}

# grouped_job NAME [SPEC [NOTES]]: a Job of two pods; its pods' annotations
grouped_job() {
	create <<-Y
	apiVersion: batch/v1
	kind: Job
	metadata: {name: $1}
	spec:
	  parallelism: 2
	  completions: 2
	  ${2:-}
	  template:
	    metadata: {annotations: {${3:-}}}
	    spec:
	      schedulerName: $SCHEDULER
	      tolerations: [{key: slurm-k8s.io/tests, operator: Exists}]
	      restartPolicy: Never
	      terminationGracePeriodSeconds: 1
	      containers:
	        - {name: main, image: "$SITE_IMAGE", command: [/bin/sh, -c, "$UNTIL_GO"], resources: {requests: {cpu: 500m}}}
	Y
}
pods_of() { kteam get pods -l job-name="$1" -o 'jsonpath={range .items[*]}{.metadata.name}{"\n"}{end}'; }
all_run() { [[ $(running_of "$1" | wc -l) -eq 2 ]]; }
group_of() { kteam get podgroups.scheduling.k8s.io -o "jsonpath={.items[?(@.metadata.ownerReferences[0].name==\"$1\")].metadata.name}"; }
job_done() { [[ $(kteam get job "$1" -o 'jsonpath={.status.succeeded}') = 2 ]]; }
all_go_on() { for pod in $(pods_of "$1"); do go_on "$pod"; done; }
# active: this test's jobs that have not ended
active() { as_user squeue -h -o %A | awk -v before="${BEFORE:-0}" '$1 + 0 > before + 0' | wc -l; }

@test "a Job of which Kubernetes makes a PodGroup: each pod for itself, a gang by annotation, or by its policy" {
	grouped_job plain
	wait_for 120 "its pods" all_run plain
	wait_for 60 "its PodGroup" group_says "$(group_of plain)" True Scheduled ''
	[[ $(active) -eq 2 ]]
	all_go_on plain
	wait_for 120 "it to end" job_done plain

	grouped_job asked '' 'job.slurm-k8s.io/gang: "true"'
	wait_for 120 "its pods" all_run asked
	wait_for 60 "its PodGroup" group_says "$(group_of asked)" True Scheduled ''
	[[ $(active) -eq 1 && $(job_of asked) ]]
	all_go_on asked
	wait_for 120 "it to end" job_done asked

	grouped_job says 'scheduling: {schedulingPolicy: {gang: {}}}'
	wait_for 120 "its pods" all_run says
	group=$(group_of says)
	[[ $(kteam get podgroups.scheduling.k8s.io "$group" -o 'jsonpath={.spec.schedulingPolicy.gang.minCount}') = 2 ]]
	wait_for 60 "its PodGroup" group_says "$group" True Scheduled ''
	[[ $(writers "$group") = slurm-k8s ]]
	[[ $(active) -eq 1 && $(job_of "$group") ]]
	id=$(job_of "$group")
	all_go_on says
	wait_for 120 "it to end" job_done says
	wait_for 60 "its job to end" job_is "$id" COMPLETED
}

@test "annotations of the Job that a Workload was made for count" {
	create <<-Y
	apiVersion: scheduling.k8s.io/v1beta1
	kind: Workload
	metadata: {name: plan}
	spec:
	  controllerRef: {apiGroup: batch, kind: Job, name: maker}
	  podGroupTemplates: [{name: part, $(gang 1)}]
	---
	apiVersion: batch/v1
	kind: Job
	metadata: {name: maker, annotations: {slurmjob.slinky.slurm.net/job-name: from-maker}}
	spec:
	  suspend: true
	  template: {spec: {restartPolicy: Never, containers: [{name: none, image: "$SITE_IMAGE"}]}}
	Y
	podgroup made "$(gang 1 'workloadRef: {workloadName: plan, templateName: part}')"
	a_pod made-1 'true' | member made | create
	wait_for 60 "its job" has_job from-maker
	wait_for 120 "the pod to end" pod_is made-1 Succeeded
}
