/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json/yaml.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"
#include "json/yaml_plain.h"

struct yaml {
	char *name;
	yaml_document_t doc;
	bool loaded;
};

static yaml_mark_t mark_between(const unsigned char *text,
				const unsigned char *end)
{
	yaml_mark_t at = {0};

	for (; text < end; text++) {
		at.column = *text == '\n' ? 0 : at.column + 1;
		at.line += *text == '\n';
	}
	return at;
}

/* libyaml gives only the offset of a byte that it cannot read. */
static yaml_mark_t mark_of_offset(const yaml_parser_t *p)
{
	const unsigned char *text = p->input.string.start;
	const unsigned char *end = p->input.string.end;

	if (p->problem_offset < (size_t)(end - text))
		end = text + p->problem_offset;
	return mark_between(text, end);
}

static int parser_error(const char *name, const yaml_parser_t *p,
			struct err *err)
{
	yaml_mark_t at = p->problem_mark;

	if (p->error == YAML_MEMORY_ERROR)
		return err_oom(err);
	if (p->error == YAML_READER_ERROR)
		at = mark_of_offset(p);
	return err_set(err, -EINVAL, "%s:%zu:%zu: %s%s%s", name, at.line + 1,
		       at.column + 1, p->problem ? p->problem : "bad YAML",
		       p->context ? ", " : "", p->context ? p->context : "");
}

static const unsigned char *tag_of(const yaml_event_t *e)
{
	if (e->type == YAML_SCALAR_EVENT)
		return e->data.scalar.tag;
	if (e->type == YAML_SEQUENCE_START_EVENT)
		return e->data.sequence_start.tag;
	if (e->type == YAML_MAPPING_START_EVENT)
		return e->data.mapping_start.tag;
	return NULL;
}

static bool is_of_another_yaml(const yaml_event_t *e)
{
	const yaml_version_directive_t *v =
		e->type == YAML_DOCUMENT_START_EVENT
			? e->data.document_start.version_directive
			: NULL;

	return v && (v->major != 1 || v->minor != 1);
}

static int event_error(const struct yaml *y, const yaml_event_t *e,
		       struct err *err, const char *words)
{
	return err_set(err, -EINVAL, "%s:%zu:%zu: %s", y->name,
		       e->start_mark.line + 1, e->start_mark.column + 1, words);
}

/*
 * Check what the loader does not tell, or not in time: tags, as it gives each
 * text one of its own, and the depth, with whose square its time grows.
 */
static int check_event(const struct yaml *y, const yaml_event_t *e,
		       unsigned int *depth, struct err *err)
{
	char words[32];

	if (tag_of(e))
		return event_error(y, e, err,
				   "tags (!!str, !x) are not supported: a text "
				   "is written in quotes");
	if (is_of_another_yaml(e))
		return event_error(y, e, err,
				   "this is read as YAML 1.1, as kubectl does");
	*depth -= e->type == YAML_SEQUENCE_END_EVENT ||
		  e->type == YAML_MAPPING_END_EVENT;
	*depth += e->type == YAML_SEQUENCE_START_EVENT ||
		  e->type == YAML_MAPPING_START_EVENT;
	if (*depth <= YAML_DEPTH_MAX)
		return 0;
	snprintf(words, sizeof(words), "more than %d levels", YAML_DEPTH_MAX);
	return event_error(y, e, err, words);
}

/*
 * Check all events before the document is loaded. Other mistakes are left to
 * the loader to name.
 */
static int check_events(struct yaml *y, yaml_parser_t *p, struct err *err)
{
	yaml_event_type_t type = YAML_NO_EVENT;
	unsigned int depth = 0;
	yaml_event_t e;
	int rc = 0;

	while (!rc && type != YAML_STREAM_END_EVENT &&
	       yaml_parser_parse(p, &e)) {
		type = e.type;
		rc = check_event(y, &e, &depth, err);
		yaml_event_delete(&e);
	}
	return rc;
}

static int parse_documents(struct yaml *y, yaml_parser_t *p, struct err *err)
{
	yaml_document_t second;
	yaml_node_t *root;
	int rc = 0;

	if (!yaml_parser_load(p, &y->doc))
		return parser_error(y->name, p, err);
	y->loaded = true;
	if (!yaml_document_get_root_node(&y->doc))
		return 0;
	if (!yaml_parser_load(p, &second))
		return parser_error(y->name, p, err);
	root = yaml_document_get_root_node(&second);
	if (root)
		rc = yaml_error(y, root, err,
				"a second document is not expected here");
	yaml_document_delete(&second);
	return rc;
}

typedef int (*read_fn)(struct yaml *y, yaml_parser_t *p, struct err *err);

static int with_parser(struct yaml *y, const char *text, size_t len, read_fn fn,
		       struct err *err)
{
	yaml_parser_t p;
	int rc;

	if (!yaml_parser_initialize(&p))
		return err_oom(err);
	yaml_parser_set_input_string(&p, (const unsigned char *)text, len);
	rc = fn(y, &p, err);
	yaml_parser_delete(&p);
	return rc;
}

void yaml_doc_free(struct yaml *y)
{
	if (!y)
		return;
	if (y->loaded)
		yaml_document_delete(&y->doc);
	free(y->name);
	free(y);
}

static yaml_document_t *doc_of(const struct yaml *y)
{
	return (yaml_document_t *)&y->doc; /* libyaml knows no const */
}

ynode yaml_root(const struct yaml *y)
{
	return yaml_document_get_root_node(doc_of(y));
}

int yaml_error(const struct yaml *y, ynode n, struct err *err, const char *fmt,
	       ...)
{
	char text[ERR_MSG_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!n)
		return err_set(err, -EINVAL, "%s: %s", y->name, text);
	return err_set(err, -EINVAL, "%s:%zu:%zu: %s", y->name,
		       n->start_mark.line + 1, n->start_mark.column + 1, text);
}

int yaml_want_map(const struct yaml *y, ynode n, const char *what,
		  struct err *err)
{
	if (n && n->type == YAML_MAPPING_NODE)
		return 0;
	return yaml_error(y, n, err, "%s must be a mapping (key: value)", what);
}

int yaml_want_seq(const struct yaml *y, ynode n, const char *what,
		  struct err *err)
{
	if (n && n->type == YAML_SEQUENCE_NODE)
		return 0;
	return yaml_error(y, n, err, "%s must be a list", what);
}

/*
 * The text of a scalar; NULL for other nodes, and for a scalar with NUL bytes
 * inside, which would be cut silently.
 */
static const char *scalar_text(ynode n)
{
	const char *s;

	if (!n || n->type != YAML_SCALAR_NODE)
		return NULL;
	s = (const char *)n->data.scalar.value;
	return strlen(s) == n->data.scalar.length ? s : NULL;
}

static bool is_plain(ynode n)
{
	return n->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static bool is_null(ynode n)
{
	const char *s = scalar_text(n);

	return s && is_plain(n) && yaml_plain_of(s).kind == YAML_IS_NULL;
}

size_t yaml_len(ynode n)
{
	if (!n)
		return 0;
	if (n->type == YAML_SEQUENCE_NODE)
		return (size_t)(n->data.sequence.items.top -
				n->data.sequence.items.start);
	if (n->type == YAML_MAPPING_NODE)
		return (size_t)(n->data.mapping.pairs.top -
				n->data.mapping.pairs.start);
	return 0;
}

ynode yaml_at(const struct yaml *y, ynode seq, size_t i)
{
	return yaml_document_get_node(doc_of(y),
				      seq->data.sequence.items.start[i]);
}

void yaml_pair(const struct yaml *y, ynode map, size_t i, ynode *key,
	       ynode *val)
{
	const yaml_node_pair_t *p = &map->data.mapping.pairs.start[i];

	*key = yaml_document_get_node(doc_of(y), p->key);
	*val = yaml_document_get_node(doc_of(y), p->value);
}

/* The text of a key that check_key() has let pass. */
static const char *key_text(ynode k)
{
	return (const char *)k->data.scalar.value;
}

static int check_key(const struct yaml *y, ynode k, struct err *err)
{
	const char *s = scalar_text(k);

	if (!s || is_null(k))
		return yaml_error(y, k, err, "a key must be a text");
	if (is_plain(k) && !strcmp(s, "<<"))
		return yaml_error(y, k, err,
				  "merge keys (<<) are not supported");
	if (is_plain(k) && !yaml_plain_is_text(s))
		return yaml_error(
			y, k, err,
			"a key must be a text: '%.64s' without quotes "
			"is none in YAML 1.1",
			s);
	return 0;
}

/* Order keys by their text, and equal ones as they stand in the file. */
static int by_text(const void *a, const void *b)
{
	const ynode x = *(const ynode *)a, z = *(const ynode *)b;
	const int order = strcmp(key_text(x), key_text(z));

	return order ? order
		     : (x->start_mark.index > z->start_mark.index) -
			       (x->start_mark.index < z->start_mark.index);
}

static int check_keys(const struct yaml *y, ynode map, struct err *err)
{
	const size_t n = yaml_len(map);
	_cleanup_free_ ynode *keys = calloc(n + 1, sizeof(*keys));
	ynode v;

	if (!keys)
		return err_oom(err);
	for (size_t i = 0; i < n; i++) {
		int rc;

		yaml_pair(y, map, i, &keys[i], &v);
		rc = check_key(y, keys[i], err);
		if (rc)
			return rc;
	}
	qsort(keys, n, sizeof(*keys), by_text);
	for (size_t i = 1; i < n; i++)
		if (str_eq(key_text(keys[i - 1]), key_text(keys[i])))
			return yaml_error(y, keys[i], err,
					  "key '%s' is there twice",
					  key_text(keys[i]));
	return 0;
}

/*
 * Check the keys of all mappings: kubectl makes texts of keys that are none,
 * and takes the last of two equal ones.
 */
static int check_all_keys(const struct yaml *y, struct err *err)
{
	int rc = 0;

	for (ynode n = y->doc.nodes.start; !rc && n < y->doc.nodes.top; n++)
		if (n->type == YAML_MAPPING_NODE)
			rc = check_keys(y, n, err);
	return rc;
}

/*
 * Refuse a byte order mark that is not the file's first character: libyaml may
 * drop it; kubectl does not.
 */
static int check_bom(const char *name, const char *text, size_t len,
		     struct err *err)
{
	static const char bom[] = "\xef\xbb\xbf";
	const size_t n = sizeof(bom) - 1;
	const char *at = len > n ? memmem(text + 1, len - 1, bom, n) : NULL;
	yaml_mark_t mark;

	if (!at)
		return 0;
	mark = mark_between((const unsigned char *)text,
			    (const unsigned char *)at);
	return err_set(err, -EINVAL,
		       "%s:%zu:%zu: a byte order mark (U+FEFF) amid the text",
		       name, mark.line + 1, mark.column + 1);
}

int yaml_parse(const char *name, const char *text, size_t len,
	       struct yaml **out, struct err *err)
{
	_cleanup_yaml_ struct yaml *y = calloc(1, sizeof(*y));
	int rc;

	if (!y || !(y->name = strdup(name)))
		return err_oom(err);
	if (len > YAML_SIZE_MAX)
		return err_set(err, -EMSGSIZE, "%s: larger than %d bytes", name,
			       YAML_SIZE_MAX);
	rc = check_bom(name, text, len, err);
	if (!rc)
		rc = with_parser(y, text, len, check_events, err);
	if (!rc)
		rc = with_parser(y, text, len, parse_documents, err);
	if (!rc)
		rc = check_all_keys(y, err);
	if (rc)
		return rc;
	*out = steal_ptr(y);
	return 0;
}

int yaml_parse_file(const char *path, struct yaml **out, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	int rc = fs_read_file(path, YAML_SIZE_MAX, &text, &len, err);

	return rc ? rc : yaml_parse(path, text, len, out, err);
}

/* The first value of a key, null or not. */
static ynode lookup(const struct yaml *y, ynode map, const char *key)
{
	ynode k, v;

	if (!map || map->type != YAML_MAPPING_NODE)
		return NULL;
	for (size_t i = 0; i < yaml_len(map); i++) {
		yaml_pair(y, map, i, &k, &v);
		if (str_eq(scalar_text(k), key))
			return v;
	}
	return NULL;
}

ynode yaml_get(const struct yaml *y, ynode map, const char *key)
{
	ynode v = lookup(y, map, key);

	return v && !is_null(v) ? v : NULL;
}

static int unknown_key(const struct yaml *y, ynode k, const char *what,
		       const char *const keys[], struct err *err)
{
	char known[512] = "";

	for (size_t i = 0; keys[i]; i++) {
		size_t n = strlen(known);

		snprintf(known + n, sizeof(known) - n, "%s%s", i ? ", " : "",
			 keys[i]);
	}
	return yaml_error(y, k, err, "unknown key '%s' in %s (known: %s)",
			  scalar_text(k) ? scalar_text(k) : "?", what, known);
}

int yaml_only_keys(const struct yaml *y, ynode map, const char *what,
		   const char *const keys[], struct err *err)
{
	int rc = yaml_want_map(y, map, what, err);
	ynode k, v;

	if (rc)
		return rc;
	for (size_t i = 0; i < yaml_len(map); i++) {
		size_t j = 0;

		yaml_pair(y, map, i, &k, &v);
		while (keys[j] && !str_eq(scalar_text(k), keys[j]))
			j++;
		if (!keys[j])
			return unknown_key(y, k, what, keys, err);
	}
	return 0;
}

int yaml_string(const struct yaml *y, ynode n, const char *what,
		const char **out, struct err *err)
{
	if (!n)
		return 0;
	if (!scalar_text(n) || !*scalar_text(n) || is_null(n))
		return yaml_error(y, n, err, "%s must be a text", what);
	if (is_plain(n) && !yaml_plain_is_text(scalar_text(n)))
		/* The value is not in the words: it may be a token. */
		return yaml_error(y, n, err,
				  "%s must be a text: without quotes this is "
				  "none in YAML 1.1",
				  what);
	*out = scalar_text(n);
	return 0;
}

static int plain_bool(const char *s)
{
	static const char *const yes[] = {"true", "True", "TRUE"};
	static const char *const no[] = {"false", "False", "FALSE"};

	for (int i = 0; i < 3; i++) {
		if (!strcmp(s, yes[i]))
			return 1;
		if (!strcmp(s, no[i]))
			return 0;
	}
	return -1;
}

int yaml_bool(const struct yaml *y, ynode n, const char *what, bool *out,
	      struct err *err)
{
	const char *s = scalar_text(n);
	int v;

	if (!n)
		return 0;
	v = s && is_plain(n) ? plain_bool(s) : -1;
	if (v < 0)
		return yaml_error(y, n, err, "%s must be true or false", what);
	*out = v;
	return 0;
}

/*
 * True for a number that does not begin with 0: kubectl takes "010" for an
 * octal one.
 */
static bool begins_as_number(const char *s)
{
	return s && isdigit((unsigned char)s[0]) &&
	       (s[0] != '0' || !isdigit((unsigned char)s[1]));
}

int yaml_uint(const struct yaml *y, ynode n, const char *what, uint64_t min,
	      uint64_t max, uint64_t *out, struct err *err)
{
	const char *s = scalar_text(n);
	unsigned long long v = 0;
	char *end = NULL;

	if (!n)
		return 0;
	errno = 0;
	if (begins_as_number(s))
		v = strtoull(s, &end, 10);
	if (!end || *end || errno || v < min || v > max)
		return yaml_error(y, n, err,
				  "%s must be a whole number from %llu to %llu",
				  what, (unsigned long long)min,
				  (unsigned long long)max);
	*out = v;
	return 0;
}

/* The milliseconds of the unit after a number; 0: it is no unit. */
static int64_t unit_ms(const char *u)
{
	static const struct {
		const char *unit;
		int64_t ms;
	} units[] = {{"ms", 1},	   {"", 1000},	   {"s", 1000},
		     {"m", 60000}, {"h", 3600000}, {"d", 86400000}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(u, units[i].unit))
			return units[i].ms;
	return 0;
}

int yaml_duration(const struct yaml *y, ynode n, const char *what,
		  int64_t min_ms, int64_t max_ms, int64_t *out_ms,
		  struct err *err)
{
	const char *s = scalar_text(n);
	int64_t unit = 0, v = 0;
	char *end;

	if (!n)
		return 0;
	if (begins_as_number(s)) {
		errno = 0;
		v = strtoll(s, &end, 10);
		unit = errno ? 0 : unit_ms(end);
	}
	if (!unit || v > max_ms / unit || v * unit < min_ms)
		return yaml_error(y, n, err,
				  "%s must be a time such as 500ms, 30s, 5m or "
				  "1h, from %lld ms to %lld s",
				  what, (long long)min_ms,
				  (long long)max_ms / 1000);
	*out_ms = v * unit;
	return 0;
}

struct convert {
	const struct yaml *y;
	size_t nodes, bytes;
	struct err *err;
};

static int convert(struct convert *c, ynode n, unsigned int depth,
		   json_object **out);

/* Count the bytes of a text: aliases may repeat a long one many times. */
static int count_text(struct convert *c, ynode n)
{
	c->bytes += n->data.scalar.length;
	if (c->bytes <= YAML_SIZE_MAX)
		return 0;
	return yaml_error(c->y, n, c->err,
			  "more than %d bytes of text after aliases",
			  YAML_SIZE_MAX);
}

static int convert_map(struct convert *c, ynode n, unsigned int depth,
		       json_object **out)
{
	_cleanup_json_ json_object *o = json_object_new_object();
	ynode k, v;

	if (!o)
		return err_oom(c->err);
	for (size_t i = 0; i < yaml_len(n); i++) {
		json_object *val = NULL;
		int rc;

		yaml_pair(c->y, n, i, &k, &v);
		rc = count_text(c, k);
		if (!rc)
			rc = convert(c, v, depth + 1, &val);
		if (rc)
			return rc;
		if (json_object_object_add(o, key_text(k), val)) {
			json_object_put(val);
			return err_oom(c->err);
		}
	}
	*out = steal_ptr(o);
	return 0;
}

static int convert_seq(struct convert *c, ynode n, unsigned int depth,
		       json_object **out)
{
	_cleanup_json_ json_object *a = json_object_new_array();

	if (!a)
		return err_oom(c->err);
	for (size_t i = 0; i < yaml_len(n); i++) {
		json_object *val = NULL;
		int rc = convert(c, yaml_at(c->y, n, i), depth + 1, &val);

		if (rc)
			return rc;
		if (json_object_array_add(a, val)) {
			json_object_put(val);
			return err_oom(c->err);
		}
	}
	*out = steal_ptr(a);
	return 0;
}

static int convert_scalar(struct convert *c, ynode n, json_object **out)
{
	const char *s = scalar_text(n);
	struct yaml_plain p = {.kind = YAML_IS_TEXT};
	int rc = count_text(c, n);

	if (rc)
		return rc;
	if (!s)
		return yaml_error(c->y, n, c->err, "a text holds a NUL byte");
	if (is_plain(n))
		p = yaml_plain_of(s);
	if (p.kind == YAML_IS_NULL)
		return 0;
	if (p.kind == YAML_IS_NO_JSON)
		return yaml_error(c->y, n, c->err,
				  "'%.64s' is no number of JSON's: a text is "
				  "written in quotes",
				  s);
	*out = p.kind == YAML_IS_TEXT ? json_object_new_string(s)
				      : yaml_plain_json(&p);
	return *out ? 0 : err_oom(c->err);
}

static int convert(struct convert *c, ynode n, unsigned int depth,
		   json_object **out)
{
	if (++c->nodes > YAML_NODES_MAX || depth > YAML_DEPTH_MAX)
		return yaml_error(c->y, n, c->err,
				  "more than %d values or %d levels (an alias "
				  "within itself?)",
				  YAML_NODES_MAX, YAML_DEPTH_MAX);
	switch (n->type) {
	case YAML_MAPPING_NODE:
		return convert_map(c, n, depth, out);
	case YAML_SEQUENCE_NODE:
		return convert_seq(c, n, depth, out);
	case YAML_SCALAR_NODE:
		return convert_scalar(c, n, out);
	case YAML_NO_NODE:
		break;
	}
	return yaml_error(c->y, n, c->err, "unexpected YAML");
}

int yaml_to_json(const struct yaml *y, ynode n, json_object **out,
		 struct err *err)
{
	struct convert c = {.y = y, .err = err};

	return convert(&c, n, 0, out);
}
