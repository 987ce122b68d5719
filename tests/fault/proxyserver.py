#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A proxy on 127.0.0.1: proxyserver.py http|https|socks5 LOG [PORT [CERT KEY]].

Prints its port, and ends when its standard input closes. Each request is a line
of LOG: where to, and "USER:PASSWORD" or "-". A line of LOG + ".rule", if there
is that file, is what CONNECT is answered: "407 Proxy Authentication Required";
a socks5 proxy says "host unreachable" then. "fault.test" is 127.0.0.1 here, and
only here.
"""
import base64
import os
import select
import socket
import ssl
import struct
import sys
import threading

MODE, LOG = sys.argv[1:3]


def note(where, who):
    with open(LOG, "a") as f:
        f.write(f"{where} {who or '-'}\n")


def rule():
    try:
        with open(LOG + ".rule") as f:
            return f.read().strip()
    except FileNotFoundError:
        return ""


def dial(host, port):
    host = "127.0.0.1" if host == "fault.test" else host
    return socket.create_connection((host, port), 10)


def pump(a, b):
    """Copy both ways; each has a thread, for TLS sockets hold bytes back."""
    def one_way(src, dst):
        try:
            while data := src.recv(65536):
                dst.sendall(data)
        except OSError:
            pass
        for s in (src, dst):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
    other = threading.Thread(target=one_way, args=(b, a), daemon=True)
    other.start()
    one_way(a, b)
    other.join()


def exactly(s, n):
    data = b""
    while len(data) < n:
        more = s.recv(n - len(data))
        if not more:
            raise OSError("gone")
        data += more
    return data


def connect(s):
    head = b""
    while b"\r\n\r\n" not in head:
        more = s.recv(4096)
        if not more:
            return
        head += more
    lines = head.decode("latin-1").split("\r\n")
    method, target, _ = lines[0].split(" ")
    fields = dict(x.split(": ", 1) for x in lines[1:] if ": " in x)
    who = fields.get("Proxy-Authorization", "")
    if who.startswith("Basic "):
        who = base64.b64decode(who[6:]).decode()
    note(target if method == "CONNECT" else f"{method}!{target}", who)
    answer = rule()
    if answer:
        s.sendall(f"HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n".encode())
        return
    host, port = target.rsplit(":", 1)
    with dial(host.strip("[]"), int(port)) as to:
        s.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        pump(s, to)


def socks5(s):
    who = ""
    methods = exactly(s, exactly(s, 2)[1])
    if 2 in methods:
        s.sendall(b"\x05\x02")
        exactly(s, 1)
        user = exactly(s, exactly(s, 1)[0]).decode()
        who = user + ":" + exactly(s, exactly(s, 1)[0]).decode()
        s.sendall(b"\x01\x00")
    else:
        s.sendall(b"\x05\x00")
    kind = exactly(s, 4)[3]
    if kind == 3:
        host = exactly(s, exactly(s, 1)[0]).decode()
    else:
        host = socket.inet_ntop(
            *((socket.AF_INET, exactly(s, 4)) if kind == 1
              else (socket.AF_INET6, exactly(s, 16))))
    port = struct.unpack(">H", exactly(s, 2))[0]
    note(f"{host}:{port}", who)
    if rule():
        s.sendall(b"\x05\x04\x00\x01" + bytes(6))
        return
    with dial(host, port) as to:
        s.sendall(b"\x05\x00\x00\x01" + bytes(6))
        pump(s, to)


def serve(s, tls):
    try:
        with (tls.wrap_socket(s, server_side=True) if tls else s) as c:
            (socks5 if MODE == "socks5" else connect)(c)
    except OSError as e:
        note("failed:", str(e).replace("\n", " "))


def main():
    tls = None
    if MODE == "https":
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*sys.argv[4:6])
    listener = socket.create_server(
        ("127.0.0.1", int(sys.argv[3]) if len(sys.argv) > 3 else 0))
    open(LOG, "a").close()
    print(listener.getsockname()[1], flush=True)
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in ready and not os.read(sys.stdin.fileno(), 4096):
            return
        if listener in ready:
            s, _ = listener.accept()
            threading.Thread(target=serve, args=(s, tls), daemon=True).start()


if __name__ == "__main__":
    main()
