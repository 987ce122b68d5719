# SPDX-License-Identifier: GPL-2.0-or-later
# Placeholder jobs on a real slurmctld, without Kubernetes: common/slurm/ctl_placeholder.h
setup() { . "$TOP/tests/slurm/site.bash"; }
teardown() {
	without_parameters
	! has_external || ph delete new0 >/dev/null 2>&1 || true
	clean_up
}

@test "squeue shows the mapped user, and slurmctld starts nothing of its own for him" {
	id=$(placeholder tasks=2 cpus_per_task=1)
	wait_is "$id" RUNNING
	[[ $(as_user squeue -h -j "$id" -o '%u %P %j %T') = "$SITE_USER kube pod-a RUNNING" ]]
	[[ $(job "$id" UserId) = "$SITE_USER($(id -u "$SITE_USER"))" ]]
	is "$id" "RUNNING - status=0 uid=$(id -u "$SITE_USER") "
	if has_external; then
		is "$id" '.* external=1 .* nodes=ext[01] '
	else
		is "$id" '.* external=0 .* nodes=hyb[01] '
	fi
	[[ $(line "$id") = *"id=$IDENTITY" ]]
}

# processes JOB N: so many run for it on this machine
processes() {
	local p n=0
	for p in $(pgrep -u "$SITE_USER"); do
		! tr '\0' '\n' 2>/dev/null <"/proc/$p/environ" | grep -qxF -e "SLURM_CONF=$SITE/slurm.conf" ||
			! tr '\0' '\n' 2>/dev/null <"/proc/$p/environ" | grep -qxF "SLURM_JOB_ID=$1" || ((++n))
	done
	[[ $n -eq $2 ]]
}

@test "nothing runs for it, or what goes with it" {
	running=$(has_batch && echo 2 || echo 0)
	for _ in {1..5}; do
		id=$(placeholder)
		wait_is "$id" RUNNING
		wait_for 60 "its processes" processes "$id" "$running"
		ph end "$id" 0
		wait_is "$id" 'ENDED COMPLETED status=0 '
		wait_for 60 "their end" processes "$id" 0
	done
}

@test "it ends with the exit code of its pods: afterok and afternotok see it" {
	good=$(placeholder)
	bad=$(placeholder)
	killed=$(placeholder)
	ok=$(placeholder dependency="afterok:$good:$bad")
	never=$(placeholder dependency="afternotok:$bad")
	wait_is "$good" RUNNING
	wait_is "$bad" RUNNING
	wait_is "$killed" RUNNING
	is "$ok" 'PENDING .* reason=Dependency '
	ph end "$good" 0
	ph end "$bad" $((3 << 8))
	ph end "$killed" 9
	wait_is "$good" 'ENDED COMPLETED status=0 '
	wait_is "$bad" 'ENDED FAILED status=768 '
	wait_is "$killed" 'ENDED FAILED status=9 '
	[[ $(job "$good" JobState) = COMPLETED && $(job "$good" ExitCode) = 0:0 ]]
	[[ $(job "$bad" JobState) = FAILED && $(job "$bad" ExitCode) = 3:0 ]]
	[[ $(job "$killed" JobState) = FAILED && $(job "$killed" ExitCode) = 0:9 ]]
	wait_is "$never" RUNNING
	wait_is "$ok" 'PENDING .* reason=DependencyNeverSatisfied '
}

@test "the records of jobs that have ended show its user, state and exit code" {
	id=$(placeholder)
	wait_is "$id" RUNNING
	ph end "$id" $((3 << 8))
	wait_is "$id" 'ENDED FAILED '
	run as_slurm sacct --completion -f "$SITE/state/done" -j "$id" -nP -o jobid,uid,state,jobname
	[[ $output = "$id|$(id -u "$SITE_USER")|FAILED|pod-a" ]]
	grep -q "^JobId=$id UserId=$SITE_USER(.* JobState=FAILED .* ExitCode=3:0 " "$SITE/state/done"
}

@test "to end what has ended, or what Slurm has forgotten, is no error" {
	id=$(placeholder)
	wait_is "$id" RUNNING
	ph end "$id" 0
	wait_is "$id" 'ENDED COMPLETED status=0 '
	ph end "$id" 256
	ph cancel "$id"
	ph end 999999 0
	ph cancel 999999
	is "$id" 'ENDED COMPLETED status=256 ' # (that is Slurm's)
}

@test "cancelled: pending, held, running" {
	running=$(placeholder)
	held=$(placeholder hold=1)
	later=$(placeholder begin=$(($(date +%s) + 1000)))
	wait_is "$running" RUNNING
	wait_is "$held" 'HELD .* reason=JobHeldUser '
	wait_is "$later" 'PENDING .* reason=BeginTime '
	for id in "$running" "$held" "$later"; do
		ph cancel "$id"
		wait_is "$id" 'ENDED CANCELLED '
	done
	[[ $(line "$held") = *' nodes= '* && $(line "$running") != *' nodes= '* ]]
}

@test "a pending one is updated and held; only others release it" {
	id=$(placeholder begin=$(($(date +%s) + 1000)) licenses=tool:1 comment=a nice=100)
	wait_is "$id" 'PENDING .* reason=BeginTime '
	ph update "$id" time_limit=7 licenses= comment=b nice=50 features=k8s hold=1
	[[ $(job "$id" TimeLimit) = 00:07:00 && $(job "$id" Comment) = b ]]
	[[ $(job "$id" Nice) = 50 && $(job "$id" Features) = k8s ]]
	[[ $(job "$id" Licenses) = '' || $(job "$id" Licenses) = '(null)' ]]
	wait_is "$id" 'HELD .* reason=JobHeldUser '
	ph update "$id" begin="$(date +%s)"
	wait_is "$id" HELD
	as_slurm scontrol release "$id"
	wait_is "$id" RUNNING
	id=$(placeholder hold=1)
	wait_is "$id" HELD
	run ph update "$id" partition=none-such
	[[ $status = 1 && $output = 'EINVAL: Slurm refuses the update of the job: '* ]]
	as_user scontrol release "$id"
	wait_is "$id" RUNNING
	# (no fault of the request: it came too late)
	run ph update "$id" features=none-such
	[[ $status = 1 && $output = 'EAGAIN: Slurm refuses the update of the job: '*'no longer pending'* ]]
}

@test "suspended, and resumed" {
	# (an external node is not of use afterwards: external.bats, "not responding")
	! has_external || ph create 'NodeName=new0 CPUs=4 RealMemory=1000 Feature=k8s,once'
	id=$(placeholder features="$(has_external && echo once || echo k8s)")
	wait_is "$id" RUNNING
	as_slurm scontrol suspend "$id"
	wait_is "$id" SUSPENDED
	as_slurm scontrol resume "$id"
	wait_is "$id" RUNNING
	as_user scancel "$id"
	wait_is "$id" 'ENDED CANCELLED '
	! has_external || ph delete new0
}

@test "the time limit ends it, and so may its user" {
	id=$(placeholder)
	wait_is "$id" RUNNING
	# (a moment that is past when slurmctld hears of it is refused)
	as_slurm scontrol update JobId="$id" EndTime=now+2
	wait_for 120 "the time limit" is "$id" 'ENDED TIMEOUT .* reason=TimeLimit '
	id=$(placeholder)
	wait_is "$id" RUNNING
	as_user scancel "$id"
	wait_is "$id" 'ENDED CANCELLED '
}

@test "only what an operator has written is believed" {
	id=$(placeholder)
	wait_is "$id" RUNNING
	run as_user scontrol update JobId="$id" AdminComment='{"k8s":{"cluster":"prod"'
	[[ $status != 0 && $output = *denied* ]]
	[[ $(line "$id") = *"id=$IDENTITY" ]]
	# his own RPC, with our words in it, for himself and for another
	# shellcheck disable=SC2086
	run as_user "$SITE/placeholder" submit $USER_IDS partition=kube time_limit=5 tasks=1 admin_comment="$IDENTITY"
	[[ $status = 1 && $output = *'Access/permission denied' ]]
	run as_user "$SITE/placeholder" submit uid="$(id -u slurm)" gid="$(id -g slurm)" partition=kube time_limit=5 tasks=1
	[[ $status = 1 && $output = *'Invalid user id' ]]
	# job name and comment are his
	# shellcheck disable=SC2086
	forged=$(as_user "$SITE/placeholder" submit $USER_IDS partition=kube time_limit=5 tasks=1 name="$IDENTITY" comment="$IDENTITY")
	[[ $(job "$forged" JobState) ]]
	run line "$forged"
	[[ ! $output ]]
}

# refused CODE TEXT KEY=VALUE...
refused() {
	local code=$1 text=$2
	shift 2
	run placeholder "$@"
	[[ $status = 1 && $output = *"$code: Slurm refuses the job: "*"$text"* ]] || {
		echo "$* gives: $output" >&2
		return 1
	}
}

@test "refusals have Slurm's words, and are for good" {
	refused EINVAL 'Invalid partition name' partition=none-such
	refused EINVAL 'Requested reservation is invalid' reservation=none-such
	refused EINVAL 'Invalid feature' features=none-such
	refused EINVAL 'Invalid license' licenses=none-such:1
	refused EINVAL 'Invalid node name' nodelist=none-such
	refused EINVAL 'dependency problem' dependency=none-such
	refused EINVAL 'time limit is invalid' time_limit=100
	refused EINVAL 'More processors' tasks=99
	refused EINVAL 'Requested node configuration' memory_per_node=5000
	refused EINVAL 'Invalid' tres_per_node=gres/none-such:1
}

# users_sbatch ARG...: what the user's own sbatch comes to
users_sbatch() { as_user sbatch --parsable -t 1 -n 1 -D / -o /dev/null --wrap true "$@"; }

# Whom Slurm asks about is the job's user. Of RootOnly it is who submits: us. So that one is ours to refuse.
@test "what is closed to its user is closed to a placeholder" {
	as_slurm scontrol create reservation ReservationName=res Users=daemon Nodes=ALL StartTime=now+1hour Duration=10
	for partition in groups resv others; do
		run users_sbatch -p "$partition"
		echo "$partition: $output"
		[[ $status = 1 ]]
		run placeholder partition="$partition"
		echo "$partition: $output"
		[[ $status = 1 && $output = *'EINVAL: Slurm refuses the job: '* ]]
		ph closed "$partition"
	done
	run users_sbatch --reservation=res
	[[ $status = 1 && $output = *'Access denied to requested reservation'* ]]
	refused EINVAL 'Access denied to requested reservation' reservation=res
	as_slurm scontrol delete ReservationName=res
	run users_sbatch -p roots
	[[ $status = 1 ]]
	for asked in roots kube,roots; do
		run ph closed "$asked"
		[[ $status = 1 && $output = 'EPERM: partition roots is closed to users (RootOnly=YES in slurm.conf)' ]]
	done
	ph closed kube,urgent
	ph closed ''
	as_slurm scontrol update PartitionName=kube RootOnly=YES
	run ph closed ''
	[[ $status = 1 && $output = 'EPERM: partition kube is closed to users'* ]]
	as_slurm scontrol update PartitionName=kube RootOnly=NO
	ph closed ''
}

@test "which nodes a partition has is known, also those that were created since" {
	[[ $(ph nodes kube) = ???'[0-1]' && $(ph nodes '') = "$(ph nodes kube)" && $(ph nodes closed,kube) = ???'[0-1],'???'[0-1]' ]]
	run ph nodes none-such
	[[ $status = 1 && $output = ENOENT:* ]]
	has_external || return 0
	ph create 'NodeName=new0 CPUs=1 Feature=k8s'
	[[ $(ph nodes kube) = *new0* ]]
	ph delete new0
	[[ $(ph nodes kube) != *new0* ]]
}

# with_parameters: a node with a text that only Slurm 25.11 and later have, only slurm.conf gives,
# and nobody else gives back (release_free.h)
with_parameters() {
	cp "$SITE/slurm.conf" "$SITE/slurm.conf.without"
	echo 'NodeName=par0 NodeAddr=127.0.0.1 CPUs=1 Parameters=l3cache_as_socket' >>"$SITE/slurm.conf"
	slurmctld_stop
	slurmctld_start
	as_user scontrol show node par0 | grep -q 'Parameters=l3cache_as_socket'
}
without_parameters() {
	[[ -e $SITE/slurm.conf.without ]] || return 0
	mv "$SITE/slurm.conf.without" "$SITE/slurm.conf"
	slurmctld_stop
	slurmctld_start
}

@test "looks at nodes and jobs leave nothing behind" {
	local node=hyb0 text
	text=$(printf 'x%.0s' {1..300})
	! site_since 25.11 || with_parameters
	if has_external; then
		node=new0
		ph create 'NodeName=new0 CPUs=1 Feature=k8s'
	fi
	as_slurm scontrol update NodeName="$node" Comment="$text" Extra="$text"
	id=$(placeholder hold=1)
	run ph looks 500
	ph cancel "$id"
	as_slurm scontrol update NodeName="$node" Comment= Extra=
	! has_external || ph delete new0
	echo "$output"
	[[ $status -eq 0 && $output -lt 2000 ]]
}

@test "a deadline makes a job shorter than its partition's default, and never longer" {
	as_slurm scontrol update PartitionName=urgent DefaultTime=30 MaxTime=90
	[[ $(ph shorten urgent 29) = 29 && $(ph shorten urgent 31) = 0 && $(ph shorten urgent,kube 40) = 0 ]]
	[[ $(ph shorten kube 59) = 59 && $(ph shorten kube 61) = 0 && $(ph shorten '' 61) = 0 ]] # (its MaxTime)
	as_slurm scontrol update PartitionName=urgent DefaultTime=INFINITE MaxTime=INFINITE
	[[ $(ph shorten urgent 9999) = 9999 ]]
	refused EINVAL 'time limit is invalid' partition=kube time_limit=61
}

@test "job_submit plugins have their say" {
	# shellcheck disable=SC2086 # (require_timelimit)
	run ph submit $USER_IDS partition=kube tasks=1
	[[ $status = 1 && $output = *'Time limit specification required'* ]]
	refused EINVAL "it breaks a rule of this site; which one is in slurmctld's log" name=forbidden
	[[ $output = *'ask the lords of this cluster'* ]] # (the library's log)
}

@test "slurmctld is away: worth another try" {
	slurmctld_stop
	run placeholder
	[[ $status = 1 && $output = *'EAGAIN: Slurm refuses the job: '* ]]
	run ph list
	[[ $status = 1 && $output = *'EIO: cannot read'* ]]
	slurmctld_start
	wait_for 90 "the nodes" nodes_idle
}

@test "what it has on each node: cpus, memory, GPUs; whole nodes when exclusive" {
	id=$(placeholder tasks=8 min_nodes=2 max_nodes=2 cpus_per_task=1 memory_per_node=0 memory_per_task=30 tres_per_node=gres/gpu:1)
	wait_is "$id" RUNNING
	run ph layout "$id"
	[[ ${#lines[@]} = 2 ]]
	for i in 0 1; do
		[[ ${lines[i]} = ???$i' cpus=4 memory=120 gpus=1 gres=gpu:1(IDX:'?')' ]]
	done
	[[ $(ph names "$id") = ???'[0-1] '$(ph has "$id") ]]
	ph cancel "$id"
	wait_for 90 "the nodes" nodes_idle
	# a task of two CPUs needs 31 MiB: 16 for each
	id=$(placeholder tasks=1 cpus_per_task=2 memory_per_node=0 memory_per_task=31 tres_per_task=gres/gpu:2)
	wait_is "$id" RUNNING
	[[ $(ph layout "$id") = ???0' cpus=2 memory=32 gpus=2 '* ]]
	[[ $(ph names "$id") = ???'0 cpus=2 memory=32' && $(ph has "$id") = 'cpus=2 memory=32' ]]
	ph cancel "$id"
	wait_for 90 "the nodes" nodes_idle
	# (memory_per_node=0: not said, so all)
	id=$(placeholder memory_per_node=0 exclusive=1)
	wait_is "$id" RUNNING
	[[ $(ph layout "$id") = ???0' cpus=4 memory=0 '* ]]
	[[ $(ph names "$id") = ???'0 cpus=4 memory=0' && $(ph has "$id") = 'cpus=4 memory=0' ]]
	other=$(placeholder nodelist="$(job "$id" NodeList)")
	stays 2 is "$other" PENDING
	run ph layout "$other"
	[[ $status = 1 && $output = ENOENT* ]]
	run ph layout 999999
	[[ $status = 1 && $output = ENOENT* ]]
	for none in "$other" 999999; do
		run ph names "$none"
		[[ $status = 1 && $output = ENOENT* ]]
	done
}

# reason NAMES: (23.11 and 24.05 without slurmdbd forget it at each turn: "has invalid account")
reason() { [[ $SITE_RELEASE = @(23.11|24.05) ]] || echo "reason=$1"; }

@test "reservations and licences hold for it as for any job" {
	as_slurm scontrol create reservation ReservationName=res Users="$SITE_USER" Nodes=ALL StartTime=now Duration=10
	inside=$(placeholder reservation=res)
	outside=$(placeholder)
	wait_is "$inside" RUNNING
	wait_is "$outside" "PENDING .* $(reason '(ReqNodeNotAvail|Reserv)')"
	ph cancel "$inside"
	ph cancel "$outside"
	wait_for 90 "the reservation to go" as_slurm scontrol delete ReservationName=res
	first=$(placeholder licenses=tool:2)
	second=$(placeholder licenses=tool:1)
	wait_is "$first" RUNNING
	wait_is "$second" "PENDING .* $(reason 'Licenses ')"
	ph end "$first" 0
	wait_is "$second" RUNNING
}

@test "preempted: batch jobs go back into the queue, others end" {
	low=$(placeholder memory_per_node=0 exclusive=1 min_nodes=2 tasks=2)
	wait_is "$low" RUNNING
	high=$(placeholder memory_per_node=0 exclusive=1 min_nodes=2 tasks=2 partition=urgent)
	wait_is "$high" RUNNING
	if has_batch; then
		wait_is "$low" 'PENDING - .* restarts=1 '
	else
		wait_is "$low" 'ENDED PREEMPTED '
	fi
}

@test "its nodes: free when Epilog has ended, at once when they are external" {
	id=$(placeholder)
	wait_is "$id" RUNNING
	touch "$SITE/epilog.wait"
	ph end "$id" $((3 << 8))
	if has_external; then
		wait_is "$id" 'ENDED FAILED '
		nodes_idle
	else
		wait_is "$id" 'COMPLETING FAILED status=768 '
		stays 2 is "$id" COMPLETING
		as_user sinfo -h -N -o %t | grep -q comp
		rm "$SITE/epilog.wait"
		wait_is "$id" 'ENDED FAILED status=768 '
	fi
}

@test "its node goes down: batch jobs go back, others end with NODE_FAIL" {
	id=$(placeholder)
	wait_is "$id" RUNNING
	node=$(job "$id" NodeList)
	as_slurm scontrol update NodeName="$node" State=DOWN Reason='k8s: gone'
	if has_batch; then
		wait_is "$id" 'PENDING - .* restarts=1 '
	else
		wait_is "$id" 'ENDED NODE_FAIL .* reason=NodeDown '
	fi
	if has_external; then ph resume "$node"; else as_slurm scontrol update NodeName="$node" State=RESUME || true; fi
}

@test "nothing has changed: nothing is copied" {
	id=$(placeholder)
	wait_is "$id" RUNNING
	# (within the second of a change Slurm sends all again)
	wait_for 90 "no change" unchanged
	is "$id" RUNNING
}
unchanged() { ph list again | grep -qE '^changed: 0, [1-9][0-9]* jobs$'; }

@test "the states of some jobs, without all the others" {
	id=$(placeholder)
	wait_is "$id" RUNNING
	run ph states "$id" 999999
	if ! site_since 24.05; then
		[[ $status = 1 && $output = EOPNOTSUPP* ]]
	else
		[[ ${lines[0]} = "$id RUNNING -" && ${lines[1]} = '999999 GONE -' ]]
		ph end "$id" 256
		wait_is "$id" ENDED
		later=$(placeholder begin=$(($(date +%s) + 1000)))
		run ph states 999999 "$later" "$id" "$later"
		[[ ${lines[1]} = "$later PENDING -" && ${lines[2]} = "$id ENDED FAILED" ]]
	fi
}

@test "kill -9 of slurmctld: it is there as before, and can be ended" {
	running=$(placeholder)
	waiting=$(placeholder hold=1)
	wait_is "$running" RUNNING
	save "$waiting"
	before=$(ph list)
	slurmctld_kill
	slurmctld_start
	wait_for 90 "the same jobs" same_jobs "$before"
	[[ $(ph layout "$running") = ???0' cpus=1 memory=10 '* ]]
	ph end "$running" 512
	ph cancel "$waiting"
	wait_is "$running" 'ENDED FAILED status=512 '
	wait_is "$waiting" 'ENDED CANCELLED '
}
same_jobs() { [[ $(ph list) = "$1" ]]; }

@test "running or waiting, it says that its pods get another one, and is cancelled: kill -9 of slurmctld leaves both" {
	given_up="${IDENTITY%\}\}},\"again\":true}}"
	running=$(placeholder)
	waiting=$(placeholder hold=1)
	other=$(placeholder hold=1)
	wait_is "$running" RUNNING
	for id in "$running" "$waiting"; do
		ph update "$id" admin_comment="$given_up"
		[[ $(line "$id") = *"id=$given_up" ]]
	done
	is "$running" 'RUNNING '
	is "$waiting" 'HELD '
	for id in "$running" "$waiting"; do
		ph cancel "$id"
		wait_is "$id" 'ENDED CANCELLED '
	done
	save "$other"
	before=$(ph list)
	slurmctld_kill
	slurmctld_start
	wait_for 90 "the same jobs" same_jobs "$before"
	[[ $(line "$running") = *"id=$given_up" && $(line "$waiting") = *"id=$given_up" ]]
	ph cancel "$other"
}

@test "where there are no external nodes they are refused, in words" {
	if has_external; then
		ph create 'NodeName=new0 CPUs=1 Feature=k8s'
		node_is new0 'IDLE+DYNAMIC_NORM+EXTERNAL'
		ph delete new0
	else
		run ph create 'NodeName=new0 CPUs=1'
		[[ $status = 1 && $output = "EOPNOTSUPP: Slurm $SITE_RELEASE."*' has no external nodes: they came with 25.05' ]]
		run ph drain hyb0 'k8s: x'
		[[ $status = 1 && $output = EOPNOTSUPP:* ]]
		node_is hyb0 IDLE
	fi
}

@test "users are known by name" {
	[[ $(ph user "$SITE_USER") = "$(id -u "$SITE_USER") $(id -g "$SITE_USER")" ]]
	run ph user none-such-user
	[[ $status = 1 && $output = 'ENOENT: there is no user none-such-user'* ]]
}

@test "slurmctld looks up no names of nodes, at any of this" {
	id=$(placeholder)
	wait_is "$id" RUNNING
	run ! grep -E 'getaddrinfo|Unable to resolve|Name or service' "$SITE/log/slurmctld.log"
}
