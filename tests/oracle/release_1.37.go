// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	v1 "k8s.io/api/core/v1"
	helpers "k8s.io/component-helpers/resource"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
)

// pkg/scheduler/framework/plugins/noderesources/fit.go, computePodResourceRequest()
var optionsToPlace = helpers.PodResourcesOptions{}

// pkg/scheduler/framework/types.go, CalculateResource(). (DRANodeAllocatableResources is alpha.)
var optionsOfNode = helpers.PodResourcesOptions{
	UseStatusResources: true,
	InPlacePodLevelResourcesVerticalScalingEnabled: true,
}

// What the API server sets after admission (pkg/registry/core/pod/strategy.go, PrepareForCreate()).
func completePod(pod *v1.Pod) error {
	inside := &core.Pod{}
	if err := corev1.Convert_v1_Pod_To_core_Pod(pod, inside, nil); err != nil {
		return err
	}
	podutil.DefaultPodLevelResources(inside)
	spec := &v1.ResourceRequirements{}
	if inside.Spec.Resources == nil {
		return nil
	}
	if err := corev1.Convert_core_ResourceRequirements_To_v1_ResourceRequirements(inside.Spec.Resources, spec, nil); err != nil {
		return err
	}
	pod.Spec.Resources = spec
	return nil
}
