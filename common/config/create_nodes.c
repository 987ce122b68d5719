/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/create_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "config/features.h"
#include "syntax/names.h"
#include "syntax/wellknown.h"

#define CPUS_MAX 65533
#define MEMORY_MAX (1ull << 40) /* MiB */
#define TEXT_MAX 1024
#define CREATE_FEATURES_MAX 32

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

/*
 * The text becomes a word of a line for Slurm: it has no blanks, and nothing
 * that ends a word.
 */
static int read_gres(const struct yaml *y, ynode at, char **out,
		     struct err *err)
{
	const char *text = NULL;
	int rc = yaml_string(y, at, "gres", &text, err);

	if (rc || !text)
		return rc;
	if (strlen(text) > TEXT_MAX ||
	    strspn(text, LETTERS DIGITS "_-.:,") != strlen(text))
		return yaml_error(y, at, err,
				  "gres must be as Gres of slurm.conf, such as "
				  "gpu:a100:2,shard:8");
	*out = strdup(text);
	return *out ? 0 : err_oom(err);
}

static int read_features(const struct yaml *y, ynode seq, char **out,
			 struct err *err)
{
	_cleanup_buf_ struct buf list =
		BUF_INIT(CREATE_FEATURES_MAX * (DNS_LABEL_MAX + 1));
	int rc;

	if (!seq)
		return 0;
	rc = yaml_want_seq(y, seq, "features", err);
	if (rc)
		return rc;
	if (yaml_len(seq) > CREATE_FEATURES_MAX)
		return yaml_error(y, seq, err, "more than %d features",
				  CREATE_FEATURES_MAX);
	for (size_t i = 0; i < yaml_len(seq); i++) {
		ynode at = yaml_at(y, seq, i);
		const char *text = "";

		rc = yaml_string(y, at, "a feature", &text, err);
		if (rc)
			return rc;
		if (!features_is_name(text) ||
		    !strcmp(text, WK_FEATURE_CREATED))
			return yaml_error(
				y, at, err,
				"a feature must be a letter, and "
				"letters, digits, '_', '.' and '-', "
				"at most %d, and not " WK_FEATURE_CREATED,
				DNS_LABEL_MAX);
		if (buf_add_item(&list, text))
			return err_oom(err);
	}
	*out = list.len ? strdup(buf_str(&list)) : NULL;
	return *out || !list.len ? 0 : err_oom(err);
}

static int read_size(const struct yaml *y, ynode map, struct create_nodes *out,
		     struct err *err)
{
	static const char *const needed[] = {"cpus", "memory"};
	uint64_t cpus = 0;
	int rc;

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (!yaml_get(y, map, needed[i]))
			return yaml_error(y, map, err, "create needs %s",
					  needed[i]);
	rc = yaml_uint(y, yaml_get(y, map, "cpus"), "cpus", 1, CPUS_MAX, &cpus,
		       err);
	out->cpus = (uint32_t)cpus;
	return rc ? rc
		  : yaml_uint(y, yaml_get(y, map, "memory"), "memory", 1,
			      MEMORY_MAX, &out->memory_mib, err);
}

int create_nodes_read(const struct yaml *y, ynode map, const char *nodeset,
		      struct create_nodes *out, struct err *err)
{
	static const char *const keys[] = {"cpus", "memory", "gres", "features",
					   NULL};
	struct err where = {0};
	int rc;

	if (!map)
		return 0;
	rc = yaml_only_keys(y, map, "create", keys, err);
	if (!rc)
		rc = read_size(y, map, out, err);
	if (!rc)
		rc = read_gres(y, yaml_get(y, map, "gres"), &out->gres, err);
	if (!rc)
		rc = read_features(y, yaml_get(y, map, "features"),
				   &out->features, err);
	if (rc)
		return rc;
	yaml_error(y, map, &where, "nodeset '%s': create", nodeset);
	out->where = strdup(where.msg);
	out->wanted = true;
	return out->where ? 0 : err_oom(err);
}

void create_nodes_clear(struct create_nodes *c)
{
	free(c->gres);
	free(c->features);
	free(c->where);
	*c = (struct create_nodes){0};
}

char *create_nodes_line(const struct create_nodes *c, const char *nodes)
{
	return str_printf("NodeName=%s State=CLOUD CPUs=%u RealMemory=%llu"
			  "%s%s Feature=%s%s" WK_FEATURE_CREATED,
			  nodes, c->cpus, (unsigned long long)c->memory_mib,
			  c->gres ? " Gres=" : "", c->gres ? c->gres : "",
			  c->features ? c->features : "",
			  c->features ? "," : "");
}

char *create_nodes_slurmd_conf(const struct create_nodes *c, uint32_t cpus,
			       uint64_t memory_mib)
{
	return str_printf("CPUs=%u RealMemory=%llu%s%s", cpus,
			  (unsigned long long)memory_mib,
			  c->gres ? " Gres=" : "", c->gres ? c->gres : "");
}
