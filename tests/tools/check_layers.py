#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does each room include only what it may use (docs/architecture.md)?

Usage: tests/tools/check_layers.py

A room is a folder of common/: the table in common/meson.build says which it may use, and what
these may use it may, too. PLUGINS says so of the plugins and programs. Reads the #include lines of
common/ and plugins/; <slurm/...> also in tests/. Each wrong one is printed as file:line, and makes the exit code 1.
"""
import os
import re
import sys

from rooms import TOP, may_use, read_table

# Headers of libraries that only these layers may include.
LIBRARIES = {
    "slurm/": {"slurm"},
    "curl/": {"kube"},
    "json-c/": {"json"},
    "yaml.h": {"json"},
    "microhttpd.h": {"engine"},
    "openssl/": {"base", "kube"},
}
# (it asks the engine of this host, and not Kubernetes)
BESIDE = {os.path.join("plugins", "slurm_k8s", "served_metrics.c"): "curl/curl.h"}
# The rooms that each folder of plugins/ may use, and what these may; and single headers of others:
# of pure files, and the interface of libslurmk8s.so.
INTERFACE = "engine/slurmk8s.h"
PLUGINS = {
    "power_k8s": (["nodes/pod", "slurm"], []),
    "slurm_k8s": (["nodes/pod", "slurm"],
                  ["bridge/jobspec/job_identity.h", "nodes/features/constraint.h"]),
    "sched_bridge": ([], [INTERFACE]),
    "node_features_k8s": ([], [INTERFACE, "syntax/wellknown.h"]),
    "job_submit_k8s": ([], [INTERFACE, "syntax/wellknown.h"]),
    "spank_k8s": ([], ["syntax/label_key.h", "syntax/wellknown.h"]),
    "lib": ([], []),
}
# Headers that meson writes when it sets up a build
WRITTEN = {"slurm/probes.h"}
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
ROOMS = may_use(read_table())


def sources(*folders):
    """The C files below the folders, as paths from the top."""
    for folder in folders:
        for where, _, names in sorted(os.walk(os.path.join(TOP, folder))):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(where, name), TOP)


def wrong_library(place, header):
    """place: a room, or "plugins" or "tests"."""
    for prefix, layers in LIBRARIES.items():
        if not header.startswith(prefix) or place in layers:
            continue
        if place != "tests" or prefix == "slurm/":
            return "only common/%s may include <%s>" % (
                ", common/".join(sorted(layers)), header)
    return None


def wrong_of_plugin(path, header):
    """An #include "header" of a file of plugins/, from common/."""
    plugin = path.split(os.sep)[1]
    if plugin not in PLUGINS:
        return "plugins/%s is not in the table of check_layers.py" % plugin
    rooms, headers = PLUGINS[plugin]
    if header in headers or os.path.dirname(header) in set().union(*(ROOMS[room] for room in rooms)):
        return None
    return 'plugins/%s may not use "%s"' % (plugin, header)


def wrong_own(path, place, header):
    """An #include "header" of the file."""
    if ".." in header.split("/"):
        return 'a path with "..": "%s"' % header
    beside = os.path.join(TOP, os.path.dirname(path), header)
    shared = os.path.join(TOP, "plugins", "lib", header)
    if place == "plugins" and (os.path.exists(beside) or os.path.exists(shared)):
        return None
    if header not in WRITTEN and not os.path.exists(os.path.join(TOP, "common", header)):
        return 'no such file below common/: "%s"' % header
    if place == "plugins":
        return wrong_of_plugin(path, header)
    if header in WRITTEN or os.path.dirname(header) in ROOMS[place]:
        return None
    return 'common/%s may not use "%s"' % (place, header)


def check(path):
    """Yields line number and words for each wrong line."""
    place, below = path.split(os.sep, 1)
    if place == "common":
        place = os.path.dirname(below)
        if place not in ROOMS:
            yield 1, "common/%s is no room of common/meson.build" % place
            return
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            if found[1] == "<":
                # (a plugin's symbols are Slurm's, in one thin file)
                thin = place == "plugins" and os.path.basename(path) == "plugin.c"
                allowed = (thin and found[2].startswith("slurm/")) or BESIDE.get(path) == found[2]
                words = None if allowed else wrong_library(place, found[2])
            else:
                words = None if place == "tests" else wrong_own(path, place, found[2])
            if words:
                yield number, words


def main():
    if len(sys.argv) > 1:
        print(__doc__.strip(), file=sys.stdout if "--help" in sys.argv else sys.stderr)
        return 0 if "--help" in sys.argv else 2
    files = wrong = 0
    for path in sources("common", "plugins", "tests"):
        files += 1
        for number, words in check(path):
            wrong += 1
            print("%s:%d: %s" % (path, number, words))
    print("check_layers: %d files, %d wrong" % (files, wrong))
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
