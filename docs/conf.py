# SPDX-License-Identifier: GPL-2.0-or-later
"""Sphinx: the site that script/site makes of the documents and manual pages."""
import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
START = "docs/index"

with open(os.path.join(TOP, "meson.build"), encoding="utf-8") as f:
    version = release = re.search(r"version: '([^']+)'", f.read())[1]
project = "slurm-k8s"
project_copyright = "its authors; GPL-2.0-or-later"
extensions = ["myst_parser"]
root_doc = START
include_patterns = ["*.md", "docs/**.md", "docs/**.rst"]
exclude_patterns = [".*", "build*", "common", "dist", "etc", "packaging", "plugins", "script", "tests"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
# Anchors as those of a forge that shows these files.
myst_heading_anchors = 4
highlight_language = "none"
html_theme = "alabaster"
html_theme_options = {"description": "Slurm nodes as Kubernetes pods", "fixed_sidebar": False,
                      "page_width": "1100px", "show_powered_by": False}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_show_sphinx = False
html_copy_source = False
html_title = f"slurm-k8s {release}"


def on_source(_app, docname, source):
    """The version in manual pages; the menu, which is the links of the start page."""
    source[0] = source[0].replace("@VERSION@", release)
    if docname == START:
        pages = re.findall(r"\]\((?!http)([^)#]+)\.(?:md|rst)\)", source[0])
        source[0] += "\n```{toctree}\n:hidden:\n" + "\n".join(pages) + "\n```\n"


def setup(app):
    app.connect("source-read", on_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
