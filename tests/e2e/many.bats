# SPDX-License-Identifier: GPL-2.0-or-later
# 200 nodes against the real API server. Their pods stay Pending.
setup() {
	load common.bash
	load log.bash
	mark
}
teardown() { clean_up; }

# each node has exactly one pod, and no pod was made twice
all_bulk_once() {
	bulk_pods >"$BATS_TEST_TMPDIR/pods"
	[[ ! $(cut -d' ' -f1 "$BATS_TEST_TMPDIR/pods" | sort | uniq -d) ]]
	[[ $( (cut -d' ' -f1 "$BATS_TEST_TMPDIR/pods"; orphans) | sort -u | grep -c '^bulk-') -eq 200 ]]
}

# bulk_pods: a line for each: its node, its uid
bulk_pods() { kns get pods -l slurm-k8s.io/nodeset=bulk -o 'jsonpath={range .items[*]}{.metadata.labels.slurm-k8s\.io/node} {.metadata.uid}{"\n"}{end}' | sort; }

some_bulk() { (($(pod_count slurm-k8s.io/nodeset=bulk) > 0)); }

@test "200 nodes by one scontrol power-up" {
	truncate --no-create --size=0 "$POWER_LOG"
	update 'NodeName=bulk-[0-199]' State=POWER_UP
	wait_for 90 "200 pods" pods_are 200 slurm-k8s.io/nodeset=bulk
	all_bulk_once
	wait_for 90 "the log" grep -q '200 nodes in' "$POWER_LOG"
	[[ $(($(grep -c 'bulk-[0-9]*: pod .* created in' "$POWER_LOG") + $(made_by_engine))) -eq 200 ]]
}

@test "killed half-way and run again: all there, none twice" {
	# in the middle: as soon as the first pods are there
	(exec_inside setpriv --reuid slurm --regid slurm --clear-groups env SLURM_CONF="$SITE/slurm.conf" "$SITE_BIN/k8s_resume" 'bulk-[0-199]') 3>&- 2>/dev/null &
	pid=$!
	wait_for 90 "the first pods" some_bulk
	kill -9 $pid 2>/dev/null || true
	wait $pid || true
	before=$(bulk_pods)
	resume 'bulk-[0-199]'
	all_bulk_once
	after=$(bulk_pods)
	# those of the first run were adopted, not made anew
	[[ ! $(comm -23 <(echo "$before") <(echo "$after") | cut -d' ' -f1 | sort | comm -23 - <(orphans)) ]]
}

@test "run twice at once: all there, none twice; then suspend takes all" {
	as_slurm "$SITE_BIN/k8s_resume" 'bulk-[0-199]' 3>&- 2>"$BATS_TEST_TMPDIR/a" &
	first=$!
	as_slurm "$SITE_BIN/k8s_resume" 'bulk-[0-199]' 3>&- 2>"$BATS_TEST_TMPDIR/b" &
	second=$!
	wait "$first"
	wait "$second"
	all_bulk_once
	cat "$BATS_TEST_TMPDIR"/[ab] | grep 'nodes in'
	made=$(cat "$BATS_TEST_TMPDIR"/[ab] | grep -c ' created in ')
	((made >= 200 && made <= 200 + $(orphans | wc -l)))
	[[ $(cat "$BATS_TEST_TMPDIR"/[ab] | grep -c ' there already in ') -eq $((400 - made)) ]]
	suspend 'bulk-[0-199]'
	pods_are 0
}
