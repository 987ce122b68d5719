#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the metrics, what is told of them, and what is made of them fit together?

Usage: tests/tools/check_metrics.py EXAMPLE

EXAMPLE is the program of tests/unit/metrics_example.c. Compares

  - the rows of docs/metrics.md with the table in common/metrics/table.c, both ways
  - the reasons of failovers there with the rows of common/nodes/reconcile/node_decide.c
  - the metrics, labels and values that etc/prometheus and etc/grafana ask for with that table
  - the alerts of etc/prometheus with those that its test has, firing and silent, both ways, and
    with docs/metrics.md

With promtool (Debian's package prometheus) the text is checked, too, as are the rules and their
test; without it these are left out, with words.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from checking import TOP, check, failures, read

PAGE = "docs/metrics.md"
RULES = "etc/prometheus/slurm-k8s.rules.yaml"
RULES_TEST = "tests/prometheus/slurm-k8s.test.yaml"
DASHBOARD = "etc/grafana/slurm-k8s.json"
# What Prometheus, and who adds the target's labels, puts beside ours
THEIR_LABELS = {"le", "instance", "job", "file"}


def run(*argv):
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


class Metric:
    """A row of the table: its type, and {label: its values, or None where these are names}"""
    def __init__(self, kind, cell):
        self.kind = kind
        self.labels = {}
        for name, values in re.findall(r"`(\w+)`(?:: ([^;]+))?", cell):
            self.labels[name] = set(values.split(", ")) if values else None

    def series(self, name):
        return [name + end for end in ("_bucket", "_sum", "_count")] if self.kind == "histogram" else [name]


def read_table(text):
    """{metric: Metric} of rows of docs/metrics.md"""
    return {name: Metric(kind, labels)
            for name, kind, labels in re.findall(r"^\| `(slurm_k8s_\w+)` \| (\w+) \| (.*?) \| .* \|$", text, re.M)}


def check_page(rows, page):
    told = re.findall(r"^\| `slurm_k8s_\w+` \| .*$", page, re.M)
    for row in rows:
        check(row in told, f"{PAGE} lacks this row:\n{row}")
    for row in told:
        check(row in rows, f"{PAGE} has a row that the table of common/metrics/table.c has not:\n{row}")
    check(len(set(told)) == len(told), f"{PAGE} has a row twice")


def check_failovers(table):
    plan = read("common/nodes/reconcile/node_decide.c")
    for reason in table["slurm_k8s_failovers_total"].labels["reason"]:
        check(f'"{reason}"' in plan, f"node_decide.c has no row '{reason}', which common/metrics/table.c has")


def check_query(where, text, table):
    """Each selector of ours has series, labels and values that there are. Returns how many there were."""
    series = {s: m for name, m in table.items() for s in m.series(name)}
    found = re.findall(r"\b(slurm_k8s_\w+)(?:\{([^}]*)\})?", text)
    for name, selector in found:
        metric = series.get(name)
        check(metric, f"{where}: there is no series {name}")
        if not metric:
            continue
        for label, how, value in re.findall(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"', selector):
            values = metric.labels.get(label)
            check(label in metric.labels or label in THEIR_LABELS, f"{where}: {name} has no label {label}")
            if values and "$" not in value:
                for one in value.split("|") if "~" in how else [value]:
                    known = any(re.fullmatch(one, v) for v in values) if "~" in how else one in values
                    check(known, f"{where}: {label} of {name} is never {one}")
    labels = {label for m in table.values() for label in m.labels} | THEIR_LABELS
    for group in re.findall(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)", text):
        for label in filter(None, re.split(r"[,\s]+", group)):
            check(label in labels, f"{where}: no metric has the label {label}")
    return len(found)


def check_dashboard(table):
    text = read(DASHBOARD)
    if not text:
        return
    board = json.loads(text)
    panels = [p for p in board["panels"] if p["type"] != "row"]
    for panel in panels:
        for target in panel["targets"]:
            n = check_query(f"{DASHBOARD}: {panel['title']}", target["expr"], table)
            check(n, f"{DASHBOARD}: {panel['title']} asks for nothing of ours")
    check(len({p["id"] for p in board["panels"]}) == len(board["panels"]), f"{DASHBOARD}: an id is there twice")
    for name in re.findall(r"label_values\((\w+)", text):
        check_query(DASHBOARD, name, table)


def check_rules(table, page):
    rules, test = read(RULES), read(RULES_TEST)
    check_query(RULES, rules, table)
    check_query(RULES_TEST, test, table)
    alerts = re.findall(r"^ +- alert: (\w+)$", rules, re.M)
    check(alerts, f"{RULES} has no alerts")
    cases = re.findall(r"^ +alertname: (\w+)\n +exp_alerts:( \[\])?", test, re.M)
    for alert in alerts:
        check((alert, "") in cases, f"{RULES_TEST}: {alert} never fires")
        check((alert, " []") in cases, f"{RULES_TEST}: {alert} is never silent")
        check(f"`{alert}`" in page, f"{PAGE}: the alert {alert} is missing")
    for alert in {name for name, _ in cases} | set(re.findall(r"`(SlurmK8s\w+)`", page)):
        check(alert in alerts, f"{RULES} has no alert {alert}")


def promtool(words, *argv, **how):
    done = subprocess.run(["promtool", *argv], capture_output=True, text=True, check=False, cwd=TOP, **how)
    check(not done.returncode and not done.stderr.strip(), f"{words}:\n{done.stdout}{done.stderr}")


def check_by_promtool(text):
    if not shutil.which("promtool"):
        print("left out: what promtool would check, as it is not installed (Debian's package prometheus)")
        return
    promtool("promtool check metrics", "check", "metrics", input=text)
    if not os.path.exists(os.path.join(TOP, RULES)):
        return
    for argv in (("check", "rules", RULES), ("test", "rules", RULES_TEST)):
        done = subprocess.run(["promtool", *argv], capture_output=True, text=True, check=False, cwd=TOP)
        check(not done.returncode, f"promtool {' '.join(argv)}:\n{done.stdout}{done.stderr}")
    # That such a check finds something
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as bad:
        bad.write(read(RULES).replace("expr: ", "expr: )", 1))
        bad.flush()
        done = subprocess.run(["promtool", "check", "rules", bad.name], capture_output=True, check=False)
        check(done.returncode, "promtool finds nothing wrong with bad rules")


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 2
    rows = run(sys.argv[1], "--table").splitlines()
    table = read_table("\n".join(rows))
    page = read(PAGE)
    check(len(table) == len(rows) and len(rows) > 20, "the rows of the example cannot be read")
    check_page(rows, page)
    check_failovers(table)
    check_rules(table, page)
    check_dashboard(table)
    check_by_promtool(run(sys.argv[1]))
    print(f"check_metrics: {len(rows)} metrics, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
