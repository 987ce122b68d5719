# SPDX-License-Identifier: GPL-2.0-or-later
# An API server whose answers come late, while jobs come and go.
# bats file_tags=alone
setup_file() {
	load bridge.bash
	bridge_up
}
teardown_file() {
	load bridge.bash
	bridge_down
}
setup() {
	load bridge.bash
	load proxy.bash
	begin
	proxy_start
}
teardown() {
	end_process "$SITE/watch.pid" TERM
	proxy_end
	bridge_clean
}

# bind NAME NODE: as somebody else
bind() {
	kube create --raw "/api/v1/namespaces/$TEAM/pods/$1/binding" -f - >/dev/null <<-J
	{"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "$1"}, "target": {"apiVersion": "v1", "kind": "Node", "name": "$2"}}
	J
}

lost() { [[ $(job "$late" JobState) != RUNNING ]]; }

@test "somebody else binds a pod while its own binding is about to come: its job ends at once, the next one starts" {
	use kubeconfig.proxy
	held late "$LONG"
	held next 'exit 0'
	late=$(job_of late) next=$(job_of next)
	proxy_all USR1
	as_slurm scontrol release "$late"
	wait_for 60 "the pod to have its job's id" is_marked
	bind late "$ONE"
	as_slurm scontrol release "$next"
	proxy_all USR2
	within 10 "job $late to end" job_is "$late" CANCELLED
	# (what is answered to our own binding, or what the watch says, whichever is first)
	logged "bridge: Pod $TEAM .*: a pod was bound by somebody else\|bridge: job $late cancelled"
	within 60 "the next pod" pod_is next Succeeded
	# (it is left where it is, and its kubelet decides whether it has room there)
	[[ $(kteam get pod late -o 'jsonpath={.spec.nodeName} {.metadata.deletionTimestamp}') = "$ONE " ]]
}

# held NAME COMMAND: a pod that asks for all of $TWO, and whose job is held
held() {
	a_pod "$1" "$2" '' "$(node "$TWO" CPUTot)" | grace 20 | on "$TWO" | notes 'job.slurm-k8s.io/sbatch-options: --hold' | create
	wait_for 60 "pod $1 to be told" pod_says "$TEAM" "$1" JobHeldUser
}
is_marked() { [[ $(kteam get pod late -o 'jsonpath={.status.conditions[?(@.type=="slurm-k8s.io/job")].message}') = "$late" ]]; }

# (its pod is to wait, so nothing but the binding taken back keeps it from the node)
@test "a job loses its node while its pod is about to be bound, and answers come late: it is not bound, the next one is" {
	use kubeconfig.proxy
	held late "$LONG"
	held next "$LONG"
	late=$(job_of late) next=$(job_of next)
	kubectl --kubeconfig "$SITE_KUBE" -n "$TEAM" get pods --watch-only --output-watch-events \
		-o 'jsonpath={.type} {.object.metadata.name} {.object.spec.nodeName}{"\n"}' >"$SITE/watched" 2>/dev/null 3>&- 9>&- &
	echo $! >"$SITE/watch.pid"
	proxy_all USR1
	as_slurm scontrol release "$late"
	# (its binding follows on the answer to that)
	wait_for 60 "the pod to have its job's id" is_marked
	update NodeName="$TWO" State=DOWN Reason=test
	wait_for 60 "job $late to lose it" lost
	# (ReturnToService=2: one with a slurmd may have come back by itself)
	update NodeName="$TWO" State=RESUME || [[ $(node "$TWO" State) != *DOWN* ]]
	as_slurm scontrol release "$next"
	wait_for 60 "job $next to start" job_is "$next" RUNNING
	run logged 'nothing is done without the lease'
	[[ $status -ne 0 ]] || skip "this machine is too slow: the lease was lost meanwhile, and nothing would be bound anyway"
	proxy_all USR2
	wait_for 120 "the second to run" pod_is next Running
	end_process "$SITE/watch.pid" TERM
	cat "$SITE/watched"
	awk -v node="$TWO" '
		$2 == "late" && $3 { wrong = 1 }
		$2 == "next" && $3 == node { came = 1 }
		END { exit wrong || !came }' "$SITE/watched"
}
