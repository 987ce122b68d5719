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
SHIPPED = "batch_sched_delay=0"
SETTINGS = {"default": "", "shipped": SHIPPED}


def use(parameters):
    """slurmctld, started anew by them. (A reconfiguration would have it look for each node by its name, for minutes.)"""
    bench.stop()
    with open(f"{bench.SITE}/slurm.conf", encoding="utf-8") as file:
        text = re.sub(r"^#?SchedulerParameters=.*\n", "", file.read(), flags=re.M)
    with open(f"{bench.SITE}/slurm.conf", "w", encoding="utf-8") as file:
        file.write(text + (f"SchedulerParameters={parameters}\n" if parameters else ""))
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


def main_scheduler():
    """How many cycles, and their mean and greatest length in microseconds."""
    text = bench.sdiag().split("Backfilling stats")[0]
    return [int(re.search(rf"{word}:\s+(\d+)", text).group(1)) for word in ("Total cycles", "Mean cycle", "Max cycle")]


def turn(name):
    use(SETTINGS[name])
    time.sleep(5)  # (what a start costs is not meant)
    bench.sdiag("--reset")
    before, begin = bench.cpu_s()[""], time.monotonic()
    took = submissions()
    seconds = time.monotonic() - begin
    cycles, mean, most = main_scheduler()
    result = {"cycles_per_s": cycles / seconds, "cycle_us": mean, "most_us": most,
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
