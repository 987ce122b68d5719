# SPDX-License-Identifier: GPL-2.0-or-later
# Pods in Slurm's queue that want devices, with real kubelets that hand out devices.
# bats file_tags=alone

PAGES=16 # of 2 MiB, of $ONE's kubelet

setup_file() {
	load bridge.bash
	load devices.bash
	! external || huge_pages "$ONE" "$PAGES"
	devices_start "$ONE"
	devices_start "$TWO"
	export BRIDGE_NODES='resizeAfter: 2s'
	export BRIDGE_CONF=GresTypes=gpu,widget,hugepages BRIDGE_GRES="gpu:$DEVICES"
	# (a job that has its nodes for itself has all their devices)
	BRIDGE_SHARED=1 bridge_up
	sed -i "s#^  schedulerName: $SCHEDULER#&\n  resources: {nvidia.com/gpu: gpu, example.org/widget: widget, hugepages-2Mi: hugepages}#" "$SITE/k8s.yaml"
	as_slurm scontrol reconfigure
}
teardown_file() {
	load bridge.bash
	load devices.bash
	bridge_down
	widgets remove >/dev/null 2>&1 || true
	devices_stop "$ONE"
	devices_stop "$TWO"
}
setup() {
	load bridge.bash
	load devices.bash
	begin
	has_gpus "$DEVICES"
}
teardown() { bridge_clean; }

# has_gpus COUNT: what is left for Slurm (a slurmd does not look at what other pods take)
has_gpus() { ! external || wait_for 90 "$ONE to have $1 devices for Slurm" node_has_gpus "$1"; }
node_has_gpus() { node_has gpu "$1"; }
node_has() { [[ ,$(node "$ONE" Gres), = *,"$1:$2",* ]]; } # GRES COUNT
# gpus COUNT: the pods of the input want so many
gpus() { sed "s#memory: 16Mi}#&, limits: {nvidia.com/gpu: $1}#"; }
# widgets add|remove: four of what needs no device plugin, of $TWO
widgets() { kube patch node "$TWO" --subresource status --type json -p '[{"op": "'"$1"'", "path": "/status/capacity/example.org~1widget"'"$([[ $1 = remove ]] || echo ', "value": "4"')"'}]'; }
has_widgets() { [[ ,$(node "$TWO" Gres), = *,widget:4,* ]]; }
# duo NAME COUNT: a pod of that gang
duo() { a_pod "$1" "$LONG" 'scheduling.x-k8s.io/pod-group: duo' 500m | on "$TWO" | sed "s#memory: 16Mi}#&, limits: {example.org/widget: $2}#" | create; }
is_bound() { [[ $(pod_node "$1") ]]; }
page_pod() { a_pod "$1" "$3" '' 100m | on "$ONE" | sed "s#memory: 16Mi}#&, limits: {hugepages-2Mi: $2}#" | create; } # NAME BYTES COMMAND
gpu_pod() { a_pod "$1" "$3" '' 500m | on "$ONE" | gpus "$2" | create; } # NAME COUNT COMMAND

@test "two pods on a node whose first devices are taken: as many as Slurm gave, none twice" {
	plain_pod "$TEAM" taken "$ONE" 'limits: {nvidia.com/gpu: 2}'
	taken=$(visible "$TEAM" taken)
	[[ $taken = 0,1 ]]
	has_gpus $((DEVICES - 2))
	gpu_pod a 2 "$UNTIL_GO"
	gpu_pod b 3 "$UNTIL_GO"
	runs a
	runs b
	a=$(visible "$TEAM" a) b=$(visible "$TEAM" b)
	echo "a: $a, Slurm: $(gres_of "$(job_of a)"); b: $b, Slurm: $(gres_of "$(job_of b)")"
	[[ $(gave "$(job_of a)") = 2 && $(how_many "$a") = 2 ]]
	[[ $(gave "$(job_of b)") = 3 && $(how_many "$b") = 3 ]]
	no_twice "$taken" "$a" "$b"
	[[ $a = 2,3 && $b = 4,5,6 ]]
	# (Slurm's own indices, which know nothing of the pod that is not its; docs/bridge.md)
	if external && site_since 25.11; then
		[[ $(gres_of "$(job_of a)") = 'gpu(CNT:2)' && $(gres_of "$(job_of b)") = 'gpu(CNT:3)' ]]
	else
		[[ $(idx_of "$(job_of a)") = 0-1 && $(idx_of "$(job_of b)") = 2-4 ]]
	fi
	for i in $(numbers "$a"); do kteam exec a -- test -c "/dev/nvidia$i"; done
	for pod in a b; do
		go_on $pod
		wait_for 120 "pod $pod to end" pod_is $pod Succeeded
		wait_for 60 "its job to end" job_is "$(job_of $pod)" COMPLETED
	done
}

@test "a gang on two nodes: each pod has its devices" {
	controllers
	kteam apply -f - >/dev/null <<-Y
	apiVersion: scheduling.x-k8s.io/v1alpha1
	kind: PodGroup
	metadata: {name: band}
	spec: {minMember: 2}
	Y
	for pod in band-1 band-2; do
		a_pod $pod "$UNTIL_GO" 'scheduling.x-k8s.io/pod-group: band' 1500m
	done | gpus 2 | create
	runs band-1
	runs band-2
	[[ $(job "$(job_of band)" NumNodes) = 2 && $(pod_node band-1) != "$(pod_node band-2)" ]]
	for pod in band-1 band-2; do [[ $(how_many "$(visible "$TEAM" $pod)") = 2 ]]; done
	for pod in band-1 band-2; do go_on $pod; done
	for pod in band-1 band-2; do wait_for 120 "pod $pod to end" pod_is $pod Succeeded; done
	wait_for 60 "its job to end" job_is "$(job_of band)" COMPLETED
}

@test "a pod waits until devices are free, and gets those" {
	gpu_pod first 6 "$UNTIL_GO"
	runs first
	first=$(visible "$TEAM" first)
	gpu_pod next 7 "$LONG"
	wait_for 60 "its job" has_job next
	wait_for 60 "it to wait" job_has "$(job_of next)" Reason Resources
	[[ ! $(pod_node next) ]]
	go_on first
	runs next
	next=$(visible "$TEAM" next)
	[[ $(how_many "$first") = 6 && $(how_many "$next") = 7 ]]
}

@test "more devices than a node has: Slurm's words" {
	gpu_pod many $((DEVICES + 1)) true
	wait_for 60 "Slurm's refusal" pod_says "$TEAM" many 'Slurm refuses the job: Requested node configuration is not available; request no more than a node'
}

@test "a node with a slurmd: devices that other pods have are missed by the kubelet only" {
	! external || skip "Slurm $SITE_RELEASE knows what is left of a node without one"
	plain_pod "$TEAM" taken "$ONE" 'limits: {nvidia.com/gpu: 2}'
	gpu_pod late $((DEVICES - 1)) true
	wait_for 60 "the pod to fail" pod_is late Failed
	wait_for 60 "its job" job_is "$(job_of late)" FAILED
	kteam get pod late -o 'jsonpath={.status.reason} {.status.message}'
	kteam get pod late -o 'jsonpath={.status.reason}' | grep -x 'UnexpectedAdmissionError\|OutOfnvidia.com/gpu'
}

@test "resource claims: refused with words; the claim gets no device, and those of other pods do" {
	claims_api >/dev/null || skip "this Kubernetes has no resource claims"
	wait_for 60 "the devices" slice_of "$ONE"
	claim_template "$TEAM" two 2
	a_pod claims "$LONG" | on "$ONE" |
		sed 's#^  restartPolicy#  resourceClaims: [{name: gpus, resourceClaimTemplateName: two}]\n&#; s#memory: 16Mi}#&, claims: [{name: gpus}]#' | create
	wait_for 60 "the words" pod_says "$TEAM" claims 'resourceClaims: Slurm does not allocate resource claims'
	plain_pod "$TEAM" other "$ONE" 'claims: [{name: gpus}]' two
	[[ $(prepared "$TEAM" other) = "$(allocated "$TEAM" other)" && $(prepared "$TEAM" other | wc -l) = 2 ]]
	[[ ! $(allocated "$TEAM" claims) && ! $(job_of claims) && ! $(pod_node claims) ]]
}

@test "a gang's pod that is made anew with more of some other resource does not get what its job does not have" {
	external || skip "a node with a slurmd has no widgets"
	widgets add >/dev/null
	wait_for 90 "$TWO to have them for Slurm" has_widgets
	controllers
	kteam apply -f - >/dev/null <<-Y
	apiVersion: scheduling.x-k8s.io/v1alpha1
	kind: PodGroup
	metadata: {name: duo}
	spec: {minMember: 2}
	Y
	duo duo-1 1
	duo duo-2 1
	runs duo-1
	runs duo-2
	id=$(job_of duo)
	gres_of "$id"
	kteam delete pod duo-2 >/dev/null
	duo duo-2 2
	run within 20 "it to be bound" is_bound duo-2
	[[ $status -ne 0 ]]
	pod_is duo-1 Running
	state_is "$id" RUNNING
	# as large as the one before, it takes that one's place
	kteam delete pod duo-2 >/dev/null
	duo duo-2 1
	runs duo-2
	[[ $(job_of duo) = "$id" ]]
}

@test "huge pages are counted in pages: who wants more than are left waits for them" {
	external || skip "a node with a slurmd has none"
	wait_for 60 "$ONE to have them for Slurm" node_has hugepages "$PAGES"
	page_pod first 20Mi "$UNTIL_GO"
	runs first
	[[ $(gres_of "$(job_of first)") = 'hugepages(CNT:10)' ]]
	page_pod beside 12Mi "$LONG"
	runs beside
	page_pod next 20Mi "$LONG"
	wait_for 60 "its job" has_job next
	wait_for 60 "it to wait" job_has "$(job_of next)" Reason Resources
	[[ ! $(pod_node next) ]]
	go_on first
	runs next
	page_pod many $((PAGES * 2 + 2))Mi true
	wait_for 60 "Slurm's refusal" pod_says "$TEAM" many 'Slurm refuses the job: Requested node configuration is not available'
}
