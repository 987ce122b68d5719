# SPDX-License-Identifier: GPL-2.0-or-later
# etc/job_submit.lua.example in a slurmctld, beside job_submit/k8s: tests/lua/test_job_submit.lua
# tries each of its rules, this one whether Slurm has what it asks for.
setup_file() {
	. "$TOP/tests/slurm/site.bash"
	own_site
	put "$SITE/slurm.conf" JobSubmitPlugins=require_timelimit,lua JobSubmitPlugins=k8s,lua
	cat >>"$SITE/slurm.conf" <<-C
	PartitionName=batch Nodes=absent MaxTime=INFINITE State=UP
	PartitionName=metal Nodes=absent MaxTime=INFINITE State=UP
	C
	cp "$TOP/etc/job_submit.lua.example" "$SITE/job_submit.lua"
	install -m 755 "$TOP/$SITE_BUILD/tests/slurm/placeholder" "$SITE/placeholder"
	slurmctld_start
}
teardown_file() {
	. "$TOP/tests/slurm/site.bash"
	own_site_down policy
}
setup() { . "$TOP/tests/slurm/site.bash"; }
teardown() { as_slurm scancel --user="$SITE_USER" >/dev/null 2>&1 || true; }

queue() { as_user sbatch --parsable -D / -o /dev/null "$@" --wrap true; }
refused() {
	run queue "${@:2}"
	echo "$output"
	[[ $status -ne 0 ]] && has "$1"
}

@test "a site's policy gives jobs in pods a time limit, and others none" {
	id=$(queue -p batch)
	[[ $(job "$id" TimeLimit) = 01:00:00 ]]
	grep -q 'job_submit.lua: uid [0-9]*: 60 minutes by default' "$SITE/log/slurmctld.log"
	id=$(queue -p batch -t 5)
	[[ $(job "$id" TimeLimit) = 00:05:00 ]]
	id=$(queue -p metal)
	[[ $(job "$id" TimeLimit) = UNLIMITED ]]
}

@test "a site's policy says why it refuses a job, or a change of one" {
	refused '--no-requeue is not for partitions whose nodes are pods' -p batch --no-requeue
	refused 'the feature pytorch is not for account ' -p batch --constraint=pytorch
	id=$(queue -p metal --no-requeue)
	run as_user scontrol update JobId="$id" Features=pytorch
	echo "$output"
	[[ $status -ne 0 ]]
	run ! job_says "$id" Features=pytorch
	as_user scontrol update JobId="$id" TimeLimit=3
	[[ $(job "$id" TimeLimit) = 00:03:00 ]]
}
job_says() { as_user scontrol show job "$1" | grep -q -- "$2"; }

@test "a site's policy lets jobs of the bridge pass" {
	where='batch'
	if has_external; then
		where='kube'
		ph create "NodeName=ext0 CPUs=4 RealMemory=1000 Feature=k8s,pytorch"
	fi
	id=$(placeholder partition=$where features=pytorch)
	[[ $id =~ ^[0-9]+$ && $(job "$id" TimeLimit) = 00:05:00 ]]
	job_says "$id" Features=pytorch
}
