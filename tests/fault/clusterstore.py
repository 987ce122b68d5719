# SPDX-License-Identifier: GPL-2.0-or-later
"""A whole cluster in memory: nodes, namespaces, pods, Events and whatever else
is created, with selectors, watches and bookmarks, and with a scheduler and a
kubelet for pods. (Leases are in leasestore.py.) On after {"cluster": {...}} of
/_control:
  objects  put there as they are: {"resource": ..., "object": ...}
  delete   [resource, namespace, name] each
  kinds    {"batch/v1": ["jobs"]}: what the discovery documents tell
  run_ms   so long pods that name a scheduler run, those too that run by now; 0: until they
           are deleted
  speed    a watch ends so many times as early as it was asked for
"""
import copy
import heapq
import itertools
import re
import threading
import time
import uuid

from podstore import Refused, rfc3339, status

PATH = re.compile(r"^/(?:api/v1|apis/([^/]+)/([^/]+))"
                  r"(?:/namespaces/([^/]+)(?=/.))?/([^/]+)(?:/([^/]+))?(?:/([^/]+))?$")
GROUP = re.compile(r"^/apis/([^/]+)(?:/([^/]+))?$")
TERM = re.compile(r"^([^!=]+)(!?=)(.*)$")
HISTORY = 5000  # events that are kept
BOOKMARK_S = 0.1


def dig(obj, path):
    for name in path.split("."):
        obj = obj.get(name) if isinstance(obj, dict) else None
    return "" if obj is None else str(obj)


def selector(q):
    """What the query of a list or watch wants: a function of an object."""
    tests = []
    for term in filter(None, q.get("labelSelector", "").split(",")):
        name, op, value = TERM.match(term).groups()
        tests.append((lambda o, n=name: str(o["metadata"].get("labels", {}).get(n)), op, value))
    for term in filter(None, q.get("fieldSelector", "").split(",")):
        name, op, value = TERM.match(term).groups()
        tests.append((lambda o, n=name: dig(o, n), op, value))
    return lambda o: o is not None and all(
        (get(o) == value) == (op == "=") for get, op, value in tests)


def merge(old, patch):
    """A merge patch; of conditions those of one type are one."""
    for name, value in patch.items():
        if value is None:
            old.pop(name, None)
        elif isinstance(value, dict):
            if not isinstance(old.get(name), dict):
                old[name] = {}
            merge(old[name], value)
        elif name == "conditions":
            types = {c["type"] for c in value}
            old[name] = [c for c in old.get(name, []) if c["type"] not in types] + value
        else:
            old[name] = value


class ClusterStore:
    def __init__(self):
        self.changed = threading.Condition()
        self.timers = threading.Condition()
        self.order = itertools.count()
        self.on = False
        self.reset()
        threading.Thread(target=self._keep_time, daemon=True).start()

    def reset(self):
        with self.changed:
            self.on = False
            self.version = 1000
            self.all = {}       # (resource, namespace, name) -> object
            self.history = []   # (version, resource, before, after)
            self.kinds = {}
            self.run_s, self.speed = 0.05, 1
            self.due = []
            self.bound = self.ended = self.made = self.gone = 0
            self.changed.notify_all()

    def control(self, c):
        with self.changed:
            self.on = True
            self.kinds = c.get("kinds", self.kinds)
            self.run_s = c.get("run_ms", self.run_s * 1000) / 1000
            self.speed = c.get("speed", self.speed)
            if c.get("run_ms"):
                self._end_those_that_run()
            for resource, ns, name in c.get("delete", []):
                self._drop((resource, ns, name))
        for one in c.get("objects", []):
            meta = one["object"]["metadata"]
            self._put((one["resource"], meta.get("namespace", ""), meta["name"]), one["object"])

    def stats(self):
        with self.changed:
            return {"on": self.on, "bound": self.bound, "ended": self.ended,
                    "made": self.made, "gone": self.gone, "objects": len(self.all)}

    # --- time: what kubelets do

    def _keep_time(self):
        while True:
            with self.timers:
                now = time.monotonic()
                if not self.due or self.due[0][0] > now:
                    self.timers.wait(self.due[0][0] - now if self.due else None)
                    continue
                _, _, act, args = heapq.heappop(self.due)
            act(*args)

    def _later(self, seconds, act, *args):
        with self.timers:
            heapq.heappush(self.due, (time.monotonic() + seconds, next(self.order), act, args))
            self.timers.notify()

    # --- objects

    def _record(self, key, before, after):
        self.version += 1
        (after or before)["metadata"]["resourceVersion"] = str(self.version)
        self.history.append((self.version, key[0], before, copy.deepcopy(after)))
        del self.history[:-HISTORY]
        self.changed.notify_all()

    def _put(self, key, obj):
        with self.changed:
            meta = obj["metadata"]
            meta.setdefault("uid", str(uuid.uuid4()))
            meta.setdefault("creationTimestamp", rfc3339(time.time()))
            before = copy.deepcopy(self.all.get(key))
            self.all[key] = obj
            self._record(key, before, obj)

    def _drop(self, key):
        old = self.all.pop(key, None)
        if old:
            self.gone += key[0] == "pods"
            self._record(key, copy.deepcopy(old), None)

    def _find(self, key):
        if key not in self.all:
            raise Refused(404, f'{key[0]} "{key[2]}" not found', details={"name": key[2]})
        return self.all[key]

    def _run(self, key, uid):
        """A kubelet has the pod; one that ends by itself is to end."""
        with self.changed:
            pod = self.all.get(key)
            if not pod or pod["metadata"]["uid"] != uid:
                return
            before = copy.deepcopy(pod)
            now = rfc3339(time.time())
            pod["status"].update(phase="Running", startTime=now, containerStatuses=[
                {"name": c["name"], "restartCount": 0, "ready": True,
                 "state": {"running": {"startedAt": now}}} for c in pod["spec"]["containers"]])
            self._record(key, before, pod)
            ends = "schedulerName" in pod["spec"]
        if ends and self.run_s:
            self._later(self.run_s, self._end, key, uid, 0)

    def _end_those_that_run(self):
        for key, one in self.all.items():
            if (key[0] == "pods" and "schedulerName" in one["spec"]
                    and one.get("status", {}).get("phase") == "Running"):
                self._later(self.run_s, self._end, key, one["metadata"]["uid"], 0)

    def _end(self, key, uid, code):
        with self.changed:
            pod = self.all.get(key)
            if not pod or pod["metadata"]["uid"] != uid:
                return
            before = copy.deepcopy(pod)
            now = rfc3339(time.time())
            pod["status"].update(phase="Failed" if code else "Succeeded", containerStatuses=[
                {"name": c["name"], "restartCount": 0, "ready": False, "state": {
                    "terminated": {"exitCode": code, "finishedAt": now}}}
                for c in pod["spec"]["containers"]])
            self.ended += 1
            self._record(key, before, pod)
            if "deletionTimestamp" in pod["metadata"]:
                self._drop(key)

    # --- verbs

    def create(self, key, obj):
        with self.changed:
            if key in self.all:
                raise Refused(409, f'{key[0]} "{key[2]}" already exists', "AlreadyExists",
                              {"name": key[2]})
            meta = obj["metadata"]
            meta["uid"] = str(uuid.uuid4())
            if key[1]:
                meta["namespace"] = key[1]
            meta["creationTimestamp"] = rfc3339(time.time())
            if key[0] == "pods":
                obj["status"] = {"phase": "Pending"}
                self.made += 1
                # (only those of our scheduler are bound by somebody else)
                obj["spec"].setdefault("nodeName", "w-1")
                self._later(0, self._run, key, meta["uid"])
            self.all[key] = obj
            self._record(key, None, obj)
            return 201, copy.deepcopy(obj)

    def bind(self, key, body):
        with self.changed:
            pod = self._find(key)
            uid = body["metadata"].get("uid", pod["metadata"]["uid"])
            if uid != pod["metadata"]["uid"] or pod["spec"].get("nodeName"):
                raise Refused(409, f'pod {key[2]} is already assigned to a node', "Conflict")
            before = copy.deepcopy(pod)
            pod["spec"]["nodeName"] = body["target"]["name"]
            merge(pod["metadata"], {k: body["metadata"].get(k, {}) for k in (
                "annotations", "labels")})
            self.bound += 1
            self._record(key, before, pod)
            self._later(0, self._run, key, uid)
            return 201, {"kind": "Status", "apiVersion": "v1", "status": "Success"}

    def patch(self, key, body):
        with self.changed:
            old = self._find(key)
            meta = body.get("metadata", {})
            for name in ("uid", "resourceVersion"):
                if meta.get(name, old["metadata"][name]) != old["metadata"][name]:
                    raise Refused(409, f"{name} of {key[2]} is another one", "Conflict")
            before = copy.deepcopy(old)
            merge(old, body)
            self._record(key, before, old)
            return 200, copy.deepcopy(old)

    def delete(self, key, options):
        with self.changed:
            old = self._find(key)
            meta = old["metadata"]
            if options.get("preconditions", {}).get("uid", meta["uid"]) != meta["uid"]:
                raise Refused(409, f"the uid of {key[2]} is another one", "Conflict")
            grace = options.get("gracePeriodSeconds", 30)
            if key[0] != "pods" or not grace or not old["spec"].get("nodeName"):
                self._drop(key)
                return 200, old
            if "deletionTimestamp" not in meta:
                before = copy.deepcopy(old)
                meta.update(deletionTimestamp=rfc3339(time.time() + grace),
                            deletionGracePeriodSeconds=grace)
                self._record(key, before, old)
                self._later(0.01, self._end, key, meta["uid"], 0)
            return 200, copy.deepcopy(old)

    def list(self, resource, ns, q):
        wants = selector(q)
        with self.changed:
            items = [copy.deepcopy(o) for (r, n, _), o in sorted(self.all.items())
                     if r == resource and ns in (None, n) and wants(o)]
            return 200, {"kind": "List", "apiVersion": "v1", "items": items,
                         "metadata": {"resourceVersion": str(self.version)}}

    def discover(self, group, version):
        found = [v.split("/")[1] for v in self.kinds if v.split("/")[0] == group]
        if not version and found:
            return 200, {"kind": "APIGroup", "name": group,
                         "versions": [{"groupVersion": f"{group}/{v}", "version": v}
                                      for v in found]}
        if version in found:
            return 200, {"kind": "APIResourceList", "groupVersion": f"{group}/{version}",
                         "resources": [{"name": n, "namespaced": True}
                                       for n in self.kinds[f"{group}/{version}"]]}
        raise Refused(404, "the server could not find the requested resource")

    def work(self, method, path, q, body):
        if GROUP.match(path):
            return self.discover(*GROUP.match(path).groups())
        m = PATH.match(path)
        if not m:
            raise Refused(404, "the server could not find the requested resource")
        _, _, ns, resource, name, sub = m.groups()
        key = (resource, ns or "", name)
        if method == "POST" and sub == "binding":
            return self.bind(key, body)
        if method == "POST" and not name:
            return self.create((resource, ns or "", body["metadata"].get("name") or
                                body["metadata"].get("generateName", "") + str(uuid.uuid4())), body)
        if method == "PATCH":
            return self.patch(key, body)
        if method == "DELETE":
            return self.delete(key, body)
        if method == "GET" and name:
            with self.changed:
                return 200, copy.deepcopy(self._find(key))
        if method == "GET":
            return self.list(resource, ns, q)
        raise Refused(405, "not for these", "MethodNotAllowed")

    # --- watches

    def _since(self, at, resource, ns, wants):
        """The events after `at`, for one watch."""
        for version, of, before, after in self.history:
            if version <= at or of != resource:
                continue
            obj = after or before
            if ns not in (None, obj["metadata"].get("namespace", "")):
                continue
            was, now = wants(before), wants(after)
            if was or now:
                kind = "DELETED" if not now else "MODIFIED" if was else "ADDED"
                seen = dict(obj, metadata=dict(obj["metadata"], resourceVersion=str(version)))
                yield {"type": kind, "object": seen}

    def _news(self, at, resource, ns, wants, until):
        """(events, newest version), as soon as there are some, or at that time; None:
        what came after `at` is not known any more."""
        while True:
            if self.history and self.history[0][0] > at + 1:
                return None, at
            new, at = list(self._since(at, resource, ns, wants)), max(at, self.version)
            left = until - time.monotonic()
            if new or left <= 0:
                return new, at
            self.changed.wait(left)

    def watch(self, path, q):
        """As PodStore.watch(), and with bookmarks while nothing happens."""
        _, _, ns, resource, _, _ = PATH.match(path).groups()
        wants, at = selector(q), int(q["resourceVersion"])
        end = time.monotonic() + float(q["timeoutSeconds"]) / self.speed
        while time.monotonic() < end:
            with self.changed:
                new, at = self._news(at, resource, ns, wants,
                                     min(end, time.monotonic() + BOOKMARK_S))
            if new is None:
                yield {"type": "ERROR", "object": status(
                    410, f"too old resource version: {at} ({self.version})")}
                return
            yield from new
            if not new:
                yield {"type": "BOOKMARK", "object": {
                    "kind": "Status", "apiVersion": "v1",
                    "metadata": {"resourceVersion": str(at)}}}
