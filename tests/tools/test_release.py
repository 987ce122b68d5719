#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does script/release make the same of the same commit, and nothing of what is no release?

In clones of this tree, as it is now, with a version that there is not. Packages are not built
here: dpkg-buildpackage and rpmbuild are programs of this test, which write what they were told to build
(tests/packages has the real ones).
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VERSION = "9.8.7"
CANDIDATE = f"{VERSION}-rc1"
PACKAGED = f"{VERSION}~rc1"
HEADER = "/usr/include/slurm/slurm_version.h"
# What a machine has that builds packages of either kind: {program: its text}
DEBIAN = {
    "dpkg-query": 'echo "libslurm-dev:amd64: $2"',
    "dpkg-buildpackage": 'cp debian/changelog "../slurm-k8s_$(dpkg-parsechangelog -S Version)_all.deb"',
}
RPM = {
    "dpkg-query": "exit 1",
    "rpm": "echo slurm-devel",
    # (a version that RPM forbids is refused by rpmspec)
    "rpmbuild": """shift
packages=$(rpmspec -q --qf '%{name}-%{version}-%{release}.rpm ' "$@") || exit 1
while [ $# -gt 1 ]; do
    case $2 in "_topdir "*) made=${2#_topdir }/RPMS/noarch ;; esac
    shift
done
mkdir -p "$made"
for package in $packages; do echo "$package" >"$made/$package"; done""",
}
NAME = f"slurm-k8s-{VERSION}"
SKIPPED = 77  # for meson
ENV = {**{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
       "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
       "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": "2001-02-03T04:05:06Z",
       "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_COMMITTER_DATE": "2001-02-03T04:05:06Z"}


def run(*argv, cwd, **env):
    return subprocess.run(argv, cwd=cwd, env={**ENV, **env}, capture_output=True, text=True, check=False)


def git(cwd, *argv):
    out = run("git", "-c", f"safe.directory={TOP}", *argv, cwd=cwd)
    if out.returncode:
        raise AssertionError(f"git {' '.join(argv)}: {out.stderr}")
    return out.stdout


def edit(folder, path, old, new):
    """old is a regular expression, and must be there."""
    path = os.path.join(folder, path)
    with open(path, encoding="utf-8") as file:
        text, n = re.subn(old, new, file.read(), count=1, flags=re.M)
    assert n == 1, f"{path} has no {old}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def sums(folder):
    dist = os.path.join(folder, "dist")
    out = {}
    for name in sorted(os.listdir(dist)):
        with open(os.path.join(dist, name), "rb") as file:
            out[name] = hashlib.sha256(file.read()).hexdigest()
    return out


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="slurm-k8s-release.")
        cls.addClassCleanup(shutil.rmtree, cls.work)
        cls.first = os.path.join(cls.work, "first")
        for path in git(TOP, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
            if path and os.path.lexists(os.path.join(TOP, path)):
                to = os.path.join(cls.first, path)
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy(os.path.join(TOP, path), to, follow_symlinks=False)
        edit(cls.first, "meson.build", r"^  version: '.*',$", f"  version: '{VERSION}',")
        edit(cls.first, "NEWS.md", r"^## .*", f"## {VERSION} (2001-02-03)")
        git(cls.first, "init", "-q", ".")
        git(cls.first, "add", "--all")
        git(cls.first, "commit", "-q", "-m", "A release")
        cls.seconds = int(git(cls.first, "log", "-1", "--format=%ct"))
        cls.commit = git(cls.first, "rev-parse", "HEAD").strip()

    def clone(self, name):
        to = os.path.join(self.work, name)
        git(self.work, "clone", "-q", self.first, to)
        return to

    def release(self, folder, *argv, **env):
        return run(os.path.join(folder, "script", "release"), *(argv or (VERSION,)), cwd=self.work, **env)

    def made(self, folder, *argv, **env):
        out = self.release(folder, *argv, **env)
        self.assertEqual(out.returncode, 0, out.stdout + out.stderr)
        return out.stdout

    def candidate(self, name):
        """A clone that is a release's candidate."""
        folder = self.clone(name)
        edit(folder, "meson.build", r"^  version: '.*',$", f"  version: '{CANDIDATE}',")
        edit(folder, "NEWS.md", r"^## .*", f"## {CANDIDATE} (2001-02-03)")
        git(folder, "commit", "-q", "-a", "-m", "A candidate")
        return folder

    def packages(self, folder, programs):
        """What --packages makes on a machine with these programs, besides the two files of each release."""
        machine = os.path.join(folder, "..", f"{os.path.basename(folder)}-machine")
        os.mkdir(machine)
        for name, text in programs.items():
            with open(os.path.join(machine, name), "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{text}\n")
            os.chmod(os.path.join(machine, name), 0o755)
        said = self.made(folder, "--packages", CANDIDATE, PATH=f"{machine}:{os.environ['PATH']}")
        found = sums(folder)
        with open(os.path.join(folder, "dist", "SHA256SUMS"), encoding="utf-8") as file:
            told = dict(reversed(line.split()) for line in file)
        self.assertEqual(told, {name: value for name, value in found.items() if name != "SHA256SUMS"})
        for name in told:
            self.assertIn(name, said)
        return set(told) - {f"slurm-k8s-{CANDIDATE}.tar.gz", f"slurm-k8s-{CANDIDATE}.spdx.json"}

    def refused(self, folder, words, version=VERSION):
        out = self.release(folder, version)
        self.assertEqual(out.returncode, 1, out.stdout + out.stderr)
        self.assertIn(words, out.stderr)
        self.assertFalse(os.path.exists(os.path.join(folder, "dist")))

    def test_the_same_from_the_same_commit(self):
        one, other = self.clone("one"), self.clone("other")
        said = self.made(one, TZ="UTC")
        before = sums(one)
        self.assertEqual(sorted(before), ["SHA256SUMS", f"{NAME}.spdx.json", f"{NAME}.tar.gz"])
        self.made(one, TZ="UTC")  # over what there is
        self.assertEqual(sums(one), before)
        # another clone, whose files have another date and another mode, elsewhere in the world
        for folder, _, files in os.walk(other):
            for name in files:
                if ".git" not in folder.split(os.sep):
                    os.utime(os.path.join(folder, name), (1, 1), follow_symlinks=False)
        config = os.path.join(self.work, "config")
        with open(config, "w", encoding="utf-8") as file:
            file.write("[tar]\n\tumask = 0077\n[core]\n\tautocrlf = true\n")
        self.made(other, TZ="Asia/Tokyo", LC_ALL="C", GIT_CONFIG_GLOBAL=config)
        self.assertEqual(sums(other), before)
        with open(os.path.join(one, "dist", "SHA256SUMS"), encoding="utf-8") as file:
            for line in file:
                value, name = line.split()
                self.assertEqual(before[name], value)
                self.assertIn(line.strip(), said)
        self.assertIn(f"git tag -a v{VERSION}", said)
        self.assertIn("script/release --packages", said)
        self.look_into_archive(os.path.join(one, "dist", f"{NAME}.tar.gz"))
        self.look_into_sbom(os.path.join(one, "dist"), before)

    def look_into_archive(self, path):
        with open(path, "rb") as file:
            self.assertEqual(file.read(8)[4:], b"\0\0\0\0")  # gzip's own date
        with tarfile.open(path) as archive:
            members = archive.getmembers()
        self.assertEqual({m.mtime for m in members}, {self.seconds})
        self.assertEqual({(m.uid, m.gid) for m in members}, {(0, 0)})
        self.assertEqual({m.name.split("/")[0] for m in members}, {NAME})
        modes = {m.name: m.mode & 0o777 for m in members}
        self.assertEqual(modes[f"{NAME}/script/release"], 0o755)
        self.assertEqual(modes[f"{NAME}/NEWS.md"], 0o644)
        self.assertFalse([name for name in modes if "/dist" in name or "/.git/" in name])

    def look_into_sbom(self, dist, found):
        with open(os.path.join(dist, f"{NAME}.spdx.json"), encoding="utf-8") as file:
            sbom = json.load(file)
        self.assertEqual(sbom["spdxVersion"], "SPDX-2.3")
        self.assertEqual(sbom["creationInfo"]["created"], "2001-02-03T04:05:06Z")
        self.assertTrue(sbom["documentNamespace"].endswith(f"{NAME}-{self.commit}"))
        packages = {p["name"]: p for p in sbom["packages"]}
        self.assertEqual(packages["slurm-k8s"]["checksums"],
                         [{"algorithm": "SHA256", "checksumValue": found[f"{NAME}.tar.gz"]}])
        for name, known in (("curl", "libcurl"), ("json-c", "json-c"), ("libyaml", "yaml-0.1"), ("openssl", "libcrypto")):
            version = run("pkg-config", "--modversion", known, cwd=dist).stdout.strip()
            self.assertEqual(packages[name]["versionInfo"], version)
        ids = {p["SPDXID"] for p in sbom["packages"]} | {"SPDXRef-DOCUMENT"}
        self.assertEqual(len(ids), len(packages) + 1)
        for one in ids:
            self.assertRegex(one, r"^SPDXRef-[A-Za-z0-9.-]+$")
        related = set()
        for r in sbom["relationships"]:
            self.assertLessEqual({r["spdxElementId"], r["relatedSpdxElement"]}, ids)
            related.add(r["relatedSpdxElement"])
        self.assertEqual(related, ids - {"SPDXRef-DOCUMENT"})

    @unittest.skipUnless(os.path.exists(HEADER) and shutil.which("dpkg-parsechangelog"), "no libslurm-dev, or no dpkg-dev")
    def test_debian_packages_of_a_candidate(self):
        folder = self.candidate("debian")
        made = self.packages(folder, DEBIAN)
        self.assertEqual(len(made), 1, made)
        name = made.pop()
        version = name.split("_")[1]
        self.assertTrue(version.startswith(f"{PACKAGED}+slurm"), name)
        run("dpkg", "--compare-versions", version, "lt", version.replace("~rc1", ""), cwd=folder).check_returncode()
        with open(os.path.join(folder, "dist", name), encoding="utf-8") as file:
            self.assertIn("Sat, 03 Feb 2001", file.read())

    @unittest.skipUnless(os.path.exists(HEADER) and shutil.which("rpmspec"), "no header of Slurm, or no rpmspec")
    def test_rpm_packages_of_a_candidate(self):
        folder = self.candidate("rpm")
        made = self.packages(folder, RPM)
        self.assertEqual(len(made), 3, made)
        for name in made:
            self.assertIn(f"-{PACKAGED}+slurm", name)
        versions = f'"{PACKAGED}+slurm22.05.8", "{VERSION}+slurm22.05.8"'
        self.assertEqual(run("rpm", "--eval", f"%{{lua: print(rpm.vercmp({versions}))}}", cwd=folder).stdout, "-1\n")

    def test_packages_without_a_development_package(self):
        folder = self.clone("none")
        machine = os.path.join(self.work, "none-machine")
        os.mkdir(machine)
        for name in ("dpkg-query", "rpm"):
            os.symlink("/bin/false", os.path.join(machine, name))
        out = self.release(folder, "--packages", VERSION, PATH=f"{machine}:{os.environ['PATH']}")
        self.assertEqual(out.returncode, 1)
        self.assertIn("install libslurm-dev", out.stderr)
        self.assertFalse(os.path.exists(os.path.join(folder, "dist")))

    def test_what_is_no_release_is_refused(self):
        folder = self.clone("no")
        for version in ("9.8", "9.8.7~rc1", "9.8.7-rc1-2", "9.8.7-"):
            self.refused(folder, "is no version", version)
        self.refused(folder, "meson.build has version 9.8.7", "9.8.6")
        with open(os.path.join(folder, "left-over"), "w", encoding="utf-8"):
            pass
        self.refused(folder, "not clean:\n?? left-over")
        os.unlink(os.path.join(folder, "left-over"))
        edit(folder, "README.md", r"^# .*", "# Other")
        self.refused(folder, "not clean:\n M README.md")
        git(folder, "checkout", "-q", "README.md")
        for heading, words in ((f"## {VERSION} (unreleased)", "put the date there"),
                               ("## 9.8.70 (2001-02-03)", f"no heading '## {VERSION}'")):
            edit(folder, "NEWS.md", r"^## .*", heading)
            git(folder, "commit", "-q", "-a", "-m", "NEWS")
            self.refused(folder, words)

    def test_wrong_use(self):
        out = run(os.path.join(self.first, "script", "release"), cwd=self.work)
        self.assertEqual(out.returncode, 2)
        self.assertIn("Usage: script/release [--packages] VERSION", out.stderr)
        out = self.release(self.first, "--help")
        self.assertEqual(out.returncode, 0)
        self.assertNotIn("set -euo", out.stdout)


if __name__ == "__main__":
    if not shutil.which("git") or not os.path.exists(os.path.join(TOP, ".git")):
        print("this is no clone, or there is no git")
        sys.exit(SKIPPED)
    unittest.main()
