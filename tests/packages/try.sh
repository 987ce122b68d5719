# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests that are functions. DIR is a folder of the caller's, for their output.

PASSED=0
FAILED=0
# try WHAT COMMAND...: one test. (A function's set -e holds where nobody asks for its result.)
try() {
	local what=$1 start rc
	start=$(now)
	shift
	set +e
	(
		set -euo pipefail
		"$@"
	) >"$DIR/output" 2>&1
	rc=$?
	set -e
	if ((rc == 0)); then
		PASSED=$((PASSED + 1))
		echo "ok: $what ($(since "$start"))"
	else
		FAILED=$((FAILED + 1))
		echo "NOT ok: $what"
		tail -n 40 "$DIR/output" | sed 's/^/    /'
	fi
}
