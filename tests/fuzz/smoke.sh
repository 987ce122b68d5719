#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# smoke.sh TARGET CORPUS: each file of the corpus. (What is new script/fuzz tries.)
set -eu

found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
"$1" -seed=1 -runs=0 -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
	-verbosity=0 -artifact_prefix="${FUZZ_ARTIFACTS:-.}/" "$found" "$2" ||
	exit 1 # (what libFuzzer ends with at a finding, 77, meson takes for a skip)
