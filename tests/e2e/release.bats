# SPDX-License-Identifier: GPL-2.0-or-later
# Our objects and this release of Slurm.
setup() {
	load common.bash
	load log.bash
	OURS=$SITE/root$PLUGINS
}

restart() {
	mark
	slurmctld_stop
	slurmctld_start
}

# older OBJECT: it says that it was built for the micro release before
older() {
	python3 - "$1" "$(as_user sinfo --version | cut -d' ' -f2)" <<-'P'
	import re, struct, sys
	major, minor, micro = (int(re.match(r"\d+", part)[0]) for part in sys.argv[2].split("."))
	version = major << 16 | minor << 8 | micro
	with open(sys.argv[1], "rb") as file:
	    data = file.read()
	old, new = (struct.pack("<I", v) for v in (version, version - 1))
	assert data.count(old) == 1, "plugin_version is there %d times" % data.count(old)
	with open(sys.argv[1], "wb") as file:
	    file.write(data.replace(old, new))
	P
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

@test "a plugin that was built for another micro release is refused: Slurm runs without it, and says so" {
	# (never written in place: slurmctld has it mapped)
	cp "$OURS/sched_bridge.so" "$BATS_TEST_TMPDIR/old.so"
	older "$BATS_TEST_TMPDIR/old.so"
	mv "$OURS/sched_bridge.so" "$BATS_TEST_TMPDIR/good.so"
	mv "$BATS_TEST_TMPDIR/old.so" "$OURS/sched_bridge.so"
	restart
	logged "Incompatible Slurm plugin $OURS/sched_backfill.so version"
	run ! logged 'k8s: engine .* runs'
	mv "$BATS_TEST_TMPDIR/good.so" "$OURS/sched_bridge.so"
	restart
	wait_for 60 "the engine" logged 'k8s: engine .* runs'
}
