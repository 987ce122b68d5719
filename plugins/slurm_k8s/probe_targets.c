/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe_targets.h"

#include <string.h>

#include "base/str.h"
#include "slurmctld_at.h"

#define SERVER "SLURM_CONF_SERVER"

/*
 * True if the text has only what names and addresses are made of, and no
 * program takes it for an option.
 */
static bool is_host(const char *s)
{
	static const char of[] = "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";

	return *s && !s[strspn(s, of)] && *s != '-';
}

static void add(struct probe_targets *out, const char *host, long port,
		const char *from)
{
	struct probe_target *t = &out->v[out->n];

	if (out->n == PROBE_TARGETS_MAX || strlen(host) >= sizeof(t->host) ||
	    !is_host(host) || port <= 0)
		return;
	*t = (struct probe_target){.port = (uint16_t)port, .from = from};
	str_copy(t->host, host, sizeof(t->host));
	for (size_t i = 0; i < out->n; i++)
		if (str_eq(out->v[i].host, t->host) &&
		    out->v[i].port == t->port)
			return;
	out->n++;
}

void probe_targets(const struct site_config *conf, const json_object *container,
		   struct probe_targets *out)
{
	const char *servers =
		jx_str(jx_by_name(jx_get(container, "env"), SERVER), "value");
	const char *shared = site_config_get(conf, "SlurmctldAddr");
	const long port = slurmctld_ports(conf).first;
	struct slurmctld_host h;
	struct conf_server s;

	*out = (struct probe_targets){0};
	if (shared)
		add(out, shared, port, "SlurmctldAddr");
	/* "controller(192.0.2.1)" is reached by what is in parentheses */
	for (int i = 0;
	     !shared && i < PROBE_TARGETS_MAX && slurmctld_host_at(conf, i, &h);
	     i++)
		add(out, *h.address ? h.address : h.name, port,
		    "SlurmctldHost");
	while (conf_server_next(&servers, &s))
		if (!s.is_cut)
			add(out, s.host, s.port ? s.port : port, SERVER);
}
