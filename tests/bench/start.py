#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""From sbatch, for nodes that are powered down, to the job's first instruction, beside bare pods.

Usage: tests/bench/start.py PAIRS     (called by tests/bench/run start)

In turns: a job, and as many bare pods as the job has nodes, of the same manifest, in the
same namespace; first with one node, then, a quarter as often, with all NODES. The clock of bare pods
runs from the request that creates the first until a watch shows that the last one's container runs. The
job's first instruction reads the clock and tells this process by TCP. All clocks are this machine's.

slurmctld looks for work by two clocks that tick each second: a job is submitted at any moment between
two ticks, and slurmctld is started anew now and then, which sets the clocks to another distance.
"""
import json
import os
import random
import re
import socket
import statistics
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import bench

NODES = 32
AT_ONCE = 8  # requests for bare pods
STARTED_ANEW = 4  # slurmctld, after so many pairs
# The address of nobody (RFC 5737): slurmd of a bare pod waits there for its slurm.conf.
NOBODY = "192.0.2.9:6817"
JOB = """#!/bin/bash
now=$EPOCHREALTIME
exec 3<>/dev/tcp/{ip}/{port} && echo "$SLURM_JOB_ID $now" >&3
"""
# What slurmctld logs of a job, and of a node that has registered
STAMP = r"^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+)\] "


class Ear(threading.Thread):
    """When has each job begun?"""

    def __init__(self):
        super().__init__(daemon=True)
        self.begun = {}
        self.door = socket.create_server((os.environ["SITE_IP"], 0))
        self.port = self.door.getsockname()[1]

    def run(self):
        while True:
            with self.door.accept()[0] as caller:
                caller.settimeout(5)
                try:
                    job, now = caller.makefile().readline().split()
                    self.begun[job] = float(now)
                except (OSError, ValueError):
                    pass  # (not the job's)


class Pods(threading.Thread):
    """When was each pod (by name) first seen, and when does its container run? By a watch, for one pair."""

    def __init__(self):
        super().__init__(daemon=True)
        self.lock = threading.Lock()
        self.seen, self.runs = {}, {}
        api = bench.Api()
        version = api.call("GET", f"{api.pods}?limit=1")["metadata"]["resourceVersion"]
        api.connection.request("GET", f"{api.pods}?watch=1&resourceVersion={version}")
        api.connection.sock.settimeout(None)
        self.stream = api.connection.getresponse()
        self.ended = False
        self.start()

    def run(self):
        try:
            self.follow()
        finally:
            self.ended = True

    def follow(self):
        for line in self.stream:
            now = time.time()
            event = json.loads(line)
            name = event["object"]["metadata"]["name"]
            with self.lock:
                if event["type"] == "DELETED":
                    self.seen.pop(name, None)
                    self.runs.pop(name, None)
                    continue
                self.seen.setdefault(name, now)
                if any("running" in c.get("state", {})
                       for c in event["object"].get("status", {}).get("containerStatuses", [])):
                    self.runs.setdefault(name, now)

    def last(self, of, names):
        """When that was so of the last of them; None: not yet."""
        if self.ended:
            bench.die("the watch of the pods has ended")
        with self.lock:
            times = [of.get(name) for name in names]
        return None if None in times else max(times)


def nodes(n):
    return [f"start-{i}" for i in range(n)]


def log_times(pattern, since):
    """Of all lines after byte `since` that match: when they were written, by what the pattern has in its group."""
    times = {}
    with open(bench.LOG, encoding="utf-8", errors="replace") as file:
        file.seek(since)
        for line in file:
            found = re.search(STAMP + pattern, line)
            if found:
                stamp = time.mktime(time.strptime(found.group(1)[:19], "%Y-%m-%dT%H:%M:%S")) + float(found.group(1)[19:])
                times.setdefault(found.group(2), stamp)
    return times


def powered_down():
    return set(bench.slurm(bench.AS_USER, "sinfo", "-h", "-p", "start", "-o", "%t").split()) == {"idle~"}


def rest(api, names):
    """The nodes are powered down again, and no pod is left. (A job that runs would be started again.)"""
    bench.until("the job to end", 60, lambda: not bench.slurm(bench.AS_USER, "squeue", "-h", "-o", "%i"))
    bench.slurm(bench.AS_SLURM, "scontrol", "update", "NodeName=" + ",".join(names), "State=POWER_DOWN_FORCE")
    bench.until("the nodes to be powered down", 120, lambda: powered_down() and not api.count(), 0.2)


def start_job(pods, ear, n):
    """Seconds, as a whole and by phase."""
    names, since = nodes(n), bench.log_size()
    time.sleep(random.random())
    begin = time.time()
    job = bench.slurm(bench.AS_USER, "sbatch", "--parsable", "-p", "start", f"-N{n}", "-o", "/dev/null", f"{bench.SITE}/start.sh")
    bench.until("the job's first instruction", 300, lambda: job in ear.begun, 0.002)
    # (the log is written beside; a container's status may come after its slurmd's registration)
    bench.until("the last status", 60, lambda: pods.last(pods.runs, names), 0.01)
    allocated = log_times(r"(?:sched: Allocate|sched/backfill: _start_job: Started) JobId=(\d+) ", since).get(job)
    up = log_times(r"Node (\S+) now responding", since)
    posted, runs = pods.last(pods.seen, names), pods.last(pods.runs, names)
    times = {"whole": ear.begun[job] - begin, "posted": posted - begin, "container": runs - begin}
    if allocated:
        times["allocated"] = allocated - begin
        times["allocated_to_posted"] = posted - allocated
    if set(names) <= set(up):
        registered = max(up[name] for name in names)
        times["slurmd"] = registered - runs
        times["registered_to_begun"] = ear.begun[job] - registered
    return times


def bare_pods(apis, pods, pod, n):
    """Seconds until the container of the last one runs."""
    names, api = [f"bare-{i}" for i in range(n)], apis[0]

    def create(k):
        for name in names[k::len(apis)]:
            apis[k].call("POST", api.pods, {**pod, "metadata": {**pod["metadata"], "name": name}})

    begin = time.time()
    with ThreadPoolExecutor(len(apis)) as pool:
        list(pool.map(create, range(len(apis))))
    bench.until("the bare pods", 300, lambda: pods.last(pods.runs, names), 0.002)
    took = pods.last(pods.runs, names) - begin
    for name in names:
        api.call("DELETE", f"{api.pods}/{name}", {"gracePeriodSeconds": 1})
    bench.until("the bare pods to go", 120, lambda: not api.count(), 0.2)
    return took


def bare_manifest():
    """What k8s_resume would create, as nobody's pod, that waits for a slurm.conf."""
    pod = json.loads(bench.slurm(bench.AS_SLURM, f"{os.environ['SITE_BIN']}/k8s_resume", "--dry-run", "start-0"))
    # (by this one label the template spreads its pods; by the others the engine knows its own)
    pod["metadata"] = {"labels": {"app.kubernetes.io/name": pod["metadata"]["labels"]["app.kubernetes.io/name"]}}
    env = pod["spec"]["containers"][0]["env"]
    env[:] = [e for e in env if "metadata.labels" not in json.dumps(e)]
    for entry in env:
        if entry["name"] == "SLURM_CONF_SERVER":
            entry["value"] = NOBODY
    return pod


def figures(values):
    values = sorted(values)
    return {"p50": round(statistics.median(values), 3), "p95": round(values[min(len(values) - 1, len(values) * 95 // 100)], 3),
            "of": len(values)}


def measure(pairs, n, apis, ear):
    pod, jobs, bare = bare_manifest(), [], []
    for i in range(pairs):
        if i and i % STARTED_ANEW == 0:
            bench.stop()
            time.sleep(random.random())
            bench.start(engine=True)
        pods = Pods()
        jobs.append(start_job(pods, ear, n))
        rest(apis[0], nodes(n))
        bare.append(bare_pods(apis[:n], pods, pod, n))
        bench.say(f"{n} nodes, pair {i + 1}: job {jobs[-1]['whole']:.3f} s, bare pods {bare[-1]:.3f} s")
    phases = {key: figures([j[key] for j in jobs if key in j]) for key in sorted({key for j in jobs for key in j})}
    whole, reference = phases["whole"], figures(bare)
    return {"bench": "start", "nodes": n, "pairs": pairs, "ratio": round(whole["p50"] / reference["p50"], 2),
            "ratio_p95": round(whole["p95"] / reference["p95"], 2), "bare_s": reference, "phases_s": phases}


def write_job(ear):
    with open(f"{bench.SITE}/start.sh", "w", encoding="utf-8") as file:
        file.write(JOB.format(ip=os.environ["SITE_IP"], port=ear.port))
    os.chmod(f"{bench.SITE}/start.sh", 0o755)


def main():
    pairs = int(sys.argv[1])
    ear, apis = Ear(), [bench.Api() for _ in range(AT_ONCE)]
    ear.start()
    write_job(ear)
    bench.start(engine=True)
    # (the first start has to warm up what later ones find)
    start_job(Pods(), ear, 1)
    rest(apis[0], nodes(1))
    for n, count in ((1, pairs), (NODES, max(1, pairs // 4))):
        print(json.dumps(measure(count, n, apis, ear)), flush=True)


if __name__ == "__main__":
    main()
