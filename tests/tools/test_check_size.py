#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does check_size.py count the lines of functions and files as a reader does?"""
import contextlib
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_size  # noqa: E402
from checking import write  # noqa: E402


def function(name, lines):
    """One with so many lines"""
    return "static int %s(int a,\n\t\tint b)\n{\n%s}\n" % (name, "\ta++;\n" * (lines - 4))


class CheckSize(unittest.TestCase):
    def test_functions_are_counted_from_their_first_line_to_their_last(self):
        text = "/* a word */\n#define X 1\n\n" + function("first", 6) + "\nstruct s {\n\tint a;\n};\n\n" + function("second", 4)
        self.assertEqual(list(check_size.functions(text.splitlines())), [(4, 6, "first"), (15, 4, "second")])

    def found(self, **files):
        """The exit code and the words for these files; a "/" in a name is "__" """
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(check_size, "TOP", folder), \
                mock.patch.object(sys, "argv", ["check_size.py"]):
            for name, text in files.items():
                write(folder, name.replace("__", "/") + ".c", text)
            with contextlib.redirect_stdout(io.StringIO()) as out:
                code = check_size.main()
        return code, out.getvalue()

    def test_functions_have_80_lines_and_those_of_tests_120(self):
        self.assertEqual(self.found(common__a=function("f", 80), tests__b=function("g", 120))[0], 0)
        code, words = self.found(plugins__a=function("f", 81))
        self.assertEqual(code, 1)
        self.assertIn("plugins/a.c:1: f has 81 lines, more than 80", words)
        self.assertIn("g has 121 lines", self.found(tests__b=function("g", 121))[1])

    def test_files_have_800_lines(self):
        self.assertEqual(self.found(common__a=function("f", 4) + "\n" * 796)[0], 0)
        code, words = self.found(common__a=function("f", 4) + "\n" * 797)
        self.assertEqual(code, 1)
        self.assertIn("common/a.c:1: 801 lines, more than 800", words)

    def test_a_tree_without_functions_is_wrong(self):
        self.assertEqual(self.found(common__a="int a;\n")[0], 1)


if __name__ == "__main__":
    unittest.main()
