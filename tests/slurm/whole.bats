# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs of whole nodes on a real slurmctld, without Kubernetes: two nodes of 64 CPUs and 256 GiB;
# what common/bridge/jobspec/job_size.c asks for, and what Slurm makes of it
setup_file() {
	# shellcheck disable=SC2030 # (a Slurm of this file's own, beside the one that all use)
	export PLAIN_CPUS=64 PLAIN_MEMORY=262144
	. "$TOP/tests/slurm/site.bash"
	export SITE SITE_PORT
	plain_site_up
	cat >>"$SITE/slurm.conf" <<-C
	PartitionName=node32 Nodes=$(nodes) MaxMemPerNode=32768 State=UP
	PartitionName=cpu4 Nodes=$(nodes) DefMemPerCPU=1024 MaxMemPerCPU=4096 State=UP
	C
	select_by CR_CPU_Memory
}
teardown_file() {
	. "$TOP/tests/slurm/site.bash"
	plain_site_down
}
setup() { . "$TOP/tests/slurm/site.bash"; }
teardown() { clean_up; }

nodes() { if has_external; then echo k8s; else echo 'hyb[0-1]'; fi; }

# select_by TYPE: SelectTypeParameters
select_by() {
	slurmctld_stop
	sed -i "s/^SelectTypeParameters=.*/SelectTypeParameters=$1/" "$SITE/slurm.conf"
	slurmctld_start
	wait_for 90 "the nodes" nodes_idle
}

# sized PODS,CPUS,MIB KEY=VALUE...: whole nodes for so many pods; NODES=shared: a part of them
sized() {
	# shellcheck disable=SC2086 # two words
	ph "${NODES:-whole}" "$1,64,262144" $USER_IDS partition=kube name=pod-a time_limit=5 admin_comment="$IDENTITY" "${@:2}"
}
# AllocTRES, in 22.05 TRES
tres() { as_user scontrol show job "$1" | sed -nE 's/^ *(Alloc)?TRES=//p' | sed 's/,billing=.*//'; }
# has_tres JOB CPUS GIB NODES (where Slurm counts no memory it gives none)
has_tres() { [[ $(tres "$1") = "cpu=$2$(grep -q "^SelectTypeParameters=.*_Memory" "$SITE/slurm.conf" && echo ",mem=$3G"),node=$4" ]]; }
# has_nodes JOB NUMBER MIB: each has 64 CPUs
has_nodes() {
	run ph layout "$1"
	[[ ${#lines[@]} = "$2" ]] || return 1
	for line in "${lines[@]}"; do [[ $line = *" cpus=64 memory=$3 "* ]] || return 1; done
}

one_pod() {
	id=$(sized 1,1,16384)
	wait_is "$id" RUNNING
	has_nodes "$id" 1 16384
	has_tres "$id" 64 16 1
	# (nobody shares its node)
	other=$(sized 1,1,16384 nodelist="$(job "$id" NodeList)" exclusive=2)
	wait_is "$other" PENDING
	ph cancel "$other"
	ph cancel "$id"
}

two_pods_on_a_node() {
	id=$(sized 2,1,16384)
	wait_is "$id" RUNNING
	has_nodes "$id" 1 32768
	has_tres "$id" 64 32 1
	ph cancel "$id"
}

# memory of a node is for two of them
a_gang() {
	wait_for 90 "the nodes" nodes_idle
	id=$(sized 4,1,102400)
	wait_is "$id" RUNNING
	has_nodes "$id" 2 204800
	has_tres "$id" 128 400 2
	ph cancel "$id"
	wait_for 90 "the nodes" nodes_idle
	# CPUs of a node are for two of them
	id=$(sized 3,30,1024)
	wait_is "$id" RUNNING
	has_nodes "$id" 2 2048
	ph cancel "$id"
}

@test "whole nodes where Slurm counts memory: one pod" { one_pod; }
@test "whole nodes where Slurm counts memory: two pods on a node" { two_pods_on_a_node; }
@test "whole nodes where Slurm counts memory: a gang on two" { a_gang; }

@test "the partition's limits of memory hold as for sbatch --exclusive --mem" {
	id=$(sized 1,1,16384 partition=node32)
	wait_is "$id" RUNNING
	has_tres "$id" 64 16 1
	run sized 1,1,65536 partition=node32
	[[ $status = 1 && $output = *'Memory required by task is not available'* ]]
	run sized 4,1,16384 partition=node32 # (a node has more than the limit)
	[[ $status = 1 && $output = *'Memory required by task is not available'* ]]
	ph cancel "$id"
	wait_for 90 "the nodes" nodes_idle
	id=$(sized 1,1,16384 partition=cpu4)
	wait_is "$id" RUNNING
	has_tres "$id" 64 16 1
	ph cancel "$id"
	wait_for 90 "the nodes" nodes_idle
	id=$(sized 2,1,16384 partition=cpu4)
	wait_is "$id" RUNNING
	has_tres "$id" 64 32 1
	ph cancel "$id"
	wait_for 90 "the nodes" nodes_idle
	# (who asks for none has the default, for each CPU of the node)
	id=$(sized 1,1,0 partition=cpu4)
	wait_is "$id" RUNNING
	has_tres "$id" 64 64 1
	ph cancel "$id"
	! has_external || return 0
	for options in '-p kube -c1 --mem=16G' '-p cpu4 -c1 --mem=16G' '-p cpu4 -c1'; do
		wait_for 90 "the nodes" nodes_idle
		# shellcheck disable=SC2086 # several words
		id=$(as_user sbatch --parsable -N1 -n1 -t5 --exclusive -D / -o /dev/null --wrap 'sleep 100' $options)
		wait_for 90 "the job" job_is "$id" RUNNING
		has_tres "$id" 64 "$([[ $options = *--mem=* ]] && echo 16 || echo 64)" 1
		as_slurm scancel "$id"
	done
}

# one MORE...: a job of one CPU on the first node
one() {
	local first=ext0
	has_external || first=hyb0
	ph submit uid="$(id -u "${OWNER:-$SITE_USER}")" gid="$(id -g "${OWNER:-$SITE_USER}")" partition=kube time_limit=5 \
		tasks=1 cpus_per_task=1 max_nodes=1 memory_per_node=16384 nodelist="$first" admin_comment="$IDENTITY" "$@"
}

@test "nodes that only jobs of the same user may share, or of the same MCS label" {
	wait_for 90 "the nodes" nodes_idle
	for how in 3:USER 4:MCS; do
		id=$(one exclusive="${how%:*}")
		wait_is "$id" RUNNING
		as_user scontrol show job "$id" | grep -qE "(OverSubscribe|Exclusive)=${how#*:}\b"
		has_tres "$id" 1 16 1
		if [[ $how = *USER ]]; then
			own=$(one exclusive=2)
			wait_is "$own" RUNNING
			other=$(OWNER=games one exclusive=2)
			stays 3 is "$other" PENDING
			ph cancel "$own"
			ph cancel "$id"
			wait_is "$other" RUNNING
			ph cancel "$other"
		fi
		ph cancel "$id"
	done
}

@test "whole nodes where Slurm does not count memory" {
	select_by CR_CPU
	one_pod
	two_pods_on_a_node
	a_gang
}

@test "two threads a core, where Slurm gives whole cores: what it gives is enough, and no memory twice" {
	! has_external || skip "external nodes have a thread a core"
	sed -i 's/^NodeName=hyb.*/& CoresPerSocket=32 ThreadsPerCore=2/' "$SITE/slurm.conf"
	select_by CR_Core_Memory
	# a core each: 16 of them have all memory of the node
	many=()
	for _ in {1..16}; do many+=("$(NODES=shared sized 1,1,16384 nodelist=hyb0)"); done
	for id in "${many[@]}"; do
		wait_is "$id" RUNNING
		[[ $(ph layout "$id") = 'hyb0 cpus=2 memory=16384 '* ]]
		has_tres "$id" 2 16 1
	done
	last=$(NODES=shared sized 1,1,16384 nodelist=hyb0)
	wait_is "$last" 'PENDING .* reason=Resources '
	for id in "${many[@]}" "$last"; do ph cancel "$id"; done
	wait_for 90 "the nodes" nodes_idle
	# 32 of them have all its cores
	many=()
	for _ in {1..32}; do many+=("$(NODES=shared sized 1,1,10 nodelist=hyb0)"); done
	for id in "${many[@]}"; do wait_is "$id" RUNNING; done
	last=$(NODES=shared sized 1,1,10 nodelist=hyb0)
	wait_is "$last" 'PENDING .* reason=Resources '
	for id in "${many[@]}" "$last"; do ph cancel "$id"; done
	wait_for 90 "the nodes" nodes_idle
	# a gang on shared nodes: each node has room for the pods that fit its CPUs
	id=$(NODES=shared sized 3,3,3000 max_nodes=1)
	wait_is "$id" RUNNING
	[[ $(ph layout "$id") =~ ' cpus='([0-9]+)' memory='([0-9]+)' ' ]]
	((BASH_REMATCH[1] >= 9 && BASH_REMATCH[2] >= 9000))
	ph cancel "$id"
	# whole nodes
	one_pod
	two_pods_on_a_node
	a_gang
}
