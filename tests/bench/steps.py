#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What steps cost with spank/k8s and the engine, and how soon pods show them.

Usage: tests/bench/steps.py STEPS     (called by tests/bench/run steps)

A job with two pods runs STEPS steps, PARALLEL at once, that do nothing: with
plugin and engine, and without both, in turns. WAITING jobs wait for its nodes,
so that Slurm's schedulers have something to do. Then with both come LONG steps
that live LONG_S: from srun's start until a watch of the pods shows each on
each of its pods.
"""
import json
import statistics
import subprocess
import sys
import threading
import time

import bench

ROUNDS, PARALLEL, WAITING = 8, 4, 300
LONG, LONG_S = 40, 6
NOTE = r"{.metadata.annotations.slurm-k8s\.io/steps}"


def patches(api):
    """Of pods themselves, not of their status: those are kubelet's."""
    api.connection.request("GET", "/metrics")
    total = 0
    for line in api.connection.getresponse().read().decode().split("\n"):
        if line.startswith("apiserver_request_total{") and 'verb="PATCH"' in line and \
                'resource="pods"' in line and 'subresource=""' in line:
            total += float(line.rsplit(" ", 1)[1])
    return total


def use(both):
    with open(f"{bench.SITE}/plugstack.conf", "w", encoding="utf-8") as file:
        file.write("optional spank_k8s.so\n" if both else "# none\n")
    bench.start(both)
    # (slurmd in the pods takes over the new plugstack.conf)
    bench.slurm(bench.AS_SLURM, "scontrol", "reconfigure")
    bench.until("slurmctld", 30, lambda: subprocess.run(
        [*bench.AS_USER, "scontrol", "ping"], env=bench.ENV, cwd="/tmp", capture_output=True,
        check=False).returncode == 0)


def job():
    """One that has both pods, as the steps' home."""
    out = subprocess.run([*bench.AS_USER, "salloc", "--no-shell", "-N2", "-wcpu-[0-1]"], env=bench.ENV, cwd="/tmp",
                         capture_output=True, text=True, check=True).stderr
    return next(line.split()[-1] for line in out.split("\n") if "Granted job allocation" in line)


def wait_for_nodes():
    """Jobs that do not start: held but for the bursts."""
    script = 'for i in $(seq $1); do sbatch -H -J waiting -o /dev/null -N2 -w cpu-0,cpu-1 --exclusive --wrap true >/dev/null || exit; done'
    subprocess.run([*bench.AS_USER, "bash", "-c", script, "bash", str(WAITING)], env=bench.ENV, cwd="/tmp", check=True)


def srun(job_id, *argv):
    return [*bench.AS_USER, "srun", f"--jobid={job_id}", "--overlap", "--mem=0", *argv]


def burst(job_id, steps):
    """Seconds for all of them."""
    left, lock, failed = iter(range(steps)), threading.Lock(), []

    def work():
        while True:
            with lock:
                number = next(left, None)
            if number is None:
                return
            run = subprocess.run(srun(job_id, "-N1", "-n1", "true"), env=bench.ENV, cwd="/tmp",
                                 capture_output=True, text=True, check=False)
            if run.returncode:
                failed.append(run.stderr)

    begin = time.monotonic()
    threads = [threading.Thread(target=work) for _ in range(PARALLEL)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        bench.die(f"{len(failed)} of {steps} steps failed: {failed[0]}")
    return time.monotonic() - begin


class Watch(threading.Thread):
    """When each (pod, step's name) was seen first."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen = {}
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            ["kubectl", "--kubeconfig", bench.KUBE, "-n", bench.NS, "get", "pods", "--watch", "-o",
             'jsonpath={.metadata.name}{" "}' + NOTE + '{"\\n"}'], stdout=subprocess.PIPE, text=True)

    def run(self):
        for line in self.process.stdout:
            now = time.monotonic()
            pod, _, note = line.strip().partition(" ")
            for step in json.loads(note or "[]"):
                if "name" in step:
                    self.seen.setdefault((pod, step["name"]), now)

    def end(self):
        self.process.terminate()


def long_steps(job_id):
    """How long each took to be on each of its pods."""
    watch, begun = Watch(), {}
    watch.start()
    time.sleep(2)
    running = []
    for number in range(LONG):
        begun[f"long-{number}"] = time.monotonic()
        # pylint: disable=consider-using-with
        running.append(subprocess.Popen(srun(job_id, "-N2", "-n2", "-J", f"long-{number}", "sleep", str(LONG_S)),
                                        env=bench.ENV, cwd="/tmp", stderr=subprocess.DEVNULL))
        time.sleep(1.3)
    for process in running:
        process.wait()
    time.sleep(3)
    watch.end()
    return watch.seen, begun


def main():
    steps = int(sys.argv[1])
    api, took, patched = bench.Api(), {True: [], False: []}, []
    cycle = {True: [], False: []}
    bench.start(True)
    wait_for_nodes()
    bench.stop()
    for turn in range(ROUNDS):
        for both in (False, True) if turn % 2 else (True, False):
            use(both)
            home = job()
            burst(home, 20)  # both pods are up, and warm
            bench.slurm(bench.AS_SLURM, "scontrol", "release", "jobname=waiting")
            before = patches(api)
            bench.sdiag("--reset")
            took[both].append(burst(home, steps) / steps)
            cycle[both].append(sum(mean for mean, _ in bench.cycles()))
            bench.slurm(bench.AS_SLURM, "scontrol", "hold", "jobname=waiting")
            if both:
                time.sleep(3)
                patched.append((patches(api) - before) / steps)
            bench.say(f"{'with' if both else 'without'}: {took[both][-1] * 1000:.1f} ms a step, cycles {cycle[both][-1]} us")
            if both and turn == ROUNDS - 1:
                seen, begun = long_steps(home)
            bench.slurm(bench.AS_SLURM, "scancel", home)
            bench.stop()
    late = [seen.get((pod, name), float("inf")) - at for name, at in begun.items() for pod in ("cpu-0", "cpu-1")]
    late.sort()
    ratio = bench.ratio(took[True], took[False])
    print(json.dumps({"bench": "steps", "steps": steps, "ratio": ratio[0], "error": ratio[1],
                      "patches_per_step": round(max(patched), 3),
                      "cycle_ratio": round(sum(cycle[True]) / sum(cycle[False]), 3),
                      "cycle_us": [round(statistics.median(cycle[both])) for both in (True, False)],
                      "steps_per_s": round(1 / statistics.median(took[True]), 1),
                      "ms_with": [round(t * 1000, 1) for t in took[True]],
                      "ms_without": [round(t * 1000, 1) for t in took[False]],
                      "seen_p50_s": round(late[len(late) // 2], 2),
                      "seen_p99_s": round(late[max(0, int(len(late) * 0.99) - 1)], 2),
                      "seen_max_s": round(late[-1], 2)}))


if __name__ == "__main__":
    main()
