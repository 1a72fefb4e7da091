"""A device's limits and features in the form that plans are held to."""

from __future__ import annotations

from kernelpath.emit.plan.limits import Limits
from kernelpath.execute.device import Device


def device_limits(device: Device) -> Limits:
    """Return what a plan must fit to run on a device."""
    limits = {name.replace("-", "_"): amount for name, amount in device.limits.items()}
    return Limits(
        max_storage_buffer_binding_size=limits["max_storage_buffer_binding_size"],
        max_buffer_size=limits["max_buffer_size"],
        max_uniform_buffer_binding_size=limits["max_uniform_buffer_binding_size"],
        max_storage_buffers_per_shader_stage=limits["max_storage_buffers_per_shader_stage"],
        max_compute_workgroups_per_dimension=limits["max_compute_workgroups_per_dimension"],
        max_compute_workgroup_storage_size=limits["max_compute_workgroup_storage_size"],
        max_compute_invocations_per_workgroup=limits["max_compute_invocations_per_workgroup"],
        max_compute_workgroup_size_x=limits["max_compute_workgroup_size_x"],
        max_compute_workgroup_size_y=limits["max_compute_workgroup_size_y"],
        max_compute_workgroup_size_z=limits["max_compute_workgroup_size_z"],
        features=device.features,
        cpu=device.cpu,
    )
