# SPDX-License-Identifier: GPL-2.0-or-later
# The engine's connection to Kubernetes.
setup() {
	load engine.bash
	load proxy.bash
	proxy_start
}

teardown() {
	[[ ! ${FULL:-} ]] || kill "$FULL"
	proxy_end
	put_right
}

@test "a connection that hangs, through which nothing comes any more, is given up for a new one" {
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

# A port whose queue of connects is full: Linux drops the SYNs of others. Sets FULL.
full_port() {
	python3 - >"$1" 3>&- <<-'P' &
	import socket, time
	full = socket.create_server(("127.0.0.1", 0), backlog=0)
	clients = [socket.socket() for _ in range(4)]
	for client in clients:
	    client.setblocking(False)
	    client.connect_ex(full.getsockname())
	print(full.getsockname()[1], flush=True)
	time.sleep(600)
	P
	FULL=$!
	wait_for 60 "the port" test -s "$1"
}

# Asks slurmctld until the file is there; an answer that does not come is written to another
ask_and_ask() {
	until [[ -e $BATS_TEST_TMPDIR/over ]]; do
		as_user squeue >/dev/null 2>>"$BATS_TEST_TMPDIR/refused"
		as_user sinfo >/dev/null 2>>"$BATS_TEST_TMPDIR/refused"
		echo >>"$BATS_TEST_TMPDIR/asked"
	done
}

@test "SYNs to the API server are dropped for a minute: no socket of slurmctld's own is shut down" {
	local asking=()
	full_port "$BATS_TEST_TMPDIR/full"
	sed "s#server: [^,]*#server: \"https://127.0.0.1:$(<"$BATS_TEST_TMPDIR/full")\"#" "$SITE/kubeconfig.good" >"$SITE/kubeconfig"
	mark
	as_slurm scontrol reconfigure || true
	wait_for 60 "no answer" logged "no answer from https://127.0.0.1:$(<"$BATS_TEST_TMPDIR/full") in time"
	for _ in {1..4}; do
		ask_and_ask 3>&- &
		asking+=($!)
	done
	sleep 60 # (so long it lasts)
	touch "$BATS_TEST_TMPDIR/over"
	wait "${asking[@]}"
	cat "$BATS_TEST_TMPDIR/refused"
	[[ ! -s $BATS_TEST_TMPDIR/refused ]]
	(($(wc -l <"$BATS_TEST_TMPDIR/asked") > 50))
}
