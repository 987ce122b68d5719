#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is a piece of code in two files?

Usage: tests/tools/check_duplicates.py [FILE...]

Looks with sim_c(1) at FILEs, or at all .c files of common/ and plugins/, for runs of TOKENS tokens that
two of them share, by whatever names variables have there; functions that they call have to be the
same ones. Prints where they are. Exit code 1: there are some. TOKENS are about 25 lines: chains of
comparisons, member by member, are alike up to 153.
"""
import glob
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOKENS = 160


def main():
    if "--help" in sys.argv:
        print(__doc__.strip())
        return 0
    files = sys.argv[1:]
    if not files:
        os.chdir(TOP)
        files = sorted(glob.glob("common/**/*.c", recursive=True) + glob.glob("plugins/**/*.c", recursive=True))
    # (-F: functions by name; -s: not within a file; -n: places only)
    done = subprocess.run(["sim_c", "-F", "-s", "-n", "-r", str(TOKENS), *files], capture_output=True, text=True, check=True)
    pairs = [re.sub(r"\s*\|", ", ", line) for line in done.stdout.splitlines() if re.search(r"\|.*\[\d+\]$", line)]
    for pair in pairs:
        print(pair)
    print("check_duplicates: %d files, %d pieces in two of them" % (len(files), len(pairs)))
    return 1 if pairs or not files else 0


if __name__ == "__main__":
    sys.exit(main())
