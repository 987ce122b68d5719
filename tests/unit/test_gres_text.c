/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>

#include "syntax/gres_text.h"
#include "t.h"

static void gres_of_a_node_are_counted(void)
{
	static const struct {
		const char *detail, *gres;
		int64_t want;
	} rows[] = {
		{"gpu:2(IDX:0-1)", "gpu", 2},
		{"gpu:a100:4(IDX:0,2-3,7)", "gpu", 4},
		{"gpu:a100:4(IDX:0-3),gpu:h100:1(IDX:4)", "gpu", 5},
		{"nic:1(CNT:1),gpu:3", "gpu", 3},
		{"nic:1(CNT:1),gpu:3", "nic", 1},
		{"gpu(CNT:2)", "gpu", 2},
		{"gpu:a100(CNT:3),gpu(CNT:1)", "gpu", 4},
		{"nic(CNT:7),gpu(CNT:2)", "gpu", 2},
		{"gres/gpu(CNT:2)", "gpu", 2},
		{"gpus(CNT:2)", "gpu", 0},
		{"gpu(CNT:", "gpu", 0},
		{"gpu(CNT:2", "gpu", 2},
		{"gpu(CNT:x)", "gpu", 0},
		{"gpu(IDX:0-1)", "gpu", 0},
		{"gres/gpu:2", "gpu", 2},
		{"gres:gpu:2", "gpu", 2},
		{"gpus:2", "gpu", 0},
		{"xgpu:2", "gpu", 0},
		{"gpu", "gpu", 0},
		{"gpu:", "gpu", 0},
		{"gpu:a100", "gpu", 0},
		{"gpu:-1", "gpu", 0},
		{"gpu:1e3", "gpu", 0},
		{"gpu:2(IDX:0", "gpu", 2},
		{"gpu:2)(,gpu:3", "gpu", 3},
		{",,gpu:2,,", "gpu", 2},
		{"gpu:99999999999999999999", "gpu", INT64_MAX},
		{"gpu:4294967295,gpu:4294967295", "gpu", INT64_MAX},
		{"gpu:a100:4(IDX:0-3),gpu:h100:1(IDX:4)", "gpu", 5},
		{"gpu:a100:4(IDX:0-3),gpu:h100:1(IDX:4)", "gpu:h100", 1},
		{"gpu:a100(CNT:4),gres/gpu:h100(CNT:1)", "gpu:h100", 1},
		{"gpu:a100:4(IDX:0-3)", "gpu:h100", 0},
		{"gpu:a100x:4(IDX:0-3)", "gpu:a100", 0},
		{"gpu:A100:4(IDX:0-3)", "gpu:a100", 4},
		{"gpu:a100:4(IDX:0-3)", "gpu:a100x", 0},
		{"gpu:2(IDX:0-1)", "gpu:a100", 2},
		{"gres:gpu:2", "gpu:a100", 2},
		{"gpu(CNT:2)", "gpu:a100", 2},
		{"gpu:1g.5gb:3(IDX:0-2)", "gpu:1g.5gb", 3},
		{"gpu:1g.5gb:3(IDX:0-2)", "gpu:2g", 0},
		{"huge(CNT:512),nic:1(IDX:0)", "huge", 512},
		{"huge(CNT:512),nic:1(IDX:0)", "nic", 1},
		{"huge(CNT:512)", "hug", 0},
		{"huge(CNT:512)", "huge1g", 0},
		{"kvm(CNT:0)", "kvm", INT64_MAX},
		{"kvm:0(IDX:0-3)", "kvm", INT64_MAX},
		{"gpu:a100:2(IDX:0-1),gpu:h100:0(IDX:)", "gpu", 2},
		{"gpu:a100:2(IDX:0-1),gpu:h100:0(IDX:)", "gpu:h100", 0},
		{"kvm:0", "kvm", 0},
		{"kvm", "kvm", 0},
		{"kvm:", "kvm", 0},
		{"kvm(", "kvm", 0},
		{"bytes(CNT:99999999999)", "bytes", INT64_MAX},
		{"x:4294967294,x:4294967294", "x", 8589934588},
		{"", "gpu", 0},
		{NULL, "gpu", 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s of %s", rows[i].gres, rows[i].detail);
		T_INT(gres_text_room(rows[i].detail, rows[i].gres),
		      rows[i].want);
	}
}

T_MAIN("gres_text", T(gres_of_a_node_are_counted))
