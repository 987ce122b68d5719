# SPDX-License-Identifier: GPL-2.0-or-later
"""1,000 pods through k8s_resume, through h2load and through kubectl.

In turns, the namespace emptied in between; medians. The pods stay Pending.
Run by tests/bench/run.
"""
import base64
import json
import os
import re
import statistics
import subprocess
import sys
import time

N = 1000
ENV = os.environ
SITE, NS, BIN, KUBE = (ENV[k] for k in ("SITE", "SITE_NS", "SITE_BIN", "SITE_KUBE"))
AS_SLURM = ["setpriv", "--reuid", "slurm", "--regid", "slurm", "--clear-groups",
            "env", "-i", "PATH=/usr/bin:/bin", f"SLURM_CONF={SITE}/slurm.conf"]


def out(*argv):
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def kubectl(*args):
    return out("kubectl", "--kubeconfig", KUBE, *args)


class Api:
    """The API server as the load generator needs it."""

    def __init__(self):
        conf = json.loads(kubectl("config", "view", "--raw", "--minify", "-o", "json"))
        self.server = conf["clusters"][0]["cluster"]["server"]
        secret = json.loads(kubectl("-n", NS, "get", "secret", "slurmctld-token", "-o", "json"))
        self.token = base64.b64decode(secret["data"]["token"]).decode()

    def count(self):
        return len(kubectl("-n", NS, "get", "pods", "-o", "name").split())

    def empty(self):
        kubectl("delete", "--raw", f"/api/v1/namespaces/{NS}/pods?gracePeriodSeconds=0")
        end = time.monotonic() + 120
        while self.count():
            assert time.monotonic() < end, "the namespace does not get empty"
            time.sleep(0.2)
        time.sleep(1)  # let the scheduler and etcd come to rest


def timed(argv):
    t0 = time.monotonic()
    run = subprocess.run(argv, capture_output=True, text=True)
    took = time.monotonic() - t0
    if run.returncode:
        sys.exit(f"{argv[0]}: exit code {run.returncode}\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return took, run.stdout


def check(api, what):
    have = api.count()
    if have != N:
        sys.exit(f"{what}: {have} pods instead of {N}")


def ours(api):
    took, _ = timed(AS_SLURM + [f"{BIN}/k8s_resume", f"bench-[0-{N - 1}]"])
    check(api, "k8s_resume")
    return took


def h2load(api, body, streams, tries=3):
    # Two generated names may be the same (the server says 5xx then): once more
    # h2load counts from its first connection on, like our own clock, which
    # begins with the program: its process time is the fair one
    took, text = timed(["h2load", "-n", str(N), "-c", "1", "-m", str(streams), "-d", body,
                        "-H", "content-type: application/json",
                        "-H", f"authorization: Bearer {api.token}",
                        f"{api.server}/api/v1/namespaces/{NS}/pods"])
    codes = re.search(r"status codes: (\d+) 2xx", text)
    if not codes or int(codes.group(1)) != N:
        if not tries:
            sys.exit(f"h2load: not all were created\n{text}")
        api.empty()
        return h2load(api, body, streams, tries - 1)
    check(api, "h2load")
    return took


def kubectl_create(api, listing):
    took, _ = timed(["kubectl", "--kubeconfig", KUBE, "create", "-f", listing])
    check(api, "kubectl")
    return took


def files():
    """The same pod for all three: a body with generateName, and a list."""
    text = out(*AS_SLURM, f"{BIN}/k8s_resume", "--dry-run", "bench-0")
    pod = json.loads(text)
    del pod["metadata"]["name"]
    pod["metadata"]["generateName"] = "bench-"
    body = f"{SITE}/body.json"
    with open(body, "w", encoding="utf-8") as f:
        json.dump(pod, f, separators=(",", ":"))
    listing = f"{SITE}/list.json"
    with open(listing, "w", encoding="utf-8") as f:
        json.dump({"apiVersion": "v1", "kind": "List", "items": [pod] * N}, f)
    return body, listing


def main():
    rounds = int(sys.argv[1])
    api = Api()
    body, listing = files()
    api.empty()
    ours(api)  # warm everything up once, also the API server
    k = []
    b = {m: [] for m in (10, 50, 100, 200)}
    a = {m: [] for m in b}  # ours, each right after an h2load run: the API server drifts
    for i in range(rounds):
        for m, times in b.items():
            api.empty()
            times.append(h2load(api, body, m))
            api.empty()
            a[m].append(ours(api))
        api.empty()
        k.append(kubectl_create(api, listing))
        print(f"round {i + 1}: ours {[a[m][-1] for m in a]} h2load {[b[m][-1] for m in b]} kubectl {k[-1]}",
              file=sys.stderr)
    api.empty()
    limit_m, limit = min(((m, statistics.median(t)) for m, t in b.items()), key=lambda x: x[1])
    mine = statistics.median(a[limit_m])
    kube = statistics.median(k)
    print(json.dumps({
        "bench": "resume", "n": N, "rounds": rounds, "ours_s": round(mine, 3),
        "limit_s": round(limit, 3), "limit_streams": limit_m, "kubectl_s": round(kube, 3),
        "ratio_to_limit": round(mine / limit, 3),
        "speedup_over_kubectl": round(kube / mine, 2),
        "peak_rss_mb": round(peak_rss(api), 1)}))


def peak_rss(api):
    """VmHWM of one more run, read by a parent of its own."""
    code = ("import resource, subprocess, sys;"
            "subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    text = out("python3", "-c", code, *AS_SLURM, f"{BIN}/k8s_resume", f"bench-[0-{N - 1}]")
    api.empty()
    return int(text) / 1024


if __name__ == "__main__":
    main()
