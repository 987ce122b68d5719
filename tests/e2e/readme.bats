# SPDX-License-Identifier: GPL-2.0-or-later
#
# README's "On a real cluster", as written: its sh blocks in their order, with
# paths, namespace and service put in place (each replacement must match). What
# the README asks a person to do between them is what site.sh does too.

BLOCKS=9

setup_file() { export BATS_TEST_TIMEOUT=1500; }

setup() {
	load common.bash
	! site_in_tree || skip "the README is for Debian 12 and its Slurm"
	MUNGE_KEY=$SITE/munge/munge.key
	W=$SITE/readme
	mkdir "$W" "$W/log" "$W/state"
	chown slurm: "$W/log" "$W/state"
	ln -s ../munge "$W/munge"
	# from here on the site is README's: a controller of its own
	export SITE=$W SITE_NS=$SITE_NS-readme-$BATS_TEST_TRY_NUMBER SITE_BIN=$W/root/usr/libexec/slurm-k8s
	export KUBECONFIG=$SITE_KUBE SLURM_CONF=$W/slurm.conf
	SITE_PORT=$(free_port)
	export SITE_PORT
	cp -r "$TOP/etc/kubernetes" "$W/kubernetes"
	sed -i "s/^\( *namespace:\) slurm$/\1 $SITE_NS/" "$W"/kubernetes/*.yaml
	put "$W/kubernetes/namespace.yaml" 'name: slurm' "name: $SITE_NS"
	extract
}

teardown() {
	[[ ${W:-} && $SITE = "$W" ]] || return 0
	slurmctld_stop
	if [[ ! ${BATS_TEST_COMPLETED:-} ]]; then tail -n 30 "$W"/log/*.log || true; fi
	kns delete pods --all --grace-period=1 >/dev/null 2>&1 || true
	kube delete clusterrole,clusterrolebinding slurmctld-sees-nodes >/dev/null 2>&1 || true
	kube delete namespace "$SITE_NS" --wait=false >/dev/null 2>&1 || true
	rm -rf --one-file-system "$W"
}

# $W/block-0 ... of README.md
extract() {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$TOP/tests/tools python3 - "$TOP/README.md" "$W" <<-'P'
	import sys
	import check_docs
	with open(sys.argv[1], encoding="utf-8") as f:
	    for n, block in enumerate(check_docs.blocks(f.read())):
	        with open(f"{sys.argv[2]}/block-{n}", "w", encoding="utf-8") as out:
	            out.write(block)
	P
}

# block N: run it as a person would, but stop at the first failure
block() {
	echo "--- block $1"
	cat "$W/block-$1"
	cd "$TOP" || return
	# nothing of this machine's own may be left in it
	! sed "s|$SITE_BIN||g; s|$W||g; s|$SITE_NS||g" "$W/block-$1" |
		grep -nE '/etc/|/usr/lib|-n slurm |namespace: slurm$|systemctl|-C build' || return
	# (block 0 compiles everything, beside all else)
	timeout 900 bash -eo pipefail "$W/block-$1" 3>&- 2>&1
}

namespace_is_gone() { [[ ! $(kube get namespace "$SITE_NS" --ignore-not-found -o name) ]]; }
in_block() { put "$W/block-$1" "$2" "$3"; }

@test "README's commands, as written, end with its job in its pods" {
	[[ $(find "$W" -name 'block-*' | wc -l) -eq $BLOCKS ]]

	# 1. build and install
	in_block 0 'apt-get install' 'apt-get install -y --no-upgrade'
	in_block 0 build-release "$W/build-release"
	in_block 0 'ninja -C' "DESTDIR=$W/root ninja -C"
	block 0
	[[ -x $SITE_BIN/k8s_resume ]]

	# 2. to 5. what Kubernetes must have, and a kubeconfig
	in_block 1 etc/kubernetes "$W/kubernetes"
	block 1
	in_block 2 '-n slurm ' "-n $SITE_NS "
	in_block 2 /etc/munge/munge.key "$MUNGE_KEY"
	block 2
	in_block 3 'namespace: slurm' "namespace: $SITE_NS"
	in_block 3 '-n slurm ' "-n $SITE_NS "
	block 3
	in_block 4 /etc/slurm/ "$W/"
	in_block 4 '-n slurm ' "-n $SITE_NS "
	block 4
	[[ $(stat -c '%U %a' "$W/kubeconfig") = 'slurm 600' ]]

	# 7. and 8. the examples, with our addresses and image, and a restart
	in_block 5 /etc/slurm/ "$W/"
	block 5
	cmp etc/k8s.yaml.example "$W/k8s.yaml"
	cmp etc/worker.yaml.example "$W/worker.yaml"
	site_configuration
	in_block 6 'systemctl restart slurmctld' ". '$TOP/script/lib/site.sh'; slurmctld_stop; slurmctld_start"
	block 6

	# 9. a dry run, judged by the API server
	in_block 7 /usr/libexec/slurm-k8s "$SITE_BIN"
	run block 7
	echo "$output"
	[[ $status -eq 0 && $output = *"pod/cpu-0 created (server dry run)"* ]]
	pods_are 0

	# 10. nothing is wrong, and the job
	run env SLURM_CONF="$W/slurm.conf" "$W/root/usr/sbin/slurm-k8s" check
	echo "$output"
	# (the prolog of the tests is a script that calls ours)
	[[ $status -eq 0 && $output = *" in order, 1 warnings, 0 wrong, 0 unknown, 2 skipped" ]]
	[[ $output = *"skipped  volumes "*"Secret munge: could not be looked at"* ]]
	[[ $output = *"warning  PrologSlurmctld "*"is not k8s_prolog"* ]]
	in_block 8 '-n slurm ' "-n $SITE_NS "
	run block 8
	echo "$output"
	[[ $status -eq 0 ]]
	id=$(sed -n 's/^Submitted batch job //p' <<<"$output")
	wait_for 90 "job $id to complete" job_is "$id" COMPLETED
	pods_are 2
	out=$(kns exec "$(job "$id" BatchHost)" -- cat "/tmp/slurm-$id.out")
	[[ $(sort <<<"$out") = $'cpu-0\ncpu-1' ]]

	# and what is in Kubernetes goes, as docs/upgrade.md removes it
	slurmctld_stop
	kube delete -k "$W/kubernetes" --ignore-not-found --wait=false
	run ! kube get clusterrole slurmctld-sees-nodes
	wait_for 120 "the namespace to go" namespace_is_gone
}
