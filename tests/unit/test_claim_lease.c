/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose a namespace or a node is, and how it becomes ours. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "cluster/claim_lease.h"
#include "t.h"

/* ' for " */
static json_object *parse(const char *text)
{
	_cleanup_free_ char *json = strdup(text);

	for (char *c = json; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	return t_parse(json);
}

static const struct claim_self green = {"Green", "Green-1", "a/l"},
			       blue = {"blue", "blue", "a/l"},
			       other_blue = {"blue", "blue", "b/l"};

#define AT 1767323045000ll /* 2026-01-02T03:04:05Z */

static void a_lease_names_the_cluster_and_when(void)
{
	_cleanup_json_ json_object *o =
		claim_lease("slurm-k8s-claim.s", &green, AT);
	char words[CLAIM_WORDS_MAX];

	T_STR(jx_str(o, "kind"), "Lease");
	T_STR(jx_str(o, "metadata", "name"), "slurm-k8s-claim.s");
	T_STR(jx_str(o, "spec", "holderIdentity"), "Green");
	T_STR(jx_str(o, "spec", "acquireTime"), "2026-01-02T03:04:05.000000Z");
	T_INT(claim_of_lease(o, "team-a", "x", &green, words), CLAIM_OURS);
	T_STR(words, "");
	T_INT(claim_of_lease(o, "team-a", "slurm-k8s-claim.s", &blue, words),
	      CLAIM_OTHERS);
	T_STR(words,
	      "namespace team-a is claimed by Slurm cluster Green since "
	      "2026-01-02T03:04:05.000000Z; if that is no more: kubectl -n "
	      "team-a delete lease slurm-k8s-claim.s");
}

static void of_two_clusters_of_one_name_it_is_who_was_first(void)
{
	_cleanup_json_ json_object *o = claim_lease("l", &blue, AT);
	_cleanup_json_ json_object *old =
		parse("{'spec':{'holderIdentity':'blue'}}");
	char words[CLAIM_WORDS_MAX];

	T_INT(claim_of_lease(o, "n", "l", &blue, words), CLAIM_OURS);
	T_INT(claim_of_lease(o, "n", "l", &other_blue, words), CLAIM_OTHERS);
	T_HAS(words, "Slurm cluster blue of the lease a/l since 2026");
	T_INT(claim_of_lease(old, "n", "l", &blue, words), CLAIM_OURS);
	T_INT(claim_of_node("blue", "a/l", "n1", &blue, words), CLAIM_OURS);
	T_INT(claim_of_node("blue", "a/l", "n1", &other_blue, words),
	      CLAIM_OTHERS);
	T_HAS(words, "Slurm cluster blue of the lease a/l; if");
	T_INT(claim_of_node("blue", NULL, "n1", &other_blue, words),
	      CLAIM_OURS);
	T_INT(claim_of_node("green", "b/l", "n1", &other_blue, words),
	      CLAIM_OTHERS);
	T_HAS(words, "Slurm cluster green; if");
	T_INT(claim_of_node(NULL, "a/l", "n1", &other_blue, words), CLAIM_FREE);
}

/* Whatever stands there that does not say that it is ours is another's. */
static void a_lease_of_nobody_is_anothers(void)
{
	static const char *const rows[] = {
		"{}",
		"[]",
		"{'spec':{}}",
		"{'spec':{'holderIdentity':''}}",
		"{'spec':{'holderIdentity':7}}",
		"{'spec':{'holderIdentity':'blue\\nx'}}",
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *o = parse(rows[i]);
		char words[CLAIM_WORDS_MAX];

		t_row("%s", rows[i]);
		T_INT(claim_of_lease(o, "n", "l", &blue, words), CLAIM_OTHERS);
		T_OK(!strchr(words, '\n'));
	}
}

static void a_leases_name_is_the_schedulers_and_not_too_long(void)
{
	_cleanup_free_ char *whole = t_repeat("a", 253);
	char out[CLAIM_NAME_MAX + 1];

	claim_lease_name("slurm-bridge-scheduler", out);
	T_STR(out, "slurm-k8s-claim.slurm-bridge-scheduler");
	claim_lease_name(whole, out);
	T_OK(strlen(out) < 40);
}

static void a_node_is_claimed_by_what_was_read_of_it(void)
{
#define NODE(labels)                                                           \
	"{'metadata':{'name':'n1','resourceVersion':'7'," labels "}}"
#define BY(lease) "'annotations':{'slurm-k8s.io/claimed-by':'" lease "'}"
	static const struct {
		const char *node;
		int64_t at;
		int rc;
		const char *patch, *words;
	} rows[] = {
		{NODE("'labels':{'a':'b'}"), AT, 0,
		 "{\"metadata\":{\"resourceVersion\":\"7\",\"labels\":{"
		 "\"slurm-k8s.io\\/cluster\":\"blue\"},\"annotations\":{"
		 "\"slurm-k8s.io\\/claimed-at\":\"2026-01-02T03:04:05Z\","
		 "\"slurm-k8s.io\\/claimed-by\":\"a\\/l\"}}}"},
		{NODE("'labels':{'slurm-k8s.io/cluster':'blue'}," BY("a/l")),
		 AT, -EALREADY},
		/* (an administrator wrote that, or an older release) */
		{NODE("'labels':{'slurm-k8s.io/cluster':'blue'}"), AT, 0,
		 "{\"metadata\":{\"resourceVersion\":\"7\",\"labels\":{"
		 "\"slurm-k8s.io\\/cluster\":\"blue\"},\"annotations\":{"
		 "\"slurm-k8s.io\\/claimed-at\":\"2026-01-02T03:04:05Z\","
		 "\"slurm-k8s.io\\/claimed-by\":\"a\\/l\"}}}"},
		{NODE("'labels':{'slurm-k8s.io/cluster':'blue'}"), 0,
		 -EALREADY},
		/* another Slurm cluster has our name */
		{NODE("'labels':{'slurm-k8s.io/cluster':'blue'}," BY("b/l")),
		 AT, -EEXIST, NULL,
		 "claimed by Slurm cluster blue of the lease b/l; if that is "
		 "no more: kubectl label node n1 slurm-k8s.io/cluster-"},
		{NODE("'labels':{'slurm-k8s.io/cluster':'blue'}," BY("b/l")), 0,
		 -EEXIST},
		/* (without the label it says nothing) */
		{NODE("'labels':{}," BY("b/l")), 0, -EALREADY},
		{NODE("'labels':{'slurm-k8s.io/cluster':'green'}"), AT, -EEXIST,
		 NULL,
		 "claimed by Slurm cluster green; if that is no more: kubectl "
		 "label node n1 slurm-k8s.io/cluster-"},
		{NODE("'labels':{'slurm-k8s.io/cluster':'blue'}," BY("a/l")), 0,
		 0,
		 "{\"metadata\":{\"resourceVersion\":\"7\",\"labels\":{"
		 "\"slurm-k8s.io\\/cluster\":null},\"annotations\":{"
		 "\"slurm-k8s.io\\/claimed-at\":null,"
		 "\"slurm-k8s.io\\/claimed-by\":null}}}"},
		{NODE("'labels':{}"), 0, -EALREADY},
		{NODE("'labels':{'slurm-k8s.io/cluster':'green'}"), 0, -EEXIST},
		{"{'metadata':{'name':'n1'}}", AT, -EINVAL},
		{"{}", AT, -EINVAL},
		{"[]", AT, -EINVAL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *node = parse(rows[i].node);
		_cleanup_json_ json_object *patch = NULL;
		struct err err = {0};

		t_row("%zu", i);
		T_INT(claim_node_patch(node, &blue, rows[i].at, &patch, &err),
		      rows[i].rc);
		T_STR(patch ? json_object_to_json_string_ext(
				      patch, JSON_C_TO_STRING_PLAIN)
			    : NULL,
		      rows[i].patch);
		if (rows[i].words)
			T_STR(err.msg, rows[i].words);
	}
}

T_MAIN("claim_lease", T(a_lease_names_the_cluster_and_when),
       T(of_two_clusters_of_one_name_it_is_who_was_first),
       T(a_lease_of_nobody_is_anothers),
       T(a_leases_name_is_the_schedulers_and_not_too_long),
       T(a_node_is_claimed_by_what_was_read_of_it))
