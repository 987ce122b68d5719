/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/metrics_config.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "config/listen_address.h"

#define DEFAULT_METRICS_MS 15000
#define SUFFIX ".prom" /* ending of the files that node_exporter reads */
/*
 * NAME_MAX of Linux, less what ".", and ".tmp" add for the file that is written
 * before it is renamed.
 */
#define METRICS_FILE_NAME_MAX 250

/* What is wrong with the name of the file, in words; NULL: nothing. */
static const char *fault_of(const char *file)
{
	const char *name = strrchr(file, '/');

	if (*file != '/')
		return "must be an absolute path";
	if (str_has_control(file))
		return "must have no control characters";
	if (!str_ends(file, SUFFIX) || str_eq(name + 1, SUFFIX))
		return "must be a name that ends in " SUFFIX;
	if (strlen(name + 1) > METRICS_FILE_NAME_MAX)
		return "has too long a name";
	return NULL;
}

static int read_file(const struct yaml *y, ynode map,
		     struct metrics_config *out, struct err *err)
{
	ynode at = yaml_get(y, map, "file");
	const char *file = NULL, *fault;
	int rc = yaml_string(y, at, "file", &file, err);

	if (rc)
		return rc;
	if (!file)
		return 0;
	fault = fault_of(file);
	if (fault)
		return yaml_error(y, at, err, "file %s", fault);
	out->file = strdup(file);
	return out->file ? 0 : err_oom(err);
}

static int read_listen(const struct yaml *y, ynode map,
		       struct metrics_config *out, struct err *err)
{
	ynode at = yaml_get(y, map, "listen");
	struct sockaddr_storage address;
	const char *listen = NULL;
	socklen_t len;
	int rc = yaml_string(y, at, "listen", &listen, err);

	if (rc || !listen)
		return rc;
	if (listen_address(listen, &address, &len))
		return yaml_error(y, at, err,
				  "listen must be 127.0.0.1:PORT, [::1]:PORT "
				  "or unix:/PATH, for metrics are told on this "
				  "host only");
	out->listen = strdup(listen);
	return out->listen ? 0 : err_oom(err);
}

/*
 * True if file and socket have one path: each would be put in the other's
 * place, at each interval.
 */
static bool is_one_path(const struct metrics_config *c)
{
	const char *name, *socket = c->listen ? listen_path(c->listen) : NULL;
	size_t folder;

	if (!c->file || !socket)
		return false;
	name = strrchr(c->file, '/') + 1;
	folder = (size_t)(name - c->file);
	if (str_eq(socket, c->file))
		return true;
	/* The file is written under this name before it is renamed. */
	return !strncmp(socket, c->file, folder) && socket[folder] == '.' &&
	       str_starts(socket + folder + 1, name) &&
	       str_eq(socket + folder + 1 + strlen(name), ".tmp");
}

int metrics_config_read(const struct yaml *y, ynode n,
			struct metrics_config *out, struct err *err)
{
	static const char *const keys[] = {"file", "listen", "interval",
					   "slurm", NULL};
	int rc;

	out->interval_ms = DEFAULT_METRICS_MS;
	if (!n)
		return 0;
	rc = yaml_only_keys(y, n, "metrics", keys, err);
	if (!rc)
		rc = read_file(y, n, out, err);
	if (!rc)
		rc = read_listen(y, n, out, err);
	if (!rc && !out->file && !out->listen)
		rc = yaml_error(y, n, err, "metrics has no file and no listen");
	if (!rc && is_one_path(out))
		rc = yaml_error(y, n, err,
				"file and listen must not be one path");
	if (!rc)
		rc = yaml_duration(y, yaml_get(y, n, "interval"), "interval",
				   5000, 60000, &out->interval_ms, err);
	return rc ? rc
		  : yaml_duration(y, yaml_get(y, n, "slurm"), "slurm", 15000,
				  600000, &out->slurm_ms, err);
}

void metrics_config_clear(struct metrics_config *c)
{
	free(c->file);
	free(c->listen);
	c->file = c->listen = NULL;
}
