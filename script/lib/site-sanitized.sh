# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# SITE_SANITIZED=1: slurmctld loads plugins, and runs programs, that were built with
# AddressSanitizer and UBSan. slurmctld itself is as installed: the library of both is
# preloaded, which also looks for leaks when it ends by "scontrol shutdown", as slurmctld_stop
# then ends it. (Clang's library: gcc has one for each, and UBSan's forgets where to write when
# the other one is there.) Whoever else loads our plugins (slurmd, also in pods, sbatch) sees
# the ordinary ones: slurmctld has the others in its own mount namespace.
#
#   $SITE/reports  what the sanitizers say; each report is a failure (site-watch.sh)
#
# For the Slurm of this machine only, 22.05. Of leaks those count that have a function of
# ours in their stack (tests/tools/sanitizer_report.py): Slurm has its own, and its static
# functions have no names in Debian's slurmctld, by which they could be suppressed. What Slurm
# loses of what we have asked it for counts, unless tests/lsan.supp names Slurm's function.

SANITIZED_BUILD=${SANITIZED_BUILD:-build-sanitized}
# (a line of a stack has the path of its object at its end; programs have no PATH)
SANITIZED_COMMON="exitcode=0:external_symbolizer_path=/usr/bin/llvm-symbolizer:stack_trace_format='    #%n %p in %f %S (%m+%o)'"

site_sanitized() { [[ ${SITE_SANITIZED:-} ]]; }
if site_sanitized && site_in_tree; then
	echo "SITE_SANITIZED: not with Slurm $SITE_RELEASE, only with this machine's own" >&2
	exit 1
fi

# sanitized_build: the programs and plugins (site_build makes the ordinary ones)
# (two sites may be made at once)
sanitized_build() {
	CC=clang flock "$TOP/script/build" "$TOP/script/build" "$SANITIZED_BUILD" -Dtests=false -Ddocs=false \
		-Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 9>&-
}

# sanitized_options NAME: variables of the environment, for the array OPTIONS; its reports
# begin with this name
sanitized_options() {
	OPTIONS=(
		# (each plugin has a plugin_name; libcurl and json-c were built without frame pointers)
		"ASAN_OPTIONS=$SANITIZED_COMMON:log_path=$SITE/reports/$1:detect_odr_violation=0:fast_unwind_on_malloc=0:detect_stack_use_after_return=1"
		"UBSAN_OPTIONS=$SANITIZED_COMMON:log_path=$SITE/reports/$1:print_stacktrace=1"
		"LSAN_OPTIONS=suppressions=$TOP/tests/lsan.supp:print_suppressions=0"
	)
}

# sanitized_wrap PROGRAM FILE: FILE becomes PROGRAM, which tells the reports' folder to itself
# (what slurmctld runs has next to no environment)
sanitized_wrap() {
	local -a OPTIONS
	local name=${2##*/}
	install -d -m 777 "$SITE/reports"
	install -D -m 755 "$1" "$SITE/sanitized/programs/$name"
	sanitized_options "$name"
	{
		echo '#!/bin/sh'
		printf 'export %s\n' "${OPTIONS[@]@Q}"
		# shellcheck disable=SC2016 # the inner shell's
		printf 'unset LD_PRELOAD\nexec %s "$@"\n' "$SITE/sanitized/programs/$name"
	} >"$2.new"
	chmod 755 "$2.new"
	mv "$2.new" "$2"
}

# sanitized_install: after the ordinary installation, into the folder of the site
sanitized_install() {
	local program
	sanitized_build && DESTDIR=$SITE/sanitized/root flock "$TOP/script/build" \
		ninja -C "$TOP/$SANITIZED_BUILD" --quiet install || return
	for program in "$SITE/sanitized/root/usr/libexec/slurm-k8s"/*; do
		sanitized_wrap "$program" "$SITE/root/usr/libexec/slurm-k8s/${program##*/}"
	done
}

# sanitized_forks_end: when no slurmctld of the site runs. AddressSanitizer of LLVM before 17 has
# its allocator locked in a child that slurmctld forks while another thread allocates: the child
# waits for ever in closeall(), before it becomes a program, and keeps slurmctld's port. (What was
# not run then fails its test, which is tried again.)
sanitized_forks_end() {
	local pid
	for pid in $(pgrep -f "^slurmctld -D -f $SITE/slurm.conf\$"); do
		echo "a child of slurmctld, process $pid, hung in the sanitizer's allocator" >>"$SITE/log/slurmctld.out"
		kill -KILL "$pid" 2>/dev/null || true
		wait_for 30 "its end" process_ended "$pid"
	done
}

# sanitized_slurmctld: sets OPTIONS to its environment's
sanitized_slurmctld() {
	sanitized_options slurmctld
	OPTIONS+=("LD_PRELOAD=$(clang -print-file-name="libclang_rt.asan-$(uname -m).so")")
}

# sanitized_reports [all]: those that are written, or also those of processes that go on, become
# failures (site-watch.sh)
sanitized_reports() {
	local file name end
	for file in "$SITE/reports"/*; do
		[[ -s $file && ($* || ! -e /proc/${file##*.}) ]] || continue
		name=${file##*/}
		end=${SITE_ENDS:-$SITE/ends}/$SITE_RELEASE-$name
		mkdir -p "$end"
		mv "$file" "$SITE/seen-$name"
		"$TOP/tests/tools/sanitizer_report.py" "$SITE/seen-$name" >"$end/report" || {
			rm -r "$end"
			continue
		}
		echo "Slurm $SITE_RELEASE, ${BATS_TEST_FILENAME:+in or after "$(cat "$SITE/test-now")", }${name%.*}: $(sed -n 's/^SUMMARY: //p; /runtime error: /s/^[^ ]* //p' "$end/report" | head -n 1)" >"$end/what.new"
		mv "$end/what.new" "$end/what"
	done
}
