# SPDX-License-Identifier: GPL-2.0-or-later
setup() { load common.bash; }
teardown() {
	"$TOP/script/cluster" api-start 3>&- >/dev/null
	clean_up
}

@test "API server down: tried until the deadline, then a clear error; later all is well" {
	sed "s|podTemplateFile: |podTemplateFile: $SITE/|; s|deadline: .*|deadline: 3s|" "$SITE/k8s.yaml" >"$SITE/short.yaml"
	"$TOP/script/cluster" api-stop
	run as_slurm "$SITE_BIN/k8s_resume" --config "$SITE/short.yaml" cpu-0
	echo "$output"
	[[ $status -eq 1 && $output = *"cpu-0: failed after"*"given up after"*"tries: POST /api/v1/namespaces/$SITE_NS/pods: https://"* ]]
	"$TOP/script/cluster" api-start 3>&-
	suspend cpu-0
	pods_are 0
}

@test "API server down when the job starts, back before the deadline: the job runs" {
	"$TOP/script/cluster" api-stop
	id=$(submit -N1 --wrap true)
	wait_for 10 "job $id to be configuring" job_is "$id" CONFIGURING
	"$TOP/script/cluster" api-start 3>&-
	wait_for 60 "job $id" job_is "$id" COMPLETED
}

@test "API server down for a minute under a running job: the job goes on, Slurm answers, later all converges" {
	id=$(submit -N1 --wrap "sleep 1000")
	wait_for 60 "job $id to run" job_is "$id" RUNNING
	uid=$(pod_uid "$(job "$id" BatchHost)")
	"$TOP/script/cluster" api-stop
	end=$((SECONDS + ${API_DOWN_SECONDS:-60}))
	while ((SECONDS < end)); do
		timeout 3 env SLURM_CONF="$SITE/slurm.conf" scontrol ping | grep -q "is UP"
		job_is "$id" RUNNING
		other=$(submit -p bulk --hold --wrap true)
		as_slurm scancel "$other"
		sleep 1
	done
	[[ $(job "$id" Restarts) = 0 ]]
	"$TOP/script/cluster" api-start 3>&-
	wait_for 60 "the pods to be seen again" grep -q 'k8s: cluster prod: pods can be seen again' "$SITE/log/slurmctld.log"
	job_is "$id" RUNNING
	[[ $(pod_uid "$(job "$id" BatchHost)") = "$uid" ]]
	next=$(submit -p big --wrap true)
	wait_for 60 "job $next" job_is "$next" COMPLETED
}
