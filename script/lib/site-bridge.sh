# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a site needs for Kubernetes pods in Slurm's queue (docs/bridge.md): on
# nodes without slurmd (from 25.05 on), or with one, of this machine. After site.sh.

site_has_external() { site_since 25.05; }
# placeholders are batch jobs
site_has_batch() { site_since 23.11 && ! site_since 25.05; }

# The rights of the bridge, in all namespaces
site_bridge_rights() {
	sed -e "s/^\( *namespace:\) slurm$/\1 $SITE_NS/" \
		-e "s/^\( *name: slurmctld-bridge\)$/\1-$SITE_NS/" "$TOP/etc/kubernetes/bridge.yaml" >"$SITE/bridge.yaml"
	kube apply -f "$SITE/bridge.yaml" >/dev/null
}

site_bridge_rights_end() { [[ ! -e $SITE/bridge.yaml ]] || kube delete -f "$SITE/bridge.yaml" >/dev/null 2>&1 || true; }

# site_hybrid_up CONF NODE...: their slurmds, by that slurm.conf
site_hybrid_up() {
	local conf=$1 n
	shift
	for n; do
		(exec_inside slurmd -D -N "$n" -f "$conf") >>"$SITE/log/slurmd.out" 2>&1 </dev/null 3>&- 9>&- &
		echo $! >"$SITE/$n.pid"
	done
}

# site_hybrid_paths FILE: each slurmd of this machine with its own
site_hybrid_paths() {
	mkdir -p "$SITE/spool"
	sed -i "s#^SlurmdSpoolDir=.*#SlurmdSpoolDir=$SITE/spool/%n#" "$1"
	printf '%s\n' "SlurmdLogFile=$SITE/log/%n.log" "SlurmdPidFile=$SITE/spool/%n.pid" >>"$1"
}

# site_hybrid_nodes NODES NUMBER: the line of slurm.conf for so many
site_hybrid_nodes() {
	local ports i
	for ((i = 0; i < $2; i++)); do ports+=${ports:+,}$(free_port); done
	echo "NodeName=$1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[$ports] CPUs=2 RealMemory=1000"
}
