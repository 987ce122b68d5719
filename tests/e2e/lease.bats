# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=alone,lease
# One engine acts at a time: a slurmctld that dies, ends, or stands still while
# its backup takes over. Each of the two has a host name and an address of its
# own, in namespaces on this machine.
#
# The pods of "bulk" never run: who makes a missing one is the engine.
setup() {
	load common.bash
	ctl_up a
}
teardown() {
	ip link set vctl-a up
	kill -CONT "$(ctl_pid a)" 2>/dev/null || true
	ctl_stop b
	[[ ! -e $SITE/ctl-a/k8s.yaml.good ]] || {
		ctl_stop a
		mv "$SITE/ctl-a/k8s.yaml.good" "$SITE/ctl-a/k8s.yaml"
	}
	ctl_up a
	clean_up
}

address() { [[ $1 = a ]] && echo 10.89.0.98 || echo 10.89.0.99; }
log_of() { echo "$SITE/log/ctl-$1.log"; }

# A host of the name ctl-a or ctl-b, on the bridge of the cluster's nodes, and
# its slurm.conf (a slurmctld ends the one that its PID file names)
host_up() {
	local net=(ip -n "k8s-ctl-$1")
	[[ -d /run/netns ]] || touch "$SITE/no-netns"
	ip netns add "k8s-ctl-$1"
	ip link add "vctl-$1" type veth peer name eth0 netns "k8s-ctl-$1"
	ip link set "vctl-$1" master k8sbr0 up
	"${net[@]}" addr add "$(address "$1")/24" dev eth0
	"${net[@]}" link set lo up
	"${net[@]}" link set eth0 up
	"${net[@]}" route add default via "$SITE_IP"
	mkdir "$SITE/ctl-$1"
	cp -p "$SITE"/*.{yaml,key} "$SITE/ctl-$1" 2>/dev/null || true # (a key is not in all releases)
	sed -e "s#^SlurmctldPidFile=.*#SlurmctldPidFile=$SITE/state/ctl-$1.pid#" \
		-e "s#^SlurmctldLogFile=.*#SlurmctldLogFile=$(log_of "$1")#" "$SITE/slurm.conf" >"$SITE/ctl-$1/slurm.conf"
	install -o slurm -g slurm -m 644 /dev/null "$(log_of "$1")"
}

host_down() {
	ctl_stop "$1"
	ip netns del "k8s-ctl-$1" || true
	ip link del "vctl-$1" 2>/dev/null || true
	# (the first "ip netns add" of a machine mounts that folder, and nobody else has used it)
	if [[ -e $SITE/no-netns ]] && rmdir_netns; then rm "$SITE/no-netns"; fi
}
rmdir_netns() { [[ ! $(ls /run/netns) ]] && umount /run/netns && rmdir /run/netns; }

# (as slurmctld_exec of site.sh, on its host)
ctl_exec() {
	local run=(setpriv --reuid slurm --regid slurm --clear-groups slurmctld -D -f "$SITE/ctl-$1/slurm.conf")
	# shellcheck disable=SC2016 # the inner shell's
	local host=(ip netns exec "k8s-ctl-$1" unshare --uts --mount --propagation private sh -c 'hostname "$0"; exec "$@"' "ctl-$1")
	if site_in_tree; then
		# (each slurmctld makes a socket in /run/slurmctld for commands to sign
		# with, and takes it away: those here use ctl-a's)
		# shellcheck disable=SC2016 # the inner shell's
		[[ $1 = a ]] || run=(unshare --mount --propagation private sh -c
			'mount -t tmpfs -o mode=755 tmpfs /run/slurmctld && chown slurm: /run/slurmctld && exec "$@"' sh "${run[@]}")
		exec "${host[@]}" nsenter --target "$(<"$SITE/tree.pid")" --mount --root --wdns=/tmp "${run[@]}"
	fi
	# shellcheck disable=SC2016 # the inner shell's
	exec "${host[@]}" sh -c 'mount --bind "$0" /etc/nsswitch.conf && exec "$@"' "$SITE/nsswitch.conf" "${run[@]}"
}

# check_on a|b ARGUMENT...: slurm-k8s check on that host, as from root's own shell
check_on() {
	local tree=()
	! site_in_tree || tree=(nsenter --target "$(<"$SITE/tree.pid")" --mount --root --wdns=/tmp)
	# shellcheck disable=SC2016 # the inner shell's
	ip netns exec "k8s-ctl-$1" unshare --uts --mount --propagation private sh -c 'hostname "$0"; exec "$@"' "ctl-$1" \
		${tree[@]+"${tree[@]}"} env -i PATH=/usr/bin:/bin HOME=/root SLURM_CONF="$SITE/ctl-$1/slurm.conf" \
		"$SITE/root/usr/sbin/slurm-k8s" check "${@:2}"
}

# both_in_template FOLDER: its pods know both hosts, as docs/ha.md says
both_in_template() {
	sed -i -e '/- ip: /{N;s/ip: \(.*\)\n *hostnames: \(.*\)/{ip: \1, hostnames: \2}/}' \
		-e "s/^\( *- {ip: \).*, hostnames: .*/\1$(address a), hostnames: [ctl-a]}\n\1$(address b), hostnames: [ctl-b]}/" \
		-e "s/\"[^\"]*:$SITE_PORT\"/\"ctl-a:$SITE_PORT,ctl-b:$SITE_PORT\"/" "$1"/*.yaml
}

ctl_start() {
	slurmctld_watched "$SITE/ctl-$1.pid" ctl_exec "$1"
	# (from Slurm 24.11 on a backup that is in charge may take half a minute to let go)
	wait_for 60 "ctl-$1" ctl_answers "$1"
}
# Unless it runs, and is the one in charge again
ctl_up() {
	if [[ ! -s $SITE/ctl-$1.pid ]] || process_ended "$(ctl_pid "$1")"; then
		ctl_start "$1"
	else
		wait_for 60 "ctl-$1" ctl_answers "$1"
	fi
}
ctl_answers() { as_user scontrol ping | grep -q "at ctl-$1 is UP"; }
ctl_pid() { cat "$SITE/ctl-$1.pid"; }
ctl_stop() {
	[[ ! -s $SITE/ctl-$1.pid ]] || wait_for 60 "ctl-$1 to be in charge, or to stand by" is_settled "$1" || true
	slurmctld_end "$SITE/ctl-$1.pid" TERM
}
# (Slurm forgets a SIGTERM that comes while a backup takes over or stands down: main() and
# run_backup() set shutdown_time to 0 when they are through with it)
is_settled() {
	[[ $(grep -oE 'taking over|background mode|RPC: REQUEST_CONTROL|Running as primary' "$(log_of "$1")" | tail -n 1) != @(taking*|RPC*) ]]
}
ctl_kill() { # (whose lease it was is of interest later)
	local pid
	pid=$(ctl_pid "$1")
	slurmctld_end "$SITE/ctl-$1.pid" KILL
	echo "$pid" >"$SITE/ctl-$1.pid"
}

setup_file() {
	load common.bash
	slurmctld_stop
	cp "$SITE/slurm.conf" "$BATS_FILE_TMPDIR/slurm.conf"
	cp "$SITE/kubeconfig" "$BATS_FILE_TMPDIR/kubeconfig"
	put "$SITE/slurm.conf" ResumeTimeout=180 ResumeTimeout=600
	sed -i "s/^SlurmctldHost=.*/SlurmctldHost=ctl-a($(address a))\nSlurmctldHost=ctl-b($(address b))\nSlurmctldTimeout=12/" "$SITE/slurm.conf"
	# the API server, as both hosts reach it
	sed "s#https://127.0.0.1:#https://$SITE_IP:#" "$BATS_FILE_TMPDIR/kubeconfig" >"$SITE/kubeconfig"
	host_up a
	host_up b
	ctl_start a
}

teardown_file() {
	load common.bash
	host_down b
	host_down a
	cp "$BATS_FILE_TMPDIR/slurm.conf" "$SITE/slurm.conf"
	cat "$BATS_FILE_TMPDIR/kubeconfig" >"$SITE/kubeconfig"
	slurmctld_start
}

# logged a|b PATTERN: in its log, since the last mark
declare -gA MARK=()
mark() { MARK[a]=$(wc -l <"$(log_of a)") MARK[b]=$(wc -l <"$(log_of b)"); }
since() { tail -n "+$((MARK[$1] + 1))" "$(log_of "$1")"; }
logged() { since "$1" | grep -q "$2"; }
not_logged() { if logged "$@"; then return 1; fi; }
count() { since "$1" | grep -c "$2" || true; }

lease() { kns get lease slurm-k8s-cluster -o "jsonpath={.spec.$1}"; }
held_by() { [[ $(lease holderIdentity) = "$1"_* ]]; }
uids() { kns get pods -o 'jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{"\n"}{end}' | sort; }

# missing NODE: its pod is gone, with nothing that comes before (as in "pod gone" of
# engine_lost.bats); the engine makes another at once
missing() {
	UID_BEFORE=$(pod_uid "$1")
	kns delete pod "$1" --force --grace-period=0 >/dev/null 2>&1
}
made_anew() {
	local uid
	uid=$(pod_uid "$1") && [[ $uid && $uid != "$UID_BEFORE" ]]
}

# power_up NODES COUNT: their pods are there, and Slurm's next start knows that
# these nodes power up (its power saving does not save it by itself; a node that
# only ought to power up is powered up again, with another k8s_resume)
power_up() {
	update NodeName="$1" State=POWER_UP
	wait_for 60 "pods of $1" pods_are "$2"
	touch "$BATS_TEST_TMPDIR/now"
	update NodeName="$1" Comment="$BATS_TEST_NUMBER"
	wait_for 30 "Slurm to save its state" test "$SITE/state/node_state" -nt "$BATS_TEST_TMPDIR/now"
}
MADE='pod [^ ]* created'

@test "the engine holds the lease and renews it" {
	wait_for 60 "the lease" held_by "ctl-a_$(ctl_pid a)"
	grep -q "k8s: cluster prod: the lease $SITE_NS/slurm-k8s-cluster is ours" "$(log_of a)"
	before=$(lease renewTime)
	renewed() { [[ $(lease renewTime) > $before ]]; }
	wait_for 60 "it to be renewed" renewed
}

@test "after kill -9 the next engine on the same host acts at once" {
	power_up bulk-0 1
	mark
	ctl_kill a
	ctl_start a
	within 10 "the lease" logged a 'the lease .* is ours'
	wait_for 10 "the pods in view" logged a 'pods in view'
	not_logged a 'another slurmctld'
	missing bulk-0
	within 10 "another pod" made_anew bulk-0
	wait_for 10 "the word" logged a "k8s: bulk-0: $MADE"
}

@test "check is green on both hosts, while one acts and the other one stands by" {
	ctl_start b
	rm -rf "$SITE/green"
	green_site "$SITE/green"
	both_in_template "$SITE/green"
	for host in a b; do
		check_on "$host" --config "$SITE/green/k8s.yaml" --json >"$SITE/check.json" || true
		is_green "$SITE/check.json"
		jq -e '[.checks[] | select(.check == "SlurmctldHost") | .text | select(test("^ctl-[ab][(]"))] | length == 2' "$SITE/check.json"
	done
	# of the second host, too, pods have to know where it is
	put "$SITE/green/worker.yaml" "$(address b)" 192.0.2.9
	run -1 check_on b --config "$SITE/green/k8s.yaml" --problems
	echo "$output"
	[[ $output = *"WRONG    hostAliases "*"look for ctl-b at 192.0.2.9, and by slurm.conf (SlurmctldHost) it is at $(address b)"* ]]
}

@test "an orderly end gives the lease back" {
	mark
	ctl_stop a
	[[ ! $(lease holderIdentity) ]]
	ctl_start a
	within 10 "the lease" logged a 'the lease .* is ours'
	not_logged a 'another slurmctld'
}

@test "without the right to leases the engine works, and says so" {
	rule=$(kns get role slurmctld -o 'jsonpath={.rules[2]}')
	[[ $rule = *'"leases"'* ]]
	kns patch role slurmctld --type=json -p '[{"op": "remove", "path": "/rules/2"}]' >/dev/null
	ctl_stop a
	mark
	ctl_start a
	wait_for 30 "the word" logged a 'no lease keeps a second slurmctld from acting: .*403'
	power_up bulk-1 1
	missing bulk-1
	within 10 "another pod" made_anew bulk-1
	kns patch role slurmctld --type=json -p "[{\"op\": \"add\", \"path\": \"/rules/-\", \"value\": $rule}]" >/dev/null
	wait_for 90 "the lease" logged a 'the lease .* is ours'
}

@test "a primary that stood still while its backup took over does nothing until it has the lease again" {
	primary=$(ctl_pid a)
	mark
	ctl_start b
	power_up bulk-[0-3] 4
	not_logged b 'engine .* runs' # it only stands by
	before=$(uids)

	# as a virtual machine that is paused (with an address that answers
	# libslurm would go on to wait for it, in the backup too)
	kill -STOP "$primary"
	ip link set vctl-a down
	wait_for 90 "the backup to take over" logged b 'engine .* runs'
	wait_for 30 "its engine to wait" logged b "another slurmctld (ctl-a, pid $primary) holds the lease $SITE_NS/slurm-k8s-cluster: waiting"
	wait_for 60 "its turn" logged b 'the lease .* is ours'
	held_by "ctl-b_$(ctl_pid b)"
	[[ $(uids) = "$before" ]]
	missing bulk-0
	wait_for 30 "the backup's engine to make it" made_anew bulk-0
	wait_for 10 "the word" logged b "k8s: bulk-0: $MADE"

	missing bulk-1
	ip link set vctl-a up
	kill -CONT "$primary"
	wait_for 30 "the primary to see it" logged a 'nothing is done without the lease\|another slurmctld (ctl-b, pid [0-9]*) holds the lease'
	wait_for 30 "one of them to make it" made_anew bulk-1
	# Slurm's primary asserts itself: the backup stands by again
	# (from Slurm 24.11 on it may look names up first, and its engine wait for an
	# answer meanwhile: then the lease is not given back, it runs out)
	wait_for 60 "the backup to give it back" logged b 'engine stop'
	wait_for 60 "the lease" held_by "ctl-a_$primary"
	missing bulk-2
	wait_for 30 "the primary's engine to make it" made_anew bulk-2
	wait_for 10 "the word" logged a "k8s: bulk-2: $MADE"
	nothing_more() {
		[[ $(($(count a "k8s: bulk-.*: $MADE") + $(count b "k8s: bulk-.*: $MADE"))) -eq 3 ]] &&
			[[ $(count a 'k8s: bulk-[03]: ') -eq 0 ]] &&
			[[ $(count a 'k8s: nodes ') -eq 0 && $(count b 'k8s: nodes ') -eq 0 ]]
	}
	stays 10 nothing_more # long enough for anything that one of them still believes
	pods_are 4
	[[ $(uids | grep bulk-3) = "$(grep bulk-3 <<<"$before")" ]]

	# neither pod nor node is left over
	update NodeName=bulk-[0-3] State=POWER_DOWN_FORCE
	wait_for 120 "the pods to go" pods_are 0
	wait_for 90 "the nodes to be idle~" nodes_are bulk-[0-3] 'idle~'
}

@test "when the primary dies the backup's engine waits for its lease, then acts" {
	ctl_start b
	power_up bulk-0 1
	mark
	ctl_kill a
	wait_for 90 "the backup to take over" logged b 'engine .* runs'
	missing bulk-0
	wait_for 60 "its turn" logged b 'the lease .* is ours'
	logged b "another slurmctld (ctl-a, pid $(ctl_pid a)) holds the lease"
	wait_for 30 "its engine to make the pod" made_anew bulk-0
	# and gives it back when the primary is there again
	ctl_start a
	wait_for 60 "the lease" logged a 'the lease .* is ours'
}

@test "the engine of a backup takes back what minRunning has kept up, and nothing of an administrator's" {
	[[ $SITE_RELEASE != 22.05 ]] || skip "Slurm 22.05: minRunning is refused"
	ctl_stop a
	cp "$SITE/ctl-a/k8s.yaml" "$SITE/ctl-a/k8s.yaml.good"
	sed -i 's/^    nodes: bulk-\[0-199\]$/&\n    minRunning: 1/' "$SITE/ctl-a/k8s.yaml"
	ctl_start a
	wait_for 60 "a node to be kept up" excepted_are bulk-0
	ctl_start b # (by its k8s.yaml no node is to run)
	update SuspendExcNodes+=bulk-9
	touch "$BATS_TEST_TMPDIR/now"
	update NodeName=bulk-1 Comment=saved
	wait_for 30 "Slurm to save its state" test "$SITE/state/node_state" -nt "$BATS_TEST_TMPDIR/now"
	mark
	ctl_kill a
	mv "$SITE/ctl-a/k8s.yaml.good" "$SITE/ctl-a/k8s.yaml"
	wait_for 90 "the backup to take over" logged b 'engine .* runs'
	wait_for 60 "its turn" logged b 'the lease .* is ours'
	# (no command can sign while ctl-a is away: see ctl_exec)
	wait_for 60 "the node to be released" logged b 'nodeset bulk: nodes bulk-0 are no longer kept up (minRunning)'
	logged b "Setting SuspendExcNodes to 'bulk-9'"
}
