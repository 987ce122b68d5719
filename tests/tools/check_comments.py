#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Can comments be understood where they stand, as far as a script can see?

Usage: tests/tools/check_comments.py [--list [FOLDER...]]

Found are, in the C files of FOLDERS (below): comments that stand in parentheses as a whole, that
ask a question, that begin in the middle of a sentence ("of that", "then it is tried again"), or
that say what they mean by words that refer to another place, as "likewise", "alike", "the same"
or "the next ones"; and functions of headers that have no contract: a comment
directly above, at the end of the line, or above the block of lines that the function stands in.
Each is printed as file:line, and makes the exit code 1. FOLDERS may only grow. With --list the
FOLDERs of the command line are looked at, or all of common/ and plugins/.
"""
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Comments of .c and .h files, and the contracts of headers
FOLDERS = [
    "common/base", "common/bridge", "common/cluster", "common/config", "common/engine", "common/external",
    "common/json", "common/kube", "common/metrics", "common/nodes", "common/objects", "common/runtime", "common/slurm",
    "common/syntax", "plugins",
]
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
PARENTHESES = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)[.:]?", re.S)
ASIDE = re.compile(r"\b(?:likewise|alike|ditto|the next ones|(?:as|like) the next one)\b|^the same\b"
                   r"|\bthe same(?: as)?(?: above| below| but| of| by| for|[.:;,])", re.I)
FRAGMENT = re.compile(r"(?:of|its?|that|then|so|this one|these|those|them|they|and|or|but|nor|else|too|also)\b", re.I)
# What is quoted is another's text: '?' is a letter, and "?" a value.
QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|`[^`]*`|\?\?|https?://\S+|[a-z/?&]+\?[a-z]+=\S*")


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def comments(text):
    """Yields the line and the words of each comment."""
    for found in TOKEN.finditer(text):
        token = found[0]
        if token[0] != "/":
            continue
        body = token[2:-2] if token[1] == "*" else token[2:]
        words = " ".join(line.strip().lstrip("*").strip() for line in body.splitlines())
        yield line_of(text, found.start()), " ".join(words.split())


def faults(words):
    """What is wrong with a comment's words"""
    if PARENTHESES.fullmatch(words):
        yield "a whole comment in parentheses"
    if "?" in QUOTED.sub("", words):
        yield "a question"
    if ASIDE.search(words):
        yield "refers to another place"
    if FRAGMENT.match(words):
        yield "begins with a word that stands for something else"


def blanked(text):
    """The text with each comment, string and directive as so many blanks, line ends kept"""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])

    text = TOKEN.sub(blank, text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def declarations(code):
    """Yields first line, last line and name of each function that a header has. code: blanked."""
    depth = parens = 0
    start = name = None
    for found in re.finditer(r"[{}();]|\w+[ \t]*\(|\S", code):
        token = found[0]
        if start is None and token not in "{};":
            start = found.start()
        if token.endswith("("):
            word = token[:-1].strip()
            if not depth and not parens and not name and word and word != "__attribute__":
                name = word
            parens += 1
        elif token == ")":
            parens -= 1
        elif token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
        if not depth and not parens and token in ";}":
            if start is not None and name and not re.match(r"typedef\b", code[start:]):
                yield line_of(code, start), line_of(code, found.start()), name
            start, name = None, None


def without_contract(text):
    """Yields line and name of each function of a header that has no comment."""
    lines = text.splitlines()
    said = set()  # lines that a comment, or a part of one, stands on
    for found in TOKEN.finditer(text):
        if found[0].startswith("/"):
            said.update(range(line_of(text, found.start()), line_of(text, found.end()) + 1))
    for first, last, name in declarations(blanked(text)):
        above = first - 1
        while above and lines[above - 1].strip() and above not in said:
            above -= 1
        if above not in said and not said.intersection(range(first, last + 1)):
            yield first, name


def check(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        text = file.read()
    for line, words in comments(text):
        for fault in faults(words):
            yield line, "%s: %s" % (fault, words)
    if path.endswith(".h"):
        for line, name in without_contract(text):
            yield line, "%s() has no contract" % name


def sources(folders):
    for folder in folders:
        for where, _, names in sorted(os.walk(os.path.join(TOP, folder))):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(where, name), TOP)


def main():
    if len(sys.argv) > 1 and sys.argv[1] != "--list":
        print(__doc__.strip(), file=sys.stdout if "--help" in sys.argv else sys.stderr)
        return 0 if "--help" in sys.argv else 2
    paths = list(sources(FOLDERS))
    if len(sys.argv) > 1:
        paths = list(sources(sys.argv[2:] or ["common", "plugins"]))
    wrong = 0
    for path in paths:
        for line, words in sorted(check(path)):
            wrong += 1
            print("%s:%d: %s" % (path, line, words))
    print("check_comments: %d files, %d wrong" % (len(paths), wrong))
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
