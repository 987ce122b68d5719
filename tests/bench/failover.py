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
import subprocess
import sys
import threading
import time

SITE, NS, KUBE = (os.environ[k] for k in ("SITE", "SITE_NS", "SITE_KUBE"))
USER = os.environ["SITE_USER"]
ENV = {"PATH": "/usr/bin:/bin", "SLURM_CONF": f"{SITE}/slurm.conf"}
AS_USER = ["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups"]
AS_SLURM = ["setpriv", "--reuid", "slurm", "--regid", "slurm", "--clear-groups"]
BAD = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "CreateContainerConfigError")


def slurm(who, *argv):
    return subprocess.run([*who, *argv], env=ENV, cwd="/tmp", check=True,
                          capture_output=True, text=True).stdout.strip()


def kubectl(*argv):
    return subprocess.run(["kubectl", "--kubeconfig", KUBE, "-n", NS, *argv], check=True,
                          capture_output=True, text=True).stdout


class Watch(threading.Thread):
    """kubectl get pods --watch: when was each pod (by uid) first in trouble, or gone?"""

    def __init__(self):
        super().__init__(daemon=True)
        self.reported = {}
        self.run_kubectl = subprocess.Popen(
            ["kubectl", "--kubeconfig", KUBE, "-n", NS, "get", "pods", "--watch",
             "--output-watch-events", "-o", "json"], stdout=subprocess.PIPE, text=True)

    def run(self):
        decoder, text = json.JSONDecoder(), ""
        for line in self.run_kubectl.stdout:
            text += line
            if line != "}\n":
                continue
            event, _ = decoder.raw_decode(text)
            text = ""
            self.take(event, time.monotonic())

    def take(self, event, now):
        pod = event["object"]
        status = pod.get("status", {})
        waiting = [c.get("state", {}).get("waiting", {}).get("reason")
                   for c in status.get("containerStatuses", [])]
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


def eligible(job, restarts):
    """Pending, sent back once more, and its start is not put off."""
    show = dict(w.split("=", 1) for w in slurm(AS_USER, "scontrol", "show", "job", job).split() if "=" in w)
    if show["JobState"] == "RUNNING" or int(show["Restarts"]) <= restarts:
        return False
    return show["EligibleTime"] <= time.strftime("%Y-%m-%dT%H:%M:%S")


def until(what, seconds, test):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = test()
        if result:
            return result
        time.sleep(0.005)
    sys.exit(f"failover: gave up waiting for {what}")


def rest():
    """The nodes are idle~ again."""
    until("idle~", 90, lambda: set(slurm(AS_USER, "sinfo", "-h", "-p", "bad", "-o", "%t").split()) == {"idle~"})


def time_to_eligible(job, reported, clean_up=lambda: None):
    until("the job to be eligible", 60, lambda: eligible(job, 0))
    took = time.monotonic() - reported
    slurm(AS_SLURM, "scancel", job)
    clean_up()
    rest()
    return took


def cannot_start(watch, edit):
    template(edit)
    begin = time.monotonic()
    job = slurm(AS_USER, "sbatch", "--parsable", "-p", "bad", "-w", "bad-0", "--wrap", "true")
    reported = until("Kubernetes' word", 60, lambda: watch.since("bad-0", begin))
    return time_to_eligible(job, reported)


def gone(watch):
    template(lambda text: text)
    job = slurm(AS_USER, "sbatch", "--parsable", "-p", "bad", "-w", "bad-0", "--wrap", "sleep 600")
    until("the job to run", 60, lambda: "JobState=RUNNING" in slurm(AS_USER, "scontrol", "show", "job", job))
    begin = time.monotonic()
    kubectl("delete", "pod", "bad-0", "--force", "--grace-period=0")
    reported = until("Kubernetes' word", 60, lambda: watch.since("bad-0", begin))
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
    reported = until("the refusal", 60, said)
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
            print(f"round {i + 1}: {name} {times[-1]:.3f} s", file=sys.stderr)
    watch.run_kubectl.terminate()
    times.sort()
    print(json.dumps({"bench": "failover", "cases": len(times),
                      "p50_s": round(times[len(times) // 2], 3),
                      "p99_s": round(times[min(len(times) - 1, len(times) * 99 // 100)], 3)}))


if __name__ == "__main__":
    main()
