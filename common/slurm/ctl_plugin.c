/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_plugin.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/elfsym.h"
#include "base/fs.h"
#include "base/str.h"
#include "slurm/ctl.h"
#include "slurm/release.h"
#include "slurm/rpc.h"
#include "syntax/wellknown.h"

#define PLUGIN_MAX (16u * 1024 * 1024)
#define OUR_TYPE "sched/bridge"
#define SAYS "so it does not load it: no engine runs. Install slurm-k8s for "
#define HOST_SHOWN 40
#define NAMES_MAX (16u << 20) /* bytes of 65536 names */

enum verdict {
	/* another's, or unreadable: whether Slurm loads it is not known */
	NOT_OURS,
	OURS_LOADED,
	OURS_REFUSED,
};

/*
 * The number of "24.11.5" and what may follow, as SLURM_VERSION_NUMBER; 0: no
 * version.
 */
static uint32_t number_of(const char *version)
{
	unsigned long part[3];
	char *end;

	for (int i = 0; i < 3; i++) {
		if (!version || *version < '0' || *version > '9')
			return 0;
		part[i] = strtoul(version, &end, 10);
		if (part[i] > 0xff || (i < 2 && *end != '.'))
			return 0;
		version = end + 1;
	}
	return (uint32_t)SLURM_VERSION_NUM(part[0], part[1], part[2]);
}

static enum verdict judge(const char *file, uint32_t running, uint32_t *built)
{
	_cleanup_free_ char *data = NULL;
	const void *type, *version;
	size_t len = 0, n = 0;

	if (fs_read_file(file, PLUGIN_MAX, &data, &len, NULL))
		return NOT_OURS;
	type = elfsym_find(data, len, "plugin_type", &n);
	if (!type || n != sizeof(OUR_TYPE) || memcmp(type, OUR_TYPE, n) != 0)
		return NOT_OURS;
	version = elfsym_find(data, len, "plugin_version", &n);
	if (!version || n != sizeof(*built))
		return NOT_OURS;
	memcpy(built, version, sizeof(*built));
	return *built == running ? OURS_LOADED : OURS_REFUSED;
}

static char *file_of(const char *scheduler)
{
	char *name = str_printf("%s.so", scheduler);

	for (char *p = name; p && *p; p++)
		if (*p == '/')
			*p = '_';
	return name;
}

static void this_host(char out[HOST_NAME_MAX + 1])
{
	*out = '\0';
	gethostname(out, HOST_NAME_MAX + 1);
	out[HOST_NAME_MAX] = '\0';
}

static bool say(const char *file, uint32_t built, const char *running,
		struct err *why)
{
	const char *name = strrchr(file, '/');
	char host[HOST_NAME_MAX + 1];

	this_host(host);
	err_set(why, -ENOEXEC,
		"%s is for Slurm %u.%02u.%u and slurmctld is %s, " SAYS
		"%s on %.*s",
		name ? name + 1 : file, SLURM_VERSION_MAJOR(built),
		SLURM_VERSION_MINOR(built), SLURM_VERSION_MICRO(built), running,
		running, HOST_SHOWN, host);
	return true;
}

bool ctl_plugin_says(const char *comment)
{
	return comment && str_starts(comment, WK_REASON_PREFIX) &&
	       strstr(comment, SAYS);
}

bool ctl_plugin_refused_by(const char *plugin_dir, const char *scheduler,
			   const char *version, struct err *why)
{
	_cleanup_free_ char *name = file_of(scheduler);
	uint32_t running = number_of(version), built = 0, first = 0;

	if (!running || !name)
		return false;
	for (const char *p = plugin_dir; *p; p += *p == ':') {
		size_t len = strcspn(p, ":");
		_cleanup_free_ char *file =
			str_printf("%.*s/%s", (int)len, p, name);
		enum verdict v;
		struct stat st;

		p += len;
		if (!file || stat(file, &st) || !S_ISREG(st.st_mode))
			continue;
		v = judge(file, running, &built);
		if (v == OURS_LOADED)
			return false;
		if (v == NOT_OURS)
			break;
		first = first ? first : built;
	}
	return first && say(name, first, version, why);
}

int ctl_plugin_unsay(const struct ctl_nodes *n, struct err *err)
{
	_cleanup_buf_ struct buf list = BUF_INIT(NAMES_MAX);
	struct ctl_node node;

	for (size_t i = 0; ctl_nodes_at(n, i, &node); i++)
		if (ctl_plugin_says(node.comment) &&
		    buf_add_item(&list, node.name))
			return err_oom(err);
	return list.len ? ctl_node_update(buf_str(&list), CTL_SET_COMMENT, "",
					  err)
			: 0;
}

bool rpc_is_this_host(const char *name)
{
	char host[HOST_NAME_MAX + 1];

	this_host(host);
	if (str_eq(name, host))
		return true;
	host[strcspn(host, ".")] = '\0';
	return str_eq(name, host);
}

/* True if this host is a SlurmctldHost. */
static bool is_controller(const slurm_conf_t *conf)
{
	for (uint32_t i = 0; conf->control_machine && i < conf->control_cnt;
	     i++)
		if (rpc_is_this_host(conf->control_machine[i]))
			return true;
	return false;
}

bool ctl_plugin_refused(struct err *why)
{
	slurm_conf_t *conf = NULL;
	bool refused;

	if (slurm_load_ctl_conf(0, &conf))
		return false;
	refused = conf->plugindir && conf->schedtype && conf->version &&
		  is_controller(conf) &&
		  ctl_plugin_refused_by(conf->plugindir, conf->schedtype,
					conf->version, why);
	release_free_conf(conf);
	return refused;
}
