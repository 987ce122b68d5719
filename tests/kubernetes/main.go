// SPDX-License-Identifier: GPL-2.0-or-later

// The servers of Kubernetes in one program, which runs the one by whose name it is called: one
// program is linked once and takes the disk's room once. A copy of this file is built beside each
// release's kubelet.go and go.mod (script/lib/build-k8s.sh).
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	commands := map[string]func() *cobra.Command{
		"kube-apiserver":          apiserver.NewAPIServerCommand,
		"kube-controller-manager": controllermanager.NewControllerManagerCommand,
		"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
		"kubelet":                 newKubeletCommand,
	}
	name := filepath.Base(os.Args[0])
	command := commands[name]
	if command == nil {
		fmt.Fprintf(os.Stderr, "%s: call this by the name of a server of Kubernetes\n", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(command()))
}
