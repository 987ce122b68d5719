#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the property tests draw all that the decisions look at?

Usage: tests/tools/check_views.py

A property test asks a decision about views that it draws. A member that the decision reads, and the
test does not draw, is 0 in each of them: what depends on it is not tested. Each such member is
printed, and makes the exit code 1, but for those that only end up in words (WORDS), or that are
only counted there, for others (COUNTED: by group_view_count()).
"""
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# {what decides: ({header: structs that it is given}, the files that draw them)}
DECISIONS = {
    "common/nodes/reconcile/node_decide.c": (
        {"common/nodes/watch/node_view.h": ["slurm_node", "node_view"],
         "common/objects/worker_pod.h": ["pod_view"],
         "common/objects/kube_node_state.h": ["kube_node_state"]},
        ["tests/unit/node_views.h"]),
    "common/nodes/reconcile/node_limit.c": (
        {"common/nodes/reconcile/node_limit.h": ["node_limits"],
         "common/nodes/watch/node_attempts.h": ["node_attempts", "steps_pace"],
         "common/nodes/pod/pod_annotations.h": ["note_turns"]},
        ["tests/unit/test_node_limit_properties.c"]),
    "common/nodes/dynamic/dynamic_decide.c": (
        {"common/nodes/dynamic/dynamic_decide.h": ["dynamic_view"]},
        ["tests/unit/test_dynamic_properties.c"]),
    "common/bridge/reconcile/group_decide.c": (
        {"common/bridge/placeholder/group_view.h": ["group_counts", "pods_told", "group_view"]},
        ["tests/unit/test_group_properties.c"]),
    "common/bridge/reconcile/stale_decide.c": (
        {"common/bridge/placeholder/group_view.h": ["group_counts", "group_view"]},
        ["tests/unit/test_stale_properties.c"]),
    "common/external/external_decide.c": (
        {"common/external/external_node.h": ["external_node_view", "external_node_shape"],
         "common/objects/node_filter.h": ["kube_node"]},
        ["tests/unit/test_external_properties.c"]),
}
WORDS = {"name", "uid", "kube_node"}
COUNTED = {"left", "disowned", "elsewhere", "attempt", "done", "failed_ms"}


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def members_of(header, name):
    """The names of a struct's members."""
    body = re.search(r"^struct %s \{(.*?)^\}" % name, without_comments(header), flags=re.S | re.M)
    if not body:
        return None
    found = []
    for line in body.group(1).split(";"):
        for one in line.split(","):
            word = re.search(r"(\w+)(?:\[[^\]]*\])*\s*$", one.strip())
            if word:
                found.append(word.group(1))
    return found


def wrong_of(decision, headers, views):
    """What is read there and not drawn here. headers: {text: structs}; decision, views: texts."""
    wrong = []
    for header, structs in headers.items():
        for struct in structs:
            members = members_of(header, struct)
            if not members:
                wrong.append("there is no struct %s" % struct)
                continue
            for member in members:
                read = re.search(r"(->|\.)%s\b" % member, decision)
                drawn = re.search(r"(->|\.)%s\b" % member, views)
                if read and not drawn and member not in WORDS | COUNTED:
                    wrong.append("%s of struct %s is read, and never drawn" % (member, struct))
    return wrong


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def main():
    n = 0
    for path, (headers, views) in DECISIONS.items():
        wrong = wrong_of(without_comments(read(path)), {read(h): s for h, s in headers.items()},
                         "\n".join(without_comments(read(v)) for v in views))
        for one in wrong:
            print("%s: %s (%s)" % (path, one, ", ".join(views)))
        n += len(wrong)
    print("check_views: %d decisions, %d wrong" % (len(DECISIONS), n))
    return n > 0


if __name__ == "__main__":
    sys.exit(main())
