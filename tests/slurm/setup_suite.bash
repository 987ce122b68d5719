# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One private Slurm for all files here, without Kubernetes: slurmctld, and where
# Slurm has no external nodes a slurmd for the hybrid node "hyb0".

setup_suite() {
	local top
	top=$(dirname "$(dirname "$BATS_TEST_DIRNAME")")
	export TOP=$top SITE_KUBE=none SITE_IP=127.0.0.1
	# shellcheck source=tests/slurm/site.bash
	. "$TOP/tests/slurm/site.bash"
	export SITE SITE_PORT SITE_RELEASE SITE_BUILD
	plain_site_up
}

teardown_suite() {
	# shellcheck source=tests/slurm/site.bash
	. "$TOP/tests/slurm/site.bash"
	if [[ ${E2E_KEEP_LOGS:-} ]]; then cp -r "$SITE/log" "$E2E_KEEP_LOGS"; fi
	plain_site_down
}
