# SPDX-License-Identifier: GPL-2.0-or-later
"""Leases in memory: create, get and replace, with resourceVersions."""
import copy
import threading

from podstore import Refused


class LeaseStore:
    def __init__(self):
        self.lock = threading.Lock()
        self.reset()

    def reset(self):
        with self.lock:
            self.leases, self.version = {}, 5000

    def _store(self, ns, lease):
        self.version += 1
        lease["metadata"]["resourceVersion"] = str(self.version)
        self.leases[ns, lease["metadata"]["name"]] = lease
        return copy.deepcopy(lease)

    def _find(self, ns, name):
        if (ns, name) not in self.leases:
            raise Refused(404, f'leases.coordination.k8s.io "{name}" not found')
        return self.leases[ns, name]

    def put(self, lease, ns):
        """As the test wants it, over whatever is there."""
        with self.lock:
            self._store(ns, lease)

    def remove(self, name, ns):
        with self.lock:
            self.leases.pop((ns, name), None)

    def get(self, ns, name):
        with self.lock:
            return 200, copy.deepcopy(self._find(ns, name))

    def create(self, ns, lease):
        with self.lock:
            name = lease["metadata"]["name"]
            if (ns, name) in self.leases:
                raise Refused(409, f'leases "{name}" already exists',
                              "AlreadyExists")
            made = self._store(ns, lease)
            return 201, {"kind": "PartialObjectMetadata",
                         "apiVersion": "meta.k8s.io/v1",
                         "metadata": made["metadata"]}

    def replace(self, ns, name, lease):
        with self.lock:
            old = self._find(ns, name)["metadata"]["resourceVersion"]
            if lease["kind"] != "Lease":
                raise Refused(400, f'a {lease["kind"]} is no Lease')
            if lease["metadata"].get("resourceVersion", old) != old:
                raise Refused(409, f'Operation cannot be fulfilled on leases '
                              f'"{name}": the object has been modified')
            return 200, self._store(ns, lease)
