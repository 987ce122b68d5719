# SPDX-License-Identifier: GPL-2.0-or-later
# Associations, QOS and accounting of bridged pods: with a slurmdbd and its database.
# bats file_tags=alone
setup_file() {
	load accounting.bash
	! site_has_dbd || accounting_up
}
teardown_file() {
	load accounting.bash
	! site_has_dbd || accounting_down
}
setup() {
	load accounting.bash
	needs_dbd
	begin
}
teardown() {
	site_has_dbd || return 0
	kteam delete jobs --all --wait=false >/dev/null 2>&1 || true
	bridge_clean
}

@test "slurmdbd: sacct shows a pod's job with its user, account, QOS, end and exit code" {
	a_pod fine 'true' | create
	a_pod poor 'exit 5' | asks 'account: bio, slurmjob.slinky.slurm.net/qos: fast' | create
	wait_for 120 "the pod to end" pod_is fine Succeeded
	wait_for 120 "the pod to end" pod_is poor Failed
	fine=$(job_of fine) poor=$(job_of poor)
	wait_for 60 sacct sacct_has "$fine" "$SITE_USER|chem|normal|COMPLETED|0:0"
	wait_for 60 sacct sacct_has "$poor" "$SITE_USER|bio|fast|FAILED|5:0"
	as_user sacct -X -n -P -j "$fine" -o admincomment | grep "Pod.*$TEAM.*fine"
}

@test "slurmdbd: a limit of the account: the next pod waits, is told, and starts when there is room" {
	a_pod first "$LONG" | asks 'account: tight' | create
	runs first
	a_pod next 'true' | asks 'account: tight' | create
	wait_for 60 "the pod to be told" pod_says "$TEAM" next AssocGrpJobsLimit
	kteam delete pod first --wait=false >/dev/null
	wait_for 60 "the pod that waited" pod_is next Succeeded
	wait_for 60 sacct sacct_has "$(job_of next)" "$SITE_USER|tight|normal|COMPLETED|0:0"
}

@test "slurmdbd: a limit of jobs in the queue: the pod that Slurm refuses for it is tried again" {
	a_pod first "$LONG" | asks 'account: few' | create
	runs first
	a_pod next 'true' | asks 'account: few' | create
	wait_for 60 "the pod to be told" pod_says "$TEAM" next 'Job violates accounting/QOS policy'
	kteam delete pod first --wait=false >/dev/null
	wait_for 60 "the pod that was refused" pod_is next Succeeded
}

@test "slurmdbd: a QOS that the user has is the job's; another one is refused, until it is changed" {
	a_pod quick "$LONG" | asks 'qos: fast' | create
	a_pod proud 'true' | asks 'qos: gold' | create
	runs quick
	job_has "$(job_of quick)" QOS fast
	wait_for 60 "the pod to be told" pod_says "$TEAM" proud 'Slurm refuses the job: Invalid qos specification'
	[[ ! $(job_of proud) ]]
	kteam annotate pod proud slurmjob.slinky.slurm.net/qos=fast --overwrite >/dev/null
	wait_for 60 "the pod, with another QOS" pod_is proud Succeeded
}

@test "slurmdbd: what a partition says of accounts and QOS holds for pods as for sbatch" {
	local name
	for name in theirs denied quick; do
		run as_user sbatch -p "$name" --chdir /tmp --wrap true
		echo "$output"
		[[ $status -ne 0 ]]
		a_pod "$name" 'true' | asks "partition: $name" | create
	done
	wait_for 60 "the pod to be told" pod_says "$TEAM" theirs 'Slurm refuses the job: Invalid account or account/partition combination specified; ask for an account'
	wait_for 60 "the pod to be told" pod_says "$TEAM" denied 'Slurm refuses the job: Invalid account or account/partition combination'
	wait_for 60 "the pod to be told" pod_says "$TEAM" quick 'Slurm refuses the job: Invalid qos'
	[[ ! $(job_of theirs) && ! $(job_of denied) && ! $(job_of quick) ]]
	kteam annotate pod denied slurmjob.slinky.slurm.net/account=bio >/dev/null
	kteam annotate pod quick slurmjob.slinky.slurm.net/qos=fast >/dev/null
	wait_for 120 "the pod, with another account" pod_is denied Succeeded
	wait_for 120 "the pod, with another QOS" pod_is quick Succeeded
}

@test "slurmdbd: a pod that waits and asks for something else gets no more than its user may have" {
	a_pod first "$LONG" | asks 'account: short' | create
	runs first
	a_pod later "$LONG" | asks 'account: short' | create
	wait_for 60 "the pod to be told" pod_says "$TEAM" later AssocGrpJobsLimit
	kteam annotate pod later slurmjob.slinky.slurm.net/timelimit=500 >/dev/null
	wait_for 60 "its job" newest_has later TimeLimit 08:20:00
	kteam delete pod first --wait=false >/dev/null
	wait_for 60 "the pod to be told" pod_says "$TEAM" later AssocMaxWallDurationPerJobLimit
	kteam annotate pod later slurmjob.slinky.slurm.net/timelimit=5 slurmjob.slinky.slurm.net/qos=gold --overwrite >/dev/null
	wait_for 60 "the pod to be told" pod_says "$TEAM" later 'Slurm refuses the job: Invalid qos specification'
	kteam annotate pod later slurmjob.slinky.slurm.net/qos=fast --overwrite >/dev/null
	wait_for 120 "the pod to run" pod_is later Running
	newest_has later QOS fast
}
@test "slurmdbd: a higher QOS takes a pod's node, and the pod's work waits again" {
	cpus=$(node "$ONE" CPUTot)
	again low k8s "$cpus" "$ONE" 'slurmjob.slinky.slurm.net/qos: low'
	again spare k8s "$cpus" "$TWO" 'slurmjob.slinky.slurm.net/qos: spare'
	wait_for 120 "the pods to run" has_running low
	wait_for 120 "the pods to run" has_running spare
	low=$(running_of low) spare=$(running_of spare)
	first=$(job_of low) second=$(job_of spare)
	watch_ends
	batch=$(submit -p k8s -w "$ONE" -n "$cpus" --qos high --wrap 'sleep 1000')
	a_pod strong "$LONG" '' "$cpus" | on "$TWO" | asks 'qos: high' | create
	wait_for 60 "the pod to be deleted" ending "$low" 2
	wait_for 60 "the other one, too" ending "$spare" 2
	wait_for 120 "the job that preempts to run" state_is "$batch" RUNNING
	runs strong
	wait_for 60 sacct sacct_has "$first" "$SITE_USER|chem|low|PREEMPTED|0:0"
	wait_for 60 sacct sacct_has "$second" "$SITE_USER|chem|spare|PREEMPTED|0:0"
	wait_for 120 "another pod" another_waits low
	low_is_told() { pod_says "$TEAM" "$(waiting_of low)" 'Resources\|Priority\|Nodes required'; }
	wait_for 60 "the pod to be told" low_is_told
	as_user scancel "$batch"
	wait_for 120 "the work to go on" has_running low
}

@test "slurmdbd: a user without an association is refused, and the pod is told" {
	a_pod stranger 'true' | asks 'user-id: games' | create
	a_pod debtor 'true' | asks 'account: theirs' | create
	for pod in stranger debtor; do
		wait_for 60 "the pod to be told" pod_says "$TEAM" "$pod" 'Slurm refuses the job: Invalid account or account/partition combination'
		[[ ! $(job_of "$pod") ]]
	done
}
