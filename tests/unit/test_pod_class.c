/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "bridge/intake/pod_class.h"
#include "t.h"

#define SPEC                                                                   \
	"\"spec\": {\"containers\": [{\"name\": \"c\", \"resources\": "        \
	"{\"requests\": {\"cpu\": \"1500m\", \"memory\": \"1Mi\"}}}]"

static struct pod_class *shape_of(const char *text)
{
	_cleanup_json_ json_object *pod = t_parse(text);

	return pod_class_of(pod, NULL);
}

static void pods_of_one_template_share_a_shape(void)
{
	struct pod_class *set = NULL, *a, *b, *c;

	a = pod_class_intern(&set, shape_of("{\"metadata\": {\"name\": "
					    "\"a\"}, " SPEC "}}"));
	b = pod_class_intern(&set, shape_of("{\"metadata\": {\"name\": "
					    "\"b\"}, " SPEC "}}"));
	c = pod_class_intern(
		&set, shape_of("{\"metadata\": {\"name\": \"c\"}, " SPEC
			       ", \"nodeSelector\": {\"disk\": \"ssd\"}}}"));
	T_OK(a && a == b && c && c != a);
	T_INT(a->refs, 2);
	T_INT(a->need.cpu_milli, 1500);
	T_INT(a->need.memory_bytes, 1048576);
	T_OK(!a->want.text && c->want.text);
	pod_class_release(&set, a);
	T_INT(HASH_COUNT(set), 2);
	pod_class_release(&set, b);
	pod_class_release(&set, c);
	T_INT(HASH_COUNT(set), 0);
}

static void only_annotations_for_us_are_kept(void)
{
	struct pod_class *s =
		shape_of("{\"metadata\": {\"annotations\": {"
			 "\"slurmjob.slinky.slurm.net/qos\": \"high\","
			 "\"job.slurm-k8s.io/sbatch-options\": \"--hold\","
			 "\"other/thing\": \"x\"}}, " SPEC "}}");

	T_OK(s && !s->refusal && s->notes);
	T_HAS(s->notes, "qos");
	T_HAS(s->notes, "--hold");
	T_OK(!strstr(s->notes, "other"));
	pod_class_free(s);
}

static void what_cannot_be_placed_says_why(void)
{
	struct pod_class *s = shape_of(
		"{\"spec\": {\"containers\": [{\"name\": \"c\", "
		"\"resources\": {\"requests\": {\"cpu\": \"-1\"}}}]}}");

	T_OK(s && s->refusal);
	pod_class_free(s);
	s = shape_of("{" SPEC ", \"resourceClaims\": [{\"name\": \"gpu\"}]}}");
	T_OK(s && s->refusal);
	pod_class_free(s);
}

/* (its labels were changed while it runs, say: it holds what it holds) */
static void what_cannot_be_placed_is_as_large_as_it_is(void)
{
	_cleanup_json_ json_object *pod =
		t_parse("{\"metadata\": {\"annotations\": {"
			"\"job.slurm-k8s.io/sbatch-options\": \"--hold\"}}, "
			"\"spec\": {\"nodeSelector\": {\"disk\": \"ssd\"}, "
			"\"resourceClaims\": [{\"name\": \"gpu\"}], "
			"\"containers\": [{\"ports\": [{\"hostPort\": 80}], "
			"\"resources\": {\"requests\": {\"cpu\": \"2\", "
			"\"memory\": \"1Mi\", \"x/gpu\": \"3\"}}}]}}");
	static const char *const words[] = {"label x: not so", NULL};

	for (int i = 0; i < 2; i++) {
		struct pod_class *s = pod_class_of(pod, words[i]);

		t_row("%d", i);
		T_HAS(s->refusal, i ? "resourceClaims" : words[i]);
		T_INT(s->need.cpu_milli, 2000);
		T_INT(s->need.memory_bytes, 1 << 20);
		T_INT(pod_requests_count(&s->need, "x/gpu"), 3);
		T_OK(s->ports && s->want.len && s->notes);
		pod_class_free(s);
	}
}

static void what_cannot_be_reckoned_is_not_nothing(void)
{
	static const struct {
		const char *requests;
		int64_t cpu, memory;
	} rows[] = {
		{"\"cpu\": \"64\", \"memory\": \"1Mi\", \"x/0\": 1, \"x/1\": "
		 "1, "
		 "\"x/2\": 1, \"x/3\": 1, \"x/4\": 1, \"x/5\": 1, \"x/6\": 1, "
		 "\"x/7\": 1, \"x/8\": 1",
		 64000, 1 << 20},
		{"\"cpu\": \"9223372036854775807\", \"memory\": \"1Mi\"",
		 PODNEED_ROUGHLY_MAX, 1 << 20},
		{"\"cpu\": \"-1\", \"memory\": \"1Mi\"", 0, 1 << 20},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char text[512];
		struct pod_class *s;

		t_row("%zu", i);
		snprintf(text, sizeof(text),
			 "{\"spec\": {\"containers\": [{\"resources\": "
			 "{\"requests\": {%s}}}]}}",
			 rows[i].requests);
		s = shape_of(text);
		T_OK(s->refusal);
		T_INT(s->need.cpu_milli, rows[i].cpu);
		T_INT(s->need.memory_bytes, rows[i].memory);
		T_INT(s->need.n_ext, 0);
		pod_class_free(s);
	}
}

static void annotations_are_bounded(void)
{
	_cleanup_json_ json_object *pod = t_parse("{" SPEC "}}");
	_cleanup_free_ char *much = malloc(BRIDGE_NOTES_MAX + 1);
	json_object *notes = jx_need(jx_need(pod, "metadata", json_type_object),
				     "annotations", json_type_object);
	struct pod_class *s;

	memset(much, 'a', BRIDGE_NOTES_MAX);
	much[BRIDGE_NOTES_MAX] = '\0';
	T_INT(jx_set_str(notes, "job.slurm-k8s.io/sbatch-options", much), 0);
	s = pod_class_of(pod, NULL);
	T_OK(s && s->refusal && !s->notes);
	pod_class_free(s);
}

/* (what they want is a row of C strings: all of it tells them apart) */
static void another_value_is_another_shape(void)
{
	struct pod_class *set = NULL, *of[4];

	for (int i = 0; i < 4; i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 "{" SPEC ", \"nodeSelector\": {\"zone\": \"%c\"}, "
			 "\"tolerations\": [{\"key\": \"k\", \"value\": "
			 "\"%c\"}]}}",
			 "abaa"[i], "vvwv"[i]);
		of[i] = pod_class_intern(&set, shape_of(text));
	}
	T_OK(of[0] != of[1] && of[0] != of[2] && of[1] != of[2]);
	T_OK(of[0] == of[3]);
	T_OK(strcmp(of[0]->want.sha, of[1]->want.sha) != 0);
	for (int i = 0; i < 4; i++)
		pod_class_release(&set, of[i]);
}

static void its_deadline_is_part_of_it(void)
{
	static const struct {
		const char *text;
		int64_t s;
	} rows[] = {
		{"90", 90},
		{"2147483647", 2147483647},
		/* no API server lets these in */
		{"0", 0},
		{"-5", 0},
		{"2147483648", 0},
		{"\"90\"", 0},
	};
	struct pod_class *plain = shape_of("{" SPEC "}}");

	T_NEED(plain);
	T_INT(plain->deadline_s, 0);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			str_printf("{" SPEC ", \"activeDeadlineSeconds\": %s}}",
				   rows[i].text);
		struct pod_class *s = shape_of(text);

		t_row("%s", rows[i].text);
		T_NEED(s);
		T_INT(s->deadline_s, rows[i].s);
		T_INT(strcmp(plain->key, s->key) != 0, rows[i].s != 0);
		pod_class_free(s);
	}
	pod_class_free(plain);
}

static void ports_of_the_host_are_part_of_it(void)
{
	struct pod_class *plain, *ports;

	plain = shape_of("{" SPEC "}}");
	ports = shape_of("{" SPEC ", \"initContainers\": [{\"name\": \"i\", "
			 "\"ports\": [{\"hostPort\": 80}]}]}}");
	T_OK(plain && !plain->ports && ports && ports->ports);
	T_OK(strcmp(plain->key, ports->key) != 0);
	T_INT(strlen(plain->key), 64); /* however long the annotations are */
	pod_class_free(plain);
	pod_class_free(ports);
}

T_MAIN("pod_class", T(pods_of_one_template_share_a_shape),
       T(another_value_is_another_shape), T(ports_of_the_host_are_part_of_it),
       T(its_deadline_is_part_of_it), T(only_annotations_for_us_are_kept),
       T(what_cannot_be_placed_says_why),
       T(what_cannot_be_placed_is_as_large_as_it_is),
       T(what_cannot_be_reckoned_is_not_nothing), T(annotations_are_bounded))
