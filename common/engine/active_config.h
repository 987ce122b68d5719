/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration in force, for the callbacks of plugins. Any thread; a lock
 * that is held for a moment only.
 */
#ifndef SLURMK8S_ENGINE_ACTIVE_CONFIG_H
#define SLURMK8S_ENGINE_ACTIVE_CONFIG_H

#include "config/config.h"

/* Share `c`, and give the one before back. */
void active_config_set(struct config *c);

/*
 * The configuration in force, which the caller gives back by config_free().
 * NULL: there has been none.
 */
struct config *active_config_get(void);

#endif
