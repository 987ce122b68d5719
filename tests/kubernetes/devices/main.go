// SPDX-License-Identifier: GPL-2.0-or-later

// Devices that are not there, for tests on one node: what kubelet and scheduler do with them is
// real. They are offered in both ways that Kubernetes has: for resource claims, as devices of the
// driver gpu.example.com, and as the extended resource nvidia.com/gpu. These are two sets of
// devices: who asks for both gets some of each.
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// What the kubelet has, and we with it
type node struct {
	name       string
	kubeletDir string // its --root-dir (device plugins have a folder that does not depend on it)
	cdiDir     string // where containerd looks for descriptions of devices
	kubeconfig string // the kubelet's own: the API server lets nodes publish their devices
}

func main() {
	var n node
	flag.StringVar(&n.name, "node", "", "name of the Kubernetes node")
	flag.StringVar(&n.kubeletDir, "kubelet-dir", "/var/lib/kubelet", "the kubelet's --root-dir")
	flag.StringVar(&n.cdiDir, "cdi-dir", "/var/run/cdi", "one of containerd's cdi_spec_dirs")
	flag.StringVar(&n.kubeconfig, "kubeconfig", "", "the node's kubeconfig")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, n); err != nil {
		klog.Fatal(err)
	}
}

func run(ctx context.Context, n node) error {
	config, err := clientcmd.BuildConfigFromFlags("", n.kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	driver, err := startDriver(ctx, n, client)
	if err != nil {
		return err
	}
	defer driver.Stop()
	return servePlugin(ctx)
}
