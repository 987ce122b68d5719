#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of sanitizer_report.py."""
import unittest

import sanitizer_report as sr

HEAD = "\n=================================================================\n==7==ERROR: LeakSanitizer: detected memory leaks\n\n"
END = "SUMMARY: AddressSanitizer: 168 byte(s) leaked in 2 allocation(s).\n"
SLURMS = """Direct leak of 68 byte(s) in 1 object(s) allocated from:
    #0 0x7 in __interceptor_calloc <null> (/usr/lib/libclang_rt.asan-x86_64.so+0xd3)
    #1 0x7 in slurm_xcalloc <null> (/usr/lib/x86_64-linux-gnu/slurm-wlm/libslurmfull.so+0x17)

"""
OURS = """Indirect leak of 100 byte(s) in 1 object(s) allocated from:
    #0 0x7 in __interceptor_malloc <null> (/usr/lib/libclang_rt.asan-x86_64.so+0xd3)
    #1 0x7 in leak /src/common/x.c:30:12 (/tmp/slurm-k8s.ab/root/usr/lib/x86_64-linux-gnu/slurm-k8s/libslurmk8s.so+0x28)

"""
PROGRAMS = OURS.replace("root/usr/lib/x86_64-linux-gnu/slurm-k8s/libslurmk8s.so", "sanitized/programs/k8s_resume")
USE = "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x6\n    #0 0x7 in f <null> (/usr/sbin/slurmctld+0x1)\n"
OVERFLOW = "../x.c:38:14: runtime error: signed integer overflow\n    #0 0x7 in f <null> (/x.so+0x1)\n\n"


class Report(unittest.TestCase):
    def test_leaks_of_slurms_alone_are_nothing(self):
        self.assertEqual(sr.of_ours(HEAD + SLURMS + END), [])
        self.assertEqual(sr.of_ours(HEAD + SLURMS + SLURMS + END), [])
        self.assertEqual(sr.of_ours(""), [])

    def test_of_several_ours_are_left(self):
        for ours in OURS, PROGRAMS:
            text = "\n".join(sr.of_ours(HEAD + SLURMS + ours + SLURMS + END))
            self.assertIn("Indirect leak of 100 byte(s)", text)
            self.assertNotIn("slurm_xcalloc", text)
            self.assertIn("SUMMARY: ", text)

    def test_all_else_counts_wherever_it_is(self):
        for text in USE, OVERFLOW, OVERFLOW + HEAD + SLURMS + END, "==7==LeakSanitizer has encountered a fatal error.\n":
            self.assertTrue(sr.of_ours(text))


if __name__ == "__main__":
    unittest.main()
