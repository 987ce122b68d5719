#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Nodes that register before power saving has looked at them: is one of them, or its job, lost?

Usage: tests/bench/early.py TIMES     (called by tests/bench/run early)

Jobs of one node each, one after the other, each on the node that has been powered down for longest, until
TIMES nodes have registered before power saving had looked at them: then no k8s_resume was started for
them. A job that does not begin within half a minute, or begins anew, counts as lost.
"""
import json
import os
import random
import re
import sys
import time

import bench
import start

LATE_S = 30
MOST = 4  # times as many jobs, at most
RESUME_LOG = f"{bench.SITE}/log/power_k8s.log"


def resumed():
    """How many nodes k8s_resume has been started for."""
    if not os.path.exists(RESUME_LOG):
        return 0
    with open(RESUME_LOG, encoding="utf-8", errors="replace") as file:
        return len(re.findall(r"k8s_resume\[\d+\]: \S+: pod ", file.read()))


def is_powered_down(node):
    return bench.slurm(bench.AS_USER, "sinfo", "-h", "-n", node, "-o", "%t").split()[-1] == "idle~"


def run_job(ear, node):
    """Seconds until it has begun; None: it has not, or not at its first try."""
    bench.until(f"{node} to be powered down", 120, lambda: is_powered_down(node))
    time.sleep(random.random())
    begin = time.time()
    job = bench.slurm(bench.AS_USER, "sbatch", "--parsable", "--requeue", "-p", "start", "-w", node, "-o", "/dev/null",
                      f"{bench.SITE}/start.sh")
    while job not in ear.begun and time.time() < begin + LATE_S:
        time.sleep(0.01)
    if job not in ear.begun or "Restarts=0" not in bench.slurm(bench.AS_USER, "scontrol", "show", "job", job):
        return None
    bench.until("the job to end", 60, lambda: not bench.slurm(bench.AS_USER, "squeue", "-h", "-j", job, "-t", "R,CG", "-o", "%i"))
    bench.slurm(bench.AS_SLURM, "scontrol", "update", f"NodeName={node}", "State=POWER_DOWN")
    return ear.begun[job] - begin


def main():
    times, ear, took, lost = int(sys.argv[1]), start.Ear(), [], 0
    ear.start()
    start.write_job(ear)
    bench.start(engine=True)
    run_job(ear, "start-0")  # (it has to warm up what later ones find)
    log, before = bench.log_size(), resumed()
    early, jobs = 0, 0
    while early < times and jobs < MOST * times:
        if jobs and jobs % 25 == 0:
            bench.stop()
            time.sleep(random.random())
            bench.start(engine=True)
            bench.say(f"{jobs} jobs, {early} nodes registered early, {lost} lost")
        seconds = run_job(ear, f"start-{jobs % start.NODES}")
        jobs += 1
        if seconds is None:
            lost += 1
        else:
            took.append(seconds)
        early = jobs - (resumed() - before)
    with open(bench.LOG, encoding="utf-8", errors="replace") as file:
        file.seek(log)
        replaced = file.read().count("is deleted (registered too early)")
    print(json.dumps({"bench": "early", "jobs": jobs, "early": early, "too_early": replaced, "lost": lost,
                      "whole_s": {**start.figures(took), "max": round(max(took), 3)}}), flush=True)
    if lost or early < times:
        sys.exit(1)


if __name__ == "__main__":
    main()
