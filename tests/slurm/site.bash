# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A Slurm of its own in a private directory, without Kubernetes. Needs TOP.
# shellcheck source=script/lib/site.sh
. "$TOP/script/lib/site.sh"

bats_require_minimum_version 1.5.0 # for "run !"; a "!" alone asserts nothing
# shellcheck disable=SC2034 # bats looks there (and not in the environment)
BATS_TEST_RETRIES=${E2E_RETRIES:-0}
[[ ! ${BATS_TEST_DESCRIPTION:-} ]] || watch_test

# (a user of this machine whom Slurm's own files do not know)
has_external() { site_since 25.05; }
# placeholders are batch jobs
has_batch() { site_since 23.11 && ! site_since 25.05; }

# PLAIN_CPUS, PLAIN_MEMORY: what each of two nodes has
PLAIN_CPUS=${PLAIN_CPUS:-4} PLAIN_MEMORY=${PLAIN_MEMORY:-1000}

plain_site_conf() {
	local host auth
	host=$(hostname -s)
	auth="AuthType=auth/munge
AuthInfo=socket=$SITE/munge/socket"
	! site_in_tree || auth="AuthType=auth/slurm
CredType=auth/slurm"
	cat >"$SITE/slurm.conf" <<-C
	ClusterName=plain
	SlurmctldHost=$host(127.0.0.1)
	SlurmctldPort=$SITE_PORT
	SlurmUser=slurm
	StateSaveLocation=$SITE/state
	SlurmctldPidFile=$SITE/state/slurmctld.pid
	SlurmctldLogFile=$SITE/log/slurmctld.log
	SlurmctldDebug=verbose
	$auth
	SchedulerType=sched/backfill
	SchedulerParameters=bf_interval=1,sched_interval=1,sched_min_interval=0,batch_sched_delay=0
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU_Memory
	EnforcePartLimits=ALL
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SlurmdSpoolDir=$SITE/spool/%n
	SlurmdPidFile=$SITE/spool/%n.pid
	SlurmdLogFile=$SITE/log/%n.log
	SlurmdParameters=config_overrides
	ReturnToService=2
	MaxNodeCount=64
	MinJobAge=300
	KillWait=5
	CompleteWait=0
	OverTimeLimit=0
	GresTypes=gpu
	Licenses=tool:2
	Epilog=$SITE/epilog
	JobCompType=jobcomp/filetxt
	JobCompLoc=$SITE/state/done
	JobSubmitPlugins=require_timelimit,lua
	PreemptType=preempt/partition_prio
	PreemptMode=REQUEUE
	C
	if has_external; then
		cat >>"$SITE/slurm.conf" <<-C
		RequeueExit=99
		NodeSet=k8s Feature=k8s
		PartitionName=kube Nodes=k8s Default=YES MaxTime=60 State=UP
		PartitionName=urgent Nodes=k8s PriorityTier=10 State=UP
		PartitionName=closed Nodes=k8s AllowAccounts=chem State=UP
		PartitionName=roots Nodes=k8s RootOnly=YES State=UP
		PartitionName=groups Nodes=k8s AllowGroups=daemon State=UP
		PartitionName=resv Nodes=k8s ReqResv=YES State=UP
		PartitionName=others Nodes=k8s AllocNodes=none-such State=UP
		C
	else
		cat >>"$SITE/slurm.conf" <<-C
		NodeName=hyb[0-1] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$SITE_SLURMD_PORTS] CPUs=$PLAIN_CPUS RealMemory=$PLAIN_MEMORY Gres=gpu:2 Feature=k8s
		PartitionName=kube Nodes=hyb[0-1] Default=YES MaxTime=60 State=UP
		PartitionName=urgent Nodes=hyb[0-1] PriorityTier=10 State=UP
		PartitionName=closed Nodes=hyb[0-1] AllowAccounts=chem State=UP
		PartitionName=roots Nodes=hyb[0-1] RootOnly=YES State=UP
		PartitionName=groups Nodes=hyb[0-1] AllowGroups=daemon State=UP
		PartitionName=resv Nodes=hyb[0-1] ReqResv=YES State=UP
		PartitionName=others Nodes=hyb[0-1] AllocNodes=none-such State=UP
		C
	fi
	# (files of the kind that GPUs have)
	printf 'Name=gpu File=%s\n' /dev/null /dev/zero >"$SITE/gres.conf"
	# the site's own rule: no job may be called "forbidden"
	cat >"$SITE/job_submit.lua" <<-'L'
	function slurm_job_submit(job, parts, uid)
		if job.name == "forbidden" then
			slurm.user_msg("ask the lords of this cluster")
			return slurm.ERROR
		end
		return slurm.SUCCESS
	end
	function slurm_job_modify(job, rec, parts, uid)
		return slurm.SUCCESS
	end
	return slurm.SUCCESS
	L
	# a node's end of a job waits while there is such a file
	printf '#!/bin/sh\nwhile [ -e %s/epilog.wait ]; do sleep 0.1; done\n' "$SITE" >"$SITE/epilog"
	chmod 755 "$SITE/epilog"
}

# slurmd_start NODE: as root, on this host, next to those of other tests
slurmd_start() {
	mkdir -p "$SITE/spool/$1"
	(exec_inside slurmd -D -N "$1" -f "$SITE/slurm.conf") >>"$SITE/log/slurmd.out" 2>&1 </dev/null 3>&- 9>&- &
	echo $! >"$SITE/$1.pid"
	wait_for 90 "slurmd on $1 to register" node_is "$1" IDLE
}

# plain_site_folder: of a Slurm that is still to be made. Sets SITE
plain_site_folder() {
	SITE=$(mktemp -d "${SLURM_K8S_TMP:-/tmp}/slurm-k8s.XXXXXX")
	chmod 755 "$SITE"
	mkdir "$SITE/log" "$SITE/state" "$SITE/spool"
	chown slurm: "$SITE/log" "$SITE/state"
	SITE_PORT=$(free_port)
	SITE_SLURMD_PORTS=$(free_port),$(free_port)
}
plain_site_files() {
	site_tree_up
	site_key
	plain_site_conf
}

plain_site_up() {
	plain_site_folder
	plain_site_files
	install -m 755 "$TOP/$SITE_BUILD/tests/slurm/placeholder" "$SITE/placeholder"
	if site_sanitized; then
		sanitized_build >"$SITE/log/build.log"
		sanitized_wrap "$TOP/$SANITIZED_BUILD/tests/slurm/placeholder" "$SITE/placeholder"
	fi
	slurmctld_start
	if has_external; then
		ph create "NodeName=ext[0-1] CPUs=$PLAIN_CPUS RealMemory=$PLAIN_MEMORY Gres=gpu:2 Feature=k8s"
	else
		slurmd_start hyb0
		slurmd_start hyb1
	fi
}

plain_site_down() {
	[[ ${SITE:-} ]] || return 0
	as_slurm scancel --user="$SITE_USER" >/dev/null 2>&1 || true
	rm -f "$SITE/epilog.wait"
	end_process "$SITE/hyb0.pid" TERM
	end_process "$SITE/hyb1.pid" TERM
	plain_site_ends
}
plain_site_ends() {
	local rc=0
	slurmctld_stop
	site_ends || rc=1
	end_process "$SITE/munged.pid" TERM
	end_process "$SITE/tree.pid" TERM
	rm -rf --one-file-system "$SITE"
	SITE=
	return "$rc"
}

# own_site: a Slurm for a file's own tests, beside the one that all use: with our plugins, and the
# node "absent", which no slurmd is. slurmctld is still to be started
own_site() {
	export SITE SITE_PORT
	plain_site_folder
	site_install_programs
	plain_site_files
	cat >>"$SITE/slurm.conf" <<-C
	PluginDir=$SITE/root$PLUGINS:$(own_plugins)
	NodeName=absent NodeAddr=127.0.0.1 Port=1 CPUs=1 RealMemory=100 Feature=pytorch
	C
}
# own_site_down NAME: of its logs, if they are kept
own_site_down() {
	if [[ ${E2E_KEEP_LOGS:-} ]]; then cp -r "$SITE/log" "$E2E_KEEP_LOGS/$1"; fi
	plain_site_ends
}
# Slurm's, where it is
own_plugins() { if [[ ${SLURM_PREFIX:-} ]]; then site_prefix_plugins; else echo /usr/lib/x86_64-linux-gnu/slurm-wlm; fi; }

# As SlurmUser: tests/slurm/placeholder.c
ph() { as_slurm "$SITE/placeholder" "$@"; }

# has TEXT: the output of the last `run`
has() { grep -qF -- "$1" <<<"${output:-}"; }

# Words of scontrol show
node_is() { as_user scontrol show node "$1" | grep -q "State=$2"; }
job() { as_user scontrol show job "$1" 2>/dev/null | sed -n "s/.*\b$2=\([^ ]*\).*/\1/p" | head -n 1; }
job_is() { [[ $(job "$1" JobState) = "$2" ]]; }

# A placeholder of the ordinary user's: prints its number
USER_IDS="uid=$(id -u "$SITE_USER") gid=$(id -g "$SITE_USER")"
IDENTITY='{"k8s":{"cluster":"prod","kind":"Pod","namespace":"a","name":"p","uid":"1","pods":1}}'
# shellcheck disable=SC2086 # two words
placeholder() { ph submit $USER_IDS partition=kube name=pod-a time_limit=5 memory_per_node=10 admin_comment="$IDENTITY" tasks=1 "$@"; }

# is JOB TEXT: does its line of "placeholder list" hold it?
line() { ph list | grep "^$1 "; }
is() { line "$1" | grep -qE -- "^$1 $2"; }
wait_is() { wait_for 90 "job $1 to be $2" is "$1" "$2" || { ph list >&2; return 1; }; }
# save JOB [NODE]: until slurmctld has saved all that there is now
save() {
	touch "$SITE/now"
	as_slurm scontrol update job "$1" comment=saved
	[[ ! ${2:-} ]] || as_slurm scontrol update NodeName="$2" Comment=saved
	wait_for 90 "Slurm to save its jobs" test "$SITE/state/job_state" -nt "$SITE/now"
	[[ ! ${2:-} ]] || wait_for 90 "Slurm to save its nodes" test "$SITE/state/node_state" -nt "$SITE/now"
}

nodes_idle() { ! as_user sinfo -h -N -o %t | grep -qv '^idle$'; }

has_reservation() { as_user scontrol show reservation res >/dev/null 2>&1; }

# After a test: nothing of it may reach the next one
clean_up() {
	rm -f "$SITE/epilog.wait"
	as_slurm scancel --user="$SITE_USER" >/dev/null 2>&1 || true
	! has_reservation || wait_for 90 "the reservation to go" as_slurm scontrol delete ReservationName=res || true
	wait_for 90 "all nodes to be idle" nodes_idle || {
		as_user sinfo -N -o '%N %t %E' >&2
		as_user squeue >&2
		tail -n 40 "$SITE/log/slurmctld.log" >&2
		return 1
	}
}
