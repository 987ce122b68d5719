#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What SchedulerParameters=batch_sched_delay=0 costs the main scheduler when many jobs wait.

Usage: tests/bench/delay.py JOBS     (called by tests/bench/run delay)

JOBS jobs wait for nodes that another one has. In turns with Slurm's default of 3 s, and with
what slurm.conf.example sets, RATE more jobs are submitted each second. The share is the time that
the main scheduler works, by sdiag, which is what it holds slurmctld's locks.
"""
import json
import re
import statistics
import sys
import time

import bench

ROUNDS, SECONDS, RATE = 2, 30, 5


def shipped():
    with open(f"{bench.TOP}/etc/slurm.conf.example", encoding="utf-8") as file:
        return re.search(r"^SchedulerParameters=(.*)$", file.read(), flags=re.M).group(1)


SETTINGS = {"default": "batch_sched_delay=3", "shipped": shipped()}


def use(parameters):
    """slurmctld, started anew by them. (A reconfiguration would have it look for each node by its name, for minutes.)"""
    bench.stop()
    bench.change_conf(r"^SchedulerParameters=.*$", f"SchedulerParameters={parameters}")
    bench.start(engine=True)


def submissions():
    """RATE a second; how long each took, in seconds."""
    took, begin = [], time.monotonic()
    for i in range(SECONDS * RATE):
        time.sleep(max(0.0, begin + i / RATE - time.monotonic()))
        t0 = time.monotonic()
        bench.slurm(bench.AS_USER, "sbatch", "-p", "p0", "-o", "/dev/null", "--wrap", "true")
        took.append(time.monotonic() - t0)
    return took


def turn(name):
    use(SETTINGS[name])
    time.sleep(5)  # (what a start costs is not meant)
    bench.sdiag("--reset")
    before, begin = bench.cpu_s()[""], time.monotonic()
    took = submissions()
    seconds = time.monotonic() - begin
    mean, cycles = bench.cycles()[0]
    result = {"cycles_per_s": cycles / seconds, "cycle_us": mean,
              "share_percent": cycles * mean / seconds / 1e4, "slurmctld_cpu": (bench.cpu_s()[""] - before) / seconds,
              "sbatch_ms": statistics.median(took) * 1000}
    bench.say(f"{name}: " + ", ".join(f"{key} {value:.3g}" for key, value in result.items()))
    return result


def main():
    jobs = int(sys.argv[1])
    bench.start(engine=True)
    bench.submit(1, 1, "-N10", "--exclusive", "-t3-0")
    bench.until("the job that has the nodes", 60, lambda: bench.slurm(bench.AS_USER, "squeue", "-h", "-t", "CF,R", "-o", "%i"))
    use("defer")
    bench.submit(jobs, 1, "-N1", "-t60")
    turns = {name: [] for name in SETTINGS}
    for i in range(ROUNDS):
        for name in list(SETTINGS) if i % 2 else reversed(SETTINGS):
            turns[name].append(turn(name))
    print(json.dumps({"bench": "delay", "jobs": jobs, "submissions_per_s": RATE, **{
        name: {key: round(statistics.median(t[key] for t in each), 3) for key in each[0]} for name, each in turns.items()}}))


if __name__ == "__main__":
    main()
