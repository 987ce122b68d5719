// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/types"
	cdi "tags.cncf.io/container-device-interface/specs-go"
)

// What containerd does to a container for each device of a claim is written down for it as the
// Container Device Interface (CDI) says.
const cdiKind = driverName + "/gpu"

// The name has the claim's UID: containerd may remember what it has read under a name.
func cdiDeviceName(claim types.UID, device string) string {
	return fmt.Sprintf("%s-%s", claim, device)
}

func cdiFile(dir string, claim types.UID) string {
	return filepath.Join(dir, fmt.Sprintf("%s-%s.json", driverName, claim))
}

// writeCDI describes the devices of a claim: a variable each, GPU_DEVICE_3=NODE/gpu-3
func writeCDI(dir string, claim types.UID, pool string, indices []int) error {
	spec := cdi.Spec{Version: "0.6.0", Kind: cdiKind}
	for _, i := range indices {
		name := deviceName(i)
		env := fmt.Sprintf("GPU_DEVICE_%d=%s/%s", i, pool, name)
		spec.Devices = append(spec.Devices, cdi.Device{
			Name:           cdiDeviceName(claim, name),
			ContainerEdits: cdi.ContainerEdits{Env: []string{env}},
		})
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	// (under a name that containerd does not read, until it is complete)
	unfinished := cdiFile(dir, claim) + ".new"
	if err := os.WriteFile(unfinished, text, 0o644); err != nil {
		return err
	}
	return os.Rename(unfinished, cdiFile(dir, claim))
}

func removeCDI(dir string, claim types.UID) error {
	err := os.Remove(cdiFile(dir, claim))
	if os.IsNotExist(err) {
		return nil // it was not prepared, or is asked for twice
	}
	return err
}
