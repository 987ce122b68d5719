#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of script/lib/results.sh: what script/test counts of what bats says, and second tries."""
import json
import os
import subprocess
import tempfile
import unittest

from checking import TOP, write

START = """
set -uo pipefail
K8S_VERSION=1.37.2 NO_GATES='' RESULTS=$LOGS/results
declare -A VERSION=([26.05]=26.05.5) DEBIAN=([26.05]=testing)
: >"$LOGS/counts"
: >"$LOGS/twice"
. "$TOP/script/lib/results.sh"
TAP=$LOGS/1.37.2-26.05-rest.tap
"""
TAP = """1..5
ok 1 a job in 12ms
ok 2 a job, again in 40000ms
ok 3 twice in 3ms
ok 4 not here # skip no GPU
not ok 5 fails in 7ms
# storm: 5 kills, seed 12
"""


class Results(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.logs = folder.name
        self.write("1.37.2-26.05-rest.tap", TAP)
        self.write("1.37.2-26.05-rest.tap.outputs/3-try1-twice.log", "why it failed\n")
        self.write("1.37.2-26.05-rest.tap.outputs/3-try2-twice.log", "")
        self.write("1.37.2-26.05-rest.tap.outputs/5-try1-fails.log", "broken\n")

    def write(self, name, text):
        write(self.logs, name, text)

    def run_in(self, script):
        return subprocess.run(["bash", "-c", START + script], capture_output=True, text=True, check=False,
                              env={"PATH": "/usr/bin:/bin", "TOP": TOP, "LOGS": self.logs}).stdout

    def test_each_kind_is_counted(self):
        self.assertEqual(self.run_in('planned "$TAP"; good "$TAP"; bad "$TAP"; left_out "$TAP"'), "5\n3\n1\n1\n")

    def test_first_tries_are_shown_and_who_passed_then_is_remembered(self):
        said = self.run_in('first_tries 26.05 "$TAP"; cat "$LOGS/why-twice"; echo; cat "$LOGS/twice"')
        self.assertIn('# first try of "twice":\n# why it failed\n', said)
        self.assertIn('# first try of "fails":\n# broken\n', said)
        self.assertIn("\nnot ok at its first try: twice\n    why it failed\n\n", said)
        self.assertEqual(said.splitlines()[-1:], ["1.37.2 26.05 rest\ttwice"])
        self.assertNotIn("rest\tfails", said)

    def test_what_a_failed_test_said_is_told_in_short(self):
        self.write("1.37.2-26.05-more.tap", "ok 1 good\n# not of it\nnot ok 2 bad in 7ms\n# (from function `f' in file a.bash, line 1,\n"
                   "#  in test file a.bats, line 3)\n#   `f' failed\n# again\n# again\n# once\n# twice\n# more\nok 3 good\n")
        self.assertEqual(self.run_in('why_failed "$LOGS/1.37.2-26.05-more.tap"').split("\n"),
                         ["not ok 2 bad in 7ms", "    in test file a.bats, line 3)", "    `f' failed",
                          "    once", "    twice", "    more", ""])

    def test_a_result_has_its_second_tries_and_storms(self):
        self.run_in('first_tries 26.05 "$TAP"; result 26.05 rest 3 1 1 rest')
        with open(os.path.join(self.logs, "results"), encoding="utf-8") as file:
            row = json.loads(file.read())
        self.assertEqual((row["passed"], row["failed"], row["skipped"]), (3, 1, 1))
        self.assertEqual((row["second_try"], row["storms"]), (["twice"], ["5 kills, seed 12"]))

    def test_what_was_counted_is_summed_by_name(self):
        self.assertEqual(self.run_in('count 1 2 3 "part a"; count 10 20 30 "part b, x"; count 5 5 5 other; '
                                     'total 1; total 2; total 3; counted_as "part (a|b)(,|$)"'), "16\n27\n38\n11 22 33\n")


if __name__ == "__main__":
    unittest.main()
