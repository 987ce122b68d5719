#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is each command of the documents run by a test?

Usage: tests/tools/check_commands.py

A command is a line of an sh block of docs/*.md, or of a literal block in the section EXAMPLES
of a manual page (docs/man/*.rst); lines that end with a backslash or
within quotes, or with a pipe, are one with the next, and the text of a here-document is left out.
Of a manual page those blocks are left out that are a log or YAML: the first word of such
a one begins with a bracket, or ends with a colon.
Each must stand in an sh
block of README.md, whose blocks tests/e2e/readme.bats runs as they are, or have a row
in tests/tools/commands.tsv. A test of bats must be one that script/test runs without an
option (tests/tools/ordinary_run), with a Slurm that it does not leave out; another program one
that script/test or tests/meson.build names:

    COMMAND <tab> a file below tests/ or script/lib/ <tab> a text in that file: what is run there
    COMMAND <tab> a file below tests/ <tab> @test TITLE: the test of bats that runs it
    COMMAND <tab> cloud <tab> why no test can run it: what no test machine has
    COMMAND <tab> itself <tab> what it is: a command that runs tests

A row whose command no document has is a failure, too.
"""
import glob
import os
import re
import sys

import ordinary
from check_docs import TOP, blocks, read

TABLE = "tests/tools/commands.tsv"
README_TEST = "tests/e2e/readme.bats"


def lines(block):
    """The commands of an sh block, one a line, without comments."""
    block = re.sub(r"\\\n\s*", " ", block)
    block = re.sub(r"<<-?'?(\w+)'?(.*)\n(?:.*\n)*?\1$", r"<<\1\2", block, flags=re.M)
    whole = ""
    for line in block.splitlines():
        whole = f"{whole} {re.sub(r'(^|[ ]+)#.*', '', line)}".strip()
        if whole and whole.count("'") % 2 == 0 and not whole.endswith("|"):
            yield re.sub(r"\s+", " ", whole)
            whole = ""
    if whole:
        yield whole


def examples(page):
    """The blocks of commands in the section EXAMPLES of a manual page, without their indentation."""
    section = re.search(r"^EXAMPLES?\n=+\n(.*?)(?=^\S[^\n]*\n=+\n|\Z)", page, re.M | re.S)
    for block in re.findall(r"::\n\n((?:(?: {4}.*)?\n)+)", section[1] if section else ""):
        block = re.sub(r"^ {4}", "", block, flags=re.M)
        if not re.match(r"\[|\S+:(\s|$)", block):
            yield block


def told(path, text):
    found = examples(text) if path.endswith(".rst") else blocks(text)
    return [line for block in found for line in lines(block)]


def rows(text):
    """{command: (how, what)} of a table."""
    out = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            command, how, what = line.split("\t")
            out[command] = (how, what)
    return out


def fault(how, what, texts, plan):
    """What is wrong with a row; None: nothing. `texts` gives a file's text, or None; `plan`: see ordinary.runs()."""
    if how in ("cloud", "itself"):
        return None if what else "it is not said why"
    text = texts(how)
    if not how.startswith(("tests/", "script/lib/")) or text is None:
        return f"there is no {how}"
    if what.startswith("@test "):
        title = what[len("@test "):]
        if f'@test "{title}" {{' not in text:
            return f"{how} has no test \"{title}\""
    elif not what or what not in text:
        return f"{how} does not have '{what}'"
    if how.endswith(".bats") and not ordinary.is_run(how, text, what, plan):
        return f"script/test without options does not run that of {how}"
    if how.startswith("tests/") and not how.endswith((".bats", ".bash")) and not ordinary.is_started(how, texts):
        return f"neither script/test nor tests/meson.build runs {how}"
    return None


def failures(docs, run, table, texts, plan):
    """In words. `docs`: {path: text}; `run`: commands that README_TEST runs as they are."""
    out = []
    if run and not ordinary.is_run(README_TEST, texts(README_TEST) or "", "", plan):
        out.append(f"script/test without options does not run {README_TEST}")
    met = set()
    for path, text in docs.items():
        for command in told(path, text):
            if command in run:
                continue
            met.add(command)
            if command not in table:
                out.append(f"{path}: no test runs '{command}': see {TABLE}")
            elif fault(*table[command], texts, plan):
                out.append(f"{TABLE}: '{command}': {fault(*table[command], texts, plan)}")
    return out + [f"{TABLE}: no document has '{c}'" for c in table if c not in met]


def text_of(path):
    return read(path) if os.path.isfile(os.path.join(TOP, path)) else None


def main():
    if len(sys.argv) > 1:
        print(__doc__.strip())
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    docs = {os.path.relpath(p, TOP): text_of(os.path.relpath(p, TOP))
            for p in sorted(glob.glob(f"{TOP}/docs/*.md") + glob.glob(f"{TOP}/docs/man/*.rst"))}
    bad = failures(docs, set(told("README.md", read("README.md"))), rows(read(TABLE)), text_of, ordinary.runs(TOP))
    for words in bad:
        print(f"FAILED: {words}")
    number = sum(len(told(path, text)) for path, text in docs.items())
    print(f"{number} commands, {len(bad)} failed")
    return 1 if bad or not number else 0


if __name__ == "__main__":
    sys.exit(main())
