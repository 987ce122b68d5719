/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes of the slurmctld that is played, as common/slurm has them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "fast_clock.h"
#include "played_slurm.h"
#include "slurm/ctl_create.h"
#include "slurm/ctl_external.h"
#include "slurm/ctl_placeholder.h"
#include "slurm/ctl_plugin.h"
#include "slurm/ctl_reserved.h"
#include "slurm/ctl_steps.h"
#include "slurm/ctl_suspend_exc.h"
#include "slurm/shared.h"
#include "syntax/hostlist.h"

#define SETTLES_MS 50 /* power saving leaves what was changed alone so long */

struct ctl_nodes {
	struct ctl_shared shared;
	uint64_t version;
	size_t n;
	struct played_node v[];
};

/* --- snapshots */

struct asked {
	const char *name; /* NULL: all */
	uint64_t known;	  /* not if this is the newest; 0: in any case */
	struct ctl_nodes *out;
};

static void copy(struct asked *a)
{
	struct ctl_nodes *s;

	s = malloc(sizeof(*s) + played.n_nodes * sizeof(*s->v));
	if (!s)
		return;
	atomic_init(&s->shared.more, 0);
	s->version = played.nodes_version;
	s->n = 0;
	for (size_t i = 0; i < played.n_nodes; i++)
		if (!a->name || !strcmp(played.nodes[i].name, a->name))
			s->v[s->n++] = played.nodes[i];
	a->out = s;
}

static void serve_nodes(void *arg)
{
	struct asked *a = arg;

	if (!a->known || a->known != played.nodes_version)
		copy(a);
}

static int load(struct asked *a, struct ctl_nodes **out, struct err *err)
{
	int rc = played_rpc(serve_nodes, a, err);

	if (rc || !a->out)
		return rc;
	*out = a->out;
	return 1;
}

int ctl_nodes_load(struct ctl_nodes **out, struct err *err)
{
	struct asked a = {0};

	const int rc = load(&a, out, err);

	return rc > 0 ? 0 : rc < 0 ? rc : err_oom(err);
}

int ctl_nodes_load_one(const char *name, struct ctl_nodes **out,
		       struct err *err)
{
	struct asked a = {.name = name};

	const int rc = load(&a, out, err);

	return rc > 0 ? 0 : rc < 0 ? rc : err_oom(err);
}

int ctl_nodes_refresh(struct ctl_nodes **nodes, struct err *err)
{
	struct asked a = {.known = *nodes ? (*nodes)->version : 0};
	struct ctl_nodes *old = *nodes;
	int rc = load(&a, nodes, err);

	if (rc > 0)
		ctl_nodes_free(old);
	return rc;
}

void ctl_nodes_free(struct ctl_nodes *n)
{
	if (n && ctl_shared_last(&n->shared))
		free(n);
}

bool ctl_nodes_same(const struct ctl_nodes *a, const struct ctl_nodes *b)
{
	return a->version == b->version;
}

size_t ctl_nodes_count(const struct ctl_nodes *n)
{
	return n ? n->n : 0;
}

bool ctl_nodes_at(const struct ctl_nodes *n, size_t i, struct ctl_node *out)
{
	const struct played_node *p = n && i < n->n ? &n->v[i] : NULL;

	if (!p)
		return false;
	*out = p->is;
	out->name = p->name;
	out->reason = p->reason;
	out->extra = p->extra;
	out->comment = p->comment;
	out->features = p->features;
	out->features_active = p->active;
	out->gres = out->topology = "";
	return true;
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	for (size_t i = 0; ctl_nodes_at(n, i, out); i++)
		if (!strcmp(out->name, name))
			return true;
	return false;
}

/* --- updates */

struct update {
	const char *nodes, *text;
	enum ctl_node_update what;
};

static void set_reason(struct played_node *n, const char *text)
{
	str_copy(n->reason, text ? text : "", sizeof(n->reason));
	n->is.reason_ms = fast_clock_real_ms();
}

static void update_one(struct played_node *n, void *arg)
{
	const struct update *u = arg;

	n->next_at = fast_clock_real_ms() + SETTLES_MS;
	switch (u->what) {
	case CTL_SET_COMMENT:
		str_copy(n->comment, u->text, sizeof(n->comment));
		break;
	case CTL_SET_EXTRA:
		str_copy(n->extra, u->text, sizeof(n->extra));
		break;
	case CTL_DRAIN:
	case CTL_FAIL:
		n->is.drained = true;
		n->is.failing = u->what == CTL_FAIL;
		set_reason(n, u->text);
		break;
	case CTL_DOWN:
		n->is.down = true;
		if (u->text)
			set_reason(n, u->text);
		break;
	case CTL_POWER_DOWN_FORCE:
	case CTL_POWER_DOWN_NEW:
	case CTL_POWER_DOWN:
		n->is.ending = true;
		n->is.power = CTL_UP;
		break;
	case CTL_POWER_UP:
		n->is.starting = true;
		break;
	case CTL_RESUME:
		if (n->is.power == CTL_POWERING_DOWN)
			n->is.power = CTL_POWERED_DOWN;
		/* fall through */
	case CTL_UNDRAIN:
	case CTL_IDLE:
		n->is.drained = n->is.down = n->is.failing = false;
		set_reason(n, "");
		break;
	}
}

static void serve_update(void *arg)
{
	const struct update *u = arg;

	atomic_fetch_add(&played_counts.updates, 1);
	played_each(u->nodes, update_one, arg);
	played.nodes_version++;
}

int ctl_node_update(const char *nodes, enum ctl_node_update what,
		    const char *text, struct err *err)
{
	struct update u = {.nodes = nodes, .text = text, .what = what};

	return played_rpc(serve_update, &u, err);
}

int ctl_node_try(const char *nodes, enum ctl_node_update what, const char *text)
{
	return ctl_node_update(nodes, what, text, NULL);
}

int ctl_nodes_keep(const struct ctl_nodes *now, const char *nodes,
		   enum ctl_node_update what)
{
	(void)now;
	return ctl_node_update(nodes, what, NULL, NULL);
}

int ctl_nodes_power_down_new(const struct ctl_nodes *now, const char *nodes)
{
	(void)now;
	return ctl_node_update(nodes, CTL_POWER_DOWN_NEW, NULL, NULL);
}

int ctl_node_comment(const struct ctl_nodes *n, const char *node,
		     const char *text, struct err *err)
{
	(void)n;
	return ctl_node_update(node, CTL_SET_COMMENT, text, err);
}

struct set_features {
	const char *nodes, *active, *available;
};

static void wear_one(struct played_node *n, void *arg)
{
	const struct set_features *w = arg;

	str_copy(n->active, w->active, sizeof(n->active));
	if (w->available)
		str_copy(n->features, w->available, sizeof(n->features));
}

static void serve_wear(void *arg)
{
	const struct set_features *w = arg;

	played_each(w->nodes, wear_one, arg);
	played.nodes_version++;
}

/* (none says that no engine runs) */
int ctl_plugin_unsay(const struct ctl_nodes *n, struct err *err)
{
	(void)n;
	(void)err;
	return 0;
}

int ctl_node_features(const char *nodes, const char *active,
		      const char *available)
{
	struct set_features w = {nodes, active, available};

	return played_rpc(serve_wear, &w, NULL);
}

void ctl_reason(const char *words, char out[WK_REASON_MAX])
{
	snprintf(out, WK_REASON_MAX, WK_REASON_PREFIX "%.150s", words);
}

/* --- nodes that come and go */

struct make {
	const char *line;
	bool external;
	struct hostlist names;
	char features[PLAYED_TEXT_MAX];
	uint32_t cpus;
	uint64_t memory_mib;
	int rc;
};

/* The value of KEY=VALUE in a line; "" where it is missing. */
static void value_of(const char *line, const char *key, char *out, size_t size)
{
	const char *at = strstr(line, key);
	size_t n;

	*out = '\0';
	if (!at)
		return;
	at += strlen(key);
	n = strcspn(at, " ");
	snprintf(out, size, "%.*s", (int)n, at);
}

static long number_of(const char *line, const char *key)
{
	char text[32];

	value_of(line, key, text, sizeof(text));
	return strtol(text, NULL, 10);
}

static void serve_make(void *arg)
{
	struct make *m = arg;

	for (size_t i = 0; i < m->names.n; i++)
		if (played_find_node(m->names.names[i]))
			m->rc = -EIO;
	for (size_t i = 0; i < m->names.n && !m->rc; i++) {
		struct played_node *n = played_add_node(m->names.names[i]);

		if (!n)
			continue;
		n->is.cpus = m->cpus;
		n->is.memory_mib = m->memory_mib;
		n->is.external = m->external;
		n->is.cloud = n->is.dynamic = !m->external;
		n->is.power = m->external ? CTL_UP : CTL_POWERED_DOWN;
		str_copy(n->features, m->features, sizeof(n->features));
		str_copy(n->active, m->features, sizeof(n->active));
	}
}

static int make(const char *line, bool external, struct err *err)
{
	struct make m = {.line = line, .external = external};
	char names[PLAYED_TEXT_MAX];
	int rc;

	value_of(line, "NodeName=", names, sizeof(names));
	value_of(line, "Feature=", m.features, sizeof(m.features));
	m.cpus = (uint32_t)number_of(line, "CPUs=");
	m.memory_mib = (uint64_t)number_of(line, "RealMemory=");
	if (hostlist_expand(names, &m.names, err))
		return -EIO;
	rc = played_rpc(serve_make, &m, err);
	hostlist_clear(&m.names);
	if (rc)
		return rc;
	return m.rc ? err_set(err, m.rc, "Duplicated NodeHostName") : 0;
}

int ctl_nodes_create(const char *line, struct err *err)
{
	return make(line, false, err);
}

int ctl_external_create(const char *line, struct err *err)
{
	return make(line, true, err);
}

struct removal {
	const char *nodes;
	int rc;
};

static void drop_one(struct played_node *n, void *arg)
{
	struct removal *r = arg;

	if (n->is.busy)
		r->rc = -EIO;
	else
		played_drop_node(n);
}

static void serve_removal(void *arg)
{
	struct removal *r = arg;

	played_each(r->nodes, drop_one, r);
}

int ctl_nodes_delete(const char *nodes, struct err *err)
{
	struct removal r = {.nodes = nodes};
	const int rc = played_rpc(serve_removal, &r, err);

	if (rc)
		return rc;
	return r.rc ? err_set(err, r.rc, "Nodes are in use") : 0;
}

/* There are no reservations; but slurmctld may not say so. */
struct ctl_reserved {
	int none;
};

static void serve_nothing(void *arg)
{
	(void)arg;
}

int ctl_reserved_load(struct ctl_reserved **out, struct err *err)
{
	const int rc = played_rpc(serve_nothing, NULL, err);

	if (!rc)
		*out = calloc(1, sizeof(**out));
	return rc || *out ? rc : err_oom(err);
}

void ctl_reserved_free(struct ctl_reserved *r)
{
	free(r);
}

const char *ctl_reserved_by(const struct ctl_reserved *r, const char *node)
{
	(void)r, (void)node;
	return NULL;
}

int ctl_external_delete(const char *nodes, struct err *err)
{
	return ctl_nodes_delete(nodes, err);
}

int ctl_external_update(const char *nodes, const char *features,
			const char *topology, struct err *err)
{
	(void)topology, (void)err;
	return features ? ctl_node_features(nodes, features, features) : 0;
}

int ctl_external_drain(const char *nodes, const char *reason, struct err *err)
{
	return ctl_node_update(nodes, CTL_FAIL, reason, err);
}

int ctl_external_down(const char *nodes, const char *reason, struct err *err)
{
	return ctl_node_update(nodes, CTL_DOWN, reason, err);
}

int ctl_external_resume(const char *nodes, struct err *err)
{
	return ctl_node_update(nodes, CTL_IDLE, NULL, err);
}

int ctl_external_settle(const char *node, struct err *err)
{
	int rc = ctl_external_drain(node, WK_REASON_PREFIX "node is new", err);

	return rc ? rc : ctl_external_resume(node, err);
}

/* --- no RPCs */

bool ctl_keeps_nodes_up(void)
{
	return false; /* tests/unit/test_min_running.c has its own slurmctld */
}

int ctl_suspend_exc_load(struct ctl_suspend_exc *out, struct err *err)
{
	(void)out;
	return err_set(err, -EIO, "not played here");
}

int ctl_suspend_exc_add(const char *nodes, struct err *err)
{
	(void)nodes;
	return err_set(err, -EIO, "not played here");
}

int ctl_suspend_exc_remove(const char *nodes, struct err *err)
{
	return ctl_suspend_exc_add(nodes, err);
}

bool ctl_creates_nodes(void)
{
	return true;
}

bool ctl_external_known(void)
{
	return true;
}

char *ctl_hostlist_of(char *const names[], size_t n)
{
	_cleanup_buf_ struct buf list = BUF_INIT(1 << 20);

	for (size_t i = 0; i < n; i++)
		if (buf_add_item(&list, names[i]))
			return NULL;
	return strdup(buf_str(&list));
}

void ctl_hostlist_each(const char *nodes,
		       void (*fn)(void *arg, const char *node), void *arg)
{
	_cleanup_hostlist_ struct hostlist list = {0};

	if (hostlist_expand(nodes, &list, NULL))
		return;
	for (size_t i = 0; i < list.n; i++)
		fn(arg, list.names[i]);
}
