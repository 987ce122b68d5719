// SPDX-License-Identifier: GPL-2.0-or-later

package main

import "fmt"

// The devices of a node, of either kind: half of them near each of two NUMA nodes
const (
	deviceCount = 8
	numaNodes   = 2
)

func numaNodeOf(index int) int64 { return int64(index * numaNodes / deviceCount) }

func deviceName(index int) string { return fmt.Sprintf("gpu-%d", index) }
