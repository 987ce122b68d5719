/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "findings.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "json/json.h"

static const struct {
	const char *name, *word, *colour;
} states[] = {
	[FINDING_OK] = {"ok", "ok", "\033[32m"},
	[FINDING_WARN] = {"warning", "warning", "\033[33m"},
	[FINDING_WRONG] = {"wrong", "WRONG", "\033[31m"},
	[FINDING_UNKNOWN] = {"unknown", "UNKNOWN", "\033[35m"},
	[FINDING_SKIPPED] = {"skipped", "skipped", "\033[2m"},
};

void findings_add(struct findings *f, enum finding_state state,
		  const char *check, const char *fix, const char *fmt, ...)
{
	struct finding *v = reallocarray(f->v, f->n + 1, sizeof(*v));
	char *text = NULL, *copy = NULL;
	va_list ap;

	if (v)
		f->v = v;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (fix)
		copy = strdup(fix);
	if (!v || !text || (fix && !copy)) {
		f->incomplete = true;
		free(text);
		free(copy);
		return;
	}
	str_sanitize(text);
	if (copy)
		str_sanitize(copy);
	f->v[f->n++] = (struct finding){
		.state = state, .check = check, .text = text, .fix = copy};
}

static size_t count(const struct findings *f, enum finding_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += f->v[i].state == state;
	return n;
}

int findings_exit_code(const struct findings *f)
{
	if (count(f, FINDING_WRONG))
		return 1;
	return count(f, FINDING_UNKNOWN) || f->incomplete ? 2 : 0;
}

void findings_print(const struct findings *f, FILE *out, bool colour, bool all)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct finding *v = &f->v[i];

		if (!all && (v->state == FINDING_OK))
			continue;
		fprintf(out, "%s%-8s%s %-22s %s\n",
			colour ? states[v->state].colour : "",
			states[v->state].word, colour ? "\033[0m" : "",
			v->check, v->text);
		if (v->fix)
			fprintf(out, "%-8s %-22s do: %s\n", "", "", v->fix);
	}
	fprintf(out,
		"%zu in order, %zu warnings, %zu wrong, %zu unknown, %zu "
		"skipped\n",
		count(f, FINDING_OK), count(f, FINDING_WARN),
		count(f, FINDING_WRONG), count(f, FINDING_UNKNOWN),
		count(f, FINDING_SKIPPED));
	if (f->incomplete)
		fprintf(out, "out of memory: this is not all\n");
}

static json_object *finding_json(const struct finding *v)
{
	json_object *o = json_object_new_object();

	if (!o || jx_set_str(o, "check", v->check) ||
	    jx_set_str(o, "state", states[v->state].name) ||
	    jx_set_str(o, "text", v->text) ||
	    (v->fix && jx_set_str(o, "fix", v->fix))) {
		json_object_put(o);
		return NULL;
	}
	return o;
}

int findings_print_json(const struct findings *f, FILE *out)
{
	_cleanup_json_ json_object *all = json_object_new_object();
	json_object *list =
		all ? jx_need(all, "checks", json_type_array) : NULL;
	const char *text;

	for (size_t i = 0; list && i < f->n; i++)
		if (jx_append(list, finding_json(&f->v[i])))
			return -ENOMEM;
	if (!list ||
	    jx_set(all, "exit", json_object_new_int(findings_exit_code(f))))
		return -ENOMEM;
	text = json_object_to_json_string_ext(all, JSON_C_TO_STRING_PLAIN);
	if (!text)
		return -ENOMEM;
	fprintf(out, "%s\n", text);
	return 0;
}

void findings_clear(struct findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].text);
		free(f->v[i].fix);
	}
	free(f->v);
	*f = (struct findings){0};
}
