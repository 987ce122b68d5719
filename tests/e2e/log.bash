# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmctld's log, for tests that look what it says.
CTLD_LOG=$SITE/log/slurmctld.log

# logged PATTERN: since the last mark
mark() { MARK=$(wc -l <"$CTLD_LOG"); }
logged() { tail -n "+$((MARK + 1))" "$CTLD_LOG" | grep -q "$1"; }
