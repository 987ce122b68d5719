# SPDX-License-Identifier: GPL-2.0-or-later
# Many pods in Slurm's queue at once. BRIDGE_LOAD (400): how many wait; half as many
# again come and go meanwhile. A tenth as many gangs of four.
# bats file_tags=alone
WIDE=100 # CPUs of the node without a kubelet

setup_file() {
	load bridge.bash
	controllers
	export BATS_TEST_TIMEOUT=$((400 + ${BRIDGE_LOAD:-400}))
	# (shared nodes: many pods on three nodes. A namespace has a quarter of MaxJobCount.)
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
	begin
	LOAD=${BRIDGE_LOAD:-400}
}
teardown() {
	bridge_clean
	kteam delete podgroups.scheduling.x-k8s.io --all --wait=false >/dev/null
}

# short PREFIX FIRST LAST [LABELS]: pods of half a second, of kubelet.py's
short() {
	local n
	for ((n = $2; n <= $3; n++)); do a_pod "$1-$n" true "${4:-}"; done | lasting 0.5 | on "$BIG"
}
pods_url() { echo "/api/v1/namespaces/$TEAM/pods"; }
waiting_jobs() { as_user squeue -h -t PD -o %i | wc -l; }
all_wait() { [[ $(waiting_jobs) -eq $1 ]]; }
memory_kib() { awk '/^VmRSS/ {print $2}' "/proc/$(<"$SITE/slurmctld.pid")/status"; }
left() {
	local all
	until all=$(kteam get pods --no-headers -o custom-columns=P:.status.phase); do sleep 1; done
	grep -cv '^Succeeded *$' <<<"$all"
}
fewer_than() { (($(left) < $1)); }

# none_left: all pods have had their turn. How long that takes is the machine's and Slurm's
# matter; what never is right is that for a while none has its turn.
none_left() {
	local now
	while now=$(left); ((now)); do
		wait_for 60 "one more of $now pods to have its turn" fewer_than "$now" || return 1
	done
}
requests() { tail -n "+$MARK" "$CTLD_LOG" | grep -cE 'k8s: pod .*: (bound|told|deleted)$'; }

@test "a long queue with churn: each pod gets its turn, with few requests" {
	churn=$((LOAD / 4))
	before=$(memory_kib)
	as_slurm scontrol update NodeName="$BIG" State=DRAIN Reason=full
	short wait 1 "$LOAD" | create_all "$(pods_url)"
	wait_for 120 "all of them to wait in Slurm" all_wait "$LOAD"
	wait_for 60 "them to be told" pod_says "$TEAM" "wait-$LOAD" 'job [0-9]* waits'
	start=$SECONDS
	as_slurm scontrol update NodeName="$BIG" State=RESUME
	# some come, some go, while nodes become free
	short late 1 "$churn" | create_all "$(pods_url)"
	for ((n = 2; n <= LOAD; n += 4)); do echo "wait-$n"; done |
		xargs -P 2 -n 50 kubectl --kubeconfig "$SITE_KUBE" -n "$TEAM" delete pod --wait=false --grace-period=0 --ignore-not-found >/dev/null 2>&1
	short later 1 "$churn" | create_all "$(pods_url)"
	none_left
	wait_for 120 "no job" no_jobs
	n=$((LOAD + 2 * churn)) asked=$(requests) grown=$(($(memory_kib) - before))
	echo "# $n pods in $((SECONDS - start)) s; $asked requests, $((asked * 10 / n)) for 10 pods; slurmctld grew by $((grown / 1024)) MiB" >&3
	((asked <= 8 * n))
	((grown < 65536 + 50 * n)) # (kB: 64 MiB, and 50 kB for each pod)
	[[ $(<"$SITE/log/kubelet.out") = ready ]]
}

@test "many gangs of four: each starts as a whole, and all do" {
	gangs=$((LOAD / 10))
	before=$(memory_kib)
	for ((n = 1; n <= gangs; n++)); do
		printf 'apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: gang-%s}\nspec: {minMember: 4}\n---\n' "$n"
	done | create_all "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/$TEAM/podgroups"
	start=$SECONDS
	for ((n = 1; n <= gangs; n++)); do short "gang-$n" 1 4 "scheduling.x-k8s.io/pod-group: gang-$n"; done |
		create_all "$(pods_url)"
	none_left
	wait_for 120 "no job" no_jobs
	n=$((4 * gangs)) asked=$(requests) grown=$(($(memory_kib) - before))
	echo "# $gangs gangs in $((SECONDS - start)) s; $asked requests, $((asked * 10 / n)) for 10 pods; slurmctld grew by $((grown / 1024)) MiB" >&3
	((asked <= 8 * n))
	((grown < 65536 + 50 * n))
	# (the first time; a pod that is not seen to be bound two seconds later is bound once more)
	run sh -c "tail -n '+$MARK' '$CTLD_LOG' | grep -oE 'bridge: job [0-9]+: [0-9]+ pods bound' | awk '!seen[\$3]++ { print \$4 }' | sort | uniq -c"
	echo "$output"
	[[ $(awk '{print $2}' <<<"$output") = 4 ]]
	[[ $(awk '{print $1}' <<<"$output") -eq $gangs ]]
}
