# SPDX-License-Identifier: GPL-2.0-or-later
# The policies of etc/kubernetes/admission as an API server judges by them: each of their
# expressions meets a kubectl that it refuses and one that it lets pass, on each way that
# writes to a pod. Of the site this needs its namespace and an administrator's kubeconfig.
# (What it tests knows no release of Slurm: with one of them is enough.)
# bats file_tags=from2605
setup_file() {
	load common.bash
	. "$TOP/script/lib/site-bridge.sh"
	names_of_ours
	for ns in "$TEAM" "$CHOSEN" "$FREE"; do
		kube create namespace "$ns" >/dev/null
		rights "$ns"
	done
	kube create clusterrolebinding "$BOSS" --clusterrole cluster-admin --user "$BOSS" >/dev/null
	# (only namespaces with that label see the copies of the policies)
	kube label namespace "$TEAM" "$CHOSEN" "slurm-k8s.io/tests=$SITE_NS" >/dev/null
	kube label namespace "$CHOSEN" slurm-k8s.io/bridge=true >/dev/null
	site_bridge_rights
	copies
	kube apply -k "$POLICIES" >/dev/null
	[[ ! $MUTATING ]] || kube apply -f "$POLICIES/scheduler.yaml" >/dev/null
	for ns in "$TEAM" "$CHOSEN"; do
		wait_for 60 "the policies to be in force in $ns" in_force "$ns"
	done
	[[ ! $MUTATING ]] || wait_for 60 "the pods of $CHOSEN to be Slurm's" ours_in "$CHOSEN"
	wait_for 60 "the ServiceAccounts" accounts
}
teardown_file() {
	load common.bash
	. "$TOP/script/lib/site-bridge.sh"
	names_of_ours
	kube label namespace "$SITE_NS" slurm-k8s.io/tests- >/dev/null
	kube delete clusterrolebinding "$BOSS" >/dev/null
	kube delete -k "$POLICIES" >/dev/null
	[[ ! $MUTATING ]] || kube delete -f "$POLICIES/scheduler.yaml" >/dev/null
	kube delete namespace "$TEAM" "$CHOSEN" "$FREE" --wait=false >/dev/null
	site_bridge_rights_end
}
setup() {
	load common.bash
	names_of_ours
}
teardown() {
	# (by force: those that name a node that there is not have no kubelet that ends them)
	for ns in "$TEAM" "$CHOSEN" "$FREE"; do
		kube -n "$ns" delete replicasets,jobs,pods --all --force --grace-period 0 >/dev/null 2>&1 || true
	done
	[[ ! ${NODE_MADE:-} ]] || kube delete node "$NODE_MADE" >/dev/null
	[[ ! ${id:-} ]] || clean_up
}

names_of_ours() {
	TEAM=$SITE_NS-admission          # where the validating policies hold
	CHOSEN=$SITE_NS-admission-chosen # and the mutating one
	FREE=$SITE_NS-admission-free     # none, as if they were not installed
	POLICIES=$BATS_FILE_TMPDIR/admission
	SHIPPED=$TOP/etc/kubernetes
	OURS=slurm-bridge-scheduler
	BRIDGED="schedulerName: $OURS"
	# What does not become ours, nor kube-scheduler's
	NOBODY='schedulerName: nobody'
	CTLD=system:serviceaccount:$SITE_NS:slurmctld
	# Users whose names are nearly those of the cluster's own, and one who may do all
	NEARLY=(system:serviceaccount:slurm:slurmctld "${CTLD}2" system:kube-controller-manager2)
	BOSS=boss-$SITE_NS
	# The API's version that has MutatingAdmissionPolicy; none: 1.33 to 1.35, without the gate
	MUTATING=$(for v in v1 v1beta1 v1alpha1; do
		! kube get --raw "/apis/admissionregistration.k8s.io/$v" 2>/dev/null | grep -q '"mutatingadmissionpolicies"' || { echo $v && break; }
	done)
}

# rights NAMESPACE: of those that as() knows, there. slurmctld's are those that are shipped.
rights() {
	for f in role rolebinding; do
		sed "s/^  namespace: slurm$/  namespace: $1/; s/^    namespace: slurm$/    namespace: $SITE_NS/" "$SHIPPED/$f.yaml"
		echo ---
	done | kube apply -f - >/dev/null
	kube -n "$1" create role operator --verb '*' --resource "bindings,pods$(printf ,pods/%s binding ephemeralcontainers eviction resize status)" >/dev/null
	kube -n "$1" create rolebinding operator --role operator --user "operator-$SITE_NS" >/dev/null
	kube -n "$1" create rolebinding admin --clusterrole admin --user "admin-$SITE_NS" >/dev/null
	kube -n "$1" create rolebinding user --clusterrole edit --user "user-$SITE_NS" >/dev/null
	kube -n "$1" create rolebinding more --clusterrole edit --user system:kube-controller-manager "${NEARLY[@]/#/--user=}" >/dev/null
}

# copies: the policies under names of this site's own, for its namespaces only; the
# expressions are those that are shipped
copies() {
	local everywhere
	cp -r "$SHIPPED/admission" "$POLICIES"
	mapfile -t everywhere < <(grep -L '^ *slurm-k8s.io/bridge: ' "$POLICIES"/*.yaml)
	sed -i -E "s/^(  (name|policyName): slurm-k8s-[a-z]+)$/\1-$SITE_NS/
		s/:slurm:slurmctld'/:$SITE_NS:slurmctld'/
		s/^( *)slurm-k8s.io\/bridge: .*/&\n\1slurm-k8s.io\/tests: $SITE_NS/" "$POLICIES"/*.yaml
	# (whose binding chooses no namespaces gets some here)
	sed -i -E "s/^( *)(validationActions: .*)/&\n\1matchResources: {namespaceSelector: {matchLabels: {slurm-k8s.io\/tests: $SITE_NS}}}/" "${everywhere[@]}"
	[[ ! $MUTATING ]] || sed -i "s#k8s.io/v1\$#k8s.io/$MUTATING#" "$POLICIES/scheduler.yaml"
}

# as WHO NAMESPACE KUBECTL-ARGUMENT...: a namespace's "admin", a plain "user" (ClusterRole
# edit), an "operator" who may do all to pods, "ctld" (slurmctld), the cluster's administrator
# ("root")
as() {
	case $1 in
	root) kube -n "$2" "${@:3}" ;;
	ctld) kube --as "$CTLD" -n "$2" "${@:3}" ;;
	*) kube --as "$1-$SITE_NS" -n "$2" "${@:3}" ;;
	esac
}

# refused WORDS COMMAND...: by a policy, with just these words
refused() {
	run "${@:2}"
	echo "$output"
	((status != 0)) && grep -qE "ValidatingAdmissionPolicy 'slurm-k8s-[a-z]+-$SITE_NS' .* denied request: " <<<"$output" &&
		[[ $output = *"denied request: $1" ]]
}
# forbidden WORDS COMMAND...: by RBAC
forbidden() {
	run "${@:2}"
	echo "$output"
	((status != 0)) && has "is forbidden: " && has "$1"
}
passes() {
	run "$@"
	echo "$output"
	((status == 0))
}

# pod NAME [SPEC [METADATA]]: a manifest, with further members; it has GRACE (1) seconds to end,
# and its container PROBE
pod() {
	cat <<-Y
	{apiVersion: v1, kind: Pod, metadata: {name: $1, ${3:-}}, spec: {${2:+$2, }terminationGracePeriodSeconds: ${GRACE:-1},
	  containers: [{name: c, image: localhost/none, ${PROBE:+$PROBE, }resources: {requests: {cpu: 10m, memory: 1Mi}}}]}}
	Y
}
# create WHO NAMESPACE NAME [SPEC [METADATA]]; try: it is only asked whether it would be taken
create() { as "$1" "$2" create -f - <<<"$(pod "${@:3}")"; }
try() { as "$1" "$2" create --dry-run=server -f - <<<"$(pod "${@:3}")"; }
# scheduler_of WHO NAMESPACE [SPEC [METADATA]]: that a new pod would have, and its node
scheduler_of() { as "$1" "$2" create --dry-run=server -o 'jsonpath={.spec.schedulerName} {.spec.nodeName}' -f - <<<"$(pod p "${@:3}")"; }

in_force() {
	refused "$SET_LABEL" try root "$1" p "$NOBODY" 'labels: {slurm-k8s.io/x: z}' &&
		refused "$APART" try root "$1" p "$BRIDGED, $ALONE"
}
# (1.33 without the gate DynamicResourceAllocation takes the pod, and not its claims)
claims_are_kept() { as root "$TEAM" create --dry-run=server -o 'jsonpath={.spec.resourceClaims}' -f - <<<"$(pod p "$NOBODY, $GPU")" | grep -q gpu; }
accounts() { kube get serviceaccount default -n "$TEAM" && kube get serviceaccount default -n "$CHOSEN" && kube get serviceaccount default -n "$FREE"; }
ours_in() { [[ $(scheduler_of root "$1") = "$OURS " ]]; }

SET_LABEL="labels that begin with slurm-k8s.io/, and Slurm's job id, are set by slurmctld only"
REMOVED_LABEL="labels that begin with slurm-k8s.io/, and Slurm's job id, are removed by slurmctld only"
SET_NOTE="annotations that begin with slurm-k8s.io/, and Slurm's node, are set by slurmctld only"
REMOVED_NOTE="annotations that begin with slurm-k8s.io/, and Slurm's node, are removed by slurmctld only"
NODE_LABEL="labels that make a node Slurm's are not a kubelet's to set, change or remove"
NODE_NOTE="annotations that make a node Slurm's are not a kubelet's to set, change or remove"
NODE_MANY="a kubelet does not change a node that has more than 1000 labels or annotations"
CONTAINERS="a pod with more than 200 containers is not created"
MANY="a pod with more than 1000 labels or annotations is not created, and cannot change them"
RESIZE="the size of a pod cannot change while Slurm has a job for it"
CLAIMS="resourceClaims: Slurm does not allocate resource claims (DRA); ask for the device plugin's resource, such as nvidia.com/gpu"
APART="affinity.podAntiAffinity: Slurm does not look at which pods run on a node; only preferred terms are accepted"
HARD='labelSelector: {}, topologyKey: kubernetes.io/hostname'
ALONE="affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{$HARD}]}}"
GPU='resourceClaims: [{name: gpu, resourceClaimName: gpu}]'
PROBE_END="terminationGracePeriodSeconds of a probe: a container that fails its probe gets 3600 seconds to end at most"
LONG_END="terminationGracePeriodSeconds: a pod that Slurm starts gets 3600 seconds to end at most"
FORCED="a pod that Slurm has started is not deleted by force (gracePeriodSeconds 0): its containers would run on beside those of the next pod. (For a node that is lost an administrator sets the taint node.kubernetes.io/out-of-service.)"
DELETED_LATE="a pod that Slurm has started gets 3600 seconds to end at most (gracePeriodSeconds)"
EVICTED="no pod of this namespace is evicted by force (gracePeriodSeconds 0): its containers would run on beside those of the next pod"
EVICTED_LATE="a pod of this namespace that is evicted gets 3600 seconds to end at most (gracePeriodSeconds)"
NODE_NAME="nodeName is Slurm's to choose; use a nodeSelector for kubernetes.io/hostname"

# marked NAMESPACE NAME [SPEC]: a pod with what slurmctld writes on it, and a label and an annotation of others
marked() {
	create ctld "$1" "$2" "${3:-$NOBODY}" 'labels: {a: b, slurm-k8s.io/job-id: "1", scheduler.slinky.slurm.net/slurm-jobid: "1"},
		annotations: {a: b, slurm-k8s.io/queue: x, slinky.slurm.net/slurm-node: one}' >/dev/null
}
# label NAMESPACE NAME KEY: what the pod has there
label() { kube -n "$1" get pod "$2" -o json | jq -r --arg key "$3" '.metadata.labels[$key]'; }
# with KEY VALUE: the pod of the input, as JSON, with that label
with() { jq --arg key "$1" --arg value "$2" '.metadata.labels[$key] = $value'; }
# written WHO NAMESPACE NAME SUBRESOURCE: the pod of the input, by PUT
written() { as "$1" "$2" replace --raw "/api/v1/namespaces/$2/pods/$3/$4" -f - >/dev/null; }
binding() { # NAME METADATA
	echo "{\"apiVersion\": \"v1\", \"kind\": \"Binding\", \"metadata\": {\"name\": \"$1\"${2:+, $2}}, \"target\": {\"apiVersion\": \"v1\", \"kind\": \"Node\", \"name\": \"${NOWHERE:-nowhere}\"}}"
}
eviction() { # NAME METADATA OPTIONS
	echo "{\"apiVersion\": \"policy/v1\", \"kind\": \"Eviction\", \"metadata\": {\"name\": \"$1\"${2:+, $2}}, \"deleteOptions\": {${3:-}}}"
}
# posted WHO NAMESPACE PATH: of the namespace's
posted() { as "$1" "$2" create --raw "/api/v1/namespaces/$2/$3" -f -; }
size() { as "$1" "$2" patch pod "$3" --subresource resize -p '{"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "20m"}}}]}}'; }

type_checked() { kube get validatingadmissionpolicy "$1" -o json | jq -e '.status.observedGeneration == .metadata.generation'; }
warnings() { kube get validatingadmissionpolicy "$1" -o json | jq '.status.typeChecking.expressionWarnings // [] | length'; }

@test "type checking finds nothing in the policies, and would find a name that there is not" {
	sed '/^---/,$d; s/slurm-k8s-pods/&-typo/' "$POLICIES/pods.yaml" >"$POLICIES/typo.yaml"
	put "$POLICIES/typo.yaml" 'object.spec.nodeName)' 'object.spec.nodeNames)'
	kube apply -f "$POLICIES/typo.yaml" >/dev/null
	for name in containers nodes pods names ends evictions pods-typo; do
		wait_for 60 "slurm-k8s-$name to be looked at" type_checked "slurm-k8s-$name-$SITE_NS"
	done
	[[ $(warnings "slurm-k8s-pods-$SITE_NS") = 0 ]]
	[[ $(warnings "slurm-k8s-names-$SITE_NS") = 0 ]]
	[[ $(warnings "slurm-k8s-ends-$SITE_NS") = 0 ]]
	[[ $(warnings "slurm-k8s-containers-$SITE_NS") = 0 ]]
	[[ $(warnings "slurm-k8s-nodes-$SITE_NS") = 0 ]]
	[[ $(warnings "slurm-k8s-evictions-$SITE_NS") = 0 ]]
	[[ $(warnings "slurm-k8s-pods-typo-$SITE_NS") = 1 ]]
	kube delete -f "$POLICIES/typo.yaml" >/dev/null
}

@test "what leads to a pod's metadata is what the policies know" {
	kube get --raw /api/v1 | jq -r '.resources[] | select(.name | test("^(pods|bindings)(/|$)")) |
		select([.verbs[] | IN("create", "update", "patch")] | any) | .name' | sort >"$BATS_TEST_TMPDIR/found"
	# (attach, exec, portforward and proxy write no object)
	diff "$BATS_TEST_TMPDIR/found" - <<-L
	bindings
	pods
	pods/attach
	pods/binding
	pods/ephemeralcontainers
	pods/eviction
	pods/exec
	pods/portforward
	pods/proxy
	pods/resize
	pods/status
	L
}

@test "a bridged pod that Slurm cannot serve is refused at creation, and only that" {
	local words spec who
	for who in admin user root; do
		while IFS='|' read -r words spec; do
			[[ $words ]] || continue
			refused "$words" try "$who" "$TEAM" p "$BRIDGED, $spec"
			# (nor with another scheduler's name, even if that is none)
			passes try "$who" "$TEAM" p "$NOBODY, $spec"
		done <<-ROWS
		$NODE_NAME|nodeName: nowhere
		$(! claims_are_kept || echo "$CLAIMS|$GPU")
		topologySpreadConstraints: Slurm does not spread pods; whenUnsatisfiable: ScheduleAnyway is accepted|topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, $HARD}, {maxSkew: 2, whenUnsatisfiable: DoNotSchedule, $HARD}]
		affinity.podAffinity: Slurm does not look at which pods run on a node; only preferred terms are accepted|affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{$HARD}]}}
		$APART|$ALONE
		ROWS
		while read -r spec; do
			passes try "$who" "$TEAM" p "$BRIDGED${spec:+, $spec}"
		done <<-ROWS

		resourceClaims: []
		nodeName: ""
		topologySpreadConstraints: []
		affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: []}, podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: []}}
		nodeSelector: {kubernetes.io/hostname: nowhere}
		topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, $HARD}]
		affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {$HARD}}]}}
		affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {$HARD}}]}}
		affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}
		ROWS
	done
}

@test "a controller's pod is refused likewise, and its Event says why" {
	kube -n "$TEAM" create -f - >/dev/null <<-Y
	{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: bound}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}},
	  spec: {$BRIDGED, nodeName: nowhere, containers: [{name: c, image: localhost/none}]}}}}
	Y
	wait_for 60 "the ReplicaSet's Event" event bound "$NODE_NAME"
}
event() { kube -n "$TEAM" get events --field-selector "involvedObject.name=$1" -o 'jsonpath={.items[*].message}' | grep -qF "$2"; }

@test "a bridged pod that would have more than an hour to end is refused at creation, and only that" {
	local who
	for who in admin user root ctld; do
		GRACE=3601 refused "$LONG_END" try "$who" "$TEAM" p "$BRIDGED"
		GRACE=3601 passes try "$who" "$TEAM" p "$NOBODY"
		GRACE=3600 passes try "$who" "$TEAM" p "$BRIDGED"
		GRACE=0 passes try "$who" "$TEAM" p "$BRIDGED"
		GRACE=null passes try "$who" "$TEAM" p "$BRIDGED"
	done
}

# probe KIND SECONDS; sidecar PROBE: a member of a spec, with a container that has it
probe() { echo "$1: {exec: {command: [x]}, terminationGracePeriodSeconds: $2}"; }
sidecar() { echo "initContainers: [{name: i, image: localhost/none, restartPolicy: Always, $1}]"; }

@test "nor may a probe give its container more than an hour to end" {
	local who kind
	for who in admin user root ctld; do
		for kind in livenessProbe startupProbe; do
			refused "$PROBE_END" try "$who" "$TEAM" p "$BRIDGED, $(sidecar "$(probe "$kind" 3601)")"
			passes try "$who" "$TEAM" p "$NOBODY, $(sidecar "$(probe "$kind" 3601)")"
			passes try "$who" "$TEAM" p "$BRIDGED, $(sidecar "$(probe "$kind" 3600)")"
			PROBE=$(probe "$kind" 3601) refused "$PROBE_END" try "$who" "$TEAM" p "$BRIDGED"
			PROBE=$(probe "$kind" 3600) passes try "$who" "$TEAM" p "$BRIDGED"
		done
	done
}

# bound NAME [SPEC]: a bridged pod that has a node, NOWHERE. (There is no such node: Kubernetes'
# collector of pods deletes it when the node's name has been unknown for 40 s, so each has another.)
bound() {
	NOWHERE=nowhere-$1-$EPOCHSECONDS
	create ctld "$TEAM" "$1" "${2:-$BRIDGED}" >/dev/null
	posted ctld "$TEAM" "pods/$1/binding" <<<"$(binding "$1")" >/dev/null
}
# would_delete WHO NAME [SECONDS]: it is only asked whether he may
would_delete() { as "$1" "$TEAM" delete --raw "$(deletion "$2" "${3:-}")"; }
deletion() { echo "/api/v1/namespaces/$TEAM/pods/$1?dryRun=All${2:+&gracePeriodSeconds=$2}"; }

@test "a pod that Slurm has started is deleted neither by force nor with more than an hour, and only that" {
	local who
	create user "$TEAM" waits "$BRIDGED"
	bound p
	wait_for 30 "the policy to be in force" refused "$FORCED" would_delete user p 0
	for who in admin user operator; do
		bound "by-$who"
		refused "$FORCED" as "$who" "$TEAM" delete pod "by-$who" --dry-run=server --wait=false --force --grace-period 0
		refused "$FORCED" would_delete "$who" "by-$who" 0
		# (nor one of several)
		refused "$FORCED" as "$who" "$TEAM" delete --raw "/api/v1/namespaces/$TEAM/pods?dryRun=All&gracePeriodSeconds=0&fieldSelector=metadata.name%3Dby-$who"
		refused "$DELETED_LATE" as "$who" "$TEAM" delete pod "by-$who" --dry-run=server --wait=false --grace-period 3601
		passes as "$who" "$TEAM" delete pod "by-$who" --dry-run=server --wait=false --grace-period 3600
		passes would_delete "$who" "by-$who" 1
		passes would_delete "$who" "by-$who"
	done
	# what waits, and what is not Slurm's
	bound others "$NOBODY"
	for who in admin user operator; do
		for pod in waits others; do
			passes would_delete "$who" "$pod" 0
			passes would_delete "$who" "$pod" 86400
		done
	done
}

@test "the cluster itself may delete by force: its administrators, kubelets and controllers, and slurmctld" {
	local seconds who
	bound p
	wait_for 30 "the policy to be in force" refused "$FORCED" would_delete user p 0
	wait_for 30 "NodeRestriction to see the pod" passes kube --as "system:node:$NOWHERE" --as-group system:nodes delete --raw "$(deletion p 0)"
	for seconds in 0 3601; do
		passes would_delete root p "$seconds"
		passes would_delete ctld p "$seconds"
		passes kube --as "system:node:$NOWHERE" --as-group system:nodes delete --raw "$(deletion p "$seconds")"
		passes kube --as system:serviceaccount:kube-system:pod-garbage-collector delete --raw "$(deletion p "$seconds")"
		passes kube --as system:kube-controller-manager delete --raw "$(deletion p "$seconds")"
	done
	# not so one whose name, or group, is nearly one of these
	bound q
	for who in "${NEARLY[@]}"; do
		refused "$FORCED" kube --as "$who" --as-group system:node --as-group system:serviceaccounts:kube-system2 delete --raw "$(deletion q 0)"
		refused "$DELETED_LATE" kube --as "$who" --as-group system:node --as-group system:serviceaccounts:kube-system2 delete --raw "$(deletion q 3601)"
	done
}

@test "pods that have ended go as ever, those with no time of their own, and any by a cluster's administrator" {
	local who phase
	bound p
	wait_for 30 "the policy to be in force" refused "$FORCED" would_delete user p 0
	for phase in Succeeded Failed; do
		bound "was-${phase,,}"
		kube -n "$TEAM" patch pod "was-${phase,,}" --subresource status -p "{\"status\": {\"phase\": \"$phase\"}}" >/dev/null
	done
	GRACE=0 bound hasty
	for who in admin user operator; do
		for pod in was-succeeded was-failed; do
			passes would_delete "$who" "$pod"
			passes would_delete "$who" "$pod" 30
			passes would_delete "$who" "$pod" 0
		done
		passes would_delete "$who" hasty
		refused "$FORCED" would_delete "$who" p 0
	done
	# (who may take the policy away; most clusters' administrators are in no group of Kubernetes' own)
	passes kube --as "$BOSS" delete --raw "$(deletion p 0)"
	passes kube --as "$BOSS" delete --raw "$(deletion p 3601)"
}

@test "evictions of a chosen namespace: neither by force nor with more than an hour" {
	local who
	create user "$CHOSEN" p "$BRIDGED"
	create user "$TEAM" p "$BRIDGED"
	evicted() { posted "$1" "$2" pods/p/eviction <<<"$(eviction p '' "\"dryRun\": [\"All\"]${3:+, \"gracePeriodSeconds\": $3}")"; }
	wait_for 30 "the policy to be in force" refused "$EVICTED" evicted user "$CHOSEN" 0
	for who in admin user; do
		refused "$EVICTED" evicted "$who" "$CHOSEN" 0
		refused "$EVICTED_LATE" evicted "$who" "$CHOSEN" 3601
		passes evicted "$who" "$CHOSEN" 3600
		passes evicted "$who" "$CHOSEN" 1
		passes evicted "$who" "$CHOSEN"
		# (where the label is not the policy knows of no pod whose it is)
		passes evicted "$who" "$TEAM" 0
	done
	passes evicted root "$CHOSEN" 0
	passes evicted root "$CHOSEN" 3601
}

# evicting SECONDS WHO [GROUP...]: who may evict by RBAC asks whether the policy lets him, too
evicting() {
	local group groups=()
	for group in "${@:3}"; do groups+=(--as-group "$group"); done
	kube --as "$2" ${groups[@]+"${groups[@]}"} create --raw "/api/v1/namespaces/$CHOSEN/pods/p/eviction" -f - \
		<<<"$(eviction p '' "\"dryRun\": [\"All\"], \"gracePeriodSeconds\": $1")"
}

@test "evictions of a chosen namespace: the cluster itself and its administrators may, and nobody else" {
	local seconds who anybody=operator-$SITE_NS
	create user "$CHOSEN" p "$BRIDGED"
	kube -n "$CHOSEN" delete rolebinding evicts --ignore-not-found >/dev/null
	kube -n "$CHOSEN" create rolebinding evicts --role operator --user "$CTLD" >/dev/null
	wait_for 30 "the policy to be in force" refused "$EVICTED" evicting 0 "$anybody"
	wait_for 30 "slurmctld's right to evict" passes evicting 1 "$CTLD"
	for seconds in 0 3601; do
		passes evicting "$seconds" "$CTLD"
		passes evicting "$seconds" system:kube-controller-manager
		passes evicting "$seconds" "$anybody" system:nodes
		passes evicting "$seconds" "$anybody" system:serviceaccounts:kube-system
		passes evicting "$seconds" "$BOSS"
	done
	kube -n "$CHOSEN" delete rolebinding evicts >/dev/null
	# not so one whose name, or group, is nearly one of these
	for who in "$anybody" "${NEARLY[@]}"; do
		refused "$EVICTED" evicting 0 "$who" system:node system:serviceaccounts:kube-system2
		refused "$EVICTED_LATE" evicting 3601 "$who" system:node system:serviceaccounts:kube-system2
	done
}

@test "resize: not of a bridged pod" {
	create user "$TEAM" ours "$BRIDGED"
	create user "$TEAM" others "$NOBODY"
	for who in operator root; do refused "$RESIZE" size "$who" "$TEAM" ours; done
	for who in admin user ctld; do forbidden 'resource "pods/resize"' size "$who" "$TEAM" ours; done
	passes size operator "$TEAM" others
	[[ $(kube -n "$TEAM" get pod others -o 'jsonpath={.spec.containers[0].resources.requests.cpu}') = 20m ]]
	# (other changes of it are none of the policy's)
	passes as user "$TEAM" annotate pod ours job.slurm-k8s.io/qos=high
	passes as user "$TEAM" set image pod/ours c=localhost/other
}

@test "what slurmctld writes on pods nobody else writes" {
	local who
	marked "$TEAM" p
	for who in admin user operator root; do
		refused "$SET_LABEL" try "$who" "$TEAM" q "$NOBODY" 'labels: {slurm-k8s.io/node: one}'
		refused "$SET_LABEL" try "$who" "$TEAM" q "$NOBODY" 'labels: {scheduler.slinky.slurm.net/slurm-jobid: "1"}'
		refused "$SET_NOTE" try "$who" "$TEAM" q "$NOBODY" 'annotations: {slurm-k8s.io/queue: x}'
		refused "$SET_NOTE" try "$who" "$TEAM" q "$NOBODY" 'annotations: {slinky.slurm.net/slurm-node: one}'
		refused "$SET_LABEL" as "$who" "$TEAM" label pod p slurm-k8s.io/node=one
		refused "$SET_LABEL" as "$who" "$TEAM" label pod p --overwrite slurm-k8s.io/job-id=2
		refused "$SET_LABEL" as "$who" "$TEAM" label pod p --overwrite scheduler.slinky.slurm.net/slurm-jobid=2
		refused "$REMOVED_LABEL" as "$who" "$TEAM" label pod p slurm-k8s.io/job-id-
		refused "$REMOVED_LABEL" as "$who" "$TEAM" label pod p scheduler.slinky.slurm.net/slurm-jobid-
		refused "$REMOVED_LABEL" as "$who" "$TEAM" patch pod p --type json -p '[{"op": "remove", "path": "/metadata/labels"}]'
		refused "$SET_NOTE" as "$who" "$TEAM" annotate pod p slurm-k8s.io/job-id=1
		refused "$SET_NOTE" as "$who" "$TEAM" annotate pod p --overwrite slurm-k8s.io/queue=y
		refused "$SET_NOTE" as "$who" "$TEAM" annotate pod p --overwrite slinky.slurm.net/slurm-node=two
		refused "$REMOVED_NOTE" as "$who" "$TEAM" annotate pod p slurm-k8s.io/queue-
		refused "$REMOVED_NOTE" as "$who" "$TEAM" annotate pod p slinky.slurm.net/slurm-node-
		refused "$REMOVED_NOTE" as "$who" "$TEAM" patch pod p --type json -p '[{"op": "remove", "path": "/metadata/annotations"}]'
		# a key of ours in place of another one: neither set nor removed
		refused "$SET_LABEL" as "$who" "$TEAM" patch pod p --type json -p '[{"op": "move", "from": "/metadata/labels/slurm-k8s.io~1job-id", "path": "/metadata/labels/slurm-k8s.io~1node"}]'
		refused "$SET_LABEL" as "$who" "$TEAM" apply --server-side --force-conflicts -f - <<<"$(pod p "$NOBODY" 'labels: {slurm-k8s.io/job-id: "7"}')"
		# what only looks like ours, and what is the user's
		passes try "$who" "$TEAM" q "$NOBODY" 'labels: {x.slurm-k8s.io/job-id: "1", slurm-k8s.iox/job-id: "1"}, annotations: {job.slurm-k8s.io/qos: high, slurmjob.slinky.slurm.net/account: a}'
		# ours stay, others' change
		passes as "$who" "$TEAM" label pod p --overwrite a="$who" "c-$who=d"
		passes as "$who" "$TEAM" label pod p "c-$who-"
		passes as "$who" "$TEAM" annotate pod p --overwrite a="$who" job.slurm-k8s.io/qos=high
		passes as "$who" "$TEAM" label pod p --overwrite slurm-k8s.io/job-id=1
		passes as "$who" "$TEAM" replace -f - <<<"$(kube -n "$TEAM" get pod p -o json)"
	done
	# neither is one whose name is nearly slurmctld's
	for name in system:serviceaccount:slurm:slurmctld slurmctld "${CTLD}2" "admin-$SITE_NS"; do
		refused "$SET_LABEL" kube --as "$name" --as-group system:masters -n "$TEAM" label pod p slurm-k8s.io/node=one
	done
	passes as ctld "$TEAM" patch pod p --type merge -p '{"metadata": {"labels": {"slurm-k8s.io/job-id": "2"}, "annotations": {"slurm-k8s.io/queue": null}}}'
	passes as ctld "$TEAM" delete pod p
}

# many labels|annotations NUMBER: so many of them
many() { echo "\"$1\": {$(seq -s ', ' -f '"k%g": "v"' "$2")}"; }

@test "a pod with thousands of labels or annotations keeps no API server busy" {
	local path what who
	local -A verb=([labels]=label [annotations]=annotate)
	for what in labels annotations; do
		# one that has them all the same lives on
		create ctld "$TEAM" "q-$what" "$NOBODY" "$(many "$what" 1001)"
		for who in admin user; do
			refused "$MANY" try "$who" "$TEAM" p "$NOBODY" "$(many "$what" 1001)"
			passes create "$who" "$TEAM" "$who-$what" "$NOBODY" "$(many "$what" 1000)"
			refused "$MANY" as "$who" "$TEAM" "${verb[$what]}" pod "$who-$what" more=1
			passes as "$who" "$TEAM" "${verb[$what]}" pod "$who-$what" k7-
			passes as "$who" "$TEAM" "${verb[$what]}" pod "$who-$what" more=1
			refused "$MANY" as "$who" "$TEAM" "${verb[$what]}" pod "q-$what" k7-
			passes as "$who" "$TEAM" set image "pod/q-$what" c=localhost/"$who"
		done
		for who in operator root; do
			refused "$MANY" as "$who" "$TEAM" "${verb[$what]}" pod "q-$what" more=1
			refused "$MANY" as "$who" "$TEAM" patch pod "q-$what" --subresource status -p "{\"metadata\": {\"$what\": {\"more\": \"1\"}}}"
			passes as "$who" "$TEAM" patch pod "q-$what" --subresource status -p "{\"status\": {\"message\": \"$who\"}}"
			for path in "pods/user-$what/binding" bindings; do
				refused "$MANY" posted "$who" "$TEAM" "$path" <<<"$(binding "user-$what" "$(many "$what" 1001)")"
			done
		done
	done
}

# containers WHO INIT MORE: would a pod with these be taken?
containers() {
	as "$1" "$TEAM" create --dry-run=server -f - <<-Y
	{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {${2:+initContainers: [$2], }containers: [{name: c, image: none}, $3]}}
	Y
}

@test "a pod with more than 200 containers is nobody's" {
	local n=0 some='' rest='' who
	for ((n = 0; n < 100; n++)); do some+="{name: i$n, image: none}, "; done
	# (with the one that each has)
	for ((n = 0; n < 99; n++)); do rest+="{name: c$n, image: none}, "; done
	for who in admin user root; do
		passes containers "$who" "${some%, }" "${rest%, }"
		refused "$CONTAINERS" containers "$who" "$some{name: i, image: none}" "${rest%, }"
		refused "$CONTAINERS" containers "$who" "${some%, }" "$rest{name: d, image: none}"
		passes containers "$who" '' "$some${rest%, }"
		refused "$CONTAINERS" containers "$who" '' "$some$rest{name: d, image: none}"
	done
}

# kubelet NODE KUBECTL-ARGUMENT...: as its kubelet
kubelet() { kube --as "system:node:$1" --as-group system:nodes "${@:2}"; }
# beats NODE JQ-FILTER: its kubelet writes its status, with that changed (it may not read that)
beats() { kube get node "$1" -o json | jq "$2" | kubelet "$1" replace --raw "/api/v1/nodes/$1/status" -f -; }
# node_object NAME [METADATA]: a manifest
node_object() { echo "{apiVersion: v1, kind: Node, metadata: {name: $1, ${2:-}}}"; }

@test "no kubelet makes its node Slurm's, or another of Slurm's; an administrator does" {
	local n=lonely-$SITE_NS key
	NODE_MADE=$n
	refused "$NODE_LABEL" kubelet "$n" create --dry-run=server -f - <<<"$(node_object "$n" 'labels: {slurm-k8s.io/external-node: ""}')"
	refused "$NODE_NOTE" kubelet "$n" create --dry-run=server -f - <<<"$(node_object "$n" 'annotations: {slinky.slurm.net/slurm-nodename: cn001}')"
	passes kubelet "$n" create -f - <<<"$(node_object "$n" 'labels: {rack: r1}')"
	for key in slurm-k8s.io/external-node scheduler.slinky.slurm.net/external-node slinky.slurm.net/slurm-nodename; do
		refused "$NODE_LABEL" kubelet "$n" label node "$n" "$key=x"
		refused "$NODE_NOTE" kubelet "$n" annotate node "$n" "$key=x"
		refused "$NODE_LABEL" beats "$n" ".metadata.labels[\"$key\"] = \"x\""
		refused "$NODE_NOTE" beats "$n" ".metadata.annotations[\"$key\"] = \"x\""
	done
	passes kubelet "$n" label node "$n" rack=r2 --overwrite
	passes beats "$n" '.status.capacity.cpu = "4"'
	passes kube label node "$n" slurm-k8s.io/external-node=x
	passes kube annotate node "$n" scheduler.slinky.slurm.net/external-node-partitions=gold
	# with them it goes on as ever, but for these
	passes kubelet "$n" label node "$n" rack=r3 --overwrite
	passes beats "$n" '.status.capacity.cpu = "8"'
	refused "$NODE_LABEL" kubelet "$n" label node "$n" slurm-k8s.io/external-node=y --overwrite
	refused "$NODE_LABEL" kubelet "$n" label node "$n" slurm-k8s.io/external-node-
	refused "$NODE_NOTE" kubelet "$n" annotate node "$n" scheduler.slinky.slurm.net/external-node-partitions=silver --overwrite
	refused "$NODE_NOTE" kubelet "$n" annotate node "$n" scheduler.slinky.slurm.net/external-node-partitions-
	refused "$NODE_LABEL" beats "$n" '.metadata.labels["slurm-k8s.io/external-node"] = "y"'
	refused "$NODE_LABEL" beats "$n" 'del(.metadata.labels["slurm-k8s.io/external-node"])'
	refused "$NODE_NOTE" beats "$n" '.metadata.annotations["scheduler.slinky.slurm.net/external-node-partitions"] = "silver"'
	refused "$NODE_NOTE" beats "$n" 'del(.metadata.annotations["scheduler.slinky.slurm.net/external-node-partitions"])'
	passes kube patch node "$n" --type merge -p "$(jq -n '{metadata: {labels: ([range(1001) | {"k\(.)": "v"}] | add)}}')"
	refused "$NODE_MANY" kubelet "$n" label node "$n" rack=r4 --overwrite
	passes beats "$n" '.status.capacity.cpu = "2"'
}

@test "bindings, of both kinds: nothing of ours comes with somebody else's" {
	local path who
	create user "$TEAM" p "$NOBODY"
	for path in pods/p/binding bindings; do
		for who in operator root; do
			refused "$SET_NOTE" posted "$who" "$TEAM" "$path" <<<"$(binding p '"annotations": {"slurm-k8s.io/job-id": "1"}')"
			refused "$SET_NOTE" posted "$who" "$TEAM" "$path" <<<"$(binding p '"annotations": {"slinky.slurm.net/slurm-node": "n"}')"
			refused "$SET_LABEL" posted "$who" "$TEAM" "$path" <<<"$(binding p '"labels": {"slurm-k8s.io/job-id": "1"}')"
		done
		for who in admin user; do
			forbidden "cannot create resource \"${path/pods\/p/pods}\"" posted "$who" "$TEAM" "$path" <<<"$(binding p)"
		done
	done
	passes posted operator "$TEAM" pods/p/binding <<<"$(binding p '"annotations": {"a": "b"}')"
	[[ $(kube -n "$TEAM" get pod p -o 'jsonpath={.spec.nodeName} {.metadata.annotations}') = 'nowhere {"a":"b"}' ]]
	create user "$TEAM" q "$NOBODY"
	passes posted operator "$TEAM" bindings <<<"$(binding q)"
	# as slurmctld does it
	create user "$TEAM" r "$BRIDGED"
	passes posted ctld "$TEAM" pods/r/binding <<<"$(binding r '"annotations": {"slurm-k8s.io/job-id": "1"}')"
}

@test "status: nothing of ours is written through it by somebody else" {
	local who
	marked "$TEAM" p
	for who in operator root; do
		refused "$SET_LABEL" as "$who" "$TEAM" patch pod p --subresource status -p '{"metadata": {"labels": {"slurm-k8s.io/job-id": "2"}}}'
		refused "$REMOVED_LABEL" as "$who" "$TEAM" patch pod p --subresource status -p '{"metadata": {"labels": {"slurm-k8s.io/job-id": null}}}'
		refused "$SET_NOTE" as "$who" "$TEAM" patch pod p --subresource status -p '{"metadata": {"annotations": {"slurm-k8s.io/queue": "y"}}}'
		refused "$REMOVED_NOTE" as "$who" "$TEAM" patch pod p --subresource status -p '{"metadata": {"annotations": {"slinky.slurm.net/slurm-node": null}}}'
		passes as "$who" "$TEAM" patch pod p --subresource status -p "{\"status\": {\"conditions\": [{\"type\": \"example.org/$who\", \"status\": \"True\"}]}}"
	done
	for who in admin user; do
		forbidden 'resource "pods/status"' as "$who" "$TEAM" patch pod p --subresource status -p '{"status": {"message": "x"}}'
	done
	# (it may patch, and not get, as "kubectl patch" does first)
	passes as ctld "$TEAM" apply --server-side --force-conflicts --subresource status -f - <<-Y
	{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {slurm-k8s.io/job-id: "2"}}, status: {conditions: [{type: PodScheduled, status: "False", message: job 2 waits}]}}
	Y
	[[ $(label "$TEAM" p slurm-k8s.io/job-id) = 2 ]]
}

@test "resize, ephemeralcontainers, eviction: the API server itself keeps a pod's metadata" {
	local who sub
	marked "$TEAM" p
	for sub in resize ephemeralcontainers; do
		passes written operator "$TEAM" p "$sub" <<<"$(kube -n "$TEAM" get pod p -o json | with slurm-k8s.io/job-id 2 | with c d)"
		[[ $(label "$TEAM" p slurm-k8s.io/job-id) = 1 && $(label "$TEAM" p c) = null ]]
		for who in admin user; do
			forbidden "cannot update resource \"pods/$sub\"" written "$who" "$TEAM" p "$sub" <<<"$(kube -n "$TEAM" get pod p -o json)"
		done
	done
	# who may do it does: to a pod with what we write, and to a bridged one
	create user "$TEAM" q "$BRIDGED"
	for pod in p q; do
		passes as operator "$TEAM" debug "$pod" --image localhost/none -c debugger --profile general
		[[ $(kube -n "$TEAM" get pod "$pod" -o 'jsonpath={.spec.ephemeralContainers[*].name}') = debugger ]]
	done
	for who in admin user; do
		passes posted "$who" "$TEAM" pods/p/eviction <<<"$(eviction p '"labels": {"slurm-k8s.io/job-id": "2"}' '"dryRun": ["All"]')"
		[[ $(label "$TEAM" p slurm-k8s.io/job-id) = 1 ]]
	done
	passes posted user "$TEAM" pods/q/eviction <<<"$(eviction q)"
	wait_for 60 "the evicted pod to go" gone "$TEAM" q
}
gone() { [[ ! $(kube -n "$1" get pod "$2" --ignore-not-found -o name) ]]; }

# comes_out WHO NAMESPACE SCHEDULER [SPEC [METADATA]]: a new pod there
comes_out() {
	run scheduler_of "$1" "$2" "${@:4}"
	echo "$output"
	[[ $status -eq 0 && $output = "$3" ]]
}

@test "new pods of a chosen namespace are Slurm's; where the API server has no such policy, those that say so" {
	local who default=${MUTATING:+$OURS} owner
	default=${default:-default-scheduler}
	for who in admin user root; do
		comes_out "$who" "$CHOSEN" "$default "
		comes_out "$who" "$CHOSEN" "$default " 'schedulerName: default-scheduler'
		comes_out "$who" "$CHOSEN" "$OURS " "$BRIDGED"
		comes_out "$who" "$CHOSEN" 'volcano ' 'schedulerName: volcano'
		comes_out "$who" "$TEAM" 'default-scheduler '
		comes_out "$who" "$TEAM" 'default-scheduler nowhere' 'nodeName: nowhere'
	done
	owner='ownerReferences: [{apiVersion: v1, name: o, uid: o, kind:'
	comes_out user "$CHOSEN" "$default " '' "$owner Job}]"
	comes_out user "$CHOSEN" 'default-scheduler nowhere' 'nodeName: nowhere' "$owner DaemonSet}]"
	comes_out user "$CHOSEN" 'default-scheduler nowhere' 'nodeName: nowhere' 'annotations: {kubernetes.io/config.mirror: x}'
	# what became ours is judged as ours
	if [[ $MUTATING ]]; then
		comes_out user "$CHOSEN" "$OURS " 'nodeName: nowhere'
		comes_out user "$CHOSEN" "$OURS " "$BRIDGED, nodeName: nowhere"
		refused "$APART" try user "$CHOSEN" p "$ALONE"
	else
		refused "$NODE_NAME" try user "$CHOSEN" p "$BRIDGED, nodeName: nowhere"
		run kube apply -f "$SHIPPED/admission/scheduler.yaml"
		((status != 0))
		has 'no matches for kind "MutatingAdmissionPolicy"'
	fi
}

# a_job NAME [SPEC]: of two pods, as a user makes it
a_job() {
	as user "$CHOSEN" create -f - <<-Y
	{apiVersion: batch/v1, kind: Job, metadata: {name: $1}, spec: {completions: 2, parallelism: 2, template: {spec: {${2:+$2, }
	  restartPolicy: Never, containers: [{name: c, image: localhost/none}]}}}}
	Y
}
schedulers() { kube -n "$CHOSEN" get pods -l "job-name=$1" -o 'jsonpath={.items[*].spec.schedulerName}'; }
both_ours() { [[ $(schedulers "$1") = "$OURS $OURS" ]]; }

@test "a Job's pods are Slurm's: with the name in its pod template everywhere, without it by the policy" {
	passes a_job named "$BRIDGED"
	wait_for 60 "its pods" both_ours named
	[[ $MUTATING ]] || return 0
	passes a_job plain
	wait_for 60 "its pods" both_ours plain
}

@test "without the policies RBAC is what there is: who may write pods may forge, but neither bind nor write status" {
	local who
	marked "$FREE" p
	for who in admin user; do
		passes try "$who" "$FREE" q "$BRIDGED, nodeName: nowhere"
		passes try "$who" "$FREE" q "$BRIDGED, $GPU"
		passes try "$who" "$FREE" q "$NOBODY" 'labels: {slurm-k8s.io/node: one}, annotations: {slurm-k8s.io/job-id: "1"}'
		passes as "$who" "$FREE" label pod p --overwrite "slurm-k8s.io/job-id=$who"
		passes as "$who" "$FREE" annotate pod p --overwrite "slinky.slurm.net/slurm-node=$who"
		forbidden 'cannot create resource "pods/binding"' posted "$who" "$FREE" pods/p/binding <<<"$(binding p)"
		forbidden 'cannot create resource "bindings"' posted "$who" "$FREE" bindings <<<"$(binding p)"
		forbidden 'resource "pods/status"' as "$who" "$FREE" patch pod p --subresource status -p '{"status": {"message": "x"}}'
		forbidden 'resource "pods/resize"' size "$who" "$FREE" p
		forbidden 'cannot patch resource "pods/ephemeralcontainers"' as "$who" "$FREE" debug p --image localhost/none --profile general
		# nor does he choose a namespace for the bridge, or take the policies away where they are
		forbidden 'resource "namespaces"' as "$who" "$FREE" label namespace "$FREE" slurm-k8s.io/bridge=true
		forbidden 'cannot delete resource "validatingadmissionpolicies"' as "$who" "$FREE" delete validatingadmissionpolicy "slurm-k8s-names-$SITE_NS"
		forbidden 'cannot delete resource "validatingadmissionpolicybindings"' as "$who" "$FREE" delete validatingadmissionpolicybinding "slurm-k8s-names-$SITE_NS"
	done
	# an admin gives nobody more than he has
	forbidden 'attempting to grant RBAC permissions not currently held' as admin "$FREE" create role binder --verb create --resource pods/binding
	# who has more than these roles
	create user "$FREE" ours "$BRIDGED"
	passes size operator "$FREE" ours
	passes posted operator "$FREE" pods/ours/binding <<<"$(binding ours '"annotations": {"slurm-k8s.io/job-id": "1"}')"
}

@test "with the policies over it a site works" {
	[[ -s $SITE/slurmctld.pid ]] || skip "no slurmctld here"
	kube label namespace "$SITE_NS" "slurm-k8s.io/tests=$SITE_NS" >/dev/null
	wait_for 60 "the policies to be in force" in_force "$SITE_NS"
	id=$(submit -N1 --wrap "$UNTIL_TOLD")
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	pod=$(job "$id" BatchHost)
	wait_for 60 "slurmctld to write on it whose job runs there" busy_with "$pod" "$id"
	refused "$SET_NOTE" as root "$SITE_NS" annotate pod "$pod" --overwrite slurm-k8s.io/job-ids=7
	refused "$REMOVED_LABEL" as root "$SITE_NS" label pod "$pod" slurm-k8s.io/busy-
	tell "$id"
	wait_for 120 "job $id to complete" job_is "$id" COMPLETED
}
busy_with() { [[ $(kns get pod "$1" -o 'jsonpath={.metadata.labels.slurm-k8s\.io/busy} {.metadata.annotations.slurm-k8s\.io/job-ids}') = "true $2" ]]; }
