/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does slurmctld load our plugin? From the plugin as it was built. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elfsym.h"
#include "base/fs.h"
#include "base/str.h"
#include "slurm/ctl.h"
#include "slurm/ctl_plugin.h"
#include "slurm/release.h"
#include "t.h"

static char *plugin;
static size_t plugin_len;

static void read_plugin(void)
{
	if (!plugin &&
	    fs_read_file(T_PLUGIN, 64u << 20, &plugin, &plugin_len, NULL))
		abort();
}

/* Its plugin_version, in our copy of the file. */
static uint8_t *version_of(char *file)
{
	size_t n = 0;

	return (uint8_t *)elfsym_find(file, plugin_len, "plugin_version", &n);
}

static void what_it_exports_is_found(void)
{
	const char *type;
	uint32_t version;
	size_t n = 0;

	read_plugin();
	type = elfsym_find(plugin, plugin_len, "plugin_type", &n);
	T_NEED(type != NULL);
	T_INT(n, sizeof("sched/bridge"));
	T_STR(type, "sched/bridge");
	T_NEED(version_of(plugin) != NULL);
	memcpy(&version, version_of(plugin), sizeof(version));
	T_INT(version, SLURM_VERSION_NUMBER);
	T_OK(!elfsym_find(plugin, plugin_len, "plugin_typ", &n));
	T_OK(!elfsym_find(plugin, plugin_len, "", &n));
	T_OK(!elfsym_find(plugin, plugin_len, "slurm_info", &n));
}

/* (ASan watches: each copy has its own memory, of its own length) */
static void a_broken_file_is_read_within_its_bounds(void)
{
	uint64_t seed = 1;
	size_t n = 0;

	read_plugin();
	T_OK(!elfsym_find("", 0, "plugin_type", &n));
	T_OK(!elfsym_find("\177ELF", 4, "plugin_type", &n));
	for (int i = 0; i < 300; i++) {
		size_t len = plugin_len / 300 * (size_t)i;
		_cleanup_free_ char *copy = malloc(len + 1);
		const void *got;

		memcpy(copy, plugin, len);
		got = elfsym_find(copy, len, "plugin_type", &n);
		T_OK(!got || ((const char *)got >= copy &&
			      (const char *)got + n <= copy + len));
	}
	for (int i = 0; i < 300; i++) {
		_cleanup_free_ char *copy = malloc(plugin_len);
		const char *got;

		memcpy(copy, plugin, plugin_len);
		for (int j = 0; j < 50; j++) {
			seed = seed * 6364136223846793005ULL + 1;
			/* half of them where the headers are */
			copy[(seed >> 33) % (j % 2 ? 64 : plugin_len)] =
				(char)(seed >> 20);
		}
		memcpy(copy, plugin, 6);
		got = elfsym_find(copy, plugin_len, "plugin_type", &n);
		T_OK(!got || (got >= copy && got + n <= copy + plugin_len));
	}
}

enum what { OURS, OLDER, FOREIGN, TEXT };

static void put(const char *dir, const char *name, enum what what)
{
	_cleanup_free_ char *path = str_printf("%s/%s", t_path(dir), name);
	_cleanup_free_ char *copy = malloc(plugin_len);
	_cleanup_fclose_ FILE *f = NULL;
	size_t n = 0;

	mkdir(t_path(dir), 0755);
	memcpy(copy, plugin, plugin_len);
	if (what == OLDER)
		version_of(copy)[0]--;
	if (what == FOREIGN)
		memcpy((char *)elfsym_find(copy, plugin_len, "plugin_type", &n),
		       "sched/other", 12);
	f = fopen(path, "w");
	if (!f || fwrite(copy, 1, what == TEXT ? 10 : plugin_len, f) < 10)
		abort();
}

static void only_ours_of_another_version_is_refused(void)
{
	static const struct {
		const char *dirs, *scheduler; /* folders below ours */
		bool refused;
	} rows[] = {
		{"older", "sched/backfill", true},
		{"nothing:older:foreign", "sched/backfill", true},
		{"older:older", "sched/backfill", true},
		{"ours", "sched/backfill", false},
		{"ours:older", "sched/backfill", false},
		/* Slurm takes the next one */
		{"older:ours", "sched/backfill", false},
		/* Slurm's own is before it: nobody wants the engine */
		{"foreign:older", "sched/backfill", false},
		{"text:older", "sched/backfill", false},
		{"older", "sched/builtin", false},
		{"nothing", "sched/backfill", false},
		{"", "sched/backfill", false},
	};

	read_plugin();
	put("ours", "sched_backfill.so", OURS);
	put("older", "sched_backfill.so", OLDER);
	put("foreign", "sched_backfill.so", FOREIGN);
	put("text", "sched_backfill.so", TEXT);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *list = strdup("");
		struct err err = {0};

		t_row("%s %s", rows[i].dirs, rows[i].scheduler);
		for (const char *p = rows[i].dirs; *p; p += *p == ':') {
			size_t len = strcspn(p, ":");
			char *more =
				str_printf("%s%s%s%.*s", list, *list ? ":" : "",
					   t_path(""), (int)len, p);

			free(list);
			list = more;
			p += len;
		}
		T_INT(ctl_plugin_refused_by(list, rows[i].scheduler,
					    ctl_version(), &err),
		      rows[i].refused);
		if (!rows[i].refused)
			continue;
		T_HAS(err.msg, "sched_backfill.so is for Slurm ");
		T_HAS(err.msg, ctl_version());
		T_HAS(err.msg, "no engine runs");
		T_OK(strlen(err.msg) + 5 < WK_REASON_MAX); /* "k8s: " */
	}
}

static void a_version_is_compared_down_to_the_micro_release(void)
{
	_cleanup_free_ char *dir = strdup(t_path("ours"));
	_cleanup_free_ char *more = str_printf("%s-0rc1", ctl_version());
	_cleanup_free_ char *newer = str_printf("%s9", ctl_version());
	static const char *const none[] = {"",	"26",	     "26.05",
					   "x", "26.05.999", "9999.1.1"};
	struct err err = {0};

	read_plugin();
	put("ours", "sched_backfill.so", OURS);
	T_OK(!ctl_plugin_refused_by(dir, "sched/backfill", more, &err));
	T_OK(ctl_plugin_refused_by(dir, "sched/backfill", newer, &err));
	for (size_t i = 0; i < T_COUNT(none); i++)
		T_OK(!ctl_plugin_refused_by(dir, "sched/backfill", none[i],
					    &err));
}

static slurm_conf_t conf;

int __wrap_slurm_load_ctl_conf(time_t since, slurm_conf_t **out);
int __wrap_slurm_load_ctl_conf(time_t since, slurm_conf_t **out)
{
	(void)since;
	*out = &conf;
	return 0;
}

void __wrap_slurm_free_ctl_conf(slurm_conf_t *c);
void __wrap_slurm_free_ctl_conf(slurm_conf_t *c)
{
	(void)c;
}

/* What lies here says nothing of what slurmctld loads elsewhere. */
static void only_the_controllers_own_files_are_looked_at(void)
{
	char host[256] = "", domain[300], words[WK_REASON_MAX];
	struct {
		const char *hosts[2];
		bool refused;
	} rows[] = {
		{{host, "elsewhere"}, true},
		{{"elsewhere", host}, true},
		{{"elsewhere", "beyond"}, false},
		{{domain, "elsewhere"}, false},
		{{"", ""}, false},
	};

	read_plugin();
	put("older", "sched_backfill.so", OLDER);
	gethostname(host, sizeof(host) - 1);
	snprintf(domain, sizeof(domain), "%s.not-ours", host);
	conf.plugindir = (char *)t_path("older");
	conf.schedtype = (char *)"sched/backfill";
	conf.version = (char *)ctl_version();
	conf.control_cnt = 2;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};

		t_row("%s %s", rows[i].hosts[0], rows[i].hosts[1]);
		conf.control_machine = (char **)rows[i].hosts;
		T_INT(ctl_plugin_refused(&err), rows[i].refused);
		if (!rows[i].refused)
			continue;
		T_HAS(err.msg, " on ");
		T_HAS(err.msg, host);
		ctl_reason(err.msg, words);
		T_OK(ctl_plugin_says(words));
		T_OK(!ctl_plugin_says(err.msg));
	}
	T_OK(!ctl_plugin_says(NULL));
	T_OK(!ctl_plugin_says(""));
	T_OK(!ctl_plugin_says("k8s: quota"));
	T_OK(!ctl_plugin_says("no engine runs"));
	conf.control_machine = NULL;
	T_OK(!ctl_plugin_refused(NULL));
}

T_MAIN("ctl_plugin", T(only_the_controllers_own_files_are_looked_at),
       T(what_it_exports_is_found), T(a_broken_file_is_read_within_its_bounds),
       T(only_ours_of_another_version_is_refused),
       T(a_version_is_compared_down_to_the_micro_release))
