/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/active_config.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *current;

void active_config_set(struct config *c)
{
	struct config *old;

	pthread_mutex_lock(&lock);
	old = current;
	current = config_share(c);
	pthread_mutex_unlock(&lock);
	config_free(old);
}

struct config *active_config_get(void)
{
	struct config *c;

	pthread_mutex_lock(&lock);
	c = current ? config_share(current) : NULL;
	pthread_mutex_unlock(&lock);
	return c;
}
