# SPDX-License-Identifier: GPL-2.0-or-later
# An API server of another cluster, with nothing in it, that the credentials fit: as a load
# balancer that leads elsewhere, or the wrong kubeconfig.
# bats file_tags=alone
setup_file() {
	load bridge.bash
	bridge_up
	# (a number of its own for each two nodes; 2 is that of script/test)
	export WRONG=$((${BRIDGE_PAIR:-1} / 2 + 7))
	"$TOP/script/cluster" api-start "$WRONG" empty 3>&- 9>&- >&2
}
teardown_file() {
	load bridge.bash
	"$TOP/script/cluster" api-stop "$WRONG" >&2
	bridge_down
}
setup() {
	load bridge.bash
	begin
	cp -p "$SITE/kubeconfig" "$SITE/kubeconfig.right"
}
teardown() {
	[[ ! -e $SITE/kubeconfig.right ]] || right
	bridge_clean
}

wrong() {
	install -o slurm -g slurm -m 600 "${SITE_KUBE%/*}/admin-$WRONG.kubeconfig" "$SITE/kubeconfig"
	mark
	as_slurm scontrol reconfigure || true
}
right() {
	mv "$SITE/kubeconfig.right" "$SITE/kubeconfig"
	mark
	as_slurm scontrol reconfigure || true
	wait_for 60 "the new configuration" logged 'k8s.yaml is in force\|k8s: engine .* runs'
}

as_they_were() {
	local i
	for i in 1 2 3; do
		job_is "${ids[i]}" RUNNING || return 1
		pod_is "stays-$i" Running || return 1
	done
	job_is "$waits" PENDING
}
are_not_as_they_were() { ! as_they_were; }
says_so() { logged 'Kubernetes has no pods of [34] of [34] jobs of the bridge .* Is this the right API server?'; }

@test "an API server that has nothing of all this: no job ends, nor after kill -9, and all is as it was" {
	local ids=() i
	for i in 1 2 3; do a_pod "stays-$i" "$UNTIL_GO" | notes "$SHARED" | create; done
	for i in 1 2 3; do
		runs "stays-$i"
		ids[i]=$(job_of "stays-$i")
	done
	a_pod waits 'exit 0' | notes 'job.slurm-k8s.io/sbatch-options: --hold' | create
	wait_for 60 "the fourth one to wait" pod_says "$TEAM" waits JobHeldUser
	waits=$(job_of waits)
	wrong
	wait_for 120 "slurmctld's word" says_so
	run within 10 "an end of theirs" are_not_as_they_were
	[[ $status -ne 0 ]]
	slurmctld_kill
	mark
	slurmctld_start
	wait_for 120 "slurmctld's word" says_so
	run within 10 "an end of theirs" are_not_as_they_were
	[[ $status -ne 0 ]]
	right
	wait_for 60 "the pods in view" logged 'pods in view'
	run within 10 "an end of theirs" are_not_as_they_were
	[[ $status -ne 0 ]]
	as_user scontrol release "$waits"
	for i in 1 2 3; do
		go_on "stays-$i"
		wait_for 60 "job ${ids[i]} to end" job_is "${ids[i]}" COMPLETED
	done
	wait_for 120 "the fourth one" pod_is waits Succeeded
}
