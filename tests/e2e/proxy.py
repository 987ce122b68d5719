#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Usage: proxy.py HOST:PORT [IP:PORT] -- forwards TCP connections there, each in a
process of its own, so that one can be stopped while new ones go on. Prints its port (of
127.0.0.1, a free one, unless told). From SIGUSR1 to SIGUSR2, which each process wants,
what comes from there is held back."""
import os
import select
import signal
import socket
import sys


held = False


def hold(number, _):
    global held
    held = number == signal.SIGUSR1


def forward(client, server):
    to = {client: server, server: client}
    while True:
        for side in select.select([client] if held else [client, server], [], [], 0.05)[0]:
            data = side.recv(65536)
            if not data:
                return
            to[side].sendall(data)


def main():
    host, port = sys.argv[1].rsplit(":", 1)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, hold)
    signal.signal(signal.SIGUSR2, hold)
    ip, at = sys.argv[2].rsplit(":", 1) if len(sys.argv) > 2 else ("127.0.0.1", 0)
    with socket.create_server((ip, int(at))) as server:
        print(server.getsockname()[1], flush=True)
        while True:
            client, _ = server.accept()
            if os.fork() == 0:
                forward(client, socket.create_connection((host, int(port))))
                os._exit(0)
            client.close()


if __name__ == "__main__":
    main()
