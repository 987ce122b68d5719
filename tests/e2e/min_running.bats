# SPDX-License-Identifier: GPL-2.0-or-later
# Nodes that run though no job wants them: minRunning.
setup() {
	load engine.bash
	! keeps || suspend_time 3
}
teardown() {
	as_slurm scancel --user="$SITE_USER" >/dev/null 2>&1 || true
	sed -i '/^SuspendExcNodes=/d' "$SITE/slurm.conf"
	! keeps || forget
	put_right
}

# (the first release that can is 23.11)
keeps() { [[ $SITE_RELEASE != 22.05 ]]; }
needs_keeping() { keeps || skip "Slurm $SITE_RELEASE: minRunning is refused"; }

# wanted TEXT [SED-EXPRESSION]: in the nodeset "bad" of k8s.yaml; want: the same, in force
wanted() {
	other_yaml
	sed -e "s/^    nodes: bad-\[0-3\]\$/&\n    $1/" -e "${2:-}" "$SITE/k8s.yaml.good" >"$SITE/k8s.yaml"
}
want() {
	wanted "$@"
	take_over
}
# forget: no node is kept up any more
forget() {
	[[ ! -e $SITE/k8s.yaml.good ]] || { good_yaml && take_over; }
	wait_for 60 "no node to be kept up" excepted_are ''
}
# suspended NODE: Slurm powers it up for a job, and down again
suspended() {
	local job
	job=$(submit -p bad -w "$1" --wrap true)
	wait_for 120 "the job on $1" job_is "$job" COMPLETED
	wait_for 120 "$1 to power down" nodes_are "$1" 'idle~'
}

@test "minRunning: a release that cannot keep nodes up says so, with the place in the file" {
	! keeps || skip "Slurm $SITE_RELEASE can"
	wanted 'minRunning: 2'
	run as_slurm "$SITE_BIN/k8s_resume" --dry-run bad-0
	echo "$output"
	[[ $status -eq 1 ]]
	[[ $output = *"k8s.yaml:"*": nodeset 'bad': minRunning needs Slurm 23.11 or later, this is $SITE_RELEASE"* ]]
}

@test "minRunning: so many nodes run without a job, for longer than SuspendTime" {
	needs_keeping
	want 'minRunning: 2'
	wait_for 120 "two nodes" nodes_are 'bad-[0-1]' idle
	logged 'nodeset bad: nodes bad-\[0-1\] are powered up: 2 are to run (minRunning), 0 do'
	logged 'nodeset bad: nodes bad-\[0-1\] are kept up (minRunning)'
	excepted_are 'bad-[0-1]'
	wait_for 60 "their Extra" node_says bad-0 'Extra=k8s: kept up by minRunning; pod '
	# (another node comes and goes meanwhile, so these have been idle for longer than SuspendTime)
	suspended bad-3
	nodes_are 'bad-[0-1]' idle
	pods_are 2
	# (which is no mistake of anybody's)
	run tool check --problems
	echo "$output"
	has PrologSlurmctld # (it has looked)
	run ! grep SuspendExcNodes <<<"$output"
	# Their jobs start at once, and they stay when the jobs have ended
	job=$(submit -p bad -w bad-0 --wrap true)
	wait_for 60 "a job on a node that runs" job_is "$job" COMPLETED
	suspended bad-3
	nodes_are 'bad-[0-1]' idle
}

@test "minRunning: another node takes the place of one that is drained or lost" {
	needs_keeping
	want 'minRunning: 2'
	wait_for 120 "two nodes" nodes_are 'bad-[0-1]' idle
	update NodeName=bad-0 State=DRAIN Reason=mine
	wait_for 120 "another one in its place" nodes_are 'bad-[1-2]' idle
	wait_for 60 "the drained one to be released" excepted_are 'bad-[1-2]'
	wait_for 120 "it to power down" nodes_are bad-0 'drain~'
	update NodeName=bad-0 State=IDLE
	# A pod that somebody deletes: its node counts no more, and comes back by itself
	kns delete pod bad-1 --grace-period=0 --force >/dev/null 2>&1
	wait_for 120 "another one in its place" nodes_are 'bad-0,bad-2' idle
	wait_for 60 "these to be kept up" excepted_are 'bad-[0,2]'
}

@test "minRunning: after slurmctld was killed, and reconfigured, so many nodes are kept up again" {
	needs_keeping
	want 'minRunning: 2'
	wait_for 120 "two nodes" nodes_are 'bad-[0-1]' idle
	wait_for 60 "their Extra" node_says bad-1 'Extra=k8s: kept up by minRunning; pod '
	touch "$SITE/now"
	update NodeName=bad-3 Comment=saved
	wait_for 60 "Slurm to save its nodes" nodes_saved_since "$SITE/now"
	mark
	slurmctld_kill
	slurmctld_start
	# (before the pods are in view; power saving may have been quicker)
	wait_for 60 "the nodes to be kept up" logged 'nodes .* are kept up'
	wait_for 120 "two of them" two_are_kept
	take_over
	wait_for 60 "the nodes to be kept up" logged 'nodes .* are kept up'
	wait_for 120 "two of them" two_are_kept
	suspended bad-3 # (longer than SuspendTime)
	two_are_kept
}
nodes_saved_since() { [[ $SITE/state/node_state -nt $1 ]]; }
two_are_kept() {
	local names
	names=$(as_user sinfo -h -N -p bad -t idle -o '%N %t' | awk '$2 == "idle" {print $1}' | sort -u | paste -sd,)
	[[ $names = *,* && $names != *,*,* ]] && excepted_are "$(as_user scontrol show hostlist "$names")"
}

@test "minRunning: what an administrator keeps up counts first, and stays his" {
	needs_keeping
	sed -i '/^SuspendExcNodes=/d' "$SITE/slurm.conf"
	echo 'SuspendExcNodes=bad-3' >>"$SITE/slurm.conf"
	want 'minRunning: 2'
	update NodeName=bad-3 State=POWER_UP
	wait_for 120 "his node" nodes_are bad-3 idle
	wait_for 120 "one more of ours" excepted_are 'bad-[0,3]'
	wait_for 120 "it" nodes_are bad-0 idle
	wait_for 60 "no other one" nodes_are 'bad-[1-2]' 'idle~'
	# What he adds meanwhile is left alone, too, when ours is taken out and another one is added
	update SuspendExcNodes+=bulk-0
	update NodeName=bad-0 State=DRAIN Reason=mine
	wait_for 120 "another one in its place" excepted_are 'bad-[1,3],bulk-0'
	wait_for 120 "it" nodes_are bad-1 idle
	update NodeName=bad-0 State=IDLE
	# Our name is his from when he writes it into slurm.conf: it stays when no node is to run
	wait_for 60 "its Extra" node_says bad-1 'Extra=k8s: kept up by minRunning; pod '
	put "$SITE/slurm.conf" SuspendExcNodes=bad-3 'SuspendExcNodes=bad-[1,3]'
	want 'minRunning: 1'
	wait_for 60 "its Extra to say so" node_says bad-1 'Extra=k8s: pod '
	wait_for 60 "it to be kept" excepted_are 'bad-[1,3]'
	nodes_are 'bad-1,bad-3' idle
}

@test "minRunningSchedule: more nodes run at the hours that it names" {
	needs_keeping
	# slurmctld's clock is this machine's. (The hours end at a whole minute, two to three from now.)
	from=$(date -d '-5 minutes' +%H:%M) to=$(date -d '+3 minutes' +%H:%M)
	want "minRunningSchedule: [{nodes: 2, from: \"$from\", to: \"$to\"}, {nodes: 1, from: \"00:00\", to: \"24:00\"}]"
	wait_for 60 "two nodes to be kept up" excepted_are 'bad-[0-1]'
	wait_for 300 "the hours to be over" excepted_are bad-0
	logged 'nodeset bad: nodes bad-1 are no longer kept up (minRunning)'
	wait_for 120 "one to power down" nodes_are bad-1 'idle~'
	nodes_are bad-0 idle
}

@test "minRunning: with a count in SuspendExcNodes the log says why no node is kept up" {
	needs_keeping
	echo 'SuspendExcNodes=bulk-[0-3]:2' >>"$SITE/slurm.conf"
	want 'minRunning: 1'
	wait_for 60 "the words" logged 'minRunning keeps no node up: SuspendExcNodes has a count (bulk-\[0-3\]:2)'
	stays 12 nodes_are 'bad-[0-3]' 'idle~' # (two looks)
}

@test "minRunning: a nodeset whose pods are refused rests, and is not asked again before" {
	needs_keeping
	quota none 0
	want 'minRunning: 2' 's/registerWithin: 30s}/registerWithin: 30s, coolDown: 40s, coolDownMax: 40s}/'
	wait_for 120 "the nodeset to rest" logged 'nodeset bad cools down for 40 s: .*exceeded quota'
	mark
	kns delete quota none >/dev/null
	wait_for 180 "two nodes" nodes_are 'bad-[0-1]' idle
	# the rest is over before any of them is powered up again
	order=$(since_mark | grep -o 'no longer drained (cooled down)\|nodeset bad: nodes [^ ]* are powered up' | head -n 1)
	echo "first: $order"
	[[ $order = 'no longer drained (cooled down)' ]]
}
