# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmctld's log, for tests that look what it says.
CTLD_LOG=$SITE/log/slurmctld.log

# logged PATTERN: since the last mark
mark() { MARK=$(wc -l <"$CTLD_LOG"); }
since_mark() { tail -n "+$((MARK + 1))" "$CTLD_LOG"; }
logged() { since_mark | grep -q "$1"; }
# until_logged SECONDS PATTERN: the same, as soon as it says so (see within())
until_logged() {
	local fd rc=0
	exec {fd}< <(exec tail -n "+$((MARK + 1))" -f "$CTLD_LOG" 2>/dev/null 3>&- 9>&-)
	timeout "$1" grep -q "$2" <&"$fd" || rc=1
	kill "$!" 2>/dev/null || true
	exec {fd}<&-
	return "$rc"
}

# The engine works beside a program that a test runs, if that takes long: after 15 s it makes
# a missing pod, and after 20 s deletes one of a node that Slurm has powered down.
made_by_engine() { since_mark | grep -c 'k8s: bulk-[0-9]*: pod .* created'; }
orphans() { since_mark | sed -n 's/.*k8s: \([^ ]*\): pod .* is deleted (orphan).*/\1/p' | sort -u; }
# with_pods [LABEL]: nodes that have pods, or had them until then; a line each
with_pods() {
	{
		kns get pods ${1:+-l "$1"} -o 'jsonpath={range .items[*]}{.metadata.labels.slurm-k8s\.io/node}{"\n"}{end}'
		orphans
	} | sort -u
}

# swell_in NAMESPACE NAME [FILTER]: no parser of ours takes that pod any more; and that of jq is
# applied to it. The log and an Event say so.
swell_in() {
	kube -n "$1" get pod "$2" -o json | jq "del(.metadata.resourceVersion) | .spec.tolerations += [range(50001) | {operator: \"Exists\"}] | ${3:-.}" >"$SITE/$2.json"
	kube replace --raw "/api/v1/namespaces/$1/pods/$2" -f "$SITE/$2.json" >/dev/null
	wait_for 60 "the word" logged "pods: $1/$2: "
	wait_for 60 "an Event" has_event "$1" "$2" NotRead
}
has_event() { kube -n "$1" get events --field-selector "involvedObject.name=$2" | grep -q "$3"; }
