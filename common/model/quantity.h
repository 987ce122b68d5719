/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kubernetes' quantities: "1500m", "2Gi", "1e3". The grammar is that of
 * k8s.io/apimachinery/pkg/api/resource (Quantity). Exact, in integers. Pure.
 * Any thread.
 */
#ifndef SLURMK8S_MODEL_QUANTITY_H
#define SLURMK8S_MODEL_QUANTITY_H

#include <stdint.h>

#include "base/err.h"
#include "json/json.h"

#define QUANTITY_TEXT_MAX 64

/*
 * Thousandths of the unit, rounded away from 0 as Kubernetes does. -EINVAL:
 * it is none; -ERANGE: out of int64_t, or more digits than we count exactly.
 * Then *milli is left alone.
 */
int quantity_parse(const char *text, int64_t *milli, struct err *err);

/* Alike, of a JSON string or number. NULL is -EINVAL. */
int quantity_of(const json_object *o, int64_t *milli, struct err *err);

/* Whole units, rounded away from 0. */
int64_t quantity_units(int64_t milli);

#endif
