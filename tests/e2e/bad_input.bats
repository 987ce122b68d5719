# SPDX-License-Identifier: GPL-2.0-or-later
# Bad input gets a clear error and changes nothing.
setup() {
	load common.bash
	load log.bash
	mark
	W=$BATS_TEST_TMPDIR
	chmod 755 "$W" "$(dirname "$W")" "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/*
	sed "s|podTemplateFile: |podTemplateFile: $SITE/|; s|/power_k8s.log|/bad_input.log|" "$SITE/k8s.yaml" >"$W/k8s.yaml"
}
teardown() { clean_up; }

# another_kubeconfig SED-EXPRESSION: the site's, changed, in use
another_kubeconfig() {
	sed "$1" "$SITE/kubeconfig" >"$W/kubeconfig"
	chmod 600 "$W/kubeconfig" && chown slurm "$W/kubeconfig"
	sed -i "s|kubeconfig: .*|kubeconfig: $W/kubeconfig|" "$W/k8s.yaml"
}
try() { run as_slurm timeout 60 "$@" --config "$W/k8s.yaml"; echo "$output"; }
nothing_changed() { [[ $status -ne 0 ]] && pods_are 0; }

@test "a node that Slurm does not know" {
	sed -i 's/nodes: cpu-\[0-3\]/nodes: cpu-[0-3],nosuch/' "$W/k8s.yaml"
	try "$SITE_BIN/k8s_resume" nosuch
	nothing_changed
	[[ $output = *"Slurm has no node nosuch"* ]]
}

@test "a node in no nodeset" {
	try "$SITE_BIN/k8s_resume" lost-0
	nothing_changed
	[[ $output = *"node lost-0 is in no nodeset of $W/k8s.yaml"* ]]
	try "$SITE_BIN/k8s_suspend" lost-0
	nothing_changed
}

@test "broken YAML, an unknown key: file, line and column" {
	sed -i '0,/namespace:/s/namespace:/nameSpace:/' "$W/k8s.yaml"
	line=$(grep -n nameSpace: "$W/k8s.yaml" | cut -d: -f1)
	try "$SITE_BIN/k8s_resume" cpu-0
	nothing_changed
	[[ $output = *"k8s.yaml:$line:5: unknown key 'nameSpace' in a cluster"* ]]
	echo '  - [' >"$W/k8s.yaml"
	try "$SITE_BIN/k8s_resume" cpu-0
	nothing_changed
	[[ $output = *"k8s.yaml:2:1: "* ]]
}

@test "a bad hostlist on the command line" {
	try "$SITE_BIN/k8s_resume" 'cpu-[0-'
	nothing_changed
	[[ $output = *"hostlist 'cpu-[0-'"* ]]
}

@test "a truncated resume file: each node stands alone" {
	echo '{"all_nodes":"cpu-[0-1]","jobs":[{"job_id":1,"no' >"$W/resume.json"
	run as_slurm env SLURM_RESUME_FILE="$W/resume.json" "$SITE_BIN/k8s_resume" --dry-run --config "$W/k8s.yaml" 'cpu-[0-1]'
	echo "$output"
	[[ $status -eq 0 ]]
	[[ $output = *"SLURM_RESUME_FILE $W/resume.json: resume file: bad JSON at byte "*": each node stands alone"* ]]
	[[ $output = *'"name": "cpu-1"'* ]]
}

@test "a job whose --extra is no UTF-8 comes up, and so do others" {
	[[ $SITE_RELEASE != 22.05 ]] || skip "Slurm 22.05 has no --extra"
	before=$(grep -c '' "$POWER_LOG" 2>/dev/null || true)
	id=$(submit -N1 --extra=$'\xff' --wrap true)
	other=$(submit -N1 --wrap true)
	wait_for 120 "job $id to end" job_is "$id" COMPLETED
	wait_for 120 "job $other to end" job_is "$other" COMPLETED
	run ! grep 'stands alone' <(tail -n "+$((before + 1))" "$POWER_LOG")
}

@test "a token that the API server does not accept" {
	another_kubeconfig "s/token: .*/token: expired}/"
	try "$SITE_BIN/k8s_resume" cpu-0
	nothing_changed
	[[ $output = *"401 Unauthorized"* ]]
}

@test "another cluster's CA" {
	openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=other -keyout /dev/null -out "$W/ca.crt" 2>/dev/null
	another_kubeconfig "s|certificate-authority-data: [^}]*|certificate-authority-data: $(base64 -w0 "$W/ca.crt")|"
	try "$SITE_BIN/k8s_resume" cpu-0
	nothing_changed
	[[ $output = *"certificate"* ]]
}

@test "TLS verification cannot be switched off" {
	another_kubeconfig "s|certificate-authority-data: [^}]*|insecure-skip-tls-verify: true|"
	try "$SITE_BIN/k8s_resume" cpu-0
	nothing_changed
	[[ $output = *"insecure-skip-tls-verify is not supported"* ]]
}

@test "a kubeconfig that everybody may read: a warning, and it works" {
	another_kubeconfig ''
	chmod 644 "$W/kubeconfig"
	try "$SITE_BIN/k8s_resume" bulk-0
	[[ $status -eq 0 && $output = *"everybody may read this kubeconfig: chmod 600 it"* ]]
}

@test "a missing Secret: ResumeFailProgram says so, the job is requeued, nothing is left" {
	sed 's/secretName: [a-z]*/secretName: no-such-secret/' "$SITE/worker.yaml" >"$SITE/bad.yaml"
	from=$(grep -c '' "$POWER_LOG" 2>/dev/null || true)
	id=$(submit -p slow --wrap true)
	failed() { tail -n "+$((from + 1))" "$POWER_LOG" | grep -q 'slow-0: did not come up within ResumeTimeout: FailedMount: .*"no-such-secret" not found'; }
	wait_for 120 "ResumeFailProgram" failed
	# (its partition's own is 20 s)
	tail -n "+$((from + 1))" "$POWER_LOG" | grep -q 'is cut to 6 s, for ResumeTimeout of node slow-0 is 20 s'
	wait_for 90 "job $id to be pending" job_is "$id" PENDING
	wait_for 90 "no pods" pods_are 0
	wait_for 90 "idle~" nodes_are slow-0 'idle~'
	[[ $(node slow-0 Comment) = "k8s: FailedMount"* ]]
}

@test "--dry-run prints the manifests and changes nothing" {
	run as_slurm "$SITE_BIN/k8s_resume" --dry-run 'cpu-[0-1]'
	[[ $status -eq 0 ]]
	pods_are 0
	kns apply --dry-run=server -f - <<<"$output"
	[[ $(grep -c '"kind":"\?Pod' <<<"${output// /}") -eq 2 ]]
}

@test "closed standard descriptors and no log file: as slurmctld 22.05 starts its programs" {
	sed -i '/logFile/d' "$W/k8s.yaml"
	as_slurm "$SITE_BIN/k8s_resume" --config "$W/k8s.yaml" 'bulk-[0-9]' 0<&- 1>&- 2>&- 3>&-
	[[ $(with_pods | wc -l) -eq 10 ]]
}

@test "secrets are in no log and no argv" {
	token=$(kns get secret slurmctld-token -o 'jsonpath={.data.token}' | base64 -d)
	inside strace -f -qq -e trace=execve -s 65536 -o "$W/trace" setpriv --reuid slurm --regid slurm --clear-groups env SLURM_CONF="$SITE/slurm.conf" "$SITE_BIN/k8s_resume" --verbose bulk-0 2>"$W/err"
	[[ -s $W/trace && -s $W/err ]]
	run grep -lF "$token" "$W/trace" "$W/err" "$SITE"/log/*
	[[ $status -eq 1 ]]
}
