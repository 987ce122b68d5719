# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# No slurmctld of a site ends unseen. Each has a parent of ours, which waits for its end.
# Tests end one by slurmctld_stop, slurmctld_kill or slurmctld_end, which note that it was
# asked to. Any other end, whatever its exit code, leaves a folder under $SITE_ENDS: "what",
# "log" (the end of its log) and "backtrace". So does a slurmctld that was asked to end,
# and crashed, failed or hung at it; and a core of one of the programs that it runs. A
# report of a sanitizer leaves one with "what" and "report" (site-sanitized.sh).
#
# One hang is Slurm's own, and is printed but not counted as a failure: before 25.05 the answer
# of slurmscriptd is lost if it comes before slurmctld waits for it (_wait_for_script_resp()
# waited without a condition), and slurmctld waits for ever. See slurms_own_hang(). So is a crash
# of slurmscriptd of 24.11, when slurmctld was killed: see slurms_own_crash().
#
#   SITE_ENDS  where (the site's "ends", about which site_down has a word)
#
# A backtrace needs a core that Linux leaves in a folder. Where core_pattern hands it to a
# program (a line that begins with |) there is none, and "backtrace" says so.

# slurmctld_watched PIDFILE COMMAND...: starts it; it is to become that slurmctld. Its log is
# log/NAME.log, if PIDFILE is NAME.pid.
# (fds 3 and 9 are bats' and our lock: they must not live on in daemons)
slurmctld_watched() {
	rm -f "$1"
	mkdir -p "$SITE/watch"
	(watch_slurmctld "$@") >>"$SITE/log/slurmctld.out" 2>&1 </dev/null 3>&- 9>&- &
	# (nothing but a process is started meanwhile)
	within 30 "a process for slurmctld" test -s "$1"
}

# slurmctld_end PIDFILE SIGNAL: a test wants its end, and waits for it (HANGS_AFTER seconds, 90)
slurmctld_end() {
	local pid
	[[ -s $1 ]] || return 0
	pid=$(<"$1")
	slurmctld_asked "$1" "$2"
	rm "$1"
	if [[ -e $SITE/watch/$pid ]] && ! { site_sanitized && shut_down "$1" "$2"; }; then
		kill "-$2" "$pid" 2>/dev/null || true
	fi
	WAIT_MAX='' within "${HANGS_AFTER:-90}" "slurmctld, process $pid, to end" test ! -e "$SITE/watch/$pid" || {
		watch_hang "$pid" >"$SITE/watch/$pid.hangs" || true
		kill -9 "$pid" 2>/dev/null || true
		WAIT_MAX='' within 90 "its end" test ! -e "$SITE/watch/$pid" || true
	}
}

# shut_down PIDFILE SIGNAL: as an administrator does it
shut_down() { [[ $1:$2 = "$SITE/slurmctld.pid:TERM" ]] && as_slurm scontrol shutdown slurmctld 2>/dev/null; }

slurmctld_stop() { slurmctld_end "$SITE/slurmctld.pid" TERM; }
slurmctld_kill() { slurmctld_end "$SITE/slurmctld.pid" KILL; }

# slurmctld_asked PIDFILE SIGNAL: a test ends it by other means
slurmctld_asked() {
	echo "$2" >"$SITE/watch/$(<"$1").asked"
	[[ $2 != KILL ]] || : >"$SITE/watch/killed"
}

# watch_test: which test begins (each test's setup says so)
watch_test() {
	! site_sanitized || sanitized_reports
	echo "${BATS_TEST_FILENAME##*/}: ${BATS_TEST_DESCRIPTION:-before its first test}" >"$SITE/test-now"
}

# site_ends: at the end of a site, when all of its ends are noted. Where nobody else looks at
# them they are shown, and it fails.
site_ends() {
	local pid
	for pid in "$SITE"/watch/*; do
		[[ $pid = *[0-9] && -e $pid ]] || continue
		! process_ended "${pid##*/}" || wait_for 150 "the note of an end" test ! -e "$pid" || true
	done
	! site_sanitized || sanitized_reports all
	[[ ! ${SITE_ENDS:-} && -e $SITE/ends ]] || return 0
	local FAILED=0
	count() { FAILED=1; }
	unasked_ends "$SITE/ends" >&2
	((FAILED == 0))
}

# unasked_ends FOLDER: prints what is known of each; the caller's count() is told of one failure
# more for each (but for Slurm's own hang)
unasked_ends() {
	local end what
	while read -r end; do
		end=${end%/what}
		what=$(<"$end/what")
		if [[ -e $end/report ]]; then
			printf '\n== %s\n' "$what"
			cat "$end/report"
			count 0 1 0 "$what"
			continue
		fi
		printf '\n== %s\n' "$what" "the end of its log"
		cat "$end/log"
		printf '\n== backtrace\n'
		cat "$end/backtrace"
		[[ ! -e $end/slurms-own ]] || { echo "(Slurm's own: not counted)" && continue; }
		count 0 1 0 "a slurmctld ended: $what"
	done < <(find "$1" -name what 2>/dev/null | sort)
}

# --- its parent

# watch_slurmctld PIDFILE COMMAND...
watch_slurmctld() {
	local pidfile=$1 told=1 rc=0 pid
	shift
	set +eET
	trap - ERR DEBUG EXIT
	# (a time limit of bats' ends what a test has started: not this)
	trap told=1 TERM HUP INT
	(
		cd "$SITE/log" || exit
		ulimit -c unlimited
		"$@"
	) &
	pid=$!
	rm -f "$SITE/watch/$pid".*
	: >"$SITE/watch/$pid"
	echo "$pid" >"$pidfile.new"
	mv "$pidfile.new" "$pidfile"
	while [[ $told ]]; do
		told=''
		wait "$pid"
		rc=$?
	done
	watch_judge "$pid" "$rc" "$(basename "$pidfile" .pid)"
	rm -f "$SITE/watch/$pid"{.asked,.hangs,}
}

# watch_judge PID STATUS NAME: is it an end that nobody has asked for?
watch_judge() {
	local asked='' how="exit code $2" end cores
	[[ ! -e $SITE/watch/$1.asked ]] || asked=$(<"$SITE/watch/$1.asked")
	mapfile -t cores < <(watch_cores "$1")
	if ((${#cores[@]} == 0)) && [[ $asked:$2 = TERM:0 || $asked:$2 = KILL:0 || $asked:$2 = KILL:137 ]]; then return; fi
	(($2 <= 128)) || how="SIG$(kill -l "$2")"
	end=${SITE_ENDS:-$SITE/ends}/$SITE_RELEASE-$3-$1
	mkdir -p "$end"
	{
		tail -n 200 "$SITE/log/$3.log"
		echo "-- standard error"
		tail -n 40 "$SITE/log/slurmctld.out"
	} >"$end/log"
	watch_backtrace "$1" ${cores[@]+"${cores[@]}"} >"$end/backtrace"
	if slurms_own_hang "$SITE/watch/$1.hangs" || slurms_own_crash "$end/backtrace"; then : >"$end/slurms-own"; fi
	# (last: who counts looks for it)
	printf '%s\n' "Slurm $SITE_RELEASE, ${BATS_TEST_FILENAME:+in or after "$(cat "$SITE/test-now")", }$3: $how, ${asked:+after SIG}${asked:-unasked}, ${#cores[@]} cores ($(date +%T))" >"$end/what.new"
	mv "$end/what.new" "$end/what"
	rm -f ${cores[@]+"${cores[@]}"}
}

# watch_cores PID: cores since its start, where Linux leaves them in a folder. (In log/, its
# working folder, also those of what it has run.)
watch_cores() {
	local pattern
	pattern=$(sed "s/%p/$1/g; s/%./*/g" /proc/sys/kernel/core_pattern)
	case $pattern in
	'|'*) ;;
	/*) find "${pattern%/*}" -maxdepth 1 -type f -user slurm -newer "$SITE/watch/$1" -name "${pattern##*/}*" ;;
	*) find "$SITE/log" -maxdepth 1 -type f -name "${pattern//%p/*}*" ! -name '*.log' ! -name '*.out' ;;
	esac
} 2>/dev/null

# watch_root: as its processes see it
watch_root() { ! site_in_tree || echo "/proc/$(<"$SITE/tree.pid")/root"; }

# watch_gdb PROGRAM ARGUMENT...: all threads' backtraces. (Of a process in a tree gdb itself
# looks for the program where it is for that one.)
watch_gdb() {
	local root
	root=$(watch_root)
	timeout 120 gdb -batch -iex 'set auto-load off' -iex "set sysroot ${root:-/}" -ex bt -ex 'thread apply all bt 25' "$@" 2>&1 </dev/null |
		grep -vE '^\[New LWP|^warning: ' | head -n 1500
}

# watch_hang PID: where it hangs, and its slurmscriptd
watch_hang() {
	local child
	watch_gdb "/proc/$1/exe" -p "$1"
	for child in $(pgrep -P "$1"); do
		echo "-- child $child, state $(sed 's/.*) \(.\).*/\1/' "/proc/$child/stat")"
		watch_gdb "/proc/$child/exe" -p "$child"
	done
}

# slurms_own_hang FILE: does this, of watch_hang, show that slurmscriptd's answer was lost?
# slurmctld's main thread waits for a condition that belongs to slurmctld itself, no thread is
# in an object of ours, and slurmscriptd, its only child, has no work: it polls. (A libc without
# symbols has nameless frames above that.)
slurms_own_hang() {
	[[ -s $1 && $SITE_RELEASE = @(22|23|24).* ]] || return
	awk '
		/slurm-k8s\// || /at \.\.\/(common|plugins)\// { ours = 1 }
		/^-- child / { children++; sleeps = / state S$/; part = 0 }
		/^#0 / { part++ }
		part != 1 { next }
		!children && /pthread_cond_wait/ { waits = 1; next }
		!children && waits && / in main \(\)/ { main = 1 }
		!children && waits && /^#/ && !/ in (\?\?|main|_wait_for_script_resp|_send_to_slurmscriptd|slurmscriptd_flush) \(/ { waits = 0 }
		children && /^#/ && !above { polls = / in (__GI_)?_*p?poll \(/; above = !/ in \?\? \(\)/ }
		END { exit !(main && waits && !ours && children == 1 && sleeps && polls) }' "$1"
}

# slurms_own_crash FILE: does this, of watch_backtrace, show that only slurmscriptd crashed, after a
# test had killed its slurmctld, and in nothing of ours? It ends its scripts then, each of which
# its own thread ends, too (24.11: track_script_flush()). Its core may be written so late that the
# next slurmctld has been started, and has it in its note.
slurms_own_crash() {
	[[ -e $SITE/watch/killed && $SITE_RELEASE = 24.11 ]] || return
	awk '
		/^Core was generated by / { cores++; own += /: slurmscriptd / }
		/slurm-k8s\// || /at \.\.\/(common|plugins)\// { ours = 1 }
		/ in track_script_flush \(\)/ { flushes = 1 }
		END { exit !(cores && own == cores && flushes && !ours) }' "$1"
}

# watch_backtrace PID [CORE...]
watch_backtrace() {
	local core program root
	root=$(watch_root)
	if [[ -s $SITE/watch/$1.hangs ]]; then
		echo "It had not ended in time:"
		cat "$SITE/watch/$1.hangs"
	fi
	shift
	for core; do
		program=$(gdb -batch -ex 'info auxv' -c "$core" 2>/dev/null </dev/null | sed -n 's/.*AT_EXECFN.*"\(.*\)"$/\1/p')
		program=$(chroot "${root:-/}" readlink -f "$program")
		echo "-- $program"
		watch_gdb "$root$program" "$core"
	done
	(($#)) || echo "There is no core. (core_pattern: $(</proc/sys/kernel/core_pattern))"
}
