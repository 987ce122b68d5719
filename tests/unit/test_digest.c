/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "t.h"

static void base64_is_decoded_as_in_rfc_4648(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"", ""},
		{"Zg==", "f"},
		{"Zm8=", "fo"},
		{"Zm9v", "foo"},
		{"Zm9vYg==", "foob"},
		{"Zm9vYmE=", "fooba"},
		{"Zm9vYmFy", "foobar"},
		{" Zm9v\n\tYmFy \r\n", "foobar"},
		{"++//", "\xfb\xef\xff"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *out = NULL;
		size_t len = 99;

		t_row("%s", rows[i].text);
		T_INT(b64_decode(rows[i].text, &out, &len), 0);
		T_STR(out, rows[i].want);
		T_INT(len, strlen(rows[i].want));
	}
}

static void bytes_with_nul_are_counted(void)
{
	_cleanup_free_ char *out = NULL;
	size_t len = 0;

	T_INT(b64_decode("YQBi", &out, &len), 0);
	T_INT(len, 3);
	T_OK(out && !memcmp(out, "a\0b", 4));
}

static void what_is_not_base64_is_refused(void)
{
	static const char *const rows[] = {
		"Z",
		"Zg",
		"Zg=",
		"Zm9v!",
		"Zm9-",
		"Zm9v----",
		"=Zm9",
		"====",
		"Z===",
		"Zg==Zm9v",
		"--==",
		"Zm9v\1====",
		"\xc3\xa9\xc3\xa9",
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char *out = NULL;
		size_t len;

		t_row("%s", rows[i]);
		T_INT(b64_decode(rows[i], &out, &len), -EINVAL);
		T_OK(!out);
		free(out);
	}
}

static void sha256_is_written_in_lower_case_hex(void)
{
	char hex[65];

	T_INT(sha256_hex("abc", 3, hex), 0);
	T_STR(hex, "ba7816bf8f01cfea414140de5dae2223"
		   "b00361a396177a9cb410ff61f20015ad");
	T_INT(sha256_hex("", 0, hex), 0);
	T_STR(hex, "e3b0c44298fc1c149afbf4c8996fb924"
		   "27ae41e4649b934ca495991b7852b855");
}

T_MAIN("digest", T(base64_is_decoded_as_in_rfc_4648),
       T(bytes_with_nul_are_counted), T(what_is_not_base64_is_refused),
       T(sha256_is_written_in_lower_case_hex))
