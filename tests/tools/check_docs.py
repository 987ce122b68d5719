#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the documentation say what the tree does?

Usage: tests/tools/check_docs.py [BUILD]

BUILD is a build folder of meson whose programs are built; without it they are
built in a folder that is removed afterwards. Compares

  - the keys of k8s.yaml (common/config/*.c) and their defaults and bounds with
    k8s.yaml.5.rst, both ways
  - each installed program and its options with its manual page, both ways
  - the rows of the bridge's planner, its annotations and options with docs/bridge.md
  - these annotations with docs/coming-from-slurm-bridge.md, both ways
  - names in the admission policies with the code
  - that each heading of a manual page is one
  - the rooms of common/meson.build with docs/architecture.md
  - paths, code places (file:function) and constants named in texts with the tree
  - the programs in README's sh blocks with what there is
  - the tests that texts name, by file and title, with those of tests/e2e; each symptom
    of docs/troubleshooting.md names one
  - the releases of docs/support.md with those of docs/versions.md and of README's table
  - README's table of Slurm's releases with what script/test has found, and the
    releases that texts and scripts name with those
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import rooms
import versions_table

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAN = "docs/man"
TEXTS = ["README.md", "NEWS.md", "CONTRIBUTING.md", "SECURITY.md"]
FOLDERS = "script|etc|docs|tests|plugins|common|packaging"
# What README's commands may use besides the tree's own programs.
TOOLS = """apt-get base64 bats cat cp git grep install kubectl meson ninja runuser sbatch
scontrol sinfo sleep squeue srun systemctl""".split()
# The section of k8s.yaml.5 that a mapping of the code is told in.
SECTIONS = {"a cluster": "clusters", "a nodeset": "nodesets", "power": "power",
            "failover": "failover", "scheduler": "scheduler",
            "a feature": "features", "jobs": "jobs", "bridge": "bridge", "metrics": "metrics",
            "nodes of bridge": "bridge: nodes",
            "a namespace": "bridge: namespaces", "a selector": "bridge: selectors",
            "an expression": "bridge: expressions",
            "minRunningSchedule": "NODES THAT ALWAYS RUN"}
CONFIG = ["config", "features", "metadata_policy", "bridge_config", "metrics_config", "min_running"]  # of common/config, with such mappings

failures = []
passed = 0


def check(good, words):
    global passed
    if good:
        passed += 1
    else:
        failures.append(words)
        print(f"FAILED: {words}")


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as f:
        return f.read()


def sources():
    return {os.path.relpath(p, TOP): read(p)
            for d in ("common", "plugins")
            for p in glob.glob(f"{TOP}/{d}/**/*.[ch]", recursive=True)}


# --- k8s.yaml

def key_tables(text):
    """[(what it is, its keys)]: each keys[] table and the call that uses it. Macros ..._KEYS are lists of keys."""
    for name, keys in re.findall(r'^#define (\w+_KEYS)\b((?:.*\\\n)*.*)', text, re.M):
        text = re.sub(r"(?<!#define )\b%s\b" % name, lambda _: keys, text)
    out = []
    for m in re.finditer(r"keys\[\]\s*=\s*\{(.*?)\};", text, re.S):
        keys = re.findall(r'"([^"]+)"', m[1])
        use = re.search(r"yaml_only_keys\([^,]+,[^,]+,\s*([^,]+),\s*(?:keys|names)\b", text[m.end():])
        out.append((use[1].strip('"') if use else "?", keys))
    return out


def sections(rst):
    """{title: text} of the top-level sections."""
    parts = re.split(r"^(\S.*)\n=+\n", rst, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def documented_keys(section):
    """{key: its whole entry} of a section's definition list."""
    parts = re.split(r"^``(\w+)``", section, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def check_config(src):
    rst = sections(read(f"{MAN}/k8s.yaml.5.rst"))
    tables = [t for name in CONFIG for t in key_tables(src[f"common/config/{name}.c"])]
    check(len(tables) == len(SECTIONS) + 1,
          f"{CONFIG} have {len(tables)} tables of keys; this check knows {len(SECTIONS) + 1}")
    shared = dict(tables)["a namespace"]  # a selector has these too, and they are told once
    for what, keys in tables:
        if what == "a selector":
            check(set(shared) < set(keys), "a selector lacks keys of a namespace")
            keys = [k for k in keys if k not in shared]
        if what == "WK_CONFIG_FILE":
            for key in keys:
                check(key in rst, f"k8s.yaml.5: no section about the key {key}")
            continue
        title = SECTIONS.get(what)
        check(title in rst, f"k8s.yaml.5: no section about {what}")
        known = documented_keys(rst.get(title, ""))
        for key in keys:
            check(key in known, f"k8s.yaml.5: the key {key} of {what} is missing")
        for key in known:
            check(key in keys, f"k8s.yaml.5: {what} has no key {key} in config.c")
    for what, keys in key_tables(src["common/config/pod_template.c"]):
        for key in keys:
            check(f"**{key}**" in rst["POD TEMPLATES"],
                  f"k8s.yaml.5: the key {key} of {what} is missing")
    check_defaults(src, rst)


def define(src, name):
    for text in src.values():
        m = re.search(rf"^#define {name}\b[ \t]+(.*?)[ \t]*(?:/\*.*)?$", text, re.M)
        if m:
            return m[1].strip('"')
    return None


def check_defaults(src, rst):
    cluster = documented_keys(rst["clusters"])
    nodeset = documented_keys(rst["nodesets"])
    power = documented_keys(rst["power"])
    bridge = documented_keys(rst.get("bridge", ""))
    seconds = int(define(src, "DEFAULT_DEADLINE_MS")) // 1000
    rows = [
        (cluster, "namespace", f"default: {define(src, 'DEFAULT_NAMESPACE')})"),
        (cluster, "maxRequests", f"default: {define(src, 'DEFAULT_REQUESTS')})"),
        (bridge, "schedulerName", f"default: {define(src, 'WK_BRIDGE_SCHEDULER')})"),
        (nodeset, "container", f"default: {define(src, 'WK_CONTAINER')})"),
        (power, "deadline", f"default: {seconds}s)"),
    ]
    metrics = documented_keys(rst["metrics"])
    seconds = int(define(src, "DEFAULT_METRICS_MS")) // 1000
    bounds = re.search(r'"interval",\s*(\d+),\s*(\d+)', src["common/config/metrics_config.c"])
    rows.append((metrics, "interval", f"{int(bounds[1]) // 1000} s to {int(bounds[2]) // 60000} min; "
                                      f"default: {seconds}s)"))
    bounds = re.search(r'"maxRequests",\s*(\d+),\s*(\d+)', src["common/config/config.c"])
    rows.append((cluster, "maxRequests", f"{bounds[1]} to {bounds[2]};"))
    bounds = re.search(r'"deadline",\s*(\d+),\s*(\d+)', src["common/config/config.c"])
    rows.append((power, "deadline",
                 f"{int(bounds[1]) // 1000} s to {int(bounds[2]) // 3600000} h;"))
    for entries, key, words in rows:
        check(words in entries.get(key, "").split("\n")[0],
              f"k8s.yaml.5: {key} should say '{words}'")
    for section, name in (("clusters", "CLUSTERS_MAX"), ("nodesets", "NODESETS_MAX"),
                          ("nodesets", "HOSTLIST_MAX"), ("nodesets", "HOSTLIST_NAME_MAX"),
                          ("bridge", "BRIDGE_RESOURCES_MAX"),
                          ("bridge: nodes", "BRIDGE_FEATURES_MAX"),
                          ("bridge: namespaces", "BRIDGE_NAMESPACES_MAX"),
                          ("bridge: namespaces", "BRIDGE_NAMES_MAX"),
                          ("bridge: selectors", "BRIDGE_SELECTORS_MAX"),
                          ("bridge: selectors", "BRIDGE_LABELS_MAX"),
                          ("YAML", "YAML_NODES_MAX"), ("YAML", "YAML_DEPTH_MAX")):
        check(re.search(rf"\b{define(src, name)}\b", rst.get(section, "")),
              f"k8s.yaml.5: {section} does not name the bound {name} ({define(src, name)})")
    for name in re.findall(r"define WK_(?:LABEL|ENV)_\w+ (.*)", src["common/syntax/wellknown.h"]):
        text = "".join(re.findall(r'"([^"]*)"', name))
        check(text in rst["POD TEMPLATES"], f"k8s.yaml.5: {text} is set and not told")


# --- docs/bridge.md

def check_bridge(src):
    """The planner's rows, the annotations and the options, both ways."""
    text = read("docs/bridge.md")
    plan = re.sub(r"\s+", " ", src["common/bridge/reconcile/group_decide.c"])
    coded = set(re.findall(r'GROUP_[A-Z_]+, "([^"]+)"', plan))
    coded |= set(re.findall(r'keep\(out, "([^"]+)"', plan))
    coded |= set(re.findall(r'(?:cancel|delete_pods|make_anew|replace_job|decide_incomplete)\([^"]*?out, "([^"]+)"', plan))
    coded |= set(re.findall(r'\? "([^"]+)" : "([^"]+)"\)', plan)[0])
    told = set(re.findall(r"\| ([^|]+) \|$", text.split("## What is done")[1], re.M)) - {"row", "---"}
    for row in sorted(coded ^ told):
        check(False, f"docs/bridge.md and group_decide.c differ about the row '{row}'")
    check(len(coded) > 20, "the rows of group_decide.c were not found")
    page = read(f"{MAN}/k8s.yaml.5.rst")
    options = src["common/config/job_option.c"]
    for note in re.findall(r'\] = \{"([a-z-]+)",', options):
        check(f"`{note}`" in text, f"docs/bridge.md: the annotation {note} is missing")
        check(re.search(rf"[\s*,]{note}[,*\n]", page), f"k8s.yaml.5: {note} is missing")
    for option in re.findall(r'^\s*\{"([a-z-]+)", (?:\'|0)', options, re.M):
        check(re.search(rf"--{option}\b(?!-)", text), f"docs/bridge.md: --{option} is missing")


COMPAT = "docs/coming-from-slurm-bridge.md"


def check_coming_from(src):
    """The table of annotations, both ways; the prefixes."""
    text = read(COMPAT)
    keys = dict(re.findall(r'\[(JOB_OPTION_\w+)\] = \{"([a-z-]+)",', src["common/config/job_option.c"]))
    harmless = re.search(r"#define JOB_OPTION_HARMLESS(.*?[^\\])\n", src["common/config/job_option.h"], re.S)[1]
    free = set(re.findall(r"JOB_OPTION_BIT\((\w+)\)", harmless))
    coded = {(note, "no" if key in free else "yes") for key, note in keys.items()}
    table = text.split("\n## Annotations")[1].split("\n## ")[0]
    told = set(re.findall(r"^\| `([a-z-]+)` \| (\w+) \|", table, re.M))
    for note, allow in sorted(coded ^ told):
        check(False, f"{COMPAT} and job_option.h differ about the annotation {note} (needs allow: {allow})")
    check(len(coded) > 10, "the annotations of job_option.c were not found")
    for name in ("WK_ASK", "WK_ASK_SLINKY", "WK_BRIDGE_SCHEDULER"):
        check(define(src, name) in text, f"{COMPAT}: {name} is not named")


def check_policies(src):
    """What they protect is what we write; each of their refusals has been met by a test."""
    folder = "etc/kubernetes/admission"
    names = read(f"{folder}/names.yaml")
    check(f"startsWith('{define(src, 'WK_PREFIX')}')" in names, f"{folder}: the prefix is another")
    check(f"startsWith('{define(src, 'WK_PREFIX')}')" in read(f"{folder}/nodes.yaml"), f"{folder}: the prefix is another")
    for name, text in re.findall(r'define (WK_COMPAT_HOST_\w+)\s*\\?\n?\s*"(.*)"', src["common/syntax/wellknown.h"]):
        check("slinky.slurm.net/" in text, f"{folder}/nodes.yaml: {name} ({text}) is not protected")
    for file in ("names", "ends", "evictions"):
        check("system:serviceaccount:slurm:slurmctld" in read(f"{folder}/{file}.yaml"),
              f"{folder}/{file}.yaml: the account is another")
    for file in ("pods", "ends", "scheduler"):
        check(f"'{define(src, 'WK_BRIDGE_SCHEDULER')}'" in read(f"{folder}/{file}.yaml"),
              f"{folder}/{file}.yaml: the scheduler's name is another")
    for name, text in re.findall(r'define (WK_BRIDGE_\w+_SLINKY) "(.*)"', src["common/syntax/wellknown.h"]):
        check(f"'{text}'" in names, f"{folder}/names.yaml: {name} ({text}) is not protected")
    test = "tests/e2e/admission.bats"
    tested = read(test)
    for file in ("names", "nodes", "pods", "ends", "evictions"):
        messages = re.findall(r"^ +message: (?:>-\n)?(.*\n(?:        .*\n)*)", read(f"{folder}/{file}.yaml"), re.M)
        check(messages, f"{folder}/{file}.yaml: no messages found")
        for message in (" ".join(m.split()) for m in messages):
            check(message in tested, f"{test}: nothing is refused with '{message}'")


# --- programs

def installed_programs(build):
    out = subprocess.run(["meson", "introspect", "--installed", build], check=True,
                         capture_output=True, text=True).stdout
    return sorted(p for p, to in json.loads(out).items() if "/libexec/" in to or re.search("/s?bin/", to))


def options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def check_rooms():
    """The table of architecture.md has each room, in its order, and what it may use."""
    table = rooms.read_table()
    names = [room for room, *_ in table]
    rows = re.findall(r"^\| `common/([\w/]+)/` \|.*\| ([^|]*) \|$", read("docs/architecture.md"), re.M)
    check([room for room, _ in rows] == names, "docs/architecture.md and common/meson.build differ about the rooms")
    for room, uses, *_ in table:
        told = dict(rows).get(room, "")
        if told not in ("the five above", "all"):  # (what its line names, or these do)
            check([name for name in re.split(", ", told) if name in names] == uses,
                  f"docs/architecture.md: {room} may use {', '.join(uses)}")


def check_headings(path, text):
    """A line between two others is part of their paragraph, however it is underlined."""
    lines = text.splitlines()
    for i in range(1, len(lines) - 1):
        title, below = lines[i], lines[i + 1]
        if title and len(below) >= len(title) and re.fullmatch(r"([=~-])\1{2,}", below) and below[0] != title[0]:
            check(lines[i - 1] in ("", below), f"{path}: no blank line above the heading {title}")


def check_programs(build, src):
    programs = installed_programs(build)
    check(programs, f"{build} installs no programs")
    for path in programs:
        name = os.path.basename(path)
        page = f"{MAN}/{name}.8.rst"
        if not os.path.exists(os.path.join(TOP, page)):
            check(False, f"{name}: there is no {page}")
            continue
        rst = read(page)
        told = options("\n".join(re.findall(r"^(?:--|\*\*--).*", sections(rst)["OPTIONS"], re.M)))
        env = {k: v for k, v in os.environ.items() if not k.startswith("SLURM_")}
        run = subprocess.run([path, "--help"], capture_output=True, text=True, timeout=60,
                             check=False, env=env)
        has = options(run.stdout)
        if not has:  # it prints no help: the options that its source compares
            own = src.get(f"plugins/power_k8s/{name}.c", "")
            has = set(re.findall(r'"(--[a-z-]+)"', own))
        for o in sorted(has - told):
            check(False, f"{page}: the option {o} of {name} is missing")
        for o in sorted(told - has):
            check(False, f"{page}: {name} has no option {o}")
        check(has, f"{name}: no options found")
        check(f"\n{name}\n" in rst, f"{page}: its title is not {name}")
    return {os.path.basename(p) for p in programs}


# --- what texts name

def check_paths(path, text):
    for m in re.finditer(rf"(?<![\w/.$~-])((?:{FOLDERS})/[\w./*+-]*)", text):
        name = m[1].rstrip(".*") if m[1].endswith("**") else m[1].rstrip(".")
        good = glob.glob(os.path.join(TOP, name))
        if re.fullmatch(r"docs/[\w.]+\.[58]", name):  # a built manual page
            good = True
        check(good, f"{path}: there is no {name}")
    for m in re.finditer(r"\]\(([^)#:]+)\)", text):
        to = os.path.join(TOP, os.path.dirname(path), m[1])
        check(os.path.exists(to), f"{path}: the link to {m[1]} leads nowhere")


def check_places(path, text, src):
    for file, function in re.findall(r"`((?:common|plugins|tests)/[\w./]+):(\w+)`", text):
        code = read(file) if os.path.isfile(os.path.join(TOP, file)) else ""
        good = re.search(rf"^(?:[a-z].*[ *])?{function}\(", code, re.M)
        check(good, f"{path}: {file} has no function {function}")
    for name in re.findall(r"`([A-Z][A-Z_]+_[A-Z_]+)`", text):
        known = any(re.search(rf"^#define {name}\b", t, re.M) for t in src.values())
        check(known, f"{path}: there is no constant {name}")


def check_manual_references(path, text, programs):
    for name in re.findall(r"\b(k8s_[a-z_]+)\b(?!\.)", text):
        planned = name in ("node_features_k8s",)
        check(planned or name in programs, f"{path}: there is no program {name}")


def check_texts(src, programs):
    for path in sorted(glob.glob(f"{TOP}/{MAN}/*.rst")):
        check_headings(os.path.relpath(path, TOP), read(os.path.relpath(path, TOP)))
    for path in text_paths():
        check(os.path.exists(os.path.join(TOP, path)), f"there is no {path}")
        text = read(path)
        check("SPDX-License-Identifier" in text or path == "README.md", f"{path}: no SPDX line")
        check_paths(path, text)
        check_places(path, text, src)
        check_named_tests(path, text)
        check_manual_references(path, text, programs)


def blocks(text):
    """The sh blocks, without their indentation."""
    for m in re.finditer(r"^( *)```sh\n(.*?)^ *```", text, re.M | re.S):
        yield re.sub(rf"^{m[1]}", "", m[2], flags=re.M)


def commands(block):
    """The first words of a block's simple commands; here-documents left out."""
    block = re.sub(r"\\\n", " ", block)
    block = re.sub(r"<<-?'?(\w+)'?(.*)\n(?:.*\n)*?\1$", r"\2", block, flags=re.M)
    block = re.sub(r"'[^']*'", "''", block)
    for part in re.split(r"\$\(|[;&|()\n]+", block):
        words = [w for w in part.split() if w not in ("until", "while", "do", "if", "then", "!")]
        while words and re.match(r"\w+=", words[0]):
            words.pop(0)
        if words[:1] == ["runuser"]:
            words = words[words.index("--") + 1:]
        if words and words[0] not in ("done", "fi"):
            yield words[0]


def text_paths():
    return TEXTS + sorted(os.path.relpath(p, TOP)
                          for end in ("md", "rst")
                          for p in glob.glob(f"{TOP}/docs/**/*.{end}", recursive=True))


def check_versions():
    rows = versions_table.load(versions_table.KEPT)
    _, told, _ = versions_table.in_readme(read("README.md"))
    check(told == versions_table.table(rows),
          "README.md: its table is not what tests/tools/versions_table.py makes")
    check_support(rows)
    known = set(versions_table.releases(rows))
    for release in re.findall(r"--slurm:(\d\d\.\d\d)", read("script/test")):
        check(release in known, f"there are no results with Slurm {release}, which script/test knows")
    exact = {row["slurm"] for row in rows.values()}
    exact |= set(re.findall(r"^\| (\S+) \| SchedMD's source \|", read("docs/versions.md"), re.M))
    for path in text_paths():
        text = read(path)
        # (since when Slurm does something is no claim of ours)
        claims = re.sub(r"\b(before|from|up to)\s+\d\d\.\d\d\.\d+", "", text)
        for version in re.findall(r"(?<![\d.])\d\d\.\d\d\.\d+", claims):
            check(version in exact, f"{path}: there are no results with Slurm {version}")
        for release in re.findall(r"--slurm (\d\d\.\d\d)", text):
            check(release in known, f"{path}: there are no results with Slurm {release}")


SYMPTOMS = "docs/troubleshooting.md"


def bats_titles(path):
    """The titles of a file's tests."""
    if not os.path.exists(os.path.join(TOP, path)):
        return set()
    found = re.findall(r'^@test "((?:[^"\\]|\\.)*)" \{', read(path), re.M)
    return {re.sub(r"\\(.)", r"\1", title) for title in found}


def named_tests(text):
    """[(file, title)] of the tests of bats that a text names."""
    return re.findall(r'`(tests/\w+/[\w.]+\.bats)`: "([^"]*)"', " ".join(text.split()))


def check_named_tests(path, text):
    for file, title in named_tests(text):
        check(title in bats_titles(file), f"{path}: {file} has no test \"{title}\"")


def check_symptoms():
    """Each symptom has its parts, in their order, and a test that there is."""
    found = re.split(r"^### (.*)\n", read(SYMPTOMS), flags=re.M)[1:]
    check(len(found) >= 2 * 22, f"{SYMPTOMS} has fewer than 22 symptoms")
    for name, entry in zip(found[::2], found[1::2]):
        entry = re.split(r"^## ", entry, flags=re.M)[0]
        parts = re.findall(r"^- \*\*(\w+):\*\* ", entry, re.M)
        check(parts == ["Seen", "Look", "Cause", "Cure", "Test"],
              f"{SYMPTOMS}: '{name}' has the parts {', '.join(parts)}")
        told = " ".join(entry.partition("- **Test:**")[2].split())
        tests = named_tests(told)
        check(tests or "tests/unit/" in told, f"{SYMPTOMS}: '{name}' names no test")
        check(told.count(".bats`") == len(tests), f"{SYMPTOMS}: '{name}' names a file of tests without a title")


def check_support(rows):
    """It has each release of Slurm that there is a build for, and what of Kubernetes was run."""
    text = read("docs/support.md")
    release = r"^\| (\d\d\.\d\d\.\d+) \|"
    told = set(re.findall(release, text, re.M))
    for version in sorted(told ^ set(re.findall(release, read("docs/versions.md"), re.M))):
        check(False, f"docs/support.md and docs/versions.md differ about Slurm {version}")
    check(told, "docs/support.md: no releases of Slurm found")
    run = {row["kubernetes"].split()[0] for row in rows.values()}
    check(set(re.findall(r"\((1\.\d+\.\d+)\)", text)) == run,
          f"docs/support.md: Kubernetes was run in {', '.join(sorted(run))}")


def check_readme(programs):
    text = read("README.md")
    made = text[text.find("<!-- made by"):text.find("<!-- end of the table -->")]
    check(text.count("\n") - made.count("\n") <= 165, "README.md has more than 165 lines, without its table")
    found = list(blocks(text))
    check(found, "README.md has no sh blocks")
    for block in found:
        for word in commands(block):
            if "/" in word and not word.startswith("/"):
                good = os.access(os.path.join(TOP, word), os.X_OK)
            else:
                good = os.path.basename(word) in programs | set(TOOLS)
            check(good, f"README.md: the command {word} does not exist")


def build_programs(folder):
    for argv in (["meson", "setup", "-Dtests=false", folder, TOP], ["ninja", "-C", folder]):
        run = subprocess.run(argv, capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(f"check_docs: {' '.join(argv)} failed:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    src = sources()
    check_config(src)
    check_bridge(src)
    check_coming_from(src)
    check_policies(src)
    check_rooms()
    with tempfile.TemporaryDirectory(prefix="slurm-k8s-docs.") as temporary:
        build = sys.argv[1] if len(sys.argv) == 2 else temporary
        if build == temporary:
            build_programs(build)
        programs = check_programs(build, src)
    check_texts(src, programs)
    check_readme(programs)
    check_symptoms()
    check_versions()
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
