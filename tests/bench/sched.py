#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the engine costs Slurm's schedulers: the length of their cycles.

Usage: tests/bench/sched.py ROUNDS     (called by tests/bench/run sched)

2,000 jobs wait; 10,000 pods are watched, 20 of them change each second.
slurmctld runs with the engine and without in turns, from the same state. The
API server has the same to do in both: without the engine kubectl watches.

sdiag's cycles are wall-clock time, and longer when other processes are on the
same cores; "cpu_ratio" is the backfill thread's own processor time a cycle.
"""
import json
import statistics
import subprocess
import sys
import time

import bench

NODES, JOBS, PARTITIONS = 10000, 2000, 100
WARM_UP_S, MEASURE_S = 8, 15


def watcher():
    return subprocess.Popen(["kubectl", "--kubeconfig", bench.KUBE, "get", "--raw",
                             f"/api/v1/namespaces/{bench.NS}/pods?watch=1"], stdout=subprocess.DEVNULL)


def first_work(api):
    """The engine writes on each busy pod whose jobs it runs: once, not in each round."""
    bench.start(engine=True)
    bench.until("the engine to write on each pod", 300,
                lambda: not api.call("GET", f"{api.pods}?limit=1&labelSelector=!slurm-k8s.io/busy")["items"], 1)
    bench.stop()


def turn(engine):
    """Microseconds a cycle: main, backfill, the latter's processor time; processor time of all, of the engine."""
    bench.start(engine)
    instead = None if engine else watcher()
    churn = bench.Churn(NODES)
    churn.start()
    time.sleep(WARM_UP_S)
    before = bench.cpu_s()
    bench.sdiag("--reset")
    time.sleep(MEASURE_S)
    main, backfill = bench.cycles()
    used = {name: t - before.get(name, 0) for name, t in bench.cpu_s().items()}
    churn.end()
    if instead:
        instead.terminate()
        instead.wait()
    bench.stop()
    cpu = used["bckfl"] / max(backfill[1], 1) * 1e6
    bench.say(f"{'with   ' if engine else 'without'} the engine: main {main[0]} us ({main[1]} cycles), "
              f"backfill {backfill[0]} us ({backfill[1]}; {cpu:.0f} us of a processor); "
              f"{churn.events} pod events, {churn.late_s:.2f} s late at most; processor: "
              + ", ".join(f"{name or 'all'} {t:.2f} s" for name, t in used.items() if t >= 0.1))
    return main[0], backfill[0], cpu, used[""], sum(t for name, t in used.items() if name.startswith("k8s-"))


def main():
    first_work(bench.fill(NODES, PARTITIONS, JOBS, PARTITIONS))
    on, off = [], []
    for i in range(int(sys.argv[1])):
        for engine in (True, False) if i % 2 else (False, True):
            (on if engine else off).append(turn(engine))
    on, off = list(zip(*on)), list(zip(*off))
    cycle = bench.ratio(*([a + b for a, b in zip(x[0], x[1])] for x in (on, off)))
    print(json.dumps({"bench": "sched", "jobs": JOBS, "pods": NODES, "ratio": cycle[0], "error": cycle[1], "spread": cycle[2:],
                      "main": bench.ratio(on[0], off[0]), "backfill": bench.ratio(on[1], off[1]),
                      "cpu_ratio": bench.ratio(on[2], off[2]),
                      "main_us": statistics.median(off[0]), "backfill_us": statistics.median(off[1]),
                      "slurmctld_cpu": [round(statistics.median(x[3]) / MEASURE_S, 3) for x in (on, off)],
                      "engine_cpu": round(statistics.median(on[4]) / MEASURE_S, 3)}))


if __name__ == "__main__":
    main()
