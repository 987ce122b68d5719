# SPDX-License-Identifier: GPL-2.0-or-later
# Several Kubernetes clusters from one slurmctld: the second one has an API server, an etcd,
# certificates and a node of its own, which is called k8s-1, too, as is the namespace.
setup_file() {
	# (a number of its own for each release: script/test runs them side by side)
	local -A number=([22.05]=2 [24.11]=3)
	export FAR=${number[$SITE_RELEASE]:-4}
	export FAR_KUBE=/var/lib/slurm-k8s-cluster-$FAR/admin.kubeconfig
	. "$TOP/script/lib/site.sh"
	far_cluster up --nodes 1 --kubernetes "$("$TOP/script/cluster" status | sed -n 's/^cluster: Kubernetes \([0-9]*\.[0-9]*\).*/\1/p')" >&2
	! site_in_tree || far_cluster import "$("$TOP/script/cluster" image "$SITE_SUITE" 3>&- 9>&-)" >&2
}
teardown_file() {
	far_cluster down >&2
}
far_cluster() { env -u SLURM_K8S_CLUSTER_DIR SLURM_K8S_CLUSTER_NUMBER="$FAR" "$TOP/script/cluster" "$@" 3>&- 9>&-; }
kfar() { SITE_KUBE=$FAR_KUBE kube "$@"; }

setup() {
	load engine.bash
	cp "$SITE/k8s.yaml" "$SITE/k8s.yaml.one"
	# (in force with the next k8s.yaml)
	sed -i 's/^SuspendTime=.*/SuspendTime=3/' "$SITE/slurm.conf"
	install -o slurm -g slurm -m 600 "$FAR_KUBE" "$SITE/far.kubeconfig"
	kfar get namespace "$SITE_NS" >/dev/null 2>&1 || kfar create namespace "$SITE_NS" >/dev/null
	kns get secret --field-selector type=Opaque -o json | jq 'del(.items[].metadata | .uid, .resourceVersion)' | kfar apply -f - >/dev/null
}

teardown() {
	as_slurm scancel --user="$SITE_USER" || true
	wait_for 120 "the far pods to go" far_pods_are 0
	# (nobody sees to what is in no nodeset)
	wait_for 60 "the far nodes to be idle~" nodes_are far-[0-1] 'idle~' || true
	mv "$SITE/k8s.yaml.one" "$SITE/k8s.yaml"
	sed -i 's/^SuspendTime=.*/SuspendTime=300/' "$SITE/slurm.conf"
	as_slurm scontrol reconfigure || true
	put_right
}

far_pods_are() { [[ $(kfar -n "$SITE_NS" get pods --no-headers 2>/dev/null | wc -l) -eq $1 ]]; }

far_wakes() { as_user sinfo -h -n far-[0-1] -o %t | grep -q '#'; }

# two_clusters: in force
two_clusters() {
	sed "s#^clusters:#&\n  - {name: far, kubeconfig: $SITE/far.kubeconfig, namespace: $SITE_NS}#" "$SITE/k8s.yaml.one" >"$SITE/k8s.yaml"
	sed -i 's/deadline: .*/deadline: 20s/' "$SITE/k8s.yaml" # (for what is down)
	cat >>"$SITE/k8s.yaml" <<-Y

	  - name: far
	    cluster: far
	    nodes: far-[0-1]
	    podTemplateFile: worker.yaml
	Y
	mark
	as_slurm scontrol reconfigure || true
	wait_for 60 "the new configuration" logged 'k8s.yaml is in force\|k8s: engine .* runs'
	wait_for 60 "the pods in view" logged 'cluster prod: .* pods in view'
}

@test "jobs run in pods of two clusters at once" {
	two_clusters
	wait_for 60 "the pods in view" logged 'cluster far: 0 pods in view'
	id=$(submit -p far --wrap 'sleep 1000')
	other=$(submit -p bad -w bad-0 --wrap 'sleep 1000')
	wait_for 120 "job $id" job_is "$id" RUNNING
	wait_for 120 "job $other" job_is "$other" RUNNING
	far_pods_are 1
	pods_are 1
	# (each in its own: they know nothing of each other)
	[[ $(kube get namespace "$SITE_NS" -o 'jsonpath={.metadata.uid}') != $(kfar get namespace "$SITE_NS" -o 'jsonpath={.metadata.uid}') ]]
	# (at once, by the programs: not when the engine had seen that they could not)
	[[ $(job "$id" Restarts) -eq 0 && $(job "$other" Restarts) -eq 0 ]]
	run ! grep 'far-[01]: refused' "$POWER_LOG"
	as_slurm scancel "$id"
	wait_for 120 "its pod to go" far_pods_are 0
}

@test "a cluster that is down delays nothing in the other one" {
	far_cluster api-stop
	two_clusters
	wait_for 60 "the word" logged 'cluster far: pods cannot be seen'
	down=$(submit -p far --wrap true)
	wait_for 60 "its power-up" far_wakes
	# (as fast as if there were no other: see comes_back)
	template 's#image: .*#image: localhost/NO SUCH#'
	mark
	id=$(submit -p bad -w bad-0 --wrap true)
	within 50 "job $id to be eligible again" logged "k8s: job $id is eligible again"
	template
	wait_for 120 "job $id" job_is "$id" COMPLETED
	as_slurm scancel "$down"
	far_cluster api-start
	wait_for 60 "the pods in view" logged 'cluster far: .* pods in view'
	wait_for 150 "far idle~" nodes_are far-[0-1] 'idle~'
}
