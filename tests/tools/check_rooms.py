#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does each room of common/ call only what it may use (common/meson.build)?

Usage: tests/tools/check_rooms.py BUILD

BUILD is a build folder, with common/ built. For each room a shared object is linked, of its
objects and of those of the rooms that it may use, and what these may use, and of nothing else: a
step the wrong way is an undefined symbol. So it is with all pure files. Libslurm's functions are
for the room slurm alone: the objects of no other room may name one. Then calls the wrong way are
planted in each room, one of each room that it may not use: the linker must name each of them. Exit
code: 0, or 1: some room does not link or calls libslurm, or a planted call links.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

from rooms import may_use, read_table

LIBRARIES = "-lpthread -lcrypto -lssl -lcurl -ljson-c -lyaml -lmicrohttpd".split()
PURE = ("base", "json")  # what pure files may use


def function_of(files):
    """A function that these objects define for others"""
    symbols = subprocess.run(["nm", "-g", "--defined-only", *files], capture_output=True, text=True, check=True).stdout
    return re.search(r" T (\w+)$", symbols, re.M)[1]


def libslurms(rooms):
    """[(room, function of libslurm's that an object of it calls)], but for the room slurm"""
    def symbols(files, option):
        lines = subprocess.run(["nm", "-gPA", option, *files], capture_output=True, text=True, check=True).stdout.splitlines()
        return {line.split(": ", 1)[1].split()[0] for line in lines}

    ours = symbols(sum(rooms.values(), []), "--defined-only")
    return [(room, name) for room, files in rooms.items() if room != "slurm"
            for name in sorted(symbols(files, "--undefined-only") - ours) if name.startswith("slurm")]


def plant(path, names):
    """A file that calls these functions"""
    with open(path, "w", encoding="utf-8") as file:
        for name in names:
            file.write("int %s(void);\n" % name)
        file.write("int planted(void);\nint planted(void) { return %s; }\n" % " + ".join(name + "()" for name in names))


def not_seen(out, room, may, own, functions):
    """Those of the planted calls that link; `functions`: one of each room"""
    names = sorted(name for other, name in functions.items() if other not in may[room])
    planted = os.path.join(os.path.dirname(out), "planted.c")
    if not names:
        return []
    plant(planted, names)
    files = sum((own[used] for used in sorted(may[room])), [])
    words = link(out, [planted, *files], "slurm" in may[room])
    return [name for name in names if "undefined reference to `%s'" % name not in words]


def objects(build, library, room, names):
    """The objects of these files, as meson calls them"""
    folder = os.path.join(build, "common", "lib%s.a.p" % library)
    return [os.path.join(folder, "%s_%s.c.o" % (room.replace("/", "_"), name)) for name in names]


def also(build, room):
    """The objects of a room's files that are only in the library for slurmctld"""
    return glob.glob(os.path.join(build, "common", "libslurmk8s.so.p", room.replace("/", "_") + "_*.c.o"))


def link(out, files, slurm):
    """The linker's words about undefined symbols; "": there are none"""
    command = ["cc", "-shared", "-o", out, "-Wl,--no-undefined", *files, *LIBRARIES]
    if slurm:
        command.append("-lslurm")
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    return "" if not done.returncode else "\n".join(
        sorted(set(re.findall(r"\(\S+\): in function `\w+'|undefined reference to `\w+'|error: .*", done.stderr))) or [done.stderr])


def main():
    if len(sys.argv) != 2 or sys.argv[1] == "--help":
        print(__doc__.strip(), file=sys.stdout if "--help" in sys.argv else sys.stderr)
        return 0 if "--help" in sys.argv else 2
    table, build = read_table(), sys.argv[1]
    may, own, pure, wrong = may_use(table), {}, [], 0
    for room, _, pure_names, names in table:
        pure_objects = objects(build, "pure", room, pure_names)
        pure += pure_objects
        own[room] = pure_objects + objects(build, room.replace("/", "_"), room, names) + also(build, room)
    for room, name in libslurms(own):
        wrong += 1
        print("%s calls %s() of libslurm, which only the room slurm may" % (room, name))
    rooms = [(room, sum((own[used] for used in sorted(may[room])), [])) for room, *_ in table]
    rooms.append(("pure files", pure + sum((own[used] for used in PURE), [])))
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "room.so")
        for room, files in rooms:
            words = link(out, files, "slurm" in may.get(room, ()))
            if words:
                wrong += 1
                print("%s calls what it may not use:\n%s" % (room, words))
        functions = {room: function_of(files) for room, files in own.items()}
        for room, *_ in table:
            for name in not_seen(out, room, may, own, functions):
                wrong += 1
                print("a call of %s(), planted in %s, is not seen" % (name, room))
    print("check_rooms: %d rooms, %d wrong" % (len(table), wrong))
    return 1 if wrong or not table else 0


if __name__ == "__main__":
    sys.exit(main())
