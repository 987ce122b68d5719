# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs that outlive the script: started, recorded, found again and ended.
#
# A record is the file $PID_DIR/NAME with "PID START BOOT": the process, the
# moment when it started (as the kernel counts) and the boot of the machine.
# The three together can never mean another process that got the same number.

BOOT_ID=$(</proc/sys/kernel/random/boot_id)

# start_of PID: when a process started.  Fails if it has ended; a zombie, which
# PID 1 has only to bury, counts as ended, but for one with threads that have not
# ended yet: its files, and the ports it listens on, are open until then.
start_of() {
	local line
	local -a field
	# (not $(<file): where that file is missing, bash 5.2 exits under set -e)
	{ read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
	# the second field, the name in parentheses, may hold anything
	read -ra field <<<"${line##*) }"
	[[ ${field[0]:-Z} != [ZX] || ${field[17]:-1} -gt 1 ]] || return 1
	echo "${field[19]}"
}

# record NAME PID
record() {
	local start
	start=$(start_of "$2") || return 1
	echo "$2 $start $BOOT_ID" >"$PID_DIR/$1"
}

# pid_of NAME: the recorded process, if it lives
pid_of() {
	local pid start boot
	{ read -r pid start boot <"$PID_DIR/$1"; } 2>/dev/null || return 1
	[[ $boot = "$BOOT_ID" && $(start_of "$pid") = "$start" ]] || return 1
	echo "$pid"
}

lives() { pid_of "$1" >/dev/null; }

# any_lives DIR: does any process live that is recorded there?
any_lives() {
	local PID_DIR=$1/pid f
	for f in "$PID_DIR"/*; do
		! lives "${f##*/}" || return 0
	done
	return 1
}

# spawn NAME COMMAND...: starts a program that outlives us, with its output in
# $LOG_DIR/NAME.log, and records it.  It must keep neither our locks nor a pipe
# that our caller reads to its end: all further files are closed.
spawn() {
	local name=$1
	shift
	! lives "$name" || return 0
	(
		close_files
		export GOGC=300 # there is more memory here than processor time
		exec setsid "$@"
	) >>"$LOG_DIR/$name.log" 2>&1 </dev/null &
	record "$name" $! || {
		show_log "$name"
		warn "$name ended at once"
		return 1
	}
}

close_files() {
	local fd
	for fd in "/proc/$BASHPID/fd"/*; do
		fd=${fd##*/}
		((fd <= 2)) || exec {fd}>&-
	done
}

# halt NAME...: ends recorded programs at once, and waits for their end
halt() {
	local name pid
	for name; do
		! pid=$(pid_of "$name") || kill -KILL "$pid" 2>/dev/null || true
	done
	for name; do
		while lives "$name"; do sleep 0.02; done
		rm -f "$PID_DIR/$name"
	done
}

# Jobs: parts of the script itself that run side by side.  A job that is told
# to stop (by signal) finishes the step it is at, so that every program it starts
# gets recorded, and gives up at the next wait.
STOPPING=
JOBS=()

# start_job FUNCTION ARGUMENT...
start_job() {
	(
		trap 'STOPPING=1' TERM INT HUP
		trap stop_heartbeat EXIT
		"$@"
	) &
	JOBS+=($!)
}

# wait_jobs [N]: waits until at most N (0) jobs are left; as soon as one fails, so does this.
wait_jobs() {
	local pid='' rc
	while ((${#JOBS[@]} > ${1:-0})); do
		rc=0
		wait -n -p pid "${JOBS[@]}" || rc=$?
		forget_job "$pid"
		((rc == 0)) || return "$rc"
	done
}

forget_job() {
	local job left=()
	for job in "${JOBS[@]}"; do
		[[ $job = "$1" ]] || left+=("$job")
	done
	JOBS=("${left[@]}")
}

stop_jobs() {
	local job
	for job in "${JOBS[@]}"; do kill -TERM "$job" 2>/dev/null || true; done
	for job in "${JOBS[@]}"; do wait "$job" 2>/dev/null || true; done
	JOBS=()
}

# until_ok SECONDS COMMAND...: tries again and again
until_ok() {
	local end=$(($(now) + $1 * 1000000))
	shift
	until "$@" >/dev/null 2>&1; do
		[[ ! $STOPPING ]] || return 1
		(($(now) < end)) || return 1
		sleep 0.2 || true # (Ctrl-C ends it too)
	done
}

# run_with_heartbeat WHAT LOG COMMAND...: runs a long command with its output
# in LOG, and says every 15 seconds that it still works.  The command gets a
# session of its own, so that it can be ended with all its children.
HEARTBEAT_PID=
run_with_heartbeat() {
	local what=$1 log=$2 start=$SECONDS next=15 rc=0
	shift 2
	say "$what ..."
	setsid "$@" >"$log" 2>&1 </dev/null &
	HEARTBEAT_PID=$!
	while [[ ! $STOPPING ]] && start_of "$HEARTBEAT_PID" >/dev/null; do
		if ((SECONDS - start >= next)); then
			say "$what ... $((SECONDS - start)) s"
			next=$((next + 15))
		fi
		sleep 0.1 || true # (Ctrl-C ends it too)
	done
	[[ ! $STOPPING ]] || return 1 # the job ends, and with it what it runs
	wait "$HEARTBEAT_PID" || rc=$?
	HEARTBEAT_PID=
	if ((rc != 0)); then
		warn "$what failed; the end of its output:"
		tail -n 20 "$log" >&2
		return "$rc"
	fi
	say "$what: done after $((SECONDS - start)) s"
}

# Ends what run_with_heartbeat has started, with its children.
stop_heartbeat() {
	[[ $HEARTBEAT_PID ]] || return 0
	kill -KILL -- "-$HEARTBEAT_PID" 2>/dev/null || true
	wait "$HEARTBEAT_PID" 2>/dev/null || true
}
