/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "syntax/names.h"
#include "t.h"

#define X62 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void kubernetes_rules_for_names_are_known(void)
{
	static const struct {
		const char *name;
		bool label, value;
	} rows[] = {
		{"cpu-1", true, true}, {"0", true, true},
		{"", false, true},     {"-a", false, false},
		{"a-", false, false},  {"CPU", false, true},
		{"a.b", false, true},  {"a_b", false, true},
		{"_a", false, false},  {"a b", false, false},
		{"a\n", false, false}, {"\xc3\xa9", false, false},
		{X62 "1", true, true}, {X62 "12", false, false},
		{"a/b", false, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].name);
		T_INT(name_is_dns_label(rows[i].name), rows[i].label);
		T_INT(name_is_label_value(rows[i].name), rows[i].value);
	}
}

static void subdomains_are_labels_with_dots(void)
{
	static const struct {
		const char *name;
		bool good;
	} rows[] = {
		{"a", true},	 {"a.b-c.0", true}, {"", false},
		{".a", false},	 {"a.", false},	    {"a..b", false},
		{"a.-b", false}, {"a-.b", false},   {"-a", false},
		{"a-", false},	 {"A", false},	    {"a_b", false},
		{"a b", false},	 {"a/b", false},    {"\xc3\xa9", false},
	};
	_cleanup_free_ char *longest = t_repeat("a", 253);
	_cleanup_free_ char *too_long = t_repeat("a", 254);

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].name);
		T_INT(name_is_subdomain(rows[i].name), rows[i].good);
	}
	T_OK(name_is_subdomain(longest));
	T_OK(!name_is_subdomain(too_long));
}

static void a_node_whose_name_kubernetes_allows_keeps_it(void)
{
	char pod[DNS_LABEL_MAX + 1];

	name_pod_of_node("gpu-07", pod);
	T_STR(pod, "gpu-07");
	name_pod_of_node(X62 "1", pod);
	T_STR(pod, X62 "1");
	name_label_of("GPU_07.a", pod);
	T_STR(pod, "GPU_07.a");
}

static void other_names_are_made_valid_with_a_hash(void)
{
	char pod[DNS_LABEL_MAX + 1], label[DNS_LABEL_MAX + 1];

	name_pod_of_node("GPU_07", pod);
	T_STR(pod, "gpux07-6d3a4143");
	name_label_of("-gpu/7-", label);
	T_STR(label, "xgpux7--2546130e");
}

static void names_that_differ_only_in_what_is_lost_stay_apart(void)
{
	static const char *const rows[] = {"N_1", "N.1",     "n_1",    "n.1",
					   "Nx1", X62 "aaa", X62 "aab"};
	char pods[T_COUNT(rows)][DNS_LABEL_MAX + 1];

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		name_pod_of_node(rows[i], pods[i]);
		for (size_t j = 0; j < i; j++)
			T_OK(strcmp(pods[i], pods[j]));
	}
}

static void whatever_goes_in_what_comes_out_is_valid(void)
{
	for (int c = 1; c < 256; c++)
		for (size_t n = 1; n < 80; n++) {
			char s[] = {(char)c, '\0'};
			_cleanup_free_ char *name = t_repeat(s, n);
			char out[DNS_LABEL_MAX + 1];
			bool ok;

			name_pod_of_node(name, out);
			ok = name_is_dns_label(out);
			name_label_of(name, out);
			ok = ok && *out && name_is_label_value(out);
			if (!ok)
				t_row("%zu times byte %d", n, c);
			T_NEED(ok);
		}
}

T_MAIN("names", T(kubernetes_rules_for_names_are_known),
       T(subdomains_are_labels_with_dots),
       T(a_node_whose_name_kubernetes_allows_keeps_it),
       T(other_names_are_made_valid_with_a_hash),
       T(names_that_differ_only_in_what_is_lost_stay_apart),
       T(whatever_goes_in_what_comes_out_is_valid))
