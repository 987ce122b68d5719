# SPDX-License-Identifier: GPL-2.0-or-later
# How docs/upgrade.md saves slurmctld's state before an update and puts it back, with a slurmctld of
# this file's own: by the document's commands.
setup_file() {
	. "$TOP/tests/slurm/site.bash"
	export SITE SITE_PORT
	plain_site_folder
	plain_site_files
	cat >>"$SITE/slurm.conf" <<-C
	NodeName=absent NodeAddr=127.0.0.1 Port=1 CPUs=1 RealMemory=100
	PartitionName=batch Nodes=absent MaxTime=INFINITE State=UP
	C
	slurmctld_start
}
teardown_file() {
	. "$TOP/tests/slurm/site.bash"
	own_site_down state
}
setup() { . "$TOP/tests/slurm/site.bash"; }
teardown() { as_slurm scancel --user="$SITE_USER" >/dev/null 2>&1 || true; }

queue() { as_user sbatch --parsable -p batch -t 5 -H -D / -o /dev/null --wrap true; }

# told PATTERN: the sh block of docs/upgrade.md in which it is, for this site
told() {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$TOP/tests/tools python3 - "$1" <<-'P' |
	import re
	import sys
	import check_docs
	found = [block for block in check_docs.blocks(check_docs.read("docs/upgrade.md")) if re.search(sys.argv[1], block, re.M)]
	assert len(found) == 1, found
	print(found[0], end="")
	P
		sed "s#/root/#$BATS_TEST_TMPDIR/#; s#systemctl \(start\|stop\) slurmctld#slurmctld_\1#; s#scontrol show#as_user &#; s#/etc/slurm/#$SITE/#"
}

@test "slurmctld's state is saved and put back as upgrade.md says: later jobs are unknown, and their ids are given again" {
	local state='' kept later
	kept=$(queue)
	eval "$(told 'scontrol show config')"
	[[ $state = "$SITE/state" && -s $BATS_TEST_TMPDIR/slurm-state.tar ]]
	slurmctld_start
	job_is "$kept" PENDING
	later=$(queue)
	[[ $later -gt $kept ]]
	state=
	eval "$(told '^find ')"
	[[ $state = "$SITE/state" ]]
	job_is "$kept" PENDING
	run ! as_user scontrol show job "$later"
	[[ $(queue) = "$later" ]]
}
