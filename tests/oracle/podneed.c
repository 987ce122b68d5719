/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What our library says of pods, a line of JSON each from stdin, in the words
 * of main.go, which asks Kubernetes' functions.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "objects/pod_requests.h"
#include "json/json.h"

/* All that pods.py has */
static const char *const kinds[] = {"hugepages-2Mi", "hugepages-1Gi",
				    "nvidia.com/gpu", "amd.com/gpu",
				    "example.com/fpga"};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

typedef int reckon(const json_object *pod, struct pod_requests *out,
		   struct err *err);

static int held(const json_object *pod, struct pod_requests *out,
		struct err *err)
{
	int64_t counts[KINDS];
	int rc = pod_requests_held_of(pod, kinds, KINDS, out, counts, err);

	for (size_t i = 0; !rc && i < KINDS; i++) {
		if (counts[i] == INT64_MAX)
			return err_set(err, -ERANGE, "it requests too much");
		if (!counts[i])
			continue;
		strcpy(out->ext[out->n_ext].name, kinds[i]);
		out->ext[out->n_ext++].count = counts[i];
	}
	return rc;
}

/* (names are Kubernetes' own and need no quoting) */
static void say(const char *what, reckon *of, const json_object *pod)
{
	struct pod_requests need;
	struct err err = {0};
	const char *comma = "";

	printf("\"%s\":", what);
	if (of(pod, &need, &err)) {
		printf("\"%s\"", strstr(err.msg, "requests too much")
					 ? "too much"
					 : err.msg);
		return;
	}
	printf("{");
	if (need.cpu_milli) {
		printf("\"cpu\":%" PRId64, need.cpu_milli);
		comma = ",";
	}
	if (need.memory_bytes) {
		printf("%s\"memory\":%" PRId64, comma, need.memory_bytes);
		comma = ",";
	}
	for (uint32_t i = 0; i < need.n_ext; i++) {
		printf("%s\"%s\":%" PRId64, comma, need.ext[i].name,
		       need.ext[i].count);
		comma = ",";
	}
	printf("}");
}

int main(void)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	ssize_t len;

	while ((len = getline(&line, &size, stdin)) > 0) {
		_cleanup_json_ json_object *pod = NULL;
		struct err err = {0};

		if (jx_parse(line, (size_t)len, &pod, &err)) {
			fprintf(stderr, "%s: %s", err.msg, line);
			return 1;
		}
		printf("{");
		say("asks", pod_requests_of, pod);
		printf(",");
		say("holds", held, pod);
		printf("}\n");
	}
	return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
