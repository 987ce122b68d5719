#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Renames functions, types and constants in all C files, and where docs and tests name them.

Usage: tests/tools/house/rename.py RULES > RENAMES

RULES, a line each; "#" begins a comment:
  S OLD NEW                the tag of a struct, enum or union
  I OLD NEW                any name
  P OLD NEW                the beginning of names
  F OLD NEW                a function, where it is called or declared; not where a file has its own
  X OLD... = BEGINNING NEW names whose beginning changes
String literals stay as they are; in comments only names with an underscore, or with "(" behind
them, are taken for names. RENAMES is what same_code.py takes: old and new names of functions and
variables.
"""
import re
import subprocess
import sys

WORD = re.compile(r"[A-Za-z_]\w*")
TOKEN = re.compile(r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|'
                   r'(?P<include>^[ \t]*#[ \t]*include[^\n]*)|(?P<name>[A-Za-z_]\w*)', re.S | re.M)
TAGS = ("struct", "enum", "union")


class Rules:
    def __init__(self, path):
        self.tags, self.names, self.functions, self.beginnings = {}, {}, {}, []
        self.renamed = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                words = line.split()
                if words and not words[0].startswith("#"):
                    self.take(words)
        self.beginnings.sort(key=lambda pair: -len(pair[0]))

    def take(self, words):
        kind, old = words[:2]
        if kind == "X":
            at = words.index("=")
            head, new = words[at + 1:]
            for name in words[1:at]:
                self.names[name] = new + name[len(head):]
        elif kind == "P":
            self.beginnings.append((old, words[2]))
        else:
            {"S": self.tags, "I": self.names, "F": self.functions}[kind][old] = words[2]

    def plain(self, name):
        """The new name wherever it stands; or the same."""
        if name in self.names:
            return self.names[name]
        for old, new in self.beginnings:
            if name.startswith(old):
                return new + name[len(old):]
        return name

    def new(self, name, before, behind, own=(), comment=False):
        """before: the word or sign before it; behind: the text behind it; own: functions that
        the file has for itself"""
        for wrap in ("__wrap_", "__real_"):
            if name.startswith(wrap):
                return wrap + self.new(name[len(wrap):], before, behind, own, comment)
        called = behind.lstrip().startswith("(")
        if before in TAGS and name in self.tags:
            return self.tags[name]
        if comment and "_" not in name and not behind.startswith("("):
            return name
        if name in self.functions and name not in own and called and before not in (".", "->"):
            return self.functions[name]
        return self.plain(name)


def last_sign(gap, before):
    gap = gap.strip()
    return before if not gap else "->" if gap.endswith("->") else gap[-1]


def renamed_comment(rules, text, own):
    out, at, before = [], 0, ""
    for word in WORD.finditer(text):
        before = last_sign(text[at:word.start()], before)
        out += [text[at:word.start()], rules.new(word[0], before, text[word.end():word.end() + 4], own, True)]
        at, before = word.end(), word[0]
    return "".join(out) + text[at:]


def renamed_code(rules, text):
    own = {name for name in rules.functions
           if re.search(r"^static\b[^;{}]*\b%s\(" % name, text, re.M)}
    out, at, before = [], 0, ""
    for token in TOKEN.finditer(text):
        gap = text[at:token.start()]
        before = last_sign(gap, before)
        out.append(gap)
        if token["comment"]:
            out.append(renamed_comment(rules, token[0], own))
        elif token["name"]:
            new = rules.new(token[0], before, text[token.end():token.end() + 4], own)
            if new != token[0] and before not in TAGS:
                rules.renamed[token[0]] = new
            out.append(new)
            before = token[0]
        else:
            out.append(token[0])
        at = token.end()
    return "".join(out) + text[at:]


def renamed_docs(rules, text):
    """file.c:function"""
    return re.sub(r"(?<=\.c:)[A-Za-z_]\w*", lambda m: rules.new(m[0], "", "("), text)


def renamed_build(rules, text):
    """-Wl,--wrap=function, and lists of functions that are wrapped (not keys: a test's name)"""
    return re.sub(r"(?<=[='])[a-z]\w*_\w+(?='(?!:))", lambda m: rules.plain(m[0]), text)


def main():
    if len(sys.argv) != 2 or sys.argv[1] == "--help":
        print(__doc__.strip(), file=sys.stderr)
        return 2
    rules = Rules(sys.argv[1])
    tracked = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout
    for path in tracked.split():
        if path.endswith((".c", ".h")):
            change = renamed_code
        elif path.endswith(".md") and path != "NEWS.md":
            change = renamed_docs
        elif path.startswith("tests/") and path.endswith("meson.build"):
            change = renamed_build
        else:
            continue
        with open(path, encoding="utf-8") as file:
            old = file.read()
        new = change(rules, old)
        if new != old:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
    for old in sorted(rules.renamed):
        print("%s\t%s" % (old, rules.renamed[old]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
