#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Do we still build with the oldest libraries and the oldest meson that we promise?

Usage: tests/tools/check_floors.py BUILD-FOLDER

No Debian that is supported has them, so what we use is compared with what they had:

libcurl   each of its names that we use is in tests/floors/libcurl.tsv with the version that
          brought it. Files that have such names are compiled as for the oldest version: what
          came later does not exist then, and is to stand in an #if.
json-c    none of its macros that came later is used, and no object of ours needs a symbol of a later one.
OpenSSL   no object of ours needs a symbol of a later one than 3.0; nor, as far as the machine
          that builds can tell, glibc one than 2.34.
meson     it has not warned of a feature that came later than what meson.build asks for.

The versions are those of meson.build; the RPM's are to be the same.
"""
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(TOP, "tests", "floors", "libcurl.tsv")
CURL_NAME = re.compile(r"\b(?:CURL\w*|curl_\w+)\b")
# json-c's ChangeLog
JSONC_NEWER = {"JSON_TOKENER_ALLOW_TRAILING_CHARS": "0.15", "JSON_C_TO_STRING_COLOR": "0.17"}
GLIBC = "2.34"  # RHEL 9
# What newer headers make of old functions
GLIBC_RENAMED = re.compile(r"^__isoc23_")


def number(version):
    """Three of them: 3.0 is 3.0.0."""
    parts = [int(part) for part in re.findall(r"\d+", version)]
    return tuple((parts + [0, 0])[:3])


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as file:
        return file.read()


def floors():
    """{name: version} of meson.build."""
    text = read("meson.build")
    found = dict(re.findall(r"dependency\('([\w.-]+)', version: '>=([\d.]+)'\)", text))
    found["meson"] = re.search(r"meson_version: '>=([\d.]+)'", text)[1]
    return found


def sources():
    return sorted(path for folder in ("common", "plugins", "tests")
                  for path in glob.glob(os.path.join(TOP, folder, "**", "*.[ch]"), recursive=True))


def code(text):
    """Without comments, strings and #include."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^\s*#\s*include\b.*", " ", text, flags=re.M)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def table():
    rows = {}
    for line in read(os.path.relpath(TABLE, TOP)).splitlines():
        if line and not line.startswith("#"):
            name, version = line.split("\t")
            rows[name] = number("0" if version == "-" else version)
    return rows


def check_names(rows):
    """Messages, and the files that have such names."""
    bad, files, used = [], [], set()
    for path in sources():
        with open(path, encoding="utf-8") as file:
            text = code(file.read())
        names = set(CURL_NAME.findall(text))
        bad += [f"{os.path.relpath(path, TOP)}: {name} is of json-c {since}"
                for name, since in JSONC_NEWER.items() if re.search(rf"\b{name}\b", text)]
        if names:
            files.append(path)
        used |= names
        bad += [f"{os.path.relpath(path, TOP)}: {name} is not in tests/floors/libcurl.tsv: "
                "libcurl-symbols(3) and the function's page say since when it exists"
                for name in sorted(names - set(rows))]
    bad += [f"tests/floors/libcurl.tsv: {name}: nothing uses it" for name in sorted(set(rows) - used)]
    return bad, files


def stand_in(folder, rows, libcurl):
    """A header after which libcurl's own is that of this version."""
    newer = sorted(name for name, since in rows.items() if since > number(libcurl))
    major, minor, patch = number(libcurl)
    path = os.path.join(folder, "floors.h")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#include <curl/curl.h>\n#undef LIBCURL_VERSION_NUM\n"
                   f"#define LIBCURL_VERSION_NUM 0x{major:02x}{minor:02x}{patch:02x}\n")
        file.writelines(f"#undef {name}\n#pragma GCC poison {name}\n" for name in newer)
    return path


def compile_as_then(build, files, rows, libcurl):
    """What the compiler has to say."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = {os.path.realpath(os.path.join(c["directory"], c["file"])): c for c in json.load(file)}
    bad, done = [], 0
    with tempfile.TemporaryDirectory() as folder:
        header = stand_in(folder, rows, libcurl)
        for path in files:
            command = commands.get(os.path.realpath(path))
            if not command:
                continue
            words = [w for w in shlex.split(command["command"]) if w not in ("-c", "-MD")]
            for option in ("-o", "-MF", "-MQ"):
                if option in words:
                    del words[words.index(option):words.index(option) + 2]
            ran = subprocess.run(words + ["-fsyntax-only", "-include", header,
                                                     "-Wno-deprecated-declarations", "-fdiagnostics-color=never"],
                                 cwd=command["directory"], capture_output=True, text=True)
            done += 1
            if ran.returncode:
                bad.append("\n".join(ran.stderr.splitlines()[:10]))
    if not done:
        bad.append("compile_commands.json has none of our files")
    return bad, done


def later_symbols(build, want):
    """Symbols of our objects that are of later versions than `want` has: {prefix: version}."""
    bad, seen = [], set()
    objects = glob.glob(os.path.join(build, "common", "*.so")) + [
        path for path in glob.glob(os.path.join(build, "plugins", "*", "*"))
        if os.path.isfile(path) and (path.endswith(".so") or os.access(path, os.X_OK))]
    for path in objects:
        ran = subprocess.run(["objdump", "-T", path], capture_output=True, text=True)
        for symbol, prefix, version in [(m[3], m[1], m[2]) for m in re.finditer(
                r"\*UND\*\s+\S+\s+\(?(JSONC|OPENSSL|GLIBC)_([\d.]+)\)?\s+(\S+)", ran.stdout)]:
            seen.add(prefix)
            if number(version) > number(want[prefix]) and not GLIBC_RENAMED.match(symbol):
                bad.append(f"{os.path.relpath(path, build)}: {symbol} is of {prefix} {version}, "
                           f"and {want[prefix]} is to do")
    jsonc = subprocess.run(["pkg-config", "--modversion", "json-c"], check=True, capture_output=True, text=True)
    if number(jsonc.stdout) < number("0.15"):
        seen.add("JSONC")  # which has no versions of symbols
    bad += [f"objdump -T shows no symbol of {prefix} in {build}" for prefix in sorted(set(want) - seen)]
    return bad


def check_meson(build):
    with open(os.path.join(build, "meson-logs", "meson-log.txt"), encoding="utf-8") as file:
        log = file.read()
    if "The Meson build system" not in log and "Build started" not in log:
        return ["meson-log.txt is no log of meson's"]
    return re.findall(r".*(?:Project targets|Project specifies a minimum meson_version).*", log)


def check_rpm(oldest):
    """The names of the RPM's BuildRequires with a version."""
    spec = dict(re.findall(r"^BuildRequires:\s+(\S+) >= ([\d.]+)$", read("packaging", "rpm", "slurm-k8s.spec"), re.M))
    want = {"json-c-devel": oldest["json-c"], "libcurl-devel": oldest["libcurl"], "meson": oldest["meson"],
            "libmicrohttpd-devel": oldest["libmicrohttpd"], "openssl-devel": oldest["libcrypto"]}
    return [f"slurm-k8s.spec: {name} >= {spec.get(name)}, but meson.build has {version}"
            for name, version in want.items() if spec.get(name) != version]


def main():
    build, oldest, rows = sys.argv[1], floors(), table()
    bad, files = check_names(rows)
    errors, compiled = compile_as_then(build, files, rows, oldest["libcurl"])
    bad += errors
    bad += later_symbols(build, {"JSONC": oldest["json-c"], "OPENSSL": oldest["libcrypto"], "GLIBC": GLIBC})
    bad += check_meson(build)
    bad += check_rpm(oldest)
    for message in bad:
        print(message)
    print(f"check_floors: {len(rows)} names of libcurl, {compiled} files compiled, {len(bad)} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
