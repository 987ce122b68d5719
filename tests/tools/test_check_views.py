#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does check_views.py see a member that a decision reads and no property test draws?"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_views  # noqa: E402

HEADER = """
struct view {
	int busy, *pods[2]; /* not; this */
	bool held;
	const char *name;
};
"""


class CheckViews(unittest.TestCase):
    def wrong(self, decision, views):
        return check_views.wrong_of(decision, {HEADER: ["view"]}, views)

    def test_members_are_found(self):
        self.assertEqual(check_views.members_of(HEADER, "view"), ["busy", "pods", "held", "name"])

    def test_what_is_read_and_not_drawn_is_wrong(self):
        self.assertEqual(self.wrong("if (v->held)", ".busy = coin()"), ["held of struct view is read, and never drawn"])
        self.assertEqual(self.wrong("if (v.busy)", "v.held = coin()"), ["busy of struct view is read, and never drawn"])

    def test_what_is_drawn_or_not_read_is_right(self):
        self.assertEqual(self.wrong("if (v->held && v->pods[0])", ".held = coin(), .pods = {0}"), [])
        self.assertEqual(self.wrong("print(v->name); held();", ""), [])

    def test_a_struct_that_is_not_there_is_wrong(self):
        self.assertEqual(check_views.wrong_of("", {HEADER: ["other"]}, ""), ["there is no struct other"])


if __name__ == "__main__":
    unittest.main()
