# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The user's cache: builds, images, trees.  Everything is made in a work directory
# and renamed when it is complete, so an interrupted build is never taken for a
# finished one.

WORK_DIR=

make_work_dir() {
	# only the holder of the cache's lock comes here: others are left-overs
	rm -rf --one-file-system "$CACHE"/work.*
	WORK_DIR=$(mktemp -d "$CACHE/work.XXXXXX")
	chmod 755 "$WORK_DIR"
}

remove_work_dir() {
	[[ ! $WORK_DIR ]] || rm -rf --one-file-system "$WORK_DIR"
	WORK_DIR=
}

# The mirror of Debian that this machine's apt is configured with
debian_mirror() {
	local site
	# (awk reads to the end: apt-get complains about a closed pipe)
	# shellcheck disable=SC2016 # the variables are apt-get's
	site=$(apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(COMPONENT) $(SITE)' \
		'Created-By: Packages' |
		awk '$1 == "Debian" && $2 == "bookworm" && $3 == "main" && !s { s = $4 } END { print s }')
	if [[ ! $site ]]; then
		warn "apt has no package lists of Debian bookworm (try: apt-get update)"
		return 1
	fi
	echo "$site"
}

# recipe_key PREFIX TEXT...: a checksum over the texts and the functions whose
# names begin so
recipe_key() {
	local key prefix=$1
	local -a functions
	shift
	mapfile -t functions < <(compgen -A function "$prefix" | LC_ALL=C sort)
	key=$({
		printf '%s\n' "$@"
		declare -f "${functions[@]}"
	} | sha256sum)
	echo "${key:0:12}"
}

# publish FROM TO: gives a finished thing its name; older versions of it go.
publish() {
	mkdir -p "${2%/*}"
	rm -rf --one-file-system "${2%-*}"-????????????{,.tar,.layer}
	mv "$1" "$2"
	remove_work_dir
}

# run_debootstrap WHAT SUITE PACKAGES: a release of Debian into $WORK_DIR/root.
# debootstrap mounts things: in namespaces of its own nothing of that stays.
run_debootstrap() {
	local script=/usr/share/debootstrap/scripts/$2 mirror
	[[ -e $script ]] || script=${script%/*}/sid # a suite newer than debootstrap
	mirror=$(debian_mirror)
	run_with_heartbeat "making $1 (debootstrap)" "$WORK_DIR/debootstrap.log" \
		unshare --mount --pid --fork --kill-child --mount-proc --propagation private \
		debootstrap --variant=minbase --include="$3" "$2" "$WORK_DIR/root" "$mirror" "$script"
}
