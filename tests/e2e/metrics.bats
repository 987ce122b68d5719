# SPDX-License-Identifier: GPL-2.0-or-later
# The file for Prometheus, of a real slurmctld: docs/metrics.md.
bats_require_minimum_version 1.5.0

setup() {
	load engine.bash
	FILE=$SITE/metrics/slurm-k8s.prom
	rm -rf "$SITE/metrics"
	# (as docs/metrics.md says it, of root's folder)
	install -d -o root -g root "$SITE/metrics"
	chgrp slurm "$SITE/metrics" && chmod g+w "$SITE/metrics"
}

teardown() {
	slurmctld_answers || slurmctld_start
	put_right
	rm -rf "$SITE/metrics"
}

# k8s.yaml has such a file, in force
with_metrics() {
	other_yaml
	echo "metrics: {file: $FILE, interval: 5s}" >>"$SITE/k8s.yaml"
	take_over
	wait_for 60 "the file" test -s "$FILE"
}

# value SERIES: as the file has it now
value() { awk -v s="$1" 'substr($0, 1, length(s) + 1) == s " " { print substr($0, length(s) + 2) }' "$FILE"; }
value_is() { [[ $(value "$1") = "$2" ]]; }
# more_than SERIES N
more_than() { (($(value "$1") > $2)); }
is_gone() { [[ ! -e $FILE ]]; }

@test "the file is there, anybody may read it, and Prometheus' own tool finds nothing wrong" {
	with_metrics
	[[ $(stat -c '%a %U' "$FILE") = '644 slurm' ]]
	wait_for 30 "the lease" value_is 'slurm_k8s_lease_held{cluster="prod"}' 1
	grep -q '^slurm_k8s_build_info{version="[^"]*",slurm="[^"]*"} 1$' "$FILE"
	more_than 'slurm_k8s_lease_acquired_total' 0
	wait_for 30 "lists to be answered" more_than 'slurm_k8s_api_requests_total{verb="list",code="2xx"}' 0
	more_than 'slurm_k8s_pass_duration_seconds_count{thread="engine"}' 0
	written=$(value 'slurm_k8s_last_pass_timestamp_seconds{thread="engine"}')
	((${written%.*} >= $(date +%s) - 20 && ${written%.*} <= $(date +%s)))
	wait_for 30 "the list of pods" grep -q '^slurm_k8s_kube_view_age_seconds{cluster="prod",objects="pods"} ' "$FILE"
	# no name of a pod, a job, a user or a node
	run ! grep -E "cpu-[0-9]|big-[0-9]|$SITE_USER" "$FILE"
	command -v promtool >/dev/null || skip "there is no promtool here (Debian's package prometheus)"
	run -0 promtool check metrics <"$FILE"
	[[ ! $output ]]
}

@test "it is written anew at each interval, and never in part" {
	with_metrics
	first=$(stat -c %i "$FILE")
	for _ in {1..200}; do
		# (its last series is there whenever it is)
		tail -n 1 "$FILE" | grep -q '^slurm_k8s_bridge_refusals_total{.*} [0-9]*$'
		sleep 0.05
	done
	[[ $(stat -c %i "$FILE") != "$first" ]]
	run -0 ls -A "$SITE/metrics"
	[[ $output = slurm-k8s.prom ]]
}

@test "a node that starts is counted, and so is one that cannot" {
	with_metrics
	starts=$(value slurm_k8s_node_start_duration_seconds_count)
	registered=$(value 'slurm_k8s_node_start_phase_duration_seconds_count{phase="registered"}')
	failures=$(value 'slurm_k8s_failovers_total{reason="cannot start"}')
	wait_for 60 "all nodes" value_is 'slurm_k8s_nodes{nodeset="cpu",state="powered_down"}' 4
	id=$(submit -N1 --wrap 'sleep 30')
	wait_for 120 "job $id" job_is "$id" RUNNING
	wait_for 30 "its node" value_is 'slurm_k8s_nodes{nodeset="cpu",state="up"}' 1
	value_is 'slurm_k8s_nodes{nodeset="cpu",state="powered_down"}' 3
	wait_for 30 "its pod" value_is 'slurm_k8s_worker_pods{nodeset="cpu",phase="running"}' 1
	more_than slurm_k8s_node_start_duration_seconds_count "$starts"
	more_than 'slurm_k8s_node_start_phase_duration_seconds_count{phase="registered"}' "$registered"
	as_slurm scancel "$id"
	template 's#image: .*#image: localhost/no-such:1#'
	mark
	id=$(submit -p bad -w bad-0 --wrap true)
	wait_for 110 "job $id to go back" logged 'k8s: nodes bad-0: their jobs go back to the queue'
	wait_for 30 "it to be counted" more_than 'slurm_k8s_failovers_total{reason="cannot start"}' "$failures"
	wait_for 30 "the nodeset to rest" more_than 'slurm_k8s_nodes_set_aside{nodeset="bad"}' 0
	as_slurm scancel "$id"
}

@test "jobs and nodes are counted by partition if k8s.yaml wants that" {
	with_metrics
	run ! grep '^slurm_k8s_\(partition\|nodeset_jobs\)' "$FILE"
	put "$SITE/k8s.yaml" 'interval: 5s' 'interval: 5s, slurm: 15s'
	take_over
	wait_for 60 "the partitions" value_is 'slurm_k8s_partition_jobs{partition="batch",state="running"}' 0
	id=$(submit -N1 --wrap 'sleep 60')
	wait_for 120 "job $id" job_is "$id" RUNNING
	wait_for 60 "it to be counted" value_is 'slurm_k8s_partition_jobs{partition="batch",state="running"}' 1
	value_is 'slurm_k8s_nodeset_jobs{nodeset="cpu",state="running"}' 1
	value_is 'slurm_k8s_nodeset_jobs{nodeset="big",state="running"}' 0
	more_than 'slurm_k8s_partition_nodes{partition="batch",state="up"}' 0
	as_slurm scancel "$id"
	wait_for 60 "it to be gone" value_is 'slurm_k8s_partition_jobs{partition="batch",state="running"}' 0
}

@test "it goes when slurmctld ends, and comes with the next one" {
	with_metrics
	slurmctld_stop
	is_gone
	run -0 ls -A "$SITE/metrics"
	[[ ! $output ]]
	slurmctld_start
	wait_for 60 "the file" test -s "$FILE"
}

@test "who was killed leaves it, and it is written on by the next one" {
	with_metrics
	slurmctld_kill
	[[ -s $FILE ]]
	old=$(stat -c %i "$FILE")
	slurmctld_start
	renewed() { [[ -s $FILE && $(stat -c %i "$FILE") != "$old" ]]; }
	wait_for 60 "the next file" renewed
}

@test "it goes when k8s.yaml has no metrics any more" {
	with_metrics
	sed -i '/^metrics:/d' "$SITE/k8s.yaml"
	take_over
	wait_for 30 "the file to go" is_gone
}

# bats test_tags=alone,api
@test "it goes while the lease cannot be renewed" {
	with_metrics
	api_stops
	wait_for 60 "the file to go" is_gone
	api_starts
	wait_for 90 "the file" test -s "$FILE"
}

@test "a folder that SlurmUser may not write to is named in the log, once" {
	other_yaml
	chgrp root "$SITE/metrics"
	echo "metrics: {file: $FILE, interval: 5s}" >>"$SITE/k8s.yaml"
	take_over
	wait_for 60 "the log" logged 'no metrics for Prometheus: .*/.slurm-k8s.prom.tmp: Permission denied'
	sleep 11
	[[ $(since_mark | grep -c 'no metrics for Prometheus') = 1 ]]
	chgrp slurm "$SITE/metrics"
	wait_for 30 "the file" test -s "$FILE"
	logged 'metrics for Prometheus are written again'
}

@test "a path that is none is refused, with its place" {
	other_yaml
	echo "metrics: {file: metrics.txt}" >>"$SITE/k8s.yaml"
	run -1 as_slurm "$SITE_BIN/k8s_resume" --dry-run cpu-0
	has "k8s.yaml:$(wc -l <"$SITE/k8s.yaml"):17: file must be an absolute path"
}

# ask CURL-ARGUMENT...: as anybody of this host (a tree has no curl)
ask() { setpriv --reuid 65534 --regid 65534 --clear-groups curl -sf --noproxy '*' "$@"; }
# served: what the engine answers at its unix socket
served() { ask --unix-socket "$SITE/metrics/k8s.sock" http://localhost/metrics; }
is_served() { served >/dev/null; }
is_not_served() { ! is_served; }
# with_listen ADDRESS [MORE]
with_listen() {
	other_yaml
	echo "metrics: {listen: '$1', interval: 5s${2:+, $2}}" >>"$SITE/k8s.yaml"
	mark
	take_over
}

@test "at a unix socket anybody is told the same, and status asks there" {
	with_listen "unix:$SITE/metrics/k8s.sock" "file: $FILE"
	wait_for 60 "an answer" is_served
	# the same series: what they count moves on meanwhile
	names() { sed -n 's/^\([^# ].*\) [^ ]*$/\1/p' | sort; }
	is_same() { diff <(served | names) <(names <"$FILE"); }
	wait_for 30 "the same in the file" is_same
	! command -v promtool >/dev/null || served | promtool check metrics
	first=$(served | grep '^slurm_k8s_last_pass_timestamp_seconds{thread="engine"}')
	is_renewed() { [[ $(served | grep '^slurm_k8s_last_pass_timestamp_seconds{thread="engine"}') != "$first" ]]; }
	wait_for 30 "the next ones" is_renewed
	run tool status
	[[ $output = *"its last pass was "*" s ago, as unix:$SITE/metrics/k8s.sock has it"* ]]
	# a cleaned folder costs an interval
	rm "$SITE/metrics/k8s.sock"
	wait_for 30 "an answer" is_served
	run -22 ask --unix-socket "$SITE/metrics/k8s.sock" -X DELETE http://localhost/metrics
}

@test "who ends leaves no socket; who was killed leaves it, and the next one takes it" {
	with_listen "unix:$SITE/metrics/k8s.sock"
	wait_for 60 "an answer" is_served
	slurmctld_stop
	[[ ! -e $SITE/metrics/k8s.sock ]]
	slurmctld_start
	wait_for 60 "an answer" is_served
	slurmctld_kill
	[[ -S $SITE/metrics/k8s.sock ]]
	run tool status
	has "no engine of this host acts: nobody listens at unix:$SITE/metrics/k8s.sock"
	slurmctld_start
	wait_for 60 "an answer" is_served
}

@test "at a port of this host; one that is taken is named in the log, and tried again" {
	python3 -c 'import socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print(s.getsockname()[1], flush=True)
time.sleep(300)' >"$BATS_TEST_TMPDIR/port" 3>&- &
	holder=$!
	wait_for 20 "a port" test -s "$BATS_TEST_TMPDIR/port"
	port=$(<"$BATS_TEST_TMPDIR/port")
	with_listen "127.0.0.1:$port"
	wait_for 60 "the log" logged "no metrics are served: 127.0.0.1:$port: Address already in use"
	kill "$holder"
	answers() { ask "http://127.0.0.1:$port/metrics" | grep -q '^slurm_k8s_build_info'; }
	wait_for 60 "an answer" answers
	wait_for 10 "the log" logged 'metrics are served again'
	# by its loopback address only
	run ss -Hltn "sport = :$port"
	[[ $output = *" 127.0.0.1:$port "* && ${#lines[@]} = 1 ]]
	sed -i '/^metrics:/d' "$SITE/k8s.yaml"
	take_over
	no_answer() { ! answers; }
	wait_for 30 "nobody to listen" no_answer
}

# bats test_tags=alone,api
@test "nobody listens while the lease cannot be renewed" {
	with_listen "unix:$SITE/metrics/k8s.sock"
	wait_for 60 "an answer" is_served
	api_stops
	wait_for 60 "it to end" is_not_served
	[[ ! -e $SITE/metrics/k8s.sock ]]
	api_starts
	wait_for 90 "an answer" is_served
}
