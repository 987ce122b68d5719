#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pods through Slurm's queue, beside what Slurm and Kubernetes allow alone.

Usage: tests/bench/bridge.py PODS     (called by tests/bench/run bridge)

A watch of the bench's own says when a pod was created, bound and deleted. No
kubelet runs the pods: they are for nodes that exist in Kubernetes only.
"""
import json
import os
import pwd
import random
import re
import statistics
import subprocess
import sys
import threading
import time

import bench
from bench import AS_SLURM, AS_USER, NS, SITE, USER, Api, die, say, slurm, until

TEAM = os.environ["BENCH_TEAM"]
PODS = f"/api/v1/namespaces/{TEAM}/pods"
NODES, CPUS = 8, 128
ROUNDS, IDLE, CANCELLED = 5, 100, 200
STREAMS = 64  # requests of the bench under way: more than the bridge's
OURS, NOBODY = "slurm-bridge-scheduler", "none"


# --- Kubernetes nodes without a kubelet

class Nodes(threading.Thread):
    """Each is Ready, and says so each 10 s. `plain` is not Slurm's."""

    def __init__(self):
        super().__init__(daemon=True)
        self.api = Api()
        self.names = [f"hollow-{i}" for i in range(NODES)]
        self.plain = "hollow-plain"
        for name in [*self.names, self.plain]:
            labels = {"slurm-k8s-bench": NS}
            if name != self.plain:
                labels["slurm-k8s.io/external-node"] = ""
            self.api.call("POST", "/api/v1/nodes", {"metadata": {"name": name, "labels": labels}})
        self.beat()

    def beat(self):
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        size = {"cpu": str(CPUS), "memory": "64Gi", "pods": "2000"}
        for name in [*self.names, self.plain]:
            self.api.call("PATCH", f"/api/v1/nodes/{name}/status", {"status": {
                "allocatable": size, "capacity": size,
                "conditions": [{"type": "Ready", "status": "True", "reason": "Bench", "message": "",
                                "lastHeartbeatTime": now, "lastTransitionTime": now}]}})

    def run(self):
        while True:
            time.sleep(10)
            self.beat()


# --- pods

def pod(name, scheduler):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
        "schedulerName": scheduler, "restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
        "containers": [{"name": "main", "image": "none",
                        "resources": {"requests": {"cpu": "1", "memory": "16Mi"}}}]}}


def binding(name, node):
    return {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node}}


class Watch(threading.Thread):
    """When was each pod (by name) seen first, with a node, and on its way out?

    Lines are read at once, and looked into when somebody asks. An API server closes a watch whose
    reader does not keep up (one that has just started allows it ten events): it goes on then from
    the last event, and says so.
    """

    def __init__(self):
        super().__init__(daemon=True)
        self.lines = []
        self.looked = 0
        self.ended = None  # why
        self.version = Api().call("GET", f"{PODS}?limit=1")["metadata"]["resourceVersion"]
        self.stream = self.open()
        self.created, self.bound, self.leaving = {}, {}, {}
        self.start()

    def open(self):
        api = Api()
        api.connection.request("GET", f"{PODS}?watch=1&resourceVersion={self.version}")
        api.connection.sock.settimeout(None)
        return api.connection.getresponse()

    def run(self):
        try:
            while self.stream.status == 200:
                line = None
                for line in self.stream:
                    self.lines.append((time.monotonic(), line))
                if line:
                    self.version = json.loads(line)["object"]["metadata"]["resourceVersion"]
                say(f"the bench's own watch was closed, and goes on from {self.version}")
                self.stream = self.open()
            self.ended = f"status {self.stream.status}"
        except Exception as error:  # (sys.exit() here would end this thread alone)
            self.ended = repr(error)

    def look(self):
        ended = self.ended
        new = self.lines[self.looked:]
        if ended and not new:
            die(f"the bench's own watch has ended: {ended}")
        self.looked += len(new)
        for now, line in new:
            event = json.loads(line)
            if event["type"] == "ERROR":
                die(f"the watch: {line}")
            name = event["object"]["metadata"]["name"]
            self.created.setdefault(name, now)
            if event["object"]["spec"].get("nodeName"):
                self.bound.setdefault(name, now)
            if event["type"] == "DELETED" or event["object"]["metadata"].get("deletionTimestamp"):
                self.leaving.setdefault(name, now)
        return self

    def wait(self, which, names, seconds=120):
        """The times of all these."""
        until(f"{len(names)} pods to be {which}", seconds, lambda: names <= getattr(self.look(), which).keys(), 0.05)
        return sorted(getattr(self, which)[name] for name in names)


class Client:
    """Many POSTs over one connection, as fast as curl sends them."""

    def __init__(self):
        self.server, ca, key = bench.administrator()
        for name, text in ("ca.pem", ca), ("key.pem", key):
            with open(os.open(f"{SITE}/{name}", os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(text)

    def post(self, requests):
        words = []
        for path, body in requests:
            text = json.dumps(body).replace("\\", "\\\\").replace('"', '\\"')
            words.append(f'url = "{self.server}{path}"\ndata-binary = "{text}"\n'
                         'header = "Content-Type: application/json"\n'
                         f'cacert = "{SITE}/ca.pem"\ncert = "{SITE}/key.pem"\n'
                         'output = "/dev/null"\nwrite-out = "%{http_code}\\n"\n')
        with open(f"{SITE}/curl.conf", "w", encoding="utf-8") as file:
            file.write("next\n".join(words))
        run = subprocess.run(["curl", "-sS", "-Z", "--parallel-max", str(STREAMS), "-K", f"{SITE}/curl.conf"],
                             capture_output=True, text=True, check=False)
        if run.stdout.split() != ["201"] * len(requests):
            die(f"curl: {run.stdout.split().count('201')} of {len(requests)} are good: {run.stderr[:500]}")


def jobs(*states):
    return slurm(AS_USER, "squeue", "-h", *states, "-o", "%i").split()


def delete_all(api, watch, names):
    api.call("DELETE", f"{PODS}?gracePeriodSeconds=0")
    watch.wait("leaving", set(names))


def remove(api, watch, names):
    """Pods without a kubelet go at once; then their jobs do."""
    delete_all(api, watch, names)
    until("no job", 120, lambda: not jobs())


# --- what is possible

def bindings_alone(api, client, watch, nodes, names):
    """Seconds that so many bare POSTs of pods/binding take (from the first to the last)."""
    client.post([(PODS, pod(name, NOBODY)) for name in names])
    client.post([(f"{PODS}/{name}/binding", binding(name, nodes.plain)) for name in names])
    times = watch.wait("bound", set(names))
    delete_all(api, watch, names)
    return (times[-1] - times[0]) * len(times) / (len(times) - 1)


def submissions_alone(count):
    """Seconds that so many placeholders take, by the call that the bridge has."""
    user = pwd.getpwnam(USER)
    identity = {"k8s": {"cluster": "bench", "kind": "Pod", "namespace": TEAM, "name": "alone-0",
                        "uid": "01234567-89ab-cdef-0123-456789abcdef", "pods": 1}}
    rate = slurm(AS_SLURM, f"{SITE}/placeholder", "many", str(count), f"uid={user.pw_uid}", f"gid={user.pw_gid}",
                 "partition=k8s", "name=alone", "tasks=1", "cpus_per_task=1", "memory_per_task=16", "min_nodes=1",
                 "max_nodes=1", "exclusive=2", f"admin_comment={json.dumps(identity)}")
    slurm(AS_SLURM, "scancel", f"--user={USER}")
    until("no job", 60, lambda: not jobs())
    return count / int(rate)


# --- the bridge

def requests(api):
    """What the API server counts of pods and Events, but lists and watches; by what it is."""
    api.connection.request("GET", "/metrics")
    text = api.connection.getresponse().read().decode()
    sums = {}
    for labels, value in re.findall(r"^apiserver_request_total\{(.*)\} (\S+)$", text, re.M):
        of = dict(re.findall(r'(\w+)="([^"]*)"', labels))
        if of["resource"] in ("pods", "events") and of["verb"] not in ("LIST", "WATCH"):
            key = f"{of['verb']} {of['resource']}/{of['subresource']} {of['code']}"
            sums[key] = sums.get(key, 0) + int(float(value))
    return sums


def settled(api):
    """The counts, when nobody has asked for anything for 2 s."""
    last = requests(api)
    for _ in range(30):
        time.sleep(2)
        now = requests(api)
        if now == last:
            return now
        last = now
    die(f"requests do not end: {last}")
    return None


def burst(api, client, watch, names):
    """Pods bound a second, from the first one's creation on; requests for each pod."""
    before = settled(api)
    client.post([(PODS, pod(name, OURS)) for name in names])
    bound = watch.wait("bound", set(names))
    created = sorted(watch.created[name] for name in names)
    more = {key: n - before.get(key, 0) for key, n in settled(api).items() if n != before.get(key, 0)}
    asked = sum(more.values()) - len(names)  # (they were created)
    say(f"created in {created[-1] - created[0]:.2f} s, first bound at {bound[0] - created[0]:.2f} s, "
        f"half at {bound[len(bound) // 2] - created[0]:.2f} s, last at {bound[-1] - created[0]:.2f} s; {more}")
    return len(names) / (bound[-1] - created[0]), asked / len(names)


def idle(api, watch):
    """Milliseconds from created to bound, one pod after another."""
    took, names = [], [f"idle-{i}" for i in range(IDLE)]
    for name in names:
        time.sleep(random.uniform(0.2, 0.5))
        api.call("POST", PODS, pod(name, OURS))
        watch.wait("bound", {name})
        took.append((watch.bound[name] - watch.created[name]) * 1000)
    remove(api, watch, names)
    return sorted(took)


def cancel(watch):
    """Seconds from scancel's start to the last pod's DELETE, as the watch sees it."""
    label = "slurm-k8s.io/job-id"
    chosen = jobs("-t", "R")[:CANCELLED]
    pods = {item["metadata"]["name"] for item in Api().call("GET", PODS)["items"]
            if item["metadata"].get("labels", {}).get(label) in chosen}
    if len(pods) != CANCELLED:
        die(f"{len(chosen)} jobs run, of {len(pods)} pods")
    begin = time.monotonic()
    slurm(AS_USER, "scancel", *chosen)
    ended = time.monotonic() - begin
    times = [at - begin for at in watch.wait("leaving", pods)]
    say(f"scancel took {ended:.2f} s; first DELETE at {times[0]:.2f} s, half at "
        f"{statistics.median(times):.2f} s, last at {times[-1]:.2f} s")
    return times[-1]


def median(figures):
    return statistics.median(figures)


def up():
    bench.start(engine=True)
    until("the nodes", 60, lambda: slurm(AS_USER, "sinfo", "-h", "-p", "k8s", "-t", "idle", "-o", "%D") == str(NODES))


def one_round(api, client, watch, nodes, names):
    """The three of one ratio, one right after another: the machine may do something else, too."""
    bench.stop()
    posts = bindings_alone(api, client, watch, nodes, [f"{name}-alone" for name in names])
    up()
    placed = submissions_alone(len(names))
    bound, asked = burst(api, client, watch, names)
    limit = len(names) / (placed + posts)
    say(f"{len(names)} bindings alone {posts:.3f} s, submissions {placed:.3f} s; {bound:.0f} of {limit:.0f}/s")
    cancelled = cancel(watch)
    remove(api, watch, names)
    return bound / limit, bound, limit, len(names) / placed, asked, cancelled


def main():
    count = int(sys.argv[1])
    api, client, nodes, watch = Api(), Client(), Nodes(), Watch()
    nodes.start()
    up()
    waits = idle(api, watch)
    say(f"idle: least {waits[0]:.1f}, p50 {median(waits):.1f}, most {waits[-1]:.1f} ms")
    rounds = [one_round(api, client, watch, nodes, [f"pod-{i}-{n}" for n in range(count)]) for i in range(ROUNDS)]
    bench.stop()
    ratio, bound, limit, placed, asked, cancelled = zip(*rounds)
    print(json.dumps({"bench": "bridge", "pods": count, "ratio": round(median(ratio), 3),
                      "bound_per_s": round(median(bound), 1), "limit_per_s": round(median(limit), 1),
                      "slurm_alloc_per_s": round(median(placed), 1),
                      "idle_p50_ms": round(median(waits), 1), "idle_p99_ms": round(waits[len(waits) * 99 // 100 - 1], 1),
                      "cancel_p99_s": round(max(cancelled), 3), "api_requests_per_pod": round(max(asked), 2)}))


if __name__ == "__main__":
    main()
