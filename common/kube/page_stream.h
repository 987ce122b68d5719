/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of a list that is too long to be held: read as it comes, with one item
 * in memory at a time. Pure. One thread at a time.
 */
#ifndef SLURMK8S_KUBE_PAGE_STREAM_H
#define SLURMK8S_KUBE_PAGE_STREAM_H

#include "base/buf.h"
#include "kube/page.h"

/* bytes of the list's own metadata; at most FRAME_MAX */
#ifndef PAGE_META_MAX
#define PAGE_META_MAX (64u * 1024)
#endif

struct page_stream {
	struct buf value; /* an item, or the metadata, as far as it has come */
	struct skim skim; /* what is known of an item that is not read */
	json_object *meta;
	/* The place in the text. */
	char key[16]; /* the key of the list that was read last */
	size_t key_len;
	size_t depth; /* open brackets */
	size_t level; /* brackets before the value; 0: in no value */
	bool is_item; /* the value is an item, else the metadata */
	bool in_string, escaped, in_key, want_key, in_items, skipping;
	bool begun, has_items;
};

/* Begin a page. page_stream_clear() frees what it holds. */
void page_stream_init(struct page_stream *s);

/*
 * Take the next piece: tells of each item that ends in it, as page_read() does;
 * so it may have told of some before the page turns out to be none. 0;
 * -EBADMSG: the text is no list of objects; -EMSGSIZE: its metadata is too
 * long; -ENOMEM; or what a callback returned.
 */
int page_stream_feed(struct page_stream *s, const char *data, size_t len,
		     const struct page_handler *to);

/*
 * The text is at its end. 0: it was a whole list; *meta is its metadata (the
 * caller's; NULL: there is none). -EBADMSG: it was not.
 */
int page_stream_end(struct page_stream *s, json_object **meta);

/* Free what it holds. */
void page_stream_clear(struct page_stream *s);

#endif
