#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does our library reckon what pods request as Kubernetes does?

Usage: compare.py OURS RELEASE=PROGRAM... [--pods N] [--seed N]

OURS is what pod_requests.c here is built to, each PROGRAM what main.go is with the
go.mod of a RELEASE. Pods of pods.py are given to all of them: as they are, and as
the API server of each release keeps them, with its defaults.

Where the releases differ from each other, ours is to be the greater of their
figures for each resource (see podneed_held_of() in common/objects/pod_requests.h).
The closing line counts pods: N passed, N failed.
"""
import argparse
import concurrent.futures
import copy
import json
import random
import subprocess
import sys
import time

import pods

SHOWN = 5  # of the pods that differ


def ask(command, lines):
    """The program's answers, one to each line."""
    done = subprocess.run(command, input="".join(lines), stdout=subprocess.PIPE, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(lines):
        sys.exit(f"{command[0]}: {len(answers)} answers to {len(lines)} pods")
    return answers


def greater(figures):
    """Of each resource; too much of one is too much."""
    out = {}
    for figure in figures:
        if isinstance(figure, str):
            return figure
        for name, n in figure.items():
            out[name] = max(n, out.get(name, 0))
    return out


class Judge:
    """Ours and Kubernetes' programs. `kept`: pods have their defaults, and may have a status."""

    def __init__(self, ours, releases):
        self.ours, self.releases = ours, releases

    def ask_all(self, some, kept):
        """For each pod: our answer, and that of each release."""
        lines = [json.dumps(pod) + "\n" for pod in some]
        commands = [[self.ours]] + [[program] + ["kept"] * kept for program in self.releases.values()]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            return zip(*pool.map(lambda command: ask(command, lines), commands))

    def kept(self, some):
        """The pods as API servers keep them, no two alike."""
        out = {}
        for answers in self.ask_all(some, False):
            for answer in answers[1:]:
                del answer["pod"]["metadata"]
                out[json.dumps(answer["pod"], sort_keys=True)] = answer["pod"]
        return list(out.values())

    def look(self, some, kept):
        """Yields pod, our answer, that of each release, whether ours is right."""
        for pod, (ours, *theirs) in zip(some, self.ask_all(some, kept)):
            yield pod, ours, theirs, all(ours[f] == greater(t[f] for t in theirs) for f in figures(kept))

    def smaller(self, pod, kept):
        """What is left of a pod when all goes without which it is wrong, too."""
        while True:
            tries = [t for t in without_one(pod) if t.get("spec", {}).get("containers")]
            wrong = (t for t, _, _, right in self.look(tries, kept) if not right)
            pod, before = next(wrong, pod), pod
            if pod is before:
                return pod


def figures(kept):
    """Who has no defaults is on no node."""
    return ("asks", "holds") if kept else ("asks",)


def without_one(o):
    """Copies of a JSON value that lack one member, at any depth."""
    keys = list(o) if isinstance(o, dict) else range(len(o)) if isinstance(o, list) else ()
    for key in keys:
        less = copy.copy(o)
        del less[key]
        yield less
    for key in keys:
        for less in without_one(o[key]):
            out = copy.copy(o)
            out[key] = less
            yield out


def words(figure):
    if isinstance(figure, str):
        return figure
    first = ("cpu", "memory")
    return " ".join(f"{name}={n}" for name, n in sorted(figure.items(), key=lambda i: (i[0] not in first, i[0])))


def tell(judge, pod, kept):
    """A difference, with the row of tests/unit/test_pod_requests.c that keeps it mended."""
    for pod, ours, theirs, _ in judge.look([judge.smaller(pod, kept)], kept):
        print(json.dumps(pod))
        for name, answer in (("ours", ours), *zip(judge.releases, theirs)):
            print("  " + name.ljust(5), *(f"{f}: {words(answer[f])}; " for f in figures(kept)))
        right = [words(greater(t[f] for t in theirs)) for f in ("asks", "holds")]
        print("  a row of test_pod_requests.c (what_kubernetes_says):")
        print("\t\t{" + ", ".join(json.dumps(text) for text in ("WHAT IT IS ABOUT", json.dumps(pod), *right)) + "},")


def main():
    p = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    p.add_argument("ours")
    p.add_argument("releases", nargs="+")
    p.add_argument("--pods", type=int, default=10000)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    judge = Judge(args.ours, dict(r.split("=", 1) for r in args.releases))
    draw = random.Random(args.seed)
    begin = time.monotonic()
    raw = [pods.pod(draw) for _ in range(args.pods)]
    kept = judge.kept(raw)
    failed, bad, differ, too_much = 0, [], 0, 0
    for name, some, is_kept in (("as written", raw, False), ("as API servers keep them", kept, True)):
        wrong = len(bad)
        for pod, ours, theirs, right in judge.look(some, is_kept):
            differ += any(theirs[0][f] != t[f] for t in theirs for f in figures(is_kept))
            too_much += any(ours[f] == "too much" for f in figures(is_kept))
            if not right:
                bad.append((pod, is_kept))
        wrong = len(bad) - wrong
        failed += wrong > 0
        print(f"{'FAILED' if wrong else 'ok'}: {len(some)} pods {name}: {wrong} differ from Kubernetes")
    for pod, is_kept in bad[:SHOWN]:
        tell(judge, pod, is_kept)
    print(f"seed {args.seed}: {len(raw)} pods, and {len(kept)} with the defaults of {' and '.join(judge.releases)}: "
          f"the releases differ for {differ}, {too_much} ask for too much; {time.monotonic() - begin:.1f} s")
    print(f"{2 - failed} passed, {failed} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
