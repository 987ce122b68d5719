#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `slurm-k8s status` takes and costs where there is much to tell.

Usage: tests/bench/status.py PODS     (called by tests/bench/run status)

2,000 nodes with a pod each; the other pods wait in the queue, each with a label
of its job. The reference is what kubectl reads of the same pods, as JSON. Bytes
are counted by a rule of the packet filter, on the API server's port, both ways.
"""
import json
import os
import statistics
import subprocess
import sys
import time

import bench

NODES, ROUNDS = 2000, 5


def queue(api, pods):
    team = f"/api/v1/namespaces/{os.environ['BENCH_TEAM']}/pods"
    for i in range(pods):
        api.call("POST", team, {
            "metadata": {"name": f"q-{i}", "labels": {"slurm-k8s.io/job-id": str(1000000 + i)}},
            "spec": {"schedulerName": "slurm-bridge-scheduler",
                     "containers": [{"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}]}})


def took(*argv):
    """Seconds, bytes, and what is printed."""
    before, begin = bench.counted_bytes(), time.monotonic()
    run = subprocess.run(argv, check=True, capture_output=True, text=True,
                         env={**bench.ENV, "PATH": f"{os.environ['PATH']}"})
    return time.monotonic() - begin, bench.counted_bytes() - before, run.stdout


def main():
    pods = int(sys.argv[1])
    api = bench.fill(NODES, 20, 0, 20)
    queue(api, pods - NODES)
    bench.start(engine=False)
    status, reference = [], []
    for _ in range(ROUNDS):
        *figures, text = took(*bench.inside(), f"{bench.SITE}/root/usr/sbin/slurm-k8s", "status", "--json")
        told = json.loads(text)
        if len(told["nodes"]) != NODES or len(told["jobs"]) != pods - NODES:
            bench.die(f"{len(told['nodes'])} nodes, {len(told['jobs'])} jobs: {text[:300]}")
        status.append(figures)
        reference.append(took("kubectl", "--kubeconfig", bench.KUBE, "get", "pods", "-A", "-o", "json")[:2])
    bench.stop()
    middle = [[statistics.median(row[i] for row in rows) for i in (0, 1)] for rows in (status, reference)]
    print(json.dumps({"bench": "status", "nodes": NODES, "pods": pods,
                      "status_s": round(middle[0][0], 2), "status_mb": round(middle[0][1] / 1e6, 2),
                      "kubectl_s": round(middle[1][0], 2), "kubectl_mb": round(middle[1][1] / 1e6, 2),
                      "ratio_s": round(middle[0][0] / middle[1][0], 3),
                      "ratio_mb": round(middle[0][1] / middle[1][1], 3)}))


if __name__ == "__main__":
    main()
