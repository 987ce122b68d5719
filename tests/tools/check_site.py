#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is the web site whole?

Usage: tests/tools/check_site.py BUILD

Has script/site make it, in BUILD/site, and looks at what was made:

  - each link within the site leads to a file, and to an anchor that is there
  - no page loads anything from elsewhere
  - each document and manual page has its page, and the search knows it

Without sphinx-build that is said, and the exit code is 77: skipped.
"""
import glob
import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urlparse

from check_docs import TOP, text_paths

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "object": "data"}


class Page(HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads = set(), set(), set()
        with open(path, encoding="utf-8") as f:
            self.feed(f.read())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids |= {attrs[k] for k in ("id", "name") if attrs.get(k)}
        if attrs.get(LOADED.get(tag)):
            self.loads.add(attrs[LOADED[tag]])
        elif tag == "a" and attrs.get("href"):
            self.links.add(attrs["href"])


def faults(folder):
    """What is wrong with the pages of a site, in words; and how many links it has."""
    paths = glob.glob(f"{folder}/**/*.html", recursive=True)
    pages = {os.path.normpath(p): Page(p) for p in paths}
    out, links = [], 0
    for path, page in sorted(pages.items()):
        name = os.path.relpath(path, folder)
        for link in sorted(page.links | page.loads):
            if urlparse(link).scheme or link.startswith("//"):
                if link in page.loads:
                    out.append(f"{name} loads {link} from elsewhere")
                continue
            links += 1
            file, anchor = urldefrag(link)
            to = os.path.normpath(os.path.join(os.path.dirname(path), unquote(file).split("?")[0])) if file else path
            if not os.path.isfile(to):
                out.append(f"{name}: the link {link} leads nowhere")
            elif anchor and to in pages and unquote(anchor) not in pages[to].ids:
                out.append(f"{name}: {os.path.relpath(to, folder)} has no anchor #{anchor}")
    return out, links


def missing(folder, documents):
    """Documents without a page, or that the search does not know."""
    out = []
    with open(os.path.join(folder, "searchindex.js"), encoding="utf-8") as f:
        index = f.read()
    for path in documents:
        name = os.path.splitext(path)[0]
        if not os.path.isfile(os.path.join(folder, f"{name}.html")):
            out.append(f"there is no page of {path}")
        if f'"{name}"' not in index:
            out.append(f"the search does not know {path}")
    return out


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip())
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    if not shutil.which("sphinx-build"):
        print("there is no sphinx-build")
        return 77
    folder = os.path.join(sys.argv[1], "site")
    if subprocess.run([os.path.join(TOP, "script/site"), folder], check=False).returncode:
        return 1
    out, links = faults(folder)
    out += missing(folder, text_paths())
    for words in out:
        print(f"FAILED: {words}")
    print(f"{links} links, {len(out)} failed")
    return 1 if out or not links else 0


if __name__ == "__main__":
    sys.exit(main())
