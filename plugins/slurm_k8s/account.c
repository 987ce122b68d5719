/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "account.h"

#include <stdarg.h>
#include <stdlib.h>

#include "advice.h"
#include "base/cleanup.h"
#include "base/str.h"

#define NAME_BYTES 128 /* of a fact's name, which may be Kubernetes' text */

/* On one line, without control characters; the caller frees; NULL: memory. */
__attribute__((format(printf, 1, 0))) static char *line(const char *fmt,
							va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		return NULL;
	str_sanitize(text);
	return text;
}

void account_of(struct account *a, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = line(fmt, ap);
	va_end(ap);
	fprintf(a->out, "%s\n", text ? text : "(out of memory)");
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
	if (!text || *text)
		fprintf(a->out, "  %-17s %s\n", safe,
			text ? text : "(out of memory)");
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

void account_end(struct account *a)
{
	if (!a->n_helps)
		return;
	fprintf(a->out, "\nWhat would help:\n");
	for (size_t i = 0; i < a->n_helps; i++)
		fprintf(a->out, "- %s\n", a->helps[i]);
}
