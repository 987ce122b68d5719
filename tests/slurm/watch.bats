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

@test "Slurm's own hang is told apart: slurmscriptd's answer was lost, and it has nothing to do" {
	local canned=$BATS_TEST_TMPDIR/hangs SITE_RELEASE=22.05
	cat >"$canned" <<-'H'
		#0  __futex_abstimed_wait_common64 (private=0, cancel=true) at ./nptl/futex-internal.c:57
		#3  __pthread_cond_wait_common (abstime=0x0, clockid=0) at ./nptl/pthread_cond_wait.c:503
		#4  ___pthread_cond_wait (cond=0x5555c2d2a720, mutex=0x5555c2d2a758) at ./nptl/pthread_cond_wait.c:618
		#5  0x000055559da903c2 in ?? ()
		#6  0x000055559d9deb10 in main ()

		Thread 1 (Thread 0x7f23b0c42740 (LWP 29765)):
		#0  __futex_abstimed_wait_common64 (private=0, cancel=true) at ./nptl/futex-internal.c:57
		-- child 29766, state S
		#0  0x00007f23b0da815f in __GI___poll (fds=0x7f2, nfds=2, timeout=60000) at poll.c:29
		#1  0x00007f23b1038a5b in eio_handle_mainloop () from libslurmfull.so
	H
	slurms_own_hang "$canned"
	SITE_RELEASE=25.05 run ! slurms_own_hang "$canned"
	sed 's/state S/state T/' "$canned" >"$canned.stopped"
	run ! slurms_own_hang "$canned.stopped"
	sed 's/__GI___poll/__GI___wait4/' "$canned" >"$canned.works"
	run ! slurms_own_hang "$canned.works"
	sed '/LWP/a #0 0x1 in bell_wait () from /usr/lib/slurm-k8s/sched_backfill.so' "$canned" >"$canned.ours"
	run ! slurms_own_hang "$canned.ours"
	sed 's/#5 .*/#5  0x1 in slurm_unlock () from libslurmfull.so/' "$canned" >"$canned.else"
	run ! slurms_own_hang "$canned.else"
	sed '/^-- child/,$d' "$canned" >"$canned.alone"
	run ! slurms_own_hang "$canned.alone"
	cat >"$canned" <<-'H'
		#0  0x00007f1a7d8a672e in ?? () from /proc/18648/root/lib/x86_64-linux-gnu/libc.so.6
		#1  0x00007f1a7d89b388 in ?? () from /proc/18648/root/lib/x86_64-linux-gnu/libc.so.6
		#3  0x00007f1a7d89de98 in pthread_cond_wait () from /proc/18648/root/lib/x86_64-linux-gnu/libc.so.6
		#4  0x0000560ab3352acb in ?? ()
		#5  0x0000560ab335407e in slurmscriptd_flush ()
		#6  0x0000560ab32a638e in main ()
		-- child 18943, state S
		#0  0x0000153007ea672e in ?? () from /proc/18648/root/lib/x86_64-linux-gnu/libc.so.6
		#3  0x0000153007f0f906 in poll () from /proc/18648/root/lib/x86_64-linux-gnu/libc.so.6
		#4  0x00001530080945f9 in slurm_eio_handle_mainloop () from libslurmfull.so
	H
	slurms_own_hang "$canned"
	sed 's/ in poll / in wait4 /' "$canned" >"$canned.works"
	run ! slurms_own_hang "$canned.works"
}

@test "slurmctld that waits for a slurmscriptd which does not answer is a failure" {
	local child
	child=$(pgrep -P "$PID")
	kill -STOP "$child"
	HANGS_AFTER=3 slurmctld_stop
	kill -CONT "$child" || true
	failures 1
	said "^-- child $child, state T"
	# (where it waits can be read, also of a Slurm in a tree)
	said ' in main \(\)'
}
