/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One object of a list, or a frame of a watch with one in it, out of its text;
 * where the text cannot be read, at least which object it is. Pure. One thread
 * at a time.
 *
 * The API server keeps JSON that we do not read: metadata.managedFields has the
 * names of fields as whoever wrote the object has sent them, nested as deep as
 * he likes, and of any bytes. One object of one user must not be the end of a
 * list or a watch of all. So a text that cannot be read, or that holds too much
 * for jx_parse(), is read without its managedFields; the object is whole then,
 * but for these.
 */
#ifndef SLURMK8S_KUBE_OBJECT_H
#define SLURMK8S_KUBE_OBJECT_H

#include "kube/skim.h"
#include "json/json.h"

/*
 * Read an object (after skim_object(s)) or a frame (after skim_frame(s)). 0:
 * the caller puts *out. -EBADMSG: it cannot be read; object_known() says
 * whether `s` has which object it is. -ENOMEM.
 */
int object_parse(struct skim *s, const char *text, size_t len,
		 json_object **out);

/* True if, after -EBADMSG, the text is a whole object and `s` says which. */
bool object_known(const struct skim *s);

#endif
