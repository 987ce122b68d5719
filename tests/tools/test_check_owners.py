#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does check_owners.py find who writes a struct, and a fourth file that does?"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_owners  # noqa: E402

HEADER = """
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
struct part { int n; };
struct nameless { struct { int n; } in[2]; };
struct house { int n; char name[8]; char *text; atomic_int owners; struct part part; struct house *next; };
void fill(int *n);
void part_fill(struct part *p);
void take(char **text);
int look(const int *n, const char *name);
"""


class CheckOwners(unittest.TestCase):
    def measured(self, bodies):
        """bodies: of a function of (struct house *h), in a file each. {struct: {file: members}}"""
        with tempfile.TemporaryDirectory() as top:
            os.mkdir(os.path.join(top, "common"))
            with open(os.path.join(top, "common", "house.h"), "w", encoding="utf-8") as out:
                out.write(HEADER)
            paths = ["common/%d.c" % n for n in range(len(bodies))]
            for path, body in zip(paths, bodies):
                with open(os.path.join(top, path), "w", encoding="utf-8") as out:
                    out.write('#include "house.h"\nvoid f(struct house *h);\nvoid f(struct house *h)\n{\n%s\n}\n' % body)
            return check_owners.measure(paths, top)

    def writes(self, body):
        """What this function writes: "house.n part.n" """
        _, writes = self.measured([body])
        return " ".join(sorted("%s.%s" % (record[1], member) for record, files in writes.items()
                               for members in files.values() for member in members))

    def test_writes(self):
        for body, wanted in (
                ("h->n = 1;", "house.n"), ("h->n += 1;", "house.n"), ("h->n++;", "house.n"),
                ("--h->next->n;", "house.n"), ("fill(&h->n);", "house.n"), ("take(&h->text);", "house.text"),
                ("int *n = &h->n; *n = 1;", "house.n"), ("h->name[0] = 0;", "house.name"),
                ("*h->name = 0;", "house.name"), ('snprintf(h->name, 8, "a");', "house.name"),
                ("memset(h->name, 0, 8);", "house.name"), ("memset(h, 0, sizeof(*h));", "house.*"),
                ("*h = (struct house){0};", "house.*"), ("h[1] = *h->next;", "house.*"),
                ("atomic_store(&h->owners, 1);", "house.owners"),
                ("atomic_fetch_add(&h->owners, 1);", "house.owners"),
                # of the inner one alone, but for all of it at once
                ("h->part.n = 1;", "part.n"), ("part_fill(&h->part);", ""),
                ("h->part = (struct part){1};", "house.part part.*"),
                ("memset(&h->part, 0, sizeof(h->part));", "house.part part.*"),
                ("static struct house own; own.n = 1; (void)h;", "house.n")):
            self.assertEqual(self.writes(body), wanted, body)

    def test_after_a_type_without_a_name(self):
        """clang says where that was declared: the function that follows does not stand there"""
        with tempfile.TemporaryDirectory() as top:
            os.mkdir(os.path.join(top, "common"))
            for name, text in (("house.h", HEADER), ("1.c", '#include "house.h"\nint first(struct nameless *x);\n'
                                                     "int first(struct nameless *x) { return x->in[1].n; }\n"
                                                     "void then(struct house *h);\nvoid then(struct house *h)"
                                                     " { h->n = 1; }\n")):
                with open(os.path.join(top, "common", name), "w", encoding="utf-8") as out:
                    out.write(text)
            _, writes = check_owners.measure(["common/1.c"], top)
        self.assertEqual([list(files) for files in writes.values()], [["common/1.c"]])

    def test_what_is_no_write(self):
        for body in ("int n = h->n; (void)n;", "look(&h->n, h->name);", 'printf("%s", h->name);',
                     "(void)atomic_load(&h->owners);", "*h->text = 0;", "char c = h->name[0]; (void)c;",
                     "struct house own = {.n = h->n}; own.n = 1; own.part.n++; memset(&own, 0, sizeof(own));",
                     "struct house own[2]; own[1].n = 1; own->n = 2; (&own[0])->n = 3; (void)h;",
                     "h = h->next;", "(void)sizeof(h->name);", "const char *name = h->name; (void)name;"):
            self.assertEqual(self.writes(body), "", body)

    def test_a_fourth_file(self):
        bodies = ["h->n = 1;", "h->name[0] = 0;", "fill(&h->n);", "h->part.n = 1;"]
        counts = check_owners.count(*self.measured(bodies))
        self.assertEqual((counts["house"], counts["part"]), (3, 1))
        self.assertEqual(list(check_owners.judge(counts)), [])
        counts = check_owners.count(*self.measured(bodies + ["h->text = 0;"]))
        self.assertEqual(list(check_owners.judge(counts)),
                         ["struct house is written by 4 files, more than 3"])


if __name__ == "__main__":
    unittest.main()
