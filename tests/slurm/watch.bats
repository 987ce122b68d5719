# SPDX-License-Identifier: GPL-2.0-or-later
# A slurmctld that ends, and no test wanted it to: script/lib/site-watch.sh
setup() {
	. "$TOP/tests/slurm/site.bash"
	BEFORE=${SITE_ENDS:-}
	slurmctld_stop
	export SITE_ENDS=$BATS_TEST_TMPDIR/ends
	slurmctld_start
	PID=$(<"$SITE/slurmctld.pid")
}
teardown() {
	slurmctld_stop
	SITE_ENDS=$BEFORE
	slurmctld_start
	wait_for 90 "the nodes" nodes_idle
}

# What script/test makes of them
FAILURES=()
count() { FAILURES+=("$*"); }
failures() {
	FAILURES=()
	unasked_ends "$SITE_ENDS" >"$BATS_TEST_TMPDIR/said"
	printf '%s\n' "${FAILURES[@]}"
	[[ ${#FAILURES[@]} -eq $1 ]]
}
said() { grep -q -- "$1" "$BATS_TEST_TMPDIR/said"; }
noted() { [[ ! -e $SITE/watch/$PID ]]; }
ends_by() { kill "-$1" "$PID" && wait_for 90 "a note of its end" noted; }

@test "one that a test stops or kills is no failure" {
	slurmctld_stop
	slurmctld_start
	slurmctld_kill
	slurmctld_start
	slurmctld_asked "$SITE/slurmctld.pid" KILL
	PID=$(<"$SITE/slurmctld.pid")
	ends_by KILL
	failures 0
}

@test "one that crashes fails the run, with log and backtrace, though the test goes on with another" {
	# (as a time limit of bats' does with what the test has started)
	kill -TERM "$(ps -o ppid= "$PID" | tr -d ' ')"
	ends_by SEGV
	slurmctld_start
	failures 1
	[[ ${FAILURES[0]} = "0 1 0 a slurmctld ended: Slurm $SITE_RELEASE, in or after "*"one that crashes fails the run"*", slurmctld: SIGSEGV, unasked, "* ]]
	said 'slurmctld version .* started on cluster plain'
	if [[ $(</proc/sys/kernel/core_pattern) = '|'* ]]; then
		said 'There is no core'
	else
		said '^#[0-9].* in .*slurmctld_background\|^#[0-9].* in main'
	fi
}

@test "so does one that ends in good order, and one that was killed, if nobody has asked for it" {
	ends_by TERM
	slurmctld_start
	PID=$(<"$SITE/slurmctld.pid")
	ends_by KILL
	failures 2
	[[ "${FAILURES[*]}" = *": exit code 0, unasked, "* && "${FAILURES[*]}" = *": SIGKILL, unasked, "* ]]
}

@test "so does one that crashes when it is to end, and one that hangs then" {
	slurmctld_asked "$SITE/slurmctld.pid" TERM
	ends_by ABRT
	slurmctld_start
	PID=$(<"$SITE/slurmctld.pid")
	kill -STOP "$PID"
	HANGS_AFTER=3 slurmctld_stop
	failures 2
	[[ "${FAILURES[*]}" = *": SIGABRT, after SIGTERM, "* && "${FAILURES[*]}" = *": SIGKILL, after SIGTERM, "* ]]
	said 'It had not ended in time'
}
