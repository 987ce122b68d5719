# SPDX-License-Identifier: GPL-2.0-or-later
# A job's --constraint chooses the pod it runs in.
#
# cpu-[0-3] may boot as pytorch (another image) or jax, each also fast.

plugins() {
	kns create configmap slurm-k8s-plugins --from-file="$SITE/root$PLUGINS/node_features_k8s.so"
}

configure() {
	put "$SITE/slurm.conf" 'State=CLOUD Feature=cpu' 'State=CLOUD Feature=cpu,pytorch,jax,fast'
	printf '%s\n' NodeFeaturesPlugins=node_features/k8s JobSubmitPlugins=job_submit/k8s >>"$SITE/slurm.conf"
	sed -i 's/^  - name: \(big\|bulk\|bad\)$/&\n    features: []/' "$SITE/k8s.yaml"
	cat >>"$SITE/k8s.yaml" <<-Y

	features:
	  - name: pytorch
	    group: image
	    patch: {spec: {containers: [{name: slurmd, image: "$SITE_IMAGE-alt"}]}}
	  - name: jax
	    group: image
	    patch: {spec: {containers: [{name: slurmd, env: [{name: K8S_JAX, value: "1"}]}]}}
	  - name: fast
	    patch: {spec: {containers: [{name: slurmd, env: [{name: K8S_FAST, value: "1"}]}]}}
	Y
}

setup_file() {
	load common.bash
	for f in slurm.conf k8s.yaml; do cp "$SITE/$f" "$SITE/$f.before"; done
	plugins >&2
	configure
	slurmctld_stop
	slurmctld_start
}

teardown_file() {
	load common.bash
	for f in slurm.conf k8s.yaml; do mv "$SITE/$f.before" "$SITE/$f"; done
	kns delete configmap slurm-k8s-plugins >&2
	slurmctld_stop
	slurmctld_start
}

setup() {
	load common.bash
	load log.bash
	wait_for 90 "powered-down nodes to wear nothing" features_are cpu-0 cpu
}
teardown() {
	whole_yaml
	clean_up
}

reconfigured() {
	mark
	as_slurm scontrol reconfigure || true
	wait_for 60 "the new configuration" logged 'k8s.yaml is in force\|k8s: engine .* runs'
	wait_for 60 "the pods in view" logged 'pods in view'
}
whole_yaml() {
	[[ -e $SITE/k8s.yaml.whole ]] || return 0
	mv "$SITE/k8s.yaml.whole" "$SITE/k8s.yaml"
	reconfigured
}

active() { node "$1" ActiveFeatures; }
available() { node "$1" AvailableFeatures; }
# features_are NODE LIST: the active ones, in any order
features_are() { [[ $(active "$1" | tr , '\n' | sort | paste -sd,) = "$2" ]]; }
image_of() { kns get pod "$1" -o 'jsonpath={.spec.containers[?(@.name=="slurmd")].image}'; }
worn_by() { kns get pod "$1" -o 'jsonpath={.metadata.annotations.slurm-k8s\.io/features}'; }
completed() { wait_for "${2:-120}" "job $1 to complete" job_is "$1" COMPLETED; }

@test "render --features prints the pod of a node with them, which Kubernetes takes" {
	local pod=$BATS_TEST_TMPDIR/pod.json
	tool render --features pytorch cpu-0 >"$pod"
	[[ $(jq -r '.spec.containers[] | select(.name == "slurmd") | .image' "$pod") = "$SITE_IMAGE-alt" ]]
	kns create --dry-run=server -f - <<<"$(jq '.metadata.name = "rendered"' "$pod")"
	tool render --features jax,fast cpu-0 >"$pod"
	[[ $(jq -r '[.spec.containers[] | select(.name == "slurmd") | .env[] | select(.name | test("^K8S_(JAX|FAST)$")).value] | join(" ")' "$pod") = "1 1" ]]
}

# refused CONSTRAINT WORDS
refused() {
	run submit --constraint="$1" --wrap true
	echo "$output"
	[[ $status -ne 0 && $output = *"$2"* && $output = *"Invalid feature specification"* ]]
}

# bats test_tags=sanitized
@test "sbatch -C picks the image, and scontrol shows what a node wears in each state" {
	[[ $(available cpu-0) = cpu,pytorch,jax,fast ]]
	id=$(submit --constraint='cpu&pytorch' --wrap 'sleep 2')
	completed "$id"
	host=$(job "$id" BatchHost)
	[[ $(image_of "$host") = "$SITE_IMAGE-alt" ]]
	[[ $(worn_by "$host") = pytorch ]]
	features_are "$host" cpu,pytorch
	[[ $(available "$host") = cpu,pytorch,jax,fast ]]
	update NodeName="$host" State=POWER_DOWN
	wait_for 120 "$host to be idle~" nodes_are "$host" 'idle~'
	wait_for 90 "$host to wear nothing" features_are "$host" cpu
	[[ $(available "$host") = cpu,pytorch,jax,fast ]]
}

# Slurm takes it as if the last operator were not there, and so must the pod.
@test "a constraint that ends with an operator picks the image, too" {
	id=$(submit --constraint='cpu&pytorch,' --wrap 'sleep 2')
	completed "$id"
	[[ $(image_of "$(job "$id" BatchHost)") = "$SITE_IMAGE-alt" ]]
}

@test "a job without a constraint gets the plain pod" {
	id=$(submit --wrap true)
	completed "$id"
	host=$(job "$id" BatchHost)
	[[ $(image_of "$host") = "$SITE_IMAGE" ]]
	[[ -z $(worn_by "$host") ]]
	features_are "$host" cpu
}

@test "features of different groups go together, and the nodes of a job all wear them" {
	# shellcheck disable=SC2016 # the job's
	id=$(submit -N2 --constraint='jax&fast' --wrap 'srun sh -c ". /run/pod.env; echo \$K8S_JAX\$K8S_FAST"; sleep 1')
	completed "$id"
	host=$(job "$id" BatchHost)
	[[ $(kns exec "$host" -- cat "/tmp/slurm-$id.out") = $'11\n11' ]]
	features_are cpu-0 cpu,fast,jax
	features_are cpu-1 cpu,fast,jax
}

@test "a node that is up with other features gets a new pod" {
	id=$(submit --nodelist=cpu-0 --constraint=pytorch --wrap true)
	completed "$id"
	uid=$(pod_uid cpu-0)
	id=$(submit --nodelist=cpu-0 --constraint='jax&fast' --wrap true)
	completed "$id" 150
	[[ $(pod_uid cpu-0) != "$uid" ]]
	[[ $(image_of cpu-0) = "$SITE_IMAGE" ]]
	[[ $(worn_by cpu-0) = jax,fast ]]
	features_are cpu-0 cpu,fast,jax
}

@test "when all nodes are up with other features as many as a job needs get new pods" {
	id=$(submit -N4 --constraint=pytorch --wrap true)
	completed "$id"
	id=$(submit -N2 --constraint=jax --wrap 'sleep 1')
	completed "$id" 150
	[[ $(kns get pods -o 'jsonpath={.items[*].metadata.annotations.slurm-k8s\.io/features}' | tr ' ' '\n' | sort | paste -sd,) = jax,jax,pytorch,pytorch ]]
}

@test "alternatives: all nodes of a job get the first one that they offer" {
	if [[ $SITE_RELEASE = 22.05 ]]; then
		refused 'jax|pytorch' "'|' does not go with changeable features in this version of Slurm"
		return
	fi
	refused '(jax&cpu)|big' "alternatives ('|') may differ in changeable features only"
	id=$(submit -N2 --constraint='cpu&(jax|pytorch)' --wrap true)
	completed "$id"
	[[ $(worn_by cpu-0) = jax && $(worn_by cpu-1) = jax ]]
}

@test "a node that wears what a job wants is used as it is" {
	id=$(submit --nodelist=cpu-0 --constraint='jax&fast' --wrap true)
	completed "$id"
	uid=$(pod_uid cpu-0)
	id=$(submit --nodelist=cpu-0 --constraint=jax --wrap true)
	completed "$id"
	[[ $(pod_uid cpu-0) = "$uid" ]]
}

# bats test_tags=sanitized
@test "requests that no pod can satisfy are refused with words" {
	refused 'pytorch&jax' 'k8s: features pytorch and jax exclude each other (group image)'
	refused 'cpu&pytorch*2' "'[', ']' and '*' do not go with changeable features"
	refused 'pytorch&jax,' 'k8s: features pytorch and jax exclude each other (group image)'
	refused 'cpu&&pytorch' "k8s: with changeable features it is of names, one '&', ',' or '|' between each two"
	refused 'big|jax' ''
	refused nosuch ''
	run submit --constraint='big' --partition=all --wrap true
	[[ $status -eq 0 ]]
}

@test "what a running node wears is right after scontrol reconfigure and a restart" {
	id=$(submit --nodelist=cpu-0 --constraint=pytorch --wrap "$UNTIL_TOLD")
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	wait_for 90 "cpu-0 to be up" nodes_are cpu-0 alloc
	uid=$(pod_uid cpu-0)
	as_slurm scontrol reconfigure || true
	wait_for 90 "cpu-0 to wear pytorch" features_are cpu-0 cpu,pytorch
	wait_for 90 "cpu-1 to wear nothing" features_are cpu-1 cpu
	slurmctld_stop
	slurmctld_start
	wait_for 90 "cpu-0 to wear pytorch" features_are cpu-0 cpu,pytorch
	wait_for 90 "cpu-1 to wear nothing" features_are cpu-1 cpu
	[[ $(available cpu-0) = cpu,pytorch,jax,fast ]]
	tell "$id"
	completed "$id"
	[[ $(pod_uid cpu-0) = "$uid" ]]
}

@test "k8s_reboot takes the features as its second argument" {
	run as_slurm "$SITE_BIN/k8s_reboot" --dry-run cpu-3 cpu,pytorch
	[[ $status -eq 0 && $output = *"$SITE_IMAGE-alt"* ]]
	run as_slurm "$SITE_BIN/k8s_resume" --dry-run cpu-3 jax,pytorch
	[[ $status -ne 0 && $output = *"features pytorch and jax exclude each other"* ]]
	run as_slurm "$SITE_BIN/k8s_resume" --dry-run big-0 jax
	[[ $status -ne 0 && $output = *"nodeset big does not offer jax"* ]]
}

@test "a pod without the plugin's words says nothing, and slurmd starts" {
	update NodeName=big-0 State=POWER_UP
	wait_for 120 "big-0 to be idle" nodes_are big-0 idle
	features_are big-0 big
}

@test "features whose image is gone: its jobs wait, the nodeset does not rest, other jobs run" {
	cp "$SITE/k8s.yaml" "$SITE/k8s.yaml.copy"
	mv "$SITE/k8s.yaml.copy" "$SITE/k8s.yaml.whole"
	put "$SITE/k8s.yaml" 'env: [{name: K8S_JAX, value: "1"}]' 'image: "localhost/no-such:1"'
	reconfigured
	id=$(submit --constraint=jax --wrap true)
	wait_for 120 "job $id to go back" logged 'k8s: nodeset cpu: jobs with these features wait for 2 s: with features jax: .*ImagePullBackOff'
	wait_for 60 "the words" job_says "$id" 'AdminComment=k8s: with features jax: '
	other=$(submit --wrap true)
	completed "$other"
	run ! logged 'nodeset cpu cools down'
	whole_yaml
	completed "$id" 150
}
