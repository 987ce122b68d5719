# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=alone,api
setup() { load common.bash; }
teardown() {
	api_starts
	clean_up
}

@test "API server down: tried until the deadline, then a clear error; later all is well" {
	sed "s|podTemplateFile: |podTemplateFile: $SITE/|; s|deadline: .*|deadline: 3s|" "$SITE/k8s.yaml" >"$SITE/short.yaml"
	api_stops
	run as_slurm "$SITE_BIN/k8s_resume" --config "$SITE/short.yaml" cpu-0
	echo "$output"
	[[ $status -eq 1 && $output = *"cpu-0: failed after"*"given up after"*"tries: GET /api/v1/namespaces/$SITE_NS/pods/cpu-0: https://"* ]]
	api_starts
	suspend cpu-0
	pods_are 0
}

@test "API server down when the job starts, back before the deadline: the job runs" {
	api_stops
	id=$(submit -N1 --wrap true)
	wait_for 90 "job $id to be configuring" job_is "$id" CONFIGURING
	api_starts
	wait_for 120 "job $id" job_is "$id" COMPLETED
}
