/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One object of a list, or a frame of a watch with one in it, out of its text;
 * where the text cannot be read, at least which object it is. Pure. One thread
 * at a time.
 *
 * The API server keeps JSON that we do not read: metadata.managedFields has the
 * names of fields as whoever wrote the object has sent them, nested as deep as
 * he likes, and of any bytes. One object of one user must not be the end of a
 * list or a watch of all, nor take all of its thread's time: json-c needs a
 * hundred times as long for what it makes an object of as it takes to skip it.
 * So members that nobody reads are left out before the rest is parsed.
 */
#ifndef SLURMK8S_KUBE_OBJECT_H
#define SLURMK8S_KUBE_OBJECT_H

#include "kube/skim.h"
#include "json/json_only.h"

/*
 * A table for object_parse() by which an object is read with its managedFields,
 * unless these are what cannot be read.
 */
extern const struct jx_only object_all[];

/*
 * Read an object (after skim_object(s)) or a frame (after skim_frame(s)).
 * `only`: the members of the object that are read; NULL: all but
 * metadata.managedFields. Where that table ends with another one, the object is
 * read by it if it cannot be read by the first. A frame of an ERROR is read as
 * a whole. 0: the caller puts *out. -EBADMSG: it cannot be read,
 * or what is to be read of it holds too much for jx_parse(); object_known()
 * says whether `s` has which object it is. -ENOMEM.
 */
int object_parse(struct skim *s, const char *text, size_t len,
		 const struct jx_only *only, json_object **out);

/* True if, after -EBADMSG, the text is a whole object and `s` says which. */
bool object_known(const struct skim *s);

#endif
