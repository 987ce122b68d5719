# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One cluster and one site for all files. The site's pods that must never run
# ("bulk") have a scheduler that is not there. SITE_POOL: pods run only on nodes that
# script/test has reserved under this name. SITE_API: it has an API server of its own,
# that with this number, 2 to 9 (script/cluster).

setup_suite() {
	local top
	top=$(dirname "$(dirname "$BATS_TEST_DIRNAME")")
	export TOP=$top
	# shellcheck source=script/lib/site.sh
	. "$TOP/script/lib/site.sh"
	export E2E_CLUSTER_UP=
	# (3: it is down. One that runs may have a node that is not ready: another
	# suite's test, beside this one)
	local rc=0
	"$TOP/script/cluster" status >/dev/null 2>&1 || rc=$?
	if ((rc == 3)); then
		"$TOP/script/cluster" up --nodes 2 3>&- 9>&- >&2
		E2E_CLUSTER_UP=1
	fi
	export SITE_KUBE=${SLURM_K8S_CLUSTER_DIR:-/var/lib/slurm-k8s-cluster}/admin.kubeconfig
	# (what kubectl keeps of an API goes with the cluster: the next one has the same address)
	export KUBECACHEDIR=${SITE_KUBE%/*}/kubectl-cache
	if [[ ${SITE_API:-} ]]; then
		"$TOP/script/cluster" api-start "$SITE_API" 3>&- 9>&- >&2
		SITE_KUBE=${SITE_KUBE/%.kubeconfig/-$SITE_API.kubeconfig}
	fi
	site_image
	export SITE_RELEASE SITE_BUILD SITE_IMAGE=localhost/slurmd:$SITE_SUITE SITE_IP=10.89.0.1 PATH=${SITE_KUBE%/*}/bin:$PATH
	site_prepare
	export SITE SITE_NS SITE_PORT SITE_BIN
	[[ ! ${SITE_POOL:-} ]] || sed -i "s#^spec:#&\n  nodeSelector: {slurm-k8s.io/tests: $SITE_POOL}\n  tolerations: [{key: slurm-k8s.io/tests, value: $SITE_POOL}]#" "$SITE/worker.yaml"
	# (idle~ comes from the engine, not when this has passed. Without it there is
	# nothing else to wait for.)
	put "$SITE/slurm.conf" SuspendTimeout=30 "SuspendTimeout=$([[ ${E2E_NO_ENGINE:-} ]] && echo 20 || echo 60)"
	put "$SITE/slurm.conf" ResumeTimeout=300 ResumeTimeout=180
	put "$SITE/k8s.yaml" 'coolDown: 30s' 'coolDown: 2s'
	put "$SITE/k8s.yaml" 'coolDownMax: 10m' 'coolDownMax: 4s'
	cat >>"$SITE/slurm.conf" <<-C
	NodeName=bulk-[0-199] CPUs=1 RealMemory=64 State=CLOUD
	NodeName=bad-[0-1] CPUs=1 RealMemory=64 State=CLOUD
	NodeName=bad-[2-3] CPUs=2 RealMemory=64 State=CLOUD
	NodeName=far-[0-1] CPUs=1 RealMemory=64 State=CLOUD
	NodeName=slow-0 CPUs=1 RealMemory=64 State=CLOUD
	NodeName=lost-0 CPUs=1 RealMemory=64 State=CLOUD
	PartitionName=bulk Nodes=bulk-[0-199] State=UP
	PartitionName=bad Nodes=bad-[0-3] State=UP ResumeTimeout=120
	PartitionName=far Nodes=far-[0-1] State=UP
	PartitionName=slow Nodes=slow-0 State=UP ResumeTimeout=20
	C
	cat >>"$SITE/k8s.yaml" <<-Y

	  - name: bulk
	    cluster: prod
	    nodes: bulk-[0-199]
	    resources: template
	    failover: {unschedulableAfter: 600s}
	    podTemplate:
	      spec:
	        schedulerName: nobody
	        terminationGracePeriodSeconds: 1
	        containers: [{name: slurmd, image: localhost/none}]

	  - name: bad
	    cluster: prod
	    nodes: bad-[0-3]
	    resources: template             # two sites share four CPUs
	    podTemplateFile: bad.yaml
	    failover: {unschedulableAfter: 6s, notStartedAfter: 10s, registerWithin: 30s}
	    maxUnavailable: 1

	  - name: slow
	    cluster: prod
	    nodes: slow-0
	    resources: template
	    podTemplateFile: bad.yaml
	    failover: {notStartedAfter: 1h}
	Y
	cp "$SITE/worker.yaml" "$SITE/bad.yaml"
	# the control of script/test: without the engine its tests must fail
	[[ ! ${E2E_NO_ENGINE:-} ]] || sed -i '/^PluginDir=/d' "$SITE/slurm.conf"
	slurmctld_start
}

teardown_suite() {
	local rc=0
	. "$TOP/script/lib/site.sh"
	if [[ ${E2E_KEEP_LOGS:-} ]]; then cp -r "$SITE/log" "$E2E_KEEP_LOGS"; fi
	SITE_KUBE=${SITE_KUBE%/*}/admin.kubeconfig
	[[ ! -s $SITE/cordoned ]] || kube uncordon "$(<"$SITE/cordoned")" >/dev/null || true
	site_down || rc=1
	[[ ! ${SITE_API:-} ]] || "$TOP/script/cluster" api-stop "$SITE_API" >/dev/null
	[[ ! $E2E_CLUSTER_UP ]] || "$TOP/script/cluster" down >/dev/null
	return "$rc"
}
