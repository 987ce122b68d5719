// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	resource "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/dynamic-resource-allocation/resourceslice"
	"k8s.io/klog/v2"
)

const driverName = "gpu.example.com"

// The driver for resource claims. Which claim has which device is known to
// Kubernetes (ResourceClaim.status); that no two have the same one is looked after here, too.
type driver struct {
	node    node
	holders map[string]types.UID // by name of the device
}

func startDriver(ctx context.Context, n node, client kubernetes.Interface) (*kubeletplugin.Helper, error) {
	data := filepath.Join(n.kubeletDir, "plugins", driverName)
	if err := os.MkdirAll(data, 0o750); err != nil {
		return nil, err
	}
	d := &driver{node: n, holders: map[string]types.UID{}}
	helper, err := kubeletplugin.Start(ctx, d,
		kubeletplugin.DriverName(driverName),
		kubeletplugin.KubeClient(client),
		kubeletplugin.NodeName(n.name),
		kubeletplugin.PluginDataDirectoryPath(data),
		kubeletplugin.RegistrarDirectoryPath(filepath.Join(n.kubeletDir, "plugins_registry")),
		kubeletplugin.HealthService(false))
	if err != nil {
		return nil, err
	}
	slice := resourceslice.Slice{Devices: publishedDevices()}
	pool := resourceslice.Pool{Slices: []resourceslice.Slice{slice}}
	err = helper.PublishResources(ctx, resourceslice.DriverResources{
		Pools: map[string]resourceslice.Pool{n.name: pool},
	})
	if err != nil {
		helper.Stop()
		return nil, err
	}
	return helper, nil
}

// In the order of their indices: the scheduler takes the first that fits.
func publishedDevices() []resource.Device {
	var devices []resource.Device
	for i := range deviceCount {
		devices = append(devices, resource.Device{
			Name: deviceName(i),
			Attributes: map[resource.QualifiedName]resource.DeviceAttribute{
				"index":       {IntValue: new(int64(i))},
				"numaNode":    {IntValue: new(numaNodeOf(i))},
				"productName": {StringValue: new("Example GPU 80GB")},
			},
		})
	}
	return devices
}

// The helper calls one of these at a time.

func (d *driver) PrepareResourceClaims(_ context.Context, claims []*resource.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	results := map[types.UID]kubeletplugin.PrepareResult{}
	for _, claim := range claims {
		devices, err := d.prepare(claim)
		results[claim.UID] = kubeletplugin.PrepareResult{Devices: devices, Err: err}
	}
	return results, nil
}

func (d *driver) prepare(claim *resource.ResourceClaim) ([]kubeletplugin.Device, error) {
	var devices []kubeletplugin.Device
	var indices []int
	for _, result := range claim.Status.Allocation.Devices.Results {
		if result.Driver != driverName {
			continue
		}
		index, err := d.indexOf(result)
		if err != nil {
			return nil, err
		}
		if holder, held := d.holders[result.Device]; held && holder != claim.UID {
			return nil, fmt.Errorf("device %s is in use for the claim with UID %s", result.Device, holder)
		}
		indices = append(indices, index)
		devices = append(devices, kubeletplugin.Device{
			Requests:     []string{result.Request},
			PoolName:     result.Pool,
			DeviceName:   result.Device,
			CDIDeviceIDs: []string{cdiKind + "=" + cdiDeviceName(claim.UID, result.Device)},
		})
	}
	if err := writeCDI(d.node.cdiDir, claim.UID, d.node.name, indices); err != nil {
		return nil, err
	}
	for _, device := range devices {
		d.holders[device.DeviceName] = claim.UID
	}
	klog.Infof("claim %s/%s has the devices %v", claim.Namespace, claim.Name, indices)
	return devices, nil
}

func (d *driver) indexOf(result resource.DeviceRequestAllocationResult) (int, error) {
	for i := range deviceCount {
		if result.Pool == d.node.name && result.Device == deviceName(i) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("node %s has no device %s/%s", d.node.name, result.Pool, result.Device)
}

func (d *driver) UnprepareResourceClaims(_ context.Context, claims []kubeletplugin.NamespacedObject) (map[types.UID]error, error) {
	results := map[types.UID]error{}
	for _, claim := range claims {
		results[claim.UID] = removeCDI(d.node.cdiDir, claim.UID)
		for device, holder := range d.holders {
			if holder == claim.UID {
				delete(d.holders, device)
			}
		}
	}
	return results, nil
}

func (d *driver) HandleError(_ context.Context, err error, message string) {
	if errors.Is(err, kubeletplugin.ErrRecoverable) {
		klog.Errorf("%s: %v", message, err)
		return
	}
	klog.Fatalf("%s: %v", message, err)
}

func (d *driver) WatchHealthStatus(context.Context, chan<- kubeletplugin.DeviceHealthReport) error {
	return kubeletplugin.ErrHealthNotSupported
}
