/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "slurmctld_at.h"
#include "t.h"

static void hosts_have_a_name_and_perhaps_an_address(void)
{
	static const struct {
		const char *value, *name, *address;
	} rows[] = {
		{"a", "a", ""},
		{"a(192.0.2.1)", "a", "192.0.2.1"},
		{"a (b.example.org)", "a", "b.example.org"},
		{"a(2001:db8::1", "a", "2001:db8::1"},
		{"(b)", "", "b"},
	};
	struct slurmctld_host h;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			str_printf("SlurmctldHost = x\nSlurmctldHost[1] = %s\n",
				   rows[i].value);
		_cleanup_(site_config_freep) struct site_config *c =
			site_config_read(text);

		t_row("%s", rows[i].value);
		T_OK(slurmctld_host_at(c, 0, &h));
		T_STR(h.name, "x");
		T_OK(slurmctld_host_at(c, 1, &h));
		T_STR(h.name, rows[i].name);
		T_STR(h.address, rows[i].address);
		T_OK(!slurmctld_host_at(c, 2, &h));
	}
}

static void a_host_that_is_too_long_is_none(void)
{
	_cleanup_free_ char *most = t_repeat("x", SLURMCTLD_AT_MAX - 1);
	_cleanup_free_ char *text = str_printf(
		"SlurmctldHost[0] = %s(%sx)\nSlurmctldHost[1] = %sx(%s)\n",
		most, most, most, most);
	_cleanup_(site_config_freep) struct site_config *c =
		site_config_read(text);
	struct slurmctld_host h;

	T_OK(slurmctld_host_at(c, 0, &h));
	T_STR(h.name, most);
	T_STR(h.address, "");
	T_OK(slurmctld_host_at(c, 1, &h));
	T_STR(h.name, "");
	T_STR(h.address, most);
}

static void ports_are_one_or_a_range(void)
{
	static const struct {
		const char *conf;
		long first, last;
	} rows[] = {
		{"", 6817, 6817},
		{"SlurmctldPort = 7000\n", 7000, 7000},
		{"SlurmctldPort = 7000-7003\n", 7000, 7003},
		{"SlurmctldPort = 7003-7000\n", 7003, 7003},
		{"SlurmctldPort = 0\n", 6817, 6817},
		{"SlurmctldPort = 65536\n", 6817, 6817},
		{"SlurmctldPort = 70x\n", 6817, 6817},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(site_config_freep) struct site_config *c =
			site_config_read(rows[i].conf);
		const struct slurmctld_ports p = slurmctld_ports(c);

		t_row("%s", rows[i].conf);
		T_INT(p.first, rows[i].first);
		T_INT(p.last, rows[i].last);
	}
}

static void servers_have_a_host_and_perhaps_a_port(void)
{
	static const struct {
		const char *text, *host;
		long port;
		const char *port_text;
	} rows[] = {
		{"a", "a", 0, ""},
		{"a:6817", "a", 6817, "6817"},
		{"a:", "a", -1, ""},
		{"a:0", "a", -1, "0"},
		{"a:65536", "a", -1, "65536"},
		{"a:65535", "a", 65535, "65535"},
		{"a:68x", "a", -1, "68x"},
		{"a:12345678", "a", -1, "1234567"},
		{"2001:db8::1", "2001:db8::1", 0, ""},
		{"[2001:db8::1]", "2001:db8::1", 0, ""},
		{"[2001:db8::1]:7", "2001:db8::1", 7, "7"},
		{"[2001:db8::1", "[2001:db8::1", 0, ""},
		{"[a]7", "[a]7", 0, ""},
		{"[", "[", 0, ""},
		{"[]", "", 0, ""},
		{"]", "]", 0, ""},
		{":7", "", 7, "7"},
		{":", "", -1, ""},
	};
	struct conf_server s;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const char *list = rows[i].text;

		t_row("%s", rows[i].text);
		if (T_OK(conf_server_next(&list, &s))) {
			T_STR(s.host, rows[i].host);
			T_INT(s.port, rows[i].port);
			T_STR(s.port_text, rows[i].port_text);
			T_OK(!s.is_cut);
		}
		T_OK(!conf_server_next(&list, &s));
	}
}

static void servers_are_a_list(void)
{
	_cleanup_free_ char *most = t_repeat("x", SLURMCTLD_AT_MAX - 1);
	_cleanup_free_ char *text =
		str_printf("a:1,,[::1]:2,%s,%sx", most, most);
	const char *list = text, *none = NULL;
	struct conf_server s;

	T_OK(conf_server_next(&list, &s));
	T_STR(s.host, "a");
	T_OK(conf_server_next(&list, &s));
	T_STR(s.host, "::1");
	T_INT(s.port, 2);
	T_OK(conf_server_next(&list, &s) && !s.is_cut);
	T_STR(s.host, most);
	T_OK(conf_server_next(&list, &s) && s.is_cut);
	T_STR(s.host, most);
	T_OK(!conf_server_next(&list, &s));
	T_OK(!conf_server_next(&none, &s));
}

T_MAIN("slurmctld_at", T(hosts_have_a_name_and_perhaps_an_address),
       T(a_host_that_is_too_long_is_none), T(ports_are_one_or_a_range),
       T(servers_have_a_host_and_perhaps_a_port), T(servers_are_a_list))
