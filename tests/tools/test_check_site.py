#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does check_site.py see a link that leads nowhere?"""
import os
import shutil
import tempfile
import unittest

import check_site


class CheckSite(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="slurm-k8s-site.")
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(os.path.join(self.folder, "docs"))
        self.write("searchindex.js", 'Search.setIndex({"docnames": ["docs/b", "a"]})')
        self.write("docs/b.html", '<h1 id="top">b</h1><a href="../a.html">a</a>')

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def found(self, html):
        self.write("a.html", html)
        return check_site.faults(self.folder)[0]

    def test_whole(self):
        self.assertEqual(self.found('<a name="x" href="docs/b.html#top">b</a><a href="#x"></a>'
                                    '<script src="docs/b.html?v=1"></script><a href="https://example.org/#y"></a>'), [])
        self.assertEqual(check_site.faults(self.folder)[1], 4)

    def test_broken(self):
        for html in ('<a href="c.html">c</a>', '<a href="docs/b.html#bottom">b</a>', '<a href="#y"></a>', '<img src="c.png">',
                     '<script src="https://example.org/x.js"></script>', '<link href="//example.org/x.css">'):
            self.assertEqual(len(self.found(html)), 1, html)

    def test_missing(self):
        self.write("a.html", "")
        self.assertEqual(check_site.missing(self.folder, ["a.md", "docs/b.rst"]), [])
        self.assertEqual(len(check_site.missing(self.folder, ["docs/c.md"])), 2)


if __name__ == "__main__":
    unittest.main()
