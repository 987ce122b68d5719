#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are files and functions of C short enough to be read?

Usage: tests/tools/check_size.py [--list N]

A file has at most 800 lines, a function at most 80 (in tests/: 120), from its
name to its closing brace. Relies on .clang-format: a function's braces, and no
others, stand in the first column alone. Each longer one is printed as
file:line, and makes the exit code 1. With --list the N longest functions are
printed too.
"""
import argparse
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAX_FILE = 800
MAX_FUNCTION = {"common": 80, "plugins": 80, "tests": 120}
SIGNATURE = re.compile(r"(?! \*)[\w\t ]")  # a line of one; not of a comment
NAME = re.compile(r"(\w+)\(")


def sources():
    """The C files, as paths from the top."""
    for folder in MAX_FUNCTION:
        for where, _, names in sorted(os.walk(os.path.join(TOP, folder))):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(where, name), TOP)


def functions(lines):
    """Yields first line, number of lines and name of each function."""
    start = None
    for at, line in enumerate(lines):
        if line == "{":
            start = at
            while start and SIGNATURE.match(lines[start - 1]):
                start -= 1
        elif line == "}" and start is not None:
            found = NAME.search("\n".join(lines[start:at]))
            yield start + 1, at + 1 - start, found[1] if found else "?"
            start = None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--list", type=int, default=0, metavar="N")
    args = parser.parse_args()
    long, files, every = 0, 0, []
    for path in sources():
        with open(os.path.join(TOP, path), encoding="utf-8") as file:
            lines = file.read().splitlines()
        files += 1
        if len(lines) > MAX_FILE:
            long += 1
            print("%s:1: %d lines, more than %d" % (path, len(lines), MAX_FILE))
        bound = MAX_FUNCTION[path.split(os.sep, maxsplit=1)[0]]
        for first, size, name in functions(lines):
            every.append((size, path, first, name))
            if size > bound:
                long += 1
                print("%s:%d: %s has %d lines, more than %d"
                      % (path, first, name, size, bound))
    for size, path, first, name in sorted(every, reverse=True)[:args.list]:
        print("%4d %s:%d %s" % (size, path, first, name))
    print("check_size: %d files, %d functions, %d too long" % (files, len(every), long))
    return 1 if long or not every else 0


if __name__ == "__main__":
    sys.exit(main())
