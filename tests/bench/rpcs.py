#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the engine asks of slurmctld: RPCs, and bytes to and from it.

Usage: tests/bench/rpcs.py JOBS     (called by tests/bench/run rpcs)

1,000 nodes; 200 jobs have them, the others wait. RPCs are those that sdiag
counts for SlurmUser. Bytes are counted by a rule of the packet filter, on
slurmctld's port, with TCP/IP's own: with the engine less without it.
"""
import json
import os
import re
import subprocess
import sys
import time

import bench

NODES, RUNNING, PARTITIONS = 1000, 200, 10
WARM_UP_S, MEASURE_S = 15, 30
FAILURES = 5


def rpcs():
    """How many of each kind; those of SlurmUser; and their time in slurmctld, in us."""
    kinds, users = bench.sdiag().split("Remote Procedure Call statistics by user")
    by_user = re.search(r"^\s+slurm\s+\(.*count:(\d+).*total_time:(\d+)", users, re.M)
    return {kind: int(n) for kind, n in re.findall(r"(REQUEST_\w+|MESSAGE_\w+)\s.*count:(\d+)", kinds)}, \
        [int(n) for n in by_user.groups()] if by_user else [0, 0]


def counted_bytes():
    rules = subprocess.run(["iptables", "-w", "10", "-nvxL", os.environ["BENCH_CHAIN"]], check=True,
                           capture_output=True, text=True).stdout.split("\n")[2:]
    return sum(int(rule.split()[1]) for rule in rules if rule)


def measure(busy=lambda: time.sleep(MEASURE_S)):
    """A second of it: RPCs of the engine, their time in us, bytes of all."""
    bench.sdiag("--reset")
    before, begin = counted_bytes(), time.monotonic()
    busy()
    took, after = time.monotonic() - begin, counted_bytes()
    kinds, (count, total) = rpcs()
    bench.say(f"in {took:.1f} s {after - before} bytes, {count} RPCs, {total} us; of all: {kinds}")
    return count / took, total / took, (after - before) / took


def churning():
    churn = bench.Churn(NODES)
    churn.start()
    time.sleep(MEASURE_S)
    churn.end()


def fail_pods(api):
    """As the kubelet says it: images cannot be pulled. The job of each goes back to the queue."""
    trouble = {"status": {"containerStatuses": [{
        "name": "slurmd", "image": "none", "imageID": "", "ready": False, "restartCount": 0,
        "state": {"waiting": {"reason": "ErrImagePull", "message": "no such image"}}}]}}
    for i in range(FAILURES):
        since = bench.log_size()
        api.call("PATCH", f"{api.pods}/bench-{i * 100}/status", trouble)
        bench.logged("k8s: job .* is eligible again", since)
        time.sleep(2)


def main():
    jobs = int(sys.argv[1])
    api = bench.fill(NODES, RUNNING, jobs - RUNNING, PARTITIONS)
    figures = {}
    for engine in (False, True):
        bench.start(engine)
        time.sleep(WARM_UP_S)
        figures[engine] = [measure(), measure(churning)]
        if engine:
            begin = time.monotonic()
            failures = [x * (time.monotonic() - begin) / FAILURES for x in measure(lambda: fail_pods(api))]
        bench.stop()
    idle, busy = [[round(a - b, 2) for a, b in zip(on, off)] for on, off in zip(figures[True], figures[False])]
    print(json.dumps({"bench": "rpcs", "jobs": jobs, "nodes": NODES,
                      "rpcs_per_s": idle[0], "bytes_per_s": round(idle[2]), "slurmctld_us_per_s": round(idle[1]),
                      "churn_rpcs_per_s": busy[0], "churn_bytes_per_s": round(busy[2]),
                      "churn_us_per_s": round(busy[1]),
                      "failure_rpcs": round(failures[0], 1), "failure_bytes": round(failures[2])}))


if __name__ == "__main__":
    main()
