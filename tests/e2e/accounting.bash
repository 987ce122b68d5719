# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The bridge's site with slurmdbd, and who has which accounts and QOS there.
# shellcheck source=tests/e2e/bridge.bash
. "$TOP/tests/e2e/bridge.bash"
# shellcheck source=script/lib/site-dbd.sh
. "$TOP/script/lib/site-dbd.sh"

needs_dbd() { site_has_dbd || skip "there is no slurmdbd of Slurm $SITE_RELEASE here"; }

accounting_up() {
	site_dbd_up
	accounts add cluster cluster
	accounts add qos low,fast,gold
	accounts add qos spare PreemptMode=cancel
	accounts add qos high Preempt=low,spare
	accounts add account chem,bio,theirs
	accounts add account tight GrpJobs=1
	accounts add account few GrpSubmitJobs=1
	accounts add account short GrpJobs=1 MaxWall=30
	accounts add user "$SITE_USER" Account=chem,bio,tight,few,short DefaultAccount=chem QOS=normal,low,spare,fast,high DefaultQOS=normal
	export BRIDGE_CONF="$SITE_DBD_CONF
KillWait=7
AccountingStorageEnforce=associations,limits,qos
EnforcePartLimits=ALL
PreemptType=preempt/qos
PreemptMode=REQUEUE
PartitionName=theirs Nodes=ALL AllowAccounts=theirs
PartitionName=denied Nodes=ALL DenyAccounts=chem
PartitionName=quick Nodes=ALL AllowQos=fast"
	export BRIDGE_TEAM="allow: [account, qos, user-id, partition]
      users: [games]"
	bridge_up
}

accounting_down() {
	slurmctld_stop
	site_dbd_down
	bridge_down
}

# asks 'NAME: VALUE': an annotation of slurm-bridge, put into a pod's YAML
asks() { notes "slurmjob.slinky.slurm.net/$1"; }

sacct_has() { [[ $(as_user sacct -X -n -P -j "$1" -o user,account,qos,state,exitcode) = "$2" ]]; }
