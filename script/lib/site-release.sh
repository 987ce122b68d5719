# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What differs between the releases of Slurm that a site may have.
#
#   SITE_RELEASE  22.05 (this machine's own) or one of script/slurm-tree
#   SITE_SUITE    the release of Debian that has it: whose slurmd runs in pods
#   SITE_BUILD    the folder whose programs are installed
#   SLURM_PREFIX  the Slurm that is installed there, instead: from 23.11 on
#
# Slurm 22.05 runs here as it is installed. Another one, and what is built for
# it, runs inside its tree: a mount namespace that a process of ours keeps.

# site_since RELEASE: has the site this release or a later one?
site_since() { [[ ! $SITE_RELEASE < $1 ]]; }

if [[ ${SLURM_PREFIX:-} ]]; then
	SITE_RELEASE=$("$SLURM_PREFIX/sbin/slurmctld" -V | sed -n 's/^slurm \([0-9]*\.[0-9]*\).*/\1/p')
	if ! site_since 23.11; then
		echo "SLURM_PREFIX: $SLURM_PREFIX has Slurm '$SITE_RELEASE'; it must be 23.11 or later" >&2
		exit 1
	fi
fi
SITE_RELEASE=${SITE_RELEASE:-22.05}
if [[ $SITE_RELEASE = 22.05 ]]; then
	SITE_SUITE=bookworm
	SITE_BUILD=${SITE_BUILD:-build-demo}
else
	SITE_SUITE=$("$TOP/script/slurm-tree" suite "$SITE_RELEASE") || exit
	SITE_BUILD=${SITE_BUILD:-build-demo-$SITE_RELEASE}
fi

# Slurm's own plugins under SLURM_PREFIX
site_prefix_plugins() { find "$SLURM_PREFIX"/lib* -maxdepth 1 -type d -name slurm; }

site_in_tree() { [[ $SITE_RELEASE != 22.05 ]]; }

# Where it is installed
site_root() {
	if site_in_tree; then
		"$TOP/script/slurm-tree" path "$SITE_RELEASE"
	else
		echo /
	fi
}

site_build() {
	if site_in_tree; then
		"$TOP/script/slurm-tree" build "$SITE_RELEASE" "$TOP/$SITE_BUILD" 9>&-
	else
		"$TOP/script/build" "$SITE_BUILD" -Dtests=false 9>&-
	fi
	! site_sanitized || sanitized_build
}

# The worker's image on the nodes of the machine's own cluster (SITE_IMAGES_THERE: it is;
# SITE_NODES: on these only)
site_image() {
	site_in_tree || return 0
	[[ ! ${SITE_IMAGES_THERE:-} ]] || return 0
	local image
	image=$("$TOP/script/cluster" image "$SITE_SUITE" 3>&- 9>&-)
	# shellcheck disable=SC2086 # numbers
	"$TOP/script/cluster" import "$image" ${SITE_NODES:-} 3>&- 9>&- >/dev/null
}

# site_install DESTDIR
site_install() {
	if site_in_tree; then
		"$TOP/script/slurm-tree" install "$SITE_RELEASE" "$TOP/$SITE_BUILD" "$1"
	else
		# (two sites may be made at once)
		DESTDIR=$1 flock "$TOP/$SITE_BUILD" ninja -C "$TOP/$SITE_BUILD" --quiet install
	fi
}

# exec_inside COMMAND...: becomes it, where this release of Slurm is
exec_inside() {
	site_in_tree || exec "$@"
	local dir=$PWD
	[[ $dir = /tmp/* ]] || dir=/tmp
	exec nsenter --target "$(<"$SITE/tree.pid")" --mount --root --wdns="$dir" "$@"
}

inside() { (exec_inside "$@"); }

# (fds 3 and 9 are bats' and our lock: they must not live on in daemons)
site_tree_up() {
	site_in_tree || return 0
	site_nsswitch
	"$TOP/script/slurm-tree" hold "$SITE_RELEASE" "$SITE/nsswitch.conf" \
		>>"$SITE/log/tree.log" 2>&1 </dev/null 3>&- 9>&- &
	echo $! >"$SITE/tree.pid"
	wait_for 10 "the tree with Slurm $SITE_RELEASE" grep -qx sleep "/proc/$!/comm"
}

# A key that slurmctld and slurmd share: munge's, or Slurm's own (from 23.11 on)
site_key() {
	if site_in_tree; then
		install -o slurm -g slurm -m 600 /dev/null "$SITE/slurm.key"
		head -c 1024 /dev/urandom >"$SITE/slurm.key"
	else
		site_munge
	fi
}

site_key_secret() {
	if site_in_tree; then
		kns create secret generic slurm --from-file=slurm.key="$SITE/slurm.key" >/dev/null
	else
		kns create secret generic munge --from-file=munge.key="$SITE/munge/munge.key" >/dev/null
	fi
}

# site_release_in_conf SLURM.CONF
site_release_in_conf() {
	if site_in_tree; then
		put "$1" cloud_reg_addrs, '' # always on, and the word unknown
		put "$1" AuthType=auth/munge AuthType=auth/slurm
		put "$1" AuthInfo=socket=/run/munge/munge.socket.2 CredType=auth/slurm
		[[ ! ${SLURM_PREFIX:-} ]] || put "$1" /usr/lib/x86_64-linux-gnu/slurm-wlm "$(site_prefix_plugins)"
	else
		put "$1" /run/munge/munge.socket.2 "$SITE/munge/socket"
	fi
	# (without slurmdbd only their backfill starts jobs: docs/versions.md)
	case $SITE_RELEASE in 23.11 | 24.05) put "$1" SchedulerParameters= SchedulerParameters=bf_interval=1, ;; esac
}

# site_key_in_pods FILE: the Secret that its pod templates mount
site_key_in_pods() {
	if site_in_tree; then
		put "$1" /run/secrets/munge /run/secrets/slurm
		put "$1" 'secretName: munge' 'secretName: slurm'
	else
		put "$1" /run/munge/munge.socket.2 "$SITE/munge/socket"
	fi
}
