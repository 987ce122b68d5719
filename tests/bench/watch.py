#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What 10,000 pods in view cost slurmctld: memory, and time to list them.

Usage: tests/bench/watch.py PODS     (called by tests/bench/run watch)

Each pod is that of a Slurm node, which powers up. The same slurmctld without
the engine is the reference.
"""
import json
import re
import sys
import time
from datetime import datetime

import bench

REST_S = 15  # all nodes are looked at each 10 s


def memory_mb():
    """Now, and at most so far."""
    with open(f"{bench.SITE}/slurmctld.pid", encoding="utf-8") as file:
        pid = file.read().strip()
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        text = file.read()
    return [int(re.search(rf"{key}:\s*(\d+)", text).group(1)) / 1024 for key in ("VmRSS", "VmHWM")]


def rest_and_stop():
    bench.slurm(bench.AS_USER, "sinfo", "-h")  # as anywhere: slurmctld keeps what it needs to answer
    time.sleep(REST_S)
    memory = memory_mb()
    bench.stop()
    return memory


def without_engine():
    bench.start(engine=False)
    return rest_and_stop()


def with_engine(pods):
    """Memory, and the time from the engine's start until it has the list."""
    since = bench.log_size()
    bench.start(engine=True)
    lines = [bench.logged(pattern, since)
             for pattern in ("k8s: engine .* runs", f"k8s: cluster prod: {pods} pods in view")]
    begin, listed = [datetime.fromisoformat(line[1:24]) for line in lines]
    return *rest_and_stop(), (listed - begin).total_seconds()


def main():
    pods = int(sys.argv[1])
    no_pods, _, _ = with_engine(0)
    bench.fill(pods, 20, 0, 20)
    base, base_peak = without_engine()
    full, full_peak, list_s = with_engine(pods)
    bench.say(f"RSS: without the engine {base:.1f}, with it {full:.1f}, before there were pods {no_pods:.1f} MB")
    print(json.dumps({"bench": "watch", "pods": pods, "rss_added_mb": round(full - base, 1),
                      "peak_added_mb": round(full_peak - base_peak, 1), "list_s": round(list_s, 2)}))


if __name__ == "__main__":
    main()
