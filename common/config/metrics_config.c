/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/metrics_config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define DEFAULT_METRICS_MS 15000
#define SUFFIX ".prom" /* what node_exporter reads of its folder */
/* NAME_MAX of Linux, less what the name of the file before it has more */
#define METRICS_FILE_NAME_MAX 250

/* The words of what is wrong with it; NULL: nothing. */
static const char *fault_of(const char *file)
{
	const char *name = strrchr(file, '/');

	if (*file != '/')
		return "must be an absolute path";
	for (const char *p = file; *p; p++)
		if (iscntrl((unsigned char)*p))
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
		return yaml_error(y, map, err, "metrics has no file");
	fault = fault_of(file);
	if (fault)
		return yaml_error(y, at, err, "file %s", fault);
	out->file = strdup(file);
	return out->file ? 0 : err_oom(err);
}

int metrics_config_read(const struct yaml *y, ynode n,
			struct metrics_config *out, struct err *err)
{
	static const char *const keys[] = {"file", "interval", "slurm", NULL};
	int rc;

	out->interval_ms = DEFAULT_METRICS_MS;
	if (!n)
		return 0;
	rc = yaml_only_keys(y, n, "metrics", keys, err);
	if (!rc)
		rc = read_file(y, n, out, err);
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
	c->file = NULL;
}
