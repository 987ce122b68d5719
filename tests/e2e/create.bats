# SPDX-License-Identifier: GPL-2.0-or-later
# Nodes that slurm.conf does not name: no NodeName line at all.
setup_file() {
	load common.bash
	slurmctld_stop
	cp "$SITE/slurm.conf" "$SITE/slurm.conf.kept"
	cp "$SITE/k8s.yaml" "$SITE/k8s.yaml.kept"
	cp -a "$SITE/state" "$SITE/state.kept"
	find "$SITE/state" -mindepth 1 -delete
	sed -i '/^NodeName=/d; /^PartitionName=/d; s/^SuspendTime=.*/SuspendTime=3/' "$SITE/slurm.conf"
	sed -i '/^nodesets:/,$d' "$SITE/k8s.yaml"
	cat >>"$SITE/slurm.conf" <<-C
	MaxNodeCount=8
	NodeSet=pods Feature=k8s-created
	NodeSet=quick Feature=quick
	PartitionName=all Nodes=ALL Default=YES State=UP
	PartitionName=pods Nodes=pods State=UP
	PartitionName=quick Nodes=quick State=UP
	C
	cp "$SITE/k8s.yaml" "$SITE/k8s.yaml.head"
	nodeset 'dyn-[0-2]'
	! creates || slurmctld_start
}

teardown_file() {
	load common.bash
	slurmctld_stop
	find "$SITE/state" -mindepth 1 -delete
	cp -a "$SITE/state.kept/." "$SITE/state"
	rm -rf "$SITE/state.kept"
	mv "$SITE/slurm.conf.kept" "$SITE/slurm.conf"
	mv "$SITE/k8s.yaml.kept" "$SITE/k8s.yaml"
	slurmctld_start
}

setup() {
	load common.bash
	load log.bash
}
teardown() {
	[[ ! ${BATS_TEST_COMPLETED:-} ]] || return 0
	as_slurm scancel --user="$SITE_USER" >/dev/null 2>&1 || true
	as_slurm scontrol delete NodeName=theirs >/dev/null 2>&1 || true
}

creates() { [[ $SITE_RELEASE = 26.05 ]]; }
needs_creation() { creates || skip "Slurm $SITE_RELEASE: create is refused"; }

# nodeset NODES [MEMORY]: the file, with this nodeset only; not in force yet
nodeset() {
	cat "$SITE/k8s.yaml.head" - >"$SITE/k8s.yaml" <<-Y
	nodesets:
	  - name: dyn
	    cluster: prod
	    nodes: $1
	    create: {cpus: 1, memory: ${2:-128}, features: [quick]}
	    podTemplateFile: worker.yaml
	Y
}

reconfigure() {
	mark
	as_slurm scontrol reconfigure || true # (its client may give up first)
	wait_for 60 "the engine" logged 'k8s.yaml is in force\|k8s: engine .* runs'
}

nodes_known() { as_user scontrol show node --oneliner 2>/dev/null | sed -n 's/^NodeName=\([^ ]*\).*/\1/p' | sort | paste -sd,; }
known_are() { [[ $(nodes_known) = "$1" ]]; }
asleep() { [[ $(as_user sinfo -h -N -o %t | sort -u) = 'idle~' ]]; }

@test "a release that cannot do it says so, with the place in the file" {
	! creates || skip "Slurm $SITE_RELEASE can"
	run as_slurm "$SITE_BIN/k8s_resume" --dry-run dyn-0
	echo "$output"
	[[ $status -eq 1 ]]
	[[ $output = *"k8s.yaml:"*": nodeset 'dyn': create needs Slurm 26.05 or later, this is $SITE_RELEASE"* ]]
	sed -i '$a NodeName=other CPUs=1 State=CLOUD' "$SITE/slurm.conf"
	mark
	slurmctld_start
	logged "k8s.*create needs Slurm 26.05 or later"
	run ! logged 'k8s: engine .* runs'
}

# bats test_tags=from2605
@test "check finds nothing wrong at a site whose nodes are created" {
	needs_creation
	run tool check
	echo "$output"
	# (the prolog of the tests is a script that calls ours)
	[[ $status -eq 0 && $output = *", 1 warnings, 0 wrong, 0 unknown, 2 skipped" ]]
}

# bats test_tags=from2605
@test "the nodes of a nodeset come into being, powered down, in their partitions" {
	needs_creation
	wait_for 60 "the nodes" known_are dyn-0,dyn-1,dyn-2
	wait_for 120 "the nodes to sleep" asleep
	grep -q 'k8s: nodeset dyn: nodes dyn-\[0-2\]: created, 3' "$CTLD_LOG"
	node_says dyn-1 'CPUTot=1'
	node_says dyn-1 'RealMemory=128'
	node_says dyn-1 'State=IDLE+CLOUD+.*DYNAMIC_NORM'
	for p in all pods quick; do
		[[ $(as_user sinfo -h -p $p -o %D | paste -sd+ | bc) -eq 3 ]]
	done
}

# bats test_tags=from2605
@test "a job runs on two of them, and their pods go" {
	needs_creation
	id=$(submit -N2 --wrap "srun hostname; $UNTIL_TOLD")
	wait_for 90 "job $id" job_is "$id" RUNNING
	both_said() { [[ $(kns exec "$(job "$id" BatchHost)" -- sort -u "/tmp/slurm-$id.out" | wc -l) -eq 2 ]]; }
	wait_for 60 "its output" both_said
	tell "$id"
	wait_for 120 "job $id" job_is "$id" COMPLETED
	wait_for 120 "the nodes to sleep" asleep
	wait_for 120 "the pods to go" pods_are 0
	known_are dyn-0,dyn-1,dyn-2
}

# bats test_tags=from2605
@test "they survive a restart, and being killed" {
	needs_creation
	mark
	slurmctld_stop
	slurmctld_start
	wait_for 60 "the engine" logged 'k8s: engine .* runs'
	known_are dyn-0,dyn-1,dyn-2
	wait_for 120 "the nodes to sleep" asleep
	run ! logged ': created,'
	slurmctld_kill
	slurmctld_start
	wait_for 60 "the nodes" known_are dyn-0,dyn-1,dyn-2
	[[ $(as_user sinfo -h -p quick -o %D) -eq 3 ]]
}

# bats test_tags=from2605
@test "a job on them survives a reconfigure and a restart" {
	needs_creation
	id=$(submit --wrap "$UNTIL_TOLD")
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	reconfigure
	known_are dyn-0,dyn-1,dyn-2
	job_is "$id" RUNNING
	slurmctld_stop
	slurmctld_start
	job_is "$id" RUNNING
	tell "$id"
	wait_for 120 "job $id" job_is "$id" COMPLETED
	[[ $(job "$id" Restarts) = 0 ]]
	rm -f "/tmp/slurm-$id.out"
}

# bats test_tags=from2605
@test "more of them in k8s.yaml: more of them in Slurm; fewer: deleted, once they sleep" {
	needs_creation
	nodeset 'dyn-[0-4]'
	reconfigure
	wait_for 120 "two more" known_are dyn-0,dyn-1,dyn-2,dyn-3,dyn-4
	id=$(submit -w dyn-4 --wrap "$UNTIL_TOLD")
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	nodeset 'dyn-[0-3]'
	reconfigure
	stays 3 known_are dyn-0,dyn-1,dyn-2,dyn-3,dyn-4
	job_is "$id" RUNNING
	tell "$id"
	wait_for 120 "job $id" job_is "$id" COMPLETED
	nodeset 'dyn-[0-1]'
	reconfigure
	wait_for 120 "three to go" known_are dyn-0,dyn-1
	wait_for 120 "the pods to go" pods_are 0
	# (in the place of those that have gone)
	nodeset 'dyn-[0-1],new-[0-1]'
	reconfigure
	wait_for 60 "two others" known_are dyn-0,dyn-1,new-0,new-1
	id=$(submit -w 'new-[0-1]' -N2 --wrap 'srun hostname')
	wait_for 90 "job $id" job_is "$id" COMPLETED
	rm -f "/tmp/slurm-$id.out"
}

# bats test_tags=from2605
@test "another size: those that sleep are replaced" {
	needs_creation
	nodeset 'dyn-[0-1]' 160
	reconfigure
	bigger() { node_says dyn-0 RealMemory=160 && node_says dyn-1 RealMemory=160; }
	wait_for 120 "the nodes to be bigger" bigger
	wait_for 120 "the others to go" known_are dyn-0,dyn-1
}

# bats test_tags=from2605
@test "another size, or no nodeset: one that a running job requires, and did not get, stays as long" {
	needs_creation
	nodeset 'dyn-[0-2]' 160
	reconfigure
	wait_for 120 "another one" known_are dyn-0,dyn-1,dyn-2
	wait_for 120 "the nodes to sleep" asleep
	id=$(submit -N1 -w 'dyn-[1-2]' --wrap "$UNTIL_TOLD")
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	other=dyn-1
	[[ $(job "$id" NodeList) != dyn-1 ]] || other=dyn-2
	nodeset dyn-0 192
	reconfigure
	larger() { node_says dyn-0 RealMemory=192; }
	wait_for 120 "the one that no job requires to be larger" larger
	wait_for 30 "the word" logged "k8s: node $other: in no nodeset, but it stays as it is while job $id has it in its ReqNodeList"
	[[ $(nodes_known) = dyn-0,dyn-1,dyn-2 ]]
	# (Slurm would end it by now)
	slurmctld_stop
	slurmctld_start
	job_is "$id" RUNNING
	tell "$id"
	wait_for 120 "job $id" job_is "$id" COMPLETED
	wait_for 180 "both to go" known_are dyn-0
	rm -f "/tmp/slurm-$id.out"
	nodeset 'dyn-[0-1]' 160
	reconfigure
	wait_for 120 "another one" known_are dyn-0,dyn-1
}

# bats test_tags=from2605
@test "what somebody else has created is left alone" {
	needs_creation
	as_slurm scontrol create NodeName=theirs CPUs=1 RealMemory=64 State=CLOUD
	nodeset 'dyn-[0-1]' 160
	reconfigure
	stays 12 known_are dyn-0,dyn-1,theirs
	as_slurm scontrol delete NodeName=theirs
}

# bats test_tags=from2605
@test "more nodes than MaxNodeCount: said once, the others stay usable" {
	needs_creation
	nodeset 'dyn-[0-19]' 160
	reconfigure
	wait_for 60 "the refusal" logged 'k8s: nodeset dyn: nodes dyn-.*: slurmctld refuses to create nodes: .*again after'
	said_once() { [[ $(tail -n "+$((MARK + 1))" "$CTLD_LOG" | grep -c 'k8s: .*refuses to create') -eq 1 ]]; }
	stays 7 said_once
	id=$(submit -w dyn-0 --wrap true)
	wait_for 120 "job $id" job_is "$id" COMPLETED
	rm -f "/tmp/slurm-$id.out"
}
