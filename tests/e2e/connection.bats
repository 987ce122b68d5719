# SPDX-License-Identifier: GPL-2.0-or-later
# The engine's connection to Kubernetes.
setup() {
	load engine.bash
	cp "$SITE/kubeconfig" "$SITE/kubeconfig.good"
	server=$(kube config view --raw --minify -o 'jsonpath={.clusters[0].cluster.server}')
	python3 "$TOP/tests/e2e/proxy.py" "${server#https://}" >"$BATS_TEST_TMPDIR/port" 3>&- &
	PROXY=$!
	wait_for 60 "the proxy" test -s "$BATS_TEST_TMPDIR/port"
}

teardown() {
	pkill -KILL -P "$PROXY" || true
	kill "$PROXY"
	cmp -s "$SITE/kubeconfig" "$SITE/kubeconfig.good" || use kubeconfig.good
	put_right
}

# use FILE: this kubeconfig, in force (nothing in k8s.yaml has changed)
use() {
	cat "$SITE/$1" >"$SITE/kubeconfig"
	mark
	as_slurm scontrol reconfigure || true
	wait_for 60 "the new configuration" logged 'k8s.yaml is in force\|k8s: engine .* runs'
	wait_for 60 "the pods in view" logged 'pods in view'
}

@test "a connection that hangs, through which nothing comes any more, is given up for a new one" {
	sed "s#server: [^,]*#server: \"https://127.0.0.1:$(<"$BATS_TEST_TMPDIR/port")\"#" "$SITE/kubeconfig.good" >"$SITE/kubeconfig.proxy"
	use kubeconfig.proxy
	template 's#image: .*#image: localhost/NO SUCH#'
	[[ $(pgrep -c -P "$PROXY") -ge 1 ]]
	pkill -STOP -P "$PROXY"
	mark
	id=$(submit -p bad -w bad-0 --wrap true)
	wait_for 60 "job $id to go back" logged "k8s: nodes bad-0: their jobs go back to the queue.*InvalidImageName"
	template
	wait_for 120 "job $id" job_is "$id" COMPLETED
}
