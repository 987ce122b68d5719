#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What 10,000 pods in view cost slurmctld: memory, and time to list them.

Usage: tests/bench/watch.py PODS     (called by tests/bench/run watch)

The same slurmctld without pods is the reference. The pods never run: they ask
for a Kubernetes node that is not there.
"""
import base64
import json
import os
import re
import subprocess
import sys
import time
from datetime import datetime

SITE, NS, KUBE, TOP = (os.environ[k] for k in ("SITE", "SITE_NS", "SITE_KUBE", "TOP"))
LOG = f"{SITE}/log/slurmctld.log"


def kubectl(*argv):
    return subprocess.run(["kubectl", "--kubeconfig", KUBE, *argv], check=True,
                          capture_output=True, text=True).stdout


def site(command):
    subprocess.run(["bash", "-c", f". {TOP}/script/lib/site.sh; {command}"], check=True,
                   stdout=sys.stderr)


def rss_mb():
    with open(f"{SITE}/slurmctld.pid", encoding="utf-8") as file:
        pid = file.read().strip()
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(re.search(r"VmRSS:\s*(\d+)", file.read()).group(1)) / 1024


def logged(pattern, start):
    """The time of the first line after byte `start` that matches."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        with open(LOG, encoding="utf-8", errors="replace") as file:
            file.seek(start)
            for line in file:
                if re.search(pattern, line):
                    return datetime.fromisoformat(line[1:24])
        time.sleep(0.05)
    sys.exit(f"watch: no line with '{pattern}'")


def measure(pods):
    start = os.path.getsize(LOG) if os.path.exists(LOG) else 0
    site("slurmctld_start")
    begin = logged("k8s: engine .* runs", start)
    listed = logged(rf"k8s: cluster prod: {pods} pods in view", start)
    time.sleep(3)  # what was needed for the list only is given back
    rss = rss_mb()
    site("slurmctld_stop")
    return rss, (listed - begin).total_seconds()


def create(pods):
    """By h2load, with names that the server makes up; until there are enough."""
    server = json.loads(kubectl("config", "view", "--raw", "--minify", "-o", "json"))["clusters"][0]["cluster"]["server"]
    secret = json.loads(kubectl("-n", NS, "get", "secret", "slurmctld-token", "-o", "json"))
    token = base64.b64decode(secret["data"]["token"]).decode()
    body = {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"generateName": "watched-", "labels": {
                "slurm-k8s.io/cluster": "cluster", "slurm-k8s.io/node": "no-such-node",
                "slurm-k8s.io/nodeset": "cpu", "slurm-k8s.io/template-hash": "0123456789abcdef"}},
            "spec": {"nodeSelector": {"no-such": "node"}, "automountServiceAccountToken": False,
                     "containers": [{"name": "slurmd", "image": "localhost/none",
                                     "env": [{"name": f"VARIABLE_{i}", "value": "value " * 10} for i in range(20)]}]}}
    with open(f"{SITE}/body.json", "w", encoding="utf-8") as file:
        json.dump(body, file)
    have = 0
    while have < pods:
        subprocess.run(["h2load", "-n", str(pods - have), "-c", "1", "-m", "50", "-d", f"{SITE}/body.json",
                        "-H", "content-type: application/json", "-H", f"authorization: Bearer {token}",
                        f"{server}/api/v1/namespaces/{NS}/pods"], check=True, capture_output=True)
        have = kubectl("-n", NS, "get", "pods", "-o", "name").count("\n")


def main():
    pods = int(sys.argv[1])
    empty, _ = measure(0)
    create(pods)
    full, list_s = measure(pods)
    print(json.dumps({"bench": "watch", "pods": pods, "rss_added_mb": round(full - empty, 1),
                      "list_s": round(list_s, 2)}))


if __name__ == "__main__":
    main()
