# SPDX-License-Identifier: GPL-2.0-or-later
# Our objects and this release of Slurm.
setup() {
	load common.bash
	load log.bash
	load older.bash
	OURS=$SITE/root$PLUGINS
}

# restart [COMMAND]: which runs between
restart() {
	mark
	slurmctld_stop
	"${@:-true}"
	slurmctld_start
}

@test "each symbol that our objects need or owe is there" {
	run "$TOP/tests/tools/check_symbols.py" "$OURS" "$(site_root)"
	echo "$output"
	[[ $status -eq 0 && $output = *", 0 symbols missing" ]]
}

@test "an object that needs what this Slurm has not is named" {
	echo 'void slurm_no_such(void); void call(void); void call(void) { slurm_no_such(); }' |
		gcc -shared -fPIC -o "$BATS_TEST_TMPDIR/libx.so" -x c -
	run "$TOP/tests/tools/check_symbols.py" "$BATS_TEST_TMPDIR" "$(site_root)"
	[[ $status -eq 1 && $output = *"libx.so: needs slurm_no_such, which slurmctld does not have"* ]]
}

# put_older [COMMAND]: Slurm finds that it is older; or as it was built
put_older() {
	# (never written in place: slurmctld has it mapped)
	cp "$OURS/sched_bridge.so" "$BATS_TEST_TMPDIR/old.so"
	older "$BATS_TEST_TMPDIR/old.so"
	mv "$OURS/sched_bridge.so" "$BATS_TEST_TMPDIR/good.so"
	mv "$BATS_TEST_TMPDIR/old.so" "$OURS/sched_bridge.so"
	restart "$@"
}
put_good() {
	[[ -e $BATS_TEST_TMPDIR/good.so ]] || return 0
	mv "$BATS_TEST_TMPDIR/good.so" "$OURS/sched_bridge.so"
	restart
	wait_for 60 "the engine" logged 'k8s: engine .* runs'
}
teardown() {
	put_good
	clean_up
}

@test "a plugin that was built for another micro release is refused: Slurm runs without it, and says so" {
	put_older
	logged "Incompatible Slurm plugin $OURS/sched_backfill.so version"
	run ! logged 'k8s: engine .* runs'
	put_good
}

node_has_no_comment() {
	local text
	text=$(as_user scontrol show node "$1") && [[ $text != *"no engine runs"* ]]
}

@test "slurmctld does not load the engine: jobs go back and say why, and so do nodes and the programs" {
	local words version
	version=$(as_user sinfo --version | cut -d' ' -f2)
	words="sched_backfill.so is for Slurm .* and slurmctld is $version"
	suspend_time 300
	id=$(submit -N1 -w cpu-0 --wrap true)
	wait_for 120 "job $id" job_is "$id" COMPLETED
	put_older sit_in # (who is no engine is not taken for one)
	: >"$POWER_LOG"
	# on a node that has to be powered up: k8s_prolog or k8s_resume, whichever Slurm runs first
	id=$(submit -N1 -w cpu-1 --wrap true)
	wait_for 60 "the words of job $id" job_says "$id" "AdminComment=k8s: $words"
	wait_for 60 "job $id to go back" job_is "$id" PENDING
	wait_for 60 "the words of its node" node_says cpu-1 "Comment=k8s: $words"
	pods_are 0 slurm-k8s.io/node=cpu-1
	as_slurm scancel "$id"
	# no job asks for it: k8s_resume alone
	as_slurm scontrol update nodename=cpu-2 state=power_up
	wait_for 60 "k8s_resume's words" grep -q "k8s_resume\[.*error: $words" "$POWER_LOG"
	wait_for 60 "the words of cpu-2" node_says cpu-2 "Comment=k8s: $words"
	run resume cpu-2
	[[ $status -eq 1 && $output =~ cpu-2:.*$words ]]
	pods_are 0 slurm-k8s.io/node=cpu-2
	# on one that is up: k8s_prolog
	id=$(submit -N1 -w cpu-0 --wrap true)
	wait_for 60 "the words of job $id" job_says "$id" "AdminComment=k8s: $words"
	wait_for 60 "job $id to go back" job_is "$id" PENDING
	wait_for 60 "the words of its node" node_says cpu-0 "Comment=k8s: $words"
	grep -q "k8s_prolog\[.*error: job $id: $words" "$POWER_LOG"
	pods_are 1 slurm-k8s.io/node=cpu-0
	as_slurm scancel "$id"
	# (it does its work, but not as if nothing was)
	run suspend cpu-3
	[[ $status -eq 1 && $output =~ $words ]]
	wait_for 60 "the words of cpu-3" node_says cpu-3 "Comment=k8s: $words"
	# once more as it was built
	sit_out
	put_good
	id=$(submit -N2 -w cpu-[0-1] --wrap true)
	wait_for 120 "job $id" job_is "$id" COMPLETED
	run ! node_says cpu-1 "is for Slurm"
	# (and one that nobody has powered up since)
	wait_for 60 "cpu-3 to say so no longer" node_has_no_comment cpu-3
}
