/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "example_rules.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "json/json.h"

#define WHERE_MAX 512
/* What names and addresses of IPv4 are made of. */
#define HOST_CHARS                                                             \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"

static bool is_in_net(const char *host)
{
	static const char *const nets[] = {"192.0.2.", "198.51.100.",
					   "203.0.113."};
	struct in_addr any;

	for (size_t i = 0; i < sizeof(nets) / sizeof(*nets); i++)
		if (str_starts(host, nets[i]))
			return inet_pton(AF_INET, host, &any) == 1;
	return false;
}

static bool is_below(const char *host, const char *domain)
{
	const size_t len = strlen(host), end = strlen(domain);

	return len > end && !strcasecmp(host + len - end, domain);
}

bool example_find(const char *text, char out[EXAMPLE_MAX])
{
	size_t len;

	for (; *(text += strcspn(text, HOST_CHARS)); text += len) {
		len = strspn(text, HOST_CHARS);
		snprintf(out, EXAMPLE_MAX, "%.*s",
			 len < EXAMPLE_MAX ? (int)len : EXAMPLE_MAX - 1, text);
		if (is_in_net(out) || is_below(out, ".example.org") ||
		    is_below(out, ".example.com"))
			return true;
	}
	out[0] = '\0';
	return false;
}

static void tell(const char *where, const char *has, struct findings *out)
{
	char fix[WHERE_MAX + EXAMPLE_MAX + 64];

	snprintf(fix, sizeof(fix), "%s: write your own in the place of %s",
		 where, has);
	findings_add(out, FINDING_WARN, "address", fix,
		     "%s has %s, which is an address of examples: nobody is "
		     "there",
		     where, has);
}

/* Add a finding for the first address in slurm.conf. True: there is one. */
static bool in_slurm_conf(const char *text, struct findings *out)
{
	for (int line = 1; *text; line++) {
		const size_t len = strcspn(text, "\n");
		_cleanup_free_ char *one = strndup(text, len);
		char has[EXAMPLE_MAX], where[WHERE_MAX];

		if (!one) {
			out->incomplete = true;
			return true;
		}
		one[strcspn(one, "#")] = '\0';
		snprintf(where, sizeof(where), "slurm.conf, line %d", line);
		if (example_find(one, has)) {
			tell(where, has, out);
			return true;
		}
		text += len + (text[len] == '\n');
	}
	return false;
}

/*
 * Whether this member of a pod names hosts. Keys of labels and taints, and
 * names of drivers and resources, may be below a domain that nobody looks up.
 */
static bool names_hosts(const char *member)
{
	static const char *const all[] = {
		"image",       "value",	    "command",	"args",
		"ip",	       "hostnames", "server",	"host",
		"nameservers", "searches",  "monitors",
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (str_eq(member, all[i]))
			return true;
	return false;
}

/*
 * Look for the first example address in the JSON value of `member`, which has
 * JX_DEPTH_MAX levels at most. Returns the member that has it; NULL: none.
 */
static const char *in_json(const json_object *o, const char *member,
			   char has[EXAMPLE_MAX])
{
	const char *found = NULL;

	if (jx_is(o, json_type_string))
		return names_hosts(member) &&
				       example_find(json_object_get_string(
							    (json_object *)o),
						    has)
			       ? member
			       : NULL;
	if (jx_is(o, json_type_array))
		for (size_t i = 0; !found && i < json_object_array_length(o);
		     i++)
			found = in_json(json_object_array_get_idx(o, i), member,
					has);
	if (jx_is(o, json_type_object)) {
		json_object_object_foreach((json_object *)o, key, value)
		{
			found = in_json(value, key, has);
			if (found)
				break;
		}
	}
	return found;
}

/*
 * Add a finding for the first address in a pod's JSON. True: there is one.
 * `what`: "nodeset cpu: pod template".
 */
static bool in_pods(const json_object *o, const char *what,
		    struct findings *out)
{
	char has[EXAMPLE_MAX], where[WHERE_MAX];
	const char *member = in_json(o, "", has);

	if (!member)
		return false;
	snprintf(where, sizeof(where), "%s: %s", what, member);
	tell(where, has, out);
	return true;
}

static bool in_config(const struct config *config, struct findings *out)
{
	char what[WHERE_MAX / 2];
	bool any = false;

	for (size_t i = 0; i < config->n_nodesets; i++) {
		snprintf(what, sizeof(what), "pod template of nodeset %s",
			 config->nodesets[i].name);
		any |= in_pods(config->nodesets[i].template, what, out);
	}
	for (size_t i = 0; i < config->features.n; i++) {
		snprintf(what, sizeof(what), "k8s.yaml, patch of feature %s",
			 config->features.v[i].name);
		any |= in_pods(config->features.v[i].patch, what, out);
	}
	return any;
}

void example_rules(const struct config *config, const char *conf_text,
		   struct findings *out)
{
	bool any = conf_text && in_slurm_conf(conf_text, out);

	any |= config && in_config(config, out);
	if (!any && (conf_text || config))
		findings_add(out, FINDING_OK, "address", NULL,
			     "none of examples in %s%s%s",
			     conf_text ? "slurm.conf" : "",
			     conf_text && config ? " and " : "",
			     config ? "the pod templates" : "");
}
