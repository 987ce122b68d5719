#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is each external name of ours defined once?

Usage: tests/tools/check_globals.py BUILD

Of two definitions in static libraries the linker takes the first that it meets, and says
nothing: a caller in one file may get the function of another. BUILD is meson's folder. All of
common/ is compared with each other, and each program and plugin with it and within itself
(plugins have names of Slurm's interface in common). Nor may common/ have a name that a library
exports with which our programs or libslurmk8s.so are linked: where our names are not hidden the
library would call ours. Each name that is there twice is printed, with the objects, and makes the
exit code 1.
"""
import collections
import glob
import os
import subprocess
import sys


def defined(paths):
    """{object: the external names that it defines}, but those that may be overridden"""
    names = {path: set() for path in paths}
    out = subprocess.run(["nm", "-A", "--extern-only", "--defined-only", "--format=posix", *paths],
                         check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        path, name, kind = line.split()[:3]
        if kind not in "wvWV" and not name.startswith("__"):
            names[path.rstrip(":")].add(name)
    return names


def objects(build, pattern):
    return sorted(glob.glob(os.path.join(build, pattern)))


def twice(paths, names):
    """{name: objects} of the names that several of these define."""
    found = collections.defaultdict(list)
    for path in paths:
        for name in names[path]:
            found[name].append(path)
    return {name: where for name, where in found.items() if len(where) > 1}


def libraries(build):
    """Those that what is built of common/ is linked with, by name"""
    found = {}
    for path in objects(build, "common/*.so") + objects(build, "plugins/*/k8s_*"):
        if not os.path.isfile(path):
            continue
        needed = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
        for line in subprocess.run(["ldd", path], check=False, capture_output=True, text=True).stdout.splitlines():
            words = line.split()
            if len(words) > 2 and words[1] == "=>" and "[%s]" % words[0] in needed:
                found[words[0]] = words[2]
    return sorted(found.values())


def exported(library):
    """The functions and data that it exports, but those that may be overridden"""
    out = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", library],
                         check=True, capture_output=True, text=True).stdout
    return {line.split("@")[0].split()[0] for line in out.splitlines() if line.split()[1] not in "wvWVA"}


def check(build):
    """(the number of objects looked at, {name: objects})"""
    common = objects(build, "common/*.p/*.o")
    groups = [common]
    for folder in sorted(glob.glob(os.path.join(build, "plugins/*"))):
        # (what several programs share is a library, libpower.a.p)
        shared = objects(folder, "*.a.p/*.o")
        for target in sorted(glob.glob(os.path.join(folder, "*.p"))):
            if not target.endswith(".a.p"):
                groups.append(common + shared + objects(target, "*.o"))
    paths = sorted({path for group in groups for path in group})
    if not paths:
        sys.exit("check_globals: no objects in %s" % build)
    names, bad = defined(paths), {}
    for group in groups:
        bad.update(twice(group, names))
    for library in libraries(build):
        theirs = exported(library)
        for path in common:
            bad.update({name: [path, library] for name in names[path] & theirs})
    return len(paths), bad


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    looked_at, bad = check(sys.argv[1])
    for name, where in sorted(bad.items()):
        print("%s is defined in %s" % (name, " and ".join(os.path.relpath(p, sys.argv[1]) for p in where)))
    print("check_globals: %d objects, %d names defined twice" % (looked_at, len(bad)))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
