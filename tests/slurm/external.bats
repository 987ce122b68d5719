# SPDX-License-Identifier: GPL-2.0-or-later
# External nodes on a real slurmctld, without Kubernetes: common/slurm/ctl_external.h
# (script/test runs this with such a Slurm only)
setup() {
	. "$TOP/tests/slurm/site.bash"
	has_external || skip "Slurm $SITE_RELEASE has no external nodes"
}
teardown() {
	clean_up
	! has_external || ph delete 'new[0-3]' >/dev/null 2>&1 || true
}

# is_drained NODE STATE: (25.05 loses a node that it has back from DRAIN: FAIL instead)
is_drained() { if site_since 25.11; then node_is "$1" "$2+DRAIN"; else node_is "$1" '.*FAIL'; fi; }

@test "created, used, deleted, created anew with another size" {
	ph create 'NodeName=new[0-2] CPUs=2 RealMemory=500 Gres=gpu:1 Feature=k8s,fast'
	for i in 0 1 2; do node_is "new$i" 'IDLE+DYNAMIC_NORM+EXTERNAL'; done
	as_user sinfo -h -p kube -N -o %N | grep -qx new2
	id=$(placeholder features=fast tres_per_node=gres/gpu:1 tasks=2 memory_per_node=500)
	wait_is "$id" 'RUNNING .* nodes=new[0-2] '
	[[ $(ph layout "$id") = new?' cpus=2 memory=500 gpus=1 '* ]]
	run ph delete "$(job "$id" NodeList)"
	[[ $status = 1 && $output = *EIO:* ]]
	ph end "$id" 0
	wait_is "$id" ENDED
	ph delete 'new[0-2]'
	run placeholder features=fast
	[[ $status = 1 && $output = 'EINVAL: Slurm refuses the job: '* ]]
	ph create 'NodeName=new0 CPUs=8 RealMemory=2000 Feature=k8s,fast'
	id=$(placeholder features=fast tasks=3 cpus_per_task=2)
	wait_is "$id" 'RUNNING .* nodes=new0 '
	other=$(placeholder features=fast)
	wait_is "$other" 'RUNNING .* nodes=new0 '
}

@test "all of a line, or nothing; and no line without nodes" {
	ph create 'NodeName=new1 CPUs=2 RealMemory=500 Feature=k8s'
	run ph create 'NodeName=new[0-2] CPUs=2 RealMemory=500 Feature=k8s'
	[[ $status = 1 && $output = *EIO:* ]]
	run as_user scontrol show node new0
	if site_since 26.05; then [[ $output = *'not found'* ]]; fi
	run ph create 'CPUs=2'
	[[ $status = 1 && $output = 'EINVAL: the line names no nodes'* ]]
}

@test "what a job has on each node, also when names are not in the order of creation" {
	ph create 'NodeName=new2 CPUs=2 RealMemory=500 Feature=k8s,mixed'
	ph create 'NodeName=new0 CPUs=8 RealMemory=500 Gres=gpu:1 Feature=k8s,mixed'
	ph create 'NodeName=new1 CPUs=3 RealMemory=500 Feature=k8s,mixed'
	id=$(placeholder features=mixed tasks=3 min_nodes=3 exclusive=1)
	wait_is "$id" RUNNING
	run ph layout "$id"
	[[ ${#lines[@]} = 3 ]]
	has 'new0 cpus=8 memory=10 gpus=1 gres=gpu:1(IDX:0)'
	has 'new1 cpus=3 memory=10 gpus=0 gres='
	has 'new2 cpus=2 memory=10 gpus=0 gres='
	# (a smaller job's names are sorted by slurmctld, its CPUs and gres are not)
	as_slurm scontrol update JobId="$id" NumNodes=2
	[[ $(job "$id" NodeList) = 'new[0,2]' ]]
	run ph layout "$id"
	[[ ${#lines[@]} = 2 ]]
	has 'new0 cpus=8 memory=10 gpus=1 gres=gpu:1(IDX:0)'
	has 'new2 cpus=2 memory=10 gpus=0 gres='
}

@test "drained, down and back; features change" {
	ph create 'NodeName=new0 CPUs=2 RealMemory=500 Feature=k8s'
	id=$(placeholder nodelist=new0)
	wait_is "$id" RUNNING
	ph drain new0 'k8s: cordoned'
	is_drained new0 MIXED
	[[ $(as_user sinfo -h -n new0 -o %E | sort -u) = 'k8s: cordoned' ]]
	other=$(placeholder nodelist=new0)
	stays 2 is "$other" PENDING
	is "$id" RUNNING
	ph resume new0
	wait_is "$other" RUNNING
	run silent new0
	[[ $status != 0 ]]
	ph down new0 'k8s: not ready'
	wait_is "$id" 'ENDED NODE_FAIL '
	node_is new0 DOWN
	ph resume new0
	node_is new0 IDLE
	ph features new0 k8s,blue
	id=$(placeholder features=blue)
	wait_is "$id" 'RUNNING .* nodes=new0 '
}

# renewed NODES WORDS
renewed() {
	ph delete "$1"
	ph create "NodeName=$1 $2"
}

silent() { as_user scontrol show node "$1" | grep -q 'State=.*NOT_RESPONDING'; }

@test "not responding after a signal to a job there: only a new one helps" {
	ph create 'NodeName=new0 CPUs=2 RealMemory=500 Feature=k8s'
	id=$(placeholder nodelist=new0)
	wait_is "$id" RUNNING
	sleep 2 # (a node that has "responded" in this very second is forgiven)
	as_user timeout 10 scancel -s USR1 "$id"
	wait_for 90 "new0 not to respond" silent new0
	is "$id" RUNNING
	ph end "$id" 0
	wait_is "$id" 'ENDED COMPLETED '
	# what does not help
	as_slurm scontrol update NodeName=new0 State=RESUME || true
	ph drain new0 'k8s: x'
	ph resume new0
	ph down new0 'k8s: x'
	ph resume new0
	silent new0
	ph delete new0
	ph create 'NodeName=new0 CPUs=2 RealMemory=500 Feature=k8s'
	node_is new0 'IDLE+DYNAMIC_NORM+EXTERNAL '
	id=$(placeholder nodelist=new0)
	wait_is "$id" RUNNING
}

@test "an exit code for which slurm.conf has jobs put back ends one all the same" {
	ph create 'NodeName=new0 CPUs=2 RealMemory=500 Feature=k8s,fast'
	id=$(placeholder features=fast)
	wait_is "$id" RUNNING
	ph end "$id" $((99 << 8))
	wait_is "$id" ENDED
	[[ $(job "$id" JobState) = FAILED && $(job "$id" ExitCode) = 99:0 && $(job "$id" Restarts) = 0 ]]
}

@test "normal jobs never run there" {
	run as_user sbatch -p kube -t 1 --chdir=/tmp --output=/dev/null --wrap true
	[[ $status != 0 && $output = *'Requested node configuration is not available' ]]
}

@test "kill -9 of slurmctld, and a reconfigure: the nodes stay, and no name is looked up" {
	ph create 'NodeName=new[0-1] CPUs=2 RealMemory=500 Gres=gpu:1 Feature=k8s,fast'
	id=$(placeholder features=fast tres_per_node=gres/gpu:1)
	wait_is "$id" RUNNING
	ph drain new1 'k8s: cordoned'
	save "$id" new1
	slurmctld_kill
	slurmctld_start
	is_drained new1 IDLE
	node_is new1 '.*+DYNAMIC_NORM+EXTERNAL'
	run silent new0
	[[ $status != 0 ]]
	is "$id" RUNNING
	as_slurm scontrol reconfigure
	wait_for 90 "slurmctld" is "$id" RUNNING
	is_drained new1 IDLE
	node_is new1 '.*+DYNAMIC_NORM+EXTERNAL'
	ph resume new1
	if ! site_since 25.11; then # (it has told slurmds that nobody has)
		wait_for 90 "new1 not to respond" silent new1
		renewed new1 'CPUs=2 RealMemory=500 Gres=gpu:1 Feature=k8s,fast'
		renewed 'ext[0-1]' 'CPUs=4 RealMemory=1000 Gres=gpu:2 Feature=k8s'
	fi
	other=$(placeholder nodelist=new1)
	wait_is "$other" RUNNING
	[[ $(as_user scontrol show node new1) = *NodeAddr=127.0.0.1* ]]
	run ! grep -E 'getaddrinfo|Unable to resolve' "$SITE/log/slurmctld.log"
}
