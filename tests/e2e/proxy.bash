# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A proxy between slurmctld and the API server, which can hold answers back.

proxy_start() {
	local server
	cp "$SITE/kubeconfig" "$SITE/kubeconfig.good"
	server=$(kube config view --raw --minify -o 'jsonpath={.clusters[0].cluster.server}')
	python3 "$TOP/tests/e2e/proxy.py" "${server#https://}" >"$BATS_TEST_TMPDIR/port" 3>&- &
	PROXY=$!
	wait_for 60 "the proxy" test -s "$BATS_TEST_TMPDIR/port"
	sed "s#server: [^,]*#server: \"https://127.0.0.1:$(<"$BATS_TEST_TMPDIR/port")\"#" "$SITE/kubeconfig.good" >"$SITE/kubeconfig.proxy"
}
proxy_end() {
	pkill -KILL -P "$PROXY" || true
	kill -KILL "$PROXY" || true
	cmp -s "$SITE/kubeconfig" "$SITE/kubeconfig.good" || use kubeconfig.good
}
# proxy_all SIGNAL: to the proxy, which a new process of its takes after, and to those that it has
# (at USR2 none, where the client has left what did not answer)
proxy_all() { kill "-$1" "$PROXY" && { pkill "-$1" -P "$PROXY" || [[ $? -eq 1 && $1 = USR2 ]]; }; }
# use FILE: this kubeconfig, in force (nothing in k8s.yaml has changed)
use() {
	cat "$SITE/$1" >"$SITE/kubeconfig"
	mark
	as_slurm scontrol reconfigure || true
	wait_for 60 "the new configuration" logged 'k8s.yaml is in force\|k8s: engine .* runs'
	wait_for 60 "the pods in view" logged 'pods in view'
}
