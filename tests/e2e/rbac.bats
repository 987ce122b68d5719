# SPDX-License-Identifier: GPL-2.0-or-later
setup() { load common.bash; }

@test "etc/kubernetes grants exactly the verbs that are used" {
	can() { kube auth can-i "$@" -n "${NS:-$SITE_NS}" --as="system:serviceaccount:$SITE_NS:slurmctld"; }
	# (a command after "!" fails no test)
	cannot() { if can "$@"; then return 1; fi; }
	for verb in create get delete list watch patch; do can $verb pods; done
	for verb in create list watch; do can $verb events; done
	for verb in create get update; do can $verb leases.coordination.k8s.io; done
	can create poddisruptionbudgets.policy
	for verb in list watch; do can $verb nodes; done
	for verb in update deletecollection; do cannot $verb pods; done
	for verb in get update patch delete; do cannot $verb events; done
	for verb in list watch patch delete deletecollection; do cannot $verb leases.coordination.k8s.io; done
	for verb in get list watch update patch delete; do cannot $verb poddisruptionbudgets.policy; done
	for verb in get create update patch delete; do cannot $verb nodes; done
	cannot get secrets
	NS=default cannot get pods
}
