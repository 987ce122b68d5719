# SPDX-License-Identifier: GPL-2.0-or-later
"""What the benches of the engine share.

slurmctld with and without the engine; and many Slurm nodes that power up for
ever, each with a pod that no Kubernetes scheduler takes: the engine watches
them all and has nothing to do. Called by tests/bench/run only.
"""
import base64
import glob
import http.client
import json
import os
import random
import re
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

SITE, NS, KUBE, TOP = (os.environ[k] for k in ("SITE", "SITE_NS", "SITE_KUBE", "TOP"))
USER = os.environ["SITE_USER"]
LOG = f"{SITE}/log/slurmctld.log"
ENV = {"PATH": "/usr/bin:/bin", "SLURM_CONF": f"{SITE}/slurm.conf"}


def inside():
    """Another release of Slurm than this machine's is in a mount namespace."""
    tree = f"{SITE}/tree.pid"
    if not os.path.exists(tree):
        return []
    with open(tree, encoding="utf-8") as file:
        return ["nsenter", "--target", file.read().strip(), "--mount", "--root", "--wdns=/tmp"]


AS_USER = [*inside(), "setpriv", "--reuid", USER, "--regid", USER, "--clear-groups"]
AS_SLURM = [*inside(), "setpriv", "--reuid", "slurm", "--regid", "slurm", "--clear-groups"]
AS_ROOT = []  # the benches, in sdiag: not the user that the engine is


def die(words):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {words}")


def say(words):
    print(f"{words} (load {os.getloadavg()[0]:.1f})", file=sys.stderr)


def until(what, seconds, test, pause=0.1):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = test()
        if result:
            return result
        time.sleep(pause)
    die(f"gave up waiting for {what}")


def slurm(who, *argv):
    run = subprocess.run([*who, *argv], env=ENV, cwd="/tmp", capture_output=True, text=True)
    if run.returncode:
        die(f"{' '.join(argv)}: {run.stderr}")
    return run.stdout.strip()


def kubectl(*argv):
    return subprocess.run(["kubectl", "--kubeconfig", KUBE, "-n", NS, *argv], check=True,
                          capture_output=True, text=True).stdout


# --- slurmctld

def site(command):
    subprocess.run(["bash", "-c", f". {TOP}/script/lib/site.sh; {command}"], check=True,
                   stdout=sys.stderr)


def change_conf(pattern, words):
    """Put these words in the place of what matches in a line of slurm.conf."""
    with open(f"{SITE}/slurm.conf", encoding="utf-8") as file:
        text = re.sub(pattern, words, file.read(), flags=re.M)
    with open(f"{SITE}/slurm.conf", "w", encoding="utf-8") as file:
        file.write(text)


def start(engine):
    """slurmctld as it is installed, or with Slurm's own scheduler alone."""
    change_conf(r"^#?PluginDir=", "PluginDir=" if engine else "#PluginDir=")
    site("slurmctld_start")


def stop():
    site("slurmctld_stop")


def log_size():
    return os.path.getsize(LOG) if os.path.exists(LOG) else 0


def logged(pattern, since):
    """The first line after byte `since` that matches."""
    def look():
        with open(LOG, encoding="utf-8", errors="replace") as file:
            file.seek(since)
            return next((line for line in file if re.search(pattern, line)), None)
    return until(f"'{pattern}' in slurmctld's log", 120, look)


def sdiag(*argv):
    return slurm(AS_SLURM, "sdiag", *argv)


def cycles():
    """Mean in microseconds, and how many: of the main, and of the backfill scheduler."""
    parts = sdiag().split("Backfilling stats")
    return [[int(re.search(rf"{word} cycles?:\s+(\d+)", part).group(1)) for word in ("Mean", "Total")]
            for part in parts]


def cpu_s():
    """Of slurmctld's threads by name, "bckfl", "k8s-engine", ...; "" is the whole."""
    with open(f"{SITE}/slurmctld.pid", encoding="utf-8") as file:
        process = f"/proc/{file.read().strip()}"
    times = {}
    for path in [f"{process}/stat", *glob.glob(f"{process}/task/*/stat")]:
        try:
            with open(path, encoding="utf-8") as file:
                name, rest = re.match(r"\d+ \((.*)\) (.*)", file.read()).groups()
        except (FileNotFoundError, ProcessLookupError):
            continue  # a thread that has ended
        name = name if "/task/" in path else ""
        ticks = sum(int(x) for x in rest.split()[11:13])
        times[name] = times.get(name, 0) + ticks / os.sysconf("SC_CLK_TCK")
    return times


# --- traffic

def counted_bytes():
    """Of the port that the chain counts, both ways, with TCP/IP's own."""
    rules = subprocess.run(["iptables", "-w", "10", "-nvxL", os.environ["BENCH_CHAIN"]], check=True,
                           capture_output=True, text=True).stdout.split("\n")[2:]
    return sum(int(rule.split()[1]) for rule in rules if rule)


# --- nodes, pods, jobs

def administrator():
    """The API server's address, its CA and our key (both PEM)."""
    conf = json.loads(kubectl("config", "view", "--raw", "--minify", "--flatten", "-o", "json"))
    cluster, user = conf["clusters"][0]["cluster"], conf["users"][0]["user"]
    return cluster["server"], base64.b64decode(cluster["certificate-authority-data"]), \
        b"".join(base64.b64decode(user[key]) for key in ("client-certificate-data", "client-key-data"))


class Api:
    """One connection to the API server, as its administrator."""

    def __init__(self):
        server, ca, key = administrator()
        self.context = ssl.create_default_context(cadata=ca.decode())
        with tempfile.NamedTemporaryFile(dir=SITE) as file:
            file.write(key)
            file.flush()
            self.context.load_cert_chain(file.name)
        self.server = urllib.parse.urlsplit(server)
        self.pods = f"/api/v1/namespaces/{NS}/pods"
        self.connection = self.connect()
        self.used = time.monotonic()

    def connect(self):
        return http.client.HTTPSConnection(self.server.hostname, self.server.port,
                                           context=self.context, timeout=60)

    def call(self, method, path, body=None):
        # (the API server closes a connection that nobody has used for a while; the next
        # request opens another one)
        if time.monotonic() - self.used > 20:
            self.connection.close()
        self.used = time.monotonic()
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        self.connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": kind})
        reply = self.connection.getresponse()
        text = reply.read()
        if reply.status >= 300:
            raise OSError(f"{method} {path}: {reply.status} {text[:200]}")
        return json.loads(text)

    def count(self):
        metadata = (page := self.call("GET", f"{self.pods}?limit=1"))["metadata"]
        return len(page["items"]) + metadata.get("remainingItemCount", 0)


def submit(jobs, partitions, *options):
    """So many jobs, in turns in the partitions; by two shells, as each sbatch takes its time."""
    script = "for i in $(seq $1 2 $2); do sbatch -o /dev/null -p p$((i % $3)) ${@:4} --wrap 'sleep 1' >/dev/null || exit; done"
    shells = [subprocess.Popen([*AS_USER, "bash", "-c", script, "bash", str(i), str(jobs - 1), str(partitions),
                                *options], env=ENV, cwd="/tmp") for i in range(2)]
    if any([shell.wait() for shell in shells]):
        die("sbatch failed")


def fill(nodes, running, pending, partitions):
    """All nodes are given to `running` jobs, for which they power up; `pending` jobs wait.

    Without the engine, which would not wait for k8s_resume for so long.
    """
    api = Api()
    start(engine=False)
    submit(running, partitions, f"-N{nodes // running}", "--exclusive", "-t3-0")  # (beyond what the backfill scheduler plans)
    until("the pods", 600, lambda: api.count() == nodes, 1)
    submit(pending, partitions, "-N1", "-t60")
    say(f"{nodes} pods, {running + pending} jobs")
    stop()
    return api


class Churn(threading.Thread):
    """20 pod events a second; each second a job and a node are updated, too.

    That makes the backfill scheduler look at all jobs again, and the engine at
    all nodes.
    """
    EVENTS_S = 20

    def __init__(self, nodes):
        super().__init__(daemon=True)
        self.api = Api()
        self.nodes = nodes
        self.events = 0
        self.late_s = 0.0
        self.ended = threading.Event()
        self.job = slurm(AS_SLURM, "squeue", "-h", "-t", "PD", "-o", "%i").split()[0]

    def run(self):
        begin = time.monotonic()
        while not self.ended.is_set():
            now = time.monotonic()
            due = begin + self.events / self.EVENTS_S
            if due > now:
                time.sleep(due - now)
            self.late_s = max(self.late_s, now - due)
            if self.events % self.EVENTS_S == 0:
                self.slurm_event()
            self.api.call("PATCH", f"{self.api.pods}/bench-{random.randrange(self.nodes)}",
                          {"metadata": {"annotations": {"bench": str(time.time())}}})
            self.events += 1

    def slurm_event(self):
        """(not waited for: pod events go on)"""
        for words in (["job", self.job], [f"NodeName=bench-{random.randrange(self.nodes)}"]):
            subprocess.Popen([*AS_ROOT, "scontrol", "update", *words, f"comment={time.time()}"], env=ENV)

    def end(self):
        self.ended.set()
        self.join()


def ratio(on, off):
    """Of the means; the standard error of the rounds' ratios, and the least and the greatest of them."""
    each = [a / b for a, b in zip(on, off)]
    error = statistics.stdev(each) / len(each) ** 0.5 if len(each) > 1 else 0
    return [round(x, 3) for x in (sum(on) / sum(off), error, min(each), max(each))]
