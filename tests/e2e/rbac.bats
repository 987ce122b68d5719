# SPDX-License-Identifier: GPL-2.0-or-later
setup() { load common.bash; }

@test "etc/kubernetes grants exactly the verbs that are used" {
	can() { kube auth can-i "$@" -n "${NS:-$SITE_NS}" --as="system:serviceaccount:$SITE_NS:slurmctld"; }
	# (a command after "!" fails no test)
	cannot() { if can "$@"; then return 1; fi; }
	for verb in create get delete list watch; do can $verb pods; done
	can list events
	for verb in update patch deletecollection; do cannot $verb pods; done
	for verb in get create update patch delete watch; do cannot $verb events; done
	for verb in create get update; do can $verb leases.coordination.k8s.io; done
	for verb in list watch patch delete deletecollection; do cannot $verb leases.coordination.k8s.io; done
	cannot get secrets
	for verb in list watch; do can $verb nodes; done
	for verb in get create update patch delete; do cannot $verb nodes; done
	NS=default cannot get pods
}
