#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does check_comments.py find what it is to find in comments, and nothing else?"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_comments  # noqa: E402


class Words(unittest.TestCase):
    def found(self, text):
        return [fault for _, words in check_comments.comments(text) for fault in check_comments.faults(words)]

    def test_found(self):
        for text in ("/* (a FIFO would wait) */", "int a; /* (so it is) */", "/*\n * (one,\n * and (two) more)\n */",
                     "/* Is it one? */", "// why?", "/* Is the node's pod the nodeset's? */", "/* The same for a label. */", "/* A pod, likewise. */",
                     "/* as the next ones */", "/* The state is the same as above */", "int a; /* of that */", "/* Then it is tried again. */",
                     "/* its pods */", "/* so often */"):
            self.assertEqual(len(self.found(text)), 1, text)

    def test_left_alone(self):
        for text in ("/* One (of two). */", "/* (one) and (two) */", "/* bytes become '?' */", "/* \"a?\" is a text */",
                     "/* names of the same user */", "/* the next one is due */", 'char *s = "/* why? */";',
                     "/* see https://host/path?query=1 */", "/* Items of a list. */", "/* Orders that are open. */"):
            self.assertEqual(self.found(text), [], text)


class Contracts(unittest.TestCase):
    HEAD = "/* SPDX-License-Identifier: GPL-2.0-or-later */\n#ifndef H\n#define H\n\n"

    def found(self, text):
        return [name for _, name in check_comments.without_contract(self.HEAD + text)]

    def test_found(self):
        for text in ("int f(void);\n", "/* A struct. */\nstruct s {\n\tint a;\n};\n\nint f(struct s *s,\n\tint b);\n",
                     "\nint f(void)\n\t__attribute__((x(1, 2)));\n",
                     "static inline int f(void)\n{\n\treturn g();\n}\n"):
            self.assertEqual(self.found(text), ["f"], text)

    def test_left_alone(self):
        for text in ("/* It does. */\nint f(void);\nint g(void);\n", "int f(void); /* it does */\n",
                     "typedef int (*fn)(void);\n", "struct s {\n\tint (*f)(void);\n};\n",
                     "#define F(x) \\\n\tg(x)\n", "enum { A, B };\n"):
            self.assertEqual(self.found(text), [], text)


if __name__ == "__main__":
    unittest.main()
