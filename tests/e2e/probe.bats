# SPDX-License-Identifier: GPL-2.0-or-later
# slurm-k8s check --probe: a pod of a nodeset's template starts for a moment, and tells what it sees.
# (The nodeset "bad" is patient for 6 s only, and its pods need no room of their own. Where its pod
# is to start, next.yaml is patient with it: how long that takes is the machine's matter.)
bats_require_minimum_version 1.5.0

setup_file() {
	load engine.bash
	cp -p "$SITE/slurm.conf" "$SITE/slurm.conf.good"
}

setup() {
	load engine.bash
	put_right
	LATE='' RULE='' RESTART=''
}

teardown() {
	local pid
	for pid in $LATE; do kill -9 "$pid" 2>/dev/null || true; done
	# shellcheck disable=SC2086 # words
	[[ ! $RULE ]] || ip rule del $RULE
	raw DELETE "/api/v1/namespaces/$SITE_NS/pods?gracePeriodSeconds=0&labelSelector=slurm-k8s.io%2Fprobe" >/dev/null 2>&1 || true
	kns delete configmap fake-slurmd --ignore-not-found >/dev/null
	rm -f "$SITE"/next.yaml "$SITE"/next-worker.yaml "$SITE"/probe.{json,err}
	[[ ! -e $SITE/plugstack.conf ]] || sed -i '/no-such\.so/d' "$SITE/plugstack.conf"
	[[ -s $SITE/plugstack.conf ]] || rm -f "$SITE/plugstack.conf"
	[[ ! $RESTART ]] || {
		cat "$SITE/slurm.conf.good" >"$SITE/slurm.conf"
		slurmctld_stop
		slurmctld_start
	}
}

probes_are() { pods_are "$1" slurm-k8s.io%2Fprobe; }

# next [SED-EXPRESSION...]: next.yaml is a k8s.yaml with such a template, which slurmctld does not
# know, and in which "bad" is patient
next() {
	impatient "$@"
	sed -i 's/{unschedulableAfter: 6s, notStartedAfter: 10s, /{unschedulableAfter: 90s, notStartedAfter: 90s, /' "$SITE/next.yaml"
	run -0 grep -q 'notStartedAfter: 90s' "$SITE/next.yaml"
}
# impatient [SED-EXPRESSION...]: the same, for a pod that is not to start
impatient() {
	local args=() e
	for e; do args+=(-e "$e"); done
	sed -e '' "${args[@]}" "$SITE/worker.yaml" >"$SITE/next-worker.yaml"
	[[ ! ${1:-} ]] || run -1 cmp -s "$SITE/worker.yaml" "$SITE/next-worker.yaml"
	sed 's#\(podTemplateFile: \).*#\1next-worker.yaml#' "$SITE/k8s.yaml" >"$SITE/next.yaml"
	chmod 644 "$SITE"/next*.yaml
}

# probe NODESET [OPTION...]: with next.yaml. Whatever it finds, its pod is gone.
probe() {
	tool check --config "$SITE/next.yaml" --json --probe="$1" "${@:2}" >"$SITE/probe.json" || true
	jq -r --arg set "nodeset $1: " '.checks[] | select(.text | startswith($set)) | "\(.state) \(.check): \(.text) -> \(.fix // "")"' "$SITE/probe.json"
	probes_are 0
}
# told STATE CHECK WORDS [FIX]: of that nodeset
told() {
	jq -e --arg state "$1" --arg check "$2" --arg words "$3" --arg fix "${4:-}" '[.checks[] | select(.state == $state and .check == $check
		and (.text | contains($words)) and ((.fix // "") | contains($fix)))] | length > 0' "$SITE/probe.json" >/dev/null
}
# told_only CHECK: of what a probe looks at nothing else is wrong, or not known
told_only() {
	[[ $(jq -r '.checks[] | select((.state == "wrong" or .state == "unknown") and (.text | startswith("nodeset bad:"))) | .check' \
		"$SITE/probe.json" | sort -u) = "$1" ]]
}

@test "check --probe starts a pod of a nodeset, tells what it sees, and deletes it; nobody takes it for a node's" {
	next
	mark
	probe bad
	told ok probe "its pod started after"
	told ok ResumeTimeout "of 120 s"
	told ok image "slurm"
	told ok key "/run/secrets/"
	told ok SlurmctldHost "to pods $SITE_IP is $SITE_IP"
	told ok SLURM_CONF_SERVER "is $SITE_IP"
	told ok SlurmctldPort "pods reach $SITE_IP port $SITE_PORT"
	told ok SlurmdPort "this machine reaches"
	told_only ""
	run ! logged slurm-k8s-probe
	[[ $(node_state bad-0) = 'idle~' ]]
	# and without it none is started
	run tool check
	[[ $output = *"skipped  probe "* ]]
	run -2 tool check --probe=
	[[ $output = *"usage: "* ]]
}

@test "check --probe tells that the image is not to be had" {
	impatient 's#image: .*#image: localhost/no-such:1#'
	probe bad
	told wrong probe "ImagePull" "see that the image's name and tag exist"
	told_only probe
}

@test "check --probe tells in the scheduler's words why a pod finds no machine" {
	impatient 's#^spec:#&\n  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: example.org/no-such, operator: Exists}]}]}}}#'
	probe bad
	told wrong probe "(not scheduled): Unschedulable: 0/"
	told_only probe
}

@test "check --probe tells in the kubelet's words what a pod lacks" {
	impatient 's#secretName: .*#secretName: no-such#'
	probe bad
	told wrong probe 'secret "no-such" not found' "see that the Secrets"
	told_only probe
}

@test "check --probe tells that the namespace does not take such a pod" {
	next 's#^  containers:#&\n    - {name: x, image: localhost/none, securityContext: {privileged: true}}#'
	probe bad
	told wrong probe "its pod was not created: " "pod-security.kubernetes.io/enforce"
}

@test "check --probe finds a slurmd of another release, and one of another micro release" {
	kns create configmap fake-slurmd --from-literal=slurmd=$'#!/bin/sh\necho slurm-wlm 19.05.5' >/dev/null
	next 's#^      env:#&\n        - {name: PATH, value: "/fake:/usr/sbin:/usr/bin:/sbin:/bin"}#' \
		's#^      volumeMounts:#&\n        - {name: fake, mountPath: /fake}#' \
		's#^  volumes:#&\n    - {name: fake, configMap: {name: fake-slurmd, defaultMode: 0755}}#'
	probe bad
	told wrong image "its image has slurm-wlm 19.05" "slurmctld's own release"
	told_only image
	kns delete configmap fake-slurmd >/dev/null
	kns create configmap fake-slurmd --from-literal=slurmd=$'#!/bin/sh\necho slurm-wlm '"$SITE_RELEASE.999" >/dev/null
	probe bad
	told warning image "$SITE_RELEASE.999, and slurmctld is $SITE_RELEASE."
	told_only ""
}

@test "check --probe finds that pods do not find slurmctld's name, or do not reach its port" {
	next "s#\(value: \"\)[^\"]*:$SITE_PORT\"#\1no-such-host.invalid:$SITE_PORT\"#"
	probe bad
	told wrong SLURM_CONF_SERVER "pods find no address of no-such-host.invalid" "hostAliases"
	told_only SLURM_CONF_SERVER
	next "s#\(value: \"[^\"]*\):$SITE_PORT\"#\1:1\"#"
	probe bad
	told wrong SlurmctldPort "port 1 (SLURM_CONF_SERVER): " "let TCP through"
	told ok SlurmctldPort "port $SITE_PORT"
	# (that the template and slurm.conf do not agree is seen without a probe, too)
	told_only $'SLURM_CONF_SERVER\nSlurmctldPort'
}

@test "check --probe says of a wrong address in hostAliases that it may be one, before it speaks of firewalls" {
	next "s/- ip: .*/- ip: 192.0.2.9/"
	probe bad
	told wrong SlurmctldPort "port $SITE_PORT (SLURM_CONF_SERVER): " "see that slurmctld is at 192.0.2.9, where hostAliases of the pod template have"
}

@test "check --probe finds that this machine does not reach a pod's SlurmdPort" {
	local port
	port=$(free_port)
	next
	RESTART=1
	sed -i "s/^SlurmdPort=.*/SlurmdPort=$port/" "$SITE/slurm.conf"
	slurmctld_stop
	slurmctld_start
	probe bad
	told ok SlurmdPort "port $port"
	ip rule add ipproto tcp dport "$port" unreachable
	RULE="ipproto tcp dport $port unreachable"
	probe bad
	told wrong SlurmdPort "a pod is not reached from here: " "let TCP through from this machine"
	told_only SlurmdPort
}

@test "check --probe finds that pods lack a folder of PluginDir, and programs that slurm.conf names" {
	next
	RESTART=1
	mkdir -p "$SITE/plugins"
	sed -i "s#^PluginDir=.*#&:$SITE/plugins#" "$SITE/slurm.conf"
	printf '%s\n' Prolog=/nowhere/prolog TaskEpilog=/nowhere/epilog >>"$SITE/slurm.conf"
	echo 'required no-such.so' >>"$SITE/plugstack.conf"
	slurmctld_stop
	slurmctld_start
	probe bad
	told wrong PluginDir "pods have no folder $SITE/plugins" "pod template: mount a volume at $SITE/plugins"
	told wrong Prolog "/nowhere/prolog is not there in pods, so each job fails there, and its nodes drain" "put /nowhere/prolog into the image"
	told warning TaskEpilog "/nowhere/epilog is not there in pods, so nothing runs when a task has ended" "put /nowhere/epilog into the image"
	told ok PluginDir "pods have /"
	told wrong PlugStackConfig "pods have no no-such.so, which plugstack.conf requires" "put no-such.so into the image"
	told_only "$(printf '%s\n' PlugStackConfig PluginDir Prolog | sort)"
}

slow_has() { as_slurm scontrol show partition slow | grep -q "ResumeTimeout=$1\b"; }

@test "check --probe finds that a pod's start takes longer than ResumeTimeout" {
	next "s#^  containers:#  initContainers:\n    - {name: slow, image: $SITE_IMAGE, command: [sleep, \"21\"]}\n&#"
	probe slow
	told ok probe "its pod started after"
	told wrong ResumeTimeout "after 20 s Slurm gives a node up, and the probe's start took" " of PartitionName=slow, then: scontrol reconfigure"
	# what it says is done, to the letter, and the start is not too long any more
	fix=$(jq -r '.checks[] | select(.check == "ResumeTimeout" and .state == "wrong") | .fix' "$SITE/probe.json")
	[[ $fix =~ ^"slurm.conf: ResumeTimeout="([0-9]+)" of PartitionName=slow, then: scontrol reconfigure"$ ]]
	seconds=${BASH_REMATCH[1]}
	[[ $seconds -gt 50 && $seconds -lt 180 ]]
	RESTART=1
	sed -i "/^PartitionName=slow /s/ ResumeTimeout=[0-9]*/ ResumeTimeout=$seconds/" "$SITE/slurm.conf"
	as_slurm scontrol reconfigure || true
	wait_for 30 "slurmctld to have read it" slow_has "$seconds"
	probe slow
	told ok ResumeTimeout "of $seconds s"
}

# late NODESET [OPTION...]: a probe that waits, started as from a terminal; sets LATE to root's process and
# SlurmUser's
late() {
	local pid
	(exec_inside env -i PATH=/usr/bin:/bin SLURM_CONF="$SITE/slurm.conf" "$SITE/root/usr/sbin/slurm-k8s" \
		check --config "$SITE/next.yaml" --json --probe="$1" "${@:2}") >"$SITE/probe.json" 2>"$SITE/probe.err" 3>&- 9>&- &
	pid=$!
	LATE=$pid
	wait_for 60 "the probe's pod" probes_are 1
	LATE="$pid $(pgrep -P "$pid")"
}
ended() { [[ ! -e /proc/$1 ]]; }

@test "check --probe deletes its pod when it is interrupted, and when its terminal is gone" {
	# (slow is patient for an hour, and nobody schedules this)
	next 's#^spec:#&\n  schedulerName: nobody#'
	late slow
	kill -INT "${LATE% *}"
	wait_for 60 "the pod to go" probes_are 0
	wait "${LATE% *}" || true
	told unknown probe "interrupted"
	LATE=''
	late slow
	kill -KILL "${LATE% *}"
	wait_for 60 "the pod to go" probes_are 0
	wait_for 60 "SlurmUser's process to end" ended "${LATE#* }"
}

@test "gc deletes a probe that was left, and only when no check may wait for it any more" {
	next 's#^spec:#&\n  schedulerName: nobody#'
	# (gc spares it for a minute more than that)
	late slow --probe-timeout 10
	kill -KILL "${LATE#* }"
	wait "${LATE% *}" || true
	run -0 tool gc --dry-run
	[[ $output != *slurm-k8s-probe-* ]]
	made=$(raw GET "/api/v1/namespaces/$SITE_NS/pods?labelSelector=slurm-k8s.io%2Fprobe" | jq -r '.items[0].metadata.creationTimestamp')
	made=$(date -d "$made" +%s)
	gc_sees() { tool gc --dry-run --older-than 20 | grep -q '/slurm-k8s-probe-slow-.* old  slurm-k8s check --probe has left it$'; }
	wait_for 120 "the probe's time to be over" gc_sees
	[[ $(($(date +%s) - made)) -ge 70 ]]
	probes_are 1
	run -0 tool gc --yes --older-than 20
	echo "$output"
	[[ $output = *"/slurm-k8s-probe-slow-"*": deleted"* ]]
	wait_for 60 "the pod to go" probes_are 0
}
