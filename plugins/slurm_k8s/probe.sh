#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs in a probe's container instead of slurmd: looks at what slurmd would need, and
# writes a line for each thing. plugins/slurm_k8s/probe_report.h says what the lines are.
# It needs nothing but a shell, and says so where the image lacks a program.
#
# Usage: probe.sh FILE HELLO SLURMD_PORT SECONDS AUTH MUNGE_SOCKET SLURMD [HOST PORT]... [-- [KIND PATH]...]
#   FILE          where the lines go: the container's termination message
#   HELLO         what the controller says at SLURMD_PORT, and is to hear
#   SECONDS       how long to wait for it there
#   AUTH          AuthType's word: munge, slurm
#   SLURMD        the program, where the template names it by a path; or nothing
#   HOST PORT     slurmctld, by the names that slurmd would use
#   KIND PATH     what slurm.conf names and slurmd will look for: folder (of PluginDir), program (a pattern as of
#                 glob(3)), or plugin (behind the folders, where one without a / may be)
set -u
out=$1 hello=$2 own_port=$3 seconds=$4 auth=$5 socket=$6 slurmd=$7
shift 7

say() { printf '%s\n' "$*" >>"$out"; }
has() { command -v "$1" >/dev/null 2>&1; }
# an image may have perl without this module
has_perl() { has perl && perl -MIO::Socket::IP -e 1 2>/dev/null; }
# at most 10 seconds
bounded() { if has timeout; then timeout 10 "$@"; else "$@"; fi; }
# one short line of what a program has said
words() { tr -s '[:space:]' ' ' | cut -c 1-120; }

# the first that there is; by the shell's PATH, and where a build of Slurm's own puts it
version() {
	for program in "$slurmd" slurmd /usr/sbin/slurmd /usr/local/sbin/slurmd /opt/slurm/sbin/slurmd; do
		if [ "$program" ] && has "$program"; then
			say "version $(bounded "$program" -V 2>&1 | words)"
			return
		fi
	done
	say "version"
}

# resolve NUMBER HOST
resolve() {
	if ! has getent; then
		say "name $1 unknown the image has no getent"
	elif found=$(bounded getent ahosts "$2" 2>&1) && [ "$found" ]; then
		say "name $1 ok ${found%% *}"
	else
		say "name $1 fail"
		return 1
	fi
}

# connect HOST PORT: 3: the image has nothing to do it with
connect() {
	if has_perl; then
		# shellcheck disable=SC2016 # perl's
		bounded perl -MIO::Socket::IP -e '
			IO::Socket::IP->new(PeerHost => $ARGV[0], PeerPort => $ARGV[1], Timeout => 5)
				or do { print "$@\n"; exit 1 }' "$1" "$2"
	elif has python3; then
		bounded python3 -c '
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), 5)
except OSError as e:
    sys.exit(str(e))' "$1" "$2"
	elif has bash; then
		# shellcheck disable=SC2016 # the inner shell's
		bounded bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$1" "$2"
	else
		return 3
	fi
}

# reach NUMBER HOST PORT
reach() {
	why=$(connect "$2" "$3" 2>&1)
	case $? in
	0) say "port $1 ok" ;;
	3) say "port $1 unknown the image has neither perl (with IO::Socket::IP) nor python3 nor bash" ;;
	*) say "port $1 fail $(printf '%s' "${why:-no answer in time}" | words)" ;;
	esac
}

# key FILE...: about the first one that there is
key() {
	for file; do
		[ -e "$file" ] || continue
		if [ -r "$file" ] && [ -s "$file" ]; then
			say "key ok $(printf '%s' "$file" | words)"
		else
			say "key unreadable $(printf '%s' "$file" | words)"
		fi
		return
	done
	say "key missing $(printf '%s' "$1" | words)"
}

# A munged beside this container may just be starting, and makes its socket then.
wait_for_socket() {
	tries=$((seconds < 10 ? seconds : 10))
	while [ ! -S "$socket" ] && [ "$tries" -gt 0 ] && sleep 1; do
		tries=$((tries - 1))
	done
}

# A key in /etc/munge comes last: Debian's package of munge makes one of its own there.
munge_keys() {
	file=${MUNGE_KEY_FILE:-/run/secrets/munge/munge.key}
	if [ "$socket" ] && [ ! -e "$file" ]; then
		wait_for_socket
	fi
	if [ "$socket" ] && [ -S "$socket" ]; then
		say "key ok $(printf '%s' "$socket" | words)"
	else
		key "$file" /etc/munge/munge.key
	fi
}

# Slurm reads a file of several keys first, and not the other one then.
slurm_keys() {
	jwks=${SLURM_SACK_JWKS:-/etc/slurm/slurm.jwks}
	if [ -e "$jwks" ]; then
		key "$jwks"
	elif [ "${SLURM_SACK_KEY:-}" ]; then
		key "$SLURM_SACK_KEY"
	else
		key "${SLURM_KEY_FILE:-/run/secrets/slurm/slurm.key}" /etc/slurm/slurm.key
	fi
}

keys() {
	case $auth in
	munge) munge_keys ;;
	slurm) slurm_keys ;;
	esac
}

# plugin PATH: as Slurm looks for one of SPANK
plugin() {
	[ ! -r "$1" ] || return 0
	case $1 in /*) return 1 ;; esac
	rest=$folders
	while [ "$rest" ]; do
		[ ! -r "${rest%%:*}/$1" ] || return 0
		rest=${rest#*:}
	done
	return 1
}

# file NUMBER KIND PATH: a program is not run; of a pattern each one has to be good
file() {
	answer=ok
	if [ "$2" = folder ]; then
		# slurmd-entrypoint makes this one before slurmd starts
		made=${SLURM_K8S_PLUGIN_DIR:-}
		[ -d "$3" ] || { [ "$made" ] && [ "${3%/}" = "${made%/}" ]; } || answer=missing
		folders="$folders$3:"
	elif [ "$2" = plugin ]; then
		plugin "$3" || answer=missing
	else
		usual=$IFS
		IFS='' # no words, only patterns
		for one in $3; do
			if [ ! -f "$one" ]; then
				answer=missing
			elif [ ! -r "$one" ] || [ ! -x "$one" ]; then
				answer=unreadable
			fi
		done
		IFS=$usual
	fi
	say "file $1 $answer"
}

# Whoever says something else is not the controller, and learns nothing.
answer() {
	if has_perl; then
		# shellcheck disable=SC2016 # perl's
		perl -MIO::Socket::IP -e '
			my ($port, $hello, $seconds) = @ARGV;
			my %all = (LocalPort => $port, Listen => 5, ReuseAddr => 1);
			my $ear = IO::Socket::IP->new(%all, LocalHost => "::", V6Only => 0)
				|| IO::Socket::IP->new(%all, LocalHost => "0.0.0.0") or die $@ . "\n";
			$SIG{ALRM} = sub { exit 3 };
			alarm $seconds;
			while (my $peer = $ear->accept) {
				my ($set, $line) = ("", "");
				vec($set, fileno($peer), 1) = 1;
				sysread($peer, $line, 100) if select($set, undef, undef, 2);
				next if $line ne "$hello\n";
				syswrite($peer, $line);
				exit 0;
			}
			die "$!\n"' "$own_port" "$hello" "$seconds"
	else
		python3 -c '
import signal, socket, sys
port, hello, seconds = int(sys.argv[1]), sys.argv[2] + "\n", int(sys.argv[3])
signal.signal(signal.SIGALRM, lambda *_: sys.exit(3))
try:
    both = socket.has_dualstack_ipv6()
    ear = socket.create_server(("", port), family=socket.AF_INET6 if both else socket.AF_INET, dualstack_ipv6=both)
    signal.alarm(seconds)
    while True:
        peer = ear.accept()[0]
        peer.settimeout(2)
        try:
            line = peer.recv(100)
            if line == hello.encode():
                peer.sendall(line)
                sys.exit(0)
        except OSError:
            pass
        peer.close()
except OSError as e:
    sys.exit(str(e))' "$own_port" "$hello" "$seconds"
	fi
}

listen() {
	if ! has_perl && ! has python3; then
		say "listen unknown the image has neither perl (with IO::Socket::IP) nor python3"
		return
	fi
	why=$(answer 2>&1)
	case $? in
	0) say "listen ok" ;;
	3) say "listen silent" ;;
	*) say "listen fail $(printf '%s' "$why" | words)" ;;
	esac
}

: >"$out"
say "probe $hello"
listen &
listener=$!
version
keys
number=0
while [ $# -ge 2 ] && [ "$1" != -- ]; do
	if resolve "$number" "$1"; then
		reach "$number" "$1" "$2"
	fi
	number=$((number + 1))
	shift 2
done
[ $# -eq 0 ] || shift
number=0 folders=''
while [ $# -ge 2 ]; do
	file "$number" "$1" "$2"
	number=$((number + 1))
	shift 2
done
wait "$listener"
say end
