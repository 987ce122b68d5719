#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do our objects fit a release of Slurm, symbol by symbol?

Usage: tests/tools/check_symbols.py FOLDER [ROOT]

FOLDER holds our objects as installed (LIBDIR/slurm-k8s), ROOT the system with
the Slurm that they were built for (default: /; with SLURM_PREFIX=/opt/slurm what
is there comes first). Slurm opens plugins lazily: a function that a release does
not have would kill the daemon at its first call.

Imports: each symbol that an object needs must be in the daemons that load it,
in the libraries of those, or in the object's own libraries. Exports: a plugin
must have each X_p_... function that Slurm's own plugins of its class all have.

Each missing one is printed, and makes the exit code 1.
"""
import glob
import os
import re
import subprocess
import sys

# What loads the plugins of a class (the part before "/" of plugin_type)
DAEMONS = {
    "sched": ["slurmctld"],
    "prep": ["slurmctld", "slurmd"],
    "node_features": ["slurmctld", "slurmd"],
    "job_submit": ["slurmctld"],
    "spank": ["slurmd", "slurmstepd", "srun", "sbatch", "salloc"],
    None: ["slurmctld"],  # libraries of ours that our plugins open
}
LIBRARIES = ["usr/lib/x86_64-linux-gnu/slurm-wlm", "usr/lib/x86_64-linux-gnu",
             "lib/x86_64-linux-gnu", "usr/lib", "lib"]
PROGRAMS = ["usr/sbin", "usr/bin"]
if os.environ.get("SLURM_PREFIX"):
    LIBRARIES = [os.path.join(os.environ["SLURM_PREFIX"], d) for d in ("lib/slurm", "lib")] + LIBRARIES
    PROGRAMS = [os.path.join(os.environ["SLURM_PREFIX"], d) for d in ("sbin", "bin")] + PROGRAMS
ALWAYS = ["plugin_name", "plugin_type", "plugin_version"]


def run(*command):
    """The lines that it prints."""
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout.splitlines()


def symbols(path, which):
    """Names in the dynamic table: which is --defined-only or --undefined-only."""
    found = set()
    for line in run("nm", "-D", which, path):
        kind, name = line.split()[-2:]
        if kind not in "wv" or which == "--defined-only":
            found.add(name.split("@")[0])
    return found


def find(root, folders, name):
    """The file in the first of the folders that has it."""
    for folder in folders:
        path = os.path.join(root, folder, name)
        if os.path.exists(path):
            return path
    return None


def with_libraries(root, path):
    """The object and all that it is linked with, directly or not."""
    todo, seen = [path], {}
    while todo:
        path = todo.pop()
        for line in run("readelf", "-d", path):
            needed = re.search(r"\(NEEDED\).*\[(.*)\]", line)
            if needed and needed.group(1) not in seen:
                seen[needed.group(1)] = find(root, LIBRARIES, needed.group(1))
                if seen[needed.group(1)]:
                    todo.append(seen[needed.group(1)])
                else:
                    print("%s: library %s is not in %s" % (path, needed.group(1), root))
        seen[path] = path
    return {p for p in seen.values() if p}


def class_of(path):
    """sched for a plugin of type sched/bridge; None: no plugin."""
    if "plugin_type" not in symbols(path, "--defined-only"):
        return None
    with open(path, "rb") as file:
        data = file.read()
    for name in DAEMONS:
        if name and re.search(rb"\0%s(/[a-z0-9_]+)?\0" % name.encode(), data):
            return name
    sys.exit("check_symbols: %s: a plugin of a class unknown here" % path)


def expected(root, kind):
    """What all of Slurm's own plugins of a class have."""
    common = None
    for path in glob.glob(os.path.join(root, LIBRARIES[0], kind + "_*.so")):
        found = {s for s in symbols(path, "--defined-only") if s.startswith(kind + "_p_")}
        common = found if common is None else common & found
    if common is None and kind != "spank":
        print("%s: no plugin of Slurm's of the class %s to compare with" % (root, kind))
        return ["%s_p_" % kind]
    return ALWAYS + sorted(common or ())


def check(root, path, cache):
    """How many symbols are missing."""
    kind = class_of(path)
    missing = 0
    if kind:
        have = symbols(path, "--defined-only")
        for name in expected(root, kind):
            if name not in have:
                missing += 1
                print("%s: exports no %s, which Slurm's plugins of this class do" % (path, name))
    own = set().union(*(symbols(p, "--defined-only") for p in with_libraries(root, path)))
    for daemon in DAEMONS[kind]:
        if daemon not in cache:
            program = find(root, PROGRAMS, daemon)
            if not program:
                sys.exit("check_symbols: %s has no %s" % (root, daemon))
            cache[daemon] = set().union(*(symbols(p, "--defined-only")
                                          for p in with_libraries(root, program)))
        for name in sorted(symbols(path, "--undefined-only") - own - cache[daemon]):
            missing += 1
            print("%s: needs %s, which %s does not have" % (path, name, daemon))
    return missing


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    root = sys.argv[2] if len(sys.argv) == 3 else "/"
    objects = sorted(p for p in glob.glob(os.path.join(sys.argv[1], "*.so")) if not os.path.islink(p))
    if not objects:
        sys.exit("check_symbols: no objects in %s" % sys.argv[1])
    cache = {}
    missing = sum(check(root, path, cache) for path in objects)
    print("check_symbols: %d objects, %d symbols missing" % (len(objects), missing))
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
