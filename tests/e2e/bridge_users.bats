# SPDX-License-Identifier: GPL-2.0-or-later
# What people write into bridged pods, and do to them: resources, drains, resizes, kubectl debug. The policies of
# etc/kubernetes/admission are not installed here.
# bats file_tags=alone
setup_file() {
	load bridge.bash
	export BRIDGE_TEAM='mcsLabel: k8sdemo
      allow: [partition]
      deny: [timelimit, licenses]'
	export BRIDGE_CONF='MCSPlugin=mcs/group
MCSParameters=ondemand,noselect:k8sdemo
PartitionName=roots Nodes=ALL RootOnly=YES
PartitionName=groups Nodes=ALL AllowGroups=daemon
PartitionName=short Nodes=ALL DefaultTime=5'
	bridge_up
}
teardown_file() {
	load bridge.bash
	kube uncordon "$ONE" >/dev/null 2>&1 || true
	bridge_down
}
setup() {
	load bridge.bash
	begin
}
teardown() {
	kube uncordon "$ONE" "$TWO" >/dev/null 2>&1 || true
	kube taint node "$ONE" "$EVICTS-" >/dev/null 2>&1 || true
	kteam delete poddisruptionbudgets,jobs --all --wait=false >/dev/null 2>&1 || true
	kube delete runtimeclass "$TEAM" --ignore-not-found >/dev/null 2>&1 || true
	kube delete validatingadmissionpolicybinding,validatingadmissionpolicy "no-bindings-$TEAM" --ignore-not-found >/dev/null 2>&1 || true
	bridge_clean
}

# note POD KEY: the annotation
note() { kteam get pod "$1" -o "jsonpath={.metadata.annotations.${2//./\\.}}"; }
EVICTS=tests.example.com/evicts
SAFE=cluster-autoscaler.kubernetes.io/safe-to-evict KEEP=karpenter.sh/do-not-disrupt
event_says() { kteam get events --field-selector "involvedObject.name=$1" -o 'jsonpath={.items[*].message}' | grep -q "$2"; }
# resize POD QUANTITY: its CPUs
resize() { kteam patch pod "$1" --subresource resize --patch '{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"'"$2"'"}}}]}}'; }
# drain NODE SECONDS LABEL: what README says, but of these pods only
drain() { kube drain "$1" --pod-selector "$3" --force --ignore-daemonsets --timeout "$2s"; }
has_newer() { [[ $(job_of "$1") -gt $2 ]]; } # NAME ID: a later job
node_drained() { node_says "$1" 'Reason=k8s: Kubernetes node is cordoned'; }

@test "autoscalers are told that a bound pod keeps its machine, unless its author has said something" {
	a_pod plain "$LONG" | create
	a_pod loose "$LONG" | notes "$SAFE: \"true\"" | create
	runs plain
	runs loose
	[[ $(note plain $SAFE) = false && $(note plain $KEEP) = true ]]
	[[ $(note loose $SAFE) = true && ! $(note loose $KEEP) ]]
}

@test "kubectl drain: a single pod goes, and its job is cancelled; no other gets that node" {
	# (hybrid nodes are drained only if they have the label, too)
	kube label node "$ONE" "$TWO" "$LABEL=" --overwrite >/dev/null
	a_pod single "$LONG" | on "$ONE" | create
	runs single
	id=$(job_of single)
	drain "$ONE" 60 test=bridge
	wait_for 60 "job $id to end" state_is "$id" CANCELLED
	pod_gone single
	wait_for 60 "Slurm's drain" node_drained "$ONE"
	a_pod next "$LONG" | create
	runs next
	[[ $(pod_node next) = "$TWO" ]]
	kube uncordon "$ONE" >/dev/null
	wait_for 60 "the end of the drain" nodes_are "$ONE" idle
}

@test "kubectl drain: what a Job makes instead of its pod is another job, which waits for a node" {
	kube label node "$ONE" "$TWO" "$LABEL=" --overwrite >/dev/null
	again many k8s 1 "$ONE"
	wait_for 120 "the Job's pod" has_running many
	id=$(job_of many) first=$(running_of many)
	drain "$ONE" 60 job-name=many
	wait_for 60 "job $id to end" state_is "$id" CANCELLED
	wait_for 60 "another job" has_newer many "$id"
	another_waits many
	kube uncordon "$ONE" >/dev/null
	wait_for 120 "the Job's next pod" has_running many
	[[ $(running_of many) != "$first" ]]
}

@test "kubectl drain waits for pods that a budget of the user's protects" {
	a_pod kept "$LONG" | on "$ONE" | create
	runs kept
	id=$(job_of kept)
	kteam create poddisruptionbudget kept --selector test=bridge --min-available 1 >/dev/null
	seen() { [[ $(kteam get poddisruptionbudget kept -o 'jsonpath={.status.observedGeneration}') ]]; }
	wait_for 60 "Kubernetes to see it" seen
	run drain "$ONE" 5 test=bridge
	echo "$output"
	[[ $status -ne 0 && $output = *"would violate the pod's disruption budget"* ]]
	pod_is kept Running
	state_is "$id" RUNNING
	kteam delete poddisruptionbudget kept >/dev/null
	drain "$ONE" 60 test=bridge
	wait_for 60 "job $id to end" state_is "$id" CANCELLED
}

@test "a NoExecute taint: the pod goes, its job is cancelled, and the next one runs elsewhere" {
	a_pod single "$LONG" | on "$ONE" | create
	runs single
	id=$(job_of single)
	kube taint node "$ONE" "$EVICTS=:NoExecute" >/dev/null
	wait_for 60 "job $id to end" state_is "$id" CANCELLED
	wait_for 60 "the pod to go" pod_gone single
	a_pod next "$LONG" | create
	runs next
	[[ $(pod_node next) = "$TWO" ]]
}

@test "kubectl delete --force: the job is cancelled, and another pod gets that node" {
	a_pod forced "$LONG" | on "$ONE" | create
	runs forced
	id=$(job_of forced)
	kteam delete pod forced --force --grace-period=0 >/dev/null 2>&1
	wait_for 60 "job $id to end" state_is "$id" CANCELLED
	a_pod next 'exit 0' | on "$ONE" | create
	wait_for 120 "the next pod to end" pod_is next Succeeded
	wait_for 60 "its job to end" state_is "$(job_of next)" COMPLETED
}

@test "kubectl delete of a pod that ends with 0 when it is told to: its job is cancelled, it has done nothing" {
	a_pod polite "trap 'exit 0' TERM; while :; do sleep 0.5; done" | create
	runs polite
	id=$(job_of polite)
	kteam delete pod polite --wait=false >/dev/null
	wait_for 60 "job $id to end" state_is "$id" CANCELLED
}

# A site's own policy (no webhook is needed for it): namespace "team" gets no pods bound.
no_bindings() {
	kube apply -f - >/dev/null <<-P
	apiVersion: admissionregistration.k8s.io/v1
	kind: ValidatingAdmissionPolicy
	metadata: {name: no-bindings-$TEAM}
	spec:
	  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods/binding]}]}
	  validations: [{expression: "false", message: not before the site says so}]
	---
	apiVersion: admissionregistration.k8s.io/v1
	kind: ValidatingAdmissionPolicyBinding
	metadata: {name: no-bindings-$TEAM}
	spec:
	  policyName: no-bindings-$TEAM
	  validationActions: [Deny]
	  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: $TEAM}}}
	P
}
bindings_denied() {
	printf '{"apiVersion":"v1","kind":"Binding","metadata":{"name":"none"},"target":{"kind":"Node","name":"n"}}' |
		kteam create --raw "/api/v1/namespaces/$TEAM/pods/none/binding?dryRun=All" -f - 2>&1 | grep -q 'not before the site'
}

@test "a policy of the site's is against a pod's binding: its job gives the node back, and the pod is told" {
	no_bindings
	wait_for 60 "the policy to be in force" bindings_denied
	a_pod denied "$LONG" | create
	wait_for 60 "its job" has_job denied
	id=$(job_of denied)
	# (only what lasts for a minute is believed)
	wait_for 120 "job $id to end" state_is "$id" CANCELLED
	wait_for 60 "the pod to be told" pod_says "$TEAM" denied 'not before the site says so'
	kube delete validatingadmissionpolicybinding,validatingadmissionpolicy "no-bindings-$TEAM" >/dev/null
	# (another job comes a minute after the first one at the earliest)
	wait_for 150 "the pod to run" pod_is denied Running
	has_newer denied "$id"
}

@test "a pod that is resized may have what its job has, and no more: then it ends" {
	a_pod grows "$LONG" '' 500m | notes "$SHARED" | create # (else its job has all CPUs)
	runs grows
	id=$(job_of grows)
	resize grows 1
	enough() { [[ $(kteam get pod grows -o 'jsonpath={.status.containerStatuses[0].resources.requests.cpu}') = 1 ]]; }
	wait_for 60 "the kubelet to do it" enough
	state_is "$id" RUNNING
	watch_ends
	resize grows 1100m
	wait_for 60 "the pod to be deleted" ending grows 1
	wait_for 60 "an Event" event_says grows "job $id has less than its pods ask for since they were resized"
	wait_for 60 "job $id to end" state_is "$id" CANCELLED
}

@test "a slurmctld that was not there when a pod was resized sees it all the same" {
	a_pod grows "$LONG" '' 500m | notes "$SHARED" | create # (else its job has all CPUs)
	runs grows
	id=$(job_of grows)
	slurmctld_stop
	resize grows 1100m
	slurmctld_start
	wait_for 120 "the pod to go" pod_gone grows
	wait_for 60 "job $id to end" state_is "$id" CANCELLED
}

# bats test_tags=long
@test "a pod that is resized while it waits gets another job, of its size" {
	a_pod waits "$LONG" | notes "$SHARED, job.slurm-k8s.io/sbatch-options: --hold" | create
	wait_for 60 "its job" has_job waits
	id=$(job_of waits)
	[[ $(job "$id" NumCPUs) = 1 ]]
	resize waits 1500m
	as_slurm scontrol release "$id"
	wait_for 90 "the pod to be told" pod_says "$TEAM" waits 'no room for one with 1500 m of CPU'
	state_is "$id" CANCELLED
	wait_for 150 "another job" has_newer waits "$id"
	[[ $(job "$(job_of waits)" NumCPUs) = 2 ]]
	as_slurm scontrol release "$(job_of waits)"
	runs waits
}

# hold_one NAME: a pod whose job waits until it is released
hold_one() {
	a_pod "$1" "$LONG" | notes "$SHARED, job.slurm-k8s.io/sbatch-options: --hold" | create
	wait_for 60 "its job" has_job "$1"
	id=$(job_of "$1")
}
not_bound_by() { # NAME ID WORDS
	wait_for 90 "the pod to be told" pod_says "$TEAM" "$1" "$3"
	wait_for 60 "job $2 to end" state_is "$2" CANCELLED
	[[ ! $(pod_node "$1") ]]
}

# (Slurm gave the rest of that node to others, who had no room there then)
@test "a user makes his pod's job smaller while it waits: the pod is not bound by it; he may make it larger" {
	hold_one small
	as_user scontrol update "JobId=$id" MinMemoryNode=1
	as_user scontrol release "$id"
	not_bound_by small "$id" 'no room for one with 1000 m of CPU, 16 MiB'
	hold_one large
	as_user scontrol update "JobId=$id" MinMemoryNode=32 TimeLimit=1
	as_user scontrol release "$id"
	runs large
	[[ $(job_of large) = "$id" && $(job "$id" TimeLimit) = 00:01:00 ]]
}

@test "a user takes the list of nodes that do not fit from his pod's job: the pod is not bound there" {
	kube taint node "$ONE" "$EVICTS=x:NoSchedule" --overwrite >/dev/null
	hold_one odd
	wait_for 60 "its job to be told" job_has "$id" ExcNodeList "$ONE"
	as_user scontrol update "JobId=$id" ExcNodeList= "ReqNodeList=$ONE"
	as_user scontrol release "$id"
	not_bound_by odd "$id" "not tolerated: taint $EVICTS"
}

@test "a user takes a node from his gang's job while it runs: the pod there goes, the other runs on" {
	local left lost n
	create <<-'Y'
	apiVersion: scheduling.x-k8s.io/v1alpha1
	kind: PodGroup
	metadata: {name: pair}
	spec: {minMember: 2}
	Y
	for n in 1 2; do a_pod "pair-$n" "$LONG" 'scheduling.x-k8s.io/pod-group: pair' "$(node "$ONE" CPUTot)"; done | create
	runs pair-1
	runs pair-2
	id=$(job_of pair)
	job_has "$id" NumNodes 2
	watch_ends
	as_user scontrol update "JobId=$id" NumNodes=1
	left=1 lost=2
	[[ $(pod_node pair-1) = $(job "$id" NodeList) ]] || left=2 lost=1
	wait_for 60 "the pod on the other node to be deleted" ending "pair-$lost" 1
	wait_for 60 "an Event" event_says "pair-$lost" "job $id runs on other nodes now"
	wait_for 60 "the pod to go" pod_gone "pair-$lost"
	[[ $(pod_node "pair-$left") = $(job "$id" NodeList) ]]
	pod_is "pair-$left" Running
	state_is "$id" RUNNING
	kteam delete podgroups.scheduling.x-k8s.io pair --wait=false >/dev/null
}

@test "a gang's new pod that is larger than the one whose place it takes is told that there is no room" {
	local n
	create <<-Y
	apiVersion: scheduling.x-k8s.io/v1alpha1
	kind: PodGroup
	metadata: {name: trio, annotations: {$SHARED}}
	spec: {minMember: 2}
	Y
	for n in 1 2; do a_pod "trio-$n" "$LONG" 'scheduling.x-k8s.io/pod-group: trio'; done | create
	runs trio-1
	runs trio-2
	id=$(job_of trio)
	kteam delete pod trio-2 >/dev/null
	a_pod trio-3 "$LONG" 'scheduling.x-k8s.io/pod-group: trio' 1500m | create
	wait_for 60 "the pod to be told" pod_says "$TEAM" trio-3 "job $id has no place for it now: .*no room for one with 1500 m of CPU"
	wait_for 60 "the log to say so" logged "trio: job $id has no place for it now"
	pod_is trio-1 Running
	state_is "$id" RUNNING
	kteam delete pod trio-3 --wait=false >/dev/null
	a_pod trio-4 "$LONG" 'scheduling.x-k8s.io/pod-group: trio' | create
	runs trio-4
	[[ $(job_of trio) = "$id" ]]
	kteam delete podgroups.scheduling.x-k8s.io trio --wait=false >/dev/null
}

# (its job was cancelled, and its pods deleted, as soon as another pod of it waited)
@test "a PodGroup that is deleted and made anew: the pods that run go on, and their job" {
	local n
	group_anew() {
		create <<-Y
		apiVersion: scheduling.x-k8s.io/v1alpha1
		kind: PodGroup
		metadata: {name: anew, annotations: {$SHARED}}
		spec: {minMember: 2}
		Y
	}
	group_anew
	for n in 1 2; do a_pod "anew-$n" "$LONG" 'scheduling.x-k8s.io/pod-group: anew'; done | create
	runs anew-1
	runs anew-2
	id=$(job_of anew)
	kteam delete podgroups.scheduling.x-k8s.io anew >/dev/null
	group_anew
	a_pod anew-3 "$LONG" 'scheduling.x-k8s.io/pod-group: anew' | create
	wait_for 60 "the third to be told" pod_says "$TEAM" anew-3 "job $id was made for 2 pods, which run"
	stays 5 state_is "$id" RUNNING
	pod_is anew-1 Running
	pod_is anew-2 Running
	kteam delete podgroups.scheduling.x-k8s.io anew --wait=false >/dev/null
}

@test "a gang of more pods than any may have is told so at once" {
	create <<-Y
	apiVersion: scheduling.x-k8s.io/v1alpha1
	kind: PodGroup
	metadata: {name: crowd}
	spec: {minMember: 8193}
	Y
	a_pod crowd-1 "$LONG" 'scheduling.x-k8s.io/pod-group: crowd' | create
	wait_for 60 "the pod to be told" pod_says "$TEAM" crowd-1 'PodGroup crowd is not of 1 to 8192 pods that start together'
	[[ ! $(job_of crowd) ]]
	kteam delete podgroups.scheduling.x-k8s.io crowd --wait=false >/dev/null
}

@test "kubectl debug: a container beside the pod's own is no resize, and its job goes on" {
	a_pod plain "$UNTIL_GO; exit 3" | create
	runs plain
	id=$(job_of plain)
	kteam debug plain --profile=baseline --image="$SITE_IMAGE" --image-pull-policy=Never -c fails --attach=false -- false
	failed() { [[ $(kteam get pod plain -o 'jsonpath={.status.ephemeralContainerStatuses[0].state.terminated}') ]]; }
	wait_for 60 "it to fail" failed
	state_is "$id" RUNNING
	go_on plain
	wait_for 60 "job $id to end" job_is "$id" FAILED
	[[ $(job "$id" ExitCode) = 3:0 ]]
}

# What Kubernetes reckons that a pod asks for, and the CPUs of its job
asked() { kube describe node "$(pod_node "$1")" | awk -v of="$TEAM $1" '$1 " " $2 == of { print $3 }'; }
cpus() { job "$(job_of "$1")" NumCPUs; }
# (pod-level resources are off by default in 1.33, which forgets them then)
@test "init containers, sidecars, resources of the whole pod: its job has what kubectl describe node says" {
	a_pod sidecar "$LONG" '' 300m | sed 's|^  containers:|  initContainers:\
    - {name: first, image: "'"$SITE_IMAGE"'", command: ["true"], resources: {requests: {cpu: 400m}}}\
    - {name: beside, image: "'"$SITE_IMAGE"'", command: [sleep, "1000"], restartPolicy: Always, resources: {requests: {cpu: 800m}}}\
&|' | on "$ONE" | notes "$SHARED" | create
	a_pod whole "$LONG" '' 300m | sed 's/^  containers:/  resources: {requests: {cpu: 1500m}}\
&/' | on "$TWO" | notes "$SHARED" | create
	runs sidecar
	runs whole
	[[ $(asked sidecar) = 1100m* && $(cpus sidecar) = 2 ]]
	case $(asked whole) in
	1500m*) [[ $(cpus whole) = 2 ]] ;;
	*) [[ $(asked whole) = 300m* && $(cpus whole) = 1 && ! $(kteam get pod whole -o 'jsonpath={.spec.resources}') ]] ;;
	esac
}

@test "a RuntimeClass's overhead is part of what the job gets" {
	kube apply -f - >/dev/null <<-Y
	{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: "$TEAM"}, handler: runc, overhead: {podFixed: {cpu: 800m, memory: 64Mi}}}
	Y
	a_pod heavy "$LONG" '' 300m | sed "s/^  containers:/  runtimeClassName: $TEAM\n&/" | on "$ONE" | notes "$SHARED" | create
	runs heavy
	[[ $(asked heavy) = 1100m* && $(cpus heavy) = 2 ]]
	kube delete runtimeclass "$TEAM" >/dev/null
}

@test "a kubelet that is started anew: a bridged pod and its job go on, and the next one comes" {
	a_pod stays "$UNTIL_GO" | on "$ONE" | create
	runs stays
	id=$(job_of stays) before=$(container_of stays)
	[[ $before ]]
	"$TOP/script/cluster" kubelet-stop "${ONE#k8s-}" 3>&-
	"$TOP/script/cluster" kubelet-start "${ONE#k8s-}" 3>&-
	answers() { [[ $(kube get --raw "/api/v1/nodes/$ONE/proxy/healthz") = ok ]]; }
	wait_for 90 "the kubelet" answers
	wait_for 60 "its pods" kteam exec stays -- true
	[[ $(container_of stays) = "$before" ]]
	state_is "$id" RUNNING
	go_on stays
	wait_for 60 "the pod to end" pod_is stays Succeeded
	wait_for 60 "job $id to end" state_is "$id" COMPLETED
	a_pod next 'exit 0' | on "$ONE" | create
	wait_for 120 "the next pod" pod_is next Succeeded
}
container_of() { kteam get pod "$1" -o 'jsonpath={.status.containerStatuses[0].containerID} {.status.containerStatuses[0].restartCount}'; }

@test "a budget by percentage, or by maxUnavailable, lets no bridged pod be evicted: the drain waits for its end" {
	local budget
	kube label node "$ONE" "$LABEL=" --overwrite >/dev/null
	a_pod kept "$UNTIL_GO" | on "$ONE" | create
	runs kept
	id=$(job_of kept)
	for budget in '--min-available 50%' '--max-unavailable 1'; do
		# shellcheck disable=SC2086 # two words
		kteam create poddisruptionbudget kept --selector test=bridge $budget >/dev/null
		reckoned() { [[ $(kteam get poddisruptionbudget kept -o 'jsonpath={.status.conditions[?(@.type=="DisruptionAllowed")].status}') = False ]]; }
		wait_for 60 "Kubernetes to reckon it" reckoned
		run drain "$ONE" 5 test=bridge
		echo "$output"
		[[ $status -ne 0 && $output = *"would violate the pod's disruption budget"* ]]
		state_is "$id" RUNNING
		kteam delete poddisruptionbudget kept >/dev/null
	done
	go_on kept
	wait_for 60 "job $id to end" state_is "$id" COMPLETED
}

@test "a pod's job has the MCS label of its namespace" {
	a_pod labelled "$LONG" | create
	runs labelled
	[[ $(job "$(job_of labelled)" MCS_label) = k8sdemo ]]
}

@test "partitions that are closed to its user are closed to a pod" {
	a_pod roots 'exit 0' | notes 'slurmjob.slinky.slurm.net/partition: roots' | create
	a_pod groups 'exit 0' | notes 'slurmjob.slinky.slurm.net/partition: groups' | create
	wait_for 60 "the refusal" pod_says "$TEAM" roots 'Slurm: partition roots is closed to users'
	wait_for 60 "an Event" event_says roots 'partition roots is closed to users'
	# (Slurm refuses this one, or keeps it waiting, as slurm.conf says)
	wait_for 60 "Slurm's words" pod_says "$TEAM" groups 'group\|PartitionConfig\|waits'
	[[ ! $(job_of roots) && ! $(pod_node roots) && ! $(pod_node groups) ]]
}

# job_until NAME DEADLINE PARTITION
job_until() {
	kteam apply -f - >/dev/null <<-Y
	apiVersion: batch/v1
	kind: Job
	metadata: {name: $1, annotations: {slurmjob.slinky.slurm.net/job-name: $1, slurmjob.slinky.slurm.net/partition: $3}}
	spec:
	  activeDeadlineSeconds: $2
	  template:
	    spec:
	      schedulerName: $SCHEDULER
	      tolerations: [{key: slurm-k8s.io/tests, operator: Exists}]
	      restartPolicy: Never
	      terminationGracePeriodSeconds: 1
	      containers:
	        - {name: main, image: "$SITE_IMAGE", command: [/bin/sh, -c, "$LONG"], resources: {requests: {cpu: 1}}}
	Y
}

@test "a Job's deadline is no way to more time, where pods may not choose their time limit" {
	job_until ends-early 61 short
	job_until ends-late 86400 short
	wait_for 60 "a job" has_job ends-early
	wait_for 60 "a job" has_job ends-late
	newest_has ends-early TimeLimit 00:02:00
	newest_has ends-late TimeLimit 00:05:00
}

@test "what a site allows comes to what is harmless anyhow, but for what it denies; the words say which list to change" {
	a_pod paper 'sleep 1' | notes 'slurmjob.slinky.slurm.net/job-name: fig-3, job.slurm-k8s.io/comment: "for the paper"' | create
	wait_for 60 "a job of that name" has_job fig-3
	id=$(job_of fig-3)
	job_says "$id" "Comment=for the paper"
	a_pod long true | notes 'slurmjob.slinky.slurm.net/timelimit: "7"' | create
	a_pod tools true | notes "job.slurm-k8s.io/sbatch-options: '-L matlab'" | create
	a_pod rich true | notes 'slurmjob.slinky.slurm.net/account: gold' | create
	wait_for 60 "long" pod_says "$TEAM" long "may not choose it; its 'deny' in k8s.yaml, section bridge, has timelimit"
	wait_for 60 "tools" pod_says "$TEAM" tools "may not choose it; its 'deny' in k8s.yaml, section bridge, has licenses"
	wait_for 60 "rich" pod_says "$TEAM" rich "an administrator can add account to its 'allow'"
}

# in_force: k8s.yaml, as it is now
in_force() {
	mark
	as_slurm scontrol reconfigure
	wait_for 60 "k8s.yaml to be in force" logged 'engine .* runs: \|k8s.yaml is in force'
}

# limited KEY VALUE: the namespace's entry has that limit, too (bridge_clean puts k8s.yaml back)
limited() {
	sed "s/^      user: $SITE_USER$/&\n      $1: $2/" "$SITE/k8s.yaml" >"$SITE/k8s.yaml.cut"
	run ! cmp -s "$SITE/k8s.yaml" "$SITE/k8s.yaml.cut"
	mv "$SITE/k8s.yaml" "$SITE/k8s.yaml.whole"
	mv "$SITE/k8s.yaml.cut" "$SITE/k8s.yaml"
	in_force
}
unlimited() {
	mv "$SITE/k8s.yaml.whole" "$SITE/k8s.yaml"
	in_force
}

@test "a namespace that k8s.yaml does not name enters by its labels, as expressions have them" {
	guest_is() { [[ $(kube -n "$POOR" get pod guest -o 'jsonpath={.status.phase}') = "$1" ]]; }
	kube label namespace "$POOR" tier- no-slurm- >/dev/null
	cp -p "$SITE/k8s.yaml" "$SITE/k8s.yaml.whole"
	cat >>"$SITE/k8s.yaml" <<-Y
	  selectors:
	    - matchExpressions:
	        - {key: tier, operator: In, values: [batch, train]}
	        - {key: no-slurm, operator: DoesNotExist}
	      user: $SITE_USER
	Y
	in_force
	a_pod guest 'exit 0' | kube -n "$POOR" apply -f - >/dev/null
	wait_for 60 "it to be told" pod_says "$POOR" guest 'may not use'
	kube label namespace "$POOR" tier=train no-slurm=yes >/dev/null
	stays 3 pod_says "$POOR" guest 'may not use'
	kube label namespace "$POOR" no-slurm- >/dev/null
	wait_for 120 "it to run" guest_is Succeeded
	kube -n "$POOR" delete pod guest --wait=false >/dev/null
	unlimited
}

@test "a namespace has so many pods in the queue: the one that is too many is told so, and comes in later" {
	limited maxPods 2
	a_pod first "$LONG" | create
	a_pod second "$LONG" | create
	runs first
	runs second
	a_pod third 'exit 0' | create
	wait_for 60 "the words" pod_says "$TEAM" third "has as many pods in Slurm's queue as it may have: 2 (maxPods in k8s.yaml)"
	wait_for 60 "an Event" event_says third 'maxPods in k8s.yaml'
	[[ ! $(job_of third) ]]
	kteam delete pod first --wait=false >/dev/null
	within 60 "the third to end" pod_is third Succeeded
	unlimited
}

@test "a namespace submits so many jobs a second: all come in, one after the other" {
	local began=$SECONDS
	limited submitsPerSecond 1
	for n in {1..16}; do a_pod "slow-$n" 'exit 0'; echo ---; done | kteam create -f - >/dev/null
	for n in {1..16}; do wait_for 60 "a job of slow-$n" has_job "slow-$n"; done
	((SECONDS - began >= 9)) # (five may come at once)
	wait_for 60 "an Event of one of them" some_event 'TooManySubmissions.*submitsPerSecond in k8s.yaml'
	unlimited
}

@test "a namespace has so many jobs: what is beyond that is told so, and comes in later" {
	limited maxJobs 1
	a_pod first "$LONG" | create
	runs first
	a_pod second 'exit 0' | create
	wait_for 60 "the words" pod_says "$TEAM" second "has as many jobs in Slurm's queue as it may have: 1 (maxJobs in k8s.yaml)"
	wait_for 60 "an Event" event_says second 'maxJobs in k8s.yaml'
	[[ ! $(job_of second) ]]
	kteam delete pod first --wait=false >/dev/null
	within 60 "the second to end" pod_is second Succeeded
	unlimited
}
