# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What script/test counts, and the lines of its results. Its LOGS has "counts" (a line for
# each program or suite), "twice" (tests that passed at a second try) and what bats said
# (KUBERNETES-SLURM-PART.tap).

# (to a file: most of what counts runs in the background)
count() { # PASSED FAILED SKIPPED WHAT
	printf '%d %d %d %s\n' "$@" >>"$LOGS/counts"
}

# total N: of what was counted: 1 passed, 2 failed, 3 skipped
total() { awk -v n="$1" '{ sum += $n } END { print sum + 0 }' "$LOGS/counts"; }

# counted_as REGEX: PASSED FAILED SKIPPED, of what was counted under such names
counted_as() {
	awk -v of="$1" '$0 ~ of { for (i = 1; i <= 3; i++) n[i] += $i }
		END { print n[1] + 0, n[2] + 0, n[3] + 0 }' "$LOGS/counts"
}

# first_tries RELEASE TAP: those that failed. Who passed then is remembered, and why not at once.
first_tries() {
	local name said part=${2##*/"$K8S_VERSION-$1"-}
	for said in "$2.outputs"/*-try1-*.log; do
		[[ -e $said ]] || continue
		name=${said##*-try1-} name=${name%.log}
		printf '\n# first try of "%s":\n' "$name"
		sed 's/^/# /' "$said"
		passed "$2" "$name" || continue
		printf '%s %s %s\t%s\n' "$K8S_VERSION" "$1" "${part%.tap}" "$name" >>"$LOGS/twice"
		{ echo "not ok at its first try: $name" && sed 's/^/# /' "$said"; } | why_failed - >>"$LOGS/why-twice"
	done
}

# passed TAP NAME: did the test of this name, in the end?
passed() {
	awk -v name="$2" '/^ok / { sub(/^ok [0-9]+ /, ""); sub(/ in [0-9]+ms.*$/, ""); if ($0 == name) found = 1 }
		END { exit !found }' "$1"
}

# why_failed TAP...: what each test that failed has said, in short: which command failed, and the
# last lines of its output that are not the same. (-: standard input)
why_failed() {
	awk 'function ended(   n) {
			for (n = (lines > 3 ? lines - 2 : 1); n <= lines; n++) print "    " line[n]
			lines = 0
			split("", seen)
		}
		FNR == 1 || !/^#/ { ended(); in_one = 0 }
		/^not ok / { print; in_one = 1; next }
		{ sub(/^# */, "") }
		!in_one || /^\(from function / { next }
		/^\(?in test file / || /^ *`.* failed/ { print "    " substr($0, 1, 240); next }
		!seen[$0]++ { line[++lines] = substr($0, 1, 240) }
		END { ended() }' "$@"
}

# planned TAP, good TAP, bad TAP, left_out TAP: tests
planned() { sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$1"; }
good() { grep '^ok ' "$1" | grep -cv '# skip'; }
bad() { grep -c '^not ok ' "$1"; }
left_out() { grep -c '^ok .*# skip' "$1"; }

# result RELEASE SUITE PASSED FAILED SKIPPED [PART...]: a line of the results. PART: the runs
# whose second tries and storms are the suite's (the suite itself)
result() {
	local again storms
	storms=$(storms "$1" "${@:6}" | jq -Rnc '[inputs]')
	again=$(second_tries "$1" "${@:6}" | jq -Rnc '[inputs]')
	printf '{"kubernetes": "%s", "release": "%s", "slurm": "%s", "debian": "%s", "suite": "%s", "passed": %d, "failed": %d, "skipped": %d, "second_try": %s, "storms": %s, "date": "%s"}\n' \
		"$K8S_VERSION${NO_GATES:+ without gates}" "$1" "${VERSION[$1]}" "${DEBIAN[$1]}" "$2" "$3" "$4" "$5" "$again" "$storms" "$(date -u +%F)" >>"$RESULTS"
}

# second_tries RELEASE PART...: tests that passed when they were run again
second_tries() {
	local part
	for part in "${@:2}"; do
		awk -F '\t' -v of="$K8S_VERSION $1 $part" '$1 == of { print $2 }' "$LOGS/twice"
	done
}

# storms RELEASE PART...: how often they killed slurmctld, and the seed
storms() {
	local part
	for part in "${@:2}"; do
		[[ ! -e $LOGS/$K8S_VERSION-$1-$part.tap ]] || sed -n 's/^# storm: //p' "$LOGS/$K8S_VERSION-$1-$part.tap" | tail -n 1
	done
}
