# SPDX-License-Identifier: GPL-2.0-or-later
# One engine acts at a time: a slurmctld that dies, ends, or is stopped and comes
# back after its backup took over. The backup has a host name and an address of
# its own, in namespaces on this machine.
#
# The pods of "bulk" never run: who makes a missing one is the engine.
setup() {
	load common.bash
	LOG=$SITE/log/slurmctld.log LOG_B=$SITE/log/slurmctld-b.log
}
teardown() { clean_up; }

NETNS=k8s-ctl-b
IP_B=10.89.0.99

setup_file() {
	load common.bash
	slurmctld_stop
	cp "$SITE/slurm.conf" "$BATS_FILE_TMPDIR/slurm.conf"
	cp "$SITE/kubeconfig" "$BATS_FILE_TMPDIR/kubeconfig"
	put "$SITE/slurm.conf" ResumeTimeout=60 ResumeTimeout=600
	sed -i "/^SlurmctldHost=/a SlurmctldHost=ctl-b($IP_B)\nSlurmctldTimeout=6" "$SITE/slurm.conf"
	# the API server, as both hosts reach it
	sed "s#https://127.0.0.1:#https://$SITE_IP:#" "$BATS_FILE_TMPDIR/kubeconfig" >"$SITE/kubeconfig"
	# what asks the backup only
	mkdir "$SITE/b"
	sed '0,/^SlurmctldHost=/{/^SlurmctldHost=/d}' "$SITE/slurm.conf" >"$SITE/b/slurm.conf"
	install -o slurm -g slurm -m 644 /dev/null "$SITE/log/slurmctld-b.log"
	ip netns add $NETNS
	ip link add vctl-b type veth peer name eth0 netns $NETNS
	ip link set vctl-b master k8sbr0 up
	ip -n $NETNS addr add $IP_B/24 dev eth0
	ip -n $NETNS link set lo up
	ip -n $NETNS link set eth0 up
	ip -n $NETNS route add default via "$SITE_IP"
	slurmctld_start
}

teardown_file() {
	load common.bash
	end_process "$SITE/slurmctld-b.pid" TERM
	kill -CONT "$(<"$SITE/slurmctld.pid")"
	slurmctld_stop
	ip netns del $NETNS
	ip link del vctl-b 2>/dev/null || true
	cp "$BATS_FILE_TMPDIR/slurm.conf" "$SITE/slurm.conf"
	cat "$BATS_FILE_TMPDIR/kubeconfig" >"$SITE/kubeconfig"
	slurmctld_start
}

backup_start() {
	# shellcheck disable=SC2016 # the inner shell's
	ip netns exec $NETNS unshare --uts --mount --propagation private sh -c \
		'hostname ctl-b && mount --bind "$0" /etc/nsswitch.conf && exec "$@"' "$SITE/nsswitch.conf" \
		setpriv --reuid slurm --regid slurm --clear-groups \
		slurmctld -D -f "$SITE/slurm.conf" -L "$LOG_B" >>"$SITE/log/slurmctld.out" 2>&1 </dev/null 3>&- 9>&- &
	echo $! >"$SITE/slurmctld-b.pid"
	wait_for 20 "the backup" sh -c "setpriv --reuid slurm --regid slurm --clear-groups env SLURM_CONF=$SITE/slurm.conf scontrol ping | grep -q '(backup).*is UP'"
}

# as_slurm, but the backup is asked
ask_b() { setpriv --reuid slurm --regid slurm --clear-groups env -i PATH=/usr/bin:/bin SLURM_CONF="$SITE/b/slurm.conf" "$@"; }

# logged PATTERN [FILE]: since the last mark
mark() { MARK=$(wc -l <"$LOG") MARK_B=$(wc -l <"$LOG_B"); }
since() { if [[ $1 = "$LOG_B" ]]; then tail -n "+$((MARK_B + 1))" "$1"; else tail -n "+$((MARK + 1))" "$1"; fi; }
logged() { since "${2:-$LOG}" | grep -q "$1"; }
not_logged() { if logged "$@"; then return 1; fi; }
count() { since "${2:-$LOG}" | grep -c "$1" || true; }

holder() { kns get lease slurm-k8s-cluster -o 'jsonpath={.spec.holderIdentity}'; }
held_by() { [[ $(holder) = "$1"_"$2"_* ]]; }
uids() { kns get pods -o 'jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{"\n"}{end}' | sort; }

# missing NODE: its pod is deleted; the engine makes another at once
missing() { kns delete pod "$1" --force --grace-period=0 >/dev/null 2>&1; }
new_pod() { local uid; uid=$(pod_uid "$1" 2>/dev/null) && [[ $uid && $uid != "$2" ]]; }

@test "the engine holds the lease and renews it" {
	wait_for 10 "the lease" held_by "$(hostname)" "$(<"$SITE/slurmctld.pid")"
	grep -q "k8s: cluster prod: the lease $SITE_NS/slurm-k8s-cluster is ours" "$LOG"
	before=$(kns get lease slurm-k8s-cluster -o 'jsonpath={.spec.renewTime}')
	sleep 6
	[[ $(kns get lease slurm-k8s-cluster -o 'jsonpath={.spec.renewTime}') > $before ]]
}

@test "after kill -9 the next engine acts at once" {
	update NodeName=bulk-0 State=POWER_UP
	wait_for 10 "its pod" pods_are 1
	uid=$(pod_uid bulk-0)
	touch "$BATS_TEST_TMPDIR/now"
	wait_for 30 "Slurm to save its state" test "$SITE/state/node_state" -nt "$BATS_TEST_TMPDIR/now"
	mark
	pid=$(<"$SITE/slurmctld.pid")
	kill -9 "$pid"
	wait "$pid" 2>/dev/null || true
	slurmctld_start
	wait_for 2 "the lease" logged 'the lease .* is ours'
	wait_for 5 "the pods in view" logged 'pods in view'
	not_logged 'another slurmctld'
	missing bulk-0
	wait_for 5 "another pod" new_pod bulk-0 "$uid"
	wait_for 2 "the word" logged 'k8s: bulk-0: pod .* created'
}

@test "an orderly end gives the lease back, quickly" {
	mark
	begin=$(date +%s%N)
	slurmctld_stop
	(($(date +%s%N) - begin < 5000000000))
	[[ ! $(holder) ]]
	slurmctld_start
	wait_for 2 "the lease" logged 'the lease .* is ours'
	not_logged 'another slurmctld'
}

@test "without the right to leases the engine works, and says so" {
	kns get role slurmctld -o json >"$BATS_TEST_TMPDIR/role"
	kns patch role slurmctld --type=json -p '[{"op": "remove", "path": "/rules/2"}]' >/dev/null
	slurmctld_stop
	mark
	slurmctld_start
	wait_for 5 "the word" logged 'no lease keeps a second slurmctld from acting: .*403'
	update NodeName=bulk-1 State=POWER_UP
	wait_for 10 "its pod" pods_are 1
	uid=$(pod_uid bulk-1)
	missing bulk-1
	wait_for 5 "another pod" new_pod bulk-1 "$uid"
	kns replace -f "$BATS_TEST_TMPDIR/role" >/dev/null
	wait_for 60 "the lease" logged 'the lease .* is ours'
}

@test "a stopped primary that comes back finds the backup's engine acting, and does nothing" {
	host=$(hostname)
	primary=$(<"$SITE/slurmctld.pid")
	mark
	backup_start
	update NodeName=bulk-[0-3] State=POWER_UP
	wait_for 15 "their pods" pods_are 4
	not_logged 'engine .* runs' "$LOG_B" # it only stands by

	kill -STOP "$primary"
	wait_for 40 "the backup to take over" logged 'engine .* runs' "$LOG_B"
	wait_for 10 "its engine to wait" logged "another slurmctld ($host, pid $primary) holds the lease $SITE_NS/slurm-k8s-cluster: waiting" "$LOG_B"
	wait_for 20 "its turn" logged 'the lease .* is ours' "$LOG_B"
	backup=$(holder)
	[[ $backup = ctl-b_* ]]
	uid=$(pod_uid bulk-0)
	missing bulk-0
	wait_for 5 "the backup's engine to make it" new_pod bulk-0 "$uid"
	logged 'k8s: bulk-0: pod .* created' "$LOG_B"

	uid=$(pod_uid bulk-1)
	before=$(uids | grep -v bulk-1)
	mark
	missing bulk-1
	kill -CONT "$primary"
	wait_for 5 "the primary to see it" logged 'another slurmctld (ctl-b, pid [0-9]*) holds the lease'
	wait_for 5 "one of them to make it" new_pod bulk-1 "$uid"
	uid=$(pod_uid bulk-2)
	missing bulk-2
	wait_for 5 "one of them to make it" new_pod bulk-2 "$uid"
	# long enough for the old one to act upon anything it believes
	sleep 20
	[[ $(holder) = "$backup" ]]
	[[ $(count 'k8s: bulk-[12]: pod .* created' "$LOG_B") -eq 2 ]]
	[[ $(count 'k8s: bulk-.*: pod .*\(created\|replaced\|adopted\|deleted\)') -eq 0 ]]
	[[ $(count 'k8s: nodes ') -eq 0 ]]
	[[ $(count 'the lease .* is ours') -eq 0 ]]
	pods_are 4
	[[ $(uids | grep -v 'bulk-[12]') = "$(grep -v bulk-2 <<<"$before")" ]]

	# the backup goes on: what it powers down loses its pods
	ask_b scontrol update NodeName=bulk-[0-3] State=POWER_DOWN_FORCE
	wait_for 20 "the pods to go" pods_are 0
	end_process "$SITE/slurmctld.pid" TERM
	[[ $(holder) = "$backup" ]]
	end_process "$SITE/slurmctld-b.pid" TERM
	[[ ! $(holder) ]]
	slurmctld_start
	wait_for 2 "the lease" logged 'the lease .* is ours'
}
