#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""README's table of releases, Kubernetes x Slurm, from what script/test has found.

Usage: tests/tools/versions_table.py [show | write RESULTS | compare RESULTS]

RESULTS is what script/test has written: build/test-results.jsonl, a line for each
releases (of Kubernetes and Slurm) and suite. docs/test-results.jsonl is what README's table
is made of. Tests that failed and passed at a second try are named below the table. "storms" of a line are
how often slurmctld was killed in a suite, and the seed that chose the moments.

  show     print the table (the default)
  write    take the lines of RESULTS over, and write the table into README.md
  compare  say where RESULTS contradicts the table, and fail if it does
"""
import json
import os
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KEPT = os.path.join(TOP, "docs/test-results.jsonl")
README = os.path.join(TOP, "README.md")
BEGIN = "<!-- made by tests/tools/versions_table.py -->\n"
END = "<!-- end of the table -->\n"
KEYS = {"kubernetes": str, "release": str, "slurm": str, "debian": str, "suite": str, "date": str,
        "passed": int, "failed": int, "skipped": int, "second_try": list}
# A suite of script/test, and what the table calls it
SUITES = {"unit": "unit, fault, fuzz", "rest": "jobs, gangs, features",
          "create": "created nodes",
          "bridge": "pods in the queue", "steps": "steps and pods",
          "engine": "pods that fail", "alone": "hosts that fail",
          "long": "power cuts, storm of kill -9, other long ones",
          "slurm": "Slurm alone", "other": "sanitizers, slurmdbd and others"}


def parse(text):
    """{(Kubernetes release, Slurm release, suite): row}; the last line about something counts."""
    rows = {}
    for number, line in enumerate(text.splitlines(), 1):
        row = json.loads(line)
        for key, kind in KEYS.items():
            if not isinstance(row.get(key), kind):
                raise ValueError(f"line {number}: {key} is missing, or no {kind.__name__}")
        if not isinstance(row.setdefault("storms", []), list):
            raise ValueError(f"line {number}: storms is no list")
        if row["suite"] not in SUITES:
            raise ValueError(f"line {number}: no suite is called {row['suite']}")
        rows[minor(row["kubernetes"]), row["release"], row["suite"]] = row
    return rows


def minor(version):
    """'1.37' of '1.37.2', '1.37 without gates' of '1.37.2 without gates'"""
    number, _, how = version.partition(" ")
    return " ".join([".".join(number.split(".")[:2]), *([how] if how else [])])


def load(path):
    with open(path, encoding="utf-8") as file:
        return parse(file.read())


def dump(rows):
    order = list(SUITES)
    keys = sorted(rows, key=lambda key: (*key[:2], order.index(key[2])))
    return "".join(json.dumps(rows[key]) + "\n" for key in keys)


def releases(rows):
    """Of Slurm."""
    return sorted({release for _, release, _ in rows})


def counts(row):
    """'29', '**2 failed**, 27', '20 (4 skipped)'; '-': nothing was run."""
    if not row or not row["passed"] + row["failed"]:
        return "-"
    text = f"**{row['failed']} failed**, " if row["failed"] else ""
    text += str(row["passed"])
    return text + (f" ({row['skipped']} skipped)" if row["skipped"] else "")


def table(rows):
    """A row for each pair of releases; a cell ends with its storms: '5; 50 kills, seed 7', and if
    it is older than its row with its date."""
    def cell(row, on):
        more = [*row["storms"], *([row["date"]] if row["date"] != on else [])] if row else []
        return "; ".join([counts(row), *more])
    lines = ["| Kubernetes | Slurm | Debian | " + " | ".join(SUITES.values()) + " | on |",
             "|---" * (len(SUITES) + 4) + "|"]
    for pair in sorted({key[:2] for key in rows}):
        mine = [row for key, row in rows.items() if key[:2] == pair]
        newest = max(mine, key=lambda row: row["date"])
        cells = [cell(rows.get((*pair, suite)), newest["date"]) for suite in SUITES]
        lines.append(f"| {newest['kubernetes']} | {newest['slurm']} | {newest['debian']} | " +
                     " | ".join(cells) + f" | {newest['date']} |")
    return "\n".join(lines + second_tries(rows)) + "\n"


def second_tries(rows):
    """A line for each test that failed once, and passed when it was run again."""
    lines = [f"- Kubernetes {row['kubernetes']}, Slurm {row['slurm']}: {name}"
             for key in sorted(rows) for row in [rows[key]] for name in row["second_try"]]
    return ["", "Passed only at a second try:", "", *lines] if lines else []


def in_readme(text):
    """(before, table, after) of README.md."""
    before, begin, rest = text.partition(BEGIN)
    inside, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError("README.md has no marks of the table")
    return before + begin, inside, end + after


def with_table(text, rows):
    before, _, after = in_readme(text)
    return before + table(rows) + after


def contradictions(kept, new):
    """Words, for each line of `new` that the table says something else about."""
    out = []
    for (kubernetes, release, suite), row in sorted(new.items()):
        old = kept.get((kubernetes, release, suite))
        what = f"Kubernetes {kubernetes}, Slurm {release}, {suite}"
        if not old:
            out.append(f"{what}: the table has nothing of it")
        elif old["slurm"] != row["slurm"]:
            out.append(f"{what}: the table is of {old['slurm']}, this was {row['slurm'] or 'none'}")
        elif old["kubernetes"] != row["kubernetes"]:
            out.append(f"{what}: the table is of {old['kubernetes']}, this was {row['kubernetes']}")
        elif counts(old) != counts(row):
            out.append(f"{what}: the table says {counts(old)}, this run {counts(row)}")
    return out


def write(new):
    kept = load(KEPT) if os.path.exists(KEPT) else {}
    kept.update(new)
    with open(README, encoding="utf-8") as file:
        text = with_table(file.read(), kept)
    for path, content in ((KEPT, dump(kept)), (README, text)):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)


def main(argv):
    verb = argv[0] if argv else "show"
    if len(argv) != {"show": min(len(argv), 1), "write": 2, "compare": 2}.get(verb, -1):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if verb == "show":
        print(table(load(KEPT)), end="")
    elif verb == "write":
        write(load(argv[1]))
    else:
        found = contradictions(load(KEPT), load(argv[1]))
        for line in found:
            print(line)
        return 1 if found else 0
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, ValueError) as error:
        sys.exit(f"versions_table: {error}")
