#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the engine asks of slurmctld: RPCs, and bytes to and from it.

Usage: tests/bench/rpcs.py JOBS     (called by tests/bench/run rpcs)

1,000 nodes; 200 jobs have them, the others wait. RPCs are those that sdiag
counts for SlurmUser. Bytes are counted by a rule of the packet filter, on
slurmctld's port, with TCP/IP's own: with the engine less without it.
"""
import json
import re
import sys
import time

import bench

NODES, RUNNING, PARTITIONS = 1000, 200, 10
WARM_UP_S, MEASURE_S = 15, 30
FAILURES = 5


def rpcs():
    """How many of each kind; and those of SlurmUser."""
    kinds, users = bench.sdiag().split("Remote Procedure Call statistics by user")
    by_user = re.search(r"^\s+slurm\s+\(.*count:(\d+)", users, re.M)
    return dict(re.findall(r"(REQUEST_\w+|MESSAGE_\w+)\s.*count:(\d+)", kinds)), \
        int(by_user.group(1)) if by_user else 0


def measure(busy):
    """What happens meanwhile, and how long that is: RPCs of the engine, bytes of all."""
    bench.sdiag("--reset")
    before, begin = bench.counted_bytes(), time.monotonic()
    busy()
    took, after = time.monotonic() - begin, bench.counted_bytes()
    kinds, count = rpcs()
    bench.say(f"in {took:.1f} s {after - before} bytes, {count} RPCs; of all: {kinds}")
    return count, after - before, took


def a_second(busy):
    count, size, took = measure(busy)
    return count / took, size / took


def idle():
    time.sleep(MEASURE_S)


def churning():
    churn = bench.Churn(NODES)

    def run():
        churn.start()
        idle()
        churn.end()
    return run


def fail_pods(api):
    """As the kubelet says it: images cannot be pulled. The job of each goes back to the queue."""
    trouble = {"status": {"containerStatuses": [{
        "name": "slurmd", "image": "none", "imageID": "", "ready": False, "restartCount": 0,
        "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}]}}
    for i in range(FAILURES):
        since = bench.log_size()
        api.call("PATCH", f"{api.pods}/bench-{i * 100}/status", trouble)
        bench.logged("k8s: job .* is eligible again", since)
        time.sleep(2)


def main():
    jobs = int(sys.argv[1])
    api = bench.fill(NODES, RUNNING, jobs - RUNNING, PARTITIONS)
    figures, failures = {}, None
    for engine in (False, True):
        bench.start(engine)
        time.sleep(WARM_UP_S)
        figures[engine] = [a_second(idle), a_second(churning())]
        if engine:
            failures = measure(lambda: fail_pods(api))
        bench.stop()
    rest, busy = [[a - b for a, b in zip(on, off)] for on, off in zip(figures[True], figures[False])]
    failed = [x - failures[2] * r for x, r in zip(failures, rest)]
    print(json.dumps({"bench": "rpcs", "jobs": jobs, "nodes": NODES,
                      "rpcs_per_s": round(rest[0], 2), "bytes_per_s": round(rest[1]),
                      "churn_rpcs_per_s": round(busy[0], 2), "churn_bytes_per_s": round(busy[1]),
                      "failure_rpcs": round(failed[0] / FAILURES, 1), "failure_bytes": round(failed[1] / FAILURES)}))


if __name__ == "__main__":
    main()
