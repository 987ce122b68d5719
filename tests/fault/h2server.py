# SPDX-License-Identifier: GPL-2.0-or-later
"""As much of an HTTP/2 server as it takes to have a client with more than one
connection, of which some are dead, or full. Which path is asked for it does
not read.

A plan: {"streams": how many at once on a connection, "conns": [...]}, and of
each connection, in the order in which they are opened:
  {"answers": n}  the first n requests are answered, then nothing is, ever
  {"ticks": n}    the first request is a watch: 200, and n pieces of data, each
                  100 ms; then nothing is answered, ever
  {"stalls": s}   nothing is answered for so many seconds, not even TLS
Others answer all: 200 and {}.

Or a plan {"flood": {"events": n, "size": bytes, "gets": [...]}}: a server of one
Lease, and of one collection with a watch that sends n events, each of so many
bytes, as fast as it can; one more when there is {"h2_more": true}. "gets" says
what the first GETs are of: "lease", "list", "watch"; others are of the Lease.
What comes on the watch's connection is answered behind its events."""
import json
import socket
import ssl
import struct
import threading
import time

PREFACE = 24
DATA, HEADERS, SETTINGS, PING, GOAWAY = 0, 1, 4, 6, 7
SETTINGS_WINDOW, WINDOW_UPDATE = 4, 8
END_STREAM, ACK, END_HEADERS, PRIORITY = 1, 1, 4, 0x20
STATUS_200, STATUS_404 = b"\x88", b"\x8d"  # RFC 7541, static table
METHODS = {0x82: "GET", 0x83: "POST"}  # (of others the name is spelt out)
PIECE = 16384  # of a DATA frame, at most
WINDOW = 65535


class Store:
    """The Lease, and which GET is the next one."""

    def __init__(self, plan):
        self.plan, self.lock = plan, threading.Lock()
        self.gets, self.claims, self.lease = list(plan["gets"]), 0, None
        self.more = threading.Event()

    def get(self):
        with self.lock:
            return self.gets.pop(0) if self.gets else "lease"

    def look(self):
        with self.lock:
            if self.lease:
                return STATUS_200, self.lease
        return STATUS_404, {"kind": "Status", "code": 404,
                            "reason": "NotFound"}

    def claim(self, lease):
        with self.lock:
            self.claims += 1
            lease["metadata"]["resourceVersion"] = str(self.claims)
            self.lease = lease
        return STATUS_200, lease

    def event(self, n):
        """(all that is long is one text, which is read fast)"""
        return json.dumps({"type": "MODIFIED", "object": {
            "metadata": {"name": "p", "namespace": "ns", "uid": "u",
                         "resourceVersion": str(n + 2),
                         "annotations": {"at": str(n)}},
            "spec": {"x": "x" * self.plan["size"]}}}).encode() + b"\n"


class Connection:
    def __init__(self, server, sock, plan):
        self.server, self.sock, self.plan = server, sock, plan
        self.lock, self.mute, self.requests = threading.Lock(), False, 0
        self.room = threading.Condition()
        self.window, self.windows, self.initial = WINDOW, {}, WINDOW
        self.methods, self.bodies = {}, {}  # of requests that are not whole
        self.behind = None  # what is answered behind the events

    def read(self, n):
        data = b""
        while len(data) < n:
            more = self.sock.recv(n - len(data))
            if not more:
                raise ConnectionError
            data += more
        return data

    def send(self, kind, flags, stream, data=b""):
        with self.lock:
            if not self.mute:
                self.sock.sendall(struct.pack(">I", len(data))[1:]
                                  + bytes((kind, flags))
                                  + struct.pack(">I", stream) + data)

    # --- a flood

    def send_data(self, stream, data):
        """As much at once as the client has room for."""
        while data:
            with self.room:
                while min(self.window, self.windows[stream]) <= 0:
                    self.room.wait()
                n = min(self.window, self.windows[stream], PIECE)
                self.window -= n
                self.windows[stream] -= n
            self.send(DATA, 0, stream, data[:n])
            data = data[n:]

    def widen(self, stream, more):
        with self.room:
            if stream:
                self.windows[stream] = self.windows.get(
                    stream, self.initial) + more
            else:
                self.window += more
            self.room.notify_all()

    def settle(self, data):
        for i in range(0, len(data), 6):
            key, value = struct.unpack(">HI", data[i:i + 6])
            if key == SETTINGS_WINDOW:
                with self.room:
                    for stream in self.windows:
                        self.windows[stream] += value - self.initial
                    self.initial = value
                    self.room.notify_all()

    def answer(self, stream, code, body):
        if self.behind is not None:
            self.behind.append((stream, code, body))
            return
        self.send(HEADERS, END_HEADERS, stream, code)
        self.send_data(stream, json.dumps(body).encode())
        self.send(DATA, END_STREAM, stream)

    def flood(self, store, stream):
        try:
            self.send(HEADERS, END_HEADERS, stream, STATUS_200)
            for n in range(store.plan["events"]):
                self.send_data(stream, store.event(n))
            behind, self.behind = self.behind, None
            for answer in behind:
                self.answer(*answer)
            store.more.wait()
            self.send_data(stream, store.event(store.plan["events"]))
        except OSError:
            pass  # the client went away

    def whole(self, store, stream):
        method, body = self.methods.pop(stream), self.bodies.pop(stream)
        if method != "GET":
            self.answer(stream, *store.claim(json.loads(body)))
            return
        what = store.get()
        if what == "watch":
            self.behind = []
            threading.Thread(target=self.flood, args=(store, stream),
                             daemon=True).start()
        elif what == "list":
            self.answer(stream, STATUS_200, {
                "metadata": {"resourceVersion": "1"}, "items": []})
        else:
            self.answer(stream, *store.look())

    def piece(self, store, head, data):
        kind, flags = head[3], head[4]
        stream = int.from_bytes(head[5:], "big")
        if kind == HEADERS:
            first = data[5 if flags & PRIORITY else 0]
            self.methods[stream] = METHODS.get(first, "PUT")
            self.bodies[stream] = b""
            self.widen(stream, 0)
        elif kind == DATA:
            self.bodies[stream] += data
        if flags & END_STREAM:
            self.whole(store, stream)

    # --- dead ones

    def watch(self, stream):
        try:
            self.send(HEADERS, END_HEADERS, stream, STATUS_200)
            for _ in range(self.plan["ticks"]):
                self.send(DATA, 0, stream, b" \n")
                time.sleep(0.1)
            self.mute = not self.plan.get("lives")
        except OSError:
            pass  # the client went away

    def request(self, stream):
        self.requests += 1
        if "ticks" in self.plan and self.requests == 1:
            threading.Thread(target=self.watch, args=(stream,),
                             daemon=True).start()
            return
        if self.requests in self.plan.get("unanswered", []):
            return
        if self.requests > self.plan.get("answers", 1 << 30):
            self.mute = True
        self.send(HEADERS, END_HEADERS, stream, STATUS_200)
        self.send(DATA, END_STREAM, stream, b"{}")

    def run(self):
        time.sleep(self.plan.get("stalls", 0))
        self.sock.do_handshake()
        self.read(PREFACE)
        self.send(SETTINGS, 0, 0,
                  struct.pack(">HI", 3, self.server.plan.get("streams", 100)))
        while True:
            head = self.read(9)
            data = self.read(int.from_bytes(head[:3], "big"))
            kind, flags = head[3], head[4]
            if kind == WINDOW_UPDATE:
                self.widen(int.from_bytes(head[5:], "big"),
                           int.from_bytes(data, "big"))
            elif kind == SETTINGS and not flags & ACK:
                self.settle(data)
                self.send(SETTINGS, ACK, 0)
            elif self.server.store and kind in (HEADERS, DATA):
                self.piece(self.server.store, head, data)
            elif kind == HEADERS:
                self.request(int.from_bytes(head[5:], "big"))
            elif kind == PING and not flags & ACK:
                self.send(PING, ACK, 0, data)
            elif kind == GOAWAY:
                return


class H2Server:
    def __init__(self, directory):
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(directory + "/server.crt",
                                 directory + "/server.key")
        self.tls.set_alpn_protocols(["h2"])
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.script({})
        threading.Thread(target=self.serve, daemon=True).start()

    def script(self, plan):
        self.plan, self.opened = plan, 0
        self.store = Store(plan["flood"]) if "flood" in plan else None

    def claims(self):
        """How often the Lease was written."""
        return self.store.claims if self.store else 0

    def serve(self):
        while True:
            sock, _ = self.listener.accept()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            conns = self.plan.get("conns", [])
            plan = conns[self.opened] if self.opened < len(conns) else {}
            self.opened += 1
            threading.Thread(target=self.one, args=(sock, plan),
                             daemon=True).start()

    def one(self, sock, plan):
        try:
            with self.tls.wrap_socket(sock, server_side=True,
                                      do_handshake_on_connect=False) as s:
                Connection(self, s, plan).run()
        except OSError:
            pass  # the client went away
