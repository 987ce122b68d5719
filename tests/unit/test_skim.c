/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which object it is, of text that is not held. */
#include <string.h>

#include "kube/skim.h"
#include "t.h"

static const struct skim *skim(bool frame, const char *text)
{
	static struct skim s;

	if (frame)
		skim_frame(&s);
	else
		skim_object(&s);
	for (size_t i = 0; i < strlen(text); i++)
		skim_feed(&s, text + i, 1);
	return &s;
}

#define POD                                                                    \
	"{\"kind\": \"Pod\", \"phase\": \"no\", \"nodeName\": \"no\", "        \
	"\"metadata\": {\"name\": "                                            \
	"\"p\", \"labels\": {\"uid\": \"no\"}, \"uid\": \"u\", \"nodeName\": " \
	"\"no\"}, \"spec\": {\"containers\": [{\"name\": \"no\", "             \
	"\"nodeName\": \"no\"}], \"affinity\": {\"nodeName\": \"no\"}, "       \
	"\"name\": \"no\", \"nodeName\": \"n1\", \"spec\": {\"nodeName\": "    \
	"\"no\"}}, \"status\": {\"spec\": {\"nodeName\": \"no\"}, \"phase\": " \
	"\"Failed\", \"nodeName\": \"no\"}}"

static void a_pod_says_on_which_node_it_is(void)
{
	const struct skim *s = skim(false, POD);

	T_STR(s->id.name, "p");
	T_STR(s->id.uid, "u");
	T_STR(s->id.node, "n1");
	T_STR(s->id.phase, "Failed");
	s = skim(true, "{\"type\": \"ADDED\", \"spec\": {\"nodeName\": "
		       "\"no\"}, \"object\": " POD "}");
	T_STR(s->type, "ADDED");
	T_STR(s->id.name, "p");
	T_STR(s->id.uid, "u");
	T_STR(s->id.node, "n1");
	T_STR(s->id.phase, "Failed");
}

static void what_waits_is_on_none(void)
{
	T_STR(skim(false, "{\"metadata\": {\"name\": \"p\"}, \"spec\": {}}")
		      ->id.node,
	      "");
	T_STR(skim(false, "{\"spec\": [{\"nodeName\": \"n\"}]}")->id.node, "");
	T_STR(skim(false, "{\"spec\": {\"nodeName\": \"n\\u0041\"}}")->id.node,
	      "");
}

T_MAIN("skim", T(a_pod_says_on_which_node_it_is), T(what_waits_is_on_none))
