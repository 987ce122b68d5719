# SPDX-License-Identifier: GPL-2.0-or-later
# What a namespace allows its pods, and workers need. (For bridged pods see
# bridge_controllers.bats.)
setup() {
	load common.bash
	suspend_time 300
}
teardown() {
	level baseline
	kns delete limitrange --all >/dev/null 2>&1 || true
	clean_up
}

level() { kube label namespace "$SITE_NS" --overwrite pod-security.kubernetes.io/enforce="$1" >/dev/null; }
says() { [[ $(node "$1" Comment) = "k8s: pods "*"$2"* ]]; }
cpu_of() { kns get pod "$1" -o 'jsonpath={.spec.containers[?(@.name=="slurmd")].resources.requests.cpu}'; }

@test "Pod Security's level restricted refuses workers, and the node says so; baseline takes them" {
	level restricted
	id=$(submit -w cpu-0 --wrap true)
	wait_for 90 "the refusal" says cpu-0 'violates PodSecurity "restricted:latest"'
	wait_for 90 "job $id to be pending" job_is "$id" PENDING
	pods_are 0
	level baseline
	wait_for 120 "job $id" job_is "$id" COMPLETED
}

@test "a ResourceQuota of requests and limits, a LimitRange with defaults: workers say both themselves" {
	kns apply -f - >/dev/null <<-'Y'
	apiVersion: v1
	kind: LimitRange
	metadata: {name: some}
	spec: {limits: [{type: Container, default: {cpu: 10m, memory: 16Mi}, defaultRequest: {cpu: 10m, memory: 16Mi}}]}
	---
	apiVersion: v1
	kind: ResourceQuota
	metadata: {name: some}
	spec: {hard: {requests.cpu: "8", limits.cpu: "8", requests.memory: 16Gi, limits.memory: 16Gi}}
	Y
	in_force() { [[ $(kns get quota some -o 'jsonpath={.status.hard.limits\.cpu}') = 8 ]]; }
	wait_for 60 "the quota" in_force
	id=$(submit -w cpu-0 --wrap true)
	wait_for 120 "job $id" job_is "$id" COMPLETED
	[[ $(cpu_of cpu-0) = "$(node cpu-0 CPUTot)" ]]
	[[ $(kns get quota some -o 'jsonpath={.status.used.limits\.cpu}') = "$(node cpu-0 CPUTot)" ]]
}

@test "a LimitRange whose maximum is less than a node refuses its worker, and the node says so" {
	kns apply -f - >/dev/null <<-'Y'
	apiVersion: v1
	kind: LimitRange
	metadata: {name: small}
	spec: {limits: [{type: Container, max: {memory: 16Mi}, default: {memory: 16Mi}, defaultRequest: {memory: 16Mi}}]}
	Y
	id=$(submit -w cpu-0 --wrap true)
	wait_for 90 "the refusal" says cpu-0 'maximum memory usage per Container is 16Mi'
	kns delete limitrange small >/dev/null
	wait_for 120 "job $id" job_is "$id" COMPLETED
}
