# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=alone,long
# kill -9 of slurmctld at random moments while 50 nodes resume and suspend.
# STORM_ROUNDS (15) and STORM_SEED choose how many, and which.
setup() { load common.bash; }
teardown() { clean_up; }

NODES='bulk-[0-49]'

# power STATE: of all of them. (Their names cannot be resolved, and slurmctld looks
# those up that it powers down by force, 10 s each: docs/versions.md.)
power() {
	local args=(NodeName="$NODES" State="$1")
	[[ $1 = POWER_UP ]] || args+=(NodeAddr="$(no_address "$(echo bulk-{0..49} | tr ' ' ,)")")
	update "${args[@]}" >/dev/null 2>&1 || true
}

# await_flight: sets FLIGHT to a program that runs; "": none did. (To look for one takes as long
# as it runs: whether it still does, its folder says at once.)
await_flight() {
	local end=$((SECONDS + 3))
	until FLIGHT=$(pgrep -n -f "^$SITE_BIN/k8s_(resume|suspend)|^k8s_(resume|suspend) ") || ((SECONDS > end)); do :; done
}
# (of one that has ended nothing can be read, also before it is buried)
in_flight() { [[ $FLIGHT ]] && read -r -d '' 2>/dev/null <"/proc/$FLIGHT/cmdline"; }

# What was there before Slurm's last save is Slurm's to keep
saved() { [[ $SITE/state/job_state -nt $1 && $SITE/state/node_state -nt $1 ]]; }

# (POWER_DOWN_FORCE does not take back a power-up that was asked for, and has not begun)
none_to_begin() { ! as_user scontrol -o show node "$NODES" | grep -q 'State=[^ ]*POWER_UP'; }

jobs_waiting() { [[ $(as_user squeue -h -o %i | wc -l) -eq $1 ]]; }

@test "slurmctld is killed again and again while nodes resume and suspend" {
	rounds=${STORM_ROUNDS:-15}
	seed=${STORM_SEED:-$SRANDOM}
	echo "# STORM_SEED=$seed" >&3
	RANDOM=$seed
	for _ in {1..10}; do submit --hold -p bulk --wrap true >/dev/null; done
	touch "$BATS_TEST_TMPDIR/now"
	wait_for 90 "Slurm to save its state" saved "$BATS_TEST_TMPDIR/now"
	counted=0 tried=0 kills=0 state=POWER_UP
	while ((counted < rounds && tried++ < 5 * rounds)); do
		power $state
		[[ $state = POWER_UP ]] && state=POWER_DOWN_FORCE || state=POWER_UP
		await_flight
		sleep "0.0$((RANDOM % 2))$((RANDOM % 10))" # (the programs take some 20 to 50 ms)
		in_flight && flew=1 || flew=0
		if ((RANDOM % 4 == 0)); then as_slurm scontrol reconfigure & fi
		slurmctld_kill
		((++kills))
		slurmctld_start
		((counted += flew)) || true
	done
	echo "$counted rounds of $tried with a program in flight"
	echo "# storm: $kills kills, seed $seed" >&3
	((counted >= rounds))
	# all comes to rest by itself, once nobody wants the nodes
	wait_for 60 "the last power-up to have begun" none_to_begin
	power POWER_DOWN_FORCE
	wait_for 200 "no pod to be left" pods_are 0
	wait_for 200 "all nodes to be idle~" nodes_are 'bulk-[0-199]' 'idle~'
	jobs_waiting 10
	# and the nodes are of use
	update NodeName=bulk-[0-9] State=POWER_UP
	wait_for 90 "their pods" pods_are 10
}
