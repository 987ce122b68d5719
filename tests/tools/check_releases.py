#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do common/slurm and the plugins compile with each release of Slurm?

Usage: tests/tools/check_releases.py [RELEASE...]

With the headers of each Slurm that is here: the installed one, those of
script/slurm-tree, SLURM_PREFIX. And for each release from 22.05 on, whether it
is here or not, with tests/releases/standin.h, which says what differs. Both go
through meson, as a build does: it asks the headers what they have
(common/slurm/meson.build), and each answer must be the one that PROBES says.
"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RELEASES = ["22.05", "23.02", "23.11", "24.05", "24.11", "25.05", "25.11", "26.05"]
LATER = "99.99"
# From which release on, and up to which, the answer is yes
PROBES = {
    "PROBE_JOB_INFO_STEP_ID": ("25.11", LATER),
    "PROBE_JOB_DESC_STEP_ID": ("25.11", LATER),
    "PROBE_SUBMIT_RESPONSE_STEP_ID": ("25.11", LATER),
    "PROBE_COMPLETE_JOB_STEP_ID": ("25.11", LATER),
    "PROBE_JOB_STEPS_STEP_ID": ("25.11", LATER),
    "PROBE_LOAD_JOB_STEP_ID": ("26.05", LATER),
    "PROBE_JOB_NODE_READY_STEP_ID": ("26.05", LATER),
    "PROBE_KILL_JOB_STEP_ID": ("26.05", LATER),
    "PROBE_ALLOCATION_STEP_ID": ("26.05", LATER),
    "PROBE_FREE_CONF": ("26.05", LATER),
    "PROBE_JOB_INFO_RESV_PORTS": ("24.05", LATER),
    "PROBE_JOB_INFO_LICENSES_ALLOCATED": ("25.05", LATER),
    "PROBE_CONF_PROLOG_TIMEOUT": ("25.05", LATER),
    "PROBE_NODE_INSTANCE_TYPE": ("23.11", LATER),
    "PROBE_NODE_GPU_SPEC": ("24.05", LATER),
    "PROBE_NODE_PARAMETERS": ("25.11", LATER),
    "PROBE_NODE_ALLOC_CPUS": ("25.05", LATER),
    "PROBE_NODE_ALLOC_MEMORY": ("25.05", LATER),
    "PROBE_NODE_TOPOLOGY": ("25.05", LATER),
    "PROBE_NODE_RESV_NAME": ("23.02", LATER),
    "PROBE_NODE_RESUME_AFTER": ("23.02", LATER),
    "PROBE_NODE_SUSPEND_TIME": ("26.05", LATER),
    "PROBE_UPDATE_SUSPEND_EXC_NODES": ("23.02", LATER),
    "PROBE_UPDATE_NODE_TOPOLOGY": ("25.05", LATER),
    "PROBE_UPDATE_NODE_REASON_UID": ("22.05", "25.11"),
}
STANDIN = os.path.join(TOP, "tests", "releases", "standin.h")


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def standin(release, folder):
    """Writes slurm/slurm.h: the installed one with other names, and ours."""
    with open(STANDIN, encoding="utf-8") as file:
        text = file.read()
    names = re.findall(r"^(?:typedef .*\b|} )(\w+_t);", text, re.M)
    names += re.findall(r"^(?:\w+ )+\*?(slurm_\w+)\(", text, re.M)
    os.makedirs(os.path.join(folder, "include", "slurm"))
    with open(os.path.join(folder, "include", "slurm", "slurm.h"), "w", encoding="utf-8") as out:
        out.write("#ifndef STANDIN_H\n#define STANDIN_H\n")
        out.writelines("#define %s installed_%s\n" % (n, n) for n in sorted(set(names)))
        out.write("#include_next <slurm/slurm.h>\n")
        out.writelines("#undef %s\n" % n for n in sorted(set(names)))
        out.write('#define RELEASE %s\n#include "%s"\n#endif\n' % (
            release.replace(".", ""), STANDIN))


def real_headers():
    """Folders with slurm.h, by what is to be printed of them."""
    found = {"installed": "/usr/include/slurm"}
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for path in glob.glob(os.path.join(cache, "slurm-k8s/trees/slurm-*/usr/include/slurm")):
        found[path.split("/trees/")[1].split("/")[0]] = path
    if os.environ.get("SLURM_PREFIX"):
        found["SLURM_PREFIX"] = os.path.join(os.environ["SLURM_PREFIX"], "include", "slurm")
    return {name: path for name, path in found.items() if os.path.exists(path + "/slurm_version.h")}


def release_of(headers):
    """25.11 of a folder with slurm_version.h"""
    with open(os.path.join(headers, "slurm_version.h"), encoding="utf-8") as file:
        number = int(re.search(r"SLURM_VERSION_NUMBER\s+(\w+)", file.read()).group(1), 16)
    return "%d.%02d" % (number >> 16, (number >> 8) & 0xff)


def wrong_answers(release, build):
    """What meson has found out, and should not have."""
    with open(os.path.join(build, "common/slurm/probes.h"), encoding="utf-8") as file:
        answers = dict(re.findall(r"#define (PROBE_\w+) (\d)", file.read()))
    for name in sorted(set(answers) | set(PROBES)):
        if name not in PROBES or name not in answers:
            yield "%s: not both in common/slurm/meson.build and in check_releases.py" % name
            continue
        since, until = PROBES[name]
        if answers[name] != str(int(since <= release <= until)):
            yield "%s is %s" % (name, answers[name])


def wrong_files(build):
    """What the compiler says of the files that meet slurm.h."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    for entry in commands:
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), TOP)
        if not re.match(r"common/slurm/|plugins/[^/]+/plugin\.c", path):
            continue
        command = re.sub(r"^ccache ", "", entry["command"]) + " -fsyntax-only -fdiagnostics-color=never"
        done = run("sh", "-c", command, cwd=entry["directory"])
        if done.returncode:
            yield "\n".join(line for line in done.stderr.splitlines() if " error: " in line)


def check(name, release, headers):
    """The wrong things. headers: None for the stand-in."""
    with tempfile.TemporaryDirectory(prefix="slurm-k8s.") as folder:
        if headers:
            os.mkdir(os.path.join(folder, "include"))
            os.symlink(headers, os.path.join(folder, "include", "slurm"))
        else:
            standin(release, folder)
        os.mkdir(os.path.join(folder, "lib"))
        # (nothing is linked)
        run("gcc", "-shared", "-o", folder + "/lib/libslurm.so", "-x", "c", "/dev/null", check=True)
        build = os.path.join(folder, "build")
        done = run("meson", "setup", "-Dtests=false", "-Ddocs=false", "-Dslurm_prefix=" + folder,
                   build, TOP)
        if done.returncode:
            return ["%s: %s" % (name, done.stdout[-2000:])]
        wrong = list(wrong_answers(release, build)) + list(wrong_files(build))
        return ["%s: %s" % (name, words) for words in wrong]


def main():
    if len(sys.argv) > 1 and sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    jobs = [("Slurm %s (stand-in)" % r, r, None) for r in RELEASES]
    jobs += [("Slurm %s (%s)" % (release_of(path), name), release_of(path), path)
             for name, path in real_headers().items()]
    jobs = [job for job in jobs if not sys.argv[1:] or job[1] in sys.argv[1:]]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for job, words in zip(jobs, pool.map(lambda job: check(*job), jobs)):
            for line in words:
                wrong += 1
                print(line)
    print("check_releases: %s; %d wrong" % (", ".join(job[0] for job in jobs), wrong))
    return 1 if wrong or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
