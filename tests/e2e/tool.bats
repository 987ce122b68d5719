# SPDX-License-Identifier: GPL-2.0-or-later
# slurm-k8s render and diff: the pod that a node would get, and what a rollout would change.
bats_require_minimum_version 1.5.0

setup() {
	load engine.bash
	put_right
}

teardown() {
	rm -f "$SITE/rendered.json" "$SITE/diff.json" "$SITE/next.yaml" "$SITE/next-worker.yaml"
	[[ ! -e $SITE/kubeconfig.good ]] || mv "$SITE/kubeconfig.good" "$SITE/kubeconfig"
	[[ ! ${RESTART:-} ]] || slurmctld_start
}

hash_in() { jq -er '.metadata.labels["slurm-k8s.io/template-hash"]' "$1"; }
hash_of() { of_pod "$SITE_NS" "$1" '.metadata.labels["slurm-k8s.io/template-hash"]'; }
image_of() { of_pod "$SITE_NS" "$1" '.spec.containers[] | select(.name == "slurmd") | .image'; }

is_busy() { [[ $(of_pod "$SITE_NS" "$1" '.metadata.labels["slurm-k8s.io/busy"]') = true ]]; }

# comes_up NODE...: with a pod
comes_up() {
	local node
	for node; do update NodeName="$node" State=POWER_UP; done
	for node; do wait_for 120 "$node" nodes_are "$node" idle; done
}

# next_worker SED-EXPRESSION: next.yaml is a k8s.yaml with such a template, which slurmctld does not know
next_worker() {
	sed "$1" "$SITE/worker.yaml" >"$SITE/next-worker.yaml"
	sed 's#\(podTemplateFile: \).*#\1next-worker.yaml#' "$SITE/k8s.yaml" >"$SITE/next.yaml"
	chmod 644 "$SITE"/next*.yaml
}

@test "render prints the pod that k8s_resume makes, which Kubernetes takes" {
	tool render bad-0 >"$SITE/rendered.json"
	jq -e '.kind == "Pod" and .metadata.name == "bad-0"' "$SITE/rendered.json"
	kns create --dry-run=server -f - <"$SITE/rendered.json"
	pods_are 0
	diff "$SITE/rendered.json" <(resume --dry-run bad-0)
	comes_up bad-0
	[[ $(hash_of bad-0) = "$(hash_in "$SITE/rendered.json")" ]]
	# of a node that is up, too, and as SlurmUser
	as_slurm "$SITE/root/usr/sbin/slurm-k8s" render bad-0 | diff "$SITE/rendered.json" -
}

@test "render says why there is no such pod" {
	run -1 tool render nobody-7
	echo "$output"
	[[ $output = *"node nobody-7 is in no nodeset of $SITE/k8s.yaml; there are "*"cpu (cpu-[0-3])"* ]]
	run -1 tool render --features no-such cpu-0
	[[ $output = *"k8s.yaml has no feature no-such; nodeset cpu offers "* ]]
	run -2 tool render --config "$SITE/no-such.yaml" cpu-0
	run -2 tool render
	run -2 as_user "$SITE/root/usr/sbin/slurm-k8s" render cpu-0
	[[ $output = *"this is another user than slurm"* ]]
}

# parts_in FILE: of a pod, what the engine has made of the template and of the job
parts_in() {
	jq -S '{labels: .metadata.labels, annotations: (.metadata.annotations | with_entries(select(.key | startswith("slurm-k8s.io/")))
		| del(."slurm-k8s.io/steps")), image: [.spec.containers[] | {name, image, command, args}], env: [.spec.containers[].env[]? | .name]}
		| .labels |= del(."slurm-k8s.io/steps")' "$1"
}

@test "render --job prints the pod that the engine has made of a job's pod" {
	id=$(submit -p bad -w bad-0 --array=0 --wrap "$UNTIL_TOLD")
	wait_for 120 "task 0 to run" job_is "${id}_0" RUNNING
	named() { [[ $(of_pod "$SITE_NS" bad-0 '.metadata.annotations["slurm-k8s.io/users"]') = "$SITE_USER" ]]; }
	wait_for 60 "its user on the pod" named
	tool render bad-0 --job "${id}_0" >"$SITE/rendered.json"
	kns get pod bad-0 -o json >"$SITE/diff.json"
	diff <(parts_in "$SITE/rendered.json") <(parts_in "$SITE/diff.json")
	jq -e '.metadata.annotations["slurm-k8s.io/users"] == "'"$SITE_USER"'" and .metadata.labels["slurm-k8s.io/busy"] == "true"' "$SITE/rendered.json"
	kns create --dry-run=server -f - <<<"$(jq '.metadata.name = "bad-7"' "$SITE/rendered.json")"
	run -1 tool render bad-0 --job 999999
	[[ $output = *"Slurm has no job 999999"* ]]
	run -1 tool render bad-0 --job "${id}_0.0"
	[[ $output = *"is a step: give its job, ${id}_0"* ]]
	as_slurm scancel "$id"
}

@test "render asks Kubernetes nothing, and without slurmctld says what it lacks" {
	cp -p "$SITE/kubeconfig" "$SITE/kubeconfig.good"
	sed -i 's#\(https://[^:]*\):[0-9]*#\1:1#' "$SITE/kubeconfig"
	tool render bad-0 >"$SITE/rendered.json"
	RESTART=1
	slurmctld_stop
	# (of the nodeset bad all is in k8s.yaml: it has the same hash then)
	tool render bad-0 | diff "$SITE/rendered.json" -
	run -2 tool render cpu-0
	echo "$output"
	[[ $output = *"is not known, for slurmctld does not answer"* ]]
	run -2 tool diff
	[[ $output = *"slurmctld does not answer"* ]]
}

@test "diff says nothing of a fresh pod, and names the image when the template has changed" {
	comes_up bad-0 bad-1
	tool diff
	run -0 tool diff bad-0
	echo "$output"
	[[ $output = "all 1 pods are as their templates" ]]
	run -0 tool diff bad
	[[ $output = "all 2 pods are as their templates" ]]

	next_worker 's#image: .*#image: localhost/no-such:1#'
	old=$(image_of bad-0)
	run -1 tool diff --config "$SITE/next.yaml" bad
	echo "$output"
	[[ $output = *"bad-0: pod $SITE_NS/bad-0 of cluster "*", nodeset bad, idle"* ]]
	[[ $output = *"    spec.containers[slurmd].image: $old -> localhost/no-such:1"* ]]
	# and nothing else: what the API server adds is no difference
	[[ $(grep -c '^    ' <<<"$output") -eq 2 ]]
	[[ $output = *"2 of 2 pods are not as their templates" ]]
	tool diff --json --config "$SITE/next.yaml" bad-1 >"$SITE/diff.json" || [[ $? -eq 1 ]]
	jq -e --arg old "$old" '.exit == 1 and .asTemplate == 0 and (.pods | length == 1) and .pods[0].node == "bad-1" and .pods[0].busy == false and
		.pods[0].changes == [{"path": "spec.containers[slurmd].image", "now": $old, "template": "localhost/no-such:1"}]' "$SITE/diff.json"
	run -2 tool diff nobody-7
	[[ $output = *"node nobody-7 is in no nodeset of "* ]]
}

@test "diff tells a busy pod, and agrees with the engine about which pods are old" {
	id=$(submit -p bad -w bad-0 --requeue --wrap 'sleep 1000')
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	comes_up bad-1
	wait_for 60 "the label" is_busy bad-0
	template 's#^spec:#metadata: {labels: {new: "yes"}}\nspec:#' # (marks the log)
	run -1 tool diff bad-0
	echo "$output"
	[[ $output = *"nodeset bad, busy"*"    metadata.labels.new: (nothing) -> yes"* ]]
	wait_for 60 "bad-1 to be powered down" logged 'nodes bad-1: power down (old template)'
	as_slurm scancel "$id"
	wait_for 120 "the old pods to go" pods_are 0
	run -0 tool diff
	[[ $output = "all 0 pods are as their templates" ]]
}
