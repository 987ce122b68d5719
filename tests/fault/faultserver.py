#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An API server for pods and leases over HTTPS that fails on demand.

Prints one JSON line when it is ready and ends when its standard input closes.
  POST /_control      {"reset": true, "seed": N, "rules": [...], "looks": N,
                       "remains": bool, "pods": [...], "leases": [...],
                       "no_lease": name, "cluster": see clusterstore.py,
                       "play": see playedcluster.py, "h2": plan,
                       "h2_more": true} (all optional;
                       leases are of the namespace "ns")
  GET  /_control/stats
On "h2_port" is a server of HTTP/2, see h2server.py.
A rule is {"method", "path" (a regex, on path and query), "holds" (a text that
the body has), "skip", "times" (1) or "percent", "do", ...}; the first that
matches fires. What "do" can be:
  status  answer `code` (`reason`, `message`, `headers`), do no work
  auth    401 unless the bearer token is `token`
  reset   cut the connection, no work done
  lost    do the work, then cut the connection without an answer
  died    the same, and "conns" connections that are opened next are ended at once
  half    do the work, send half of the answer's body, then cut
  drip    do the work, send the body in pieces of `piece` every `ms`
  delay   wait `ms`, and until `busy` requests were there at once (10 s at
          most), then go on as usual
  hang    wait `s` seconds, then cut, no work done
  big     answer 200 with `mb` MiB, the last of them `s` seconds later
  garbage do the work, answer with a body that is not JSON
  raw     answer `code` with the text `body`, after `ms` if given, do no work; its Date
          is `skew` seconds ahead
  swap    put a newer pod in the place of the one named, then go on
  stream  answer a watch with `steps`, see FaultHandler.stream()
"""
import http.server
import json
import os
import random
import re
import shutil
import signal
import socket
import socketserver
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
from urllib.parse import parse_qs, urlsplit

sys.dont_write_bytecode = True  # leave the source tree clean
from clusterstore import ClusterStore
from h2server import H2Server
from leasestore import LeaseStore
from playedcluster import play
from podstore import (PodStore, Refused, as_json, bookmark, filler,
                      status)

PODS = re.compile(r"^/api/v1/namespaces/([^/]+)/pods(?:/([^/]+))?$")
LEASES = re.compile(r"^/apis/coordination\.k8s\.io/v1/namespaces/([^/]+)"
                    r"/leases(?:/([^/]+))?$")
MIB = 1024 * 1024


def now_ms():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000000


class Faults:
    """The rules, and what was counted."""

    def __init__(self):
        self.lock = threading.Lock()
        self.round = 0
        self.reset()

    def reset(self):
        with self.lock:
            self.round += 1
            self.rules, self.random = [], random.Random(1)
            self.log, self.methods = [], {}
            self.busy = self.max_busy = self.fired = 0
            self.away = 0  # connections that are ended at once

    def enter(self, method, path, body):
        with self.lock:
            self.busy += 1
            self.max_busy = max(self.max_busy, self.busy)
            self.methods[method] = self.methods.get(method, 0) + 1
            entry = {"ms": now_ms(), "method": method, "path": path}
            if len(self.log) < 10000:
                self.log.append(entry)
            rule = self._match(method, path, body)
            if rule:
                entry["do"] = rule["do"]
                self.fired += 1
            return rule, self.round

    def leave(self, entered):
        with self.lock:
            if entered == self.round:
                self.busy -= 1

    def _match(self, method, path, body):
        for r in self.rules:
            if r.get("method", method) != method:
                continue
            if not re.search(r.get("path", ""), path):
                continue
            if r.get("holds", "") not in body:
                continue
            if r.get("skip", 0) > 0:
                r["skip"] -= 1
            elif "percent" in r:
                if self.random.random() * 100 < r["percent"]:
                    return r
            elif r["do"] == "auth":
                return r
            elif r.get("times", 1) > 0:
                r["times"] = r.get("times", 1) - 1
                return r
        return None


class FaultHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body in one TLS record
    timeout = 120
    skew = 0  # seconds that the Date is ahead
    entered = None  # the round of a request that is not answered yet

    def setup(self):
        self.request.settimeout(self.timeout)
        self.request.do_handshake()  # here, not in the thread that accepts
        super().setup()

    def log_message(self, *args):
        pass

    def date_time_string(self, timestamp=None):
        return super().date_time_string(
            (timestamp or time.time()) + self.skew)

    def handle(self):
        try:
            super().handle()
        except OSError:  # the client went away, or we cut the connection
            self.close_connection = True

    # --- answers

    def answer(self, code, body, headers=None, send=None):
        data = body if isinstance(body, bytes) else as_json(body)
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, str(value))
        self.end_headers()
        if not send:  # the client may ask again before flush() returns
            self.leave()
        (send or self.wfile.write)(data)
        self.wfile.flush()

    def leave(self):
        if self.entered:
            self.server.faults.leave(self.entered)
        self.entered = None

    def cut(self):
        """A TCP reset: no close_notify, nothing that was not sent yet."""
        sock = self.connection
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                        struct.pack("ii", 1, 0))
        fd = sock.detach()
        socket.close(fd)
        raise ConnectionAbortedError

    def sleep(self, seconds):
        """Until then, or until the server ends."""
        if self.server.ending.wait(seconds):
            self.cut()

    # --- requests

    def any_method(self):
        n = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(n)) if n else {}
        if self.path.startswith("/_control"):
            self.answer(200, self.control(body))
            return
        rule, self.entered = self.server.faults.enter(self.command, self.path,
                                                      json.dumps(body))
        try:
            if rule:
                getattr(self, "do_" + rule["do"] + "_rule")(rule, body)
            else:
                self.plain(body)
        finally:
            self.leave()

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = any_method

    def control(self, c):
        faults, store = self.server.faults, self.server.store
        leases = self.server.leases
        if self.command == "GET":
            with faults.lock, store.changed, leases.lock:
                return {"creates": store.creates, "deletes": store.deletes,
                        "pods": {n: p["metadata"]["uid"]
                                 for (_, n), p in store.pods.items()},
                        "max_busy": faults.max_busy, "fired": faults.fired,
                        "methods": faults.methods, "log": faults.log,
                        "version": store.version,
                        "cluster": self.server.cluster.stats(),
                        "h2_opened": self.server.h2.opened,
                        "h2_claims": self.server.h2.claims(),
                        "leases": {n: o for (ns, n), o
                                   in leases.leases.items() if ns == "ns"}}
        if "play" in c:
            c = play(*c["play"])
        if c.get("reset"):
            faults.reset()
            store.reset()
            leases.reset()
            self.server.cluster.reset()
        if "cluster" in c:
            self.server.cluster.control(c["cluster"])
        with faults.lock:
            if "seed" in c:
                faults.random.seed(c["seed"])
            if "rules" in c:
                faults.rules = c["rules"]
            if c.get("rewind"):
                faults.max_busy = faults.busy
        store.looks = c.get("looks", store.looks)
        store.remains = c.get("remains", store.remains)
        for pod in c.get("pods", []):
            store.put(pod, c.get("namespace", "ns"))
        for lease in c.get("leases", []):
            leases.put(lease, "ns")
        leases.remove(c.get("no_lease"), "ns")
        if "h2" in c:
            self.server.h2.script(c["h2"])
        if "h2_more" in c:
            self.server.h2.store.more.set()
        return {}

    def work_on_leases(self, ns, name, body):
        leases = self.server.leases
        if self.command == "POST" and not name:
            return leases.create(ns, body)
        if self.command == "GET" and name:
            return leases.get(ns, name)
        if self.command == "PUT" and name:
            return leases.replace(ns, name, body)
        raise Refused(405, "not for leases", "MethodNotAllowed")

    def work(self, body):
        """What the API server would do: (code, object)."""
        url = urlsplit(self.path)
        q = {k: v[0] for k, v in parse_qs(url.query).items()}
        m, store = PODS.match(url.path), self.server.store
        try:
            if LEASES.match(url.path):
                return self.work_on_leases(*LEASES.match(url.path).groups(),
                                           body)
            if self.server.cluster.on:
                return self.server.cluster.work(self.command, url.path, q,
                                                body)
            if not m:
                raise Refused(404, "the server could not find the requested "
                              "resource")
            ns, name = m.groups()
            if self.command == "POST" and not name:
                return store.create(ns, body)
            if self.command == "DELETE" and name:
                return store.delete(ns, name, body)
            if self.command == "GET" and name:
                return store.get(ns, name)
            if self.command == "GET":
                return store.list(ns, int(q.get("limit", 0)),
                                  q.get("continue"))
            raise Refused(405, "the server does not allow this method on the "
                          "requested resource", "MethodNotAllowed")
        except Refused as e:
            return e.code, e.body

    def plain(self, body):
        q = parse_qs(urlsplit(self.path).query)
        if "watch" in q:
            self.watch(q)
        else:
            self.answer(*self.work(body))

    # --- watches: chunked, one frame a line

    def open_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()

    def chunk(self, data):
        for i in range(0, len(data), MIB):
            piece = data[i:i + MIB]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.flush()

    def event(self, e):
        self.chunk(as_json(e) + b"\n")

    def end_stream(self):
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def events(self, q):
        """What the watch of this path tells; see PodStore.watch()."""
        path, cluster = urlsplit(self.path).path, self.server.cluster
        if cluster.on:
            return cluster.watch(path, {k: v[0] for k, v in q.items()})
        return self.server.store.watch(PODS.match(path).group(1),
                                       q["resourceVersion"][0],
                                       float(q["timeoutSeconds"][0]))

    def watch(self, q):
        self.open_stream()
        for e in self.events(q):
            if self.server.ending.is_set():
                self.cut()
            if e:
                self.event(e)
        self.end_stream()

    def do_stream_rule(self, r, _):
        """Steps: {"event": ...}, {"pod": name, "rv", "type", "mib" and so on},
        {"bookmark": rv}, {"gone": true}, {"text": ...}, {"frame_mb": n}, {"ms": wait},
        {"silent": s}, {"cut": true}. After the last one: a good end."""
        self.open_stream()
        for s in r["steps"]:
            if "event" in s:
                self.event(s["event"])
            elif "pod" in s:
                self.event({"type": s.get("type", "ADDED"), "object": {
                    "kind": "Pod", "apiVersion": "v1", "metadata": {
                        "name": s["pod"], "uid": "u-" + s["pod"],
                        "resourceVersion": s["rv"]}, **filler(s)}})
            elif "bookmark" in s:
                self.event(bookmark(s["bookmark"]))
            elif "gone" in s:
                self.event({"type": "ERROR", "object": status(
                    410, "too old resource version: 1 (1000)")})
            elif "text" in s:
                self.chunk(s["text"].encode())
            elif "frame_mb" in s:
                self.chunk(b'{"type":"ADDED","object":{"kind":"Pod","x":"'
                           + b"x" * (s["frame_mb"] * MIB) + b'"}}\n')
            elif "ms" in s:
                self.sleep(s["ms"] / 1000)
            elif "silent" in s:
                self.sleep(s["silent"])
            else:
                self.cut()
        self.end_stream()

    # --- faults

    def do_status_rule(self, r, _):
        self.answer(r["code"], status(r["code"], r.get("message", "scripted"),
                                      r.get("reason")), r.get("headers"))

    def do_auth_rule(self, r, body):
        if self.headers.get("Authorization") == "Bearer " + r["token"]:
            self.plain(body)
        else:
            self.answer(401, status(401, "Unauthorized"))

    def do_reset_rule(self, r, _):
        self.cut()

    def do_lost_rule(self, r, body):
        self.work(body)
        self.cut()

    def do_died_rule(self, r, body):
        self.server.faults.away = r["conns"]
        self.work(body)
        self.cut()

    def do_half_rule(self, r, body):
        def half(data):
            self.wfile.write(data[:len(data) // 2])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            raise ConnectionAbortedError
        self.answer(*self.work(body), send=half)

    def do_drip_rule(self, r, body):
        def drip(data):
            for i in range(0, len(data), r.get("piece", 1)):
                self.wfile.write(data[i:i + r.get("piece", 1)])
                self.wfile.flush()
                self.sleep(r["ms"] / 1000)
        self.answer(*self.work(body), send=drip)

    def do_delay_rule(self, r, body):
        faults, end = self.server.faults, time.monotonic() + 10
        self.sleep(r["ms"] / 1000)
        while faults.max_busy < r.get("busy", 0) and time.monotonic() < end:
            self.sleep(0.01)
        if self.entered != faults.round:  # (whoever asked was of another test)
            self.cut()
        self.plain(body)

    def do_hang_rule(self, r, _):
        self.sleep(r["s"])
        self.cut()

    def do_big_rule(self, r, _):
        self.send_response(200)
        self.send_header("Content-Length", str(r["mb"] * MIB))
        self.end_headers()
        for i in range(r["mb"]):
            self.sleep(r.get("s", 0) if i == r["mb"] - 1 else 0)
            self.wfile.write(b" " * MIB)
        self.wfile.flush()

    def do_garbage_rule(self, r, body):
        code, _ = self.work(body)
        self.answer(code, b"<html>\x00\xff\x1b[31m{]")

    def do_raw_rule(self, r, _):
        time.sleep(r.get("ms", 0) / 1000)
        self.skew = r.get("skew", 0)
        self.answer(r["code"], r["body"].encode())
        self.skew = 0

    def do_swap_rule(self, r, body):
        try:
            self.server.store.swap(*PODS.match(self.path).groups())
        except Refused:
            pass
        self.plain(body)


class FaultServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, directory):
        super().__init__(("127.0.0.1", 0), FaultHandler)
        self.faults, self.store = Faults(), PodStore()
        self.leases, self.cluster = LeaseStore(), ClusterStore()
        self.ending = threading.Event()
        self.ending, self.h2 = threading.Event(), H2Server(directory)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(directory + "/server.crt",
                                 directory + "/server.key")
        self.tls.set_alpn_protocols(["http/1.1"])

    def get_request(self):
        sock, addr = super().get_request()
        return self.tls.wrap_socket(sock, server_side=True,
                                    do_handshake_on_connect=False), addr

    def verify_request(self, request, address):
        faults = self.faults
        faults.away, away = max(faults.away - 1, 0), faults.away
        return not away

    def handle_error(self, request, address):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, address)


def openssl(*args):
    subprocess.run(("openssl",) + args, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def make_certs(d):
    """Two CAs (one that signs nothing) and the server's certificate."""
    ec = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    for ca in ("ca", "other"):
        openssl("req", "-x509", *ec, "-keyout", f"{d}/{ca}.key", "-out",
                f"{d}/{ca}.crt", "-subj", f"/CN={ca}", "-days", "2")
    openssl("req", *ec, "-keyout", d + "/server.key", "-out",
            d + "/server.csr", "-subj", "/CN=faultserver")
    with open(d + "/ext", "w") as f:
        f.write("subjectAltName=IP:127.0.0.1,DNS:fault.test\n")
    openssl("x509", "-req", "-in", d + "/server.csr", "-CA", d + "/ca.crt",
            "-CAkey", d + "/ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", d + "/ext", "-out", d + "/server.crt")


def write_kubeconfig(d, port):
    path = d + "/kubeconfig"
    c = {"apiVersion": "v1", "kind": "Config", "current-context": "c",
         "contexts": [{"name": "c", "context": {
             "cluster": "c", "user": "u", "namespace": "ns"}}],
         "clusters": [{"name": "c", "cluster": {
             "server": f"https://127.0.0.1:{port}",
             "certificate-authority": d + "/ca.crt"}}],
         "users": [{"name": "u", "user": {"token": "first"}}]}
    with open(path, "w") as f:  # JSON is YAML
        json.dump(c, f)
    os.chmod(path, 0o600)
    return path


def main():
    directory = tempfile.mkdtemp(prefix="slurm-k8s-fault.")

    def on_term(*_):
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, on_term)
    try:
        make_certs(directory)
        server = FaultServer(directory)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        print(json.dumps({"port": port, "dir": directory,
                          "h2_port": server.h2.port,
                          "ca": directory + "/ca.crt",
                          "other_ca": directory + "/other.crt",
                          "kubeconfig": write_kubeconfig(directory, port)}),
              flush=True)
        sys.stdin.read()
        server.ending.set()
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
