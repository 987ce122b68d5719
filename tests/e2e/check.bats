# SPDX-License-Identifier: GPL-2.0-or-later
# slurm-k8s check: one mistake is found, named first, and nothing else but what follows from it.
# (These tests' site has nodes that are to fail, so there is something to find before: what counts
# is what is new. Where all is well it finds nothing: readme.bats.)
bats_require_minimum_version 1.5.0

setup_file() {
	load engine.bash
	cp -p "$SITE/slurm.conf" "$SITE/slurm.conf.good"
	cp -p "$SITE/kubeconfig" "$SITE/kubeconfig.good"
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
	good_yaml
	kubectl --kubeconfig "$SITE_KUBE" apply -k "$SITE/kubernetes" >/dev/null
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
# is_new [CHECK]: of all checks this one alone has something new to tell
is_new() { [[ $(new | sed 's/^[a-z]* \([^:]*\): .*/\1/' | sort -u) = "${1:-}" ]]; }

# finds CHECK WORDS [FIX]: it alone is not in order, with these words
finds() {
	local first
	first=$(new | head -n 1)
	echo "found: $first"
	[[ $first = "${STATE:-wrong} $1: "*"$2"* ]]
	[[ $first = *" -> "*"${3:-}"* ]]
	is_new "$1"
}

# slurm_has SED...: slurmctld runs with such a slurm.conf
slurm_has() {
	RESTART=1
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
	cat "$SITE/slurm.conf.good" >"$SITE/slurm.conf"
	slurm_has 's|^SuspendTime=.*|SuspendTime=INFINITE|'
	finds SuspendTime "not set, nor in any partition" SuspendTime=300
	cat "$SITE/slurm.conf.good" >"$SITE/slurm.conf"
	slurm_has 's|^ProctrackType=.*|ProctrackType=proctrack/cgroup|'
	STATE=warning finds ProctrackType "slurmd does not start" proctrack/linuxproc
	cat "$SITE/slurm.conf.good" >"$SITE/slurm.conf"
	slurm_has 's|^PluginDir=\([^:]*\):\(.*\)|PluginDir=\2:\1|'
	finds PluginDir "slurmctld takes its scheduler from"
	cat "$SITE/slurm.conf.good" >"$SITE/slurm.conf"
	slurm_has 's|^ResumeTimeout=.*|ResumeTimeout=5|'
	STATE=warning finds ResumeTimeout "after 5 s Slurm gives a node up"
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
}

@test "check finds what Kubernetes does not let us do" {
	kns patch role slurmctld --type=json -p '[{"op": "replace", "path": "/rules/0/verbs", "value": ["create", "get", "list", "watch", "patch"]}]' >/dev/null
	wait_for 30 "the right to be seen as missing" is_new rights
	finds rights "may not delete pods" "etc/kubernetes/role.yaml has the rule"
	kubectl --kubeconfig "$SITE_KUBE" apply -k "$SITE/kubernetes" >/dev/null
	wait_for 30 "the right to be back" is_new

	kns create quota no-pods --hard=pods=0 >/dev/null
	wait_for 30 "the quota to count" is_new pod
	STATE=warning finds pod "exceeded quota" "raise the quota"
	kns delete quota no-pods >/dev/null
	wait_for 30 "the quota to be gone" is_new

	kube label --overwrite namespace "$SITE_NS" pod-security.kubernetes.io/enforce=restricted >/dev/null
	wait_for 30 "Pod Security to count" is_new pod
	finds pod "violates PodSecurity"
	kube label --overwrite namespace "$SITE_NS" pod-security.kubernetes.io/enforce=baseline >/dev/null
	wait_for 30 "Pod Security to be gone" is_new
	# and a dry run is none
	pods_are 0
}

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
