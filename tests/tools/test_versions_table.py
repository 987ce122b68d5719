#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of versions_table.py."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import versions_table as vt


def row(release, suite, passed, failed=0, skipped=0, **more):
    return {"kubernetes": "1.37.2", "second_try": [], "release": release, "slurm": f"{release}.5", "debian": "13", "suite": suite,
            "passed": passed, "failed": failed, "skipped": skipped, "date": "2026-01-02", **more}


def rows(*list_of):
    return vt.parse("".join(json.dumps(r) + "\n" for r in list_of))


class Table(unittest.TestCase):
    def test_a_row_for_each_release_in_order(self):
        lines = vt.table(rows(row("26.05", "rest", 7), row("24.11", "engine", 29),
                              row("24.11", "rest", 60, skipped=4))).splitlines()
        self.assertEqual(lines[2:], ["| 1.37.2 | 24.11.5 | 13 | - | 60 (4 skipped) | - | - | - | 29 | - | - | - | - | 2026-01-02 |",
                                     "| 1.37.2 | 26.05.5 | 13 | - | 7 | - | - | - | - | - | - | - | - | 2026-01-02 |"])

    def test_a_row_for_each_release_of_kubernetes(self):
        lines = vt.table(rows(row("24.11", "rest", 7), row("24.11", "rest", 5, kubernetes="1.33.13"))).splitlines()
        self.assertEqual([line.split(" | ")[0] for line in lines[2:]], ["| 1.33.13", "| 1.37.2"])

    def test_second_tries_are_lines_of_their_own(self):
        table = vt.table(rows(row("24.11", "rest", 7, second_try=["a job waits", "another"])))
        self.assertTrue(table.endswith("\n\nPassed only at a second try:\n\n"
                                       "- Kubernetes 1.37.2, Slurm 24.11.5: a job waits\n"
                                       "- Kubernetes 1.37.2, Slurm 24.11.5: another\n"))
        self.assertNotIn("second try", vt.table(rows(row("24.11", "rest", 7))))

    def test_storms_are_in_the_cell(self):
        self.assertIn("| 7; 50 kills, seed 12 |", vt.table(rows(row("24.11", "long", 7, storms=["50 kills, seed 12"]))))
        with self.assertRaises(ValueError):
            rows(row("24.11", "long", 7, storms="50"))

    def test_failures_are_shown(self):
        self.assertIn("| **2 failed**, 27 |", vt.table(rows(row("24.11", "engine", 27, 2))))

    def test_what_is_older_than_its_row_has_its_date(self):
        table = vt.table(rows(row("24.11", "rest", 1, date="2026-03-04"), row("24.11", "engine", 1)))
        self.assertIn("| 1 | - | - | - | 1; 2026-01-02 |", table)
        self.assertTrue(table.endswith("| 2026-03-04 |\n"))

    def test_without_feature_gates_it_is_a_row_of_its_own(self):
        lines = vt.table(rows(row("24.11", "bridge", 7), row("24.11", "bridge", 5, kubernetes="1.37.2 without gates"))).splitlines()
        self.assertEqual([line.split(" | ")[0] for line in lines[2:]], ["| 1.37.2", "| 1.37.2 without gates"])

    def test_the_last_result_counts(self):
        self.assertIn("| 3 |", vt.table(rows(row("24.11", "rest", 1), row("24.11", "rest", 3))))

    def test_only_what_is_between_the_marks_is_written(self):
        new = vt.with_table(f"a\n{vt.BEGIN}old\n{vt.END}b\n", rows(row("24.11", "rest", 5)))
        self.assertTrue(new.startswith(f"a\n{vt.BEGIN}| Kubernetes |") and new.endswith(f"{vt.END}b\n"))
        self.assertNotIn("old", new)
        with self.assertRaises(ValueError):
            vt.with_table("no marks\n", {})

    def test_bad_lines_are_refused(self):
        for bad in (row("24.11", "nosuch", 1), {**row("24.11", "rest", 1), "passed": "1"},
                    {"release": "24.11"}):
            with self.assertRaises(ValueError):
                rows(bad)


class Contradictions(unittest.TestCase):
    KEPT = rows(row("24.11", "rest", 60, skipped=4), row("24.11", "engine", 29))

    def of(self, new):
        return vt.contradictions(self.KEPT, rows(new))

    def test_none(self):
        self.assertEqual(self.of(row("24.11", "rest", 60, skipped=4, date="2027-01-01")), [])

    def test_another_result(self):
        self.assertEqual(self.of(row("24.11", "rest", 59, 1, 4)),
                         ["Kubernetes 1.37, Slurm 24.11, rest: the table says 60 (4 skipped), this run **1 failed**, 59 (4 skipped)"])

    def test_another_slurm(self):
        self.assertEqual(self.of(row("24.11", "engine", 29, slurm="24.11.6")),
                         ["Kubernetes 1.37, Slurm 24.11, engine: the table is of 24.11.5, this was 24.11.6"])
        self.assertEqual(len(self.of(row("24.11", "engine", 0, 0, 1, slurm=""))), 1)

    def test_another_kubernetes(self):
        self.assertEqual(self.of(row("24.11", "engine", 29, kubernetes="1.37.3")),
                         ["Kubernetes 1.37, Slurm 24.11, engine: the table is of 1.37.2, this was 1.37.3"])

    def test_nothing_there(self):
        self.assertEqual(self.of(row("26.05", "rest", 1)), ["Kubernetes 1.37, Slurm 26.05, rest: the table has nothing of it"])

    def test_its_exit_code(self):
        kept = vt.load(vt.KEPT)
        of, first = next(iter(kept.items()))
        tool = [sys.executable, vt.__file__, "compare"]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results")
            for passed, code in ((first["passed"], 0), (first["passed"] + 1, 1)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(vt.dump({of: {**first, "passed": passed}}))
                run = subprocess.run([*tool, path], capture_output=True, check=False)
                self.assertEqual(run.returncode, code)


if __name__ == "__main__":
    unittest.main()
