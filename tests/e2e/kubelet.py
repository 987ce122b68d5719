#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Plays kubelet for nodes that have none, and watches over all bridged pods.

Usage: kubelet.py SERVER DIRECTORY NAMESPACE NODE...
       DIRECTORY has ca.crt, admin.crt and admin.key

A bound pod runs for 0.3 to 4 s and succeeds, or fails with exit code 3 (one in
eight); with the annotation "test/lasts: SECONDS" it succeeds after that, and it may
be changed meanwhile. What is
deleted goes after a moment. What may never happen is written to standard
output: a pod that changes its node, two pods of one Job that run at a time,
a node with more pods than CPUs.
"""
import http.client
import json
import random
import ssl
import sys
import threading
import time
import urllib.parse

SERVER, DIRECTORY, NAMESPACE = sys.argv[1:4]
NODES = sys.argv[4:]
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
TICK = 0.05


class Api:
    """One connection, made anew when it breaks."""

    def __init__(self):
        self.address = urllib.parse.urlsplit(SERVER)
        self.context = ssl.create_default_context(cafile=f"{DIRECTORY}/ca.crt")
        self.context.load_cert_chain(f"{DIRECTORY}/admin.crt", f"{DIRECTORY}/admin.key")
        self.connection = None

    def send(self, method, path, body=None, kind="application/json", timeout=30):
        if not self.connection:
            self.connection = http.client.HTTPSConnection(self.address.hostname, self.address.port,
                                                          context=self.context, timeout=timeout)
        self.connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": kind})
        return self.connection.getresponse()

    def call(self, method, path, body=None, kind="application/strategic-merge-patch+json"):
        """The answer, or None (gone, or changed by somebody else)."""
        for _ in range(2):
            try:
                reply = self.send(method, path, body, kind)
                text = reply.read()
                return json.loads(text) if reply.status < 300 else None
            except (OSError, http.client.HTTPException):
                self.connection = None
        return None


def stamp():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def say(words):
    print(words, flush=True)


class Pods(threading.Thread):
    """All pods of the namespace, as a watch has them."""

    def __init__(self):
        super().__init__(daemon=True)
        self.lock = threading.Lock()
        self.pods = {}  # by uid
        self.bound = {}  # uid: node
        self.cpus = {}  # of nodes, as they are when they are first used

    def run(self):
        while True:
            try:
                self.follow()
            except (OSError, ValueError, KeyError, http.client.HTTPException):
                time.sleep(0.2)  # (KeyError: no list, but why there is none)

    def follow(self):
        api = Api()
        listed = json.loads(api.send("GET", PODS).read())
        with self.lock:
            self.pods = {pod["metadata"]["uid"]: pod for pod in listed["items"]}
        version = listed["metadata"]["resourceVersion"]
        for line in api.send("GET", f"{PODS}?watch=1&resourceVersion={version}", timeout=None):
            event = json.loads(line)
            if event["type"] == "ERROR":
                return
            with self.lock:
                self.take(event["type"], event["object"])

    def take(self, what, pod):
        uid, node = pod["metadata"]["uid"], pod["spec"].get("nodeName")
        if what == "DELETED":
            self.pods.pop(uid, None)
            return
        self.pods[uid] = pod
        if not node:
            return
        if self.bound.setdefault(uid, node) != node:
            say(f"{pod['metadata']['name']} was bound to {self.bound[uid]}, and then to {node}")
        if what == "MODIFIED":
            self.check(pod, node)

    def check(self, pod, node):
        mine = [other for other in self.pods.values() if occupies(other)]
        for owner in pod["metadata"].get("ownerReferences", []):
            copies = [other["metadata"]["name"] for other in mine if owner["uid"] in owners(other)]
            if len(copies) > 1:
                say(f"{owner['kind']} {owner['name']} has {len(copies)} pods that run: {' '.join(copies)}")
        there = [other for other in mine if other["spec"]["nodeName"] == node]
        if len(there) > self.cpus.get(node, len(there)):
            say(f"{stamp()} {len(there)} pods on {node}, which has {self.cpus[node]} CPUs: "
                + ", ".join(map(words, there)))

    def all(self):
        with self.lock:
            return list(self.pods.values())


def owners(pod):
    """(a controller makes a new one as soon as an old one is being deleted)"""
    meta = pod["metadata"]
    return [] if meta.get("deletionTimestamp") else [owner["uid"] for owner in meta.get("ownerReferences", [])]


def occupies(pod):
    """(each asks for one CPU)"""
    return pod["spec"].get("nodeName") and pod["status"].get("phase") in ("Pending", "Running")


def words(pod):
    """Who it is, its job, and how it is doing."""
    meta = pod["metadata"]
    return " ".join([meta["name"], meta.get("annotations", {}).get("slurm-k8s.io/job-id", "?"),
                     "deleted" if "deletionTimestamp" in meta else pod["status"]["phase"]])


def status(pod, phase, state):
    name = pod["spec"]["containers"][0]["name"]
    return {"status": {"phase": phase, "containerStatuses": [{
        "name": name, "image": "none", "imageID": "", "ready": phase == "Running", "restartCount": 0, "state": state}]}}


class Beats(threading.Thread):
    """The nodes' heartbeats, however much there is to do with pods."""

    def run(self):
        api = Api()
        while True:
            for node in NODES:
                api.call("PATCH", f"/api/v1/nodes/{node}/status", {"status": {"conditions": [{
                    "type": "Ready", "status": "True", "reason": "Test", "lastHeartbeatTime": stamp()}]}})
            time.sleep(3)


class Kubelet:
    def __init__(self):
        self.api = Api()
        self.begun = {}  # uid: when it has begun its work
        self.works = {}  # uid: for how long, if it does not say
        self.goes = {}  # uid: when it has gone
        self.done = set()

    def step(self, pod):
        meta, now = pod["metadata"], time.monotonic()
        uid, path = meta["uid"], f"{PODS}/{meta['name']}"
        lasts = meta.get("annotations", {}).get("test/lasts")
        if meta.get("deletionTimestamp"):
            if now >= self.goes.setdefault(uid, now + random.uniform(0, 0.5)):
                self.api.call("DELETE", path, {"gracePeriodSeconds": 0, "preconditions": {"uid": uid}},
                              "application/json")
        elif uid not in self.begun:
            if self.api.call("PATCH", f"{path}/status", status(pod, "Running", {"running": {"startedAt": stamp()}})):
                self.begun[uid], self.works[uid] = now, random.uniform(0.3, 4)
        elif uid not in self.done and now >= self.begun[uid] + (float(lasts) if lasts else self.works[uid]):
            code = 3 if not lasts and random.random() < 0.125 else 0
            ended = {"terminated": {"exitCode": code, "reason": "Error" if code else "Completed",
                                    "startedAt": stamp(), "finishedAt": stamp()}}
            if self.api.call("PATCH", f"{path}/status", status(pod, "Failed" if code else "Succeeded", ended)):
                self.done.add(uid)


def main():
    pods, kubelet = Pods(), Kubelet()
    for node in NODES:
        found = kubelet.api.call("GET", f"/api/v1/nodes/{node}")
        pods.cpus[node] = int(found["status"]["allocatable"]["cpu"])
    pods.start()
    Beats(daemon=True).start()
    say("ready")
    while True:
        for pod in pods.all():
            if pod["spec"].get("nodeName") in NODES:
                kubelet.step(pod)
        time.sleep(TICK)


if __name__ == "__main__":
    main()
