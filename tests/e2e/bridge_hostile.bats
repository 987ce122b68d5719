# SPDX-License-Identifier: GPL-2.0-or-later
# Manifests and jobs whose authors mean harm. (10,000 containers, and numbers that
# no API server lets through: tests/unit/test_pod_requests.c and test_quantity.c.)
# bats file_tags=alone
setup_file() {
	load bridge.bash
	export BRIDGE_NODES='resizeAfter: 20s'
	bridge_up
	! external || memory_of >"$SITE/whole"
}
teardown_file() {
	load bridge.bash
	bridge_down
}
setup() {
	load bridge.bash
	begin
	# (what the last test, or the first try of this one, has left there is gone by then)
	! external || wait_for 60 "the node to be as large as it was" is_as_large "$(<"$SITE/whole")"
	PID=$(<"$SITE/slurmctld.pid")
}
teardown() {
	sed -i '/^MaxJobCount=200$/d' "$SITE/slurm.conf"
	bridge_clean
}

# with KEY VALUE: the pod of the input has that annotation; VALUE is JSON's
with() {
	python3 -c 'import sys; sys.stdout.write(sys.stdin.read().replace("  labels:", "  annotations: {%s: %s}\n  labels:" % (sys.argv[1], open(sys.argv[2]).read()), 1))' "$1" <(printf '%s' "$2")
}
long() { printf '"%s"' "$(head -c "$1" /dev/zero | tr '\0' x)"; }

refused() { # NAME WORDS
	wait_for 60 "pod $1 to be told" pod_says "$TEAM" "$1" "$2"
	wait_for 60 "an Event on pod $1" event_on "$1"
	[[ ! $(job_of "$1") && ! $(pod_node "$1") ]]
}
event_on() { kteam get events --field-selector "involvedObject.name=$1,reason=RefusedBySlurm" -o name | grep -q .; }

# slurmctld lives, has logged nothing that moves a cursor, and serves others
nothing_happened() {
	run process_ended "$PID"
	((status != 0))
	run grep -nP '[\x00-\x08\x0b-\x1f\x7f]' <(tail -n "+$((MARK + 1))" "$CTLD_LOG")
	echo "$output"
	((status == 1))
	a_pod good 'exit 0' | kteam create -f - >/dev/null
	wait_for 120 "a good pod to run" pod_is good Succeeded
	wait_for 120 "its job to end" job_is "$(job_of good)" COMPLETED
}

not_taken() { # WORDS: by the API server
	run kteam create -f -
	echo "$output"
	((status != 0)) && has "$1"
}

@test "quantities beyond all measure" {
	a_pod big-cpu 'exit 0' '' 1000000000000000000 | kteam create -f - >/dev/null
	a_pod big-memory 'exit 0' | sed 's/memory: 16Mi/memory: 1E/' | kteam create -f - >/dev/null
	a_pod big-sum 'exit 0' '' 9223372036854775 | kteam create -f - >/dev/null
	a_pod small 'exit 0' '' 1n | kteam create -f - >/dev/null
	a_pod negative 'exit 0' '' -1 | not_taken 'must be greater than or equal to 0'
	for name in big-cpu big-sum; do refused "$name" 'Slurm: '; done
	# (so much Slurm can count: it takes the job, and refuses it)
	wait_for 60 "pod big-memory to be told" pod_says "$TEAM" big-memory 'Slurm refuses the job'
	[[ ! $(pod_node big-memory) ]]
	state_is "$(job_of big-memory)" FAILED
	kteam get pods -o 'jsonpath={range .items[*]}{.metadata.name}: {.status.conditions[0].message}{"\n"}{end}'
	wait_for 120 "a billionth of a CPU to run" pod_is small Succeeded
	nothing_happened
}

# crowd NAME NUMBER: a pod of so many containers
crowd() {
	local n
	a_pod "$1" 'exit 0' | sed '/^---/d; /^    - name: main/,$d'
	for ((n = 0; n < $2; n++)); do echo "    - {name: c$n, image: none, resources: {requests: {cpu: 45m, memory: 1Mi}}}"; done
}

waits_or_refused() {
	pod_says "$TEAM" full 'job [0-9]* waits' ||
		pod_says "$TEAM" full 'Slurm refuses the job: Requested node configuration is not available'
}

@test "two hundred containers" {
	# (9 CPUs: more than a node has. Slurm 24.11 refuses such a job at once, 22.05 and
	# 26.05 let it wait.)
	crowd full 200 | kteam create -f - >/dev/null
	crowd over 201 | kteam create -f - >/dev/null
	refused over 'it has 201 containers, more than 200'
	wait_for 60 "the other one to wait" waits_or_refused
	[[ $(as_user squeue -h -n full -o %C) = @(9|) ]]
	[[ ! $(pod_node full) ]]
	nothing_happened
}

@test "annotations that are huge, malformed, unknown or of control characters" {
	a_pod huge 'exit 0' | with job.slurm-k8s.io/sbatch-options "$(long 200000)" | kteam create -f - >/dev/null
	a_pod junk 'exit 0' | with example.org/junk "$(long 260000)" | kteam create -f - >/dev/null
	a_pod toomuch 'exit 0' | with example.org/junk "$(long 270000)" | not_taken '262144 bytes'
	a_pod quote 'exit 0' | with job.slurm-k8s.io/sbatch-options '"--begin=\"now"' | kteam create -f - >/dev/null
	a_pod when 'exit 0' | with job.slurm-k8s.io/sbatch-options '"--begin=yesteryear"' | kteam create -f - >/dev/null
	a_pod unknown 'exit 0' | with job.slurm-k8s.io/bogus '"1"' | kteam create -f - >/dev/null
	a_pod minutes 'exit 0' | with slurmjob.slinky.slurm.net/timelimit '"-5\n"' | kteam create -f - >/dev/null
	a_pod control 'exit 0' | with job.slurm-k8s.io/sbatch-options '"--\u001b[2J\u0007evil\r\nslurmctld: error: all is lost"' | kteam create -f - >/dev/null
	a_pod name 'exit 0' | with job.slurm-k8s.io/job-name '"a\nb\u001b[31m"' | kteam create -f - >/dev/null
	a_pod depends 'exit 0' | with job.slurm-k8s.io/sbatch-options '"-d afterok:1\u001b[0m"' | kteam create -f - >/dev/null
	for name in huge quote when unknown minutes control depends; do refused "$name" 'Slurm: '; done
	wait_for 60 "annotations of others to be none of ours" pod_is junk Succeeded
	kteam get pods -o 'jsonpath={range .items[*]}{.metadata.name}: {.status.conditions[0].message}{"\n"}{end}'
	run grep -cE '^(\[[^]]*\] )?slurmctld: error: all is lost' "$CTLD_LOG"
	[[ $output = 0 ]]
	nothing_happened
}

@test "a pod that names another user" {
	a_pod root 'exit 0' | with slurmjob.slinky.slurm.net/user-id '"0"' | kteam create -f - >/dev/null
	a_pod slurm 'exit 0' | with job.slurm-k8s.io/user-id '"slurm"' | kteam create -f - >/dev/null
	a_pod group 'exit 0' | with job.slurm-k8s.io/group-id '"0"' | kteam create -f - >/dev/null
	a_pod option 'exit 0' | with job.slurm-k8s.io/sbatch-options '"--uid=0"' | kteam create -f - >/dev/null
	refused root 'user-id'
	refused slurm 'user-id'
	refused group 'group-id'
	refused option 'uid'
	nothing_happened
	[[ $(as_user squeue -h -t all -o %u | sort -u) = "$SITE_USER" ]]
}

# fat: creates the pod of the input, with 0.9 MB of what JSON makes six times as long. (Not by
# "kubectl create", which sends it like that, and is refused.)
fat() {
	kteam create --dry-run=client -o json -f - | python3 -c '
import json, sys
pod = json.load(sys.stdin)
pod["spec"]["containers"][0]["env"] = [{"name": "FAT%d" % i, "value": "<" * 100000} for i in range(9)]
json.dump(pod, sys.stdout)' >"$BATS_TEST_TMPDIR/fat.json"
	kube create --raw "/api/v1/namespaces/$TEAM/pods" -f "$BATS_TEST_TMPDIR/fat.json" >/dev/null
}

@test "pods that are 5 MB long: nobody is blinded, by a watch or by a list" {
	a_pod fat "$LONG" | fat
	wait_for 120 "the long pod to run" pod_is fat Running
	id=$(job_of fat)
	for n in 1 2 3 4 5 6 7; do a_pod "wide-$n" 'exit 0' '' 1000 | fat; done
	wait_for 60 "one for which there is no room to be told" pod_says "$TEAM" wide-7 'Slurm'
	nothing_happened
	kteam delete pod good >/dev/null
	# (a list of 40 MB: more than is taken in one piece)
	save_job "$id"
	slurmctld_kill
	slurmctld_start
	PID=$(<"$SITE/slurmctld.pid")
	nothing_happened
	job_is "$id" RUNNING
	kteam delete pod fat --wait=false >/dev/null
	wait_for 120 "the long pod to go" pod_gone fat
	wait_for 120 "its job to end" job_is_over "$id"
}
# with_fields FIELDS: creates the pod of the input, as one who says that he has set these fields of it
with_fields() {
	kteam create --dry-run=client -o json -f - | python3 -c '
import json, sys
pod = json.load(sys.stdin)
pod["metadata"]["managedFields"] = [{"manager": "m", "operation": "Update", "apiVersion": "v1",
                                     "fieldsType": "FieldsV1", "fieldsV1": "FIELDS"}]
text = json.dumps(pod).encode().replace(b"\"FIELDS\"", sys.argv[1].encode("utf-8", "surrogateescape"))
sys.stdout.buffer.write(text)' "$1" >"$BATS_TEST_TMPDIR/fields.json"
	kube create --raw "/api/v1/namespaces/$TEAM/pods" -f "$BATS_TEST_TMPDIR/fields.json" >/dev/null
}
nested() { python3 -c 'n = int(__import__("sys").argv[1]); print("{\"f:a\":" * n + "{}" + "}" * n)' "$1"; }

@test "pods whose managed fields no parser of ours takes: nobody is blinded, and they are read" {
	a_pod deep "$LONG" | with_fields "$(nested 200)"
	kube get --raw "/api/v1/namespaces/$TEAM/pods/deep" >"$BATS_TEST_TMPDIR/deep.json"
	# (else this API server does not keep them, and the test shows nothing)
	[[ $(grep -o '"f:a"' "$BATS_TEST_TMPDIR/deep.json" | wc -l) -ge 200 ]]
	# (an API server may refuse these, or write others)
	a_pod bytes 'exit 0' | with_fields $'{"f:\xff":{}}' || echo "no bytes that are no UTF-8"
	deep_runs() { [[ $(kteam get pod deep -o 'jsonpath={.status.phase}') = Running ]]; } # (jq takes it no more than we)
	wait_for 120 "the deep pod to run" deep_runs
	id=$(job_of deep)
	nothing_happened
	kteam delete pod good >/dev/null
	save_job "$id"
	slurmctld_kill
	slurmctld_start
	PID=$(<"$SITE/slurmctld.pid")
	nothing_happened
	job_is "$id" RUNNING
	kteam delete pod deep --wait=false >/dev/null
	wait_for 120 "the deep pod to go" pod_gone deep
	wait_for 120 "its job to end" job_is_over "$id"
}
job_is_over() { [[ ! $(as_user squeue -h -j "$1" -o %i 2>/dev/null) ]]; }

@test "a job that passes itself off as a placeholder is not believed" {
	a_pod mine 'sleep 1' | with job.slurm-k8s.io/sbatch-options '"--hold"' | kteam create -f - >/dev/null
	wait_for 60 "the pod to be told" pod_says "$TEAM" mine JobHeldUser
	id=$(job_of mine)
	words=$(as_slurm scontrol show job "$id" | sed -n 's/^ *AdminComment=//p')
	[[ $words = *"$(kteam get pod mine -o 'jsonpath={.metadata.uid}')"* ]]
	forged=$(submit -p k8s --hold --job-name=mine --comment="$words" --wrap true)
	run as_user scontrol update job "$forged" "AdminComment=$words"
	echo "$output"
	((status != 0))
	as_user scontrol release "$forged" || true
	waits() {
		[[ $(kteam get pod mine -o 'jsonpath={.metadata.labels.slurm-k8s\.io/job-id}') = "$id" ]] &&
			[[ ! $(pod_node mine) ]] && job_is "$id" PENDING
	}
	stays 3 waits
	as_user scancel "$forged"
	as_user scontrol release "$id"
	wait_for 120 "the pod to run" pod_is mine Succeeded
	wait_for 120 "its job to end" job_is "$id" COMPLETED
	[[ $(jobs_of mine | sort -un | wc -l) -eq 2 ]]
}

@test "a pod that has another's job id on it is not believed" {
	a_pod theirs 'sleep 1000 & wait' | kteam create -f - >/dev/null
	wait_for 120 "the pod to run" pod_is theirs Running
	id=$(job_of theirs)
	a_pod forged 'exit 0' "slurm-k8s.io/job-id: \"$id\", scheduler.slinky.slurm.net/slurm-jobid: \"$id\"" |
		with slurm-k8s.io/job-id "\"$id\"" | kteam create -f - >/dev/null
	wait_for 120 "it to run by a job of its own" pod_is forged Succeeded
	own=$(job_of forged)
	[[ $own && $own != "$id" ]]
	wait_for 120 "its job to end" job_is "$own" COMPLETED
	job_is "$id" RUNNING
	kteam delete pod forged --wait=false >/dev/null
	wait_for 120 "it to go" pod_gone forged
	job_is "$id" RUNNING
	pod_is theirs Running
}

@test "a pod that went to a node by itself, with another's job id, is not believed" {
	cpus=$(node "$ONE" CPUTot)
	a_pod theirs 'sleep 1000 & wait' | on "$TWO" | kteam create -f - >/dev/null
	wait_for 120 "the pod to run" pod_is theirs Running
	id=$(job_of theirs)
	a_pod sneaky 'sleep 1000 & wait' | with slurm-k8s.io/job-id "\"$id\"" |
		sed "s/^  restartPolicy/  nodeName: $ONE\n&/" | kteam create -f - >/dev/null
	wait_for 100 "it to run" pod_is sneaky Running
	# it is as if another scheduler had placed it
	! external || wait_for 120 "Slurm not to count its CPU any more" has_cpus "$ONE" $((cpus - 1))
	[[ ! $(job_of sneaky) ]]
	as_slurm scancel "$id"
	wait_for 120 "the other to go" pod_gone theirs
	pod_is sneaky Running
	kteam delete pod sneaky --wait=false >/dev/null
	! external || wait_for 120 "Slurm to count it again" has_cpus "$ONE" "$cpus"
}

# guest NAME: a pod of nobody's on $ONE, which takes half a CPU, and a sixth of its memory
guest() {
	kteam create -f - >/dev/null <<-P
	apiVersion: v1
	kind: Pod
	metadata: {name: $1, labels: {test: guest}}
	spec:
	  nodeName: $ONE
	  terminationGracePeriodSeconds: 0
	  tolerations: [{operator: Exists}]
	  containers: [{name: main, image: "$SITE_IMAGE", command: [sleep, "1000"], resources: {requests: {cpu: 500m, memory: "$GUEST"}}}]
	P
}
memory_of() { node "$ONE" RealMemory; }
is_smaller() { [[ $(memory_of) -lt $1 ]]; }
is_as_large() { [[ $(memory_of) -eq $1 ]]; }
made_anew() { since_mark | grep -c "node $ONE created anew"; }

@test "other pods come and go: their node keeps its size in Slurm, and what lasts is taken over" {
	external || skip "Slurm $SITE_RELEASE has no external nodes"
	size=$(memory_of) GUEST=$(($(memory_of) / 6))Mi
	for n in 1 2 3 4 5; do
		guest "guest-$n"
		# Without a job the node could be made anew at any time.
		stays 2 is_as_large "$size"
		kteam delete pod "guest-$n" --grace-period=1 >/dev/null 2>&1
		stays 2 is_as_large "$size"
		nodes_are "$ONE" idle
	done
	[[ $(made_anew) = 0 ]]
	guest guest-stays
	wait_for 90 "the node to be smaller" is_smaller "$size"
	kteam delete pod guest-stays --grace-period=1 >/dev/null 2>&1
	wait_for 90 "the node to be as it was" is_as_large "$size"
	[[ $(made_anew) = 2 ]]
	nothing_happened
}

# stranger NAME RESOURCES: a pod of nobody's on $ONE, which its author has bound
stranger() {
	kteam create -f - >/dev/null <<-P
	apiVersion: v1
	kind: Pod
	metadata: {name: $1, labels: {test: stranger}}
	spec:
	  nodeName: $ONE
	  restartPolicy: Never
	  terminationGracePeriodSeconds: 0
	  tolerations: [{operator: Exists}]
	  containers: [{name: main, image: "$SITE_IMAGE", command: [sleep, "1000"], resources: {limits: {$2}}}]
	P
}
# kinds NUMBER: of extended resources that nobody has
kinds() { seq -f 'invented.example/k%g: 1' -s ', ' "$1"; }
not_in_use() { [[ $(as_user sinfo -h -n "$ONE" -o %t) != idle ]]; }

@test "a pod of resources that nobody has, bound by its author: its node stays Slurm's" {
	external || skip "Slurm $SITE_RELEASE has no external nodes"
	size=$(memory_of)
	stranger odd-9 "$(kinds 9)"
	stranger odd-100 "$(kinds 100)"
	stranger odd-long "invented.example/$(printf 'k%.0s' {1..63}): 1"
	# (a Gres, as `resources` of k8s.yaml is not given, but not of this node)
	stranger odd-gpus 'amd.com/gpu: 9223372036854775807'
	for name in odd-9 odd-100 odd-long odd-gpus; do runs "$name"; done
	# (longer than resizeAfter)
	run within 30 "the node to be drained" not_in_use
	[[ $status -ne 0 ]]
	[[ $(made_anew) = 0 && $(memory_of) = "$size" ]]
	a_pod beside 'exit 0' | on "$ONE" | create
	wait_for 120 "a pod to run there" pod_is beside Succeeded
	nothing_happened
}

@test "pods that are turned away do not drain their node; one that leaves no CPU does when that lasts" {
	external || skip "Slurm $SITE_RELEASE has no external nodes"
	for n in 1 2 3; do
		stranger "large-$n" 'cpu: 1000'
		wait_for 60 "the kubelet to turn it away" pod_is "large-$n" Failed
	done
	stranger all "cpu: $(node "$ONE" CPUTot)"
	runs all
	wait_for 60 "it to be drained" node_says "$ONE" 'other pods leave no whole CPU or no memory'
	# once, and not before it has lasted for resizeAfter
	wait_for 60 "the log" logged "node $ONE drained"
	mapfile -t drained < <(since_mark | sed -n "s/^\[\([^]]*\)\].*node $ONE drained.*/\1/p")
	echo "drained: ${drained[*]}"
	((${#drained[@]} == 1))
	# (on a fast machine the engine sees no moment without one of them)
	since=$(kteam get pod large-1 -o 'jsonpath={.metadata.creationTimestamp}')
	(($(date -d "${drained[0]}" +%s) - $(date -d "$since" +%s) >= 20))
	kteam delete pod all --grace-period=1 >/dev/null 2>&1
	wait_for 60 "it to be back" nodes_are "$ONE" idle
	[[ $(made_anew) = 0 ]]
	nothing_happened
}

@test "others take a node's room while its job starts: no pod is turned away, and it runs when they go" {
	external || skip "Slurm $SITE_RELEASE has no external nodes"
	GUEST=$(($(memory_of) / 2))Mi
	guest guest-half
	a_pod late 'exit 0' | sed "s/memory: 16Mi/memory: $(($(memory_of) * 3 / 4))Mi/" | on "$ONE" | create
	wait_for 60 "the pod to be told" pod_says "$TEAM" late 'other pods have taken room on the nodes of job'
	kteam delete pod guest-half --grace-period=1 >/dev/null 2>&1
	wait_for 60 "the pod to run" pod_is late Succeeded
	nothing_happened
}

@test "kill -9 of slurmctld when a job was to be cancelled for want of room: its pod gets another one" {
	external || skip "Slurm $SITE_RELEASE has no external nodes"
	GUEST=$(($(memory_of) / 2))Mi
	guest guest-half
	a_pod out 'exit 0' | sed "s/memory: 16Mi/memory: $(($(memory_of) * 3 / 4))Mi/" | on "$ONE" | create
	wait_for 60 "the pod to be told" pod_says "$TEAM" out 'other pods have taken room on the nodes of job'
	id=$(job_of out) uid=$(kteam get pod out -o 'jsonpath={.metadata.uid}')
	# (what the bridge does then)
	comment=$(as_slurm scontrol show job "$id" | sed -n 's/^ *AdminComment=//p')
	as_slurm scontrol update JobId="$id" AdminComment="${comment%\}\}},\"again\":true}}"
	as_slurm scancel "$id"
	slurmctld_kill
	slurmctld_start
	wait_for 120 "another job" is_next out "$id"
	[[ $(kteam get pod out -o 'jsonpath={.metadata.uid} {.metadata.deletionTimestamp}') = "$uid " ]]
	kteam delete pod guest-half --grace-period=1 >/dev/null 2>&1
	wait_for 120 "the pod to run" pod_is out Succeeded
}
is_next() { [[ $(job_of "$1") && $(job_of "$1") != "$2" ]]; }

@test "a node that others have made too small for a pod: it runs when they go" {
	external || skip "Slurm $SITE_RELEASE has no external nodes"
	size=$(memory_of) GUEST=$(($(memory_of) / 2))Mi
	guest guest-half
	wait_for 60 "the node to be smaller" is_smaller "$size"
	a_pod later 'exit 0' | sed "s/memory: 16Mi/memory: $((size * 3 / 4))Mi/" | on "$ONE" | create
	wait_for 60 "the pod to be told" pod_says "$TEAM" later 'waits: BadConstraints\|Slurm refuses the job: Requested node configuration is not available'
	[[ ! $(pod_node later) ]]
	kteam delete pod guest-half --grace-period=1 >/dev/null 2>&1
	wait_for 60 "the pod to run" pod_is later Succeeded
	nothing_happened
}
has_cpus() { [[ $(node "$1" CPUTot) = "$2" ]]; }

# in_force SCHEDULER: k8s.yaml as it is now, which has that name
in_force() {
	mark
	as_slurm scontrol reconfigure
	wait_for 60 "the new name to be in force" logged "the bridge for pods of $1 runs"
	wait_for 60 "its pods in view" logged 'bridged pods in view'
}
# mistype: schedulerName
mistype() {
	sed "s/^  schedulerName: $SCHEDULER$/&-typo/" "$SITE/k8s.yaml" >"$SITE/k8s.yaml.cut"
	run ! cmp -s "$SITE/k8s.yaml" "$SITE/k8s.yaml.cut"
	mv "$SITE/k8s.yaml" "$SITE/k8s.yaml.whole" # (bridge_clean puts it back)
	mv "$SITE/k8s.yaml.cut" "$SITE/k8s.yaml"
	in_force "$SCHEDULER-typo"
}
# as_they_were: the jobs $ID and $HELD, the pod of the first, and its node
as_they_were() { job_is "$ID" RUNNING && job_is "$HELD" PENDING && pod_is stays Running && is_taken; }
# (Slurm 25.05 waits after a reconfigure for a slurmd there: docs/versions.md)
is_taken() { nodes_are "$ONE" alloc || { ! site_since 25.11 && nodes_are "$ONE" 'alloc*'; }; }
are_not_as_they_were() { ! as_they_were; }

@test "a schedulerName that is mistyped ends nothing, and all goes on when it is put right" {
	a_pod stays "$UNTIL_GO" | on "$ONE" | create
	a_pod sits 'exit 0' | with job.slurm-k8s.io/sbatch-options '"--hold"' | create
	runs stays
	wait_for 60 "the other to wait" pod_says "$TEAM" sits JobHeldUser
	ID=$(job_of stays) HELD=$(job_of sits)
	uids=$(kteam get pods stays sits -o 'jsonpath={.items[*].metadata.uid}')
	as_they_were
	# (as docs/bridge.md has it)
	[[ $(as_slurm squeue -h -O JobID:12,admin_comment:2100 | grep -c "\"scheduler\":\"$SCHEDULER\"") = 2 ]]
	mistype
	wait_for 60 "the words" logged "2 jobs were made for pods with another schedulerName than \"$SCHEDULER-typo\".* for \"$SCHEDULER\""
	# (their nodes, too, keep what these have: resizeAfter is 20 s)
	run within 45 "a change" are_not_as_they_were
	[[ $status -ne 0 ]]
	[[ $(since_mark | grep -c 'with another schedulerName than') = 1 ]]
	# pods of the name that there is now are served
	SCHEDULER=$SCHEDULER-typo a_pod other 'exit 0' | on "$TWO" | create
	wait_for 120 "a pod of that name to run" pod_is other Succeeded
	# and so it is for an engine that starts anew
	mark
	slurmctld_kill
	slurmctld_start
	wait_for 60 "the words" logged '2 jobs were made for pods with another schedulerName than'
	wait_for 60 "the jobs to be there" as_they_were
	run within 10 "a change" are_not_as_they_were
	[[ $status -ne 0 ]]
	mv "$SITE/k8s.yaml.whole" "$SITE/k8s.yaml"
	in_force "$SCHEDULER"
	[[ $(kteam get pods stays sits -o 'jsonpath={.items[*].metadata.uid}') = "$uids" ]]
	as_they_were
	go_on stays
	wait_for 120 "the pod to end" pod_is stays Succeeded
	wait_for 120 "its job to end" job_is "$ID" COMPLETED
	as_slurm scontrol release "$HELD"
	wait_for 120 "the other to end" pod_is sits Succeeded
	wait_for 120 "its job to end" job_is "$HELD" COMPLETED
	[[ $(jobs_of stays,sits | sort -un | wc -l) -eq 2 ]]
}

@test "a job that ends while schedulerName is mistyped: its pod keeps its room, and goes when the name is put right" {
	external || skip "Slurm $SITE_RELEASE has no external nodes"
	size=$(memory_of) GUEST=$(($(memory_of) / 2))Mi
	a_pod cut "$LONG" | sed "s/memory: 16Mi/memory: $GUEST/" | on "$ONE" | create
	runs cut
	ID=$(job_of cut)
	mistype
	as_slurm scancel "$ID"
	wait_for 60 "its job to end" job_is "$ID" CANCELLED
	pod_is cut Running
	wait_for 120 "its node to be smaller" is_smaller "$size"
	SCHEDULER=$SCHEDULER-typo a_pod late 'exit 0' | sed "s/memory: 16Mi/memory: $((size * 3 / 4))Mi/" | on "$ONE" | create
	wait_for 60 "a pod for which there is no room to be told" pod_says "$TEAM" late 'Slurm'
	[[ ! $(pod_node late) ]]
	kteam delete pod late --wait=false >/dev/null
	mv "$SITE/k8s.yaml.whole" "$SITE/k8s.yaml"
	in_force "$SCHEDULER"
	wait_for 120 "the pod without a job to go" pod_gone cut
	wait_for 120 "the node to be as it was" is_as_large "$size"
}

# as_it_was JOB: held by an admin, and to start anywhere
as_it_was() { [[ $(job "$1" JobState) = PENDING && $(job "$1" Reason) = JobHeldAdmin && $(job "$1" Priority) = 0 && $(job "$1" ReqNodeList) = "(null)" ]]; }
is_other() { ! as_it_was "$1"; }

held_by_admin() { [[ $(job "$1" JobState) = PENDING && $(job "$1" Reason) = JobHeldAdmin && $(job "$1" Priority) = 0 ]]; }

@test "an annotation ends no administrator's hold" {
	a_pod kept 'sleep 1' | with job.slurm-k8s.io/sbatch-options '"--hold"' | kteam create -f - >/dev/null
	wait_for 60 "the pod to be told" pod_says "$TEAM" kept JobHeldUser
	id=$(job_of kept)
	as_slurm scontrol hold "$id"
	wait_for 60 "its job to be held by an administrator" held_by_admin "$id"
	kteam annotate pod kept job.slurm-k8s.io/sbatch-options- >/dev/null
	wait_for 60 "the pod to be told" pod_says "$TEAM" kept 'stays as it is until it is released'
	held_by_admin "$id"
	[[ $(job_of kept) = "$id" ]]
	as_slurm scontrol release "$id"
	wait_for 120 "the pod to end" pod_is kept Succeeded
}

@test "a member of a gang that was forged ends no admin's hold, and pins no job" {
	there_are_podgroups || skip 'this Kubernetes has no PodGroups'
	create <<-Y
	apiVersion: scheduling.k8s.io/v1beta1
	kind: PodGroup
	metadata: {name: loot, annotations: {job.slurm-k8s.io/sbatch-options: "--hold"}}
	spec: {schedulingPolicy: {gang: {minCount: 2}}}
	Y
	# (on the other node: what the forged one takes is no more the gang's)
	for n in 1 2; do a_pod "loot-$n" "$LONG" | on "$TWO" | member loot | create; done
	wait_for 60 "the gang to wait" pod_says "$TEAM" loot-2 JobHeldUser
	id=$(job_of loot)
	as_slurm scontrol hold "$id"
	wait_for 60 "its job to be held by an admin" as_it_was "$id"
	a_pod loot-3 "$LONG" "slurm-k8s.io/job-id: \"$id\", scheduler.slinky.slurm.net/slurm-jobid: \"$id\"" |
		with slurm-k8s.io/job-id "\"$id\"" | member loot | sed "s/^  restartPolicy/  nodeName: $ONE\n&/" | create
	wait_for 120 "the forged one to run" pod_is loot-3 Running
	run within 5 "a change of the job" is_other "$id"
	[[ $status -ne 0 ]]
	# (nor when an engine begins, which may meet jobs that Slurm has forgotten)
	mark
	slurmctld_kill
	slurmctld_start
	PID=$(<"$SITE/slurmctld.pid")
	wait_for 120 "the bridge" logged 'bridged pods in view'
	run within 5 "a change of the job" is_other "$id"
	[[ $status -ne 0 ]]
	[[ ! $(pod_node loot-1) && ! $(pod_node loot-2) ]]
	run logged "is to start on"
	[[ $status -ne 0 ]]
	# those that Slurm starts say so; the other does not, and is nothing to the job
	as_slurm scontrol release "$id"
	wait_for 120 "one to run" pod_is loot-1 Running
	wait_for 120 "the other to run" pod_is loot-2 Running
	[[ $(proof loot-1) = "True $id" && $(proof loot-2) = "True $id" && $(proof loot-3) = " " ]]
	as_user scancel "$id"
	wait_for 120 "one to go" pod_gone loot-1
	wait_for 120 "the other to go" pod_gone loot-2
	pod_is loot-3 Running
	kteam delete pod loot-3 --wait=false >/dev/null
	kteam delete podgroups.scheduling.k8s.io loot --wait=false >/dev/null
}

@test "a pod that its author keeps by a finalizer, and whose init container was killed, keeps no node" {
	a_pod kept "$LONG" '' "$(node "$TWO" CPUTot)" | sed 's|^  labels:|  finalizers: [tests.example.com/keeps]\
&|; s|^  containers:|  initContainers: [{name: first, image: "'"$SITE_IMAGE"'", command: [sleep, "1000"]}]\
&|' | on "$TWO" | create
	begun() { [[ $(kteam get pod kept -o 'jsonpath={.status.initContainerStatuses[0].state.running.startedAt}') ]]; }
	wait_for 120 "its init container" begun
	id=$(job_of kept)
	kteam delete pod kept --wait=false >/dev/null
	wait_for 60 "job $id to end" is_not_running "$id"
	a_pod next 'exit 0' '' "$(node "$TWO" CPUTot)" | on "$TWO" | create
	wait_for 120 "the next pod" pod_is next Succeeded
	[[ $(kteam get pod kept -o 'jsonpath={.metadata.deletionTimestamp} {.status.phase}') = *" Failed" ]]
	kteam patch pod kept --type json -p '[{"op": "remove", "path": "/metadata/finalizers"}]' >/dev/null
}

@test "a pod that ran, and is made so that no parser of ours takes it, keeps no node" {
	a_pod grown 'exit 0' | on "$ONE" | create
	wait_for 120 "the pod to end" pod_is grown Succeeded
	wait_for 60 "its job to end" job_is "$(job_of grown)" COMPLETED
	swell grown
	a_pod next 'exit 0' | on "$ONE" | create
	wait_for 120 "the next pod" pod_is next Succeeded
	[[ $(node "$ONE" State) != *DRAIN* ]]
}

# goes_with_its_job POD: with $id, which is its only one, and the next pod gets its room
goes_with_its_job() {
	as_user scancel "$id"
	wait_for 120 "the pod to go" pod_gone "$1"
	[[ $(jobs_of "$1" | sort -un) = "$id" ]]
	a_pod next 'exit 0' | on "$ONE" | create
	wait_for 120 "the next pod" pod_is next Succeeded
}

# (it was seen waiting for ever: it got a second job, and was never deleted)
@test "a pod that waits, and is made so that no parser of ours takes it, runs by its job and goes with it" {
	a_pod early "$LONG" | with job.slurm-k8s.io/sbatch-options '"--hold"' | on "$ONE" | create
	wait_for 60 "the pod to wait" pod_says "$TEAM" early JobHeldUser
	id=$(job_of early)
	swell early
	as_user scontrol release "$id"
	wait_for 120 "the pod to run" pod_is early Running
	[[ $(proof early) = "True $id" ]]
	job_is "$id" RUNNING
	goes_with_its_job early
}

@test "a pod that an engine has never seen but so goes with its job" {
	a_pod late "$LONG" | on "$ONE" | create
	wait_for 120 "the pod to run" pod_is late Running
	id=$(job_of late)
	swell late
	save_job "$id"
	mark
	slurmctld_kill
	slurmctld_start
	PID=$(<"$SITE/slurmctld.pid")
	wait_for 120 "the bridge" logged 'bridged pods in view'
	run within 10 "an end of its job" is_not_running "$id"
	[[ $status -ne 0 ]]
	pod_is late Running
	goes_with_its_job late
}

# is_drained NODE: and for what (while a job runs there when the node's new size is due, it is
# rightly drained as one with less room, and made anew after it)
is_drained() {
	[[ $(node "$1" State) = *DRAIN* && $(node "$1" Reason) != *"less room than Slurm believes"* ]] || return 1
	echo "$1: $(node "$1" Reason)"
}
is_open() { [[ $(node "$1" State) != *DRAIN* ]]; }
# (it could not be read, and its node was drained; most of it is not looked at)
@test "a pod of others with tens of thousands of values counts for what it holds" {
	external || skip "Slurm $SITE_RELEASE has no external nodes"
	jq -n --arg node "$ONE" '{apiVersion: "v1", kind: "Pod", metadata: {name: "many", labels: {test: "stranger"}}, spec: {
		nodeName: $node, terminationGracePeriodSeconds: 0, tolerations: [range(50001) | {operator: "Exists"}],
		initContainers: [range(1001) | {name: "c\(.)", image: "none", imagePullPolicy: "Never", resources: {requests: {cpu: "1m"}}}],
		containers: [{name: "main", image: "none", imagePullPolicy: "Never"}]}}' >"$SITE/many.json"
	kube create --raw "/api/v1/namespaces/$TEAM/pods" -f "$SITE/many.json" >/dev/null
	run within 10 "a drain" is_drained "$ONE"
	[[ $status -ne 0 ]]
	a_pod next 'exit 0' | on "$ONE" | create
	wait_for 120 "the next pod" pod_is next Succeeded
	run is_drained "$ONE"
	echo "$output"
	[[ $status -ne 0 ]]
	wait_for 60 "jobs to be let in" is_open "$ONE"
	kteam delete pod many --grace-period=0 --force >/dev/null 2>&1
}

# (in its group, and with another job of its user's waiting there, it ran without a time limit and without accounting)
@test "a pod that runs is not moved under another job by its labels" {
	a_pod mover "$LONG" | create
	wait_for 120 "the pod to run" pod_is mover Running
	id=$(job_of mover)
	a_pod await "$LONG" | with job.slurm-k8s.io/sbatch-options '"--hold"' | create
	wait_for 60 "the other to wait" pod_says "$TEAM" await JobHeldUser
	# the coscheduling plugin's label: the name of a group
	kteam label pod mover scheduling.x-k8s.io/pod-group=await >/dev/null
	run within 10 "an end of its job" is_not_running "$id"
	[[ $status -ne 0 ]]
	pod_is mover Running
	[[ $(proof mover) = "True $id" ]]
	# nor does it by an engine that has never seen it otherwise
	slurmctld_kill
	slurmctld_start
	PID=$(<"$SITE/slurmctld.pid")
	a_pod meanwhile 'exit 0' | create
	wait_for 120 "the engine to be at work" pod_is meanwhile Succeeded
	stays 10 state_is "$id" RUNNING
	pod_is mover Running
	as_user scancel "$id"
	wait_for 120 "the pod to go" pod_gone mover
	kteam delete pod await --wait=false >/dev/null
}

@test "nor when Slurm has forgotten the job by which it runs" {
	create <<-Y
	apiVersion: scheduling.x-k8s.io/v1alpha1
	kind: PodGroup
	metadata: {name: crew, annotations: {$SHARED}}
	spec: {minMember: 1}
	Y
	a_pod crew-1 "$LONG" 'scheduling.x-k8s.io/pod-group: crew' | on "$ONE" | create
	a_pod mover "$LONG" | notes "$SHARED" | on "$ONE" | create
	wait_for 120 "the gang to run" pod_is crew-1 Running
	wait_for 120 "the pod to run" pod_is mover Running
	id=$(job_of mover) other=$(job_of crew)
	[[ $(group_of_proof mover) = "True Pod $TEAM "* && $(group_of_proof crew-1) = "True PodGroup $TEAM crew" ]]
	# no engine runs while its job ends, is purged, and its label is changed
	slurmctld_stop
	mv "$SITE/k8s.yaml" "$SITE/k8s.yaml.whole" # (bridge_clean puts it back)
	echo MinJobAge=2 >>"$SITE/slurm.conf"
	slurmctld_start
	as_user scancel "$id"
	wait_for 180 "Slurm to forget job $id" is_forgotten "$id"
	kteam label pod mover scheduling.x-k8s.io/pod-group=crew >/dev/null
	pod_is mover Running
	slurmctld_stop
	sed -i '/^MinJobAge=2$/d' "$SITE/slurm.conf"
	mv "$SITE/k8s.yaml.whole" "$SITE/k8s.yaml"
	slurmctld_start
	PID=$(<"$SITE/slurmctld.pid")
	# it gets a job of its own again, as any that runs when its job is not known
	wait_for 60 "its job" has_another_job mover "$id"
	[[ $(job_of mover) != "$other" ]]
	as_user scancel "$(job_of mover)"
	wait_for 120 "the pod to go" pod_gone mover
	# (it never had the other job)
	run logged "job $other: has .* pods that run"
	[[ $status -ne 0 ]]
	job_is "$other" RUNNING
	pod_is crew-1 Running
	kteam delete pod crew-1 --wait=false >/dev/null
	kteam delete podgroups.scheduling.x-k8s.io crew --wait=false >/dev/null
}
has_another_job() { [[ $(job_of "$1") && $(job_of "$1") != "$2" ]]; }
is_forgotten() { ! as_user scontrol show job "$1" >/dev/null 2>&1; }
group_of_proof() { kteam get pod "$1" -o 'jsonpath={.status.conditions[?(@.type=="slurm-k8s.io/group")].status} {.status.conditions[?(@.type=="slurm-k8s.io/group")].message}'; }
is_not_running() { [[ $(job "$1" JobState) != RUNNING ]]; }
# member GROUP: the pods of the input are its
member() { sed "s/^  restartPolicy/  schedulingGroup: {podGroupName: $1}\n&/"; }
proof() { kteam get pod "$1" -o 'jsonpath={.status.conditions[?(@.type=="slurm-k8s.io/job")].status} {.status.conditions[?(@.type=="slurm-k8s.io/job")].message}'; }

@test "pods that are created and deleted in a loop leave room in Slurm for everybody else" {
	slurmctld_stop
	cp "$SITE/k8s.yaml" "$SITE/k8s.yaml.whole" # (bridge_clean puts it back)
	sed -i "s/^    $TEAM:$/    $POOR:\n      user: $SITE_USER\n&/" "$SITE/k8s.yaml"
	# half is for pods, and of that half for one namespace
	echo MaxJobCount=200 >>"$SITE/slurm.conf"
	mark
	slurmctld_start
	PID=$(<"$SITE/slurmctld.pid")
	for round in 1 2 3; do
		for n in {1..30}; do a_pod "gone-$round-$n" 'exit 0'; done | notes 'job.slurm-k8s.io/sbatch-options: "--hold"' | kteam create -f - >/dev/null
		wait_for 60 "the last of them" has_job_or_words "gone-$round-30"
		kteam delete pods -l test=bridge --wait=false --grace-period=1 >/dev/null
	done
	wait_for 60 "all their jobs to have ended" no_jobs
	(($(jobs_since_begin) <= 50))
	a_pod late 'exit 0' | create
	wait_for 60 "the words" pod_says "$TEAM" late "has as many jobs in Slurm as it may have, .* MaxJobCount (200)"
	logged "bridge: namespace $TEAM has as many jobs in Slurm as it may have"
	[[ ! $(job_of late) ]]
	# sbatch is not refused, nor is another namespace
	submit -p k8s --hold --wrap true
	a_pod other 'exit 0' | kube -n "$POOR" create -f - >/dev/null
	wait_for 60 "a job of another namespace" has_job other
	# another MaxJobCount: Slurm has not forgotten these
	slurmctld_stop
	sed -i '/^MaxJobCount=200$/d' "$SITE/slurm.conf"
	slurmctld_start
	PID=$(<"$SITE/slurmctld.pid")
	wait_for 120 "the pod to have had its turn" pod_is late Succeeded
}
has_job_or_words() { has_job "$1" || pod_says "$TEAM" "$1" MaxJobCount; }
jobs_since_begin() { as_user squeue -h -t all -o %A | awk -v before="${BEFORE:-0}" '$1 + 0 > before + 0' | wc -l; }
