# SPDX-License-Identifier: GPL-2.0-or-later
# Pods that name a PodGroup where the API server has none: before Kubernetes 1.35, or with
# the feature gate GenericWorkload off, as it comes. (Where there are PodGroups:
# bridge_podgroup.bats.)
# bats file_tags=alone
setup_file() {
	load bridge.bash
	bridge_up
}
teardown_file() {
	load bridge.bash
	bridge_down
}
setup() {
	load bridge.bash
	begin
}
teardown() { bridge_clean; }

# (kubectl would refuse what it does not know itself)
of_a_group() { sed 's/^  restartPolicy/  schedulingGroup: {podGroupName: nowhere}\n&/' | kteam create --validate=false -f - >/dev/null; }

@test "no PodGroups: a pod that names one is a pod by itself, and gets a job of its own" {
	run ! there_are_podgroups
	a_pod one "$UNTIL_GO" | of_a_group
	a_pod other 'exit 0' | of_a_group
	[[ ! $(kteam get pod one other -o 'jsonpath={.items[*].spec.schedulingGroup}') ]]
	runs one
	wait_for 120 "the other to end" pod_is other Succeeded
	wait_for 60 "its job to end" job_is "$(job_of other)" COMPLETED
	[[ $(job_of one) != "$(job_of other)" ]]
	job_is "$(job_of one)" RUNNING
	go_on one
	wait_for 120 "it to end" pod_is one Succeeded
	wait_for 60 "its job to end" job_is "$(job_of one)" COMPLETED
}
