/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kubernetes' quantities: "1500m", "2Gi", "1e3". The grammar is that of
 * k8s.io/apimachinery/pkg/api/resource (Quantity). Exact, in integers. Pure.
 * Any thread.
 */
#ifndef SLURMK8S_SYNTAX_QUANTITY_H
#define SLURMK8S_SYNTAX_QUANTITY_H

#include <stdint.h>

#include "base/err.h"
#include "json/json.h"

#define QUANTITY_TEXT_MAX 64

/*
 * Thousandths of a unit. A quantity has at most QUANTITY_MAX of them, which is
 * INT64_MAX units, and billions of such are added without overflow.
 */
__extension__ typedef __int128 quantity_milli;
#define QUANTITY_MAX ((quantity_milli)INT64_MAX * 1000)

/*
 * Read a quantity, rounded away from 0 to thousandths, as the API server does.
 * 0; with words, *milli left alone: -EINVAL: it is none; -ERANGE: more than
 * QUANTITY_MAX, or more digits than we count exactly.
 */
int quantity_parse(const char *text, quantity_milli *milli, struct err *err);

/*
 * Read a quantity of a JSON string or number, with results as of
 * quantity_parse(); NULL and other types are -EINVAL.
 */
int quantity_of(const json_object *o, quantity_milli *milli, struct err *err);

/* Whole units, rounded away from 0. `milli` is at most QUANTITY_MAX. */
int64_t quantity_units(quantity_milli milli);

#endif
