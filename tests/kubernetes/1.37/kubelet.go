// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"

	"github.com/spf13/cobra"

	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func newKubeletCommand() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) }
