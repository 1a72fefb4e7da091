"""The wgpu backend: a plan's dispatches recorded into one pass, with pipelines and bind groups made once."""

from kernelpath.execute.wgpu_backend.backend import WgpuBackend
from kernelpath.execute.wgpu_backend.device_limits import device_limits

__all__ = ["WgpuBackend", "device_limits"]
