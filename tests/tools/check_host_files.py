#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do systemd and logrotate take the files that we have for slurmctld's host?

Usage: tests/tools/check_host_files.py

  - the drop-in of slurmctld.service, as it is and with all of its settings that are
    comments, by "systemd-analyze verify"; docs/hardening.md tells each of these
    settings, and none that it says must not be set is there
  - the file for logrotate: it names what etc/k8s.yaml.example logs to, and logrotate
    rotates that, as a program of ours goes on writing to its name

A tool that is not there is said, and the exit code is 77 then: skipped.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from check_docs import TOP, read

DROP_IN = "etc/systemd/slurmctld.service.d/10-slurm-k8s.conf"
LOGROTATE = "packaging/debian/slurm-k8s.logrotate"
HARDENING = "docs/hardening.md"
UNIT = "[Unit]\nDescription=Slurm controller daemon\n[Service]\nExecStart=/bin/true -D\n"


def run(*argv):
    """What it printed; it must not fail."""
    done = subprocess.run(argv, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=60, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(argv)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def verified(text, folder):
    """What systemd says against a drop-in with this text; "": nothing."""
    drop_ins = os.path.join(folder, "slurmctld.service.d")
    run("install", "-D", "-m", "0644", "-t", drop_ins, DROP_IN)
    with open(os.path.join(drop_ins, os.path.basename(DROP_IN)), "w", encoding="utf-8") as f:
        f.write(text)
    unit = os.path.join(folder, "slurmctld.service")
    with open(unit, "w", encoding="utf-8") as f:
        f.write(UNIT)
    return run("systemd-analyze", "verify", "--man=no", unit)


def uncommented(text):
    return re.sub(r"^#([A-Z]\w+=)", r"\1", text, flags=re.M)


def settings(text):
    return set(re.findall(r"^#?([A-Z]\w+)=", text, re.M))


def table(text, before):
    """The settings in the first cells of the table that follows the words `before`."""
    rows = re.search(r"^(?:\|.*\n)+", text.partition(before)[2], re.M)[0]
    return {word for row in rows.splitlines() for word in re.findall(r"`(\w+)", row.split("|")[1])}


@unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze")
class DropIn(unittest.TestCase):
    def test_systemd_takes_it(self):
        text = read(DROP_IN)
        self.assertNotEqual(uncommented(text), text)
        for what in (text, uncommented(text)):
            with tempfile.TemporaryDirectory(prefix="slurm-k8s-host.") as folder:
                self.assertEqual(verified(what, folder), "")

    def test_what_is_wrong_is_seen(self):
        for wrong in ("[Service]\nTaskMax=infinity\n", "[Service]\nProtectSystem=ful\n", "[Service]\nOOMScoreAdjust=x\n"):
            with tempfile.TemporaryDirectory(prefix="slurm-k8s-host.") as folder:
                self.assertIn("slurm-k8s.conf", verified(wrong, folder))


class Hardening(unittest.TestCase):
    def test_it_has_two_sections_of_settings(self):
        for line in uncommented(read(DROP_IN)).splitlines():
            self.assertRegex(line, r"^(#.*|\[Unit\]|\[Service\]|[A-Z]\w+=\S.*|)$")

    def test_each_setting_is_told(self):
        text = read(HARDENING)
        told = table(text, "systemctl restart slurmctld\n```") | table(text, "and try these:")
        self.assertEqual(settings(read(DROP_IN)) - {"Environment"}, told)

    def test_none_is_there_that_must_not(self):
        never = table(read(HARDENING), "Not to be set")
        self.assertIn("PrivateNetwork", never)
        self.assertEqual(settings(read(DROP_IN)) & never, set())


@unittest.skipUnless(shutil.which("logrotate", path="/usr/sbin:/sbin"), "there is no logrotate")
class Logrotate(unittest.TestCase):
    def test_it_names_the_log_of_the_example(self):
        log = re.search(r"^ *logFile: (\S+)", read("etc/k8s.yaml.example"), re.M)[1]
        self.assertIn(f"\n{log} {{\n", read(LOGROTATE))

    def test_the_log_is_rotated_and_written_on(self):
        with tempfile.TemporaryDirectory(prefix="slurm-k8s-host.") as folder:
            conf = os.path.join(folder, "slurm-k8s")
            log = os.path.join(folder, "power_k8s.log")
            run("install", "-m", "0644", LOGROTATE, conf)
            # Who runs the test is not SlurmUser, and may not become him.
            text = re.sub(r"^\tsu .*\n", "", read(LOGROTATE), flags=re.M)
            with open(conf, "w", encoding="utf-8") as f:
                f.write(text.replace("/var/log/slurm", folder))
            for line in ("first\n", "second\n", "third\n"):
                # As logfile_open() of plugins/power_k8s/logfile.c: to append, made if it is not there.
                with open(log, "a", encoding="utf-8") as f:
                    f.write(line)
                run("/usr/sbin/logrotate", "--force", "--state", os.path.join(folder, "state"), conf)
            names = {n for n in os.listdir(folder) if n.startswith("power")}
            self.assertEqual(names, {"power_k8s.log.1", "power_k8s.log.2.gz", "power_k8s.log.3.gz"})
            with open(log + ".1", encoding="utf-8") as f:
                self.assertEqual(f.read(), "third\n")


def main():
    if len(sys.argv) > 1:
        print(__doc__.strip())
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    done = unittest.main(exit=False, verbosity=2).result
    if not done.wasSuccessful():
        return 1
    return 77 if done.skipped else 0


if __name__ == "__main__":
    sys.exit(main())
