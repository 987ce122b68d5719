#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What packaging/worker/Dockerfile installs, with the packages of Debian's suite and with a folder of others.

No image is built, which needs docker and a registry. The shell text of RUN is run in a folder that is
removed, with programs that say what they were told in the place of those that change the system.
"""
import os
import re
import shlex
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(TOP, "packaging/worker")
PLAYED = ["apt-get", "groupadd", "useradd", "rm"]


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def instructions(text):
    """[(its word, the rest)], with lines that go on made one."""
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    return [tuple(line.split(None, 1)) for line in re.sub(r"\\\n", " ", text).splitlines() if line]


class WorkerImage(unittest.TestCase):
    def setUp(self):
        self.text = read("packaging/worker/Dockerfile")
        self.lines = instructions(self.text)
        self.arguments = {}
        for word, rest in self.lines:
            if word == "ARG":
                name, value = rest.split("=", 1)
                self.arguments[name] = "".join(shlex.split(value))

    def said(self, debs, **arguments):
        """What RUN has these programs do; `debs`: the files at COPY's place."""
        with tempfile.TemporaryDirectory(prefix="slurm-k8s-image.") as root:
            os.makedirs(f"{root}/bin")
            os.makedirs(f"{root}/tmp/slurm")
            for name in debs:
                with open(f"{root}/tmp/slurm/{name}", "w", encoding="utf-8"):
                    pass
            for name in PLAYED:
                with open(f"{root}/bin/{name}", "w", encoding="utf-8") as file:
                    file.write(f'#!/bin/sh\necho {name} "$@"\n')
                os.chmod(f"{root}/bin/{name}", 0o755)
            run, = [rest for word, rest in self.lines if word == "RUN"]
            env = {**self.arguments, **arguments, "PATH": f"{root}/bin:/usr/bin:/bin"}
            out = subprocess.run(["/bin/sh", "-c", run.replace("/tmp/slurm", f"{root}/tmp/slurm")],
                                 env=env, capture_output=True, text=True, check=True)
            return out.stdout.replace(root, "").splitlines()

    def installed(self, *argv, **arguments):
        line, = [line for line in self.said(*argv, **arguments) if line.startswith("apt-get install")]
        return line.split()[4:]

    def test_debians_packages(self):
        self.assertEqual(self.installed(["entrypoint.sh"]), ["slurmd", "slurm-client", "munge", "tini"])

    def test_packages_of_a_folder(self):
        debs = ["slurm-smd_1_amd64.deb", "slurm-smd-slurmd_1_amd64.deb"]
        self.assertEqual(sorted(self.installed([*debs, "README"], SLURM_DEBS="debs")),
                         sorted([f"/tmp/slurm/{deb}" for deb in debs] + ["munge", "tini"]))

    def test_a_folder_without_packages_is_no_image_of_debians_slurm(self):
        self.assertEqual(self.installed([], SLURM_DEBS="debs"), ["/tmp/slurm/*.deb", "munge", "tini"])

    def test_users(self):
        said = self.said([], SLURM_DEBS="debs", JOB_USERS="slurm:64030 alice:2001")
        self.assertEqual([line for line in said if line.startswith("groupadd")],
                         ["groupadd -g 64030 slurm", "groupadd -g 2001 alice"])

    def test_what_copy_takes_is_there(self):
        copied = [rest.split()[0] for word, rest in self.lines if word == "COPY"]
        self.assertIn("${SLURM_DEBS:-entrypoint.sh}", copied)
        for name in copied:
            name = re.sub(r"\$\{\w+:-(.*)\}", r"\1", name)
            self.assertTrue(os.path.exists(os.path.join(FOLDER, name)), name)

    def test_arguments_that_documents_name(self):
        told = set(re.findall(r"--build-arg (\w+)=", self.text + read("docs/install.md")))
        self.assertEqual(told, set(self.arguments))


if __name__ == "__main__":
    unittest.main()
