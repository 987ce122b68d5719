#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""From Kubernetes' word that a pod cannot be, to its job being eligible again.

Usage: tests/bench/failover.py ROUNDS     (called by tests/bench/run failover)

An independent watch of the pods, not the engine's, says when Kubernetes has
reported; squeue, asked in a loop, when the job is pending and eligible. For
a refused pod (quota) the clock starts when k8s_resume has logged the answer.
"""
import json
import os
import sys
import threading
import time

from bench import AS_SLURM, AS_USER, SITE, Api, kubectl, say, slurm, until

BAD = ("ImagePullBackOff", "InvalidImageName", "CreateContainerConfigError")


class Watch(threading.Thread):
    """When was each pod (by uid) first in trouble, or gone?"""

    def __init__(self):
        super().__init__(daemon=True)
        self.reported = {}
        api = Api()
        version = api.call("GET", f"{api.pods}?limit=1")["metadata"]["resourceVersion"]
        api.connection.request("GET", f"{api.pods}?watch=1&resourceVersion={version}")
        api.connection.sock.settimeout(None)
        self.stream = api.connection.getresponse()

    def run(self):
        for line in self.stream:
            now = time.monotonic()
            event = json.loads(line)
            pod = event["object"]
            waiting = [c.get("state", {}).get("waiting", {}).get("reason")
                       for c in pod.get("status", {}).get("containerStatuses", [])]
            if event["type"] == "DELETED" or any(w in BAD for w in waiting):
                self.reported.setdefault((pod["metadata"]["name"], pod["metadata"]["uid"]), now)

    def since(self, node, begin):
        times = [t for (name, _), t in self.reported.items() if name == node and t >= begin]
        return min(times) if times else None


def template(edit):
    with open(f"{SITE}/worker.yaml", encoding="utf-8") as file:
        text = file.read()
    with open(f"{SITE}/bad.yaml", "w", encoding="utf-8") as file:
        file.write(edit(text))
    slurm(AS_SLURM, "scontrol", "reconfigure")
    time.sleep(1)  # (the engine reads it in its own time; no job waits for that)


def image(name):
    return lambda text: "\n".join(
        line.split("image:")[0] + f"image: {name}" if line.strip().startswith("image:") else line
        for line in text.split("\n"))


def eligible(job):
    """Sent back once, and free to start (or started again already)."""
    show = dict(w.split("=", 1) for w in slurm(AS_USER, "scontrol", "show", "job", job).split() if "=" in w)
    if show["Restarts"] == "0":
        return False
    if show["JobState"] in ("CONFIGURING", "RUNNING"):
        return True
    return show["JobState"] == "PENDING" and show["EligibleTime"] <= time.strftime("%Y-%m-%dT%H:%M:%S")


def rest():
    """The nodes are idle~ again."""
    until("idle~", 90, lambda: set(slurm(AS_USER, "sinfo", "-h", "-p", "bad", "-o", "%t").split()) == {"idle~"})


def time_to_eligible(job, reported, clean_up=lambda: None):
    until("the job to be eligible", 60, lambda: eligible(job), 0.02)
    took = time.monotonic() - reported
    slurm(AS_SLURM, "scancel", job)
    clean_up()
    rest()
    return took


def cannot_start(watch, edit):
    template(edit)
    begin = time.monotonic()
    job = slurm(AS_USER, "sbatch", "--parsable", "-p", "bad", "-w", "bad-0", "--wrap", "true")
    reported = until("Kubernetes' word", 60, lambda: watch.since("bad-0", begin), 0.002)
    return time_to_eligible(job, reported)


def gone(watch):
    template(lambda text: text)
    job = slurm(AS_USER, "sbatch", "--parsable", "-p", "bad", "-w", "bad-0", "--wrap", "sleep 600")
    until("the job to run", 60, lambda: "JobState=RUNNING" in slurm(AS_USER, "scontrol", "show", "job", job))
    begin = time.monotonic()
    kubectl("delete", "pod", "bad-0", "--force", "--grace-period=0")
    reported = until("Kubernetes' word", 60, lambda: watch.since("bad-0", begin), 0.002)
    return time_to_eligible(job, reported)


def refused():
    kubectl("create", "quota", "none", "--hard=pods=0")
    until("the quota", 20, lambda: kubectl("get", "quota", "none", "-o", "jsonpath={.status.hard.pods}"))
    log = f"{SITE}/log/power_k8s.log"
    size = os.path.getsize(log)

    def said():
        with open(log, encoding="utf-8") as file:
            file.seek(size)
            return "exceeded quota" in file.read() and time.monotonic()

    job = slurm(AS_USER, "sbatch", "--parsable", "-p", "bad", "-w", "bad-0", "--wrap", "true")
    reported = until("the refusal", 60, said, 0.002)
    return time_to_eligible(job, reported, lambda: kubectl("delete", "quota", "none"))


def main():
    rounds = int(sys.argv[1])
    watch = Watch()
    watch.start()
    cases = {
        "image": lambda: cannot_start(watch, image("localhost/no-such:1")),
        "name": lambda: cannot_start(watch, image("localhost/NO")),
        "gone": lambda: gone(watch),
        "quota": refused,
    }
    times = []
    for i in range(rounds):
        for name, case in cases.items():
            times.append(case())
            say(f"round {i + 1}: {name} {times[-1]:.3f} s")
    times.sort()
    print(json.dumps({"bench": "failover", "cases": len(times),
                      "p50_s": round(times[len(times) // 2], 3),
                      "p99_s": round(times[min(len(times) - 1, len(times) * 99 // 100)], 3)}))


if __name__ == "__main__":
    main()
