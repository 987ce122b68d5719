# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the programs of a Kubernetes cluster from Go modules, in exact versions: its
# servers as one program that looks at the name it is called by, kubectl, and what
# nodes and etcd need. It takes some minutes, once: the results lie in the user's
# cache, in folders named after a checksum of all they are made from. A folder gets
# its name when it is complete, so what has that name is finished.
#
# tests/kubernetes/1.37, 1.33  servers and kubectl of the release, each with its go.mod
# tests/kubernetes/node        etcd, containerd, runc, CNI plugins
# tests/kubernetes/controllers see controllers.sh
# tests/kubernetes/devices     devices of the tests' own, for nodes

# shellcheck disable=SC2034 # used by other parts
K8S_DEFAULT=1.37
K8S_MODULES=$TOP/tests/kubernetes

# The releases that there is a recipe for
k8s_releases() { (cd "$K8S_MODULES" && echo [0-9]*); }

# k8s_version RELEASE: "1.37.2"
k8s_version() { module_version "$K8S_MODULES/$1" k8s.io/kubernetes; }

# need_k8s RELEASE: sets K8S_BIN, the folder with its programs
need_k8s() {
	local module=$K8S_MODULES/$1 version start
	version=$(k8s_version "$1")
	K8S_BIN=$CACHE/kubernetes-$version-$(recipe_key recipe_k8s_ "$(files_key "$K8S_MODULES/main.go" "$module"/*)")
	[[ ! -d $K8S_BIN ]] || return 0
	lock_cache
	[[ ! -d $K8S_BIN ]] || return 0 # somebody else built it meanwhile
	start=$(now)
	say "Kubernetes $version is not built yet; this takes about 10 minutes, once"
	need_go
	make_work_dir
	start_job recipe_k8s_build "$WORK_DIR" "$module" "$version"
	wait_jobs
	publish "$WORK_DIR/bin" "$K8S_BIN"
	say "Kubernetes $version is built after $(since "$start"): $K8S_BIN"
}

# recipe_k8s_build DIR MODULE VERSION: the result is DIR/bin
recipe_k8s_build() {
	local name
	mkdir -p "$1/bin" "$1/src"
	cp "$K8S_MODULES/main.go" "$2"/* "$1/src"
	export CGO_ENABLED=0
	build_go "the servers of Kubernetes $3" "$1/src" "$1/go.log" \
		-ldflags "$(recipe_k8s_ldflags "$3")" -o "$1/bin/servers" .
	build_go "kubectl $3" "$1/src" "$1/go.log" \
		-ldflags "$(recipe_k8s_ldflags "$3")" -o "$1/bin/" k8s.io/kubernetes/cmd/kubectl
	for name in kube-apiserver kube-controller-manager kube-scheduler kubelet; do
		ln -s servers "$1/bin/$name"
	done
}

# recipe_k8s_ldflags VERSION: without these the servers call themselves v0.0.0
recipe_k8s_ldflags() {
	local p=k8s.io/component-base/version minor
	minor=${1#*.}
	echo "-s -w -X $p.gitVersion=v$1 -X $p.gitMajor=${1%%.*} -X $p.gitMinor=${minor%%.*}"
}

# need_programs NAME WHAT FOLDER: sets PROGRAMS, the folder with what recipe_NAME_build
# makes of the modules in FOLDER
need_programs() {
	local name=$1 folder=$3
	local -a files
	mapfile -t files < <(find "$folder" -type f | LC_ALL=C sort)
	PROGRAMS=$CACHE/$name-programs-$(recipe_key "recipe_${name}_" "$(files_key "${files[@]}")")
	[[ ! -d $PROGRAMS ]] || return 0
	lock_cache
	[[ ! -d $PROGRAMS ]] || return 0
	say "$2 are not built yet; this takes some minutes, once"
	need_go
	make_work_dir
	start_job "recipe_${name}_build" "$WORK_DIR" "$folder"
	wait_jobs
	publish "$WORK_DIR/bin" "$PROGRAMS"
}

# need_node_programs: sets NODE_BIN, the folder with them
need_node_programs() {
	need_programs node "containerd, runc, etcd and CNI plugins" "$K8S_MODULES/node"
	# shellcheck disable=SC2034 # used by other parts
	NODE_BIN=$PROGRAMS
}

# need_devices: sets DEVICES_BIN, the folder with the program
need_devices() {
	need_programs devices "the tests' devices" "$K8S_MODULES/devices"
	# shellcheck disable=SC2034 # used by other parts
	DEVICES_BIN=$PROGRAMS
}

# recipe_node_build DIR MODULE: the result is DIR/bin. (runc needs C, and seccomp)
recipe_node_build() {
	local runc=github.com/opencontainers/runc
	local -a programs
	mkdir -p "$1/bin"
	mapfile -t programs < <(cd "$2" && go_environment && "$GO" list tool | grep -vx "$runc")
	((${#programs[@]})) || return
	CGO_ENABLED=0 build_go "containerd, etcd and CNI plugins" "$2" "$1/go.log" \
		-ldflags '-s -w' -o "$1/bin/" "${programs[@]}"
	CGO_ENABLED=1 build_go runc "$2" "$1/go.log" -tags seccomp \
		-ldflags "-s -w -X main.version=$(module_version "$2" "$runc")" -o "$1/bin/" "$runc"
	mv "$1/bin/server" "$1/bin/etcd"
}

# recipe_devices_build DIR MODULE: the result is DIR/bin
recipe_devices_build() {
	mkdir -p "$1/bin"
	CGO_ENABLED=0 build_go "the tests' devices" "$2" "$1/go.log" -ldflags '-s -w' -o "$1/bin/devices" .
}
