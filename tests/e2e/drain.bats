# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=alone
# What people and controllers of Kubernetes do to worker pods: drains, evictions, taints,
# kubectl debug. (kubectl delete --force: engine_lost.bats, "pod gone".)
setup() {
	load engine.bash
	HOST=''
}
teardown() {
	[[ ! $HOST ]] || kube taint node "$HOST" slurm-k8s.io/evicted- >/dev/null 2>&1 || true
	kns delete poddisruptionbudget half --ignore-not-found >/dev/null
	put_right
}

host_of() { kns get pod "$1" -o 'jsonpath={.spec.nodeName}'; }
# note POD KEY: the annotation
note() { kns get pod "$1" -o "jsonpath={.metadata.annotations.${2//./\\.}}"; }
note_is() { [[ $(note "$1" "$2") = "$3" ]]; }
SAFE=cluster-autoscaler.kubernetes.io/safe-to-evict KEEP=karpenter.sh/do-not-disrupt

# drain HOST SECONDS [OPTION...]: what README says, but of this nodeset's pods only
drain() {
	echo "$1" >"$SITE/cordoned"
	kube drain "$1" --pod-selector slurm-k8s.io/nodeset=bad --force --ignore-daemonsets --timeout "$2s" "${@:3}"
}
# refused HOST SECONDS WORDS [OPTION...]: it ends in vain, and says so
refused() {
	run drain "$1" "$2" "${@:4}"
	echo "$output"
	[[ $status -ne 0 && $output = *"$3"* ]]
}
budget_seen() { [[ $(kns get poddisruptionbudget "$1" -o 'jsonpath={.status.observedGeneration}') ]]; }
# protected: our budget (before Kubernetes has looked at it, it says something else)
protected() { [[ $(kns get poddisruptionbudgets -o 'jsonpath={range .items[*]}{.metadata.name} {.status.observedGeneration}{"\n"}{end}') = *'slurm-k8s-'*' '[1-9]* ]]; }
# busy_job: a job that runs on bad-0, and its pod is protected; sets id and host
busy_job() {
	running_job
	wait_for 60 "its notes" note_is bad-0 slurm-k8s.io/job-ids "$id"
	wait_for 60 "its protection" protected
	host=$(host_of bad-0)
}
# idle_worker: bad-0 is up and has no job; sets host
idle_worker() {
	update NodeName=bad-0 State=POWER_UP
	wait_for 120 "bad-0" nodes_are bad-0 idle
	host=$(host_of bad-0)
}

@test "autoscalers are told that a pod with jobs keeps its machine, and an idle one does not" {
	idle_worker
	wait_for 60 "the idle pod to say that it may go" note_is bad-0 $SAFE true
	[[ ! $(note bad-0 $KEEP) ]]
	running_job
	wait_for 60 "the busy one to say that it may not" note_is bad-0 $SAFE false
	[[ $(note bad-0 $KEEP) = true && $(kns get pod bad-0 -o 'jsonpath={.metadata.labels.slurm-k8s\.io/busy}') = true ]]
	# (somebody's mistake)
	kns annotate pod bad-0 $SAFE=true --overwrite >/dev/null
	wait_for 60 "it to be put right" note_is bad-0 $SAFE false
	job_is "$id" RUNNING
	as_slurm scancel "$id"
	wait_for 60 "the idle one to say that it may go" note_is bad-0 $SAFE true
	[[ ! $(note bad-0 $KEEP) ]]
}

@test "kubectl drain: an idle worker goes at once; without --force and --delete-emptydir-data it is refused" {
	template 's#^  volumes:#&\n    - {name: scratch, emptyDir: {}}#'
	idle_worker
	mark # (also who is refused has cordoned the node)
	refused "$host" 5 "local storage (use --delete-emptydir-data to override): $SITE_NS/bad-0"
	refused "$host" 5 "declare no controller (use --force to override): $SITE_NS/bad-0" --force=false --delete-emptydir-data
	kns get pod bad-0 >/dev/null
	drain "$host" 30 --delete-emptydir-data
	wait_for 30 "Slurm's drain" logged "reason set to: k8s: Kubernetes node $host is cordoned\|reason set to: k8s: pod bad-0 is being deleted"
	wait_for 90 "bad-0 to be of use again" nodes_are bad-0 'idle~'
	uncordon "$host"
	next=$(submit -p bad -w bad-0 --wrap true)
	wait_for 120 "job $next" job_is "$next" COMPLETED
}

@test "kubectl drain: no new jobs, it waits for the one there, then lets go" {
	busy_job
	uid=$(pod_uid bad-0)
	refused "$host" 5 "would violate the pod's disruption budget"
	wait_for 30 "Slurm's drain" logged "reason set to: k8s: Kubernetes node $host is cordoned"
	[[ $(pod_uid bad-0) = "$uid" ]]
	job_is "$id" RUNNING
	as_slurm scancel "$id"
	drain "$host" 200
	wait_for 120 "the pod to go" pods_are 0 slurm-k8s.io/node=bad-0
	uncordon "$host"
	next=$(submit -p bad -w bad-0 --wrap true)
	wait_for 120 "job $next" job_is "$next" COMPLETED
}

@test "a budget of one's own, by percentage: it counts no worker, so no drain ends before it is deleted" {
	idle_worker
	kns create poddisruptionbudget half --selector app.kubernetes.io/name=slurmd --min-available 50% >/dev/null
	wait_for 60 "Kubernetes to see it" budget_seen half
	wait_for 60 "our own" protected
	[[ $(kns get poddisruptionbudget half -o 'jsonpath={.status.expectedPods} {.status.disruptionsAllowed}') = '0 0' ]]
	refused "$host" 5 "would violate the pod's disruption budget"
	uncordon "$host"
	running_job
	wait_for 60 "its notes" note_is bad-0 slurm-k8s.io/job-ids "$id"
	refused "$host" 5 'more than one PodDisruptionBudget'
	job_is "$id" RUNNING
	as_slurm scancel "$id"
	kns delete poddisruptionbudget half >/dev/null
	drain "$host" 200
	wait_for 120 "the pod to go" pods_are 0 slurm-k8s.io/node=bad-0
}

@test "a NoExecute taint: no budget holds the pod, the job goes back to the queue and runs again" {
	busy_job
	uid=$(pod_uid bad-0)
	HOST=$host
	kube taint node "$host" slurm-k8s.io/evicted=yes:NoExecute >/dev/null
	wait_for 60 "the drain, or the end" logged 'reason set to: k8s: pod bad-0 is being deleted\|k8s: nodes bad-0: down (pod'
	wait_for 200 "job $id to go back" logged "Requeuing JobId=$id"
	kube taint node "$host" slurm-k8s.io/evicted- >/dev/null
	runs_elsewhere() { job_is "$id" RUNNING && [[ $(job "$id" Restarts) -ge 1 && $(pod_uid bad-0) != "$uid" ]]; }
	wait_for 120 "job $id to run again" runs_elsewhere
}

@test "a kubelet that is started anew: the job goes on, and ends well" {
	id=$(submit -p bad -w bad-0 --requeue --wrap "$UNTIL_TOLD")
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	uid=$(pod_uid bad-0) pid=$(slurmd_of bad-0) host=$(host_of bad-0)
	[[ $pid ]]
	mark
	"$TOP/script/cluster" kubelet-stop "${host#k8s-}" 3>&-
	"$TOP/script/cluster" kubelet-start "${host#k8s-}" 3>&-
	answers() { [[ $(kube get --raw "/api/v1/nodes/$host/proxy/healthz") = ok ]]; }
	wait_for 90 "the kubelet" answers
	wait_for 60 "its pods" kns exec bad-0 -- true
	job_is "$id" RUNNING
	tell "$id"
	wait_for 60 "job $id to end" job_is "$id" COMPLETED
	[[ $(job "$id" Restarts) = 0 && $(pod_uid bad-0) = "$uid" && $(slurmd_of bad-0) = "$pid" ]]
	run logged 'k8s: nodes bad-0: down'
	[[ $status -ne 0 ]]
}

@test "kubectl debug: a container beside slurmd that runs, or fails, costs the job nothing" {
	id=$(submit -p bad -w bad-0 --requeue --wrap "$UNTIL_TOLD")
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	uid=$(pod_uid bad-0)
	mark
	kns debug bad-0 --profile=baseline --image="$SITE_IMAGE" --image-pull-policy=Never -c looks --attach=false -- sleep 1000
	kns debug bad-0 --profile=baseline --image="$SITE_IMAGE" --image-pull-policy=Never -c fails --attach=false -- false
	of() { kns get pod bad-0 -o "jsonpath={.status.ephemeralContainerStatuses[?(@.name==\"$1\")].state.$2}"; }
	is() { [[ $(of "$1" "$2") ]]; }
	wait_for 60 "the first one to run" is looks running
	wait_for 60 "the second one to fail" is fails terminated
	sleep_passes
	job_is "$id" RUNNING
	nodes_are bad-0 'alloc'
	tell "$id"
	wait_for 60 "job $id to end" job_is "$id" COMPLETED
	[[ $(job "$id" Restarts) = 0 && $(pod_uid bad-0) = "$uid" ]]
	# (nor does it keep the node from being powered down)
	update NodeName=bad-0 State=POWER_DOWN
	wait_for 120 "the pod to go" pods_are 0 slurm-k8s.io/node=bad-0
}
