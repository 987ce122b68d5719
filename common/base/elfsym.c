/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/elfsym.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_DATA ELFDATA2LSB
#else
#define OUR_DATA ELFDATA2MSB
#endif
#define OUR_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

struct image {
	const uint8_t *bytes;
	size_t len;
	ElfW(Ehdr) head;
};

/* `size` bytes at `at`; NULL if the file has not so many. */
static const uint8_t *part(const struct image *m, uint64_t at, uint64_t size)
{
	return at <= m->len && size <= m->len - at ? m->bytes + at : NULL;
}

static bool section(const struct image *m, size_t i, ElfW(Shdr) * out)
{
	const uint8_t *p;

	if (i >= m->head.e_shnum || m->head.e_shoff > m->len)
		return false;
	p = part(m, m->head.e_shoff + i * sizeof(*out), sizeof(*out));
	if (p)
		memcpy(out, p, sizeof(*out));
	return p != NULL;
}

/* Where the value of a symbol lies in the file. */
static const void *content(const struct image *m, const ElfW(Sym) * sym)
{
	ElfW(Shdr) in;

	if (sym->st_shndx == SHN_UNDEF || !section(m, sym->st_shndx, &in) ||
	    in.sh_type != SHT_PROGBITS || sym->st_value < in.sh_addr ||
	    sym->st_value - in.sh_addr > in.sh_size ||
	    sym->st_size > in.sh_size - (sym->st_value - in.sh_addr) ||
	    !part(m, in.sh_offset, in.sh_size))
		return NULL;
	return m->bytes + in.sh_offset + (sym->st_value - in.sh_addr);
}

static const void *find_in(const struct image *m, const ElfW(Shdr) * table,
			   const char *name, size_t *size)
{
	const uint8_t *syms = part(m, table->sh_offset, table->sh_size), *names;
	size_t name_len = strlen(name) + 1;
	ElfW(Shdr) text;
	ElfW(Sym) sym;

	if (!syms || !section(m, table->sh_link, &text))
		return NULL;
	names = part(m, text.sh_offset, text.sh_size);
	if (!names)
		return NULL;
	for (size_t i = 0; i < table->sh_size / sizeof(sym); i++) {
		memcpy(&sym, syms + i * sizeof(sym), sizeof(sym));
		if (sym.st_name >= text.sh_size ||
		    name_len > text.sh_size - sym.st_name ||
		    memcmp(names + sym.st_name, name, name_len) != 0)
			continue;
		*size = sym.st_size;
		return content(m, &sym);
	}
	return NULL;
}

const void *elfsym_find(const void *file, size_t len, const char *name,
			size_t *size)
{
	struct image m = {.bytes = file, .len = len};
	ElfW(Shdr) s;

	if (len < sizeof(m.head))
		return NULL;
	memcpy(&m.head, file, sizeof(m.head));
	if (memcmp(m.head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    m.head.e_ident[EI_CLASS] != OUR_CLASS ||
	    m.head.e_ident[EI_DATA] != OUR_DATA ||
	    m.head.e_shentsize != sizeof(s))
		return NULL;
	for (size_t i = 0; i < m.head.e_shnum; i++) {
		if (!section(&m, i, &s))
			return NULL;
		if (s.sh_type == SHT_DYNSYM)
			return find_in(&m, &s, name, size);
	}
	return NULL;
}
