/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of an object that cannot be read: is its text handed on with it? */
#ifndef SLURMK8S_TESTS_UNIT_ITS_TEXT_H
#define SLURMK8S_TESTS_UNIT_ITS_TEXT_H

#include <stdbool.h>
#include <string.h>

#include "kube/object.h"

/* (that of the object alone, also of a frame) */
static bool has_its_text(const struct object_id *id)
{
	struct skim s;

	if (!id->text)
		return false;
	skim_object(&s);
	skim_feed(&s, id->text, id->text_len);
	return object_known(&s) && id->text[0] == '{' &&
	       !strcmp(s.id.uid, id->uid);
}

#endif
