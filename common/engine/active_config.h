/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration in force, for the callbacks of plugins. Any thread. */
#ifndef SLURMK8S_ENGINE_ACTIVE_CONFIG_H
#define SLURMK8S_ENGINE_ACTIVE_CONFIG_H

#include "config/config.h"

/* Shares it; the one before is let go. */
void active_config_set(struct config *c);

/* NULL: there has been none. The caller calls config_free(). */
struct config *active_config_get(void);

#endif
