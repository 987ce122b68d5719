/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/features/constraint.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "syntax/hostlist.h"

#define ENDLESS 16384 /* bytes; a longer request is not read */

#define OPERATORS "&,|()[]*"
#define DEPTH_MAX 4 /* nested parentheses, at most; Slurm knows one level */

/* Alternatives while they are read. */
struct sets {
	struct alternative v[CONSTRAINT_MAX];
	size_t n;
};

struct parser {
	const struct features *all;
	struct constraint *r;
	char *at;
	char next; /* the operator at `at`: names end with NUL in its place */
	struct err *err;
};

static int too_long(struct parser *p)
{
	return err_set(p->err, -E2BIG,
		       "a constraint with changeable features may have at most "
		       "%d alternatives, %d names and %d letters",
		       CONSTRAINT_MAX, CONSTRAINT_MAX, CONSTRAINT_TEXT_MAX - 1);
}

static void skip(struct parser *p)
{
	p->at++;
	p->next = *p->at;
}

/* "[", "]" and "*N" are remembered, and then skipped. */
static void skip_counts(struct parser *p)
{
	while (p->next && strchr("[]*", p->next)) {
		bool star = p->next == '*';

		p->r->has_count = true;
		skip(p);
		while (star && p->next >= '0' && p->next <= '9')
			skip(p);
	}
}

static int other_named(struct parser *p, const char *name, uint64_t *out)
{
	struct constraint *r = p->r;
	size_t i;

	for (i = 0; i < r->n_others; i++)
		if (!strcmp(r->other[i], name))
			break;
	if (i == CONSTRAINT_MAX)
		return too_long(p);
	if (i == r->n_others)
		r->other[r->n_others++] = name;
	*out = (uint64_t)1 << i;
	return 0;
}

static int read_name(struct parser *p, struct sets *out)
{
	size_t len = strcspn(p->at, OPERATORS);
	const char *name = p->at;
	struct alternative *a = &out->v[0];
	int at;

	*a = (struct alternative){0};
	out->n = 1;
	if (!len)
		return -EINVAL;
	at = features_find(p->all, name, len);
	p->at += len;
	p->next = *p->at;
	*p->at = '\0';
	if (at >= 0)
		a->set = (feature_set)1 << at;
	return at >= 0 ? 0 : other_named(p, name, &a->others);
}

/* Add an alternative, unless it is there: a search for nodes tries each one. */
static int add_one(struct parser *p, struct sets *to, struct alternative a)
{
	for (size_t i = 0; i < to->n; i++)
		if (to->v[i].set == a.set && to->v[i].others == a.others)
			return 0;
	if (to->n == CONSTRAINT_MAX)
		return too_long(p);
	to->v[to->n++] = a;
	return 0;
}

static int multiply(struct parser *p, struct sets *a, const struct sets *b)
{
	struct sets made = {.n = 0};
	int rc = 0;

	for (size_t i = 0; !rc && i < a->n; i++)
		for (size_t j = 0; !rc && j < b->n; j++)
			rc = add_one(p, &made,
				     (struct alternative){
					     a->v[i].set | b->v[j].set,
					     a->v[i].others | b->v[j].others});
	*a = made;
	return rc;
}

static int add(struct parser *p, struct sets *a, const struct sets *b)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < b->n; i++)
		rc = add_one(p, a, b->v[i]);
	return rc;
}

static int read_expression(struct parser *p, int depth, struct sets *out);

static int read_term(struct parser *p, int depth, struct sets *out)
{
	int rc;

	skip_counts(p);
	if (p->next != '(') {
		rc = read_name(p, out);
	} else if (depth == DEPTH_MAX) {
		return -EINVAL;
	} else {
		skip(p);
		rc = read_expression(p, depth + 1, out);
		if (!rc && p->next != ')')
			return -EINVAL;
		if (!rc)
			skip(p);
	}
	skip_counts(p);
	return rc;
}

/* "&" and "," bind closer than "|". Ends at ")" or at the end. */
static int read_expression(struct parser *p, int depth, struct sets *out)
{
	struct sets product = {.v = {{0}}, .n = 1}, term;
	int rc;

	out->n = 0;
	for (;;) {
		rc = read_term(p, depth, &term);
		if (!rc)
			rc = multiply(p, &product, &term);
		if (rc)
			return rc;
		if (p->next == '&' || p->next == ',') {
			skip(p);
			continue;
		}
		rc = add(p, out, &product);
		product = (struct sets){.v = {{0}}, .n = 1};
		if (rc || p->next != '|')
			return rc;
		skip(p);
	}
}

/*
 * Slurm takes one operator at the end as if it were not there, in all releases
 * (slurmctld/job_scheduler.c, build_feature_list, _feature_string2list).
 */
static void drop_last_operator(char *text)
{
	const size_t len = strlen(text);

	if (len > 1 && strchr("&,|", text[len - 1]))
		text[len - 1] = '\0';
}

int constraint_parse(const struct features *all, const char *text,
		     struct constraint *out, struct err *err)
{
	struct parser p = {.all = all, .r = out, .err = err};
	struct sets sets;
	int rc;

	*out = (struct constraint){0};
	if (strlen(text) >= sizeof(out->text))
		return too_long(&p);
	str_copy(out->text, text, sizeof(out->text));
	drop_last_operator(out->text);
	p.at = out->text;
	p.next = *p.at;
	rc = read_expression(&p, 0, &sets);
	if (rc)
		return rc;
	if (p.next)
		return -EINVAL;
	memcpy(out->v, sets.v, sets.n * sizeof(*sets.v));
	out->n = sets.n;
	return 0;
}

bool constraint_is_ours(const struct constraint *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].set)
			return true;
	return false;
}

/*
 * Slurm refuses more than 1024 letters (its job_mgr.c), but only after its
 * plugins have been called, with locks that all wait for.
 */
static bool is_endless(const char *text)
{
	return strnlen(text, ENDLESS) == ENDLESS;
}

/* True if the text names a changeable feature, well-formed or not. */
static bool names_ours(const struct features *all, const char *text)
{
	for (size_t len; *text; text += len + (text[len] != '\0')) {
		len = strcspn(text, OPERATORS);
		if (features_find(all, text, len) >= 0)
			return true;
	}
	return false;
}

static bool is_offered(const struct config *c, feature_set set)
{
	for (size_t i = 0; i < c->n_nodesets; i++)
		if (!(set & ~c->nodesets[i].features))
			return true;
	return false;
}

static int check_form(const struct constraint *r, bool no_choice,
		      struct err *err)
{
	if (r->has_count)
		return err_set(err, -EINVAL,
			       "'[', ']' and '*' do not go with changeable "
			       "features");
	if (no_choice)
		return err_set(err, -EINVAL,
			       "'|' does not go with changeable features in "
			       "this version of Slurm");
	for (size_t i = 1; i < r->n; i++)
		if (r->v[i].others != r->v[0].others)
			return err_set(err, -EINVAL,
				       "alternatives ('|') may differ in "
				       "changeable features only");
	return 0;
}

static int check(const struct config *c, const char *text, bool one_only,
		 struct err *err)
{
	char list[FEATURES_TEXT_MAX];
	struct constraint r;
	bool offered = false;
	int rc;

	if (is_endless(text) || !names_ours(&c->features, text))
		return 0;
	rc = constraint_parse(&c->features, text, &r, err);
	if (rc == -EINVAL)
		return err_set(err, rc,
			       "with changeable features it is of names, one "
			       "'&', ',' or '|' between each two, and pairs of "
			       "parentheses");
	if (rc)
		return rc;
	rc = check_form(&r, one_only && strchr(text, '|'), err);
	for (size_t i = 0; !rc && i < r.n; i++) {
		rc = features_check(&c->features, r.v[i].set, err);
		offered = offered || is_offered(c, r.v[i].set);
	}
	if (rc || offered)
		return rc;
	features_to_list(&c->features, r.v[0].set, list);
	return err_set(err, -EINVAL, "no nodes offer %s%s%s",
		       strchr(list, ',') ? "these together: " : "", list,
		       r.n > 1 ? ", or another alternative" : "");
}

int constraint_check(const struct config *c, const char *text, bool one_only,
		     struct err *err)
{
	struct err why = {0};
	int rc = check(c, text, one_only, &why);

	/* err_set() replaces what would forge a log line. */
	return rc ? err_set(err, rc, "%s (--constraint=%.200s)", why.msg, text)
		  : 0;
}

static bool all_offer(const struct config *c, const struct hostlist *nodes,
		      feature_set set)
{
	for (size_t i = 0; i < nodes->n; i++) {
		const struct nodeset *s = config_nodeset_of(c, nodes->names[i]);

		if (set & ~(s ? s->features : 0))
			return false;
	}
	return true;
}

bool constraint_choose(const struct config *c, const char *text,
		       const char *nodes, char out[FEATURES_TEXT_MAX])
{
	_cleanup_hostlist_ struct hostlist list = {0};
	struct constraint r;

	*out = '\0';
	if (is_endless(text) ||
	    constraint_parse(&c->features, text, &r, NULL) ||
	    !constraint_is_ours(&r) ||
	    (nodes && hostlist_expand(nodes, &list, NULL)))
		return false;
	for (size_t i = 0; i < r.n; i++) {
		feature_set set = r.v[i].set;

		if (features_check(&c->features, set, NULL) ||
		    !(nodes ? all_offer(c, &list, set) : is_offered(c, set)))
			continue;
		features_to_list(&c->features, set, out);
		return *out;
	}
	return false;
}
