# SPDX-License-Identifier: GPL-2.0-or-later
# slurm-k8s check: one mistake is found, named first, and nothing else but what follows from it.
# (These tests' site has nodes that are to fail, so there is something to find before: what counts
# is what is new. Where all is well it finds nothing: readme.bats.)
bats_require_minimum_version 1.5.0

setup_file() {
	load engine.bash
	cp -p "$SITE/slurm.conf" "$SITE/slurm.conf.good"
	cp -p "$SITE/kubeconfig" "$SITE/kubeconfig.good"
	cp -p "$SITE/worker.yaml" "$SITE/worker.yaml.good"
}

setup() {
	load engine.bash
	put_right
	: >"$SITE/check.before"
	told >"$SITE/check.told"
	mv "$SITE/check.told" "$SITE/check.before"
}

teardown() {
	cat "$SITE/slurm.conf.good" >"$SITE/slurm.conf"
	cp -p "$SITE/kubeconfig.good" "$SITE/kubeconfig"
	cp -p "$SITE/worker.yaml.good" "$SITE/worker.yaml"
	good_yaml
	chmod 755 "$SITE_BIN/k8s_suspend"
	rm -rf "$SITE/written" "$SITE/nowhere"
	all_allowed
	pod_security baseline
	no_policies
	[[ ! ${RESTART:-} ]] || { slurmctld_stop && slurmctld_start; }
	take_over
}

# (as from root's own shell)
check() { inside env -i PATH=/usr/bin:/bin HOME=/root TOKEN=secret SLURM_CONF="$SITE/slurm.conf" "$SITE/root/usr/sbin/slurm-k8s" check "$@"; }
# told: a line for all that is not in order
told() {
	check --json >"$SITE/check.json" || true
	jq -er '.checks[] | select(.state != "ok" and .state != "skipped") | "\(.state) \(.check): \(.text) -> \(.fix // "")"' \
		"$SITE/check.json" || echo "check printed no JSON"
}
new() { told | grep -vxFf "$SITE/check.before" || true; }
# whose LINES: which checks they are of
whose() { grep -oP '^[a-z]* \K[^:]*(?=: )' <<<"$1" | sort -u; }
# is_new [CHECK]: of all checks this one alone has something new to tell
is_new() { [[ $(whose "$(new)") = "${1:-}" ]]; }

# finds CHECK WORDS [FIX]: it alone is not in order, with these words
finds() {
	local first lines
	lines=$(new)
	first=${lines%%$'\n'*}
	echo "found: $first"
	[[ $first = "${STATE:-wrong} $1: "*"$2"* ]]
	[[ $first = *" -> "*"${3:-}"* ]]
	[[ $(whose "$lines") = "$1" ]]
}

# are_new CHECK...: these alone have something new to tell
are_new() { [[ $(whose "$(new)") = "$(printf '%s\n' "$@" | sort -u)" ]]; }

# says CHECK WORDS [FIX]: it is new, first of all new that this check says, and others follow from it
says() {
	local line
	line=$(new | grep -m 1 "^[a-z]* $1: ")
	echo "found: $line"
	[[ $line = "${STATE:-wrong} $1: "*"$2"*" -> "*"${3:-}"* ]]
}

# do_first LINE: what check says there is done, to the letter; of several ways the first
do_first() {
	local fix=${1##* -> } conf=$SITE/slurm.conf words names
	echo "do: $fix"
	if [[ $fix =~ ^"chmod 755 "([^ ;]+) ]]; then
		chmod 755 "${BASH_REMATCH[1]}"
	elif [[ $fix = "chgrp "* || $fix = "chown "* || $fix = "install -"* ]]; then
		bash -euc "$fix"
	elif [[ $fix = "kubectl "* ]]; then
		read -ra words <<<"${fix%%;*}"
		kube "${words[@]:1}" >/dev/null
	elif [[ $fix =~ ^"slurm.conf: add "([^ ]+)" to Nodes of PartitionName="([^ ,]+) ]]; then
		sed -i "/^PartitionName=${BASH_REMATCH[2]} /s/ Nodes=[^ ]*/&,${BASH_REMATCH[1]}/" "$conf"
	elif [[ $fix =~ ^"slurm.conf: add "([^ ]+)" to "([A-Za-z]+) ]]; then
		if grep -q "^${BASH_REMATCH[2]}=" "$conf"; then
			sed -i "s/^${BASH_REMATCH[2]}=/&${BASH_REMATCH[1]},/" "$conf"
		else
			echo "${BASH_REMATCH[2]}=${BASH_REMATCH[1]}" >>"$conf"
		fi
	elif [[ $fix =~ ^"slurm.conf: name them in "([A-Za-z]+) ]]; then
		# what is wrong ends with the names
		names=${1%% -> *}
		echo "${BASH_REMATCH[1]}=${names##*: }" >>"$conf"
	elif [[ $fix =~ ^"slurm.conf: NodeName="([^ ]+)" ... "([A-Za-z]+=[^ ,]+) ]]; then
		names=${BASH_REMATCH[1]//[/\\[}
		sed -i "/^NodeName=$names /s/\$/ ${BASH_REMATCH[2]}/" "$conf"
	elif [[ $fix =~ ^"slurm.conf: take them out of "([A-Za-z]+) ]]; then
		sed -i "/^${BASH_REMATCH[1]}=/d" "$conf"
	elif [[ $fix =~ ^"slurm.conf: take "([^ ]+)" out of "([A-Za-z]+) ]]; then
		sed -i "/^${BASH_REMATCH[2]}=/{s/,${BASH_REMATCH[1]}\b//;s/=${BASH_REMATCH[1]},/=/}" "$conf"
	elif [[ $fix =~ ^"slurm.conf: "([A-Za-z]+)=([^ ,]+)" of PartitionName="([^ ,]+) ]]; then
		sed -i "/^PartitionName=${BASH_REMATCH[3]} /s/ ${BASH_REMATCH[1]}=[^ ]*/ ${BASH_REMATCH[1]}=${BASH_REMATCH[2]}/" "$conf"
	elif [[ $fix =~ ^"slurm.conf: "([A-Za-z]+)=([^ ,]+)" and "([A-Za-z]+)=(.+)", then: " ]]; then
		sed -i "/^\(${BASH_REMATCH[1]}\|${BASH_REMATCH[3]}\)=/d" "$conf"
		printf '%s=%s\n' "${BASH_REMATCH[@]:1:4}" >>"$conf"
	elif [[ $fix =~ ^"slurm.conf: "(PartitionName=.*)", then: " ]]; then
		echo "${BASH_REMATCH[1]}" >>"$conf"
	elif [[ $fix =~ ^"slurm.conf: "([A-Za-z]+)=([^ ,]+) ]]; then
		sed -i "/^${BASH_REMATCH[1]}=/d" "$conf"
		echo "${BASH_REMATCH[1]}=${BASH_REMATCH[2]}" >>"$conf"
	elif [[ $fix =~ ^"pod template: hostAliases: ip: "([^ ]+) ]]; then
		sed -i "s/- ip: .*/- ip: ${BASH_REMATCH[1]}/" "$SITE/worker.yaml"
	elif [[ $fix =~ ^"pod template: the Secret with "[a-z]+".key at "([^ ,;]+) ]]; then
		sed -i "s|mountPath: ${BASH_REMATCH[1]%/*}/.*|mountPath: ${BASH_REMATCH[1]}|" "$SITE/worker.yaml"
	elif [[ $fix =~ ^"pod template: "([A-Z_]+)": "([^ ,]+) ]]; then
		sed -i "/name: ${BASH_REMATCH[1]}\b/{n;s|value: .*|value: \"${BASH_REMATCH[2]}\"|}" "$SITE/worker.yaml"
	elif [[ $fix =~ ^"pod template: add to tolerations: "(\{[^}]*\}), ]]; then
		if grep -q '^  tolerations: \[' "$SITE/worker.yaml"; then
			sed -i "s|^  tolerations: \[|&${BASH_REMATCH[1]}, |" "$SITE/worker.yaml"
		else
			sed -i "s|^spec:|&\n  tolerations: [${BASH_REMATCH[1]}]|" "$SITE/worker.yaml"
		fi
	elif [[ $fix =~ ^"pod template: take "([A-Za-z]+)" out" ]]; then
		sed -i "/^  ${BASH_REMATCH[1]}:/d" "$SITE/worker.yaml"
	elif [[ $fix =~ ^"k8s.yaml: "([a-z]+)": "([^ ,]+) ]]; then
		sed -i "/^bridge:/s/${BASH_REMATCH[1]}: [^,}]*/${BASH_REMATCH[1]}: ${BASH_REMATCH[2]}/" "$SITE/k8s.yaml"
	else
		echo "this test does not know how to do that"
		return 1
	fi
	if [[ $fix = *"restart slurmctld"* ]]; then
		slurmctld_stop
		slurmctld_start
	elif [[ $fix = "slurm.conf: "* ]]; then
		as_slurm scontrol reconfigure || true
	fi
}
is_gone() { ! new | grep -qxF -- "$1"; }

# do_it [TIMES]: what check says first is done, and then nothing is new any more. More than one
# time, where one number has to suit several nodesets.
do_it() {
	local first i
	for ((i = 0; i < ${1:-1}; i++)); do
		first=$(new | head -n 1)
		do_first "$first"
		wait_for 30 "that to be in order" is_gone "$first"
	done
	wait_for 30 "all to be in order" is_new
}

# template_has SED...: the pods of cpu-[0-3] would be such ones (the file is read anew each time)
template_has() {
	cp -p "$SITE/worker.yaml.good" "$SITE/worker.yaml"
	sed -i "$@" "$SITE/worker.yaml"
	run -1 cmp -s "$SITE/worker.yaml" "$SITE/worker.yaml.good"
}

# role_lacks FILE RESOURCE VERB WORDS: the role does not give it any more, and check says so alone
# (what the one before lacked may be seen as missing for a moment)
role_lacks() {
	sed "/resources: \[$2\]/{n;s/\b$3, //;s/, $3\b//;s/\[$3\]/[get]/}" "$SITE/kubernetes/$1.yaml" | kube apply -f - >/dev/null
	wait_for 30 "the right to be seen as missing" only_new "may not $3 $2"
	finds rights "may not $3 $2$4" "kubernetes/$1.yaml has the rule"
	all_allowed
}
only_new() {
	new >"$SITE/check.new"
	[[ $(wc -l <"$SITE/check.new") -eq 1 ]] && grep -qF "$1" "$SITE/check.new"
}
all_allowed() { kube apply -k "$SITE/kubernetes" >/dev/null; }
pod_security() { kube label --overwrite namespace "$SITE_NS" "pod-security.kubernetes.io/enforce=$1" >/dev/null; }

# slurm_has SED...: slurmctld runs with such a slurm.conf, which has no other mistake
slurm_has() {
	RESTART=1
	cat "$SITE/slurm.conf.good" >"$SITE/slurm.conf"
	sed -i "$@" "$SITE/slurm.conf"
	run -1 cmp -s "$SITE/slurm.conf" "$SITE/slurm.conf.good"
	slurmctld_stop
	slurmctld_start
}

@test "check tells of each thing that it looks at, and of problems only if it is asked for these" {
	run check
	echo "$output"
	for word in slurmctld k8s.yaml version SlurmctldHost PluginDir SchedulerType ResumeProgram SuspendTime nodeset kubeconfig \
		"API server" rights pod clock; do
		[[ $output = *"ok       $word "* ]]
	done
	[[ $output != *UNKNOWN* && $(grep -c '^skipped  ' <<<"$output") -eq 2 ]]
	[[ $output = *"skipped  volumes "* && $output = *"skipped  probe "* ]]
	check --json >"$SITE/check.json" || true
	jq -e '.exit == 1 and (.checks | length > 25)' "$SITE/check.json"
	run check --problems
	[[ $output != *"ok   "* && $output = *"far-[0-1],lost-0"* ]]
	run -2 check --no-such-option
}

@test "check finds what is wrong in slurm.conf" {
	slurm_has 's|^SuspendProgram=.*|SuspendProgram=/nowhere/k8s_suspend|'
	finds SuspendProgram "/nowhere/k8s_suspend is not there" "SuspendProgram=$SITE_BIN/k8s_suspend"
	do_it
	slurm_has 's|^SuspendTime=.*|SuspendTime=INFINITE|'
	finds SuspendTime "not set, nor in any partition" SuspendTime=300
	do_it
	slurm_has 's|^ProctrackType=.*|ProctrackType=proctrack/cgroup|'
	STATE=warning finds ProctrackType "slurmd does not start" proctrack/linuxproc
	do_it
	slurm_has 's|^PluginDir=\([^:]*\):\(.*\)|PluginDir=\2:\1|'
	finds PluginDir "slurmctld takes its scheduler from"
	slurm_has 's|^ResumeTimeout=.*|ResumeTimeout=5|'
	STATE=warning finds ResumeTimeout "after 5 s Slurm gives a node up" ResumeTimeout=150
	# the second time is for the nodeset whose pods may be unschedulable for longer
	do_it 2
}

@test "check finds programs and words that slurm.conf does not have" {
	slurm_has '/^RebootProgram=/d'
	STATE=warning finds RebootProgram "not set: scontrol reboot replaces no pod" "RebootProgram=$SITE_BIN/k8s_reboot"
	do_it
	slurm_has '/^ResumeFailProgram=/d'
	STATE=warning finds ResumeFailProgram "not set: a node whose pod does not start stays DOWN" k8s_resume_fail
	do_it
	slurm_has 's/,reboot_from_controller//'
	STATE=warning finds SlurmctldParameters "has no reboot_from_controller" "add reboot_from_controller to SlurmctldParameters"
	do_it
	slurm_has '/^SlurmdParameters=/d'
	STATE=warning finds SlurmdParameters "has no config_overrides" "add config_overrides"
	do_it
}

@test "check finds a program of ours that Slurm does not run for its mode" {
	chmod g+w "$SITE_BIN/k8s_suspend"
	finds SuspendProgram "k8s_suspend may be written by others, so Slurm does not run it" "chmod 755 $SITE_BIN/k8s_suspend"
	do_it
}

@test "check finds words that slurm.conf has better not" {
	slurm_has 's/^SlurmctldParameters=/&cloud_dns,/'
	STATE=warning finds SlurmctldParameters "has cloud_dns: " "take cloud_dns out of SlurmctldParameters"
	do_it
	slurm_has 's/^SlurmctldParameters=.*/&,idle_on_node_suspend/'
	STATE=warning finds SlurmctldParameters "has idle_on_node_suspend: " "take idle_on_node_suspend out"
	do_it
	slurm_has "\$aSuspendExcNodes=cpu-0"
	STATE=warning finds SuspendExcNodes "1 nodes are pods, and Slurm never powers them down" "take them out of SuspendExcNodes"
	do_it
	slurm_has 's/^SchedulerType=.*/SchedulerType=sched\/builtin/'
	finds SchedulerType "the engine does not run" SchedulerType=sched/backfill
	do_it
}

@test "check finds numbers of slurm.conf that are too small, or too large" {
	slurm_has "\$aJobRequeue=0"
	STATE=warning finds JobRequeue "does not go back to the queue" "JobRequeue=1, then: scontrol reconfigure"
	do_it
	slurm_has "\$aMessageTimeout=5"
	STATE=warning finds MessageTimeout "a pod that is busy" MessageTimeout=10
	do_it
	slurm_has 's/^BatchStartTimeout=.*/BatchStartTimeout=10/'
	STATE=warning finds BatchStartTimeout "a batch job whose pod is slow" BatchStartTimeout=60
	do_it
	slurm_has 's/^SuspendTimeout=.*/SuspendTimeout=3/'
	STATE=warning finds SuspendTimeout "a pod has 5 s to end" SuspendTimeout=
	do_it
	slurm_has 's/^ResumeRate=.*/ResumeRate=300/'
	STATE=warning finds ResumeRate "300 nodes a minute at most" ResumeRate=0
	do_it
}

@test "check finds more numbers of slurm.conf" {
	slurm_has 's/^SuspendRate=.*/SuspendRate=60/'
	STATE=warning finds SuspendRate "60 nodes a minute at most" SuspendRate=0
	do_it
	slurm_has 's/^ReturnToService=.*/ReturnToService=0/'
	STATE=warning finds ReturnToService "not 2: a node that was DOWN stays so" ReturnToService=2
	do_it
	slurm_has "\$aSlurmdTimeout=0"
	STATE=warning finds SlurmdTimeout "nobody notices a slurmd that hangs" SlurmdTimeout=300
	do_it
	[[ $SITE_RELEASE != 22.05 ]] || {
		slurm_has 's/^PrivateData=.*/PrivateData=none/'
		# (nobody is told of powered down nodes then, not even this check: that follows)
		STATE=warning says PrivateData "has no cloud: sinfo does not show" "add cloud to PrivateData"
		are_new PrivateData nodeset
		do_it
		slurm_has 's/^TreeWidth=.*/TreeWidth=50/'
		finds TreeWidth "slurmds pass messages on" TreeWidth=65533
		do_it
	}
}

@test "check finds partitions that keep jobs from pods, or pods from going" {
	slurm_has 's/^PartitionName=batch .*/& SuspendTime=INFINITE/'
	STATE=warning finds SuspendTime "4 of its nodes keep their pods for ever" "SuspendTime=300 of PartitionName=batch"
	do_it
	slurm_has 's/^PartitionName=batch .*/& SuspendTimeout=2/'
	STATE=warning finds SuspendTimeout "2 s in partition batch: a pod has 5 s to end" "of PartitionName=batch"
	do_it
	slurm_has -e 's/^PartitionName=batch Nodes=[^ ]*/PartitionName=batch Nodes=cpu-[0-2]/' -e 's/^PartitionName=all Nodes=ALL/PartitionName=all Nodes=big-[0-1]/'
	STATE=warning finds partition "1 of its nodes are in no partition, so no job gets them: cpu-3" "PartitionName=cpu Nodes=cpu-3 State=UP"
	do_it
	slurm_has -e 's/^PartitionName=batch Nodes=[^ ]*/PartitionName=batch Nodes=cpu-[0-2]/' -e 's/^PartitionName=all Nodes=ALL/PartitionName=all Nodes=big-[0-1]/' \
		-e "\$aPartitionName=cpu Nodes=cpu-0"
	STATE=warning finds partition "1 of its nodes are in no partition, so no job gets them: cpu-3" "add cpu-3 to Nodes of PartitionName=cpu"
	do_it
	slurm_has 's/^\(NodeName=cpu-.*\) RealMemory=[0-9]*/\1/'
	finds nodeset "cpu: 4 of its nodes have no RealMemory" "NodeName=cpu-[0-3] ... RealMemory=1024"
	do_it
	slurm_has '/^PartitionName=batch/iNodeName=metal-0 NodeAddr=127.0.0.1 State=UNKNOWN'
	STATE=warning finds SuspendExcNodes "1 nodes are no pods, and Slurm powers them down" "name them in SuspendExcNodes"
	do_it
	slurm_has -e '/^PartitionName=batch/iNodeName=metal-0 NodeAddr=127.0.0.1 State=UNKNOWN' -e 's|^SuspendTime=.*|SuspendTime=INFINITE|'
	finds SuspendTime "not set, nor in any partition" "SuspendTime=300 and SuspendExcNodes=metal-0"
	do_it
}

@test "check finds that no node can be kept up beside a count in SuspendExcNodes" {
	[[ $SITE_RELEASE != 22.05 ]] || skip "Slurm 22.05: minRunning is refused"
	other_yaml
	sed -i 's/^    nodes: cpu-\[0-3\]$/&\n    minRunningSchedule: [{nodes: 1, days: [sun], from: "00:00", to: "00:01"}]/' "$SITE/k8s.yaml"
	slurm_has "\$aSuspendExcNodes=big-[0-1]:1"
	finds minRunning "cpu: no node is kept up, for SuspendExcNodes has a count: big-[0-1]:1" "without a count"
	cp "$SITE/slurm.conf.good" "$SITE/slurm.conf"
	as_slurm scontrol reconfigure || true
	wait_for 30 "all to be in order" is_new
	good_yaml
}

@test "check finds nodes that slurm.conf and k8s.yaml do not agree about" {
	other_yaml
	sed -i 's/nodes: cpu-\[0-3\]/nodes: cpu-[0-5]/' "$SITE/k8s.yaml"
	finds nodeset "2 of its nodes are not known to Slurm: cpu-[4-5]" "NodeName=cpu-[4-5]"
	good_yaml
	other_yaml
	sed -i 's/nodes: cpu-\[0-3\]/nodes: cpu-[0-2]/' "$SITE/k8s.yaml"
	finds nodes "4 nodes are State=CLOUD, and in no nodeset of k8s.yaml, so they get no pod: cpu-3,"
	good_yaml
	other_yaml
	sed -i 's/^nodesets:/nodesetz:/' "$SITE/k8s.yaml"
	finds k8s.yaml "k8s.yaml:"
	good_yaml
	other_yaml
	sed -i 's/nodes: big-\[0-1\]/nodes: big-[0-1],cpu-3/' "$SITE/k8s.yaml"
	finds k8s.yaml "node 'cpu-3' is claimed twice"
	good_yaml
	other_yaml
	sed -i '0,/    cluster: prod/s//    cluster: prodd/' "$SITE/k8s.yaml"
	finds k8s.yaml "prodd"
	good_yaml
	other_yaml
	sed -i 's/^nodesets:/bridge: {cluster: prod, partition: k8s, namespaces: {team-a: {user: '"$SITE_USER"'}}}\n&/' "$SITE/k8s.yaml"
	says partition "bridge: Slurm has no partition k8s, so no pod of the queue starts" "k8s.yaml: partition: "
	good_yaml
	other_yaml
	sed -i 's/^nodesets:/features: [{name: jax, patch: {metadata: {labels: {jax: a}}}}]\n&/' "$SITE/k8s.yaml"
	STATE=warning says Feature "no node has jax of k8s.yaml" "add jax to Feature"
	says NodeFeaturesPlugins "the features of k8s.yaml choose no pod" NodeFeaturesPlugins=node_features/k8s
}

@test "check finds folders of k8s.yaml's files that SlurmUser may not write to" {
	install -d -o root -g root -m 755 "$SITE/written"
	other_yaml
	echo "metrics: {file: $SITE/written/slurm-k8s.prom}" >>"$SITE/k8s.yaml"
	STATE=warning finds metrics "SlurmUser may not create files in $SITE/written: Permission denied" "chgrp slurm $SITE/written"
	do_it
	good_yaml
	other_yaml
	sed -i "s#logFile: .*#logFile: $SITE/nowhere/power.log#" "$SITE/k8s.yaml"
	STATE=warning finds logFile "SlurmUser may not write $SITE/nowhere/power.log: No such file or directory" "install -d -o slurm"
	do_it
	sed -i "s#logFile: .*#logFile: $SITE/written/power.log#" "$SITE/k8s.yaml"
	install -o root -m 644 /dev/null "$SITE/written/power.log"
	STATE=warning finds logFile "SlurmUser may not write $SITE/written/power.log: Permission denied" "chown slurm $SITE/written/power.log"
	do_it
}

@test "check finds pods that would look for slurmctld elsewhere" {
	template_has "s/\($(hostname -s):\)$SITE_PORT/\16816/"
	finds SLURM_CONF_SERVER "slurmd asks port 6816 for slurm.conf, and slurmctld has $SITE_PORT" "SLURM_CONF_SERVER: $(hostname -s):$SITE_PORT"
	do_it
	template_has "s/$(hostname -s):$SITE_PORT/elsewhere:$SITE_PORT/"
	STATE=warning finds SLURM_CONF_SERVER "slurmd asks elsewhere for slurm.conf, which is no SlurmctldHost" "SLURM_CONF_SERVER: $(hostname -s):$SITE_PORT"
	do_it
	template_has "s/- ip: .*/- ip: 10.255.255.9/"
	finds hostAliases "at 10.255.255.9, and by slurm.conf (SlurmctldHost) it is at $SITE_IP" "hostAliases: ip: $SITE_IP"
	do_it
	slurm_has "s/^SlurmctldHost=\([^(]*\).*/SlurmctldHost=\1(127.0.0.1)/"
	says SlurmctldHost "(127.0.0.1): pods cannot reach slurmctld there" "an address that pods can reach"
	# the template names another address then, which follows
	are_new SlurmctldHost hostAliases
}

@test "check finds addresses of examples that were left" {
	template_has 's#image: .*#image: registry.example.org/slurmd#'
	STATE=warning finds address "image has registry.example.org, which is an address of examples" "write your own in the place of registry.example.org"
	template_has 's/^spec:/&\n  dnsConfig: {nameservers: [192.0.2.53]}/'
	STATE=warning finds address "nameservers has 192.0.2.53, which is an address of examples" "write your own in the place of 192.0.2.53"
}

@test "check finds templates that do not fit Slurm" {
	template_has 's#image: .*#image: registry.invalid/slurmd:99.05#'
	STATE=warning finds image "has slurmd 99.05 by its tag, and slurmctld is $SITE_RELEASE, which takes no newer one" "one with slurmd $SITE_RELEASE"
	template_has 's/^spec:/&\n  securityContext: {runAsUser: 1000}/'
	finds securityContext "slurmd is not root there" "take runAsUser"
	template_has 's/^spec:/&\n  activeDeadlineSeconds: 3600/'
	STATE=warning finds activeDeadlineSeconds "Kubernetes ends a pod after 3600 s" "take activeDeadlineSeconds out"
	do_it
	template_has 's/terminationGracePeriodSeconds: 5/terminationGracePeriodSeconds: 600/'
	STATE=warning finds SuspendTimeout "a pod has 600 s to end" "SuspendTimeout=600"
	do_it
	if [[ $SITE_RELEASE = 22.05 ]]; then
		template_has 's#/run/secrets/munge#/run/secrets/slurm#'
		finds AuthType "Slurm has auth/munge, and the pods get slurm.key" "the Secret with munge.key"
		do_it
		template_has "s#$SITE/munge/socket#/run/other#"
		finds AuthInfo "slurmd looks for munge at $SITE/munge/socket, and the template's MUNGE_SOCKET is /run/other" "MUNGE_SOCKET: $SITE/munge/socket"
		do_it
	else
		template_has 's#/run/secrets/slurm#/run/secrets/munge#'
		finds AuthType "Slurm has auth/slurm, and the pods get munge.key" "the Secret with slurm.key"
		do_it
	fi
}

@test "check finds templates that Kubernetes does not take, and says what to do" {
	template_has 's/^spec:/&\n  priorityClassName: none-such-'"$SITE_NS"'/'
	finds pod "no PriorityClass with name none-such-$SITE_NS was found" "kubectl create priorityclass none-such-$SITE_NS --value=0"
	do_it
	kube delete priorityclass "none-such-$SITE_NS" >/dev/null
	template_has 's/^spec:/&\n  serviceAccountName: nobody/'
	finds pod 'serviceaccount "nobody" not found' "kubectl -n $SITE_NS create serviceaccount nobody"
	do_it
	kns delete serviceaccount nobody >/dev/null
	template_has 's/^spec:/&\n  runtimeClassName: nowhere/'
	finds pod 'RuntimeClass "nowhere" not found' "make the RuntimeClass nowhere"
	template_has 's/imagePullPolicy: .*/imagePullPolicy: Sometimes/'
	finds pod "imagePullPolicy" "mend what it names in the template"
}

@test "check finds pods that no Kubernetes node can take" {
	template_has 's/^spec:/&\n  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: slurm-k8s.io\/none, operator: Exists}]}]}}}/'
	STATE=warning finds "Kubernetes nodes" "no Kubernetes node has all that its nodeSelector, affinity or nodeName ask for" "mend nodeSelector, affinity"
	template_has 's/^\(    - name: slurmd\)$/    - {name: large, image: localhost\/none, resources: {requests: {memory: 900Ti}}}\n\1/'
	STATE=warning finds "Kubernetes nodes" "MiB, and no Kubernetes node has more than" "smaller requests of the containers beside slurmd"
	template_has 's/^\(    - name: slurmd\)$/    - {name: large, image: localhost\/none, resources: {requests: {cpu: 5000}}}\n\1/'
	STATE=warning finds "Kubernetes nodes" "m CPUs, and no Kubernetes node has more than" "smaller requests of the containers beside slurmd"
}

sees_volumes() { check | grep -q '^ok  *volumes '; }

@test "check finds that what a template names is not there, if it may look" {
	kns create role sees --verb=get --resource=secrets,persistentvolumeclaims >/dev/null
	kns create rolebinding sees --role=sees --serviceaccount="$SITE_NS:slurmctld" >/dev/null
	wait_for 30 "the right to be there" sees_volumes
	template_has 's/secretName: .*/secretName: none-such/'
	finds Secret "namespace $SITE_NS has no Secret none-such, so its pods do not start" "make the Secret none-such in namespace $SITE_NS"
	kns create secret generic none-such >/dev/null
	wait_for 30 "the Secret to be there" is_new
	template_has 's/^  volumes:/&\n    - {name: home, persistentVolumeClaim: {claimName: home}}/'
	finds PersistentVolumeClaim "has no PersistentVolumeClaim home" "make the PersistentVolumeClaim home"
	kns delete role,rolebinding sees >/dev/null
	kns delete secret none-such >/dev/null
}

@test "check finds what is wrong with a credential" {
	chmod 644 "$SITE/kubeconfig"
	finds kubeconfig "all users may read" "chmod o="
	chmod 600 "$SITE/kubeconfig"
	chown root: "$SITE/kubeconfig"
	finds kubeconfig "SlurmUser cannot read $SITE/kubeconfig" "make SlurmUser its owner"
	chown slurm: "$SITE/kubeconfig"
	sed -i 's/{token: .*}/{token: nobody}/' "$SITE/kubeconfig"
	finds credential "Unauthorized" "renew it"
	cp -p "$SITE/kubeconfig.good" "$SITE/kubeconfig"
	# the token stands in a file beside it, for everybody
	sed -n 's/.*{token: \([^}]*\)}.*/\1/p' "$SITE/kubeconfig" >"$SITE/token"
	chmod 644 "$SITE/token"
	sed -i "s#{token: .*}#{tokenFile: $SITE/token}#" "$SITE/kubeconfig"
	# (root's: without the rights of all SlurmUser could not read it either)
	finds kubeconfig "all users may read $SITE/token, which has a credential" "chown slurm $SITE/token && chmod 600 $SITE/token"
	chown slurm "$SITE/token" && chmod 600 "$SITE/token"
	[[ ! $(new) ]]
	chmod 644 "$SITE/token"
	finds kubeconfig "all users may read $SITE/token, which has a credential" "chmod o= $SITE/token"
	rm -f "$SITE/token"
	cp -p "$SITE/kubeconfig.good" "$SITE/kubeconfig"
	# a token that has expired: {"exp": 1000000000}
	sed -i 's/{token: .*}/{token: eyJhIjoxfQ.eyJleHAiOjEwMDAwMDAwMDB9.x}/' "$SITE/kubeconfig"
	finds credential "it expired" "renew it"
	cp -p "$SITE/kubeconfig.good" "$SITE/kubeconfig"
	sed -i 's#\(https://[^:]*\):[0-9]*#\1:1#' "$SITE/kubeconfig"
	finds "API server" "onnect to" "make it answer"
	cp -p "$SITE/kubeconfig.good" "$SITE/kubeconfig"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -subj /CN=other -days 1 2>/dev/null |
		base64 -w0 >"$SITE/other-ca"
	sed -i "s#\(certificate-authority-data: \)[^,} ]*#\1$(<"$SITE/other-ca")#" "$SITE/kubeconfig"
	finds "API server" "certificate" "certificate-authority"
	# with quotes; without any it is none, and the machine's CAs count
	cp -p "$SITE/kubeconfig.good" "$SITE/kubeconfig"
	sed -i "s#\(certificate-authority-data: \)[^,} ]*#\1\"\"#" "$SITE/kubeconfig"
	finds kubeconfig "certificate-authority-data is empty" "take the line certificate-authority-data: out"
}

@test "check finds a kubeconfig that leads nowhere" {
	sed -i 's#https://[^:]*:#https://nowhere.invalid:#' "$SITE/kubeconfig"
	finds "API server" "nowhere.invalid" "make it answer"
	cp -p "$SITE/kubeconfig.good" "$SITE/kubeconfig"
	sed -i 's/^current-context: .*/current-context: none/' "$SITE/kubeconfig"
	finds kubeconfig "none"
	cp -p "$SITE/kubeconfig.good" "$SITE/kubeconfig"
	sed -i "s#{token: .*}#{tokenFile: $SITE/no-token}#" "$SITE/kubeconfig"
	finds credential "$SITE/no-token" "renew it in its tokenFile"
	cp -p "$SITE/kubeconfig.good" "$SITE/kubeconfig"
	sed -i "s#user: {token: .*#user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/false, interactiveMode: Never}}#" "$SITE/kubeconfig"
	finds credential "/bin/false" "see why the credential plugin of the kubeconfig gives none"
	mv "$SITE/kubeconfig" "$SITE/kubeconfig.away"
	finds kubeconfig "SlurmUser cannot read $SITE/kubeconfig" "put it there"
	mv "$SITE/kubeconfig.away" "$SITE/kubeconfig"
}

@test "check finds what Kubernetes does not let us do" {
	kns patch role slurmctld --type=json -p '[{"op": "replace", "path": "/rules/0/verbs", "value": ["create", "get", "list", "watch", "patch"]}]' >/dev/null
	wait_for 30 "the right to be seen as missing" is_new rights
	finds rights "may not delete pods" "kubernetes/role.yaml has the rule"
	kubectl --kubeconfig "$SITE_KUBE" apply -k "$SITE/kubernetes" >/dev/null
	wait_for 30 "the right to be back" is_new

	kns create quota no-pods --hard=pods=0 >/dev/null
	wait_for 30 "the quota to count" is_new pod
	STATE=warning finds pod "exceeded quota" "raise the quota"
	kns delete quota no-pods >/dev/null
	wait_for 30 "the quota to be gone" is_new

	pod_security restricted
	wait_for 30 "Pod Security to count" is_new pod
	finds pod "violates PodSecurity" "pod-security.kubernetes.io/enforce=baseline"
	do_it
	# and a dry run is none
	pods_are 0
}

@test "check finds each right that is missing" {
	STATE=warning role_lacks role events list " in namespace $SITE_NS: no word why a pod does not start"
	STATE=warning role_lacks role leases update ".coordination.k8s.io in namespace $SITE_NS: two slurmctlds may act at a time"
	STATE=warning role_lacks role poddisruptionbudgets create ".policy in namespace $SITE_NS: pods with jobs may be evicted"
	role_lacks role pods watch " in namespace $SITE_NS: the engine sees no pods"
	STATE=warning role_lacks clusterrole nodes watch " in all namespaces: Kubernetes nodes that are cordoned or lost are not seen"
	wait_for 30 "the rights to be back" is_new
}

@test "check finds what admission has against the pods, and says what to do" {
	kns apply -f - >/dev/null <<-Y
	{apiVersion: v1, kind: LimitRange, metadata: {name: small}, spec: {limits: [{type: Container, max: {memory: 48Mi}}]}}
	Y
	wait_for 30 "the LimitRange to count" is_new pod
	finds pod "maximum memory usage per Container is 48Mi" "make the LimitRange fit the nodes' CPUs and RealMemory"
	kns delete limitrange small >/dev/null
	wait_for 30 "the LimitRange to be gone" is_new

	webhook 9
	wait_for 30 "the webhook to count" is_new pod
	finds pod 'failed calling webhook "check.slurm-k8s.io"' "make the webhook check.slurm-k8s.io answer, or remove it"
	kube delete validatingwebhookconfiguration "check-$SITE_NS" >/dev/null
	wait_for 30 "the webhook to be gone" is_new

	kube apply -f - >/dev/null <<-Y
	apiVersion: admissionregistration.k8s.io/v1
	kind: ValidatingAdmissionPolicy
	metadata: {name: check-$SITE_NS}
	spec:
	  matchConstraints:
	    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
	  validations: [{expression: "false", message: no pods here}]
	---
	apiVersion: admissionregistration.k8s.io/v1
	kind: ValidatingAdmissionPolicyBinding
	metadata: {name: check-$SITE_NS}
	spec:
	  policyName: check-$SITE_NS
	  validationActions: [Deny]
	  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: $SITE_NS}}}
	Y
	wait_for 60 "the policy to count" is_new pod
	finds pod "no pods here" "change the ValidatingAdmissionPolicy check-$SITE_NS or its binding"
	no_policies
	wait_for 60 "the policy to be gone" is_new
}

# webhook PORT: one of this namespace's pods that is asked at a port where nobody listens
webhook() {
	kube apply -f - >/dev/null <<-Y
	apiVersion: admissionregistration.k8s.io/v1
	kind: ValidatingWebhookConfiguration
	metadata: {name: check-$SITE_NS}
	webhooks:
	  - name: check.slurm-k8s.io
	    clientConfig: {url: "https://127.0.0.1:$1/"}
	    rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
	    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: $SITE_NS}}
	    admissionReviewVersions: [v1]
	    sideEffects: None
	    failurePolicy: Fail
	    timeoutSeconds: 3
	Y
}
no_policies() {
	kube delete --ignore-not-found validatingadmissionpolicybinding,validatingadmissionpolicy,validatingwebhookconfiguration \
		"check-$SITE_NS" >/dev/null
}

@test "check finds that rights are all missing, and what follows" {
	kns delete rolebinding slurmctld >/dev/null
	wait_for 30 "the rights to be seen as missing" are_new rights pod
	says rights "may not create,get,delete pods in namespace $SITE_NS: no pods of nodes" "add it to the Role"
	says pod "cannot create resource" "add it to the Role of this kubeconfig's account"
	all_allowed
	wait_for 30 "the rights to be back" is_new
}

# Mistakes of several kinds: plant_NAME makes one in what is there, and says which checks find it.
# Slurm's settings, and where slurmctld is reached (pods would look for it elsewhere then, which follows)
plant_program() { sed -i 's|^SuspendProgram=.*|SuspendProgram=/nowhere/k8s_suspend|' "$SITE/slurm.conf" && echo SuspendProgram; }
plant_requeue() { echo JobRequeue=0 >>"$SITE/slurm.conf" && echo JobRequeue; }
plant_address() { sed -i 's/^SlurmctldHost=\([^(]*\).*/SlurmctldHost=\1(127.0.0.1)/' "$SITE/slurm.conf" && printf '%s\n' SlurmctldHost hostAliases; }
# What pods are told of the network
plant_port() { sed -i "s/\($(hostname -s):\)$SITE_PORT/\16816/" "$SITE/worker.yaml" && echo SLURM_CONF_SERVER; }
# Kubernetes' rights, and its admission
plant_right() {
	kns patch role slurmctld --type=json -p '[{"op": "replace", "path": "/rules/0/verbs", "value": ["create", "get", "list", "watch", "patch"]}]' >/dev/null &&
		echo rights
}
plant_level() { pod_security restricted && echo pod; }
# What k8s.yaml and slurm.conf do not agree about
plant_nodes() { sed -i 's/nodes: cpu-\[0-3\]/nodes: cpu-[0-5]/' "$SITE/k8s.yaml" && echo nodeset; }

# in_force: slurmctld runs with slurm.conf as it is now
in_force() {
	cmp -s "$SITE/slurm.conf" "$SITE/slurm.conf.runs" || {
		cp "$SITE/slurm.conf" "$SITE/slurm.conf.runs"
		slurmctld_stop
		slurmctld_start
	}
}

@test "check finds two mistakes at once, each pair of seven, and nothing else" {
	local all=(program requeue address port right level nodes) wanted=() planted i k
	RESTART=1
	cp "$SITE/slurm.conf.good" "$SITE/slurm.conf.runs"
	for ((i = 0; i < ${#all[@]}; i++)); do
		for ((k = i + 1; k < ${#all[@]}; k++)); do
			cat "$SITE/slurm.conf.good" >"$SITE/slurm.conf"
			cp -p "$SITE/worker.yaml.good" "$SITE/worker.yaml"
			good_yaml
			other_yaml
			all_allowed
			pod_security baseline
			echo "${all[i]} and ${all[k]}"
			planted=$("plant_${all[i]}" && "plant_${all[k]}")
			mapfile -t wanted <<<"$planted"
			in_force
			wait_for 30 "both to be found" are_new "${wanted[@]}" || { new && false; }
		done
	done
}

@test "check is green where a node that is no pod stands beside the pods" {
	slurm_has -e '/^PartitionName=batch/iNodeName=metal-0 NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN' \
		-e "\$aSuspendExcNodes=metal-0" -e "\$aPartitionName=metal Nodes=metal-0 State=UP"
	rm -rf "$SITE/green"
	green_site "$SITE/green"
	check --config "$SITE/green/k8s.yaml" --json >"$SITE/check.json" || true
	is_green "$SITE/check.json"
	# it is looked at: a node in that list that is a pod is found
	sed -i 's/^SuspendExcNodes=.*/&,cpu-0/' "$SITE/slurm.conf"
	as_slurm scontrol reconfigure || true
	wait_for 30 "the pod to be found" kept_up
}
kept_up() { check --config "$SITE/green/k8s.yaml" --problems | grep -q '^warning  SuspendExcNodes  *1 nodes are pods'; }

@test "check without slurmctld looks at the rest, and says so" {
	RESTART=1
	slurmctld_stop
	run -2 check
	echo "$output"
	[[ $output = *"UNKNOWN  slurmctld "* && $output = *"ok       rights "* && $output != *WRONG* ]]
	# as SlurmUser, too: root becomes SlurmUser, and so do the plugins of the kubeconfig
	sed -i "s#user: {token: .*#user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: $SITE/whoami, interactiveMode: Never}}#" "$SITE/kubeconfig"
	# shellcheck disable=SC2016 # the script's own variables
	printf '#!/bin/sh\necho "as $(id -un) $(id -Gn), $HOME, ${TOKEN:-no token}, $(ps -o tty= -p $$)" >&2\nexit 1\n' >"$SITE/whoami"
	chmod 755 "$SITE/whoami"
	run -1 check
	echo "$output"
	[[ $output = *"WRONG    credential "* ]]
	[[ $output = *"as slurm slurm, $(inside getent passwd slurm | cut -d: -f6), no token, ?"* ]]
}
