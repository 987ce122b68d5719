# SPDX-License-Identifier: GPL-2.0-or-later
# Workers that want devices: from the device plugin by their Gres, and by resource claims.
# bats file_tags=alone

# The device nodes under names that are the same in each pod, for File= of gres.conf, as
# docs/production.md shows it
# shellcheck disable=SC2016 # the pod's shell
NAMES='i=0; for d in $(ls -v /dev/nvidia[0-9]*); do ln -s $d /dev/gpu$i; i=$((i+1)); done'

setup_file() {
	load engine.bash
	load devices.bash
	export HOST
	HOST=$(kube get nodes ${SITE_POOL:+-l "slurm-k8s.io/tests=$SITE_POOL"} -o 'jsonpath={.items[0].metadata.name}')
	devices_start "$HOST"
	cp "$SITE/slurm.conf" "$SITE/slurm.conf.plain"
	cp "$SITE/k8s.yaml" "$SITE/k8s.yaml.plain"
	cat >>"$SITE/slurm.conf" <<-C
	GresTypes=gpu
	NodeName=gpu-[0-1] CPUs=1 RealMemory=300 Gres=gpu:2 State=CLOUD
	NodeName=claim-[0-2] CPUs=1 RealMemory=300 State=CLOUD
	PartitionName=gpu Nodes=gpu-[0-1],claim-[0-2] State=UP
	C
	echo 'NodeName=gpu-[0-1] Name=gpu File=/dev/gpu[0-1]' >"$SITE/gres.conf"
	cat >>"$SITE/k8s.yaml" <<-Y

	  - {name: gpu, cluster: prod, nodes: "gpu-[0-1]", resources: fromNode, podTemplateFile: gpu.yaml}

	  - name: claim
	    cluster: prod
	    nodes: claim-[0-2]
	    resources: template
	    podTemplateFile: claim.yaml
	    failover: {unschedulableAfter: 6s, notStartedAfter: 10s}
	Y
	sed "s#^ *imagePullPolicy: .*#&\n      command: [/bin/sh, -c, '$NAMES; exec /usr/local/sbin/slurmd-entrypoint']#" "$SITE/worker.yaml" >"$SITE/gpu.yaml"
	sed 's#^spec:#&\n  resourceClaims: [{name: gpus, resourceClaimTemplateName: three}]#; s#^ *imagePullPolicy: .*#&\n      resources: {claims: [{name: gpus}]}#' "$SITE/worker.yaml" >"$SITE/claim.yaml"
	slurmctld_stop
	slurmctld_start
}
teardown_file() {
	load engine.bash
	load devices.bash
	slurmctld_stop
	rm -f "$SITE"/{gres.conf,gpu.yaml,claim.yaml}
	mv "$SITE/slurm.conf.plain" "$SITE/slurm.conf"
	mv "$SITE/k8s.yaml.plain" "$SITE/k8s.yaml"
	slurmctld_start
	devices_stop "$HOST"
}
# driver: its process
driver() { pgrep -f "^[^ ]*/devices --node $HOST "; }
setup() {
	load engine.bash
	load devices.bash
	mark
}
teardown() {
	# (a test that failed may have left them without their driver)
	driver >/dev/null || devices_start "$HOST"
	kns delete pods --all --wait=false >/dev/null 2>&1 || true
	put_right
}

# on_node NODE [OPTION...]: a job there that runs; sets id
on_node() {
	id=$(submit -p gpu -w "$1" "${@:2}" --wrap "env; $UNTIL_TOLD")
	wait_for 120 "job $id to run" job_is "$id" RUNNING
}
# variable JOB NAME: of the job
variable() { kns exec "$(job "$1" BatchHost)" -- sed -n "s/^$2=//p" "/tmp/slurm-$1.out"; }

@test "Gres of a node are devices of its pod; two pods on a host whose first devices are taken" {
	plain_pod "$SITE_NS" taken "$HOST" 'limits: {nvidia.com/gpu: 3}'
	taken=$(visible "$SITE_NS" taken)
	[[ $taken = 0,1,2 ]]
	on_node gpu-0 --gres=gpu:1
	one=$id
	on_node gpu-1 --gres=gpu:2
	two=$id
	[[ $(kns get pods gpu-0 gpu-1 -o 'jsonpath={.items[*].spec.nodeName}') = "$HOST $HOST" ]]
	first=$(visible "$SITE_NS" gpu-0) second=$(visible "$SITE_NS" gpu-1)
	echo "gpu-0: $first, Slurm: $(gres_of "$one"); gpu-1: $second, Slurm: $(gres_of "$two")"
	[[ $(how_many "$first") = 2 && $(how_many "$second") = 2 ]]
	no_twice "$taken" "$first" "$second"
	# Slurm counts from 0 in each pod, as programs in it do
	wait_for 60 "the job to say" variable "$one" CUDA_VISIBLE_DEVICES
	wait_for 60 "the job to say" variable "$two" CUDA_VISIBLE_DEVICES
	[[ $(gave "$one") = 1 && $(variable "$one" CUDA_VISIBLE_DEVICES) = "$(idx_of "$one")" ]]
	[[ $(gave "$two") = 2 && $(variable "$two" CUDA_VISIBLE_DEVICES) = 0,1 && $(idx_of "$two") = 0-1 ]]
	for i in 0 1; do
		file=$(kns exec gpu-0 -- readlink "/dev/gpu$i")
		numbers "$first" | grep -qx "${file#/dev/nvidia}"
		kns exec gpu-0 -- test -c "/dev/gpu$i"
	done
	for id in "$one" "$two"; do
		tell "$id"
		wait_for 60 "job $id to end" job_is "$id" COMPLETED
	done
}

@test "resource claims of a template: the devices of the claim's status, none twice, free again" {
	claims_api >/dev/null || skip "this Kubernetes has no resource claims"
	wait_for 60 "the devices" slice_of "$HOST"
	[[ $(places "$HOST") = '0:0 1:0 2:0 3:0 4:1 5:1 6:1 7:1' ]]
	claim_template "$SITE_NS" three 3
	claim_template "$SITE_NS" one 1
	plain_pod "$SITE_NS" taken "$HOST" 'claims: [{name: gpus}]' one
	[[ $(prepared "$SITE_NS" taken) = "$HOST/gpu-0" ]]
	on_node claim-0
	first=$id
	on_node claim-1
	for pod in taken claim-0 claim-1; do
		echo "$pod: $(prepared "$SITE_NS" "$pod" | paste -sd ' ')"
		[[ $(prepared "$SITE_NS" "$pod") = "$(allocated "$SITE_NS" "$pod")" ]]
	done
	all=$(for pod in taken claim-0 claim-1; do prepared "$SITE_NS" "$pod"; done | sort)
	[[ $(wc -l <<<"$all") = 7 && $(uniq <<<"$all") = "$all" ]]
	# one is left, and the next one wants three
	id=$(submit -p gpu -w claim-2 --wrap true)
	wait_for 110 "job $id to go back" logged 'k8s: nodes claim-2: their jobs go back to the queue.*cannot allocate all claims'
	freed=$(prepared "$SITE_NS" claim-0)
	tell "$first"
	update NodeName=claim-0 State=POWER_DOWN_ASAP
	# (others of its nodeset have come up just now: the job keeps the two minutes that Slurm gives it)
	wait_for 240 "its devices to be used again" job_is "$id" COMPLETED
	wait_for 60 "its pod" kns get pod claim-2
	[[ $(prepared "$SITE_NS" claim-2) = "$(allocated "$SITE_NS" claim-2)" ]]
	for device in $freed; do has "$device" <(prepared "$SITE_NS" claim-2); done
}

@test "resource claims: their driver is gone: the job goes back with the kubelet's words" {
	claims_api >/dev/null || skip "this Kubernetes has no resource claims"
	wait_for 60 "the devices" slice_of "$HOST"
	claim_template "$SITE_NS" three 3
	# (what it has published stays half a minute: the scheduler believes in it)
	kill -KILL "$(driver)"
	id=$(submit -p gpu -w claim-0 --wrap true)
	wait_for 110 "job $id to go back" logged 'k8s: nodes claim-0: their jobs go back to the queue.*FailedPrepareDynamicResources'
	devices_start "$HOST"
	wait_for 240 "job $id to run" job_is "$id" COMPLETED # (as above)
}
