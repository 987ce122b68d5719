#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does check_layers.py see what a room or a plugin may not include?"""
import os
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_layers  # noqa: E402
from checking import write  # noqa: E402

HEADERS = ["base/err.h", "syntax/names.h", "syntax/wellknown.h", "config/config.h", "kube/client.h", "engine/slurmk8s.h", "engine/site.h",
           "nodes/pod/pod_op.h", "nodes/reconcile/node_decide.h", "bridge/jobspec/job_identity.h", "bridge/jobspec/job_spec.h"]


class CheckLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        top = mock.patch.object(check_layers, "TOP", folder.name)
        top.start()
        self.addCleanup(top.stop)
        for header in HEADERS:
            self.write("common/" + header, "")
        self.write("plugins/lib/library.h", "")
        self.write("plugins/power_k8s/power.h", "")

    @staticmethod
    def write(path, text):
        write(check_layers.TOP, path, text)

    def wrong(self, path, *includes):
        """The words for a file that includes these"""
        self.write(path, "".join("#include %s\n" % name for name in includes))
        return [words for _, words in check_layers.check(path)]

    def test_a_room_uses_what_its_line_names_and_what_these_may(self):
        self.assertEqual(self.wrong("common/config/x.c", '"config/config.h"', '"syntax/names.h"', '"base/err.h"', "<string.h>"), [])
        self.assertEqual(self.wrong("common/config/x.c", '"kube/client.h"'), ['common/config may not use "kube/client.h"'])
        self.assertEqual(self.wrong("common/base/x.c", '"engine/site.h"'), ['common/base may not use "engine/site.h"'])

    def test_libraries_have_their_rooms(self):
        self.assertEqual(self.wrong("common/kube/x.c", "<curl/curl.h>"), [])
        self.assertEqual(self.wrong("common/config/x.c", "<curl/curl.h>"), ["only common/kube may include <curl/curl.h>"])
        self.assertEqual(self.wrong("common/kube/x.c", "<slurm/slurm.h>"), ["only common/slurm may include <slurm/slurm.h>"])
        self.assertEqual(self.wrong("tests/unit/x.c", "<slurm/slurm.h>"), ["only common/slurm may include <slurm/slurm.h>"])
        self.assertEqual(self.wrong("tests/unit/x.c", "<curl/curl.h>"), [])
        self.assertEqual(self.wrong("plugins/sched_bridge/plugin.c", "<slurm/slurm.h>"), [])
        self.assertEqual(self.wrong("plugins/sched_bridge/delegate.c", "<slurm/slurm.h>"), ["only common/slurm may include <slurm/slurm.h>"])

    def test_programs_use_the_rooms_of_their_line(self):
        self.assertEqual(self.wrong("plugins/power_k8s/x.c", '"power.h"', '"nodes/pod/pod_op.h"', '"kube/client.h"'), [])
        self.assertEqual(self.wrong("plugins/power_k8s/x.c", '"nodes/reconcile/node_decide.h"'),
                         ['plugins/power_k8s may not use "nodes/reconcile/node_decide.h"'])
        self.assertEqual(self.wrong("plugins/slurm_k8s/x.c", '"bridge/jobspec/job_identity.h"'), [])
        self.assertEqual(self.wrong("plugins/slurm_k8s/x.c", '"bridge/jobspec/job_spec.h"'),
                         ['plugins/slurm_k8s may not use "bridge/jobspec/job_spec.h"'])

    def test_plugins_use_single_headers(self):
        self.assertEqual(self.wrong("plugins/sched_bridge/x.c", '"library.h"', '"engine/slurmk8s.h"'), [])
        self.assertEqual(self.wrong("plugins/sched_bridge/x.c", '"engine/site.h"'), ['plugins/sched_bridge may not use "engine/site.h"'])
        self.assertEqual(self.wrong("plugins/spank_k8s/x.c", '"base/err.h"'), ['plugins/spank_k8s may not use "base/err.h"'])
        self.assertEqual(self.wrong("plugins/new/x.c", '"base/err.h"'), ["plugins/new is not in the table of check_layers.py"])

    def test_what_is_nowhere_is_wrong(self):
        self.assertEqual(self.wrong("common/base/x.c", '"base/none.h"'), ['no such file below common/: "base/none.h"'])
        self.assertEqual(self.wrong("common/base/x.c", '"../base/err.h"'), ['a path with "..": "../base/err.h"'])
        self.assertEqual(self.wrong("common/other/x.c"), ["common/other is no room of common/meson.build"])


if __name__ == "__main__":
    unittest.main()
