#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of script/lib/go.sh: which Go is taken. (That of Debian's is not downloaded here.)"""
import os
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STUBS = """
set -euo pipefail
say() { echo "said: $*"; }
die() { echo "died: $*"; exit 1; }
recipe_key() { echo key; }
lock_cache() { :; }
make_work_dir() { WORK_DIR=$FOLDER/work; }
start_job() { echo "job: $*"; }
wait_jobs() { :; }
publish() { mkdir -p "$2/usr/lib/go-1/bin" && cp "$FOLDER/debian/go" "$2/usr/lib/go-1/bin/"; }
. "$TOP/script/lib/go.sh"
"""


class Go(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def go(self, where, version):
        """A program that says so, if nothing may lead it to another one."""
        folder = os.path.join(self.folder.name, where)
        os.makedirs(folder)
        path = os.path.join(folder, "go")
        with open(path, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\n[ "$GOTOOLCHAIN" = local ] && [ "$GOENV" = off ] && [ "$*" = "env GOVERSION" ] && '
                       f"echo go{version}\n")
        os.chmod(path, 0o755)
        return folder

    def run_in(self, script, *path):
        return subprocess.run(["bash", "-c", STUBS + script], capture_output=True, text=True, check=False, env={
            "PATH": "/usr/bin:/bin", "USER_PATH": ":".join(path), "TOP": TOP, "FOLDER": self.folder.name,
            "CACHE": os.path.join(self.folder.name, "cache")}).stdout.splitlines()

    def test_an_older_one_is_passed_over_and_named(self):
        old, new = self.go("old", "1.26.7"), self.go("new", "1.26.8")
        self.assertEqual(self.run_in("find_go; echo $GO", old, "/nonexistent", new),
                         [f"said: {old}/go is Go 1.26.7: passed over, as 1.26.8 is needed", f"{new}/go"])

    def test_versions_are_compared_as_numbers(self):
        for version, taken in (("1.27", True), ("1.26.10", True), ("2.0.1", True), ("1.27rc1", True),
                               ("1.9.9", False), ("1.26", False), ("devel +abc", False)):
            with self.subTest(version):
                folder = self.go(version.replace(" ", "-"), version)
                self.assertEqual(f"{folder}/go" in self.run_in(f"go_is_new_enough {folder}/go && echo {folder}/go"), taken)

    def test_without_one_debians_is_unpacked_once(self):
        self.go("debian", "1.26.9")
        script = "find_go() { return 1; }; need_go; echo $GO"
        said = self.run_in(script)
        self.assertEqual(said[0], "said: there is no Go 1.26.8 or later here: that of Debian forky is unpacked in the cache")
        self.assertEqual(said[1], f"job: recipe_go_fetch {self.folder.name}/work")
        self.assertEqual(said[2:], [f"{self.folder.name}/cache/go/toolchain-key/usr/lib/go-1/bin/go"])
        self.assertEqual(self.run_in(script), said[2:])

    def test_if_that_is_too_old_the_script_ends(self):
        self.go("debian", "1.19")
        self.assertEqual(self.run_in("find_go() { return 1; }; need_go; echo went on")[-1],
                         "died: Debian forky has no Go 1.26.8")

    def test_nothing_else_is_fetched(self):
        self.go("new", "1.26.8")
        said = self.run_in("find_go; export GOSUMDB=off GOFLAGS=-mod=mod GOTOOLCHAIN=auto GOENV=/x; go_environment || true; "
                           "echo $GOTOOLCHAIN $GOFLAGS $GOENV ${GOSUMDB:-on}", os.path.join(self.folder.name, "new"))
        self.assertEqual(said, ["local -mod=readonly -trimpath -buildvcs=false off on"])


if __name__ == "__main__":
    unittest.main()
