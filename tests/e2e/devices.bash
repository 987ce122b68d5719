# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests with devices share: those of tests/kubernetes/devices. Functions begin with
# the namespace.

# The number of devices that a node has, of either kind
# shellcheck disable=SC2034 # the tests look there
DEVICES=8

devices_start() { "$TOP/script/cluster" devices-start "${1#k8s-}" 3>&- 9>&- >/dev/null; }
devices_stop() { "$TOP/script/cluster" devices-stop "${1#k8s-}" 3>&- 9>&- >/dev/null; }
# huge_pages NODE COUNT: of 2 MiB, until the cluster is down
huge_pages() { "$TOP/script/cluster" huge-pages "${1#k8s-}" "$2" 3>&- 9>&- >/dev/null; }

# The version of resource.k8s.io to write; fails where claims are not to be had. (v1beta2, of
# 1.33 with its gate, says the same in the same words.)
claims_api() { kube api-versions | grep -xE 'resource.k8s.io/(v1|v1beta2)' | sort | head -n 1 | grep .; }

# claim_template NAMESPACE NAME COUNT
claim_template() {
	local api
	api=$(claims_api)
	kube apply -f - >/dev/null <<-Y
	apiVersion: $api
	kind: DeviceClass
	metadata: {name: gpu.example.com}
	spec: {selectors: [{cel: {expression: "device.driver == 'gpu.example.com'"}}]}
	---
	apiVersion: $api
	kind: ResourceClaimTemplate
	metadata: {name: $2, namespace: $1}
	spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com, count: $3}}]}}}
	Y
}
slice_of() { kube get resourceslices -o 'jsonpath={.items[*].spec.nodeName}' | grep -qw "$1"; }
# places NODE: its devices, as INDEX:NUMA-NODE. (v1beta1 has "basic" around them.)
places() {
	kube get resourceslices -o json | jq -r --arg node "$1" \
		'[.items[].spec | select(.nodeName == $node) | .devices[] | (.basic // .).attributes | "\(.index.int):\(.numaNode.int)"] | join(" ")'
}

# plain_pod NAMESPACE NAME NODE RESOURCES [CLAIM-TEMPLATE]: kube-scheduler's
plain_pod() {
	local claims="[{name: gpus, resourceClaimTemplateName: ${5:-}}]"
	kube -n "$1" apply -f - >/dev/null <<-P
	apiVersion: v1
	kind: Pod
	metadata: {name: $2}
	spec:
	  nodeSelector: {kubernetes.io/hostname: $3}
	  tolerations: [{key: slurm-k8s.io/tests, operator: Exists}]
	  terminationGracePeriodSeconds: 1
	  resourceClaims: ${5:+$claims}
	  containers:
	    - {name: main, image: "$SITE_IMAGE", command: [sleep, "1000"], resources: {$4}}
	P
	wait_for 60 "pod $2 to run" kube -n "$1" wait --for=condition=Ready "pod/$2" --timeout=10s
}

# variables NAMESPACE POD: of its container
variables() { kube -n "$1" exec "$2" -- env; }
# The devices that it was given by the device plugin: 0,1
visible() { variables "$1" "$2" | sed -n 's/^NVIDIA_VISIBLE_DEVICES=//p'; }
# The devices that it was given for its claims, NODE/DEVICE each ...
prepared() { variables "$1" "$2" | sed -n 's/^GPU_DEVICE_[0-9]*=//p' | sort; }
# ... and those that its claims' status has
allocated() {
	local claim
	for claim in $(kube -n "$1" get pod "$2" -o 'jsonpath={.status.resourceClaimStatuses[*].resourceClaimName}'); do
		kube -n "$1" get resourceclaim "$claim" -o \
			'jsonpath={range .status.allocation.devices.results[*]}{.pool}/{.device}{"\n"}{end}'
	done | sort
}

# numbers LIST: "0-2,5": one to a line
numbers() {
	tr , '\n' <<<"$1" | awk -F - 'NF { for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }'
}
# how_many LIST
how_many() { numbers "$1" | wc -l; }
# no_twice LIST...: no number is in two of them, or twice in one
no_twice() {
	local list
	[[ ! $(for list; do numbers "$list"; done | sort | uniq -d) ]]
}

# What Slurm gave a job on its one node: gpu:2(IDX:0-1), or gpu(CNT:2) where the Gres has no
# files, as on all nodes without a slurmd
gres_of() { as_user scontrol show job -d "$1" | sed -n 's/.* GRES=\([^ ]*\).*/\1/p'; }
gave() { gres_of "$1" | sed -n 's/^gpu:\([0-9]*\)(.*/\1/p; s/^gpu(CNT:\([0-9]*\))$/\1/p'; }
idx_of() { gres_of "$1" | sed -n 's/.*(IDX:\([^)]*\)).*/\1/p'; }
