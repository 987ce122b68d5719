# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Accounting of a site: a slurmdbd, and its database, a mariadbd that listens to
# no network. All of both is in $SITE/dbd, where only SlurmUser gets in: so the
# database needs no passwords. After site.sh; with this machine's own Slurm only.

site_has_dbd() { ! site_in_tree; }

site_dbd_up() {
	local port
	port=$(free_port)
	install -d -o slurm -g slurm -m 700 "$SITE/dbd" "$SITE/dbd/data"
	# shellcheck disable=SC2034 # for the caller's slurm.conf
	SITE_DBD_CONF="AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=$port
AccountingStoragePass=$SITE/munge/socket"
	dbd_conf "$port"
	# (what is there already when it starts for the first time: no table at all)
	{
		printf 'CREATE DATABASE mysql;\nUSE mysql;\n'
		cat /usr/share/mysql/mysql_system_tables.sql
	} | (database_exec --bootstrap) >"$SITE/log/mariadbd.log" 2>&1
	dbd_spawn mariadbd database_exec --skip-grant-tables --skip-networking --socket="$SITE/dbd/socket"
	wait_for 20 "the database" grep -q 'ready for connections' "$SITE/log/mariadbd.log"
	dbd_spawn slurmdbd dbd_exec
	wait_for 20 "slurmdbd to answer" accounts show cluster
}

# (slurmctld waits for a slurmdbd that is gone: end it before)
site_dbd_down() {
	end_process "$SITE/slurmdbd.pid" TERM
	end_process "$SITE/mariadbd.pid" TERM
	rm -rf --one-file-system "$SITE/dbd"
}

# sacctmgr, also before slurm.conf names slurmdbd
accounts() { as_slurm SLURM_CONF="$SITE/dbd/slurm.conf" sacctmgr --immediate --quiet "$@"; }

# dbd_spawn NAME FUNCTION...
dbd_spawn() {
	("${@:2}") >>"$SITE/log/$1.log" 2>&1 </dev/null 3>&- 9>&- &
	echo $! >"$SITE/$1.pid"
}

database_exec() {
	exec setpriv --reuid slurm --regid slurm --clear-groups mariadbd --no-defaults --datadir="$SITE/dbd/data" \
		--innodb-log-file-size=8M --innodb-flush-log-at-trx-commit=0 --innodb-lock-wait-timeout=900 "$@"
}

# (MYSQL_UNIX_PORT is the socket, in words of libmariadb)
dbd_exec() {
	exec setpriv --reuid slurm --regid slurm --clear-groups env \
		SLURM_CONF="$SITE/dbd/slurm.conf" MYSQL_UNIX_PORT="$SITE/dbd/socket" slurmdbd -D
}

dbd_conf() {
	install -o slurm -g slurm -m 600 /dev/null "$SITE/dbd/slurmdbd.conf"
	cat >"$SITE/dbd/slurmdbd.conf" <<-C
	AuthType=auth/munge
	AuthInfo=socket=$SITE/munge/socket
	DbdHost=localhost
	DbdPort=$1
	SlurmUser=slurm
	PidFile=$SITE/dbd/slurmdbd.pid
	StorageType=accounting_storage/mysql
	StorageHost=localhost
	StorageUser=slurm
	C
	{
		cat "$SITE/slurm.conf"
		echo "$SITE_DBD_CONF"
	} >"$SITE/dbd/slurm.conf"
}
