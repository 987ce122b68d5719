# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What both kinds of packages are made of.

# slurm_version HEADER: "26.05.5" of 0x1a0505
slurm_version() {
	local number
	number=$(sed -n 's/^#define SLURM_VERSION_NUMBER *\(0x[0-9a-f]*\)$/\1/p' "$1")
	[[ $number ]] || die "$1 does not say which Slurm it is of"
	printf '%02d.%02d.%d\n' $((number >> 16)) $((number >> 8 & 255)) $((number & 255))
}

# next_release RELEASE: "26.05.6" of "26.05.5"
next_release() { echo "${1%.*}.$((${1##*.} + 1))"; }

# our_version: that of meson.build
our_version() { sed -n "s/^  version: '\(.*\)',$/\1/p" "$TOP/meson.build"; }

# packaged_version: the same for a package. 1.2.3-rc1 comes before 1.2.3: dpkg and rpm sort only
# what follows a '~' so, and RPM forbids '-' in a version.
packaged_version() { our_version | tr - '~'; }

# copy_source FOLDER OUTPUT: what belongs to this tree goes there, without what was built in it,
# and without OUTPUT, where packages go
copy_source() {
	local files=()
	mkdir -p "$1"
	if [[ -e $TOP/.git ]] && command -v git >/dev/null; then
		mapfile -d '' files < <(git -c safe.directory="$TOP" -C "$TOP" ls-files -z --cached --others --exclude-standard)
		((${#files[@]})) || die "git knows no files of $TOP"
		printf '%s\0' "${files[@]}" | tar -C "$TOP" -c --null --verbatim-files-from -T -
	else
		tar -C "$TOP" -c --exclude=./build --exclude='./build-*' --exclude=./.git --exclude=".${2#"$TOP"}" .
	fi | tar -C "$1" -x
}
