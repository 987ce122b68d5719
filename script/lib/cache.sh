# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The user's cache: builds and images.  Everything is made in a work directory
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
