#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does check_globals.py find a name that is defined twice, and nothing else?"""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_globals  # noqa: E402


class CheckGlobals(unittest.TestCase):
    def found(self, sources):
        """sources: {path of an object in a build: its C text}. The names defined twice."""
        with tempfile.TemporaryDirectory() as build:
            for path, text in sources.items():
                path = os.path.join(build, path)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                subprocess.run(["cc", "-x", "c", "-c", "-", "-o", path], input=text, text=True, check=True)
            number, bad = check_globals.check(build)
            self.assertEqual(number, len(sources))
            return sorted(bad)

    def test_two_files_of_common(self):
        self.assertEqual(self.found({"common/liba.a.p/a.o": "int count(void) { return 1; }",
                                     "common/libb.a.p/b.o": "int count(void) { return 2; }"}), ["count"])

    def test_a_plugin_and_common(self):
        self.assertEqual(self.found({"common/liba.a.p/a.o": "int count;",
                                     "plugins/p/p.so.p/p.o": "int count;"}), ["count"])

    def test_a_library(self):
        with tempfile.TemporaryDirectory() as build:
            def cc(text, *args):
                subprocess.run(["cc", "-x", "c", "-", "-x", "none", *args], input=text, text=True, check=True, cwd=build)
            os.makedirs(os.path.join(build, "common", "liba.a.p"))
            cc("int theirs; int both;", "-shared", "-fPIC", "-o", "libtheirs.so")
            cc("int ours; int both;", "-c", "-o", "common/liba.a.p/a.o")
            cc("extern int theirs; int use(void) { return theirs; }", "-shared", "-fPIC", "-o", "common/libours.so",
               "-L.", "-ltheirs", "-Wl,-rpath," + build)
            self.assertEqual(check_globals.check(build), (1, {"both": [
                os.path.join(build, "common/liba.a.p/a.o"), os.path.join(build, "libtheirs.so")]}))

    def test_what_is_allowed(self):
        one = "static int own; int use(void) { return own; }"
        plugin = "int init(void) { return 0; }"
        self.assertEqual(self.found({"common/liba.a.p/a.o": one,
                                     "common/libb.a.p/b.o": "static int own; int other(void) { return own; }",
                                     "plugins/p/p.so.p/p.o": plugin,
                                     "plugins/q/q.so.p/q.o": plugin}), [])


if __name__ == "__main__":
    unittest.main()
