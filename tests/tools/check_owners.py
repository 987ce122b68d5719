#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is each struct of common/ written by three files at most?

Usage: tests/tools/check_owners.py [--list | --files STRUCT]

clang says what each file of common/ and plugins/ writes: an assignment to a member, ++ and --,
and a member whose address, or an array that, is passed on to where it may be written. What is
written of a struct in a struct (a->b.c = 1) is written of the inner one alone, so a struct of
parts may have an owner for each. A local variable is its function's own, and counts for nothing.

--list: all structs, with how many files write them, and of how many members; --files: who writes
that one, and which members. Exit code: 0: all is well, 1: it is not, 2: wrong usage, or something
does not compile.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

from check_releases import PROBES, release_of
from rooms import TOP

MOST = 3
PATH = re.compile(r"(?<=[<, ])(?<! at )([\w./+-]+\.[ch]):\d+:\d+")  # (a type without a name is one " at ...")
NODE = re.compile(r"([|` -]*)(\w+) (0x[0-9a-f]+)")
TYPE = re.compile(r"'([^']*)'(?::'([^']*)')?")
MEMBER = re.compile(r"(?:->|\.)(\w*) (0x[0-9a-f]+)")
CASTS = {"ImplicitCastExpr", "CStyleCastExpr", "ParenExpr"}
SCALAR = re.compile(r".*[*\])]$|(?:const |volatile )*(?:unsigned|signed|char|short|int|long|_Bool|float|"
                    r"double|enum|_Atomic)\b")
# What writes a whole struct
FILLS = {"memset", "memcpy", "memmove", "explicit_bzero", "__builtin_memset", "__builtin_memcpy"}


class Node:
    """One node of the tree that clang prints"""
    __slots__ = ("kind", "address", "text", "parent", "children")

    def __init__(self, kind, address, text, parent):
        self.kind, self.address, self.text, self.parent, self.children = kind, address, text, parent, []

    def type(self, real=False):
        """Its type; real: without typedefs"""
        found = TYPE.search(self.text)
        return ((real and found[2]) or found[1]) if found else ""

    def bare(self):
        """Itself without casts and parentheses"""
        node = self
        while node.kind in CASTS and node.children and "ArrayToPointerDecay" not in node.text:
            node = node.children[-1]
        return node


def tree(chunk):
    """All nodes of one declaration, in order"""
    nodes, stack = [], []
    for line in chunk.split("\n"):
        found = NODE.match(line)
        if not found:
            continue
        depth = len(found[1])
        while stack and stack[-1][0] >= depth:
            stack.pop()
        node = Node(found[2], found[3], line[found.end():], stack[-1][1] if stack else None)
        if node.parent:
            node.parent.children.append(node)
        stack.append((depth, node))
        nodes.append(node)
    return nodes


def is_read_only(pointer):
    """Is this type a pointer to what may not be written?"""
    to = pointer.rstrip("*").strip() if pointer.count("*") == 1 else pointer[:-1].strip()
    return not pointer.endswith("*") or (to.startswith("const ") if "*" not in to else to.endswith("const"))


class File:
    """What one file writes"""

    def __init__(self, text):
        self.fields = {}  # {address: (record, member)}
        self.records = {}  # {(file, name): number of members}
        self.named = {}  # {name: (file, name)} of this unit
        self.writes = set()  # (record, file, member)
        self.locals = set()  # addresses of a function's variables
        bodies, where = [], ""
        for chunk in re.split(r"\n(?=[|`]-)", text):
            end = chunk.find("\n")
            head = chunk if end < 0 else chunk[:end]
            paths = PATH.findall(head)
            where = paths[-1] if paths else where
            ours = where.startswith(("common/", "plugins/"))
            if ours and "RecordDecl" in head[:14] and head.endswith("definition"):
                self.record(tree(chunk), where)
            elif ours and "FunctionDecl" in head[:16] and "CompoundStmt" in chunk:
                bodies.append((where, chunk))
            paths = PATH.findall(chunk)
            where = paths[-1] if paths else where
        for where, chunk in bodies:
            self.function(tree(chunk), where)

    def record(self, nodes, where):
        found = re.search(r"(?:struct|union) (\w+) definition$", nodes[0].text)
        if not found:
            return
        record = (where, found[1])
        fields = [n for n in nodes if n.kind == "FieldDecl"]
        self.named[found[1]] = record
        self.records[record] = len(fields)
        for field in fields:
            name = re.search(r"(\w+) '", field.text)
            self.fields[field.address] = (record, name[1] if name else "")

    def is_local(self, node):
        """Is this in a variable of the function itself?"""
        while True:
            node = node.bare()
            if node.kind == "DeclRefExpr":
                return node.text.split("Var ")[-1].split(" ")[0] in self.locals
            if node.kind == "CompoundLiteralExpr":
                return True
            if node.kind not in ("MemberExpr", "ArraySubscriptExpr", "ImplicitCastExpr"):
                return False
            if node.kind == "MemberExpr" and "->" in node.text:
                below = node.children[0].bare()
                if below.kind == "UnaryOperator" and "prefix '&'" in below.text:
                    node = below.children[0]
                    continue
                if below.kind != "ImplicitCastExpr":  # (else: an array)
                    return False
                node = below
                continue
            if node.kind == "ArraySubscriptExpr" and node.children[0].bare().kind != "ImplicitCastExpr":
                return False
            node = node.children[0]

    def whole(self, node):
        """The struct of ours that this is, all of it"""
        found = re.fullmatch(r"(?:const )?struct (\w+)", node.type(True) or node.type())
        return self.named.get(found[1]) if found else None

    def write(self, node, where):
        """What is written, as this is"""
        node = node.bare()
        if node.kind == "ConditionalOperator":
            for side in node.children[1:]:
                self.write(side, where)
        if self.is_local(node):
            return
        if node.kind == "MemberExpr":
            found = MEMBER.search(node.text)
            if found and found[2] in self.fields:
                record, member = self.fields[found[2]]
                self.writes.add((record, where, member))
        if node.kind == "ImplicitCastExpr" or (node.kind == "UnaryOperator" and "prefix '*'" in node.text) \
                or node.kind == "ArraySubscriptExpr":
            below = node.children[0].bare()
            if below.kind == "ImplicitCastExpr" or node.kind == "ImplicitCastExpr":
                self.write(below.children[0] if below.kind == "ImplicitCastExpr" else below, where)
        if self.whole(node):
            self.writes.add((self.whole(node), where, "*"))

    def passed_on(self, node):
        """Where an address goes: the last expression that is the same address, or None: nowhere"""
        while True:
            up = node.parent
            if up.kind in CASTS or up.kind == "ConditionalOperator" or \
                    (up.kind == "BinaryOperator" and up.text.endswith("'+'")):
                node = up
                continue
            break
        if up.kind in ("ArraySubscriptExpr", "MemberExpr") or \
                (up.kind in ("UnaryOperator", "BinaryOperator") and not up.text.endswith(" '='")):
            return None
        if up.kind == "AtomicExpr" and len(up.children) < 3:
            return None
        if up.kind == "CallExpr":
            kind = up.children[0].type()
            takes = kind[kind.find("(*)(") + 4:-1]
            if takes.endswith("...") and up.children.index(node) > takes.count(","):
                return None
        return node

    def function(self, nodes, where):
        self.locals = {n.address for n in nodes
                       if n.kind == "ParmVarDecl" or (n.kind == "VarDecl" and " static" not in n.text)}
        for n in nodes:
            if n.kind == "CompoundAssignOperator" or (n.kind == "BinaryOperator" and n.text.endswith(" '='")):
                self.write(n.children[0], where)
            elif n.kind == "UnaryOperator" and re.search(r"fix '(\+\+|--)'", n.text):
                self.write(n.children[0], where)
            elif n.kind == "UnaryOperator" and "prefix '&'" in n.text:
                below = n.children[0]
                if SCALAR.match(below.type(True)):
                    top = self.passed_on(n)
                    if top and not is_read_only(top.type()):
                        self.write(below, where)
            elif n.kind == "ImplicitCastExpr" and "ArrayToPointerDecay" in n.text:
                top = self.passed_on(n)
                if top and not is_read_only(top.type()) and n.children[0].bare().kind == "MemberExpr":
                    self.write(n.children[0], where)
            elif n.kind == "CallExpr" and len(n.children) > 1:
                name = re.search(r"Function 0x\w+ '(\w+)'", n.children[0].bare().text +
                                 "".join(c.text for c in n.children[0].children))
                if name and name[1] in FILLS:
                    self.fill(n.children[1].bare(), where)

    def fill(self, node, where):
        """All of what this points to is written"""
        if node.kind == "UnaryOperator" and "prefix '&'" in node.text:
            self.write(node.children[0], where)
            return
        found = re.fullmatch(r"struct (\w+) \*", node.type(True) or node.type())
        if found and found[1] in self.named:
            self.writes.add((self.named[found[1]], where, "*"))


def dump(path, folder, top):
    """What clang makes of it"""
    command = ["clang", "-std=gnu11", "-D_GNU_SOURCE", '-DSLURMK8S_VERSION=""', '-DSLURMK8S_SBIN=""',
               '-DSLURMK8S_LIBEXEC=""', '-DSLURMK8S_PLUGIN_DIR=""', '-DSLURMK8S_DATA=""',
               "-Icommon", "-Iplugins/lib",
               "-I" + folder, "-I/usr/include/json-c", "-fsyntax-only", "-w", "-Xclang", "-ast-dump", path]
    done = subprocess.run(command, cwd=top, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError("%s: %s" % (path, done.stderr))
    return done.stdout


def read(job):
    """(records, writes) of one file"""
    file = File(dump(*job))
    return file.records, file.writes


def probes(folder):
    """Writes what a build writes of the Slurm that is here."""
    release = release_of("/usr/include/slurm")
    os.mkdir(os.path.join(folder, "slurm"))
    with open(os.path.join(folder, "slurm", "probes.h"), "w", encoding="utf-8") as out:
        for name, (since, until) in PROBES.items():
            out.write("#define %s %d\n" % (name, since <= release <= until))


def measure(paths, top=TOP):
    """{(file, struct): members}, {(file, struct): {file that writes: members}}"""
    records, writes = {}, collections.defaultdict(lambda: collections.defaultdict(set))
    with tempfile.TemporaryDirectory() as folder:
        probes(folder)
        with concurrent.futures.ProcessPoolExecutor() as pool:
            for some, written in pool.map(read, [(path, folder, top) for path in paths], chunksize=4):
                records.update(some)
                for record, where, member in written:
                    writes[record][where].add(member)
    return {r: n for r, n in records.items() if r[0].startswith("common/")}, writes


def sources():
    for top in ("common", "plugins"):
        for where, _, names in sorted(os.walk(os.path.join(TOP, top))):
            yield from (os.path.relpath(os.path.join(where, n), TOP) for n in sorted(names) if n.endswith(".c"))


def count(records, writes):
    """{struct: files that write it}; of one name in several files the most"""
    counts = collections.Counter()
    for record in records:
        counts[record[1]] = max(counts[record[1]], len(writes[record]))
    return counts


def judge(counts):
    """What is wrong, in words. counts: {struct: files that write it}"""
    for name, number in sorted(counts.items()):
        if number > MOST:
            yield "struct %s is written by %d files, more than %d" % (name, number, MOST)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--files", metavar="STRUCT")
    args = parser.parse_args()
    try:
        records, writes = measure(list(sources()))
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2
    if args.files:
        for record in sorted(r for r in records if r[1] == args.files):
            print("%s: struct %s, %d members" % (*record, records[record]))
            for where, members in sorted(writes[record].items()):
                print("  %s: %s" % (where, " ".join(sorted(members))))
        return 0
    if args.list:
        for record in sorted(records, key=lambda r: (-len(writes[r]), -records[r], r)):
            print("%3d files %3d members  %s (%s)" % (len(writes[record]), records[record], record[1], record[0]))
        return 0
    wrong = list(judge(count(records, writes)))
    for words in wrong:
        print(words)
    print("check_owners: %d structs, %d wrong" % (len(records), len(wrong)))
    return 1 if wrong or not records else 0


if __name__ == "__main__":
    sys.exit(main())
