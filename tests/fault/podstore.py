# SPDX-License-Identifier: GPL-2.0-or-later
"""Pods in memory, with as much of the API server's behaviour as the tests
need: UIDs, resourceVersions, graceful deletion, pages and watch events."""
import base64
import copy
import json
import re
import threading
import time
import uuid

REASONS = {400: "BadRequest", 401: "Unauthorized", 403: "Forbidden",
           404: "NotFound", 409: "Conflict", 410: "Expired", 422: "Invalid",
           429: "TooManyRequests", 500: "InternalError",
           503: "ServiceUnavailable"}


def status(code, message, reason=None, details=None):
    """A metav1.Status as the API server writes it."""
    return {"kind": "Status", "apiVersion": "v1", "metadata": {},
            "status": "Failure", "message": message,
            "reason": reason or REASONS.get(code, ""),
            "details": details or {}, "code": code}


class Refused(Exception):
    def __init__(self, code, message, reason=None, details=None):
        super().__init__(message)
        self.code = code
        self.body = status(code, message, reason, details)


def rfc3339(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


BYTE = "no UTF-8: "  # sent as "\\xff"
PARTS = "parts: "    # sent as so many "{}"


def as_json(body):
    """As an API server sends it, which does not look into all that it keeps."""
    text = json.dumps(body).encode().replace(BYTE.encode(), b"\xff")
    return re.sub(PARTS.encode() + rb"(\d+)",
                  lambda m: b'",' + int(m[1]) * b'{},' + b'"', text)


def filler(pod):
    """What makes a pod as many MiB long as its "mib" says, as many levels deep
    as its "deep", of bytes that are no UTF-8 by its "byte", or of as many parts
    as its "parts"."""
    deep = {}
    for _ in range(pod.get("deep", 0)):
        deep = {"f:a": deep}
    if deep:
        return {"spec": deep}
    if "byte" in pod:
        return {"spec": {BYTE: 1}}
    if "parts" in pod:
        return {"spec": {"x": [PARTS + str(pod["parts"])]}}
    mib = pod.get("mib", 0)
    return {"spec": {"x": "x" * (mib * 1024 * 1024)}} if mib else {}


class PodStore:
    def __init__(self):
        self.changed = threading.Condition()
        self.reset()

    def reset(self):
        with self.changed:
            self.pods = {}        # (namespace, name) -> pod
            self.history = []     # (version, type, pod) for watches
            self.version = 1000
            self.looks = 2        # a terminating pod is gone after so many
            self.remains = False  # ... or stays, its containers ended
            self.left = {}        # uid -> looks left
            self.creates, self.deletes = {}, {}
            self.changed.notify_all()

    def _record(self, kind, pod):
        self.version += 1
        pod["metadata"]["resourceVersion"] = str(self.version)
        self.history.append((self.version, kind, copy.deepcopy(pod)))
        self.changed.notify_all()

    def _find(self, ns, name):
        pod = self.pods.get((ns, name))
        if not pod:
            raise Refused(404, f'pods "{name}" not found',
                          details={"name": name, "kind": "pods"})
        return pod

    def _remove(self, ns, name):
        self._record("DELETED", self.pods.pop((ns, name)))

    def _terminate(self, pod):
        """Its containers end; the object stays until it is deleted again."""
        pod["status"]["containerStatuses"] = [
            {"name": c["name"],
             "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}
            for c in pod.get("spec", {}).get("containers", [])]

    def _look(self, pod):
        """One reader saw the pod: a terminating one gets nearer its end."""
        meta = pod["metadata"]
        left = self.left.get(meta["uid"])
        if left is None:
            return
        self.left[meta["uid"]] = left = left - 1
        if left > 0:
            return
        del self.left[meta["uid"]]
        if self.remains:
            self._terminate(pod)
            self._record("MODIFIED", pod)
        else:
            self._remove(meta["namespace"], meta["name"])

    def put(self, pod, ns):
        """A pod as the test wants it, over whatever is there."""
        with self.changed:
            meta = pod["metadata"]
            meta["namespace"] = ns
            meta.setdefault("uid", str(uuid.uuid4()))
            age = pod.pop("ageSeconds", 0)
            pod.update(filler(pod))
            for key in ("mib", "deep", "byte", "parts"):
                pod.pop(key, None)
            meta["creationTimestamp"] = rfc3339(time.time() - age)
            pod.setdefault("status", {"phase": "Pending"})
            self.pods[ns, meta["name"]] = pod
            if "deletionTimestamp" in meta:
                self.left[meta["uid"]] = self.looks
            self._record("ADDED", pod)

    def swap(self, ns, name):
        """Another pod takes the place of the one of that name."""
        with self.changed:
            pod = copy.deepcopy(self._find(ns, name))
            self._remove(ns, name)
            pod["metadata"].pop("deletionTimestamp", None)
            pod["metadata"]["uid"] = str(uuid.uuid4())
            pod["metadata"]["creationTimestamp"] = rfc3339(time.time())
            pod["status"] = {"phase": "Pending"}
            self.pods[ns, name] = pod
            self._record("ADDED", pod)

    def create(self, ns, pod):
        with self.changed:
            meta = pod.setdefault("metadata", {})
            name = meta.get("name")
            if not name:
                raise Refused(422, 'Pod "" is invalid: metadata.name: Required'
                              " value: name or generateName is required")
            if (ns, name) in self.pods:
                raise Refused(409, f'pods "{name}" already exists',
                              "AlreadyExists",
                              {"name": name, "kind": "pods"})
            meta.update(namespace=ns, uid=str(uuid.uuid4()),
                        creationTimestamp=rfc3339(time.time()))
            pod["status"] = {"phase": "Pending"}
            self.pods[ns, name] = pod
            self.creates[name] = self.creates.get(name, 0) + 1
            self._record("ADDED", pod)
            return 201, copy.deepcopy(pod)

    def get(self, ns, name):
        with self.changed:
            pod = self._find(ns, name)
            seen = copy.deepcopy(pod)
            self._look(pod)
            return 200, seen

    def delete(self, ns, name, options):
        with self.changed:
            pod = self._find(ns, name)
            meta = pod["metadata"]
            want = options.get("preconditions", {}).get("uid", meta["uid"])
            if want != meta["uid"]:
                raise Refused(
                    409, f'Operation cannot be fulfilled on pods "{name}": '
                    f"Precondition failed: UID in precondition: {want}, UID "
                    f"in object meta: {meta['uid']}", "Conflict")
            self.deletes[name] = self.deletes.get(name, 0) + 1
            grace = options.get("gracePeriodSeconds", pod.get("spec", {}).get(
                "terminationGracePeriodSeconds", 30))
            if meta.get("finalizers"):
                meta["deletionTimestamp"] = rfc3339(time.time())
            elif grace == 0 or not self.looks:
                self._remove(ns, name)
                return 200, pod
            elif "deletionTimestamp" not in meta:
                meta["deletionTimestamp"] = rfc3339(time.time())
                meta["deletionGracePeriodSeconds"] = grace
                self.left[meta["uid"]] = self.looks
                self._record("MODIFIED", pod)
            elif grace < meta.get("deletionGracePeriodSeconds", 0):
                meta["deletionGracePeriodSeconds"] = grace  # (never longer)
                self._record("MODIFIED", pod)
            return 200, copy.deepcopy(pod)

    def list(self, ns, limit, token):
        with self.changed:
            at = {"version": self.version, "after": ""}
            if token:
                at = json.loads(base64.urlsafe_b64decode(token))
            all_of = sorted(n for s, n in self.pods if s == ns)
            names = [n for n in all_of if n > at["after"]]
            meta = {"resourceVersion": str(at["version"])}
            if limit and len(names) > limit:
                meta["remainingItemCount"] = len(names) - limit
                names = names[:limit]
                at["after"] = names[-1]
                meta["continue"] = base64.urlsafe_b64encode(
                    json.dumps(at).encode()).decode()
            items = [copy.deepcopy(self.pods[ns, n]) for n in names]
            for n in names:
                self._look(self.pods[ns, n])
            return 200, {"kind": "PodList", "apiVersion": "v1",
                         "metadata": meta, "items": items}

    def watch(self, ns, version, timeout):
        """Events after `version`, as they come, until the timeout; None when
        there was nothing for a while."""
        end, at = time.monotonic() + timeout, int(version)
        while True:
            with self.changed:
                left = end - time.monotonic()
                if left <= 0:
                    return
                new = [e for e in self.history
                       if e[0] > at and e[2]["metadata"]["namespace"] == ns]
                if not new:
                    self.changed.wait(min(left, 0.2))
                at = new[-1][0] if new else at
            for _, kind, pod in new:
                yield {"type": kind, "object": pod}
            if not new:
                yield None


def bookmark(version):
    return {"type": "BOOKMARK", "object": {
        "kind": "Pod", "apiVersion": "v1",
        "metadata": {"resourceVersion": str(version),
                     "creationTimestamp": None}}}
