/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmctld_at.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* Copy a text. False, and *out is "": it has no room. */
static bool take(const char *from, size_t len, char out[SLURMCTLD_AT_MAX])
{
	const bool fits = len < SLURMCTLD_AT_MAX;

	snprintf(out, SLURMCTLD_AT_MAX, "%.*s", fits ? (int)len : 0, from);
	return fits;
}

bool slurmctld_host_at(const struct site_config *conf, int i,
		       struct slurmctld_host *out)
{
	const char *value, *open;
	char key[32];

	/* A single SlurmctldHost may have no number. */
	snprintf(key, sizeof(key), i ? "SlurmctldHost[%d]" : "SlurmctldHost",
		 i);
	value = site_config_get(conf, key);
	if (!value)
		return false;
	take(value, strcspn(value, "( "), out->name);
	open = strchr(value, '(');
	open = open ? open + 1 : "";
	take(open, strcspn(open, ")"), out->address);
	return true;
}

/*
 * The port at the beginning of a text, before `end` or the text's end; -1:
 * there is none.
 */
static long port_of(const char *text, char end)
{
	char *rest;
	const long port = strtol(text, &rest, 10);

	return port > 0 && port <= UINT16_MAX && (*rest == end || !*rest) ? port
									  : -1;
}

struct slurmctld_ports slurmctld_ports(const struct site_config *conf)
{
	const char *value = site_config_get(conf, "SlurmctldPort");
	const char *dash = value ? strchr(value, '-') : NULL;
	struct slurmctld_ports p = {.first = value ? port_of(value, '-') : -1};

	if (p.first < 0)
		p.first = SLURMCTLD_PORT;
	p.last = dash ? port_of(dash + 1, '\0') : p.first;
	if (p.last < p.first)
		p.last = p.first;
	return p;
}

/* Where ":port" begins in text[len]; NULL: there is none. */
static const char *colon_of(const char *text, size_t len)
{
	const char *colon = memchr(text, ':', len);
	const char *close = *text == '[' ? memchr(text, ']', len) : NULL;

	if (close)
		return close + 1 < text + len && close[1] == ':' ? close + 1
								 : NULL;
	/* An IPv6 address without a port has more than one colon. */
	if (colon && memchr(colon + 1, ':', (size_t)(text + len - colon) - 1))
		return NULL;
	return colon;
}

bool conf_server_next(const char **list, struct conf_server *out)
{
	const size_t len = str_next_item(list);
	const char *host = *list, *end = host + len, *colon;

	*out = (struct conf_server){0};
	if (!len)
		return false;
	colon = colon_of(host, len);
	if (colon) {
		snprintf(out->port_text, sizeof(out->port_text), "%.*s",
			 (int)(end - colon) - 1, colon + 1);
		out->port = port_of(out->port_text, '\0');
	}
	*list = end;
	end = colon ? colon : end;
	if (*host == '[' && end[-1] == ']') {
		host++;
		end--;
	}
	out->is_cut = end - host >= SLURMCTLD_AT_MAX;
	take(host, out->is_cut ? SLURMCTLD_AT_MAX - 1 : (size_t)(end - host),
	     out->host);
	return true;
}
