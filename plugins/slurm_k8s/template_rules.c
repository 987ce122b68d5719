/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "template_rules.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "slurmctld_at.h"
#include "json/json.h"

#define FIX_MAX 2048
#define TEXT_MAX 512
#define SECRETS "/run/secrets/" /* where packaging/worker has the keys */

/* One nodeset's template. */
struct template
{
	const struct nodeset *set;
	const struct site_config *conf;
	const json_object *spec, *slurmd;
	struct findings *out;
	bool bad;
};

/*
 * The value of a variable of slurmd's container; NULL: there is none, or it
 * does not stand in the template.
 */
static const char *env(const struct template *t, const char *name)
{
	return jx_str(jx_by_name(jx_get(t->slurmd, "env"), name), "value");
}

/* /var/run is /run (a link), in all images of today. */
static const char *without_var(const char *path)
{
	return str_starts(path, "/var/run/") ? path + 4 : path;
}

static bool mounts(const struct template *t, const char *path)
{
	const size_t len = strlen(path);

	const json_object *list = jx_get(t->slurmd, "volumeMounts");

	for (size_t i = 0;
	     jx_is(list, json_type_array) && i < json_object_array_length(list);
	     i++) {
		const char *at =
			jx_str(json_object_array_get_idx(list, i), "mountPath");

		at = at ? without_var(at) : "";
		if (str_starts(at, path) && (at[len] == '/' || !at[len]))
			return true;
	}
	return false;
}

static bool is_port(const struct site_config *conf, long port)
{
	const struct slurmctld_ports p = slurmctld_ports(conf);

	return !port || (port >= p.first && port <= p.last);
}

/* Names are the same up to the first dot: the rest is the domain. */
static bool is_name(const char *a, const char *b)
{
	size_t n = strcspn(a, ".");

	return n == strcspn(b, ".") && !strncasecmp(a, b, n);
}

static bool is_address(const char *text)
{
	struct in6_addr any;

	return inet_pton(AF_INET, text, &any) == 1 ||
	       inet_pton(AF_INET6, text, &any) == 1;
}

static bool is_ipv6(const char *text)
{
	struct in6_addr any;

	return inet_pton(AF_INET6, text, &any) == 1;
}

/* Whether both are one address, in whatever way it is written. */
static bool is_same_address(const char *a, const char *b)
{
	static const int families[] = {AF_INET, AF_INET6};

	for (size_t i = 0; i < 2; i++) {
		struct in6_addr x = {0}, y = {0};

		if (inet_pton(families[i], a, &x) == 1 &&
		    inet_pton(families[i], b, &y) == 1)
			return !memcmp(&x, &y, sizeof(x));
	}
	return false;
}

static bool has_name(const json_object *names, const char *host)
{
	for (size_t k = 0; jx_is(names, json_type_array) &&
			   k < json_object_array_length(names);
	     k++) {
		const char *name = json_object_get_string(
			json_object_array_get_idx(names, k));

		if (name && !strcasecmp(name, host))
			return true;
	}
	return false;
}

/*
 * What the template's hostAliases say of a name: a name may have several
 * addresses, of both families. The one that is `wanted` (NULL: any), else the
 * first; NULL: nothing.
 */
static const char *alias(const struct template *t, const char *host,
			 const char *wanted)
{
	const char *first = NULL;
	const json_object *list = jx_get(t->spec, "hostAliases");

	for (size_t i = 0;
	     jx_is(list, json_type_array) && i < json_object_array_length(list);
	     i++) {
		const json_object *one = json_object_array_get_idx(list, i);
		const char *ip = jx_str(one, "ip");

		if (!ip || !has_name(jx_get(one, "hostnames"), host))
			continue;
		if (wanted && is_same_address(ip, wanted))
			return ip;
		first = first ? first : ip;
	}
	return first;
}

/* SlurmctldAddr: where clients find it, whatever SlurmctldHost says; or NULL.
 */
static const char *common_address(const struct template *t)
{
	return site_config_get(t->conf, "SlurmctldAddr");
}

/*
 * Add a finding if hostAliases have `name`, a SlurmctldHost, at another address
 * than slurm.conf's `address`.
 */
static void aliased(struct template *t, const char *name, const char *address)
{
	const char *ip = alias(t, name, address), *common = common_address(t);
	char fix[FIX_MAX];

	if (!ip || !is_address(address) || is_same_address(ip, address) ||
	    (common && is_same_address(alias(t, name, common), common)))
		return;
	t->bad = true;
	snprintf(fix, sizeof(fix),
		 "pod template: hostAliases: ip: %s for %s" RELOAD, address,
		 name);
	findings_add(
		t->out, FINDING_WRONG, "hostAliases", fix,
		"nodeset %s: its pods look for %s at %s, and by slurm.conf "
		"(SlurmctldHost) it is at %s",
		t->set->name, name, ip, address);
}

static void aliases(struct template *t)
{
	struct slurmctld_host h;

	for (int i = 0; slurmctld_host_at(t->conf, i, &h); i++)
		aliased(t, h.name, h.address);
}

/* One address, or one name: of names up to the first dot. */
static bool is_named(const char *host, const char *by)
{
	if (is_address(host) || is_address(by))
		return is_same_address(host, by);
	return *by && is_name(host, by);
}

/* True if a pod that asks `host` asks the slurmctld at `h`. */
static bool is_of(const struct template *t, const char *host,
		  const struct slurmctld_host *h)
{
	const char *ip = alias(t, host, h->address);

	return is_named(host, h->name) || is_named(host, h->address) ||
	       (ip && is_same_address(ip, h->address));
}

static bool is_slurmctld(const struct template *t, const char *host)
{
	struct slurmctld_host h;

	for (int i = 0; slurmctld_host_at(t->conf, i, &h); i++)
		if (is_of(t, host, &h))
			return true;
	return common_address(t) && is_named(host, common_address(t));
}

/* "host:port", after a comma if it is not the first. */
static void add_server(const char *host, long port, char out[FIX_MAX])
{
	const size_t len = strlen(out);

	snprintf(out + len, FIX_MAX - len,
		 is_ipv6(host) ? "%s[%s]:%ld" : "%s%s:%ld", len ? "," : "",
		 host, port);
}

/* Where pods find each slurmctld: what SLURM_CONF_SERVER is to be. */
static void best_servers(const struct template *t, char out[FIX_MAX])
{
	const long port = slurmctld_ports(t->conf).first;
	struct slurmctld_host h;

	out[0] = '\0';
	if (common_address(t)) {
		add_server(common_address(t), port, out);
		return;
	}
	for (int i = 0; slurmctld_host_at(t->conf, i, &h); i++)
		add_server(alias(t, h.name, NULL) || !is_address(h.address)
				   ? h.name
				   : h.address,
			   port, out);
}

static void server_fix(const char *servers, char fix[FIX_MAX])
{
	snprintf(fix, FIX_MAX,
		 "pod template: SLURM_CONF_SERVER: %.1900s" RELOAD, servers);
}

static void server(struct template *t, const struct conf_server *s)
{
	const struct slurmctld_ports p = slurmctld_ports(t->conf);
	const char *ports = site_config_get(t->conf, "SlurmctldPort");
	char best[FIX_MAX] = "", fix[FIX_MAX];
	struct slurmctld_host any;

	if (!is_port(t->conf, s->port)) {
		t->bad = true;
		add_server(s->host, p.first, best);
		server_fix(best, fix);
		findings_add(t->out, FINDING_WRONG, "SLURM_CONF_SERVER", fix,
			     "nodeset %s: slurmd asks port %s for slurm.conf, "
			     "and slurmctld has %s (SlurmctldPort)",
			     t->set->name, s->port_text,
			     ports ? ports : "6817");
	} else if (slurmctld_host_at(t->conf, 0, &any) &&
		   !is_slurmctld(t, s->host) && !alias(t, s->host, NULL)) {
		t->bad = true;
		best_servers(t, best);
		server_fix(best, fix);
		findings_add(t->out, FINDING_WARN, "SLURM_CONF_SERVER", fix,
			     "nodeset %s: slurmd asks %s for slurm.conf, which "
			     "is no SlurmctldHost: make sure that it is "
			     "slurmctld",
			     t->set->name, s->host);
	}
}

/*
 * With two slurmctlds pods are to ask both: else none starts while the one that
 * is asked is down. A host that is no SlurmctldHost, or a name of both, may be
 * whichever runs.
 */
static void all_servers(struct template *t, const char *list)
{
	const char *rest = list;
	struct slurmctld_host h;
	struct conf_server s;
	char best[FIX_MAX], fix[FIX_MAX];
	bool all = true;

	while (conf_server_next(&rest, &s))
		if (!is_slurmctld(t, s.host) ||
		    (common_address(t) && is_named(s.host, common_address(t))))
			return;
	for (int i = 0; slurmctld_host_at(t->conf, i, &h); i++) {
		bool asked = false;

		for (rest = list; conf_server_next(&rest, &s);)
			asked |= is_of(t, s.host, &h);
		all &= asked;
	}
	if (all)
		return;
	t->bad = true;
	best_servers(t, best);
	server_fix(best, fix);
	findings_add(
		t->out, FINDING_WARN, "SLURM_CONF_SERVER", fix,
		"nodeset %s: slurmd asks only %s for slurm.conf, and Slurm "
		"has more controllers: while that one is down no pod "
		"starts",
		t->set->name, list);
}

static void servers(struct template *t)
{
	const char *list = env(t, "SLURM_CONF_SERVER"), *rest = list;
	struct conf_server s;
	bool any = false;

	while (conf_server_next(&rest, &s)) {
		server(t, &s);
		any = true;
	}
	if (any && !t->bad)
		all_servers(t, list);
}

static void munge_socket(struct template *t)
{
	const char *has = env(t, "MUNGE_SOCKET");
	char path[TEXT_MAX], fix[FIX_MAX];

	site_config_munge_socket(t->conf, path, sizeof(path));
	if (!has || str_eq(without_var(has), without_var(path)))
		return;
	t->bad = true;
	snprintf(fix, sizeof(fix), "pod template: MUNGE_SOCKET: %s" RELOAD,
		 path);
	findings_add(t->out, FINDING_WRONG, "AuthInfo", fix,
		     "nodeset %s: slurmd looks for munge at %s, and the "
		     "template's MUNGE_SOCKET is %s",
		     t->set->name, path, has);
}

/* The key, as packaging/worker takes it; other images do otherwise. */
static void key(struct template *t)
{
	const char *type = site_config_get(t->conf, "AuthType");
	const bool munge = type && strstr(type, "munge");
	const char *wanted = munge ? "munge" : "slurm";
	const char *other = munge ? "slurm" : "munge";
	char path[TEXT_MAX], fix[FIX_MAX];

	if (!type || (!munge && !strstr(type, "slurm")))
		return;
	if (munge)
		munge_socket(t);
	snprintf(path, sizeof(path), SECRETS "%s", wanted);
	if (mounts(t, path))
		return;
	snprintf(path, sizeof(path), SECRETS "%s", other);
	if (!mounts(t, path))
		return;
	t->bad = true;
	snprintf(fix, sizeof(fix),
		 "pod template: the Secret with %s.key at " SECRETS "%s" RELOAD,
		 wanted, wanted);
	findings_add(t->out, FINDING_WRONG, "AuthType", fix,
		     "nodeset %s: Slurm has %s, and the pods get %s.key "
		     "(" SECRETS "%s)",
		     t->set->name, type, other, other);
}

/* 2205 of "registry:5000/slurmd:22.05.8-1@sha256:..."; 0: it does not say. */
static int release_of_image(const char *image)
{
	const char *tag = strrchr(image, '/');
	char *minor;
	long major, m;

	tag = strchr(tag ? tag : image, ':');
	if (!tag)
		return 0;
	tag++;
	tag += str_starts(tag, "slurm-") ? 6 : *tag == 'v';
	if (!isdigit((unsigned char)tag[0]) ||
	    !isdigit((unsigned char)tag[1]) || tag[2] != '.' ||
	    !isdigit((unsigned char)tag[3]) ||
	    !isdigit((unsigned char)tag[4]) || isdigit((unsigned char)tag[5]))
		return 0;
	major = strtol(tag, &minor, 10);
	m = strtol(minor + 1, NULL, 10);
	/* Slurm's releases are of these months: others are an image's own */
	return major >= 20 && (m == 2 || m == 5 || m == 8 || m == 11)
		       ? (int)(major * 100 + m)
		       : 0;
}

/* A warning at most: a tag may mean something else. */
static void image(struct template *t, int release)
{
	const char *name = jx_str(t->slurmd, "image");
	const int has = name ? release_of_image(name) : 0;
	char fix[FIX_MAX];

	if (!has || has == release)
		return;
	t->bad = true;
	snprintf(fix, sizeof(fix),
		 "pod template: image: one with slurmd %02d.%02d, with this in "
		 "its tag" RELOAD,
		 release / 100, release % 100);
	findings_add(t->out, FINDING_WARN, "image", fix,
		     "nodeset %s: %s has slurmd %02d.%02d by its tag, and "
		     "slurmctld is %02d.%02d%s",
		     t->set->name, name, has / 100, has % 100, release / 100,
		     release % 100,
		     has > release ? ", which takes no newer one" : "");
}

/* SlurmdUser's uid: "name(uid)", as scontrol prints it; root's by default. */
static int64_t slurmd_uid(const struct site_config *conf)
{
	const char *value = site_config_get(conf, "SlurmdUser");
	const char *open = value ? strchr(value, '(') : NULL;

	return open ? strtoll(open + 1, NULL, 10) : 0;
}

/* A slurmd that is not SlurmdUser, usually root, ends at once. */
static void user(struct template *t)
{
	const json_object *own = jx_get(t->slurmd, "securityContext");
	const json_object *pods = jx_get(t->spec, "securityContext");
	const json_object *uid = jx_get(own, "runAsUser");
	const json_object *never = jx_get(own, "runAsNonRoot");
	const int64_t wanted = slurmd_uid(t->conf);
	char fix[FIX_MAX];

	uid = uid ? uid : jx_get(pods, "runAsUser");
	never = never ? never : jx_get(pods, "runAsNonRoot");
	if (jx_int(uid, wanted) == wanted &&
	    (wanted || !json_object_get_boolean(never)))
		return;
	t->bad = true;
	if (wanted) {
		snprintf(fix, sizeof(fix),
			 "pod template: runAsUser: %" PRId64
			 " in securityContext" RELOAD,
			 wanted);
		findings_add(t->out, FINDING_WRONG, "securityContext", fix,
			     "nodeset %s: slurmd is user %" PRId64
			     " there, and slurm.conf has SlurmdUser=%s, so it "
			     "does not start",
			     t->set->name, jx_int(uid, 0),
			     site_config_get(t->conf, "SlurmdUser"));
		return;
	}
	findings_add(t->out, FINDING_WRONG, "securityContext",
		     "pod template: take runAsUser and runAsNonRoot out of "
		     "securityContext" RELOAD,
		     "nodeset %s: slurmd is not root there, so it does not "
		     "start",
		     t->set->name);
}

static void deadline(struct template *t)
{
	const int64_t s = jx_int(jx_get(t->spec, "activeDeadlineSeconds"), -1);

	if (s < 0)
		return;
	t->bad = true;
	findings_add(t->out, FINDING_WARN, "activeDeadlineSeconds",
		     "pod template: take activeDeadlineSeconds out" RELOAD,
		     "nodeset %s: Kubernetes ends a pod after %" PRId64
		     " s, whatever jobs it has",
		     t->set->name, s);
}

void template_rules(const struct config *config, const struct site_config *conf,
		    int release, struct findings *out)
{
	for (size_t i = 0; i < config->n_nodesets; i++) {
		const struct nodeset *set = &config->nodesets[i];
		struct template t = {.set = set, .conf = conf, .out = out};

		t.spec = jx_get(set->template, "spec");
		t.slurmd = jx_by_name(jx_get(t.spec, "containers"),
				      set->container);
		servers(&t);
		aliases(&t);
		key(&t);
		image(&t, release);
		user(&t);
		deadline(&t);
		if (!t.bad)
			findings_add(out, FINDING_OK, "template", NULL,
				     "nodeset %s: it fits slurm.conf",
				     set->name);
	}
}
