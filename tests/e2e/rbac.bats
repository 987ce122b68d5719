# SPDX-License-Identifier: GPL-2.0-or-later
setup() { load common.bash; }

@test "the programs' roles grant exactly the verbs that are used" {
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

@test "the bridge's role grants exactly the verbs that the bridge uses" {
	local f=$BATS_TEST_TMPDIR/bridge.yaml
	sed -e "s/^\( *namespace:\) slurm$/\1 $SITE_NS/" -e "s/^\( *name: slurmctld-bridge\)$/\1-$SITE_NS/" \
		"$TOP/etc/kubernetes/bridge.yaml" >"$f"
	kube apply -f "$f" >/dev/null
	can() { kube auth can-i "$@" -n default --as="system:serviceaccount:$SITE_NS:slurmctld"; }
	cannot() { if can "$@"; then return 1; fi; }
	for verb in list watch delete; do can $verb pods; done
	can create pods --subresource=binding
	can patch pods --subresource=status
	can create events
	# (kubectl asks only about what the API server has)
	allowed() { # VERB GROUP RESOURCE
		kube create -f - -o 'jsonpath={.status.allowed}' <<-Y
		apiVersion: authorization.k8s.io/v1
		kind: SubjectAccessReview
		spec:
		  user: system:serviceaccount:$SITE_NS:slurmctld
		  resourceAttributes: {verb: $1, group: "$2", resource: $3, namespace: default}
		Y
	}
	while read -r group resource; do
		for verb in list watch; do [[ $(allowed $verb "$group" "$resource") = true ]]; done
		for verb in get create update patch delete; do [[ $(allowed $verb "$group" "$resource") = false ]]; done
	done <<-L
	batch jobs
	scheduling.x-k8s.io podgroups
	scheduling.k8s.io podgroups
	scheduling.k8s.io workloads
	leaderworkerset.x-k8s.io leaderworkersets
	jobset.x-k8s.io jobsets
	L
	for verb in list watch; do can $verb namespaces; done
	for verb in get create update patch delete; do cannot $verb namespaces; done
	for verb in get create update patch deletecollection; do cannot $verb pods; done
	for verb in get list watch update patch delete; do cannot $verb events; done
	for verb in get create update; do cannot $verb pods --subresource=status; done
	cannot get secrets
	kube delete -f "$f" >/dev/null
}
