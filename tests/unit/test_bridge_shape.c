/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/cleanup.h"
#include "engine/bridge_shape.h"
#include "t.h"

#define SPEC                                                                   \
	"\"spec\": {\"containers\": [{\"name\": \"c\", \"resources\": "        \
	"{\"requests\": {\"cpu\": \"1500m\", \"memory\": \"1Mi\"}}}]"

static struct bridge_shape *shape_of(const char *text)
{
	_cleanup_json_ json_object *pod = t_parse(text);

	return bridge_shape_of(pod, NULL);
}

static void pods_of_one_template_share_a_shape(void)
{
	struct bridge_shape *set = NULL, *a, *b, *c;

	a = bridge_shape_intern(&set, shape_of("{\"metadata\": {\"name\": "
					       "\"a\"}, " SPEC "}}"));
	b = bridge_shape_intern(&set, shape_of("{\"metadata\": {\"name\": "
					       "\"b\"}, " SPEC "}}"));
	c = bridge_shape_intern(
		&set, shape_of("{\"metadata\": {\"name\": \"c\"}, " SPEC
			       ", \"nodeSelector\": {\"disk\": \"ssd\"}}}"));
	T_OK(a && a == b && c && c != a);
	T_INT(a->refs, 2);
	T_INT(a->need.cpu_milli, 1500);
	T_INT(a->need.memory_bytes, 1048576);
	T_OK(!a->want.text && c->want.text);
	bridge_shape_release(&set, a);
	T_INT(HASH_COUNT(set), 2);
	bridge_shape_release(&set, b);
	bridge_shape_release(&set, c);
	T_INT(HASH_COUNT(set), 0);
}

static void only_annotations_for_us_are_kept(void)
{
	struct bridge_shape *s =
		shape_of("{\"metadata\": {\"annotations\": {"
			 "\"slurmjob.slinky.slurm.net/qos\": \"high\","
			 "\"job.slurm-k8s.io/sbatch-options\": \"--hold\","
			 "\"other/thing\": \"x\"}}, " SPEC "}}");

	T_OK(s && !s->refusal && s->notes);
	T_HAS(s->notes, "qos");
	T_HAS(s->notes, "--hold");
	T_OK(!strstr(s->notes, "other"));
	bridge_shape_free(s);
}

static void what_cannot_be_placed_says_why(void)
{
	struct bridge_shape *s = shape_of(
		"{\"spec\": {\"containers\": [{\"name\": \"c\", "
		"\"resources\": {\"requests\": {\"cpu\": \"-1\"}}}]}}");

	T_OK(s && s->refusal);
	bridge_shape_free(s);
	s = shape_of("{" SPEC ", \"resourceClaims\": [{\"name\": \"gpu\"}]}}");
	T_OK(s && s->refusal);
	bridge_shape_free(s);
}

static void annotations_are_bounded(void)
{
	_cleanup_json_ json_object *pod = t_parse("{" SPEC "}}");
	_cleanup_free_ char *much = malloc(BRIDGE_NOTES_MAX + 1);
	json_object *notes = jx_need(jx_need(pod, "metadata", json_type_object),
				     "annotations", json_type_object);
	struct bridge_shape *s;

	memset(much, 'a', BRIDGE_NOTES_MAX);
	much[BRIDGE_NOTES_MAX] = '\0';
	T_INT(jx_set_str(notes, "job.slurm-k8s.io/sbatch-options", much), 0);
	s = bridge_shape_of(pod, NULL);
	T_OK(s && s->refusal && !s->notes);
	bridge_shape_free(s);
}

T_MAIN("bridge_shape", T(pods_of_one_template_share_a_shape),
       T(only_annotations_for_us_are_kept), T(what_cannot_be_placed_says_why),
       T(annotations_are_bounded))
