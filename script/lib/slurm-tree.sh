# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Other releases of Slurm than this machine's: each in a tree of the release of
# Debian that has it, with all that building against it and running it needs.
#
# A tree is only read. Who uses it sees, in mount namespaces of his own, this
# machine's /dev, /proc, /sys, /tmp, users and host names in it, and a /run of
# its own.

TREE_PACKAGES=slurmctld,slurmd,slurm-client,slurm-wlm-basic-plugins,munge,libslurm-dev,gcc,libc6-dev,meson,ninja-build,pkgconf,libcurl4-openssl-dev,libjson-c-dev,libmicrohttpd-dev,libssl-dev,libyaml-dev,uthash-dev,procps,strace,build-essential,ccache,debhelper,python3-docutils

# A Slurm that somebody has installed under SLURM_PREFIX has no tree: it runs in this
# machine's own system, where its commands take the place of those in /usr/bin.

# prefix_release: that of the Slurm under SLURM_PREFIX, as "25.05"; prefix_version: "25.05.8"
prefix_version() { "$SLURM_PREFIX/sbin/slurmctld" -V | sed -n 's/^slurm //p'; }
prefix_release() { prefix_version | cut -d. -f1,2; }

# is_prefix RELEASE: is it the one under SLURM_PREFIX that is meant?
is_prefix() { [[ ${SLURM_PREFIX:-} && $(prefix_release) = "$1" ]]; }

# tree_suite RELEASE: the release of Debian that has it, or slurm-RELEASE
tree_suite() {
	if is_prefix "$1"; then
		echo "slurm-$1"
		return
	fi
	case $1 in
	24.11) echo trixie ;;
	26.05) echo forky ;;
	*) die "no Debian is known to have Slurm $1; known are 24.11 and 26.05" ;;
	esac
}

# recipe_tree ROOT: what the packages alone do not bring. The folders are what
# tree_enter mounts things on.
recipe_tree() {
	rm -rf "$1"/etc/munge/munge.key "$1"/etc/slurm/slurm.key "$1"/var/cache/apt/archives/*.deb \
		"$1"/var/lib/apt/lists/* "$1"/usr/share/{doc,man,locale}/*
	mkdir -p "$1/src" "$1/build"
	touch "$1"/etc/{passwd,group,hosts,nsswitch.conf,resolv.conf}
}

# need_tree RELEASE: sets TREE, its folder
need_tree() {
	local suite key got
	if is_prefix "$1"; then
		TREE=/
		return
	fi
	suite=$(tree_suite "$1")
	key=$(recipe_key recipe_tree "$suite" "$TREE_PACKAGES")
	TREE=$CACHE/trees/slurm-$1-$key
	[[ ! -d $TREE ]] || return 0
	mkdir -p "$CACHE/trees"
	lock_cache
	[[ ! -d $TREE ]] || return 0
	make_work_dir
	start_job run_debootstrap "a tree with Slurm $1" "$suite" "$TREE_PACKAGES"
	wait_jobs
	got=$(tree_version "$WORK_DIR/root")
	[[ $got = "$1".* ]] || die "Debian $suite has Slurm $got now, not $1"
	recipe_tree "$WORK_DIR/root"
	publish "$WORK_DIR/root" "$TREE"
}

# tree_version TREE: "24.11.5"
tree_version() {
	local version
	if [[ $1 = / ]]; then
		prefix_version
		return
	fi
	# shellcheck disable=SC2016 # the variable is dpkg-query's
	version=$(chroot "$1" dpkg-query -W -f '${Version}' slurmctld)
	echo "${version%%[-+]*}"
}

# tree_enter TREE [FROM:TO[:ro]...] -- COMMAND...: becomes the command, in the
# tree, where FROM is seen as TO.
tree_enter() {
	# shellcheck disable=SC2016 # the inner shell's
	exec unshare --mount --propagation private \
		bash -euc "$(declare -f tree_mount tree_bind prefix_mount); "'
			tree_mount "$1"
			shift
			while [[ $1 != -- ]]; do tree_bind "$1"; shift; done
			shift
			exec chroot /mnt "$@"' bash "$@"
}

tree_bind() {
	local from to mode
	IFS=: read -r from to mode <<<"$1"
	mount --bind "$from" "/mnt$to"
	[[ ! $mode ]] || mount -o "remount,bind,$mode" "/mnt$to"
}

# tree_mount TREE: on /mnt; in a mount namespace of one's own
tree_mount() {
	local file dir
	mount --bind "$1" /mnt
	mount -o remount,bind,ro /mnt
	for dir in dev proc sys tmp; do
		mount --rbind "/$dir" "/mnt/$dir"
	done
	mount -t tmpfs -o mode=755 tmpfs /mnt/run
	install -d -o slurm -g slurm /mnt/run/slurmctld
	if [[ $1 = / ]]; then
		prefix_mount
		return
	fi
	for file in passwd group hosts nsswitch.conf resolv.conf; do
		[[ ! -e /etc/$file ]] || mount --bind "/etc/$file" "/mnt/etc/$file"
	done
}

# prefix_mount: what lies under SLURM_PREFIX comes first
prefix_mount() {
	local dir
	mount --bind "$SLURM_PREFIX" "/mnt$SLURM_PREFIX"
	for dir in bin sbin; do
		mount -t overlay -o "ro,lowerdir=$SLURM_PREFIX/$dir:/usr/$dir" overlay "/mnt/usr/$dir"
	done
}
