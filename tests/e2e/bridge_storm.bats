# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 of slurmctld while pods are created, bound, finish and are cancelled.
# BRIDGE_ROUNDS (4) and STORM_SEED choose how many, and which.
# bats file_tags=alone
setup_file() {
	load bridge.bash
	export BATS_TEST_TIMEOUT=$((600 + 30 * ${BRIDGE_ROUNDS:-4}))
	# (shared nodes: many pods on three nodes. A slurmctld that is killed each few seconds
	# never comes to forget a job that has ended.)
	BRIDGE_SHARED=1 BRIDGE_WIDE=$WIDE BRIDGE_CONF=MaxJobCount=100000 bridge_up
	wide_up "$WIDE"
}
teardown_file() {
	load bridge.bash
	wide_down
	bridge_down
}
setup() {
	load bridge.bash
	mkdir -p "$SITE/kept"
	begin
}
teardown() {
	cat "$SITE/log/kubelet.out" # (seen if it has failed)
	as_slurm scontrol update PartitionName=k8s State=UP >/dev/null 2>&1 || true
	kteam delete jobs --all --wait=false >/dev/null
	bridge_clean
}

WIDE=50 # CPUs of the node without a kubelet

# keep_state: what Slurm has saved now; lose_state: what it has saved since is lost, as if it
# had not come to it
keep_state() { cp -p "$SITE/state/"{job,node}_state "$SITE/kept/"; }
lose_state() {
	local f
	for f in job_state node_state; do
		cp -p "$SITE/kept/$f" "$SITE/state/$f"
		cp -p "$SITE/kept/$f" "$SITE/state/$f.old"
	done
}

pod_field() { kteam get pod "$1" -o "jsonpath={$2}"; }
nodes_saved() { [[ $SITE/state/node_state -nt $SITE/now ]]; }
save_nodes() { # as they are since $SITE/now
	update NodeName="$BIG" Comment="saved-$RANDOM"
	wait_for 60 "Slurm to save its nodes" nodes_saved
}
save() { # what there is now
	save_job "$1"
	save_nodes
}

@test "a pod whose job slurmctld had not saved runs on, with another job" {
	a_pod first 'sleep 1' | lasting 0.2 | on "$BIG" | kteam create -f - >/dev/null
	wait_for 120 "it to end" pod_is first Succeeded
	wait_for 120 "its job to end" no_jobs
	touch "$SITE/now"
	wait_for 20 "Slurm to have saved that" saved_since "$SITE/now" || true
	save_nodes
	wait_for 10 "a copy of that" keep_state
	a_pod young 'sleep 1' | lasting 600 | on "$BIG" | kteam create -f - >/dev/null
	wait_for 120 "the pod to run" pod_is young Running
	slurmctld_kill
	lose_state
	uid=$(pod_field young .metadata.uid)
	slurmctld_start
	wait_for 120 "a job for it" logged "that run on $BIG: Slurm has no job of theirs"
	wait_for 120 "it to run" newest_has young JobState RUNNING
	id=$(job_of young)
	labelled() { [[ $(pod_field young '.metadata.labels.slurm-k8s\.io/job-id') = "$id" && $(pod_field young '.metadata.annotations.slurm-k8s\.io/job-id') = "$id" ]]; }
	wait_for 60 "its id on the pod" labelled
	[[ $(pod_field young '.metadata.uid} {.status.phase') = "$uid Running" ]]
	[[ $(as_user squeue -h -j "$id" -o '%u %N') = "$SITE_USER $BIG" ]]
	kteam annotate pod young test/lasts=0 --overwrite >/dev/null
	wait_for 120 "the pod to end" pod_is young Succeeded
	wait_for 120 "job $id to end" job_is "$id" COMPLETED
}

@test "a pod whose job slurmctld knows as waiting runs on, and the job starts there" {
	as_slurm scontrol update PartitionName=k8s State=DOWN
	a_pod known 'sleep 1' | lasting 600 | on "$BIG" | kteam create -f - >/dev/null
	wait_for 60 "the pod to be told" pod_says "$TEAM" known Partition
	id=$(job_of known)
	save "$id"
	wait_for 10 "a copy of that" keep_state
	as_slurm scontrol update PartitionName=k8s State=UP
	wait_for 120 "the pod to run" pod_is known Running
	slurmctld_kill
	lose_state
	uid=$(pod_field known .metadata.uid)
	slurmctld_start
	wait_for 60 "the bridge" logged 'bridged pods in view'
	wait_for 120 "its job to run again" job_is "$id" RUNNING
	logged "job $id is to start on $BIG again, where its pods run"
	[[ $(pod_field known '.metadata.uid} {.status.phase') = "$uid Running" ]]
	[[ $(job "$id" NodeList) = "$BIG" ]]
	kteam annotate pod known test/lasts=0 --overwrite >/dev/null
	wait_for 120 "the pod to end" pod_is known Succeeded
	wait_for 120 "job $id to end" job_is "$id" COMPLETED
}

@test "a pod whose job slurmctld knows as held runs on, and who holds the job may release it" {
	a_pod held 'sleep 1' | lasting 600 | on "$BIG" |
		sed 's/annotations: {/&job.slurm-k8s.io\/sbatch-options: "--hold", /' | kteam create -f - >/dev/null
	wait_for 60 "the pod to be told" pod_says "$TEAM" held JobHeldUser
	id=$(job_of held)
	save "$id"
	wait_for 10 "a copy of that" keep_state
	as_user scontrol release "$id"
	wait_for 120 "the pod to run" pod_is held Running
	slurmctld_kill
	lose_state
	uid=$(pod_field held .metadata.uid)
	slurmctld_start
	wait_for 120 "that to be said" logged "job $id is held, and its pod runs"
	says_held() { kteam get events --field-selector involvedObject.name=held -o 'jsonpath={.items[*].message}' | grep -q "job $id is held, and its pod runs"; }
	wait_for 60 "an Event" says_held
	[[ $(as_user squeue -h -j "$id" -o '%T %r') = "PENDING JobHeldUser" ]]
	[[ $(pod_field held '.metadata.uid} {.status.phase') = "$uid Running" ]]
	as_user scontrol release "$id"
	wait_for 120 "its job to run again" job_is "$id" RUNNING
	[[ $(job "$id" NodeList) = "$BIG" ]]
	[[ $(pod_field held '.metadata.uid} {.status.phase') = "$uid Running" ]]
	kteam annotate pod held test/lasts=0 --overwrite >/dev/null
	wait_for 120 "the pod to end" pod_is held Succeeded
	wait_for 120 "job $id to end" job_is "$id" COMPLETED
}

@test "a node that Slurm takes for allocated, though no job is there, is idle again" {
	external || skip "a slurmd says so itself"
	a_pod before 'sleep 1' | lasting 1 | on "$BIG" |
		sed 's/annotations: {/&job.slurm-k8s.io\/sbatch-options: "--hold", /' | kteam create -f - >/dev/null
	wait_for 60 "a pod to be told" pod_says "$TEAM" before JobHeldUser
	save "$(job_of before)"
	cp -p "$SITE/state/job_state" "$SITE/job_state.before"
	a_pod has 'sleep 1000 & wait' '' "$(node "$TWO" CPUTot)" | on "$TWO" | kteam create -f - >/dev/null
	wait_for 120 "the pod to run" pod_is has Running
	save "$(job_of has)"
	# half of it is lost
	slurmctld_kill
	kteam delete pod has --grace-period=1 >/dev/null 2>&1
	for f in job_state job_state.old; do cp -p "$SITE/job_state.before" "$SITE/state/$f"; done
	slurmctld_start
	wait_for 120 "the bridge to see to it" logged "node $TWO idle again: no job has it"
	wait_for 120 "it to be idle" nodes_are "$TWO" idle
	# (from 23.11 to 25.11 that is what is left of a Reason of ours: docs/versions.md)
	run node "$TWO" Reason
	[[ ! $output || ($SITE_RELEASE = 2[345].* && $output = "Not responding "*) ]]
}

# bats test_tags=long
@test "a pod whose room is taken after kill -9 goes after a minute, and says why" {
	as_slurm scontrol update PartitionName=k8s State=DOWN
	a_pod taken 'sleep 1' '' "$WIDE" | lasting 600 | on "$BIG" | kteam create -f - >/dev/null
	wait_for 60 "the pod to be told" pod_says "$TEAM" taken Partition
	id=$(job_of taken)
	save "$id"
	wait_for 10 "a copy of that" keep_state
	as_slurm scontrol update PartitionName=k8s State=UP
	wait_for 120 "the pod to run" pod_is taken Running
	slurmctld_kill
	lose_state
	# (nothing starts in a partition that is down)
	sed -i '/^PartitionName=k8s /s/State=UP/State=DOWN/' "$SITE/slurm.conf"
	slurmctld_start
	sed -i '/^PartitionName=k8s /s/State=DOWN/State=UP/' "$SITE/slurm.conf"
	wait_for 100 "the pod to go" pod_gone taken
	wait_for 60 "an Event" sh -c "kubectl --kubeconfig '$SITE_KUBE' -n '$TEAM' get events | grep 'slurmctld was killed before it had saved its start'"
	as_slurm scontrol update PartitionName=k8s State=UP
	wait_for 120 "no job" no_jobs
}

# --- the storm

# burst ROUND NUMBER: so many short pods, one for a real kubelet, and a Job
burst() {
	local i
	for ((i = 0; i < $2; i++)); do a_pod "s-$1-$i" 'sleep 1' | on "$BIG"; done
	a_pod "real-$1" 'sleep 2' | on "$( (($1 % 2)) && echo "$ONE" || echo "$TWO")"
	cat <<-Y
	apiVersion: batch/v1
	kind: Job
	metadata: {name: work-$1}
	spec:
	  template:
	    spec:
	      schedulerName: $SCHEDULER
	      tolerations: [{key: slurm-k8s.io/tests, operator: Exists}]
	      restartPolicy: Never
	      nodeSelector: {kubernetes.io/hostname: $BIG}
	      containers:
	        - {name: main, image: none, resources: {requests: {cpu: "1", memory: 16Mi}}}
	Y
}

# something_else: somebody cancels jobs or deletes pods
something_else() {
	case $((RANDOM % 3)) in
	1) as_user squeue -h -o %i | awk -v n=$((RANDOM % 5)) 'NR % 5 == n' | while read -r id; do as_user scancel "$id" || true; done ;;
	2) kteam get pods -o name | awk -v n=$((RANDOM % 7)) 'NR % 7 == n' | xargs -r kubectl --kubeconfig "$SITE_KUBE" -n "$TEAM" delete --wait=false ;;
	*) ;;
	esac >/dev/null 2>&1
}

# kill -9 of PID as soon as LOG has, behind BEFORE (bytes), so many LINES of what the bridge
# asked for or was answered (NEXT: and then, at its end, one of an API request), or when it
# says nothing of the kind for 6 s: after the bridge has begun to work, which LOG says from
# FROM (bytes) on, or at once (SOON)
KILL_AT='
import os, re, sys, time
log, pid, left, asked = open(sys.argv[1], "rb"), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "NEXT"
before, begun, now = int(sys.argv[7]), sys.argv[6] == "SOON", time.monotonic()
log.seek(int(sys.argv[5]))
end, last = now + (6 if begun else 60), now + 60
while (left > 0 or asked) and time.monotonic() < min(end, last):
    line = log.readline()
    if not line:
        time.sleep(0.0002)
    elif not begun and b"bridged pods in view" in line:
        begun, end = True, time.monotonic() + 6
    if log.tell() <= before:
        continue
    if re.search(b"k8s: (bridge: job [0-9]+(:| is| ended| cancelled)|pod .*: (bound|told|deleted)$)", line):
        left, end = left - 1, time.monotonic() + 6
    if left <= 0 and log.tell() == os.path.getsize(log.name):
        asked &= not re.search(b"k8s: bridge: .* pods (bound$|deleted:)", line)
os.kill(pid, 9)'

# in_flight LINE: was anything asked for since that line of the log, and not
# answered: of the API server, or of Slurm? (Told of Events and notes is nowhere.)
in_flight() {
	tail -n "+$1" "$CTLD_LOG" | awk '
		/k8s: bridge: job [0-9]+: [0-9]+ pods bound$/ { asked += $(NF - 2) }
		/k8s: bridge: [0-9]+ pods deleted:/ { sub(/.*bridge: /, ""); asked += $1 }
		/k8s: pod .*: (bound|deleted)$/ { asked-- }
		/ _slurm_rpc_(submit_batch_job|allocate_resources):? JobId=/ { jobs++ }
		/k8s: bridge: job [0-9]+ is (Pod|Job) / { jobs-- }
		END { print "# on their way: " asked + 0 " bindings or deletions, " jobs + 0 " jobs"; exit !(asked > 0 || jobs > 0) }'
}

all_over() { ! kteam get pods --no-headers -o custom-columns=P:.status.phase | grep -qvE '^(Succeeded|Failed) *$'; }

@test "slurmctld is killed again and again while pods come, run and go" {
	rounds=${BRIDGE_ROUNDS:-4}
	seed=${STORM_SEED:-$SRANDOM}
	echo "# STORM_SEED=$seed" >&3
	RANDOM=$seed
	counted=0 tried=0 started=0
	while ((counted < rounds && tried++ < 6 * rounds)); do
		from=$(($(wc -l <"$CTLD_LOG") + 1)) before=$(stat -c %s "$CTLD_LOG")
		burst "$tried" $((tried == 1 ? 100 : 25)) >"$SITE/burst.yaml"
		(
			kteam create -f "$SITE/burst.yaml" >/dev/null
		) 3>&- &
		maker=$!
		something_else 3>&- &
		other=$!
		pid=$(<"$SITE/slurmctld.pid")
		slurmctld_asked "$SITE/slurmctld.pid" KILL
		python3 -c "$KILL_AT" "$CTLD_LOG" "$pid" $((1 + RANDOM % 80)) "$( ((tried % 3)) && echo NEXT || echo ANY)" \
			"$started" "$( ((tried % 4)) && echo BEGUN || echo SOON)" "$before"
		wait_for 60 "its end" process_ended "$pid"
		wait "$maker" || true
		! in_flight "$from" || ((++counted))
		started=$(stat -c %s "$CTLD_LOG")
		slurmctld_start
		wait "$other" || true
	done
	echo "# $counted rounds of $tried with a request in flight" >&3
	echo "# storm: $tried kills, seed $seed" >&3
	((counted >= rounds))
	wait_for 240 "all pods to be over" all_over
	wait_for 120 "no job" no_jobs
	echo "# $(kteam get events 2>/dev/null | grep -c 'was killed before it had saved') pods have lost their room" >&3
	[[ $(<"$SITE/log/kubelet.out") = ready ]] || {
		cat "$SITE/log/kubelet.out"
		return 1
	}
	kteam delete jobs,pods --all --wait=false >/dev/null
	wait_for 60 "no pod" no_pods
	wait_for 120 "nodes to be idle" nodes_are "$BIG","$PAIR" idle
	external || return 0
	wide_down
	kube delete node "$BIG" >/dev/null
	wait_for 60 "the node to go from Slurm" no_node "$BIG"
}
no_pods() { [[ ! $(kteam get pods -o name) ]]; }
no_node() { ! as_user sinfo -h -N -o %N | grep -qx "$1"; }
