/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of probe.sh, of which meson makes a C file. A constant, for any
 * thread.
 */
#ifndef SLURMK8S_TOOL_PROBE_SCRIPT_H
#define SLURMK8S_TOOL_PROBE_SCRIPT_H

extern const char probe_script[];

#endif
