#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does check_rooms.py see a call the wrong way, and a planted one that it should have seen?"""
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_rooms  # noqa: E402

DOWN, MIDDLE, UP = "int down(void);\n", "int middle(void);\n", "int up(void);\n"
LOWER = DOWN + "int down(void) { return 1; }\n"
MIDDLE_ONE = DOWN + MIDDLE + "int middle(void) { return down(); }\n"
UPPER = MIDDLE + UP + "int up(void) { return middle(); }\n"


class CheckRooms(unittest.TestCase):
    def found(self, **sources):
        """The exit code and the words; rooms: base, json, top"""
        table = [("base", [], [], ["a"]), ("json", ["base"], [], ["a"]), ("top", ["json"], [], ["a"])]
        with tempfile.TemporaryDirectory() as build, mock.patch.object(check_rooms, "read_table", lambda: table), \
                mock.patch.object(check_rooms, "LIBRARIES", []), mock.patch.object(sys, "argv", ["check_rooms.py", build]):
            for room, text in sources.items():
                folder = os.path.join(build, "common", "lib%s.a.p" % room)
                os.makedirs(folder)
                subprocess.run(["cc", "-fPIC", "-x", "c", "-c", "-", "-o", os.path.join(folder, room + "_a.c.o")],
                               input=text, text=True, check=True)
            with contextlib.redirect_stdout(io.StringIO()) as out:
                code = check_rooms.main()
        return code, out.getvalue()

    def test_calls_downwards_are_right(self):
        self.assertEqual(self.found(base=LOWER, json=MIDDLE_ONE, top=UPPER), (0, "check_rooms: 3 rooms, 0 wrong\n"))

    def test_a_call_upwards_is_wrong(self):
        code, words = self.found(base=LOWER, json=MIDDLE_ONE.replace("down()", "up()").replace(DOWN, UP), top=UPPER)
        self.assertEqual(code, 1)
        self.assertIn("json calls what it may not use:\n", words)
        self.assertIn("undefined reference to `up'", words)

    def test_a_call_of_libslurm_is_wrong(self):
        lists = "int slurm_load_jobs(void);\n"
        with mock.patch.object(check_rooms, "LIBRARIES", ["-Wl,--unresolved-symbols=ignore-all"]):
            code, words = self.found(base=LOWER, json=MIDDLE_ONE.replace(DOWN, DOWN + lists).replace("down()", "slurm_load_jobs()"), top=UPPER)
        self.assertEqual(code, 1)
        self.assertIn("json calls slurm_load_jobs() of libslurm, which only the room slurm may", words)

    def test_a_planted_call_that_links_is_wrong(self):
        with mock.patch.object(check_rooms, "link", lambda *_: ""):
            code, words = self.found(base=LOWER, json=MIDDLE_ONE, top=UPPER)
        self.assertEqual(code, 1)
        self.assertIn("a call of up(), planted in json, is not seen", words)
        self.assertIn("a call of middle(), planted in base, is not seen", words)


if __name__ == "__main__":
    unittest.main()
