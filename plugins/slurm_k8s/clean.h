/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Foreign texts on their way to a terminal: whatever Kubernetes, Slurm or a log
 * says is printed through one of these, or in a sheet or an account, which call
 * them. Any thread.
 */
#ifndef SLURMK8S_TOOL_CLEAN_H
#define SLURMK8S_TOOL_CLEAN_H

#include <stdio.h>

#include "json/json.h"

/*
 * A copy as of str_sanitize(): control characters are spaces. NULL is "". The
 * caller frees. NULL: out of memory.
 */
char *clean_copy(const char *text);

/*
 * Print JSON in one line, or indented, with a line's end. Control characters
 * are escaped in it, so that a program reads the same text; bytes that are not
 * UTF-8 are '?'. 0; -ENOMEM, and nothing was printed.
 */
enum clean_form { CLEAN_LINE, CLEAN_INDENTED };
int clean_print_json(const json_object *o, enum clean_form form, FILE *out);

/* Print text that is JSON already, as clean_print_json() does. */
void clean_print_json_text(const char *text, FILE *out);

#endif
