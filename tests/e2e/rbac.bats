# SPDX-License-Identifier: GPL-2.0-or-later
setup() {
	load common.bash
	WANT=$BATS_TEST_TMPDIR/want
}
teardown() {
	local green=green-$SITE_NS today=today-$SITE_NS
	[[ -d $BATS_TEST_TMPDIR/w ]] || return 0
	kube delete clusterrole,clusterrolebinding {sees-nodes,bridge}-"$today"{,-"$green"} --ignore-not-found >/dev/null
	kube delete namespace "$green" "$today" --ignore-not-found --wait=false >/dev/null
}

# may true|false VERBS RESOURCE[.GROUP][/SUBRESOURCE] [NAMESPACE]: what granted() is to find
may() { for verb in $2; do echo "$verb $3 ${4:-$SITE_NS} $1"; done >>"$WANT"; }

# All that in one request each, but of one kubectl
# shellcheck disable=SC2094 # WANT is read only
granted() {
	local verb what ns rest group resource
	while read -r verb what ns rest; do
		IFS=. read -r resource group <<<"${what%%/*}"
		cat <<-Y
		---
		apiVersion: authorization.k8s.io/v1
		kind: SubjectAccessReview
		spec:
		  user: system:serviceaccount:$SITE_NS:slurmctld
		  resourceAttributes: {verb: $verb, group: "$group", resource: $resource, subresource: "$([[ $what != */* ]] || echo "${what#*/}")", namespace: $ns}
		Y
	done <"$WANT" | kube create -f - -o 'jsonpath={.status.allowed}{"\n"}' | paste -d ' ' <(cut -d ' ' -f 1-3 "$WANT") - >"$WANT.found"
	diff "$WANT" "$WANT.found"
}

@test "the programs' roles grant exactly the verbs that are used" {
	may true "create get delete list watch patch" pods
	may true "create list watch" events
	may true "create get update" leases.coordination.k8s.io
	may true create poddisruptionbudgets.policy
	may true "list watch" nodes
	may false "update deletecollection" pods
	may false "get update patch delete" events
	may false "list watch patch delete deletecollection" leases.coordination.k8s.io
	may false "get list watch update patch delete" poddisruptionbudgets.policy
	may false "get create update patch delete" nodes
	may false get secrets
	may false get pods default
	granted
}

@test "the bridge's role grants exactly the verbs that the bridge uses" {
	local f=$BATS_TEST_TMPDIR/bridge.yaml
	sed -e "s/^\( *namespace:\) slurm$/\1 $SITE_NS/" -e "s/^\( *name: slurmctld-bridge\)$/\1-$SITE_NS/" \
		"$TOP/etc/kubernetes/bridge.yaml" >"$f"
	kube apply -f "$f" >/dev/null
	may true "get list watch delete" pods default
	may true create pods/binding default
	may true patch pods/status default
	may true create events default
	for kind in jobs.batch podgroups.scheduling.{x-k8s.io,volcano.sh} {podgroups,workloads}.scheduling.k8s.io \
		leaderworkersets.leaderworkerset.x-k8s.io jobsets.jobset.x-k8s.io; do
		may true "list watch" "$kind" default
		may false "get create update patch delete" "$kind" default
	done
	may true patch podgroups.scheduling.k8s.io/status default
	may false "get create update" podgroups.scheduling.k8s.io/status default
	may false patch podgroups.scheduling.x-k8s.io/status default
	may true "create get" leases.coordination.k8s.io default
	may false "list watch update patch delete" leases.coordination.k8s.io default
	may true "get patch" nodes
	may false "create update delete" nodes
	may true "list watch" namespaces default
	may false "get create update patch delete" namespaces default
	may false "create update patch deletecollection" pods default
	may false "get list watch update patch delete" events default
	may false "get create update" pods/status default
	may false get secrets default
	granted
	kube delete -f "$f" >/dev/null
}

# allowed USER KUBECTL-ARGUMENT...: what "kubectl auth can-i" says
allowed() { kube auth can-i --as "system:serviceaccount:$1" "${@:2}" 2>/dev/null; }
# of_the_cluster: objects of no namespace, of the manifests of the input
of_the_cluster() { kube create --dry-run=client -o name -f - | grep -E '^clusterrole(binding)?\.' | sort; }

# (with other names for what is "slurm" and "slurmctld-..." there: other tests have these here)
@test "the rights of a second Slurm cluster, as production.md has them: today's stay, and it has its own before they go" {
	local w=$BATS_TEST_TMPDIR/w green=green-$SITE_NS
	local new=$green:slurmctld-$green today=today-$SITE_NS:slurmctld
	mkdir -p "$w/etc"
	cp -r "$TOP/etc/kubernetes" "$w/etc"
	sed -i -E "s/slurmctld-(bridge|sees-nodes)/\1-today-$SITE_NS/; s/^( *namespace:|  name:) slurm$/\1 today-$SITE_NS/" "$w"/etc/kubernetes/*.yaml
	sed -n '/^mkdir green/,/^kubectl apply -k green/p' "$TOP/docs/production.md" |
		sed "s/slurm-green/$green/; s/nameSuffix: .*/&-$SITE_NS/; s#^kubectl apply#kubectl --kubeconfig '$SITE_KUBE' apply#" >"$w/recipe"
	kube apply -k "$w/etc/kubernetes" >/dev/null
	kube apply -f "$w/etc/kubernetes/bridge.yaml" >/dev/null
	(cd "$w" && bash -eu recipe)
	kube kustomize "$w/green" | of_the_cluster >"$w/green.names"
	{ kube kustomize "$w/etc/kubernetes" && echo --- && cat "$w/etc/kubernetes/bridge.yaml"; } | of_the_cluster >"$w/today.names"
	[[ $(wc -l <"$w/green.names") -eq 4 && $(wc -l <"$w/today.names") -eq 4 ]]
	[[ ! $(comm -12 "$w/green.names" "$w/today.names") ]]
	for who in "$new" "$today"; do
		[[ $(allowed "$who" list nodes) = yes && $(allowed "$who" create pods --subresource=binding -n default) = yes ]]
		[[ $(allowed "$who" create pods -n "${who%:*}") = yes ]]
	done
	[[ $(allowed "$new" create pods -n "today-$SITE_NS") = no && $(allowed "$today" create pods -n "$green") = no ]]
	# from today's names to the new ones: the last command of that paragraph
	kube delete clusterrolebinding {sees-nodes,bridge}-"today-$SITE_NS" >/dev/null
	[[ $(allowed "$new" list nodes) = yes && $(allowed "$new" create pods --subresource=binding -n default) = yes ]]
	[[ $(allowed "$today" list nodes) = no ]]
}
