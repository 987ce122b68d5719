# SPDX-License-Identifier: GPL-2.0-or-later
# Slurm's own backfill behind our plugin, in a slurmctld that begins to schedule more than once:
# after a reconfigure that failed, or as a backup that takes over again. There is no k8s.yaml,
# so there is no engine. And our plugins in a slurmctld of another micro release.
setup_file() {
	. "$TOP/tests/slurm/site.bash"
	own_site
	cat >>"$SITE/slurm.conf" <<-C
	PriorityType=priority/basic
	PartitionName=absent Nodes=absent MaxTime=60 State=UP
	C
}
teardown_file() {
	. "$TOP/tests/slurm/site.bash"
	own_site_down delegate
}
setup() { . "$TOP/tests/slurm/site.bash"; }
teardown() {
	slurmctld_stop
	ctl_end a TERM
	ctl_end b KILL # (a second time Slurm 22.05 hangs when it is to end: docs/versions.md)
	[[ ! -e $SITE/slurm.conf.one ]] || mv "$SITE/slurm.conf.one" "$SITE/slurm.conf"
}

# It looks at the queue when there is a job, and something of it has changed
cycles() { as_slurm sdiag | sed -n '/^Backfilling stats/,$s/^\s*Total cycles: //p'; }
has_cycled() {
	as_slurm scontrol update JobId="$JOB" Comment="$RANDOM" || return
	[[ $(cycles) -gt $1 ]]
}
backfills() { wait_for 90 "a cycle of the backfill scheduler" has_cycled "$(cycles)"; }
job_for_nobody() { JOB=$(as_user sbatch --parsable -p absent -t 1 -D / -o /dev/null --wrap true); }

@test "backfill goes on after a reconfigure that failed" {
	site_since 23.11 || skip "the slurmctld of Slurm $SITE_RELEASE keeps its process, and its scheduler"
	case $SITE_RELEASE in 24.05 | 25.05) ! site_in_tree || skip "Slurm $SITE_RELEASE with auth/slurm answers nobody then: docs/versions.md" ;; esac
	# (as systemd starts it: in the foreground it would not come back from such a reconfigure)
	slurmctld_exec() {
		exec_inside setpriv --reuid slurm --regid slurm --clear-groups env \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin NOTIFY_SOCKET="$SITE/none" slurmctld --systemd -f "$SITE/slurm.conf"
	}
	slurmctld_start
	grep -q 'sched/bridge: schedules with .*/sched_backfill.so' "$SITE/log/slurmctld.log"
	job_for_nobody
	backfills
	for i in 1 2; do
		# (nothing that scontrol would look at)
		put "$SITE/slurm.conf" PriorityType=priority/basic PriorityType=priority/none-such
		run as_slurm scontrol reconfigure
		put "$SITE/slurm.conf" PriorityType=priority/none-such PriorityType=priority/basic
		failed() { [[ $(grep -c 'Resuming operation, reconfigure failed' "$SITE/log/slurmctld.log") -eq $i ]]; }
		wait_for 30 "slurmctld to say so" failed
		wait_for 90 "slurmctld to answer" slurmctld_answers
		backfills
	done
}

# ctl_conf a|b: the slurm.conf of that host (a slurmctld ends the one that its PID file names)
ctl_conf() {
	sed -e "s/^SlurmctldHost=.*/SlurmctldHost=ctl-a(127.0.0.1)\nSlurmctldHost=ctl-b(127.0.0.2)\nSlurmctldTimeout=10/" \
		-e "s#^SlurmctldPidFile=.*#SlurmctldPidFile=$SITE/state/ctl-$1.pid#" \
		-e "s#^SlurmctldLogFile=.*#SlurmctldLogFile=$SITE/log/ctl-$1.log#" "$SITE/slurm.conf.one"
	echo CommunicationParameters=NoCtldInAddrAny
}
ctl_exec() {
	# shellcheck disable=SC2016 # the inner shell's
	exec unshare --uts --mount --propagation private sh -c \
		'hostname "$0" && mount --bind "$1" /etc/hosts && shift && exec "$@"' "ctl-$1" "$SITE/hosts" \
		setpriv --reuid slurm --regid slurm --clear-groups slurmctld -D -f "$SITE/ctl-$1.conf"
}
ctl_start() { slurmctld_watched "$SITE/ctl-$1.pid" ctl_exec "$1"; }
ctl_end() { slurmctld_end "$SITE/ctl-$1.pid" "$2"; }
in_charge() { as_user scontrol ping | grep -q "at ctl-$1 is UP" && as_slurm sdiag >/dev/null; }
took_over() { [[ $(grep -c 'Running as primary controller' "$SITE/log/ctl-b.log") -eq $1 ]]; }

@test "backfill goes on in a backup that takes over a second time" {
	! site_in_tree || skip "here with this machine's own Slurm"
	rm -f "$SITE"/log/ctl-?.log # (of a first try)
	cp "$SITE/slurm.conf" "$SITE/slurm.conf.one"
	ctl_conf a >"$SITE/ctl-a.conf"
	ctl_conf b >"$SITE/ctl-b.conf"
	cp "$SITE/ctl-a.conf" "$SITE/slurm.conf"
	printf '%s\n' '127.0.0.1 localhost ctl-a' '127.0.0.2 ctl-b' >"$SITE/hosts"
	ctl_start a
	wait_for 90 "the primary" in_charge a
	ctl_start b
	wait_for 90 "the backup" grep -q 'slurmctld running in background mode' "$SITE/log/ctl-b.log"
	job_for_nobody
	save "$JOB" # (the backup knows what is saved)
	ctl_end a KILL
	wait_for 120 "the backup to take over" took_over 1
	wait_for 90 "its answer" as_slurm sdiag
	backfills
	ctl_start a
	wait_for 90 "the primary to take over" in_charge a
	ctl_end a KILL
	wait_for 120 "the backup to take over again" took_over 2
	wait_for 90 "its answer" as_slurm sdiag
	backfills
}

# does_not_start LINE: slurmctld ends with an error, when slurm.conf has that line, too
does_not_start() {
	local pid
	cp "$SITE/slurm.conf" "$SITE/slurm.conf.before"
	sed -i "/^${1%%=*}=/d" "$SITE/slurm.conf"
	echo "$1" >>"$SITE/slurm.conf"
	(slurmctld_exec) >"$BATS_TEST_TMPDIR/out" 2>&1 </dev/null 3>&- 9>&- &
	pid=$!
	wait_for 90 "its end" process_ended "$pid" || kill -9 "$pid"
	run wait "$pid"
	mv "$SITE/slurm.conf.before" "$SITE/slurm.conf"
	echo "$1: $status"
	tail -n 3 "$BATS_TEST_TMPDIR/out"
	[[ $status -eq 1 ]] && grep -q 'Incompatible Slurm plugin' "$BATS_TEST_TMPDIR/out" &&
		tail -n 3 "$BATS_TEST_TMPDIR/out" | grep -q 'fatal: '
}

@test "after a micro update of Slurm it starts without us, but not with our other plugins in slurm.conf" {
	. "$TOP/tests/e2e/older.bash"
	ours=$SITE/root$PLUGINS
	cp -a "$ours" "$SITE/good"
	for so in sched_bridge node_features_k8s job_submit_k8s; do older "$ours/$so.so"; done
	does_not_start NodeFeaturesPlugins=node_features/k8s
	does_not_start JobSubmitPlugins=job_submit/k8s
	: >"$SITE/log/slurmctld.log"
	slurmctld_start
	run ! grep 'sched/bridge: ' "$SITE/log/slurmctld.log"
	job_for_nobody
	backfills
	rm -r "$ours"
	mv "$SITE/good" "$ours"
}
