/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe_targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define SLURMCTLD_PORT 6817 /* slurm.conf(5) */
#define SERVER "SLURM_CONF_SERVER"

/* What names and addresses are made of; nothing that a program takes for an
 * option. */
static bool is_host(const char *s, size_t len)
{
	static const char of[] = "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";

	return len && strspn(s, of) >= len && *s != '-';
}

static void add(struct probe_targets *out, const char *host, size_t len,
		long port, const char *from)
{
	struct probe_target *t = &out->v[out->n];

	if (out->n == PROBE_TARGETS_MAX || len >= sizeof(t->host) ||
	    !is_host(host, len) || port <= 0 || port > UINT16_MAX)
		return;
	*t = (struct probe_target){.port = (uint16_t)port, .from = from};
	memcpy(t->host, host, len);
	for (size_t i = 0; i < out->n; i++)
		if (str_eq(out->v[i].host, t->host) &&
		    out->v[i].port == t->port)
			return;
	out->n++;
}

/* "controller(192.0.2.1)" is reached by what is in parentheses. */
static void add_slurmctld(struct probe_targets *out, const char *value,
			  long port)
{
	const char *open = strchr(value, '(');
	const char *host = open ? open + 1 : value;

	add(out, host, strcspn(host, open ? ")" : " "), port, "SlurmctldHost");
}

/* "host", "host:port", "[address]:port"; one of a list with commas. */
static void add_server(struct probe_targets *out, const char *item, size_t len,
		       long port)
{
	const char *end = item + len, *colon = memchr(item, ':', len);
	const char *close = *item == '[' ? memchr(item, ']', len) : NULL;

	if (close) {
		item++;
		colon = close + 1 < end && close[1] == ':' ? close + 1 : NULL;
		end = close;
	} else if (colon && memchr(colon + 1, ':', (size_t)(end - colon) - 1)) {
		colon = NULL; /* an address of IPv6 */
	} else if (colon) {
		end = colon;
	}
	if (colon)
		port = strtol(colon + 1, NULL, 10);
	add(out, item, (size_t)(end - item), port, SERVER);
}

void probe_targets(const struct site_config *conf, const json_object *container,
		   struct probe_targets *out)
{
	const char *servers =
		jx_str(jx_by_name(jx_get(container, "env"), SERVER), "value");
	const char *host = site_config_get(conf, "SlurmctldHost");
	const char *shared = site_config_get(conf, "SlurmctldAddr");
	long port = (long)site_config_number(conf, "SlurmctldPort");
	char key[32];
	size_t len;

	*out = (struct probe_targets){0};
	if (port <= 0)
		port = SLURMCTLD_PORT;
	if (shared) {
		add(out, shared, strlen(shared), port, "SlurmctldAddr");
		host = NULL;
	}
	for (int i = 1; host && i <= PROBE_TARGETS_MAX; i++) {
		add_slurmctld(out, host, port);
		snprintf(key, sizeof(key), "SlurmctldHost[%d]", i);
		host = site_config_get(conf, key);
	}
	for (; (len = str_next_item(&servers)); servers += len)
		add_server(out, servers, len, port);
}
