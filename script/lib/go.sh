# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Go, and programs built from Go modules. Each module has a folder below tests/
# with a go.mod and a go.sum of our own: exact versions, each with its checksum.
# Modules and what the compiler has made of them stay in the user's cache.

# containerd's go.mod asks for this one
GO_MIN=1.26.8
# The release of Debian that has it, for machines without it
GO_SUITE=forky
GO=

# go_version PROGRAM: "1.26.8"
go_version() {
	local version
	version=$(GOTOOLCHAIN=local GOENV=off "$1" env GOVERSION 2>/dev/null) || return 1
	[[ $version =~ ^go([0-9]+\.[0-9]+(\.[0-9]+)?) ]] || return 1
	echo "${BASH_REMATCH[1]}"
}

# go_is_new_enough PROGRAM: one that is not is named, for who wonders why it is not used
go_is_new_enough() {
	local version
	[[ -x $1 ]] && version=$(go_version "$1") || return 1
	printf '%s\n' "$GO_MIN" "$version" | sort -CV && return
	say "$1 is Go $version: passed over, as $GO_MIN is needed"
	return 1
}

# find_go: sets GO, from the PATH that our caller was called with, or /usr/local/go
find_go() {
	local dir
	local -a dirs
	IFS=: read -ra dirs <<<"${USER_PATH:-$PATH}"
	for dir in "${dirs[@]}" /usr/local/go/bin; do
		go_is_new_enough "$dir/go" || continue
		GO=$dir/go
		return
	done
	return 1
}

# need_go: sets GO; without one on the machine, from Debian's packages in the cache
need_go() {
	local dir
	[[ ! $GO ]] || return 0
	! find_go || return 0
	dir=$CACHE/go/toolchain-$(recipe_key recipe_go_ "$GO_MIN" "$GO_SUITE")
	if [[ ! -d $dir ]]; then
		mkdir -p "$CACHE/go"
		lock_cache
	fi
	if [[ ! -d $dir ]]; then
		say "there is no Go $GO_MIN or later here: that of Debian $GO_SUITE is unpacked in the cache"
		make_work_dir
		start_job recipe_go_fetch "$WORK_DIR"
		wait_jobs
		publish "$WORK_DIR/root" "$dir"
	fi
	GO=$(echo "$dir"/usr/lib/go-*/bin/go)
	go_is_new_enough "$GO" || die "Debian $GO_SUITE has no Go $GO_MIN"
}

# recipe_go_fetch DIR: unpacks the packages in DIR/root. Debian 12's apt does not know the
# release, and /etc is not ours to change: an apt configuration of our own, in DIR.
recipe_go_fetch() {
	local dir=$1/apt minor=${GO_MIN%.*} mirror deb
	local -a options
	mirror=$(debian_mirror)
	mkdir -p "$dir"/{lists/partial,cache/archives/partial} "$1/root"
	printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
		"$mirror" "$GO_SUITE" >"$dir/sources.list"
	options=(
		-qq
		-o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=-
		-o Dir::State::lists="$dir/lists" -o Dir::Cache="$dir/cache"
		-o APT::Sandbox::User=root
	)
	cd "$dir" || return
	run_with_heartbeat "reading the package lists of Debian $GO_SUITE" "$1/apt.log" \
		apt-get "${options[@]}" update
	run_with_heartbeat "downloading Go $minor" "$1/apt.log" \
		apt-get "${options[@]}" download "golang-$minor-go" "golang-$minor-src"
	for deb in golang-*.deb; do
		dpkg-deb -x "$deb" "$1/root" || return
	done
}

# Nothing but the modules of go.sum is fetched, and no other Go.
go_environment() {
	unset GOROOT GOTOOLDIR GOWORK GOPRIVATE GONOSUMDB GOINSECURE GO111MODULE
	[[ ${GOSUMDB:-} != off ]] || unset GOSUMDB
	# (nor what "go env -w" has written, but for the proxy)
	GOPROXY=$("$GO" env GOPROXY)
	export GOPROXY GOENV=off GOTOOLCHAIN=local GOFLAGS='-mod=readonly -trimpath -buildvcs=false' \
		GOMODCACHE=$CACHE/go/mod GOCACHE=$CACHE/go/build
	[[ $GO != "$CACHE"/* ]] || export GOROOT=${GO%/bin/go}
}

# module_version FOLDER MODULE: "1.37.2", as the go.mod there says
module_version() {
	awk -v m="$2" '$1 == "require" { $1 = ""; $0 = $0 } $1 == m { print substr($2, 2) }' "$1/go.mod"
}

# build_go WHAT FOLDER LOG ARGUMENT...: go build there, with progress lines
build_go() {
	local what=$1 folder=$2 log=$3
	shift 3
	go_environment
	cd "$folder" || return
	run_with_heartbeat "building $what" "$log" nice -n 5 "$GO" build "$@"
}

# files_key FILE...: a checksum over their contents
files_key() { cat "$@" | sha256sum | cut -c 1-12; }
