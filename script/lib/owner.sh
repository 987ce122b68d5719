# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Locks, and who owns the one cluster of its number that a machine can have.
#
# The bridge, the addresses and the ports of a number exist once per machine, so the owner
# is recorded in one fixed place.  The file is locked by whoever changes the
# cluster; its content says whose the running cluster is.

OWNER_FILE=/run/slurm-k8s-cluster${SUFFIX:+-$SUFFIX}
LOCK_FD=
CACHE_LOCKED=
CLUSTER_LOCKED=

# take_lock FILE SECONDS: locks FILE until this process ends.  Sets LOCK_FD, which
# holds the lock.
take_lock() {
	local fd end=$((SECONDS + $2))
	while :; do
		exec {fd}>>"$1"
		flock -w $((end > SECONDS ? end - SECONDS : 0)) "$fd" || {
			exec {fd}>&-
			return 1
		}
		# whoever held it may have removed the file meanwhile
		[[ ! $1 -ef /proc/$BASHPID/fd/$fd ]] || break
		exec {fd}>&-
	done
	LOCK_FD=$fd
}

# One builder at a time in the cache; a second one waits.
lock_cache() {
	[[ ! $CACHE_LOCKED ]] || return 0
	if ! take_lock "$CACHE/lock" 0; then
		say "another process fills the cache $CACHE, waiting for it ..."
		take_lock "$CACHE/lock" 3600 || die "no end of that after an hour"
	fi
	CACHE_LOCKED=$LOCK_FD
}

unlock_cache() {
	[[ $CACHE_LOCKED ]] || return 0
	exec {CACHE_LOCKED}>&-
	CACHE_LOCKED=
}

# Sets OWNER_TOP (the checkout), OWNER_RUN (the run directory), OWNER_NODES,
# OWNER_RELEASE (of Kubernetes), OWNER_GATES and OWNER_WHO from the record; fails if there is no owner.
# shellcheck disable=SC2034 # used by other parts
read_owner() {
	local key value
	OWNER_TOP='' OWNER_RUN='' OWNER_NODES='' OWNER_RELEASE='' OWNER_GATES='' OWNER_WHO=''
	[[ -s $OWNER_FILE ]] || return 1
	while IFS='=' read -r key value; do
		case $key in
		top) OWNER_TOP=$value ;;
		run) OWNER_RUN=$value ;;
		nodes) OWNER_NODES=$value ;;
		release) OWNER_RELEASE=$value ;;
		gates) OWNER_GATES=$value ;;
		who) OWNER_WHO=$value ;;
		esac
	done <"$OWNER_FILE"
	[[ $OWNER_RUN ]]
}

# write_owner NODES RELEASE GATES
write_owner() {
	printf '%s\n' "top=$TOP" "run=$RUN_DIR" "nodes=$1" "release=$2" "gates=$3" \
		"who=$(id -un), pid $$, since $(date '+%F %T')" >"$OWNER_FILE"
}

owner_is_us() { [[ $OWNER_TOP = "$TOP" && $OWNER_RUN = "$RUN_DIR" ]]; }

owner_text() { echo "the checkout $OWNER_TOP (run directory $OWNER_RUN; $OWNER_WHO)"; }

# Waits for its turn to change the cluster.  Whoever holds the lock and is of
# another checkout may keep it for long: no wait then.
lock_cluster() {
	if take_lock "$OWNER_FILE" 0; then
		CLUSTER_LOCKED=1
		return
	fi
	read_owner || true
	if [[ $OWNER_TOP ]] && ! owner_is_us; then
		die "a cluster is just being started or stopped by $(owner_text)"
	fi
	say "another script/cluster is at work here, waiting for it ..."
	take_lock "$OWNER_FILE" 120 ||
		die "still at work after 120 s: ${OWNER_WHO:-no owner recorded} (lock: $OWNER_FILE)"
	CLUSTER_LOCKED=1
}

# Without a cluster the file that was locked is of no use.
drop_unused_lock() { [[ ! $CLUSTER_LOCKED || -s $OWNER_FILE ]] || rm -f "$OWNER_FILE"; }

# For the verbs that change a running cluster: it must be ours
need_our_cluster() {
	lock_cluster
	read_owner || {
		drop_unused_lock
		die "no cluster runs here; start one with: script/cluster up"
	}
	owner_is_us || die "the cluster here is not ours: it belongs to $(owner_text)"
}
