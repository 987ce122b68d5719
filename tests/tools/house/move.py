#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Moves files of common/, and all that names them: #include lines, paths, header guards.

Usage: tests/tools/house/move.py ROOMS

ROOMS: a line OLD NEW a file, below common/; "#" begins a comment. The table of common/meson.build
is changed by hand.
"""
import os
import re
import subprocess
import sys


def guard(path):
    return "SLURMK8S_" + re.sub(r"[^A-Z0-9]", "_", path.upper())


def moves_of(path):
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {old: new for old, new in rows if old != new}


def replaced(table, before, behind=r"(?!\w)"):
    """A function that puts the new names into a text"""
    names = "|".join(sorted(map(re.escape, table), key=len, reverse=True))
    found = re.compile(before + "(?:" + names + ")" + behind)
    return lambda text: found.sub(lambda m: table[m[0]], text)


def main():
    if len(sys.argv) != 2 or sys.argv[1] == "--help":
        print(__doc__.strip(), file=sys.stderr)
        return 2
    moves = moves_of(sys.argv[1])
    for old, new in moves.items():
        os.makedirs(os.path.dirname("common/" + new), exist_ok=True)
        subprocess.run(["git", "mv", "common/" + old, "common/" + new], check=True)
    whole = {"common/" + old: "common/" + new for old, new in moves.items()}
    paths = replaced({**moves, **whole}, r"(?<![\w/.-])")
    guards = replaced({guard(old): guard(new) for old, new in moves.items() if old.endswith(".h")}, r"\b")
    tracked = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout
    for path in tracked.split():
        if path.startswith("tests/fuzz/corpus/") or path == "NEWS.md" or path.endswith(".tsv"):
            continue
        try:
            with open(path, encoding="utf-8") as file:
                old = file.read()
        except UnicodeDecodeError:
            continue
        new = guards(paths(old))
        if new != old:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
