/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/jobspec/job_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/digest.h"
#include "base/str.h"
#include "bridge/jobspec/job_option_value.h"
#include "syntax/sbatch_text.h"
#include "syntax/wellknown.h"

#define WHERE_MAX 160
#define TEXT_TOTAL_MAX 65536 /* bytes of all values, for the digest */

/* What one reading of a pod's options needs. */
struct asker {
	const struct job_options_ask *ask;
	struct job_options *w;
	struct err *err;
	bool by_option;
	/* The last value of each text among the options of one object. */
	struct given_text {
		const struct job_option_option *option; /* NULL: none */
		const char *text; /* borrowed while the options are read */
	} last[JOB_OPTION_N];
	char where[WHERE_MAX]; /* "annotation job.slurm-k8s.io/qos" */
};

static void put_text(struct job_options *w, enum job_option_key key, char *text)
{
	free(w->v[key].text);
	w->v[key].text = text;
	w->given |= JOB_OPTION_BIT(key);
}

static void put_num(struct job_options *w, enum job_option_key key, int64_t num)
{
	w->v[key].num = num;
	w->given |= JOB_OPTION_BIT(key);
}

/* What the site has set itself; NULL: nothing. */
static const char *site_text(const struct job_options_ask *ask,
			     enum job_option_key key)
{
	const struct namespace_config *ns = ask->ns;

	if (key == JOB_OPTION_USER)
		return ns->user;
	if (key == JOB_OPTION_ACCOUNT)
		return ns->account;
	if (key == JOB_OPTION_QOS)
		return ns->qos;
	if (key == JOB_OPTION_RESERVATION)
		return ns->reservation;
	if (key == JOB_OPTION_MCS_LABEL)
		return ns->mcs_label;
	if (key == JOB_OPTION_PARTITION)
		return ns->partition ? ns->partition : ask->bridge->partition;
	return NULL;
}

static int forbidden(struct asker *a, enum job_option_key key)
{
	const char *list = job_option_spec(key)->note ? "allow" : "options";

	if (a->ask->ns->deny & JOB_OPTION_BIT(key))
		return err_set(a->err, -EPERM,
			       "%s: pods of this namespace may not choose it; "
			       "its 'deny' in k8s.yaml, section bridge, has %s",
			       a->where, job_option_name(key));
	return err_set(a->err, -EPERM,
		       "%s: pods of this namespace may not choose it; an "
		       "administrator can add %s to its '%s' in k8s.yaml, "
		       "section bridge",
		       a->where, job_option_name(key), list);
}

/* Check that pods of this namespace may say so. 0, or -EPERM with words. */
static int permit(struct asker *a, enum job_option_key key, const char *text)
{
	const struct namespace_config *ns = a->ask->ns;
	job_option_set may = ns->allow | (a->by_option ? ns->options : 0);
	const struct config_names *names =
		key == JOB_OPTION_USER ? &ns->users : &ns->groups;
	const char *site = site_text(a->ask, key);

	if (site && !strcmp(site, text))
		return 0; /* what it gets anyhow */
	if (!(may & JOB_OPTION_BIT(key)))
		return forbidden(a, key);
	if ((key == JOB_OPTION_USER || key == JOB_OPTION_GROUP) &&
	    !config_names_has(names, text))
		return err_set(a->err, -EPERM,
			       "%s: '%.100s' is not among the '%s' of this "
			       "namespace in k8s.yaml, section bridge",
			       a->where, text,
			       key == JOB_OPTION_USER ? "users" : "groups");
	return 0;
}

static int take(struct asker *a, enum job_option_key key, const char *text)
{
	char *copy = NULL;
	int64_t num = 0;
	int rc = permit(a, key, text);

	if (rc)
		return rc;
	if (job_option_is_text(key)) {
		rc = job_options_read_text(key, a->where, text, &copy, a->err);
		if (!rc)
			put_text(a->w, key, copy);
		return rc;
	}
	rc = job_options_read_num(key, a->where, text, a->by_option, &num,
				  a->err);
	if (rc)
		return rc;
	/*
	 * A negative nice is a rank: we submit as SlurmUser, from whom Slurm
	 * takes any.
	 */
	if (key == JOB_OPTION_NICE && num < 0 &&
	    !(a->ask->ns->allow & JOB_OPTION_BIT(JOB_OPTION_PRIORITY)))
		return forbidden(a, JOB_OPTION_PRIORITY);
	put_num(a->w, key, num);
	return 0;
}

/* "2" or "2-4", behind --nodes: both ends */
static int take_nodes(struct asker *a, char *text)
{
	char *dash = strchr(text, '-');
	int rc;

	if (dash)
		*dash = '\0';
	rc = take(a, JOB_OPTION_MIN_NODES, text);
	return rc ? rc : take(a, JOB_OPTION_MAX_NODES, dash ? dash + 1 : text);
}

/* "2" or "2@1:00:00", behind --switches */
static int take_switches(struct asker *a, char *text)
{
	char *at = strchr(text, '@');
	int64_t wait;
	int rc;

	if (at)
		*at = '\0';
	a->w->v[JOB_OPTION_SWITCHES_WAIT].num = 0;
	a->w->given &= ~JOB_OPTION_BIT(JOB_OPTION_SWITCHES_WAIT);
	rc = take(a, JOB_OPTION_SWITCHES, text);
	if (rc || !at)
		return rc;
	rc = job_options_read_num(JOB_OPTION_SWITCHES_WAIT, a->where, at + 1,
				  true, &wait, a->err);
	if (!rc)
		put_num(a->w, JOB_OPTION_SWITCHES_WAIT, wait);
	return rc;
}

/* "2" or "a100:2", behind --gpus-per-node; it counts as --gres */
static int take_gpus(struct asker *a, const char *text)
{
	_cleanup_free_ char *gres = str_printf("gpu:%s", text);

	if (strchr(text, ','))
		return err_set(a->err, -EINVAL,
			       "%s: use --gres for several kinds", a->where);
	return gres ? take(a, JOB_OPTION_GRES, gres) : err_oom(a->err);
}

static void name_option(struct asker *a, const struct job_option_option *o)
{
	snprintf(a->where, sizeof(a->where),
		 "annotation " WK_ASK WK_ASK_OPTIONS ": --%s", o->name);
}

/* A text waits for the other options: a later one may take its place. */
static int take_option(struct asker *a, const struct job_option_option *o,
		       char *text)
{
	name_option(a, o);
	if (!text)
		return take(a, o->key, o->implied);
	if (job_option_is_text(o->key)) {
		a->last[o->key] = (struct given_text){o, text};
		return 0;
	}
	if (!strcmp(o->name, "nodes"))
		return take_nodes(a, text);
	if (!strcmp(o->name, "switches"))
		return take_switches(a, text);
	return take(a, o->key, text);
}

/* Take the last value of each text, as sbatch does. */
static int take_last_texts(struct asker *a)
{
	int rc = 0;

	for (int k = 0; !rc && k < JOB_OPTION_N; k++) {
		const struct job_option_option *o = a->last[k].option;

		if (!o)
			continue;
		name_option(a, o);
		rc = !strcmp(o->name, "gpus-per-node")
			     ? take_gpus(a, a->last[k].text)
			     : take(a, o->key, a->last[k].text);
	}
	return rc;
}

static int unknown_option(struct asker *a, const char *word, size_t len)
{
	return err_set(a->err, -EINVAL,
		       "annotation " WK_ASK WK_ASK_OPTIONS ": %.*s is no "
		       "option that the bridge knows",
		       (int)(len < 64 ? len : 64), word);
}

/*
 * The option at word *i, whose value may be the next word; *i is moved to the
 * last one that was used.
 */
static int next_value(struct asker *a, const struct job_option_option *o,
		      struct sbatch_words *words, size_t *i, char **value)
{
	if (*i + 1 >= words->n)
		return err_set(a->err, -EINVAL,
			       "annotation " WK_ASK WK_ASK_OPTIONS
			       ": --%s needs a value",
			       o->name);
	*value = words->v[++*i];
	return 0;
}

static int take_long(struct asker *a, struct sbatch_words *words, size_t *i)
{
	char *word = words->v[*i], *value = strchr(word, '=');
	size_t len = value ? (size_t)(value - word) : strlen(word);
	const struct job_option_option *o =
		job_option_option(word + 2, len - 2);
	int rc = 0;

	if (!o)
		return unknown_option(a, word, len);
	if (value)
		value++;
	if (value && o->value == OPTION_HAS_NONE)
		return err_set(a->err, -EINVAL,
			       "annotation " WK_ASK WK_ASK_OPTIONS
			       ": --%s takes no value",
			       o->name);
	if (!value && o->value == OPTION_NEEDS)
		rc = next_value(a, o, words, i, &value);
	return rc ? rc : take_option(a, o, value);
}

/* "-H", "-N2", "-N 2", and "-HN2" */
static int take_short(struct asker *a, struct sbatch_words *words, size_t *i)
{
	char *s = words->v[*i] + 1;
	int rc = 0;

	while (*s && !rc) {
		const struct job_option_option *o =
			job_option_option_letter(*s);
		char *value = s[1] ? s + 1 : NULL;

		if (!o)
			return unknown_option(a, words->v[*i],
					      strlen(words->v[*i]));
		if (o->value == OPTION_HAS_NONE) {
			rc = take_option(a, o, NULL);
			s++;
			continue;
		}
		if (!value)
			rc = next_value(a, o, words, i, &value);
		return rc ? rc : take_option(a, o, value);
	}
	return rc;
}

static int take_options(struct asker *a, const char *text)
{
	struct sbatch_words words = {.n = 0};
	int rc = sbatch_split(text, &words, a->err);

	if (rc)
		return err_wrap(a->err, rc,
				"annotation " WK_ASK WK_ASK_OPTIONS);
	a->by_option = true;
	memset(a->last, 0, sizeof(a->last));
	for (size_t i = 0; !rc && i < words.n; i++) {
		const char *word = words.v[i];

		if (word[0] == '-' && word[1] == '-' && word[2])
			rc = take_long(a, &words, &i);
		else if (word[0] == '-' && word[1] && word[1] != '-')
			rc = take_short(a, &words, &i);
		else
			rc = err_set(a->err, -EINVAL,
				     "annotation " WK_ASK WK_ASK_OPTIONS
				     ": '%.64s' is no option; pods have no "
				     "script",
				     word);
	}
	if (!rc)
		rc = take_last_texts(a);
	a->by_option = false;
	return rc;
}

/* True for an annotation of ours that another file reads. */
static bool is_other(const char *prefix, const char *name)
{
	return !strcmp(prefix, WK_ASK) &&
	       (!strcmp(name, WK_ASK_OPTIONS) || !strcmp(name, WK_ASK_GANG) ||
		!strcmp(name, WK_ASK_GANG_SIZE));
}

/* Take the annotations with this prefix. */
static int take_notes(struct asker *a, const json_object *notes,
		      const char *prefix)
{
	size_t n = strlen(prefix);
	int rc = 0;

	json_object_object_foreach((json_object *)notes, name, value)
	{
		int key;

		if (!str_starts(name, prefix) || is_other(prefix, name + n))
			continue;
		snprintf(a->where, sizeof(a->where), "annotation %s", name);
		key = job_option_of_note(name + n);
		if (key < 0 || !jx_is(value, json_type_string))
			return err_set(a->err, -EINVAL,
				       "%s: the bridge does not know it",
				       a->where);
		rc = take(a, (enum job_option_key)key,
			  json_object_get_string(value));
		if (rc)
			return rc;
	}
	return 0;
}

static int take_object(struct asker *a, const json_object *notes)
{
	const char *options = jx_str(notes, WK_ASK WK_ASK_OPTIONS);
	int rc;

	if (!jx_is(notes, json_type_object))
		return 0;
	rc = take_notes(a, notes, WK_ASK_SLINKY);
	if (!rc)
		rc = take_notes(a, notes, WK_ASK);
	return rc || !options ? rc : take_options(a, options);
}

static int take_site(struct asker *a)
{
	static const enum job_option_key keys[] = {
		JOB_OPTION_USER, JOB_OPTION_ACCOUNT,	 JOB_OPTION_PARTITION,
		JOB_OPTION_QOS,	 JOB_OPTION_RESERVATION, JOB_OPTION_MCS_LABEL};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *text = site_text(a->ask, keys[i]);
		char *copy = text ? strdup(text) : NULL;

		if (text && !copy)
			return err_oom(a->err);
		if (copy)
			put_text(a->w, keys[i], copy);
	}
	put_num(a->w, JOB_OPTION_EXCLUSIVE,
		a->ask->bridge->exclusive ? JOB_OPTION_SHARE_NONE
					  : JOB_OPTION_SHARE_ALL);
	return 0;
}

static int take_deadline(struct asker *a)
{
	int64_t s = a->ask->deadline_s;
	const struct job_option_spec *spec =
		job_option_spec(JOB_OPTION_TIMELIMIT);

	if (s <= 0)
		return 0;
	s = s / 60 + (s % 60 != 0);
	if (s > spec->max)
		s = spec->max;
	/*
	 * A user who may not ask for more time does not get it by a deadline.
	 */
	if ((a->ask->ns->allow | a->ask->ns->options) &
	    JOB_OPTION_BIT(JOB_OPTION_TIMELIMIT))
		put_num(a->w, JOB_OPTION_TIMELIMIT, s);
	else
		a->w->most_minutes = s;
	return 0;
}

/*
 * Ask for no more time than the pods can have. It is no request: what is more
 * than the partition allows is not refused for it, as a pod's deadline may be a
 * mere precaution.
 */
static void keep_within(struct asker *a)
{
	const int64_t s = a->ask->within_s, minutes = s / 60 + (s % 60 != 0);
	struct job_options *w = a->w;

	if (s <= 0 || (w->given & JOB_OPTION_BIT(JOB_OPTION_TIME_MIN)))
		return;
	if (w->given & JOB_OPTION_BIT(JOB_OPTION_TIMELIMIT)) {
		if (job_options_num(w, JOB_OPTION_TIMELIMIT, 0) > minutes)
			put_num(w, JOB_OPTION_TIMELIMIT, minutes);
	} else if (!w->most_minutes || w->most_minutes > minutes) {
		w->most_minutes = minutes;
	}
}

/* Refuse values of which each alone is well, but not together. */
static int check_whole(const struct job_options *w, struct err *err)
{
	int64_t limit =
		job_options_num(w, JOB_OPTION_TIMELIMIT, JOB_OPTION_UNLIMITED);
	int64_t least = job_options_num(w, JOB_OPTION_TIME_MIN, 0);
	int64_t max = job_options_num(w, JOB_OPTION_MAX_NODES, INT64_MAX);

	if (job_options_num(w, JOB_OPTION_MIN_NODES, 0) > max)
		return err_set(err, -EINVAL,
			       "min-nodes is greater than max-nodes");
	if ((w->given & JOB_OPTION_BIT(JOB_OPTION_MEM_NODE)) &&
	    (w->given & JOB_OPTION_BIT(JOB_OPTION_MEM_CPU)))
		return err_set(err, -EINVAL,
			       "mem-per-node and mem-per-cpu exclude each "
			       "other");
	if (limit != JOB_OPTION_UNLIMITED &&
	    (least > limit || least == JOB_OPTION_UNLIMITED))
		return err_set(err, -EINVAL,
			       "time-min is longer than the time limit");
	return 0;
}

int job_options_make(const struct job_options_ask *ask, struct job_options *out,
		     struct err *err)
{
	struct err ignored = {0}; /* errors are built on each other's words */
	struct asker a = {.ask = ask, .w = out, .err = err ? err : &ignored};
	int rc = take_site(&a);

	if (!rc)
		rc = take_deadline(&a);
	for (size_t i = 0; !rc && i < ask->n_notes; i++)
		rc = take_object(&a, ask->notes[i]);
	if (!rc)
		rc = check_whole(out, err);
	if (!rc)
		keep_within(&a);
	return rc;
}

void job_options_clear(struct job_options *w)
{
	for (int k = 0; k < JOB_OPTION_N; k++)
		if (job_option_is_text((enum job_option_key)k))
			free(w->v[k].text);
	*w = (struct job_options){0};
}

const char *job_options_text(const struct job_options *w,
			     enum job_option_key key)
{
	return job_option_is_text(key) ? w->v[key].text : NULL;
}

int64_t job_options_num(const struct job_options *w, enum job_option_key key,
			int64_t def)
{
	return !job_option_is_text(key) && (w->given & JOB_OPTION_BIT(key))
		       ? w->v[key].num
		       : def;
}

int job_options_digest(const struct job_options *w,
		       char out[JOB_OPTIONS_DIGEST_MAX])
{
	_cleanup_buf_ struct buf b = BUF_INIT(TEXT_TOTAL_MAX);
	char hex[65];
	int rc = 0;

	for (int k = 0; !rc && k < JOB_OPTION_N; k++) {
		enum job_option_key key = (enum job_option_key)k;
		const char *wait = key == JOB_OPTION_SWITCHES_WAIT ? "@" : "";

		if (!(w->given & JOB_OPTION_BIT(key)))
			continue;
		if (job_option_is_text(key))
			rc = buf_addf(&b, "%s=%s\n", job_option_name(key),
				      w->v[k].text);
		else
			rc = buf_addf(&b, "%s%s=%lld\n", job_option_name(key),
				      wait, (long long)w->v[k].num);
	}
	if (!rc && w->most_minutes)
		rc = buf_addf(&b, "most=%lld\n", (long long)w->most_minutes);
	if (!rc)
		rc = sha256_hex(buf_str(&b), b.len, hex);
	if (!rc)
		str_copy(out, hex, JOB_OPTIONS_DIGEST_MAX);
	return rc;
}
