# SPDX-License-Identifier: GPL-2.0-or-later
# slurmctld starts the programs with next to no environment: no PATH, no HOME, nothing of
# Kubernetes or of proxies. Whatever a kubeconfig says has to work there as in the engine.
setup() {
	load engine.bash
	cp "$SITE/kubeconfig" "$SITE/kubeconfig.good"
	mkdir -p "$SITE/bare"
}

teardown() {
	local place
	[[ ! ${PID:-} ]] || kill "$PID" || true
	for ((place = ${#PLACES[@]} - 1; place >= 0; place--)); do
		in_its_place umount "${PLACES[place]}" || true
	done
	[[ ! ${MADE:-} ]] || in_its_place rmdir -p --ignore-fail-on-non-empty "$MADE" || true
	cat "$SITE/kubeconfig.good" >"$SITE/kubeconfig"
	good_yaml
	take_over
	rm -r "$SITE/bare"
	put_right
}

# In slurmctld's mount namespace, which its programs share
in_its_place() {
	local pid=$SITE/slurmctld.pid
	! site_in_tree || pid=$SITE/tree.pid
	nsenter --target "$(<"$pid")" --mount --root "$@"
}
PLACES=()
# place FILE-OR-FOLDER WHERE: slurmctld and its programs see it there, until teardown
place() {
	in_its_place mount --bind "$1" "$2"
	PLACES+=("$2")
}
# As slurmctld starts a program
bare() { in_its_place setpriv --reuid slurm --regid slurm --clear-groups /usr/bin/env -i SLURM_CONF="$SITE/slurm.conf" "$@"; }

kubeconfig() { sed "$@" "$SITE/kubeconfig.good" >"$SITE/kubeconfig"; }
server() { kube config view --raw --minify -o 'jsonpath={.clusters[0].cluster.server}'; }

# By hand from an empty environment, then by slurmctld, and in the engine
all_work() {
	local id
	take_over
	bare "$SITE_BIN/k8s_resume" cpu-3
	pods_are 1 slurm-k8s.io/node=cpu-3
	bare "$SITE_BIN/k8s_reboot" --dry-run cpu-3 | grep -q "cpu-3"
	run bare "$SITE_BIN/k8s_resume_fail" --dry-run cpu-3
	[[ $status -eq 0 || $output = *"in use"* ]] # (its slurmd may have registered)
	run bare "$SITE_BIN/k8s_suspend" cpu-3
	if ((status != 0)); then # (its slurmd may have registered: then it is Slurm's to say)
		[[ $output = *"in use"* ]]
		as_slurm scontrol update NodeName=cpu-3 State=POWER_DOWN
	fi
	wait_for 60 "no pod of cpu-3" pods_are 0 slurm-k8s.io/node=cpu-3
	suspend_time 3
	id=$(submit -N1 --wrap true)
	wait_for 120 "job $id" job_is "$id" COMPLETED
	wait_for 120 "the pods to go" pods_are 0
}

@test "a credential plugin named without a path works, and finds a PATH and its user's HOME" {
	cat >"$SITE/bare/site-login" <<-P
	#!/bin/sh
	env >>"$SITE/log/plugin.env"
	printf '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "%s"}}' "\$(cat "\$TOKEN_FILE")"
	P
	chmod 755 "$SITE/bare" "$SITE/bare/site-login"
	sed -n 's/.*{token: \(.*\)}.*/\1/p' "$SITE/kubeconfig.good" >"$SITE/bare/token"
	chown slurm "$SITE/bare/token"
	chmod 600 "$SITE/bare/token"
	install -o slurm -m 600 /dev/null "$SITE/log/plugin.env"
	place "$SITE/bare" /usr/local/sbin
	kubeconfig "s#user: {token: .*#user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: site-login, interactiveMode: Never, env: [{name: TOKEN_FILE, value: $SITE/bare/token}]}}#"
	all_work
	has "HOME=$(in_its_place getent passwd slurm | cut -d: -f6)" "$SITE/log/plugin.env"
	has PATH=/usr/local/sbin:/usr/local/bin: "$SITE/log/plugin.env"
	run ! grep -rF "$(<"$SITE/bare/token")" "$SITE/log"
}

@test "inCluster needs no environment: the ServiceAccount's folder, and kubernetes.default.svc" {
	local ip=127.77.$((SITE_PORT / 256)).$((SITE_PORT % 256)) sa=/run/secrets/kubernetes.io/serviceaccount
	local api
	api=$(server)
	python3 "$TOP/tests/e2e/proxy.py" "${api#https://}" "$ip:443" >"$SITE/bare/port" 3>&- &
	PID=$!
	wait_for 60 "the address" test -s "$SITE/bare/port"
	mkdir "$SITE/bare/sa"
	sed -n 's/.*{token: \(.*\)}.*/\1/p' "$SITE/kubeconfig.good" >"$SITE/bare/sa/token"
	sed -n 's/.*certificate-authority-data: \(.*\)}.*/\1/p' "$SITE/kubeconfig.good" | base64 -d >"$SITE/bare/sa/ca.crt"
	echo "$SITE_NS" >"$SITE/bare/sa/namespace"
	chown -R slurm "$SITE/bare/sa"
	{
		in_its_place cat /etc/hosts
		echo "$ip kubernetes.default.svc"
	} >"$SITE/bare/hosts"
	in_its_place mkdir -p "$sa"
	MADE=$sa
	place "$SITE/bare/sa" "$sa"
	place "$SITE/bare/hosts" /etc/hosts
	other_yaml "kubeconfig: $SITE/kubeconfig" 'inCluster: true'
	all_work
}

@test "proxy-url: all goes by the proxy, whose password is nowhere" {
	mkfifo "$SITE/bare/never" # (it ends when its standard input does)
	python3 "$TOP/tests/fault/proxyserver.py" http "$SITE/bare/log" >"$SITE/bare/port" 3>&- <>"$SITE/bare/never" &
	PID=$!
	wait_for 60 "the proxy" test -s "$SITE/bare/port"
	kubeconfig "s#cluster: {server#cluster: {proxy-url: \"http://joe:s3cret@127.0.0.1:$(<"$SITE/bare/port")\", server#"
	all_work
	(($(grep -c "$(server | sed 's#https://##') joe:s3cret" "$SITE/bare/log") > 4))
	# (a proxy that refuses: what is said of it holds no password, either)
	echo '407 Proxy Authentication Required' >"$SITE/bare/log.rule"
	run bare "$SITE_BIN/k8s_resume" cpu-3
	[[ $status -eq 1 ]]
	has "by the proxy http://127.0.0.1:$(<"$SITE/bare/port")/: it answered 407 to CONNECT"
	rm "$SITE/bare/log.rule"
	run ! grep -rF s3cret "$SITE/log"
}

# its_ca BASE64: what the kubeconfig says whom to trust; "": nothing
its_ca() { kubeconfig "s#, *certificate-authority-data: [^},]*#${1:+, certificate-authority-data: $1}#"; }

@test "with a CA in the kubeconfig whom the system trusts is not trusted" {
	local other
	openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=other -keyout /dev/null -out "$SITE/bare/other" 2>/dev/null
	other=$(base64 -w 0 "$SITE/bare/other")
	mkdir "$SITE/bare/certs"
	cp "$SITE/bare/other" "$SITE/bare/certs/ca-certificates.crt"
	sed -n 's/.*certificate-authority-data: \([^},]*\).*/\1/p' "$SITE/kubeconfig.good" | base64 -d >"$SITE/bare/api"
	cp "$SITE/bare/api" "$SITE/bare/certs/$(openssl x509 -noout -hash -in "$SITE/bare/api").0"
	chmod -R a+rX "$SITE/bare"
	if ! in_its_place test -d /etc/ssl/certs; then # (a tree has none, and cannot be written)
		in_its_place cp -a /etc "$SITE/bare"
		mkdir -p "$SITE/bare/etc/ssl/certs"
		place "$SITE/bare/etc" /etc
	fi
	place "$SITE/bare/certs" /etc/ssl/certs
	its_ca "$other"
	run bare "$SITE_BIN/k8s_resume" cpu-3
	[[ $status -eq 1 ]]
	has certificate
	pods_are 0
	# (without one they are, so they were in the right place)
	its_ca ""
	bare "$SITE_BIN/k8s_resume" cpu-3
	pods_are 1 slurm-k8s.io/node=cpu-3
}
