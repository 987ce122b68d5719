#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does check_mutants.py see a mutant that no property names, and a property without a mutant?"""
import contextlib
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_mutants  # noqa: E402
from checking import write  # noqa: E402

# (these are the properties that the test has)
TEST = "\tP(a_pod_is_made_once),\n\tP(a_held_job_stays),\n"


class CheckMutants(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = folder.name
        self.write("tests/unit/test_some_properties.c", TEST)
        self.write("common/x.c", "return a;\n")

    def write(self, path, text):
        return write(self.top, path, text)

    def program(self, text):
        path = self.write("program", "#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return path

    def run_with(self, changes, names):
        """The exit code and the words, where the test names these properties of each mutant"""
        mutants = {"some_properties": ("x.c", changes)}
        with mock.patch.object(check_mutants, "TOP", self.top), mock.patch.object(check_mutants, "MUTANTS", mutants), \
                mock.patch.object(check_mutants, "found", lambda *_: names), mock.patch.object(sys, "argv", ["", self.top]), \
                contextlib.redirect_stdout(io.StringIO()) as out:
            return check_mutants.main(), out.getvalue()

    def test_each_property_has_a_mutant_that_it_names(self):
        both = [("a_pod_is_made_once", "a", "b"), ("a_held_job_stays", "a", "c")]
        self.assertEqual(self.run_with(both, {"a_pod_is_made_once", "a_held_job_stays"})[0], 0)
        code, words = self.run_with(both, {"a_pod_is_made_once"})
        self.assertEqual(code, 1)
        self.assertIn("a_held_job_stays: not seen", words)
        self.assertEqual(self.run_with(both, set())[1].count("nothing is wrong"), 2)

    def test_a_property_without_a_mutant_is_wrong(self):
        code, words = self.run_with([("a_pod_is_made_once", "a", "b")], {"a_pod_is_made_once"})
        self.assertEqual(code, 1)
        self.assertIn("a_held_job_stays: a property without a mutant", words)

    def test_a_change_whose_text_is_not_there_is_wrong(self):
        with mock.patch.object(check_mutants, "TOP", self.top):
            said = check_mutants.found(self.top, "some_properties", "x.c", ("a_held_job_stays", "return b;", ""), "")
        self.assertEqual(said, {"x.c has not once: return b;"})

    def test_each_text_of_the_table_is_in_its_file_once_and_each_property_has_a_mutant(self):
        for test, (source, changes) in check_mutants.MUTANTS.items():
            self.assertEqual({change[0] for change in changes}, check_mutants.properties(test), test)
            for _, text, _, *other in changes:
                with open(os.path.join(check_mutants.TOP, "common", *other or [source]), encoding="utf-8") as file:
                    self.assertEqual(file.read().count(text), 1, f"{test}: {text}")

    def test_the_test_s_words_are_read(self):
        self.assertEqual(check_mutants.named(self.program("echo 'one: wrong'; exec sleep 60"), "one"), {"one"})
        self.assertEqual(check_mutants.named(self.program("echo ' - [two] got 1'; exit 1"), "one"), {"two"})
        self.assertEqual(check_mutants.named(self.program("exit 0"), "one"), {"it ends with 0"})
        self.assertEqual(check_mutants.named(self.program("kill -SEGV $$"), "one"), {"it ends with -11"})


if __name__ == "__main__":
    unittest.main()
