# SPDX-License-Identifier: GPL-2.0-or-later
setup() {
	load engine.bash
	mark
}
teardown() {
	[[ ! -e $SITE/k8s.yaml.good ]] || { good_yaml && take_over; }
	clean_up
}

# bats test_tags=sanitized
@test "a gang that a quota refuses: job back in the queue, pods taken back, nodes idle~, words in Comment, AdminComment and Reason" {
	quota small 1
	# (these two: one of them may still go down when there is room)
	id=$(submit -N2 -w cpu-[0-1] --wrap 'true')
	wait_for 90 "the refusal" grep -q "job $id goes back to the queue" "$POWER_LOG"
	wait_for 90 "job $id to be pending" job_is "$id" PENDING
	(($(job "$id" Restarts) >= 1))
	wait_for 90 "no pods" pods_are 0
	wait_for 90 "idle~" nodes_are cpu-[0-1] 'idle~'
	[[ $(node cpu-0 Comment) = "k8s: again in "*" s (2 nodes): pods "*"is forbidden: exceeded quota: small"* ]]
	[[ $(job "$id" AdminComment) = "k8s:" ]] # (the first word of it)
	grep -q 'node cpu-0 reason set to: k8s: again in .* s (2 nodes): pods .* is forbidden: exceeded quota' "$SITE/log/slurmctld.log"
	# and once there is room it runs
	kns delete resourcequota small
	wait_for 120 "job $id" job_is "$id" COMPLETED
	no_comment() { [[ ! $(node cpu-0 Comment) ]]; }
	wait_for 60 "the power-up that went well to clear it" no_comment
}

@test "a gang that exceeds a quota waits by itself: other jobs get their nodes meanwhile, the nodeset does not rest" {
	other_yaml 'coolDown: 2s' 'coolDown: 100s'
	other_yaml 'coolDownMax: 4s' 'coolDownMax: 200s'
	take_over
	quota small 2
	gang=$(submit -N3 --wrap true)
	wait_for 90 "the refusal" grep -q "job $gang goes back to the queue" "$POWER_LOG"
	wait_for 30 "its wait" logged "k8s: job $gang is eligible again in [0-9]* s"
	job_says "$gang" 'AdminComment=k8s: again in 100 s (3 nodes): pods .* is forbidden: exceeded quota: small'
	# (until then the quota counts what the gang had got; whose the next jobs are is nothing to it)
	wait_for 90 "the gang's pods to go" pods_are 0
	one=$(submit -N1 --wrap true)
	two=$(submit -N1 --wrap true)
	within 60 "job $one" job_is "$one" COMPLETED
	within 60 "job $two" job_is "$two" COMPLETED
	job_says "$gang" 'Reason=BeginTime'
	run ! logged 'nodeset cpu cools down'
	kns delete resourcequota small
	update JobId="$gang" StartTime=now
	wait_for 120 "job $gang" job_is "$gang" COMPLETED
}

@test "a gang that is refused does not harm another one, nor a node that they share" {
	sed 's/containerPort: 6818/containerPort: 99999/' "$SITE/worker.yaml" >"$SITE/bad.yaml"
	echo '{"all_nodes_resume":"bad-0,bulk-[0-3]","jobs":[
		{"job_id":900001,"nodes_alloc":"bad-0,bulk-[0-1]","nodes_resume":"bad-0,bulk-[0-1]"},
		{"job_id":900002,"nodes_alloc":"bulk-[1-2]","nodes_resume":"bulk-[1-2]"}]}' >"$BATS_TEST_TMPDIR/f.json"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/* "$BATS_TEST_TMPDIR"
	run as_slurm env SLURM_RESUME_FILE="$BATS_TEST_TMPDIR/f.json" "$SITE_BIN/k8s_resume" 'bad-0,bulk-[0-3]'
	echo "$output"
	[[ $status -eq 1 ]]
	wait_for 90 "bulk-0 to be taken back" sh -c "! kubectl --kubeconfig $SITE_KUBE -n $SITE_NS get pod bulk-0"
	[[ $(with_pods | paste -sd' ') = "bulk-1 bulk-2 bulk-3" ]]
}

@test "an srun whose pod is refused is not killed; the Comment says why" {
	quota small 0
	as_user srun -p big -N1 hostname >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	srun=$!
	its_id() { id=$(as_user squeue -h -o %i) && [[ $id ]]; }
	wait_for 60 "the job" its_id
	wait_for 90 "the refusal" grep -q "big-0: left to ResumeTimeout, for job $id " "$POWER_LOG"
	[[ $(job "$id" JobState) = CONFIGURING ]]
	why() { [[ $(node big-0 Comment) = "k8s: pods "*"exceeded quota"* ]]; }
	wait_for 30 "the Comment" why
	as_slurm scancel "$id"
	wait "$srun" || true # (it was cancelled)
}

@test "a job of somebody else that shares a node with a refused gang, and cannot be requeued, lives on" {
	sed 's/containerPort: 6818/containerPort: 99999/' "$SITE/worker.yaml" >"$SITE/bad.yaml"
	id=$(submit -p bad -w bad-[2-3] -N2 -n2 --ntasks-per-node=1 --mem=16 --hold --wrap true)
	as_user srun -p bad -w bad-2 -n1 --mem=16 hostname >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	srun=$!
	as_slurm scontrol release "$id"
	wait_for 90 "the refusal" grep -q "job $id goes back to the queue, nodes bad-3 to idle" "$POWER_LOG"
	wait_for 90 "job $id to be pending" job_is "$id" PENDING
	other=$(as_user squeue -h -t CF -o %i)
	[[ $(job "$other" JobState) = CONFIGURING ]]
	as_slurm scancel "$other"
	wait "$srun" || true # (it was cancelled)
}

@test "a template that the API server refuses: 422 and its message; slurmctld looks up no name" {
	from=$(($(wc -l <"$SITE/log/slurmctld.log") + 1))
	sed 's/containerPort: 6818/containerPort: 99999/' "$SITE/worker.yaml" >"$SITE/bad.yaml"
	id=$(submit -p bad -N1 --wrap true)
	wait_for 90 "the refusal" grep -q "job $id goes back" "$POWER_LOG"
	wait_for 90 "idle~" nodes_are bad-0 'idle~'
	wait_for 60 "the Comment" node_says bad-0 Comment=
	[[ $(node bad-0 Comment) = "k8s: "*"must be between 1 and 65535"* ]]
	grep -q 'bad-0: refused after .* 422 Invalid' "$POWER_LOG"
	run ! grep getaddrinfo <(tail -n "+$from" "$SITE/log/slurmctld.log")
	good_template
}

# (a scheduler that there is not: the pod stays as it is, and clean_up deletes it)
@test "somebody else's pod has a node's name: that node rests alone and says why, and the pod stays" {
	kns run cpu-0 --image=localhost/none --overrides='{"apiVersion":"v1","spec":{"schedulerName":"nobody"}}' >/dev/null
	uid=$(pod_uid cpu-0)
	id=$(submit -w cpu-0 --wrap true)
	wait_for 90 "the node's rest" logged "k8s: cpu-0: cools down for [0-9]* s: .*there is a pod of this name that is not this Slurm node's"
	wait_for 60 "the Comment" node_says cpu-0 "Comment=k8s: .*there is a pod of this name that is not this Slurm node's"
	# others of its nodeset are used meanwhile
	other=$(submit -N1 -w cpu-1 --wrap true)
	wait_for 120 "job $other" job_is "$other" COMPLETED
	run ! logged 'nodeset cpu cools down'
	[[ $(pod_uid cpu-0) = "$uid" ]]
	kns delete pod cpu-0 --grace-period=1 >/dev/null 2>&1
	wait_for 120 "job $id" job_is "$id" COMPLETED
}

@test "an administrator's Comment on a node is left alone" {
	update NodeName=cpu-0 Comment=mine
	quota small 0
	id=$(submit -N1 -w cpu-0 --wrap 'true')
	wait_for 90 "the refusal" grep -q "job $id goes back to the queue" "$POWER_LOG"
	wait_for 90 "idle~" nodes_are cpu-0 'idle~'
	[[ $(node cpu-0 Comment) = mine ]]
	update NodeName=cpu-0 Comment=
}
