#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Starts slurmd in a worker pod.  Runs as root in the container; the pod needs
# no privileges.  Slurm's configuration comes from slurmctld ("configless").
#
# Environment:
#   SLURM_NODE_NAME    the name of this node in slurm.conf; required
#   SLURM_CONF_SERVER  slurmctld, as HOST[:PORT], both of two with a comma; required
#   MUNGE_KEY_FILE     the key of auth/munge [/run/secrets/munge/munge.key]
#   SLURM_KEY_FILE     the key of auth/slurm, used when there is none of munge
#                      [/run/secrets/slurm/slurm.key]
#   MUNGE_SOCKET       if slurm.conf has AuthInfo=socket=PATH: that PATH
#   SLURM_K8S_PLUGIN_DIR  a directory of slurm.conf's PluginDir that may be
#                      missing here: slurmd does not start without it
#   SLURM_NODE_CONF    what slurm.conf would say of this node, when it is not
#                      there: "CPUs=2 RealMemory=4096" (slurmd -Z --conf)
#   SLURMD_OPTIONS     more options for slurmd, separated by blanks
#   SLURM_K8S_*        jobs see them, too: spank_k8s(8)
#   K8S_*              written to /run/pod.env, for job scripts to read
#
# Exit codes, besides slurmd's own: 64 a variable is missing, 66 a key is
# missing or unreadable, 69 munged does not start, 73 a file cannot be written,
# 77 not root.
set -u

munge_socket=/run/munge/munge.socket.2

fail() {
	code=$1
	shift
	echo "slurmd-entrypoint: $*" >&2
	exit "$code"
}

check() {
	[ "$(id -u)" -eq 0 ] ||
		fail 77 "must run as root in the container (it is user $(id -u))"
	[ -n "${SLURM_NODE_NAME:-}" ] ||
		fail 64 "SLURM_NODE_NAME is not set: the name of this node in slurm.conf"
	[ -n "${SLURM_CONF_SERVER:-}" ] ||
		fail 64 "SLURM_CONF_SERVER is not set: the host[:port] of slurmctld"
}

# install_key FROM TO OWNER MODE
install_key() {
	if [ ! -r "$1" ] || [ ! -s "$1" ]; then
		fail 66 "the key $1 is empty or cannot be read"
	fi
	install -D -o "$3" -g "$3" -m "$4" "$1" "$2" || fail 73 "cannot write $2"
}

# Up to 10 seconds
wait_munged() {
	tries=100
	until munge -n >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.1
	done
}

start_munged() {
	install_key "$MUNGE_KEY_FILE" /etc/munge/munge.key munge 0400
	install -d -o munge -g munge -m 0755 /run/munge || fail 73 "cannot write /run/munge"
	install -d -o munge -g munge -m 0700 /var/lib/munge /var/log/munge ||
		fail 73 "cannot write munged's directories"
	chown munge:munge /etc/munge || fail 73 "cannot change the owner of /etc/munge"
	# munged refuses to run when it finds its former socket locked or its pid
	# file taken: a container that is started again has both
	rm -f "$munge_socket" "$munge_socket.lock" /run/munge/munged.pid
	setpriv --reuid=munge --regid=munge --clear-groups munged ||
		fail 69 "munged does not start; is $MUNGE_KEY_FILE a key of munge?"
	wait_munged || fail 69 "munged does not answer after 10 s"
	# slurmd asks at the usual place until it has slurm.conf, then at that one
	if [ -n "${MUNGE_SOCKET:-}" ] && [ "$MUNGE_SOCKET" != "$munge_socket" ]; then
		mkdir -p "$(dirname "$MUNGE_SOCKET")" || fail 73 "cannot make the directory of $MUNGE_SOCKET"
		ln -sfn "$munge_socket" "$MUNGE_SOCKET" || fail 73 "cannot write $MUNGE_SOCKET"
	fi
}

check
: "${MUNGE_KEY_FILE:=/run/secrets/munge/munge.key}"
: "${SLURM_KEY_FILE:=/run/secrets/slurm/slurm.key}"
if [ -e "$MUNGE_KEY_FILE" ]; then
	start_munged
elif [ -e "$SLURM_KEY_FILE" ]; then
	install_key "$SLURM_KEY_FILE" /etc/slurm/slurm.key root 0600
else
	fail 66 "no key: neither $MUNGE_KEY_FILE nor $SLURM_KEY_FILE exists"
fi

if [ -n "${SLURM_K8S_PLUGIN_DIR:-}" ]; then
	mkdir -p "$SLURM_K8S_PLUGIN_DIR" || fail 73 "cannot make $SLURM_K8S_PLUGIN_DIR"
fi

# (values are of Kubernetes' making: names and addresses, no quotes in them)
env | grep '^K8S_[A-Z_]*=' >/run/pod.env
chmod 0644 /run/pod.env

# tini takes the place of this shell: it hands the pod's SIGTERM on, and buries the
# slurmstepds, one for each step, that slurmd leaves to the container's first process.
set -- slurmd -D -b -N "$SLURM_NODE_NAME" --conf-server "$SLURM_CONF_SERVER"
if [ -n "${SLURM_NODE_CONF:-}" ]; then
	set -- "$@" -Z --conf "$SLURM_NODE_CONF"
fi
if [ $$ -eq 1 ] && command -v tini >/dev/null; then
	set -- tini -- "$@"
elif [ $$ -eq 1 ]; then
	echo "slurmd-entrypoint: there is no tini here: each step will leave a dead process" >&2
fi
# shellcheck disable=SC2086 # the options are to be split
exec "$@" ${SLURMD_OPTIONS:-}
