/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens and closes an API server of the test's own, which answers by its wraps.
 */
#ifndef SLURMK8S_TESTS_API_FIXTURE_H
#define SLURMK8S_TESTS_API_FIXTURE_H

#include "api_server.h"

int __wrap_api_open(struct api_server *s, const struct cluster_config *k,
		    struct err *err);
int __wrap_api_open(struct api_server *s, const struct cluster_config *k,
		    struct err *err)
{
	(void)err;
	*s = (struct api_server){.k = k};
	return 0;
}

void __wrap_api_close(struct api_server *s);
void __wrap_api_close(struct api_server *s)
{
	(void)s;
}

#endif
