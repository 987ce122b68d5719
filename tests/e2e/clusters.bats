# SPDX-License-Identifier: GPL-2.0-or-later
# Several Kubernetes clusters from one slurmctld. (The second one is another
# namespace, by a connection of its own.)
setup() {
	FAR_NS=$SITE_NS-far-$BATS_TEST_NUMBER-$BATS_TEST_TRY_NUMBER # (a namespace takes its time to go)
	load engine.bash
	cp "$SITE/k8s.yaml" "$SITE/k8s.yaml.one"
	# (in force with the next k8s.yaml)
	sed -i 's/^SuspendTime=.*/SuspendTime=3/' "$SITE/slurm.conf"
	install -o slurm -g slurm -m 600 "$SITE_KUBE" "$SITE/far.kubeconfig"
	kube create namespace "$FAR_NS" >/dev/null
	kns get secret --field-selector type=Opaque -o json | sed "s/\"namespace\": \"$SITE_NS\"/\"namespace\": \"$FAR_NS\"/" | kube apply -f - >/dev/null
}

teardown() {
	as_slurm scancel --user="$SITE_USER" || true
	wait_for 120 "the far pods to go" far_pods_are 0
	# (nobody sees to what is in no nodeset)
	wait_for 60 "the far nodes to be idle~" nodes_are far-[0-1] 'idle~' || true
	mv "$SITE/k8s.yaml.one" "$SITE/k8s.yaml"
	sed -i 's/^SuspendTime=.*/SuspendTime=300/' "$SITE/slurm.conf"
	as_slurm scontrol reconfigure || true
	kube delete namespace "$FAR_NS" --wait=false >/dev/null
	put_right
}

far_pods_are() { [[ $(kube -n "$FAR_NS" get pods --no-headers 2>/dev/null | wc -l) -eq $1 ]]; }

far_wakes() { as_user sinfo -h -n far-[0-1] -o %t | grep -q '#'; }

# two_clusters SERVER: the far one's API server, in force
two_clusters() {
	sed -i "s#server: .*#server: $1#" "$SITE/far.kubeconfig"
	sed "s#^clusters:#\# far: $1\n&\n  - {name: far, kubeconfig: $SITE/far.kubeconfig, namespace: $FAR_NS}#" "$SITE/k8s.yaml.one" >"$SITE/k8s.yaml"
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

server() { kube config view --raw --minify -o 'jsonpath={.clusters[0].cluster.server}'; }

@test "jobs run in pods of two clusters at once" {
	two_clusters "$(server)"
	wait_for 60 "the pods in view" logged 'cluster far: 0 pods in view'
	id=$(submit -p far --wrap 'sleep 1000')
	other=$(submit -p bad -w bad-0 --wrap 'sleep 1000')
	wait_for 120 "job $id" job_is "$id" RUNNING
	wait_for 120 "job $other" job_is "$other" RUNNING
	far_pods_are 1
	pods_are 1
	# (at once, by the programs: not when the engine had seen that they could not)
	[[ $(job "$id" Restarts) -eq 0 && $(job "$other" Restarts) -eq 0 ]]
	run ! grep 'far-[01]: refused' "$POWER_LOG"
	as_slurm scancel "$id"
	wait_for 120 "its pod to go" far_pods_are 0
}

@test "a cluster that is down delays nothing in the other one" {
	two_clusters https://127.0.0.1:1
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
	sed -i "s#server: .*#server: $(server)#" "$SITE/far.kubeconfig"
	two_clusters "$(server)"
	wait_for 150 "far idle~" nodes_are far-[0-1] 'idle~'
}
