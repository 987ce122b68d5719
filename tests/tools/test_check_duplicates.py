#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does check_duplicates.py see a function that was copied, and none where there is none?"""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from checking import write  # noqa: E402

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_duplicates.py")
LINES = 20


def function(name, variable, call):
    lines = "".join("\t%s += %s(%s + %d, %d);\n" % (variable, call, variable, i, i) for i in range(LINES))
    return "int %s(int %s)\n{\n%s\treturn %s;\n}\n" % (name, variable, lines, variable)


class CheckDuplicates(unittest.TestCase):
    def found(self, *texts):
        with tempfile.TemporaryDirectory() as folder:
            files = [write(folder, "%d.c" % i, text) for i, text in enumerate(texts)]
            done = subprocess.run([TOOL, *files], capture_output=True, text=True)
            return done.returncode, done.stdout

    def test_a_copy_with_other_names_is_found(self):
        code, words = self.found(function("one", "x", "act"), function("two", "y", "act"))
        self.assertEqual(code, 1, words)
        self.assertRegex(words, r"0\.c: line \d+-\d+, \S+1\.c: line")

    def test_calls_of_other_functions_are_other_code(self):
        self.assertEqual(self.found(function("one", "x", "act"), function("two", "y", "do")),
                         (0, "check_duplicates: 2 files, 0 pieces in two of them\n"))

    def test_the_tree_has_none(self):
        done = subprocess.run([TOOL], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
