#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What of a report of AddressSanitizer, LeakSanitizer or UBSan is about our programs and plugins?

Usage: tests/tools/sanitizer_report.py REPORT

Prints the report without the leaks that no function of ours has a part in: slurmctld frees
little of its own when it ends. The exit code is 1 if nothing else is in it. Each line of a stack
has its object at its end, in parentheses, as script/lib/site-sanitized.sh asks for.
"""
import re
import sys

# (a plugin of ours is in a folder of this name, a program in one of the site's)
OURS = re.compile(r"^ +#\d+ .*\(/[^ ]*/(slurm-k8s/[a-z0-9_]+\.so|sanitized/programs/[a-z0-9_]+)\+", re.M)
LEAK = re.compile(r"^(Direct|Indirect) leak of ", re.M)
# what stands around leaks
FRAME = re.compile(r"^(=+\n)?==\d+==ERROR: LeakSanitizer: detected memory leaks$|^SUMMARY: \w+: \d+ byte\(s\) leaked|^-+\nSuppressions used", re.M)


def parts(text):
    return [part.strip("\n") for part in re.split(r"\n\s*\n", text) if part.strip()]


def of_ours(text):
    """The parts that count; none if there is nothing but leaks of others."""
    kept = [part for part in parts(text) if not LEAK.match(part) or OURS.search(part)]
    return kept if any(not FRAME.search(part) for part in kept) else []


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8", errors="replace") as f:
        kept = of_ours(f.read())
    print("\n\n".join(kept))
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
