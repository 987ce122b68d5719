#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is each finding of slurm-k8s check in docs/check.md, and is what stands there true?

Usage: tests/tools/check_findings.py [--list]

Compares, both ways:

  - the rows of docs/check.md with the findings in plugins/slurm_k8s: each call of findings_add()
    that is a warning or wrong, each row of the tables there, and each refusal in pod_refusals.c.
    A row has the check's name, and words of the text, where "..." stands for what is put in.
  - the last column with what tests/e2e/check.bats and probe.bats find: each "finds", "says",
    "role_lacks" and "told" stands in the row of its check, word by word, and each of these words
    in a call there

--list prints what the source has. Exit code: 0: all is well; 1: it is not.
"""
import os
import re
import sys

from checking import TOP, check, failures, read

SOURCES = "plugins/slurm_k8s"
PAGE = "docs/check.md"
BATS = ("tests/e2e/check.bats", "tests/e2e/probe.bats")
STRING = r'"(?:[^"\\]|\\.)*"'
# What a name of a check is where it is no text: the column of which table, or names
TABLES = {"programs": (0, 3), "words": (0, 4), "unwanted": (0, 3), "least": (0, 4)}
# What a function of the file says of its check, and which argument of it is the text
TELL = {"node_rules.c": [("nodeset", "tell", 2)],
        "host_rules.c": [("Kubernetes nodes", "tell", 2), ("Kubernetes nodes", "snprintf", 2)]}
# What these functions put their text into
FRAMES = {"...: ... of its nodes ...", "nodeset ...: ..., so its pods wait, unless an autoscaler adds one"}
VARIABLES = {
    "CHECK": {"host_checks.c": ["Kubernetes nodes"], "host_rules.c": ["Kubernetes nodes"]},
    "keys[i]": {"slurm_rules.c": ["ResumeRate", "SuspendRate", "JobContainerType", "NamespaceType"]},
    "rules[i][0]": {"slurm_rules.c": ["ProctrackType", "TaskPlugin", "JobAcctGatherType"]},
    "need->key": {"probe_findings.c": ["Prolog", "Epilog", "TaskProlog", "TaskEpilog", "HealthCheckProgram"]},
    "t->from": {"probe_findings.c": ["SlurmctldAddr", "SlurmctldHost", "SLURM_CONF_SERVER"]},
    "need->kind": {"need_checks.c": ["Secret", "ConfigMap", "PersistentVolumeClaim"]},
}


def text_of(code):
    """The text of adjacent strings and macros between them, with "..." for what is put in"""
    out = ""
    for part in re.findall(STRING + r"|[A-Za-z_]\w*", code):
        out += part[1:-1] if part.startswith('"') else {"SECRETS": "/run/secrets/"}.get(part, "")
    out = re.sub(r'\\"', '"', out)
    # (a number's letters, "lld", come from a macro)
    out = re.sub(r"%[-0-9.*]*(?:z|ll|l)?[sducx]|%", "...", out)
    return re.sub(r"(?:\.\.\.)+", "...", out)


def arguments(code, at):
    """Those of the call whose bracket opens at `at`"""
    depth, parts, begin, i = 0, [], at + 1, at
    while True:
        string = re.match(STRING, code[i:])
        if string:
            i += string.end()
            continue
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            depth -= 1
            if depth == 0:
                return parts + [code[begin:i].strip()]
        elif code[i] == "," and depth == 1:
            parts.append(code[begin:i].strip())
            begin = i + 1
        i += 1


def rows_of(code, table):
    """The rows of a static table, as lists of texts; None: there is no such one"""
    found = re.search(r"\b%s\[\] = (\{)" % table, code)
    if not found:
        return []
    return [arguments(row, 0) for row in arguments(code, found.start(1)) if row.startswith("{")]


def source_findings():
    """[(file, names of the check, one of which it is, text)]"""
    out = []
    for file in sorted(os.listdir(os.path.join(TOP, SOURCES))):
        if not file.endswith(".c") or file == "findings.c":
            continue
        code = re.sub(r"/\*.*?\*/", "", read(f"{SOURCES}/{file}"), flags=re.S)
        for call in re.finditer(r"\bfindings_add(\()", code):
            state, name, _, text = arguments(code, call.start(1))[1:5]
            if state in ("FINDING_OK", "FINDING_SKIPPED", "FINDING_UNKNOWN"):
                continue
            if name == "r->key":
                # (with few words of its own it says what its row of the table says)
                if len(re.findall("[A-Za-z]{2,}", text_of(text))) >= 4:
                    out.append((file, [row[0][1:-1] for row in rows_of(code, "programs")], text_of(text)))
                continue
            names = [name[1:-1]] if name.startswith('"') else VARIABLES.get(name, {}).get(file)
            check(names, f"{file}: whose name is {name}, is not known")
            if text_of(text) not in FRAMES:
                out.append((file, names or [], text_of(text)))
        for name, function, place in TELL.get(file, []):
            for call in re.finditer(r"\b%s(\()" % function, code):
                parts = arguments(code, call.start(1))
                if len(parts) > place and '"' in parts[place] and parts[0] != "fix":
                    out.append((file, [name], text_of(parts[place])))
        for table, (key, why) in TABLES.items():
            for row in rows_of(code, table):
                out.append((file, [row[key][1:-1]], text_of(row[why])))
        if file == "pod_refusals.c":
            for row in rows_of(code, "table"):
                out.append((file, ["pod"], text_of(row[0]).strip(' "')))
    return out


class Row:
    def __init__(self, line):
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        self.good = len(cells) == 5
        self.name, self.what, words, self.fix, test = cells if self.good else [line, "", "", "", ""]
        self.words = words.strip("`").replace("\\|", "|")
        self.tests = [] if test == "no" else [t.replace("\\|", "|") for t in re.findall(r"`([^`]+)`", test)]
        self.good = self.good and (test == "no" or bool(self.tests)) and bool(self.fix and self.what)

    def is_of(self, finding):
        _, names, text = finding
        if names and self.name not in names:
            return False
        return self.words == text if not re.search("[a-z]", self.words) else self.words in text


def page_rows():
    rows = []
    for line in read(PAGE).split("\n"):
        if line.startswith("| ") and not line.startswith(("| check |", "| ---")):
            row = Row(line)
            check(row.good, f"{PAGE}: five cells are to be filled: {line}")
            rows.append(row)
    return rows


def found_by_test():
    """{(check, words)} that the test finds"""
    found = set()
    word = r"""("(?:[^"\\]|\\.)*"|'[^']*'|\S+)"""
    text = "".join(read(path) for path in BATS)
    calls = r"^\s*(?:(?:STATE=\w+ )?(?:finds|says)|told (?:wrong|warning)) %s %s" % (word, word)
    for name, words in re.findall(calls, text, re.M):
        found.add((name.strip("'\""), words[1:-1] if words[0] in "'\"" else words))
    for _, resource, verb, rest in re.findall(r"\brole_lacks (\w+) (\w+) (\w+) \"([^\"]*)\"", text):
        found.add(("rights", f"may not {verb} {resource}{rest}"))
    return found - {("rights", "may not $3 $2$4")}  # (role_lacks itself)


def main():
    findings = source_findings()
    if sys.argv[1:] == ["--list"]:
        for file, names, text in findings:
            print(f"{file}\t{','.join(names)}\t{text}")
        for pair in sorted(found_by_test()):
            print("test\t%s\t%s" % pair)
        return 0
    rows = page_rows()
    for finding in findings:
        check(any(row.is_of(finding) for row in rows),
              f"{PAGE} has no row for {finding[0]}: {','.join(finding[1] or [])}: {finding[2]}")
    for row in rows:
        check(any(row.is_of(f) for f in findings), f"{PAGE}: no finding is {row.name}: {row.words}")
    tested = {(row.name, words) for row in rows for words in row.tests}
    found = found_by_test()
    for name, words in sorted(found - tested):
        check(False, f"{PAGE}: the row of {name} does not have what a test finds: {words}")
    for name, words in sorted(tested - found):
        check(False, f"no test finds what {PAGE} says of {name}: {words}")
    if len(findings) < 90 or len(found) < 60:
        check(False, f"only {len(findings)} findings and {len(found)} that are tested were read")
    print(f"check_findings: {len(findings)} findings, {len(rows)} rows, {len(found)} planted, {len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
