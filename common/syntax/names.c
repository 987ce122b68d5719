/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "syntax/names.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/str.h"
#include "syntax/wellknown.h"

#define HASH_DIGITS 8
#define SUBDOMAIN_MAX 253

static bool is_alnum(char c)
{
	return isalnum((unsigned char)c) && (unsigned char)c < 0x80;
}

static bool well_formed(const char *s, bool lower, const char *inside)
{
	size_t n = strlen(s);

	if (n > DNS_LABEL_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		bool edge = i == 0 || i == n - 1;

		if (is_alnum(s[i]) && !(lower && isupper((unsigned char)s[i])))
			continue;
		if (edge || !strchr(inside, s[i]))
			return false;
	}
	return true;
}

bool name_is_dns_label(const char *s)
{
	return *s && well_formed(s, true, "-");
}

bool name_is_subdomain(const char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++) {
		bool edge =
			!i || i == n - 1 || s[i - 1] == '.' || s[i + 1] == '.';

		if ((s[i] >= 'a' && s[i] <= 'z') ||
		    (s[i] >= '0' && s[i] <= '9'))
			continue;
		if (edge || !strchr("-.", s[i]))
			return false;
	}
	return n && n <= SUBDOMAIN_MAX;
}

bool name_is_label_value(const char *s)
{
	return well_formed(s, false, "-_.");
}

/* Replace what is not allowed, cut, and add "-" and a hash of `name`. */
static void mangle(const char *name, bool lower, const char *inside,
		   char out[DNS_LABEL_MAX + 1])
{
	size_t n = strnlen(name, DNS_LABEL_MAX - HASH_DIGITS - 1);
	char hash[65] = "0000000000000000";

	sha256_hex(name, strlen(name), hash);
	for (size_t i = 0; i < n; i++) {
		char c =
			lower ? (char)tolower((unsigned char)name[i]) : name[i];

		out[i] = is_alnum(c) || (i && strchr(inside, c)) ? c : 'x';
	}
	snprintf(out + n, DNS_LABEL_MAX + 1 - n, "-%.*s", HASH_DIGITS, hash);
}

void name_pod_of_node(const char *node, char out[DNS_LABEL_MAX + 1])
{
	if (name_is_dns_label(node))
		str_copy(out, node, DNS_LABEL_MAX + 1);
	else
		mangle(node, true, "-", out);
}

void name_label_of(const char *name, char out[DNS_LABEL_MAX + 1])
{
	if (*name && name_is_label_value(name))
		str_copy(out, name, DNS_LABEL_MAX + 1);
	else
		mangle(name, false, "-_.", out);
}

void name_lease_of(const char *cluster, char out[DNS_LABEL_MAX + 1])
{
	_cleanup_free_ char *name = str_printf(WK_LEASE_PREFIX "%s", cluster);

	name_pod_of_node(name ? name : cluster, out);
}
