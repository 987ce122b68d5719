/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/cleanup.h"
#include "syntax/label_key.h"
#include "t.h"

static void what_kubernetes_takes_is_taken(void)
{
	static const struct {
		const char *item;
		bool label;
	} rows[] = {
		{"a=", true},
		{"a=b", true},
		{"Team_1.x=A-b_c.9", true},
		{"example.org/team=hpc", true},
		{"a-1.example.org/b=c", true},
		{"a=any text: \"quoted\", 100 % = fine", false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].item);
		T_STR(label_key_wrong(rows[i].item, rows[i].label), NULL);
	}
}

static void what_it_does_not_take_is_named(void)
{
	static const struct {
		const char *item;
		bool label;
		const char *words;
	} rows[] = {
		{"", true, "is not KEY=VALUE"},
		{"a", false, "is not KEY=VALUE"},
		{"=b", false, "key"},
		{"-a=b", false, "key"},
		{"a b=c", false, "key"},
		{"a/=c", false, "key"},
		{"/a=c", false, "key"},
		{"a/b/c=d", false, "key"},
		{"Example.org/b=c", false, "key"},
		{"a..b/c=d", false, "key"},
		{".a/c=d", false, "key"},
		{"a./c=d", false, "key"},
		{"a-/c=d", false, "key"},
		{"a=b c", true, "no label may have"},
		{"a=-", true, "no label may have"},
		{"a=b\nc", false, "printable"},
		{"a=\x1b[31m", false, "printable"},
		{"a=\xc3\xa4", false, "printable"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].item);
		T_HAS(label_key_wrong(rows[i].item, rows[i].label),
		      rows[i].words);
	}
}

static void all_of_it_is_bounded(void)
{
	_cleanup_free_ char *name = t_repeat("a", 63);
	_cleanup_free_ char *value = t_repeat("v", PODKEY_VALUE_MAX);
	char text[1024];

	snprintf(text, sizeof(text), "%s=%s", name, name);
	T_STR(label_key_wrong(text, true), NULL);
	snprintf(text, sizeof(text), "%sa=b", name);
	T_HAS(label_key_wrong(text, true), "key");
	snprintf(text, sizeof(text), "a=%sa", name);
	T_HAS(label_key_wrong(text, true), "no label may have");
	snprintf(text, sizeof(text), "a=%s", value);
	T_STR(label_key_wrong(text, false), NULL);
	snprintf(text, sizeof(text), "a=%sv", value);
	T_HAS(label_key_wrong(text, false), "more than 256 bytes");
	snprintf(text, sizeof(text), "%s.%s.%s.%s/%s=b", name, name, name, name,
		 name);
	T_HAS(label_key_wrong(text, false), "key");
}

static void an_items_kind_is_a_whole_word(void)
{
	T_STR(label_key_behind("label a=b c", "label"), "a=b c");
	T_STR(label_key_behind("label ", "label"), "");
	T_STR(label_key_behind("label", "label"), NULL);
	T_STR(label_key_behind("labels a=b", "label"), NULL);
	T_STR(label_key_behind(" label a=b", "label"), NULL);
	T_STR(label_key_behind("", "label"), NULL);
}

T_MAIN("label_key", T(what_kubernetes_takes_is_taken),
       T(what_it_does_not_take_is_named), T(all_of_it_is_bounded),
       T(an_items_kind_is_a_whole_word))
