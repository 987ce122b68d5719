/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "account.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "advice.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "clean.h"
#include "progress.h"

#define NAME_BYTES 128 /* bytes of a fact's name, which may be foreign */

/*
 * The text on one line, without control characters; the caller frees. NULL: out
 * of memory.
 */
__attribute__((format(printf, 1, 0))) static char *line(const char *fmt,
							va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		return NULL;
	str_sanitize(text);
	return text;
}

static void keep(struct account *a, const char *kind, const char *name,
		 const char *text)
{
	json_object *o = json_object_new_object();
	int bad;

	a->facts = NULL;
	if (!a->list)
		a->list = json_object_new_array();
	if (!a->list || jx_append(a->list, o)) {
		a->incomplete = true;
		return;
	}
	bad = jx_set_str(o, "kind", kind) |
	      (name ? jx_set_str(o, "name", name) : 0) |
	      jx_set_str(o, "text", text);
	a->facts = jx_need(o, "facts", json_type_array);
	a->incomplete |= bad || !a->facts;
}

/*
 * The file for the next line. It may be the terminal that has a line of
 * progress, which is erased first.
 */
static FILE *out(const struct account *a)
{
	progress_end();
	return a->out;
}

void account_of(struct account *a, const char *kind, const char *name,
		const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ char *safe = name ? clean_copy(name) : NULL;
	va_list ap;

	va_start(ap, fmt);
	text = line(fmt, ap);
	va_end(ap);
	if (!text)
		a->incomplete = true;
	else if (a->json)
		keep(a, kind, safe, text);
	else
		fprintf(out(a), "%s\n", text);
}

static void keep_fact(struct account *a, const char *name, const char *text)
{
	json_object *o = json_object_new_object();

	if (!a->facts) {
		json_object_put(o);
		a->incomplete = true;
	} else if (jx_append(a->facts, o) || jx_set_str(o, "name", name) ||
		   jx_set_str(o, "text", text)) {
		a->incomplete = true;
	}
}

void account_fact(struct account *a, const char *name, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	char safe[NAME_BYTES];
	va_list ap;

	va_start(ap, fmt);
	text = line(fmt, ap);
	va_end(ap);
	str_copy(safe, name, sizeof(safe));
	str_sanitize(safe);
	if (!text)
		a->incomplete = true;
	else if (*text && a->json)
		keep_fact(a, safe, text);
	else if (*text)
		fprintf(out(a), "  %-17s %s\n", safe, text);
}

static void add_help(struct account *a, const char *help)
{
	for (size_t i = 0; i < a->n_helps; i++)
		if (a->helps[i] == help)
			return;
	if (a->n_helps < ACCOUNT_HELPS_MAX)
		a->helps[a->n_helps++] = help;
}

void account_why(struct account *a, const char *name, const char *text)
{
	const char *help;

	account_fact(a, name, "%s", text ? text : "");
	for (size_t i = 0; (help = advice_for(text, i)); i++)
		add_help(a, help);
}

static int print_json(struct account *a, bool found, int exit_code)
{
	_cleanup_json_ json_object *all = json_object_new_object();
	json_object *helps = all ? jx_need(all, "help", json_type_array) : NULL;
	int bad = 0;

	if (!helps || !jx_need(all, "things", json_type_array))
		return -ENOMEM;
	if (a->list)
		bad |= jx_set(all, "things", steal_ptr(a->list));
	for (size_t i = 0; i < a->n_helps; i++)
		bad |= jx_append(helps, json_object_new_string(a->helps[i]));
	bad |= jx_set(all, "found", json_object_new_boolean(found));
	bad |= jx_set(all, "exit", json_object_new_int(exit_code));
	return bad ? -ENOMEM : clean_print_json(all, CLEAN_LINE, a->out);
}

static void print_helps(const struct account *a)
{
	if (!a->n_helps)
		return;
	fprintf(a->out, "\nWhat would help:\n");
	for (size_t i = 0; i < a->n_helps; i++)
		fprintf(a->out, "- %s\n", a->helps[i]);
}

int account_end(struct account *a, bool found, int exit_code)
{
	int rc = 0;

	if (a->json)
		rc = print_json(a, found, exit_code);
	else
		print_helps(a);
	json_object_put(a->list);
	a->list = NULL;
	a->facts = NULL;
	return rc;
}
