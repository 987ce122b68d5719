# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of rooms in common/meson.build, for the checks that go by it."""
import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROW = re.compile(r"^  \['([\w/]+)', \[([^\]]*)\],\n\s*\[([^\]]*)\],\n\s*\[([^\]]*)\]\],$", re.M)


def read_table():
    """[(room, the rooms that its line names, its pure files, the others)], the lower ones first"""
    with open(os.path.join(TOP, "common", "meson.build"), encoding="utf-8") as file:
        rows = ROW.findall(file.read())
    return [(room, *(re.findall(r"[\w/]+", part) for part in parts)) for room, *parts in rows]


def may_use(table):
    """{room: all rooms that it may use, and itself}"""
    may = {}
    for room, uses, *_ in table:
        may[room] = {room}.union(*(may[used] for used in uses))
    return may
