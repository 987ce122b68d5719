/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "external/external_node.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/str.h"

#define CPUS_MAX 65533
#define MEMORY_MAX (1ull << 40) /* MiB */
#define GRES_COUNT_MAX (1 << 20)
#define MIB (1024 * 1024)
#define SHOWN 100 /* letters of a foreign text */

static bool is_letter(char c)
{
	return (unsigned char)c < 0x80 && isalnum((unsigned char)c);
}

/* Letters, digits, and those of `more`; not empty, nor longer than `max`. */
static bool is_word(const char *s, size_t len, const char *more, size_t max)
{
	for (size_t i = 0; i < len; i++)
		if (!is_letter(s[i]) && (!s[i] || !strchr(more, s[i])))
			return false;
	return len && len <= max;
}

static bool is_host_name(const char *s)
{
	static const char *const taken[] = {"ALL", "DEFAULT", "NONE"};
	size_t n = strlen(s);

	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (!strcasecmp(s, taken[i]))
			return false;
	return is_word(s, n, "-_.", EXTERNAL_NODE_NAME_MAX) && is_letter(*s) &&
	       is_letter(s[n - 1]);
}

int external_node_name(const struct kube_node *host,
		       char out[EXTERNAL_NODE_NAME_MAX + 1], struct err *err)
{
	const char *name = host->slurm_node ? host->slurm_node : host->name;

	*out = '\0';
	if (!is_host_name(name))
		return err_set(err, -EINVAL,
			       "'%.*s' cannot be the name of a Slurm node",
			       SHOWN, name);
	str_copy(out, name, EXTERNAL_NODE_NAME_MAX + 1);
	return 0;
}

/* --- its shape */

static int size_of(const struct kube_node *host,
		   const struct pod_requests *used,
		   struct external_node_shape *out, struct err *err)
{
	int64_t cpus = (host->cpu_milli - used->cpu_milli) / 1000;
	int64_t mib = (host->memory_bytes - used->memory_bytes) / MIB;

	if (cpus < 1 || mib < 1)
		return err_set(err, -ENOSPC,
			       "other pods leave no whole CPU or no memory");
	out->cpus = cpus < CPUS_MAX ? (uint32_t)cpus : CPUS_MAX;
	out->memory_mib =
		(uint64_t)mib < MEMORY_MAX ? (uint64_t)mib : MEMORY_MAX;
	return 0;
}

static int64_t left_of(const struct kube_node *host,
		       const struct pod_requests *used, const char *resource)
{
	int64_t n = 0;

	for (size_t i = 0; i < host->n_ext; i++)
		if (!strcmp(host->ext[i].name, resource))
			n = (host->ext[i].count -
			     pod_requests_count(used, resource)) /
			    pod_requests_unit(resource);
	return n < 0 ? 0 : n < GRES_COUNT_MAX ? n : GRES_COUNT_MAX;
}

static int add_word(struct buf *list, const char *word, const char *what,
		    struct err *err)
{
	int rc = buf_add_item(list, word);

	if (rc == -EMSGSIZE)
		return err_set(err, -E2BIG,
			       "its %s are longer than %zu letters", what,
			       list->max);
	return rc ? err_oom(err) : 0;
}

static int gres_of(const struct kube_node *host,
		   const struct pod_requests *used,
		   const struct external_node_rules *rules, char *out,
		   struct err *err)
{
	_cleanup_buf_ struct buf list = BUF_INIT(EXTERNAL_NODE_GRES_MAX);
	int rc = 0;

	for (size_t i = 0; !rc && i < rules->n_gres; i++) {
		char item[EXTERNAL_NODE_GRES_MAX + 24];
		int64_t n = 0;
		size_t first = 0;

		while (strcmp(rules->gres[first].gres, rules->gres[i].gres))
			first++;
		for (size_t k = i; first == i && k < rules->n_gres; k++)
			if (!strcmp(rules->gres[k].gres, rules->gres[i].gres))
				n += left_of(host, used,
					     rules->gres[k].resource);
		if (!n)
			continue;
		snprintf(item, sizeof(item), "%.*s:%lld",
			 EXTERNAL_NODE_GRES_MAX, rules->gres[i].gres,
			 (long long)n);
		rc = add_word(&list, item, "gres", err);
	}
	str_copy(out, buf_str(&list), EXTERNAL_NODE_GRES_MAX + 1);
	return rc;
}

static int add_feature(struct buf *list, const char *word, struct err *err)
{
	if (str_list_has(buf_str(list), word, strlen(word)))
		return 0;
	return add_word(list, word, "features", err);
}

static int add_partitions(struct buf *list, const char *names, struct err *err)
{
	char word[EXTERNAL_NODE_FEATURE_MAX + 1];
	size_t len;
	int rc = 0;

	for (; !rc && (len = str_next_item(&names)); names += len) {
		if (!is_word(names, len, "_.=-", EXTERNAL_NODE_FEATURE_MAX))
			return err_set(err, -EINVAL,
				       "'%.*s' cannot be a partition of it",
				       (int)(len < SHOWN ? len : SHOWN), names);
		memcpy(word, names, len);
		word[len] = '\0';
		if (!strcmp(word, WK_FEATURE_CREATED))
			return err_set(err, -EINVAL,
				       "'%s' cannot be a partition of it",
				       word);
		rc = add_feature(list, word, err);
	}
	return rc;
}

static int add_label(struct buf *list, const struct kube_node *host,
		     const char *key, struct err *err)
{
	const char *value = kube_node_label(host, key);
	const char *slash = strrchr(key, '/');
	char word[EXTERNAL_NODE_FEATURE_MAX + 1];

	if (!value)
		return 0;
	snprintf(word, sizeof(word), "%s%s%s", slash ? slash + 1 : key,
		 *value ? "=" : "", value);
	for (char *c = word; *c; c++)
		if (!is_letter(*c) && !strchr("_.=-", *c))
			*c = '_';
	return *word ? add_feature(list, word, err) : 0;
}

static int features_of(const struct kube_node *host,
		       const struct external_node_rules *rules, char *out,
		       struct err *err)
{
	_cleanup_buf_ struct buf list = BUF_INIT(EXTERNAL_NODE_FEATURES_MAX);
	int rc = add_feature(&list, WK_FEATURE_EXTERNAL, err);

	if (!rc)
		rc = add_partitions(&list, host->partitions, err);
	for (size_t i = 0; !rc && i < rules->n_labels; i++)
		rc = add_label(&list, host, rules->labels[i], err);
	str_copy(out, buf_str(&list), EXTERNAL_NODE_FEATURES_MAX + 1);
	return rc;
}

static int topology_of(const struct kube_node *host, char *out, struct err *err)
{
	const char *text = host->topology ? host->topology : "";

	if (*text &&
	    !is_word(text, strlen(text), "_.:,-", EXTERNAL_NODE_TOPOLOGY_MAX))
		return err_set(err, -EINVAL,
			       "its topology '%.*s' is none for Slurm", SHOWN,
			       text);
	str_copy(out, text, EXTERNAL_NODE_TOPOLOGY_MAX + 1);
	return 0;
}

int external_node_shape_of(const struct kube_node *host,
			   const struct pod_requests *used,
			   const struct external_node_rules *rules,
			   struct external_node_shape *out, struct err *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	rc = external_node_name(host, out->name, err);
	if (!rc)
		rc = gres_of(host, used, rules, out->gres, err);
	if (!rc)
		rc = features_of(host, rules, out->features, err);
	if (!rc)
		rc = topology_of(host, out->topology, err);
	if (!rc)
		rc = size_of(host, used, out, err);
	if (rc && rc != -ENOSPC)
		memset(out, 0, sizeof(*out));
	return rc;
}

/*
 * "gpu:a100:2" as GresConf has it: such a node has no slurmd that would tell
 * slurmctld what there really is.
 */
static int add_gres_conf(struct buf *line, const char *item, size_t len)
{
	const char *count = item ? memrchr(item, ':', len) : NULL;
	const char *type = item ? memchr(item, ':', len) : NULL;
	int end;

	if (!count)
		return -EINVAL;
	end = (int)(item + len - count - 1);
	if (type == count)
		return buf_addf(line, "count=%.*s,name=%.*s", end, count + 1,
				(int)(count - item), item);
	return buf_addf(line, "count=%.*s,name=%.*s,type=%.*s", end, count + 1,
			(int)(type - item), item, (int)(count - type - 1),
			type + 1);
}

char *external_node_line(const struct external_node_shape *shape)
{
	_cleanup_buf_ struct buf line = BUF_INIT(16 * 1024);
	const char *gres = shape->gres;
	size_t len;
	int bad;

	bad = buf_addf(&line,
		       "NodeName=%s CPUs=%u Sockets=1 "
		       "CoresPerSocket=%u ThreadsPerCore=1 RealMemory=%llu "
		       "Feature=%s",
		       shape->name, shape->cpus, shape->cpus,
		       (unsigned long long)shape->memory_mib, shape->features);
	if (*gres)
		bad |= buf_addf(&line, " Gres=%s GresConf=", gres);
	for (; (len = str_next_item(&gres)); gres += len) {
		if (gres != shape->gres)
			bad |= buf_addf(&line, "+");
		bad |= add_gres_conf(&line, gres, len);
	}
	if (*shape->topology)
		bad |= buf_addf(&line, " Topology=%s", shape->topology);
	return bad ? NULL : strdup(buf_str(&line));
}
