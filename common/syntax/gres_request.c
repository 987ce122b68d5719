/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "syntax/gres_request.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"

#define LIST_MAX 4096
#define COUNT_MAX INT32_MAX /* sums and products of counts fit in int64_t */

/* One item of a list; its texts are parts of the list's text. */
struct item {
	const char *kind, *type;
	int kind_len, type_len; /* type_len 0: any type */
	int64_t count;
};

struct list {
	struct item v[2 * GRESMAX_ITEMS_MAX];
	size_t n;
};

/*
 * Read a count, "2", or "4K" as Slurm takes it. False: it is no number, but a
 * type.
 */
static bool read_count(const char *text, size_t len, int64_t *out)
{
	static const char units[] = "kmgtp";
	const char *unit;
	size_t digits = strspn(text, "0123456789");
	int64_t n = 0;

	if (!digits || (digits < len && digits + 1 != len) || digits > len)
		return false;
	for (size_t i = 0; i < digits && n <= COUNT_MAX; i++)
		n = n * 10 + (text[i] - '0');
	if (digits < len) {
		unit = strchr(units, text[digits] | 0x20);
		if (!unit)
			return false;
		for (; unit >= units && n && n <= COUNT_MAX; unit--)
			n *= 1024;
	}
	*out = n;
	return true;
}

static void read_item(const char *text, size_t len, struct item *out)
{
	const char *colon, *end;

	if (len > 5 &&
	    (!strncmp(text, "gres/", 5) || !strncmp(text, "gres:", 5))) {
		text += 5;
		len -= 5;
	}
	end = text + len;
	colon = memchr(text, ':', len);
	*out = (struct item){.kind = text, .count = 1};
	out->kind_len = (int)((colon ? colon : end) - text);
	if (!colon)
		return;
	out->type = colon + 1;
	colon = memrchr(out->type, ':', (size_t)(end - out->type));
	text = colon ? colon + 1 : out->type;
	if (read_count(text, (size_t)(end - text), &out->count))
		out->type_len = colon ? (int)(colon - out->type) : 0;
	else
		out->type_len = (int)(end - out->type);
}

static int read_list(const char *text, struct list *out, struct err *err)
{
	size_t len;

	out->n = 0;
	while (text && (len = str_next_item(&text))) {
		struct item *x = &out->v[out->n];

		if (out->n == GRESMAX_ITEMS_MAX)
			return err_set(err, -E2BIG, "Gres: too many kinds");
		read_item(text, len, x);
		if (x->count > COUNT_MAX)
			return err_set(err, -ERANGE, "Gres: too many %.*s",
				       x->kind_len, x->kind);
		out->n += len != 4 || strncmp(text, "none", 4) != 0;
		text += len;
	}
	return 0;
}

static bool same_kind(const struct item *a, const struct item *b)
{
	return a->kind_len == b->kind_len &&
	       !strncmp(a->kind, b->kind, (size_t)a->kind_len);
}

static bool same_type(const struct item *a, const struct item *b)
{
	return a->type_len == b->type_len &&
	       !strncmp(a->type ? a->type : "", b->type ? b->type : "",
			(size_t)a->type_len);
}

static int64_t total(const struct list *l, const struct item *kind)
{
	int64_t sum = 0;

	for (size_t i = 0; i < l->n; i++)
		if (same_kind(&l->v[i], kind))
			sum += l->v[i].count;
	return sum;
}

/*
 * Raise each type of one kind in `to` to what `from` has of it, `times` as
 * much.
 */
static void raise_types(struct list *to, const struct list *from,
			const struct item *kind, int64_t times)
{
	for (size_t i = 0; i < from->n; i++) {
		struct item x = from->v[i];
		size_t j = 0;

		if (!same_kind(&x, kind))
			continue;
		x.count *= times;
		while (j < to->n &&
		       !(same_kind(&to->v[j], &x) && same_type(&to->v[j], &x)))
			j++;
		if (j == to->n)
			to->v[to->n++] = x;
		else if (to->v[j].count < x.count)
			to->v[j].count = x.count;
	}
}

/*
 * Settle the items of one kind: what is asked of any type is met by those of a
 * type, where there are some (Slurm does not take both), if together they are
 * enough.
 */
static void settle(struct list *l, int64_t least)
{
	struct item *typed = NULL;
	int64_t sum = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (!l->v[i].type_len)
			continue;
		typed = typed ? typed : &l->v[i];
		sum += l->v[i].count;
	}
	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].type_len)
			continue;
		l->v[i].count = typed ? 0 : least;
	}
	if (typed && sum < least)
		typed->count += least - sum;
}

static int add(struct buf *out, const struct list *l)
{
	int rc = 0;

	for (size_t i = 0; i < l->n && !rc; i++) {
		const struct item *x = &l->v[i];

		if (x->count)
			rc = buf_addf(out, "%sgres/%.*s%s%.*s:%lld",
				      out->len ? "," : "", x->kind_len, x->kind,
				      x->type_len ? ":" : "", x->type_len,
				      x->type ? x->type : "",
				      (long long)x->count);
	}
	return rc;
}

struct outcome {
	const struct list *asked, *need;
	uint32_t tasks;
	struct buf node, task;
};

static int add_kind(struct outcome *o, const struct item *kind)
{
	const int64_t asked = total(o->asked, kind);
	const int64_t need = total(o->need, kind);
	const bool by_node = !need || o->tasks == 1 || asked >= need * o->tasks;
	const int64_t times = by_node ? o->tasks : 1;
	struct list l = {.n = 0};

	raise_types(&l, o->asked, kind, 1);
	raise_types(&l, o->need, kind, times);
	settle(&l, asked > need * times ? asked : need * times);
	return add(by_node ? &o->node : &o->task, &l);
}

/* Add each kind of `l` that is not in `before`, at its first item. */
static int add_kinds(struct outcome *o, const struct list *l,
		     const struct list *before)
{
	int rc = 0;

	for (size_t i = 0; i < l->n && !rc; i++) {
		bool done = false;

		for (size_t j = 0; j < i && !done; j++)
			done = same_kind(&l->v[j], &l->v[i]);
		for (size_t j = 0; before && j < before->n && !done; j++)
			done = same_kind(&before->v[j], &l->v[i]);
		if (!done)
			rc = add_kind(o, &l->v[i]);
	}
	return rc;
}

static int copy(const struct buf *b, char **out, struct err *err)
{
	*out = b->len ? strdup(b->data) : NULL;
	return b->len && !*out ? err_oom(err) : 0;
}

int gresmax(const char *asked, const char *need, uint32_t tasks, char **node,
	    char **task, struct err *err)
{
	struct list a, n;
	struct outcome o = {.asked = &a,
			    .need = &n,
			    .tasks = tasks,
			    .node = BUF_INIT(LIST_MAX),
			    .task = BUF_INIT(LIST_MAX)};
	int rc;

	*node = *task = NULL;
	rc = read_list(asked, &a, err);
	if (!rc)
		rc = read_list(need, &n, err);
	if (rc)
		return rc;
	if (add_kinds(&o, &a, NULL) || add_kinds(&o, &n, &a))
		rc = err_set(err, -E2BIG, "Gres: too many kinds");
	if (!rc)
		rc = copy(&o.node, node, err);
	if (!rc)
		rc = copy(&o.task, task, err);
	buf_free(&o.node);
	buf_free(&o.task);
	return rc;
}

/* Copy "gpu:2(S:0,1)" without what is in parentheses. False: it is too long. */
static bool plain_of(const char *text, char out[LIST_MAX])
{
	size_t n = 0;
	int depth = 0;

	for (; *text && n < LIST_MAX - 1; text++) {
		depth += *text == '(';
		if (!depth)
			out[n++] = *text;
		depth -= *text == ')' && depth;
	}
	out[n] = '\0';
	return !*text;
}

/*
 * What the request names without a type may be of any type. "license/x" is no
 * gres, so that every node has it.
 */
static bool has_item(const struct list *node, const struct item *x)
{
	int64_t n = 0;

	if (memchr(x->kind, '/', (size_t)x->kind_len))
		return true;
	for (size_t i = 0; i < node->n; i++) {
		const struct item *y = &node->v[i];

		if (same_kind(x, y) &&
		    (!x->type_len || !y->type_len ||
		     (x->type_len == y->type_len &&
		      !strncasecmp(x->type, y->type, (size_t)x->type_len))))
			n += y->count;
	}
	return n >= x->count;
}

bool gres_covers(const char *node, const char *asked)
{
	struct list has, wants;
	char plain[LIST_MAX];

	node = node ? node : "";
	if (!asked || strchr(asked, '=') || strstr(node, "no_consume") ||
	    !plain_of(node, plain) || read_list(plain, &has, NULL) ||
	    read_list(asked, &wants, NULL))
		return true;
	for (size_t i = 0; i < wants.n; i++)
		if (!has_item(&has, &wants.v[i]))
			return false;
	return true;
}
