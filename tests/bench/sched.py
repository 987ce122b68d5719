#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the engine costs Slurm's schedulers: the length of their cycles.

Usage: tests/bench/sched.py ROUNDS     (called by tests/bench/run sched)

2,000 jobs wait; 10,000 pods are watched, 20 of them change each second.
slurmctld runs with the engine and without in turns, from the same state. The
API server has the same to do in both: without the engine kubectl watches.
"""
import json
import re
import statistics
import subprocess
import sys
import time

import bench

NODES, JOBS, PARTITIONS = 10000, 2000, 100
WARM_UP_S, MEASURE_S = 10, 40


def watcher():
    return subprocess.Popen(["kubectl", "--kubeconfig", bench.KUBE, "get", "--raw",
                             f"/api/v1/namespaces/{bench.NS}/pods?watch=1"], stdout=subprocess.DEVNULL)


def cycles():
    """Mean in microseconds, and how many: of the main, and of the backfill scheduler."""
    parts = bench.sdiag().split("Backfilling stats")
    return [[int(re.search(rf"{word} cycles?:\s+(\d+)", part).group(1)) for word in ("Mean", "Total")]
            for part in parts]


def turn(engine):
    bench.start(engine)
    instead = None if engine else watcher()
    churn = bench.Churn(NODES)
    churn.start()
    time.sleep(WARM_UP_S)
    bench.sdiag("--reset")
    time.sleep(MEASURE_S)
    main, backfill = cycles()
    churn.end()
    if instead:
        instead.terminate()
        instead.wait()
    bench.stop()
    bench.say(f"{'with   ' if engine else 'without'} the engine: main {main[0]} us ({main[1]} cycles), "
              f"backfill {backfill[0]} us ({backfill[1]}); {churn.events} pod events, {churn.late_s:.2f} s late at most")
    return main[0], backfill[0]


def ratio(on, off):
    """Of the medians; and the least and the greatest of the rounds."""
    each = [a / b for a, b in zip(on, off)]
    return round(statistics.median(on) / statistics.median(off), 3), round(min(each), 3), round(max(each), 3)


def main():
    bench.fill(NODES, PARTITIONS, JOBS, PARTITIONS)
    on, off = [], []
    for _ in range(int(sys.argv[1])):
        on.append(turn(True))
        off.append(turn(False))
    cycle, least, most = ratio(*([sum(t) for t in x] for x in (on, off)))
    print(json.dumps({"bench": "sched", "jobs": JOBS, "pods": NODES, "ratio": cycle, "spread": [least, most],
                      "main": ratio([t[0] for t in on], [t[0] for t in off]),
                      "backfill": ratio([t[1] for t in on], [t[1] for t in off]),
                      "main_us": statistics.median(t[0] for t in off),
                      "backfill_us": statistics.median(t[1] for t in off)}))


if __name__ == "__main__":
    main()
