#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does check_commands.py see a command that no test runs?"""
import unittest

import check_commands as c

TESTS = {"tests/e2e/a.bats": '@test "it is installed" {\n\trun me\n}\n',
         "tests/e2e/readme.bats": 'setup() {\n\t! site_in_tree || skip "for 22.05"\n}\n@test "all" {\n\tblocks\n}\n',
         "tests/e2e/long.bats": '# bats test_tags=long,alone\n@test "at length" {\n\tlong me\n}\n'
                                '@test "in short" {\n\tshort me\n}\n',
         "tests/packages/run": "run me\n", "tests/tools/a.py": "run me\n", "tests/tools/b.py": "run me\n", "tests/e2e/a.bash": "run me\n",
         "script/test": "counted tests/packages/run\n", "tests/meson.build": "test('a', find_program('tools/a.py'))\n"}
PLAN = [("26.05", "!long", "tests/e2e/a.bats"), ("22.05", "!alone,!long", "tests/e2e/readme.bats"),
        ("26.05", "alone,!long", "tests/e2e/long.bats"), ("26.05", "!alone,!long", "tests/e2e/long.bats")]
DOC = "text\n\n```sh\nrun me   # now\n```\n"


class CheckCommands(unittest.TestCase):
    def found(self, table, doc=DOC, run=(), plan=PLAN):
        return c.failures({"docs/a.md": doc}, set(run), table, TESTS.get, plan)

    def test_lines(self):
        block = "a \\\n    b  c # why\n# nothing\ncat >f <<Y\n  k: v\nY\nkubectl apply -f - <<'Z'\nz\nZ\nd#e\n"
        self.assertEqual(list(c.lines(block)),
                         ["a b c", "cat >f <<Y", "kubectl apply -f - <<Z", "d#e"])

    def test_one_command_on_several_lines(self):
        block = "a |\n  b '{\n  c}'\nd # it's e\nf 'g\n"
        self.assertEqual(list(c.lines(block)), ["a | b '{ c}'", "d", "f 'g"])

    def test_only_sh_blocks_count(self):
        self.assertEqual(c.told("docs/a.md", "```\nno\n```\n    neither\n  ```sh\n  yes\n  ```\n"), ["yes"])

    def test_examples_of_a_manual_page(self):
        page = ("SYNOPSIS\n========\n\nUse::\n\n    no\n\nEXAMPLES\n========\n\nA change::\n\n    run me\n    run \\\n        you\n\n"
                "The log::\n\n    cpu-0: pod gone\n\nand::\n\n    [2026-01-02] k8s_resume[4711]: up\n\n::\n\n    clusters:\n      - name: a\n\n"
                "More::\n\n    run it: now\n\nSEE ALSO\n========\n\nNot this::\n\n    nor this\n")
        self.assertEqual(c.told("docs/man/a.8.rst", page), ["run me", "run you", "run it: now"])
        self.assertEqual(c.told("docs/man/a.8.rst", "DESCRIPTION\n===========\n\nUse::\n\n    no\n"), [])
        self.assertEqual(len(c.failures({"docs/man/a.8.rst": page}, set(), {}, TESTS.get, PLAN)), 3)

    def test_what_is_run(self):
        self.assertEqual(self.found({"run me": ("tests/e2e/a.bats", "run me")}), [])
        self.assertEqual(self.found({"run me": ("tests/e2e/a.bats", "@test it is installed")}), [])
        self.assertEqual(self.found({"run me": ("cloud", "it costs money")}), [])
        self.assertEqual(self.found({"run me": ("itself", "it runs tests")}), [])
        self.assertEqual(self.found({}, run=["run me"]), [])

    def test_what_is_not(self):
        for table in ({}, {"run me": ("tests/e2e/b.bats", "run me")},
                      {"run me": ("tests/e2e/a.bats", "run you")}, {"run me": ("tests/e2e/a.bats", "")},
                      {"run me": ("tests/e2e/a.bats", "@test it is")}, {"run me": ("cloud", "")},
                      {"run me": ("script/test", "run me")}):
            self.assertEqual(len(self.found(table)), 1, table)

    def test_what_an_ordinary_run_does_not_run(self):
        self.assertEqual(self.found({"run me": ("tests/e2e/long.bats", "short me")}), [])
        for what in ("long me", "@test at length"):
            self.assertIn("does not run that of", self.found({"run me": ("tests/e2e/long.bats", what)})[0])
        self.assertIn("does not run that of", self.found({"run me": ("tests/e2e/a.bats", "run me")}, plan=[])[0])
        for path, number in (("tests/packages/run", 0), ("tests/tools/a.py", 0), ("tests/tools/b.py", 1), ("tests/e2e/a.bash", 0)):
            self.assertEqual(len(self.found({"run me": (path, "run me")})), number, path)
        # README's commands count with README's Slurm only
        for plan in ([], [("26.05", "", "tests/e2e/readme.bats")]):
            self.assertEqual(self.found({}, run=["run me"], plan=plan),
                             ["script/test without options does not run tests/e2e/readme.bats"])

    def test_a_row_without_a_command(self):
        table = {"run me": ("tests/e2e/a.bats", "run me"), "old": ("tests/e2e/a.bats", "run me")}
        self.assertEqual(len(self.found(table)), 1)
        self.assertIn("'old'", self.found(table)[0])


if __name__ == "__main__":
    unittest.main()
