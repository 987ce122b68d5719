/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * YAML through libyaml, for configuration written by people: every error says
 * file:line:column. Bounds: size, number of nodes, depth. Anchors and aliases
 * work within the bounds (the size bounds what they repeat, too). A null value
 * counts as not there. What kubectl would read otherwise is refused: tags,
 * merge keys, keys that are no text or are there twice, another version of
 * YAML; and a second document. A file once parsed does not change: any thread
 * may read it.
 */
#ifndef SLURMK8S_JSON_YAML_H
#define SLURMK8S_JSON_YAML_H

#include <stdbool.h>
#include <stdint.h>
#include <yaml.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "json/json.h"

#define YAML_SIZE_MAX (1024 * 1024)
#define YAML_NODES_MAX 100000 /* after aliases are followed */
#define YAML_DEPTH_MAX 64

struct yaml; /* one parsed file or text */
/* borrowed from a struct yaml; NULL: not there */
typedef const yaml_node_t *ynode;

/*
 * Parse a text, or a file; `name` is what errors call the text. The caller
 * frees *out. 0; -EINVAL with words; -EMSGSIZE: over YAML_SIZE_MAX; -ENOMEM;
 * for a file also what fs_read_file() gives.
 */
int yaml_parse(const char *name, const char *text, size_t len,
	       struct yaml **out, struct err *err);
int yaml_parse_file(const char *path, struct yaml **out, struct err *err);
/*
 * Free the file, and with it all nodes and texts that were borrowed. NULL:
 * nothing.
 */
void yaml_doc_free(struct yaml *y);
DEFINE_CLEANUP(struct yaml, yaml_doc_freep, yaml_doc_free)
#define _cleanup_yaml_ _cleanup_(yaml_doc_freep)

ynode yaml_root(const struct yaml *y); /* NULL: the file is empty */

/* Set err to "file:line:column: text" and return -EINVAL. */
int yaml_error(const struct yaml *y, ynode n, struct err *err, const char *fmt,
	       ...) __attribute__((format(printf, 4, 5)));

/*
 * Check the kind of a node; `what` names it in the error. 0; -EINVAL with
 * words, for NULL, too.
 */
int yaml_want_map(const struct yaml *y, ynode n, const char *what,
		  struct err *err);
int yaml_want_seq(const struct yaml *y, ynode n, const char *what,
		  struct err *err);

/*
 * Check that the node is a mapping whose keys are all in the list, which ends
 * with NULL. 0 or -EINVAL with words.
 */
int yaml_only_keys(const struct yaml *y, ynode map, const char *what,
		   const char *const keys[], struct err *err);

/*
 * Go through nodes. yaml_get() gives NULL if there is no such key, its value is
 * null, or `map` is no mapping. yaml_at() and yaml_pair() want a node of the
 * right kind and i below yaml_len().
 */
ynode yaml_get(const struct yaml *y, ynode map, const char *key);
/* The number of elements of a sequence, or pairs of a mapping; else 0. */
size_t yaml_len(ynode seq);
ynode yaml_at(const struct yaml *y, ynode seq, size_t i);
void yaml_pair(const struct yaml *y, ynode map, size_t i, ynode *key,
	       ynode *val);

/*
 * Typed scalars. 0; -EINVAL with words: the node is of another type, or out of
 * its bounds. A missing (NULL) node leaves *out alone and is no error. Text is
 * borrowed; without quotes it must be one in YAML 1.1, or a number that YAML
 * would write as the file does.
 */
int yaml_string(const struct yaml *y, ynode n, const char *what,
		const char **out, struct err *err);
int yaml_bool(const struct yaml *y, ynode n, const char *what, bool *out,
	      struct err *err);
int yaml_uint(const struct yaml *y, ynode n, const char *what, uint64_t min,
	      uint64_t max, uint64_t *out, struct err *err);
/* Read "500ms", "30s", "5m", "1h" or whole seconds, in ms. */
int yaml_duration(const struct yaml *y, ynode n, const char *what,
		  int64_t min_ms, int64_t max_ms, int64_t *out_ms,
		  struct err *err);

/*
 * The node as JSON, plain scalars read as kubectl reads them (yes, on and y are
 * true, 0400 is octal: json/yaml_plain.h). The caller puts *out. 0; -EINVAL
 * with words; -ENOMEM.
 */
int yaml_to_json(const struct yaml *y, ynode n, json_object **out,
		 struct err *err);

#endif
