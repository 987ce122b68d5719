# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the user sees: progress lines, errors, times.

# say TEXT: a progress line
say() { printf '%s: %s\n' "${0##*/}" "$*"; }

# (A job that is told to stop has failures, but nobody wants to read them.)
warn() { [[ ${STOPPING:-} ]] || printf '%s: %s\n' "${0##*/}" "$*" >&2; }

die() {
	warn "$*"
	exit 1
}

# A moment, to hand to since(): microseconds
now() { echo "${EPOCHREALTIME/[.,]/}"; }

# since MOMENT: the time passed, as "4.2 s"
since() {
	local us=$(($(now) - $1))
	printf '%d.%d s' $((us / 1000000)) $((us / 100000 % 10))
}

# show_log NAME: the last lines of a program's log, to tell why it failed
show_log() {
	[[ -s $LOG_DIR/$1.log && ! ${STOPPING:-} ]] || return 0
	warn "the last lines of $LOG_DIR/$1.log:"
	tail -n 8 "$LOG_DIR/$1.log" >&2
}
