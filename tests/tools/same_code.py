#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does what was moved or renamed still compile to the same functions, data and strings?

Usage: tests/tools/same_code.py OLD NEW [RENAMES]

OLD and NEW are commits of this repository. The C files of common/ and plugins/ of both are
compiled to assembler text with all optimisation between functions turned off, so that a
function's text does not depend on the file that it is in. Compared are, by name: the
instructions of each function, the contents of each table and variable, and the string literals
of all files together. RENAMES has a line OLD<TAB>NEW for each function, table or variable that
has another name; "#" begins a comment.

Functions of one name in several files (static ones, and inline ones of headers) are compared
as a set. What differs is named, with its first line that differs. Exit code: 0: all is the same, 1: something differs, 2: wrong
usage, or something does not compile.
"""
import collections
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# No debug information, and nothing that the compiler does to one function because of another.
# (Tables of jumps would have no name; assert() of libraries' macros has the number of its line.)
FLAGS = """-S -DNDEBUG -O2 -g0 -fno-pic -fno-pie -fno-asynchronous-unwind-tables -fno-inline -fno-ipa-ra
  -fno-ipa-cp -fno-ipa-sra -fno-ipa-icf -fno-ipa-pure-const -fno-ipa-reference -fno-ipa-modref
  -fno-ipa-vrp -fno-ipa-bit-cp -fno-ipa-pta -fno-partial-inlining -fno-unit-at-a-time
  -fno-toplevel-reorder -fno-jump-tables -fno-tree-switch-conversion -fno-merge-constants
  -fno-section-anchors -fno-reorder-blocks-and-partition""".split()
FOLDERS = ("common/", "plugins/")
# Directives that say where something is kept, not what it is
PLACEMENT = re.compile(r"\.(file|text|data|bss|section|p2align|align|balign|globl|local|hidden|"
                       r"internal|type|size|ident|weak|popsection|pushsection|previous)\b")
LABEL = re.compile(r"([\w.$]+):$")
LITERAL = re.compile(r"\.L(C\d+)\b")
# One literal that is a part of another one
ALIAS = re.compile(r"\.set\s+\.L(C\d+),\s*\.L(C\d+)(\+\d+)?$")
LOCAL = re.compile(r"\.L\d+\b")
# A variable or table that is static in a function has a number after its name.
STATIC = re.compile(r"\b([A-Za-z_]\w*)\.\d+\b")
NAME = re.compile(r"(?<![\w.%$@])\$?([A-Za-z_]\w*)")


def assembler(command, folder):
    """The assembler text of the file that this compiler command compiles."""
    words = shlex.split(command)
    if os.path.basename(words[0]) == "ccache":
        words = words[1:]
    out = words.index("-o")
    del words[out:out + 2]
    words = [w for w in words if not re.match(r"-(O\w*|g\d?|c|fPIC|fpic|fPIE|MD|flto\S*)$", w)]
    for flag in ("-MQ", "-MF"):
        if flag in words:
            at = words.index(flag)
            del words[at:at + 2]
    done = subprocess.run(words + FLAGS + ["-o", "-"], cwd=folder, capture_output=True, text=True,
                          check=False)
    if done.returncode:
        sys.stderr.write(done.stderr)
        raise SystemExit(2)
    return done.stdout


def chunks(text):
    """[(name, lines)] of functions, tables and variables, and {label: lines} of literals"""
    found, literals, into, aliases = [], {}, None, []
    for line in text.splitlines():
        line = line.strip()
        alias = ALIAS.match(line)
        if alias:
            aliases.append(alias)
            continue
        label = LABEL.match(line)
        if label and LITERAL.fullmatch(label[1]):
            into = literals.setdefault(label[1], [])
        elif label and not label[1].startswith(".L"):
            into = []
            found.append((STATIC.sub(r"\1.", label[1]), into))
        elif label and LOCAL.fullmatch(label[1]):
            into.append(line)
        elif label or not line or line.startswith("#"):
            continue
        elif re.match(r"\.l?comm\b", line):
            name, size = re.split(r"[\s,]+", line)[1:3]
            found.append((STATIC.sub(r"\1.", name), [".zero " + size]))
        elif re.match(r"\.set\b", line) or (line.startswith(".") and PLACEMENT.match(line)):
            continue
        elif into is not None:
            into.append(re.sub(r"\s+", " ", line) if '"' not in line else line)
    for alias in aliases:
        literals[".L" + alias[1]] = [(alias[3] or "+0") + " of " + "; ".join(literals[".L" + alias[2]])]
    return found, literals


def plain(lines, literals, renames):
    """The lines with literals in the place of their labels, local labels numbered in order, and
    other names where there are some."""
    numbers = {}

    def literal(match):
        return "{%s}" % "; ".join(literals[".L" + match[1]])

    def local(match):
        return ".L%d" % numbers.setdefault(match[0], len(numbers))

    def name(match):
        return match[0].replace(match[1], renames.get(match[1], match[1]))

    out = []
    for line in lines:
        if '"' not in line:
            line = STATIC.sub(r"\1.", LOCAL.sub(local, line)).replace("@PLT", "")
            head, _, rest = line.partition(" ")
            line = head + " " + NAME.sub(name, rest)
        out.append(LITERAL.sub(literal, line))
    return out


def strings(lines):
    """The string literals among these lines"""
    return [line for line in lines if re.match(r"\.(string|ascii)\b", line)]


def code_of(texts, renames):
    """Of all the files' assembler text: {name: sorted texts}, and the set of string literals"""
    code, words = collections.defaultdict(list), set()
    for text in texts:
        found, literals = chunks(text)
        for name, lines in found:
            base = name.rstrip(".")
            name = renames.get(base, base) + name[len(base):]
            code[name].append("\n".join(plain(lines, literals, renames)))
            words.update(strings(lines))
        for lines in literals.values():
            words.update(strings(lines))
    return {name: sorted(set(bodies)) for name, bodies in code.items()}, words


def first_difference(old, new):
    """One line of what the old has and one of what the new has in its place"""
    old, new = "\n".join(old).splitlines(), "\n".join(new).splitlines()
    for a, b in zip(old, new):
        if a != b:
            return a, b
    return ("(ends)", new[len(old)]) if len(old) < len(new) else (old[len(new)], "(ends)")


def compare(old, new):
    """old, new: what code_of() gives. Prints what differs; the number of that"""
    (old_code, old_words), (new_code, new_words) = old, new
    same = differ = 0
    for name in sorted(set(old_code) | set(new_code)):
        if name not in new_code or name not in old_code:
            print("%s: only in the %s" % (name, "old" if name in old_code else "new"))
        elif old_code[name] != new_code[name]:
            print("%s: not the same\n  old: %s\n  new: %s" % (
                name, *first_difference(old_code[name], new_code[name])))
        else:
            same += 1
            continue
        differ += 1
    for only, words in (("old", old_words - new_words), ("new", new_words - old_words)):
        for word in sorted(words):
            differ += 1
            print("only in the %s: %s" % (only, word))
    print("same_code: %d functions, tables and variables are the same, %d differences" % (same, differ))
    return differ


def renames_of(path):
    """{old: new} of the file of renames"""
    renames = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            pair = line.split()
            if len(pair) != 2 or pair[0] in renames:
                sys.exit("%s:%d: not one old name and its new one" % (path, number))
            renames[pair[0]] = pair[1]
    return renames


def texts_of(commit, work):
    """The assembler texts of a commit; work: an empty folder"""
    tree, build = os.path.join(work, "tree"), os.path.join(work, "build")
    os.mkdir(tree)
    packed = subprocess.run(["git", "-C", TOP, "archive", commit], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", tree], input=packed, check=True)
    subprocess.run(["meson", "setup", "-Ddocs=false", build, tree], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    wanted = {}
    for entry in entries:
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), tree)
        if path.startswith(FOLDERS) and path.endswith(".c"):
            wanted.setdefault(path, entry)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda entry: assembler(entry["command"], entry["directory"]),
                             wanted.values()))


def main():
    if len(sys.argv) not in (3, 4) or "--help" in sys.argv:
        print(__doc__.strip(), file=sys.stdout if "--help" in sys.argv else sys.stderr)
        return 0 if "--help" in sys.argv else 2
    renames = renames_of(sys.argv[3]) if len(sys.argv) == 4 else {}
    sides = []
    for commit, names in ((sys.argv[1], renames), (sys.argv[2], {})):
        with tempfile.TemporaryDirectory(prefix="same_code.") as work:
            sides.append(code_of(texts_of(commit, work), names))
    return 1 if compare(*sides) else 0


if __name__ == "__main__":
    sys.exit(main())
