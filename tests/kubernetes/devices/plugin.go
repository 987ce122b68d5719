// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/klog/v2"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const extendedResource = "nvidia.com/gpu"

// The device plugin. A container gets a node /dev/nvidiaN for each of its devices, which is
// the machine's /dev/null, and the indices in the variable that NVIDIA's plugin sets.
type plugin struct {
	api.UnimplementedDevicePluginServer
	ended chan struct{}
}

// servePlugin returns when ctx ends. A kubelet that starts removes the sockets of all device
// plugins and knows none of them: they are to come again.
func servePlugin(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := serveOnce(ctx); err != nil {
			klog.Errorf("device plugin: %v", err)
		}
		pause(ctx)
	}
	return nil
}

func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// serveOnce: until the socket is gone, or ctx ends
func serveOnce(ctx context.Context) error {
	socket := filepath.Join(api.DevicePluginPath, "nvidia-tests.sock")
	if err := os.Remove(socket); err != nil && !os.IsNotExist(err) {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	p := &plugin{ended: make(chan struct{})}
	server := grpc.NewServer()
	api.RegisterDevicePluginServer(server, p)
	go server.Serve(listener)
	defer server.Stop()
	defer close(p.ended)
	if err := register(ctx, filepath.Base(socket)); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if _, err := os.Stat(socket); err != nil {
			return err
		}
		pause(ctx)
	}
	return nil
}

func register(ctx context.Context, socket string) error {
	kubelet, err := grpc.NewClient("unix://"+api.KubeletSocket,
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer kubelet.Close()
	_, err = api.NewRegistrationClient(kubelet).Register(ctx, &api.RegisterRequest{
		Version:      api.Version,
		Endpoint:     socket,
		ResourceName: extendedResource,
		Options:      options(),
	})
	return err
}

func options() *api.DevicePluginOptions {
	return &api.DevicePluginOptions{GetPreferredAllocationAvailable: true}
}

func (p *plugin) GetDevicePluginOptions(context.Context, *api.Empty) (*api.DevicePluginOptions, error) {
	return options(), nil
}

func (p *plugin) ListAndWatch(_ *api.Empty, stream grpc.ServerStreamingServer[api.ListAndWatchResponse]) error {
	var devices []*api.Device
	for i := range deviceCount {
		devices = append(devices, &api.Device{
			ID:       deviceName(i),
			Health:   api.Healthy,
			Topology: &api.TopologyInfo{Nodes: []*api.NUMANode{{ID: numaNodeOf(i)}}},
		})
	}
	if err := stream.Send(&api.ListAndWatchResponse{Devices: devices}); err != nil {
		return err
	}
	select {
	case <-p.ended:
	case <-stream.Context().Done():
	}
	return nil
}

// GetPreferredAllocation: those of the lowest indices, so that tests know what comes
func (p *plugin) GetPreferredAllocation(_ context.Context, request *api.PreferredAllocationRequest) (*api.PreferredAllocationResponse, error) {
	response := &api.PreferredAllocationResponse{}
	for _, container := range request.ContainerRequests {
		ids := slices.Clone(container.MustIncludeDeviceIDs)
		free := slices.Sorted(slices.Values(container.AvailableDeviceIDs)) // (of one digit)
		for _, id := range free {
			if len(ids) < int(container.AllocationSize) && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		response.ContainerResponses = append(response.ContainerResponses,
			&api.ContainerPreferredAllocationResponse{DeviceIDs: ids})
	}
	return response, nil
}

func (p *plugin) Allocate(_ context.Context, request *api.AllocateRequest) (*api.AllocateResponse, error) {
	response := &api.AllocateResponse{}
	for _, container := range request.ContainerRequests {
		one, err := allocate(container.DevicesIds)
		if err != nil {
			return nil, err
		}
		response.ContainerResponses = append(response.ContainerResponses, one)
	}
	return response, nil
}

func allocate(ids []string) (*api.ContainerAllocateResponse, error) {
	response := &api.ContainerAllocateResponse{}
	var indices []string
	for _, id := range slices.Sorted(slices.Values(ids)) {
		index, known := strings.CutPrefix(id, "gpu-")
		if i, err := strconv.Atoi(index); !known || err != nil || i < 0 || i >= deviceCount {
			return nil, fmt.Errorf("there is no device %q", id)
		}
		indices = append(indices, index)
		response.Devices = append(response.Devices, &api.DeviceSpec{
			HostPath:      "/dev/null",
			ContainerPath: "/dev/nvidia" + index,
			Permissions:   "rw",
		})
	}
	response.Envs = map[string]string{"NVIDIA_VISIBLE_DEVICES": strings.Join(indices, ",")}
	klog.Infof("a container has the devices %v", indices)
	return response, nil
}
