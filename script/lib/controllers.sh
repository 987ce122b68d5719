# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Controllers that Kubernetes has not by itself, for the tests of the bridge: those of
# JobSet and LeaderWorkerSet, built from their Go modules, run beside the control plane.
# What they install (kinds, rights, webhooks) is what their modules ship; only the
# webhooks are called by URL, as no Service leads to this machine. Of scheduler-plugins
# there is the kind PodGroup alone (docs/testing.md says why).

# shellcheck disable=SC2034 # used by script/cluster
CONTROLLERS=(jobset lws)
declare -A WEBHOOK_PORT=([jobset]=9443 [lws]=9444)

# need_controllers: sets CONTROLLERS_BIN: the programs, and in config/ what they install
need_controllers() {
	need_programs controllers "the controllers of JobSet and LeaderWorkerSet" "$K8S_MODULES/controllers"
	CONTROLLERS_BIN=$PROGRAMS
}

# recipe_controllers_build DIR FOLDER: the result is DIR/bin
recipe_controllers_build() {
	local name tool
	mkdir -p "$1/bin/config"
	go_environment
	for name in jobset lws; do
		tool=$(cd "$2/$name" && "$GO" list tool) || return
		CGO_ENABLED=0 build_go "the controller of $name" "$2/$name" "$1/go.log" \
			-ldflags '-s -w' -o "$1/bin/$name" "$tool"
		cp -r "$(module_dir "$2/$name" "sigs.k8s.io/$name")/config" "$1/bin/config/$name"
	done
	name=scheduler-plugins
	cp -r "$(module_dir "$2/$name" "sigs.k8s.io/$name")/config" "$1/bin/config/$name"
	chmod -R u+w "$1/bin/config" # (modules are read-only, also for whoever removes the cache)
}

# module_dir FOLDER MODULE: where Go has it, by the go.mod of that folder
module_dir() { (cd "$1" && "$GO" mod download "$2" && "$GO" list -m -f '{{.Dir}}' "$2"); }

admin_kubectl() { kubectl --kubeconfig "$ADMIN" "$@"; }

# install_objects FILE: (the kinds are too large for an annotation with the last version)
install_objects() { admin_kubectl apply --server-side --force-conflicts -f "$1" >/dev/null; }

# install_controller NAME: all that it ships, but for what would run it in a pod
install_controller() {
	kubectl kustomize "$CONTROLLERS_BIN/config/$1/default" 2>"$LOG_DIR/$1.install.log" |
		admin_kubectl create --dry-run=client --validate=false -o json -f - |
		jq --arg at "https://127.0.0.1:${WEBHOOK_PORT[$1]}" --arg ca "$(base64 -w0 "$PKI_DIR/ca.crt")" '
		def by_url: {url: ($at + .service.path), caBundle: $ca};
		select(.kind | IN("Deployment", "Service", "Secret") | not)
		| if has("webhooks") then .webhooks[].clientConfig |= by_url
		  elif .spec.conversion.webhook then .spec.conversion.webhook.clientConfig |= by_url
		  else . end' | install_objects -
}

# It has the rights of its own ServiceAccount, by whose name it has a certificate.
make_controller_pki() {
	[[ ! -d $PKI_DIR/$1 ]] || return 0
	make_client "$1" "/CN=system:serviceaccount:$1-system:$1-controller-manager" 127.0.0.1
	make_cert "$1-webhook" "/CN=$1-webhook" serverAuth IP:127.0.0.1
	mkdir "$PKI_DIR/$1"
	mv "$PKI_DIR/$1-webhook.crt" "$PKI_DIR/$1/tls.crt"
	mv "$PKI_DIR/$1-webhook.key" "$PKI_DIR/$1/tls.key"
}

write_controller_conf() {
	cat >"$PKI_DIR/$1.yaml" <<-EOF
	apiVersion: config.$1.x-k8s.io/v1alpha1
	kind: Configuration
	leaderElection: {leaderElect: false}
	internalCertManagement: {enable: false}
	webhook: {host: 127.0.0.1, port: ${WEBHOOK_PORT[$1]}, certDir: $PKI_DIR/$1}
	metrics: {bindAddress: "0"}
	health: {healthProbeBindAddress: "0"}
	EOF
}

webhook_answers() { curl -s -o /dev/null --cacert "$PKI_DIR/ca.crt" "https://127.0.0.1:${WEBHOOK_PORT[$1]}/"; }

start_controller() {
	! lives "$1" || return 0
	check_port "${WEBHOOK_PORT[$1]}"
	make_controller_pki "$1"
	write_controller_conf "$1"
	install_controller "$1"
	KUBECONFIG=$PKI_DIR/$1.kubeconfig spawn "$1" "$CONTROLLERS_BIN/$1" --config "$PKI_DIR/$1.yaml" --zap-devel=false
	until_ok 60 webhook_answers "$1" || {
		show_log "$1"
		die "the controller of $1 does not get ready"
	}
	say "the controller of $1 runs"
}

install_podgroup() {
	admin_kubectl get crd podgroups.scheduling.x-k8s.io >/dev/null 2>&1 ||
		install_objects "$CONTROLLERS_BIN/config/scheduler-plugins/crd/bases/scheduling.x-k8s.io_podgroups.yaml"
}
