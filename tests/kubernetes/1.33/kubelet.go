// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"github.com/spf13/cobra"

	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// (this release's takes no context)
func newKubeletCommand() *cobra.Command { return kubelet.NewKubeletCommand() }
