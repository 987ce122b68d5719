# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=from2605
# What later releases of Slurm have for power saving, all at once: named programs
# (PowerAction), SuspendTime and Topology of a node, ResumeTimeout=INFINITE,
# requeue_on_resume_failure, and "scontrol power".
setup_file() {
	load common.bash
	has_all || return 0
	cp "$SITE/slurm.conf" "$SITE/slurm.conf.before"
	configure
	slurmctld_stop
	slurmctld_start
}

teardown_file() {
	load common.bash
	has_all || return 0
	mv "$SITE/slurm.conf.before" "$SITE/slurm.conf"
	rm "$SITE/topology.yaml"
	slurmctld_stop
	slurmctld_start
}

configure() {
	local f=$SITE/slurm.conf
	put "$f" "ResumeProgram=$SITE_BIN/k8s_resume" ResumeProgram=pod-up
	put "$f" "SuspendProgram=$SITE_BIN/k8s_suspend" SuspendProgram=pod-down
	put "$f" ResumeTimeout=180 ResumeTimeout=INFINITE
	put "$f" SchedulerParameters= SchedulerParameters=requeue_on_resume_failure,
	put "$f" 'NodeName=cpu-[0-3] ' 'NodeName=cpu-[0-3] Topology=tree:root:s1 '
	sed -i 's/^SuspendTime=.*/SuspendTime=3/' "$f"
	sed -i 's/^NodeName=big-\[0-1\]\(.*\)/NodeName=big-0\1 SuspendTime=INFINITE\nNodeName=big-1\1/' "$f"
	cat >>"$f" <<-C
	PowerAction=pod-up Location=slurmctld Program="$SITE_BIN/k8s_resume --verbose"
	PowerAction=pod-down Location=slurmctld Program="$SITE_BIN/k8s_suspend"
	C
	cat >"$SITE/topology.yaml" <<-Y
	- topology: tree
	  cluster_default: true
	  tree:
	    switches:
	      - {switch: root, children: "s[1-3]"}
	      - {switch: s1, nodes: "cpu-[2-3]"}
	      - {switch: s2, nodes: "big-[0-1]"}
	      - {switch: s3, nodes: slow-0}
	Y
}

has_all() { [[ $SITE_RELEASE = 26.05 ]]; }

setup() {
	load common.bash
	has_all || skip "Slurm $SITE_RELEASE has not all of this"
}
teardown() { ! has_all || clean_up; }

@test "PowerActions make and delete the pods of a job, whose nodes have a topology and no ResumeTimeout" {
	as_user scontrol show config | grep -q 'ResumeTimeout *= .*INFINITE'
	as_user scontrol show config | grep -q 'ResumeProgram *= pod-up'
	as_user scontrol show topology | grep -q 'SwitchName=s1 .*Nodes=cpu-\[0-3\]'
	suspend_time 3
	id=$(submit -N2 --switches=1 --wrap 'srun hostname')
	wait_for 120 "job $id" job_is "$id" COMPLETED
	wait_for 120 "the pods to go" pods_are 0
	wait_for 120 "idle~" nodes_are cpu-[0-3] 'idle~'
}

@test "a node whose SuspendTime is INFINITE keeps its pod, another one does not" {
	suspend_time 300
	as_slurm scontrol power up big-[0-1]
	wait_for 120 "the nodes" nodes_are big-[0-1] idle
	suspend_time 3
	wait_for 120 "big-1 to sleep" nodes_are big-1 'idle~'
	stays 5 nodes_are big-0 idle
	wait_for 120 "one pod to be left" pods_are 1
	pods_are 1 slurm-k8s.io/node=big-0
}

@test "a job that must not be requeued is, when its node's power-up fails; then it runs" {
	sed 's/secretName: [a-z]*/secretName: no-such-secret/' "$SITE/worker.yaml" >"$SITE/bad.yaml"
	id=$(submit -p slow --no-requeue --wrap true)
	wait_for 120 "the job to be requeued" job_says "$id" Restarts=1
	good_template
	wait_for 90 "idle~" nodes_are slow-0 'idle~'
	update JobId="$id" StartTime=now || true # (the engine may have done it)
	wait_for 120 "job $id" job_is "$id" COMPLETED
}

@test "scontrol power: down asap waits for the job, down force does not, up force, with a Reason" {
	suspend_time 300
	id=$(submit -p big -w big-1 --requeue --wrap 'sleep 1000')
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	as_slurm scontrol power down asap big-1 Reason=later
	node_says big-1 Reason=later
	stays 5 job_is "$id" RUNNING
	pods_are 1 slurm-k8s.io/node=big-1
	as_slurm scancel "$id"
	wait_for 120 "its pod to go" pods_are 0
	wait_for 120 "big-1 to be of use again" nodes_are big-1 'idle~'
	as_slurm scontrol power up force big-1
	wait_for 120 "big-1" nodes_are big-1 idle
	id=$(submit -p big -w big-1 --requeue --wrap 'sleep 1000')
	wait_for 120 "job $id to run" job_is "$id" RUNNING
	as_slurm scontrol power down force big-1 Reason=now
	wait_for 120 "job $id to be requeued" job_says "$id" Restarts=1
	as_slurm scancel "$id"
	wait_for 120 "its pod to go" pods_are 0
	wait_for 120 "big-1 to be of use again" nodes_are big-1 'idle~'
}
