# SPDX-License-Identifier: GPL-2.0-or-later
# Our plugins and programs under AddressSanitizer and UBSan in a real slurmctld, over an API
# server that is played (tests/fault/faultserver.py): script/lib/site-sanitized.sh
setup_file() {
	. "$TOP/tests/slurm/site.bash"
	! site_in_tree || return 0
	# (a Slurm of this file's own, beside the one that all use)
	export SITE SITE_PORT SITE_BIN SITE_SANITIZED=1 SITE_NS=ns SITE_IMAGE=none
	site_kubernetes() { api_up; }
	site_prepare
	configure
}
teardown_file() {
	. "$TOP/tests/slurm/site.bash"
	[[ ${SITE_SANITIZED:-} ]] || return 0
	end_process "$SITE/api.pid" TERM
	if [[ ${E2E_KEEP_LOGS:-} ]]; then cp -r "$SITE/log" "$E2E_KEEP_LOGS/sanitized"; fi
	site_down
}
setup() {
	. "$TOP/tests/slurm/site.bash"
	! site_in_tree || skip "slurmctld is sanitized where it is this machine's own"
	. "$TOP/tests/e2e/log.bash"
	cp "$SITE/k8s.yaml" "$SITE/k8s.yaml.good"
	MARK=0
}
teardown() {
	[[ ${SITE_SANITIZED:-} ]] || return 0
	unset SLURM_K8S_PLANTED
	slurmctld_stop
	[[ ! -e $SITE/k8s.yaml.good ]] || mv "$SITE/k8s.yaml.good" "$SITE/k8s.yaml"
	[[ ! -e $SITE/planted ]] || uproot
	control '{"reset": true}'
	rm -rf "$SITE/state"/*
}

# The API server, which ends with its standard input
api_up() {
	mkfifo "$SITE/api.fifo"
	/usr/bin/python3 "$TOP/tests/fault/faultserver.py" <>"$SITE/api.fifo" >"$SITE/api.json" 2>"$SITE/log/api.log" 3>&- 9>&- &
	echo $! >"$SITE/api.pid"
	wait_for 30 "the API server" test -s "$SITE/api.json"
	chown -R slurm: "$(jq -r .dir "$SITE/api.json")"
	install -o slurm -g slurm -m 600 "$(jq -r .kubeconfig "$SITE/api.json")" "$SITE/kubeconfig"
}
api() { curl -sS --fail --cacert "$(jq -r .ca "$SITE/api.json")" "https://127.0.0.1:$(jq .port "$SITE/api.json")$1" "${@:2}"; }
control() { api /_control --data "$1" >/dev/null; }
pods_are() { [[ $(api /_control/stats | jq -r '.pods | keys | join(",")') = "$1" ]]; }
# without_image POD: its kubelet cannot pull it
without_image() {
	control "{\"pods\": [$(api "/api/v1/namespaces/ns/pods/$1" | jq -c '.status = {phase: "Pending", containerStatuses: [
		{name: "slurmd", state: {waiting: {reason: "ImagePullBackOff", message: "Back-off pulling image none"}}}]}')]}"
}

configure() {
	put "$SITE/slurm.conf" 'State=CLOUD Feature=cpu' 'State=CLOUD Feature=cpu,pytorch'
	put "$SITE/slurm.conf" SuspendTime=300 SuspendTime=3
	put "$SITE/slurm.conf" SuspendTimeout=30 SuspendTimeout=5
	printf '%s\n' NodeFeaturesPlugins=node_features/k8s JobSubmitPlugins=job_submit/k8s >>"$SITE/slurm.conf"
	echo 'optional spank_k8s.so' >"$SITE/plugstack.conf"
	put "$SITE/k8s.yaml" 'coolDown: 30s' 'coolDown: 2s'
	sed -i 's/^  - name: big$/&\n    features: []/' "$SITE/k8s.yaml"
	cat >>"$SITE/k8s.yaml" <<-Y

	features:
	  - name: pytorch
	    patch: {spec: {containers: [{name: slurmd, image: other}]}}
	jobs:
	  labels: [team]
	Y
}

engine_up() {
	[[ ! -e $CTLD_LOG ]] || mark
	slurmctld_start
	wait_for 90 "the engine" logged 'pods in view'
}
submit() { as_user sbatch --parsable -D / -o /dev/null --wrap 'sleep 100' "$@"; }
job_says() { as_user scontrol show job "$1" | grep -q "$2"; }
# asleep NODES: without a wait for ResumeTimeout
asleep() {
	as_slurm scontrol update NodeName="$1" State=POWER_DOWN_FORCE
	wait_for 90 "the pods to go" pods_are ''
}

@test "jobs, features, refusals, pods and requests that fail, other configurations: nothing to report" {
	engine_up
	pid=$(<"$SITE/slurmctld.pid")
	grep -q 'libclang_rt.asan' "/proc/$pid/maps"
	for plugin in libslurmk8s job_submit_k8s node_features_k8s sched_backfill; do
		nm -D "/proc/$pid/root$SITE/root$PLUGINS/$plugin.so" >"$BATS_TEST_TMPDIR/symbols"
		grep -q __asan_report "$BATS_TEST_TMPDIR/symbols"
	done
	run submit -N1 -C 'pytorch&nosuch'
	[[ $status != 0 ]]
	run submit -N1 --k8s-label=other=x
	[[ $status != 0 && $output = *'jobs may not set other'* ]]
	# (Slurm forgets to free such texts: common/slurm/release_free.h)
	as_slurm scontrol update NodeName=big-1 Comment=told Extra=told
	id=$(submit -N2 -p batch -C pytorch --k8s-label=team=hpc)
	wait_for 90 "the pods" pods_are cpu-0,cpu-1
	without_image cpu-1
	wait_for 90 "the reason in the job" job_says "$id" 'Back-off pulling image none'
	as_user scancel "$id"
	asleep cpu-0
	# requests that fail, and half answers
	control '{"rules": [{"percent": 30, "do": "reset"}, {"percent": 20, "do": "half"}, {"percent": 20, "do": "status", "code": 429, "reason": "TooManyRequests", "message": "later", "headers": {"Retry-After": "1"}}]}'
	id=$(submit -N4 -p batch)
	wait_for 90 "its nodes" job_says "$id" 'JobState=CONFIGURING'
	MARK=$(wc -l <"$CTLD_LOG")
	sed -i 's/^nodesets:/nodesets: 7/' "$SITE/k8s.yaml"
	as_slurm scontrol reconfigure || true
	wait_for 90 "words about k8s.yaml" logged 'the configuration in force stays'
	sed 's/coolDown: 2s/coolDown: 3s/' "$SITE/k8s.yaml.good" >"$SITE/k8s.yaml"
	as_slurm scontrol reconfigure || true
	wait_for 90 "the other configuration" logged 'k8s.yaml is in force'
	control '{"rules": []}'
	wait_for 90 "all pods" pods_are cpu-0,cpu-1,cpu-2,cpu-3
	slurmctld_stop
	engine_up
	as_user scancel "$id"
	asleep 'cpu-[0-3]'
	submit -N1 -p big
	wait_for 90 "a pod" pods_are big-0
	slurmctld_stop
	sanitized_reports all
	run find "${SITE_ENDS:-$SITE/ends}" -name report -exec cat {} +
	echo "$output"
	[[ $output != *Sanitizer* && $output != *'runtime error'* ]]
}

# --- mistakes that are planted (planted.c), of which the run is not to know

# plant FROM TO: what is installed, until uproot
plant() {
	mkdir -p "$SITE/planted"
	mv "$2" "$SITE/planted"
	echo "$2" >>"$SITE/planted/where"
	install -m 755 "$TOP/$SANITIZED_BUILD/tests/slurm/$1" "$2"
	export SITE_ENDS=$BATS_TEST_TMPDIR/ends
}
uproot() {
	local to
	sanitized_reports all
	while read -r to; do mv "$SITE/planted/${to##*/}" "$to"; done <"$SITE/planted/where"
	rm -r "$SITE/planted"
}
plant_engine() {
	plant libslurmk8s.so "$SITE/sanitized/root$PLUGINS/libslurmk8s.so"
	export SLURM_K8S_PLANTED=$1
}

# What script/test makes of it
FAILURES=()
count() { FAILURES+=("$*"); }
failures() {
	FAILURES=()
	sanitized_reports all
	unasked_ends "$SITE_ENDS" >"$BATS_TEST_TMPDIR/said"
	printf '%s\n' "${FAILURES[@]}"
	[[ ${#FAILURES[@]} -eq $1 ]]
}
said() { grep -q -- "$1" "$BATS_TEST_TMPDIR/said"; }

@test "a use after free in the engine ends slurmctld, and fails the run" {
	plant_engine 'use after free'
	slurmctld_watched "$SITE/slurmctld.pid" slurmctld_exec
	pid=$(<"$SITE/slurmctld.pid")
	wait_for 90 "a note of its end" test ! -e "$SITE/watch/$pid"
	failures 2
	[[ "${FAILURES[*]}" = *'a slurmctld ended: '* ]]
	[[ "${FAILURES[*]}" = *"Slurm $SITE_RELEASE, in or after "*', slurmctld: AddressSanitizer: heap-use-after-free '*planted.c* ]]
	said 'in use_after_free .*planted.c.*libslurmk8s.so'
}

@test "a leak of the engine is seen when slurmctld has shut down, and fails the run" {
	plant_engine leak
	SITE_ENDS='' engine_up
	slurmctld_stop
	# (where script/test does not look for the ends the site itself fails)
	SITE_ENDS='' run site_ends
	[[ $status = 1 && $output = *'Direct leak of '*'00 byte(s) in '*' in leak '*planted.c* ]]
	mv "$SITE/ends" "$SITE_ENDS"
	failures 1
	[[ ${FAILURES[0]} = '0 1 0 '*', slurmctld: AddressSanitizer: '*' byte(s) leaked in '* ]]
}

@test "what UBSan says in slurmctld fails the run" {
	plant_engine overflow
	engine_up
	slurmctld_stop
	failures 1
	[[ ${FAILURES[0]} = *', slurmctld: runtime error: signed integer overflow'* ]]
	said 'in overflow .*planted.c'
}

@test "mistakes of a program that slurmctld runs fail the run" {
	i=0
	plant k8s_resume "$SITE/sanitized/programs/k8s_resume"
	engine_up
	for mistake in 'use after free' leak overflow; do
		sed -i "/^export SLURM_K8S_PLANTED=/d" "$SITE_BIN/k8s_resume"
		sed -i "2iexport SLURM_K8S_PLANTED='$mistake'" "$SITE_BIN/k8s_resume"
		submit -w "cpu-$i"
		((++i))
		has_reports() { [[ $(find "$SITE/reports" -name 'k8s_resume.*' -size +0 | wc -l) -eq $i ]]; }
		wait_for 90 "the report about $mistake" has_reports
	done
	slurmctld_stop
	sed -i '/^export SLURM_K8S_PLANTED=/d' "$SITE_BIN/k8s_resume"
	failures 3
	[[ "${FAILURES[*]}" = *', k8s_resume: AddressSanitizer: heap-use-after-free '* ]]
	[[ "${FAILURES[*]}" = *', k8s_resume: AddressSanitizer: '*' byte(s) leaked in '* ]]
	[[ "${FAILURES[*]}" = *', k8s_resume: runtime error: signed integer overflow'* ]]
}
