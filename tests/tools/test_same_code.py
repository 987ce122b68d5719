#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does same_code.py find what was changed, and nothing else?"""
import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import same_code  # noqa: E402

HEAD = "extern int puts(const char *);\nextern int first(int);\nextern int second(int);\n"
TABLE = "static const struct { int code; const char *text; } table[] = {{1, \"one\"}, {2, \"two\"}};\n"
HELPER = "static int helper(int a)\n{\n\tstatic int calls;\n\n\tcalls++;\n\treturn first(a) * 7 + calls;\n}\n"
USER = ("int user(int a)\n{\n\tif (a > 5)\n\t\tputs(\"large\");\n\tputs(table[a].text);\n"
        "\tfor (int i = 0; i < a; i++)\n\t\tsecond(i);\n\treturn helper(a) + 3;\n}\n")
ALL = HEAD + TABLE + HELPER + USER


class SameCode(unittest.TestCase):
    def differences(self, old, new, renames=None):
        """old, new: lists of the texts of C files. (how many differ, what was said)"""
        sides = []
        with tempfile.TemporaryDirectory() as work, contextlib.redirect_stdout(io.StringIO()) as said:
            for side, (files, names) in enumerate(((old, renames or {}), (new, {}))):
                texts = []
                for number, text in enumerate(files):
                    name = "%d-%d.c" % (side, number)
                    with open(os.path.join(work, name), "w", encoding="utf-8") as file:
                        file.write(text)
                    texts.append(same_code.assembler("cc -O0 -g -c %s -o x.o" % name, work))
                sides.append(same_code.code_of(texts, names))
            count = same_code.compare(*sides)
        return count, said.getvalue()

    def found(self, new, *words):
        count, said = self.differences([ALL], [new])
        self.assertGreater(count, 0, said)
        for word in words:
            self.assertIn(word, said)

    def test_same(self):
        self.assertEqual(self.differences([ALL], [ALL])[0], 0)

    def test_comments_and_order(self):
        moved = HEAD + HELPER.replace("calls++", "/* counted */ calls++") + TABLE + USER
        self.assertEqual(self.differences([ALL], [moved])[0], 0)

    def test_moved_to_another_file(self):
        shared = HELPER.replace("static int helper", "int helper")
        parts = [HEAD + shared, HEAD + "extern int helper(int);\n" + TABLE + USER]
        count, said = self.differences([ALL], parts)
        self.assertEqual(count, 0, said)

    def test_renamed(self):
        new = ALL.replace("helper", "assistant").replace("table", "messages").replace("calls", "count")
        self.assertGreater(self.differences([ALL], [new])[0], 0)
        count, said = self.differences([ALL], [new], {
            "helper": "assistant", "table": "messages", "calls": "count"})
        self.assertEqual(count, 0, said)

    def test_names_that_change_places(self):
        new = ALL.replace("first", "x").replace("second", "first").replace("x(", "second(")
        count, said = self.differences([ALL], [new], {"first": "second", "second": "first"})
        self.assertEqual(count, 0, said)

    def test_constant(self):
        self.found(ALL.replace("* 7", "* 9"), "helper: not the same")
        self.found(ALL.replace("a > 5", "a > 6"), "user: not the same")
        self.found(ALL.replace("{2,", "{3,"), "table: not the same")

    def test_swapped_call(self):
        new = ALL.replace("first(a)", "second(a)")
        self.found(new, "helper: not the same", "first", "second")

    def test_string(self):
        self.found(ALL.replace("large", "huge"), "user: not the same", "large", "huge")
        self.found(ALL.replace("two", "deux"), "table: not the same", "only in the new", "deux")

    def test_a_literal_that_is_a_part_of_another(self):
        text = ("f:\n\tmovaps\t.LC0(%%rip), %%xmm0\n\tmovq\t.LC1(%%rip), %%xmm1\n"
                "\t.set\t.LC1,.LC0+8\n.LC0:\n\t.quad\t%d\n\t.quad\t%d\n")
        one, same, other = (same_code.code_of([text % pair], {}) for pair in ((3, 4), (3, 4), (3, 5)))
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(same_code.compare(one, same), 0)
            self.assertEqual(same_code.compare(one, other), 1)

    def test_left_out_and_added(self):
        self.found(ALL + "int more(void)\n{\n\treturn 1;\n}\n", "more: only in the new")
        self.found(ALL.replace("\t\tputs(\"large\");\n", "\t\t;\n"), "only in the old", "large")


if __name__ == "__main__":
    unittest.main()
