# SPDX-License-Identifier: GPL-2.0-or-later
"""The cluster of fault_engine.c: what is in it at first, what changes, and how
it fails. {"play": ["begin", N, SPEED]} of /_control, then ["change", N] and
["restore", N]; N is the round."""

LABEL = "slurm-k8s.io/"


def node(name, **spec):
    return {"resource": "nodes", "object": {
        "kind": "Node", "spec": spec,
        "metadata": {"name": name, "uid": "u-" + name, "labels": {"slurm": ""}},
        "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "110"},
                   "conditions": [{"type": "Ready", "status": "True"}]}}}


def bridged(name, spec=None, **meta):
    """A pod that waits in Slurm's queue."""
    containers = [{"name": "c", "resources": {"requests": {"cpu": "1", "memory": "64Mi"}}}]
    return {"resource": "pods", "object": {
        "kind": "Pod", "metadata": {"name": name, "namespace": "team-a", **meta},
        "spec": {"schedulerName": "slurm-bridge-scheduler", "restartPolicy": "Never",
                 "containers": containers, **(spec or {})},
        "status": {"phase": "Pending"}}}


def of_job(name, job):
    return bridged(name, annotations={"job.slurm-k8s.io/gang": "true"}, ownerReferences=[
        {"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": "0-" + job,
         "controller": True}])


def of_group(name, group):
    return bridged(name, {"schedulingGroup": {"podGroupName": group}})


def worker(slurm_node, runs):
    """The pod that is a node of Slurm: its slurmd runs, or not any more."""
    state = ({"running": {"startedAt": "2026-01-02T03:04:05Z"}} if runs else
             {"terminated": {"exitCode": 1, "reason": "Error"}})
    return {"resource": "pods", "object": {
        "kind": "Pod",
        "metadata": {"name": slurm_node, "namespace": "ns", "labels": {
            LABEL + "cluster": "test", LABEL + "node": slurm_node, LABEL + "nodeset": "cpu"}},
        "spec": {"nodeName": "w-1", "containers": [{"name": "slurmd"}]},
        "status": {"phase": "Running" if runs else "Failed",
                   "containerStatuses": [{"name": "slurmd", "state": state}]}}}


def named(resource, name, spec, **meta):
    return {"resource": resource,
            "object": {"metadata": {"name": name, "uid": "0-" + name, **meta}, "spec": spec}}


def fails(path, percent, what, **more):
    return {"path": path, "percent": percent, "do": what, **more}


# (all of it is tried again: none of it ends a round)
RULES = [
    fails("binding", 10, "status", code=409),
    fails("binding", 2, "status", code=403),
    fails("events$", 2, "status", code=403),
    fails("leases", 2, "status", code=409),
    fails("watch=1", 3, "stream", steps=[{"gone": True}]),
    fails("watch=1", 2, "stream", steps=[{"silent": 3}]),
    fails(".", 1, "lost"),
    fails(".", 1, "reset"),
    fails(".", 1, "status", code=429, headers={"Retry-After": 1}),
]

GROUPS = [
    named("namespaces", "team-a", {}),
    named("jobs", "train", {"parallelism": 2, "completions": 2}, namespace="team-a"),
    named("podgroups", "all", {"schedulingPolicy": {"gang": {"minCount": 2}}},
          namespace="team-a"),
]


def begin(n, speed):
    return {"reset": True, "seed": n, "rules": [dict(r) for r in RULES], "cluster": {
        "speed": speed, "run_ms": 5 + n % 40,
        "kinds": {"batch/v1": ["jobs"], "scheduling.k8s.io/v1beta1": ["podgroups"]},
        "objects": [node("w-1"), node("w-2"), *GROUPS, bridged("one"),
                    of_job("train-a", "train"), of_job("train-b", "train"),
                    of_group("all-a", "all"), of_group("all-b", "all"),
                    worker("cpu-0", True), worker("cpu-1", True), worker("cpu-2", False),
                    worker("gone-1", True)]}}


def change(n):
    """Nodes and pods go, or change and come."""
    if n % 3:
        return {"cluster": {"objects": [node("w-2", unschedulable=True), bridged("two"),
                                        worker("cpu-1", False)]}}
    return {"cluster": {"delete": [["nodes", "", "w-2"], ["pods", "team-a", "one"],
                                   ["pods", "ns", "cpu-0"]]}}


def restore(_):
    return {"cluster": {"objects": [node("w-2"), bridged("one"), worker("cpu-0", True)]}}


def play(what, *args):
    return {"begin": begin, "change": change, "restore": restore}[what](*args)
