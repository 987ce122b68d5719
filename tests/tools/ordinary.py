# SPDX-License-Identifier: GPL-2.0-or-later
"""What script/test runs when it is given no option, for check_commands.py."""
import os
import re
import subprocess

README_IS_FOR = "22.05"


def runs(top):
    """[(release of Slurm, filter of tags, path)], as tests/tools/ordinary_run says."""
    said = subprocess.run([os.path.join(top, "tests/tools/ordinary_run")], check=True, capture_output=True, text=True).stdout
    found = [tuple(line.split("\t")) for line in said.splitlines()]
    return [(release, tags, path) for release, tags, path in found]


def tests(text):
    """[(title, its tags, its text)] of a file of bats."""
    of_file = set(",".join(re.findall(r"^# bats file_tags=(\S*)$", text, re.M)).split(",")) - {""}
    found = []
    for tags, title, body in re.findall(
            r'^(?:# bats test_tags=(\S*)\n(?:#.*\n)*)?@test "((?:[^"\\]|\\.)*)" \{\n(.*?)^\}', text, re.M | re.S):
        found.append((title, of_file | set(tags.split(",")) - {""}, body))
    return found


def passes(tags, wanted):
    """Does a filter of bats, "alone,!long", let a test with these tags through?"""
    return all((tag[1:] not in tags) if tag.startswith("!") else (tag in tags) for tag in wanted.split(",") if tag)


def has_no_trees(text):
    """Does a file or test leave out each Slurm that is in a tree, which is all but README's?"""
    return re.search(r"^\t! site_in_tree \|\| skip\b", text, re.M) is not None


def is_run(path, text, what, plan):
    """Is `what`, "@test TITLE" or a text of that file, run?  What stands outside of tests is run if any of them is."""
    found = tests(text)
    setup = "".join(re.findall(r"^setup\(\) \{\n.*?^\}", text, re.M | re.S))
    mine = [t for t in found if f"@test {t[0]}" == what] or [t for t in found if what in t[2]] or found
    return any(passes(tags, wanted) and (release == README_IS_FOR or not has_no_trees(setup + body))
               for release, wanted, run in plan if run == path
               for _, tags, body in mine)


def is_started(path, texts):
    """Does script/test name that program of tests/, or does meson, whose tests it runs? `texts` gives a file's text, or None."""
    return path in (texts("script/test") or "") or f"'{path[len('tests/'):]}'" in (texts("tests/meson.build") or "")
