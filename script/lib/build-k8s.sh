# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds Kubernetes 1.20.2 from Debian's source package with Debian's Go, as
# one program that looks at the name it is called by, and kubectl, which tests
# start by the thousand: alone it starts in half the time.  Takes some minutes,
# once: the result lies in the user's cache, in a directory named after the
# version and this recipe.  The directory gets its name when it is complete, so
# what has that name is finished.
#
# Only the functions named recipe_k8s_* make a difference to the result; the name of
# the directory holds a checksum of them.

K8S_VERSION=1.20.2

k8s_dir() {
	local key
	local -a functions
	mapfile -t functions < <(compgen -A function recipe_k8s_ | LC_ALL=C sort)
	key=$(declare -f "${functions[@]}" | sha256sum)
	echo "$CACHE/kubernetes-$K8S_VERSION-${key:0:12}"
}

# Makes sure that the build is there, and sets K8S_BIN.
need_k8s() {
	local start
	K8S_BIN=$(k8s_dir)
	[[ ! -d $K8S_BIN ]] || return 0
	lock_cache
	[[ ! -d $K8S_BIN ]] || return 0 # somebody else built it meanwhile
	start=$(now)
	say "Kubernetes $K8S_VERSION is not built yet; this takes 3 to 5 minutes, once"
	make_work_dir
	start_job build_k8s "$WORK_DIR"
	wait_jobs
	mv "$WORK_DIR/bin" "$K8S_BIN"
	remove_work_dir
	say "Kubernetes is built after $(since "$start"): $K8S_BIN"
}

# build_k8s DIR: the whole build, in DIR; the result is DIR/bin
build_k8s() {
	local src=$1/go/src/k8s.io/kubernetes
	mkdir -p "$1/bin" "$1/tmp"
	fetch_sources "$1"
	say "unpacking the source ..."
	recipe_k8s_unpack "$1" "$src"
	cd "$src" || return
	recipe_k8s_patch "$1"
	recipe_k8s_environment "$1"
	recipe_k8s_generate "$1"
	recipe_k8s_main
	run_with_heartbeat "building Kubernetes" "$1/go.log" \
		go build -tags "$(recipe_k8s_tags)" -ldflags "$(recipe_k8s_ldflags)" \
		-o "$1/bin/" ./cmd/allinone ./cmd/kubectl
	recipe_k8s_links "$1/bin"
}

# fetch_sources DIR: Kubernetes' source package and a newer reflect2.  Debian's
# usual configuration has no deb-src line, and /etc is not ours to change: an
# apt configuration of our own, in DIR.
fetch_sources() {
	local dir=$1/apt mirror options
	mirror=$(debian_mirror)
	mkdir -p "$dir"/{lists/partial,cache/archives/partial} "$1/download"
	printf '%s [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s bookworm main\n' \
		deb-src "$mirror" deb "$mirror" >"$dir/sources.list"
	options=(
		-qq
		-o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=-
		-o Dir::State::lists="$dir/lists" -o Dir::Cache="$dir/cache"
		-o APT::Sandbox::User=root
	)
	cd "$1/download" || return
	run_with_heartbeat "reading the lists of Debian's packages" "$1/apt.log" \
		apt-get "${options[@]}" update
	run_with_heartbeat "downloading the source (34 MB)" "$1/apt.log" \
		apt-get "${options[@]}" source --download-only kubernetes
	apt-get "${options[@]}" download golang-github-modern-go-reflect2-dev
}

recipe_k8s_unpack() {
	mkdir -p "$2"
	tar -xf "$1"/download/kubernetes_1.20.5+really1.20.2.orig.tar.gz -C "$2" --strip-components=1
	dpkg-deb -x "$1"/download/golang-github-modern-go-reflect2-dev_*.deb "$1/reflect2"
}

recipe_k8s_patch() {
	local reflect2=vendor/github.com/modern-go/reflect2
	# reflect2 1.0.1 breaks under Go >= 1.18: the API server starts, and then
	# panics on every object that holds a map.  1.0.2 is good.
	rm -f $reflect2/*.go $reflect2/*.s
	cp "$1"/reflect2/usr/share/gocode/src/github.com/modern-go/reflect2/* $reflect2/
	# The kubelet asks cloud vendors' metadata services for registry passwords:
	# seconds lost at every start, and traffic that nobody wants.
	sed -i -E '/credentialprovider\/(aws|azure|gcp)"/d' \
		cmd/kubelet/app/plugins.go cmd/kubelet/app/options/globalflags.go
	# This kubelet looks every 10 s only whether the last of a deleted pod is gone;
	# later ones tell the API server at once.
	sed -i 's/^\(const syncPeriod = \)10 \* time.Second$/\11 * time.Second/' pkg/kubelet/status/status_manager.go
	grep -q '^const syncPeriod = 1 ' pkg/kubelet/status/status_manager.go
	# It also waits for a sandbox that only its garbage collector removes, up to a
	# minute (kubernetes/kubernetes#97288): taken back upstream, and here.
	sed -i "/pod's sandboxes should be deleted/,/^\t}\$/d" pkg/kubelet/kubelet_pods.go
	recipe_k8s_without SandboxStatuses pkg/kubelet/kubelet_pods.go
	# And its cAdvisor watches each control group of the machine, which here is each
	# container of all nodes: let it be told which are its own.
	sed -i 's|^\t// Don.t watch \.mount cgroups|\tif root := os.Getenv("CGROUP_ROOT"); containerName != "/" \&\&\n\t\t!strings.HasPrefix(containerName+"/", root+"/") {\n\t\treturn false, nil\n\t}\n&|' \
		vendor/github.com/google/cadvisor/container/raw/watcher.go
	grep -q CGROUP_ROOT vendor/github.com/google/cadvisor/container/raw/watcher.go
	# Half of the time in which kubectl starts goes into translations into no other
	# language, and into schemas of OpenAPI that it does not use.
	sed -i 's/^func LoadTranslations(.*/&\n\treturn nil/' staging/src/k8s.io/kubectl/pkg/util/i18n/i18n.go
	sed -i 's/^\tresCache = .*/\tresCache = \&simpleCache{store: map[string]interface{}{}}/' vendor/github.com/go-openapi/spec/cache.go
	sed -i -E '/^\t(json|swagger)Schema = Must/d' vendor/github.com/go-openapi/spec/spec.go
	grep -A 1 '^func LoadTranslations' staging/src/k8s.io/kubectl/pkg/util/i18n/i18n.go | grep -q 'return nil'
	grep -q 'resCache = &simpleCache' vendor/github.com/go-openapi/spec/cache.go
	recipe_k8s_without 'Schema = Must' vendor/github.com/go-openapi/spec/spec.go
}

# (a command after "!" would not end the build)
recipe_k8s_without() { ! grep -q "$1" "$2"; }

# GOPATH mode: in module mode Go >= 1.16 refuses the vendored tree ("updates to
# go.mod needed").  Everything Go writes stays below the build directory.
recipe_k8s_environment() {
	unset GOROOT GOTOOLDIR
	export GOENV=off GO111MODULE=off CGO_ENABLED=0 GOFLAGS=-trimpath \
		GOPATH=$1/go GOCACHE=$1/gocache GOTMPDIR=$1/tmp TMPDIR=$1/tmp
}

# No code for cloud vendors, and none for Docker: containerd is used.
recipe_k8s_tags() { echo providerless,dockerless; }

recipe_k8s_ldflags() {
	local p v flags='-s -w'
	for p in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
		for v in gitVersion=v1.20.2 gitMajor=1 gitMinor=20 gitTreeState=clean \
			buildDate=2021-01-13T13:20:00Z \
			gitCommit=faecb196815e248d3ecfb03c680a4507229c2a56; do
			flags+=" -X k8s.io/kubernetes/vendor/$p.$v"
		done
	done
	echo "$flags"
}

# zz_generated.openapi.go is not part of the source; without it the compiler
# stops at "undefined: openapi.GetOpenAPIDefinitions".  Made as upstream's
# makefile does.
recipe_k8s_generate() {
	local dirs mark='^// *\+k8s:openapi-gen='
	run_with_heartbeat "building the generator of the OpenAPI definitions" "$1/go.log" \
		go build -o "$1/openapi-gen" ./vendor/k8s.io/kube-openapi/cmd/openapi-gen
	dirs=$(
		{
			grep -rlE --include='*.go' "$mark" pkg cmd plugin || true
			cd staging/src/k8s.io || exit
			grep -rlE --include='*.go' "$mark" . | sed 's|^\./|vendor/k8s.io/|'
		} | grep -v -e /code-generator/ -e /sample-apiserver/ -e zz_generated |
			xargs -n1 dirname | LC_ALL=C sort -u | sed 's|^|k8s.io/kubernetes/|' | paste -sd,
	)
	# (the generator reads Go's own library, and -trimpath made it forget where)
	run_with_heartbeat "generating the OpenAPI definitions" "$1/go.log" \
		env GOROOT="$(go env GOROOT)" GOFLAGS= "$1/openapi-gen" --logtostderr -i "$dirs" \
		-p k8s.io/kubernetes/pkg/generated/openapi -O zz_generated.openapi \
		-h vendor/k8s.io/code-generator/hack/boilerplate.go.txt -r "$1/openapi.report"
}

recipe_k8s_main() {
	mkdir -p cmd/allinone
	cat >cmd/allinone/main.go <<-'EOF'
	// The programs of Kubernetes in one, chosen by the name it is called by.
	package main

	import (
		"fmt"
		"math/rand"
		"os"
		"path/filepath"
		"time"

		"github.com/spf13/cobra"
		"github.com/spf13/pflag"

		cliflag "k8s.io/component-base/cli/flag"
		"k8s.io/component-base/logs"
		_ "k8s.io/component-base/metrics/prometheus/clientgo"
		_ "k8s.io/component-base/metrics/prometheus/version"
		apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
		kcm "k8s.io/kubernetes/cmd/kube-controller-manager/app"
		scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
		kubelet "k8s.io/kubernetes/cmd/kubelet/app"
	)

	func main() {
		rand.Seed(time.Now().UnixNano())
		commands := map[string]func() *cobra.Command{
			"kube-apiserver":          apiserver.NewAPIServerCommand,
			"kube-controller-manager": kcm.NewControllerManagerCommand,
			"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
			"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand() },
		}
		name := filepath.Base(os.Args[0])
		command := commands[name]
		if command == nil {
			fmt.Fprintf(os.Stderr, "%s: call this by the name of a program of Kubernetes\n", name)
			os.Exit(2)
		}
		c := command()
		// what its main function does before it runs
		if name == "kube-scheduler" {
			pflag.CommandLine.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
		}
		logs.InitLogs()
		defer logs.FlushLogs()
		if err := c.Execute(); err != nil {
			os.Exit(1)
		}
	}
	EOF
}

recipe_k8s_links() {
	local name
	for name in kube-apiserver kube-controller-manager kube-scheduler kubelet; do
		ln -s allinone "$1/$name"
	done
}
