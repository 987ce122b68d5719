# SPDX-License-Identifier: GPL-2.0-or-later
"""As much of an HTTP/2 server as it takes to have a client with more than one
connection, of which some are dead. Which path is asked for it does not read.

A plan: {"streams": how many at once on a connection, "conns": [...]}, and of
each connection, in the order in which they are opened:
  {"answers": n}  the first n requests are answered, then nothing is, ever
  {"ticks": n}    the first request is a watch: 200, and n pieces of data, each
                  100 ms; then nothing is answered, ever
  {"stalls": s}   nothing is answered for so many seconds, not even TLS
Others answer all: 200 and {}."""
import socket
import ssl
import struct
import threading
import time

PREFACE = 24
DATA, HEADERS, SETTINGS, PING, GOAWAY = 0, 1, 4, 6, 7
END_STREAM, ACK, END_HEADERS = 1, 1, 4
STATUS_200 = b"\x88"  # RFC 7541, static table


class Connection:
    def __init__(self, server, sock, plan):
        self.server, self.sock, self.plan = server, sock, plan
        self.lock, self.mute, self.requests = threading.Lock(), False, 0

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

    def watch(self, stream):
        try:
            self.send(HEADERS, END_HEADERS, stream, STATUS_200)
            for _ in range(self.plan["ticks"]):
                self.send(DATA, 0, stream, b" \n")
                time.sleep(0.1)
            self.mute = True
        except OSError:
            pass  # the client went away

    def request(self, stream):
        self.requests += 1
        if "ticks" in self.plan and self.requests == 1:
            threading.Thread(target=self.watch, args=(stream,),
                             daemon=True).start()
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
            if kind == HEADERS:
                self.request(int.from_bytes(head[5:], "big"))
            elif kind in (SETTINGS, PING) and not flags & ACK:
                self.send(kind, ACK, 0, data if kind == PING else b"")
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
