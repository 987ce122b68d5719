# SPDX-License-Identifier: GPL-2.0-or-later
# Two Slurm clusters with one Kubernetes cluster: both have a bridge for the same namespace,
# and want the same Kubernetes nodes. (The second one is called green, on this machine too.)
# bats file_tags=alone
setup_file() {
	load bridge.bash
	site_has_external || skip "Slurm $SITE_RELEASE has no external nodes"
	bridge_up
	green_conf
}
teardown_file() {
	load bridge.bash
	site_has_external || return 0
	green_stop
	rm -rf "$SITE/green"
	bridge_down
}
setup() {
	load bridge.bash
	CLAIM=slurm-k8s-claim.$SCHEDULER
	begin
}
teardown() {
	green_stop
	bridge_clean
	unclaim
}

GREEN_LOG=$SITE/log/green.log

green_conf() {
	mkdir -p "$SITE/green/state"
	chown slurm: "$SITE/green/state"
	cp -p "$SITE"/*.{yaml,key} "$SITE/green" 2>/dev/null || true # (a key is not in all releases)
	sed -e 's#^ClusterName=.*#ClusterName=green#' \
		-e "s#^SlurmctldPort=.*#SlurmctldPort=$(free_port)#" \
		-e "s#^StateSaveLocation=.*#StateSaveLocation=$SITE/green/state#" \
		-e "s#^SlurmctldPidFile=.*#SlurmctldPidFile=$SITE/green/slurmctld.pid#" \
		-e "s#^SlurmctldLogFile=.*#SlurmctldLogFile=$GREEN_LOG#" "$SITE/slurm.conf" >"$SITE/green/slurm.conf"
	install -o slurm -g slurm -m 644 /dev/null "$GREEN_LOG"
}
# (each slurmctld makes a socket in /run/slurmctld, and takes it away)
green_exec() {
	# shellcheck disable=SC2016 # the inner shell's
	exec_inside unshare --mount --propagation private sh -c \
		'mount -t tmpfs -o mode=755 tmpfs /run/slurmctld && chown slurm: /run/slurmctld && exec "$@"' sh \
		setpriv --reuid slurm --regid slurm --clear-groups slurmctld -D -f "$SITE/green/slurm.conf"
}
green_start() { slurmctld_watched "$SITE/green.pid" green_exec; }
green_stop() { slurmctld_end "$SITE/green.pid" TERM; }
as_green() { inside setpriv --reuid "$SITE_USER" --regid "$SITE_USER" --clear-groups env -i PATH=/usr/bin:/bin SLURM_CONF="$SITE/green/slurm.conf" "$@"; }
green_answers() { as_green scontrol ping | grep -q 'is UP'; }

unclaim() {
	kteam delete lease "$CLAIM" >/dev/null 2>&1 || true
	kube label node "$ONE" "$TWO" slurm-k8s.io/cluster- >/dev/null 2>&1 || true
}
holder() { kteam get lease "$CLAIM" -o 'jsonpath={.spec.holderIdentity}' 2>/dev/null; }
has_holder() { [[ $(holder) ]]; }
node_holder() { kube get node "$1" -o 'jsonpath={.metadata.labels.slurm-k8s\.io/cluster}'; }
has_node_holder() { [[ $(node_holder "$1") ]]; }
# on CLUSTER COMMAND...: with its slurm.conf
on_cluster() { if [[ $1 = green ]]; then as_green "${@:2}"; else as_user "${@:2}"; fi; }
knows() { on_cluster "$1" sinfo -h -N -n "$2" -o %N | grep -q .; }
has_a_job() { on_cluster "$1" squeue -h -t all -n "$2" -o %i | grep -q .; }
log_has() { if [[ $1 = green ]]; then tail -n "+$((GREEN_MARK + 1))" "$GREEN_LOG" | grep -q "$2"; else logged "$2"; fi; }

# Both at once, as if never before
both_begin() {
	slurmctld_stop
	green_stop
	kteam delete pods --all --grace-period=1 >/dev/null 2>&1 || true
	unclaim
	find "$SITE/state" "$SITE/green/state" -mindepth 1 -delete
	mark
	GREEN_MARK=$(wc -l <"$GREEN_LOG")
	# (each returns when there is a process, long before that serves)
	green_start
	slurmctld_watched "$SITE/slurmctld.pid" slurmctld_exec
	wait_for 60 "the first one" slurmctld_answers
	wait_for 60 "the second one" green_answers
}

# one_only NAME: of the pod of that name, and of both nodes
one_only() {
	local pod=$1 mine other n who
	wait_for 60 "somebody to claim the namespace" has_holder
	mine=$(holder)
	[[ $mine = green ]] && other=cluster || other=green
	wait_for 60 "its job in $mine" has_a_job "$mine" "$pod"
	wait_for 60 "the other one's words" log_has "$other" "namespace $TEAM is claimed by Slurm cluster $mine since .*kubectl -n $TEAM delete lease $CLAIM"
	run has_a_job "$other" "$pod"
	((status != 0))
	for n in "$ONE" "$TWO"; do
		wait_for 60 "somebody to claim $n" has_node_holder "$n"
		who=$(node_holder "$n")
		wait_for 60 "$n in $who" knows "$who" "$n"
		[[ $who = green ]] && other=cluster || other=green
		wait_for 60 "the other one's words" log_has "$other" "node $n: claimed by Slurm cluster $who"
		run knows "$other" "$n"
		((status != 0))
	done
	echo "namespace: $mine, $ONE: $(node_holder "$ONE"), $TWO: $(node_holder "$TWO")"
}

@test "two Slurm clusters that start together: each namespace and node is one's only, each time" {
	local round rounds=6
	[[ ! ${BRIDGE_ROUNDS:-} ]] || rounds=20 # (with --long)
	for round in $(seq "$rounds"); do
		echo "round $round"
		both_begin
		a_pod "both-$round" 'exit 0' | create
		one_only "both-$round"
	done
}

@test "a claim that is left behind is another's until an administrator deletes it" {
	both_begin
	green_stop
	unclaim
	slurmctld_stop
	kteam create -f - >/dev/null <<-Y
	apiVersion: coordination.k8s.io/v1
	kind: Lease
	metadata: {name: "$CLAIM"}
	spec: {holderIdentity: old, acquireTime: "2020-01-01T00:00:00.000000Z"}
	Y
	slurmctld_start
	a_pod late 'exit 0' | create
	wait_for 60 "the pod to be told" pod_says "$TEAM" late "claimed by Slurm cluster old since 2020-01-01.*kubectl -n $TEAM delete lease $CLAIM"
	run has_job late
	((status != 0))
	kteam delete lease "$CLAIM" >/dev/null
	wait_for 90 "the pod to run" pod_is late Succeeded
	[[ $(holder) = cluster ]]
}
