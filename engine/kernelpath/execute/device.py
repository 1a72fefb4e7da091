"""Open a GPU device through wgpu, and say clearly why not when there is none.

This module is the only importer of wgpu; it imports it when a device is asked for, never before.
"""

from __future__ import annotations

import os
import struct
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from types import ModuleType
from typing import Any

WANTED_FEATURES = (
    "shader-f16",
    "subgroup",
    "subgroup-barrier",
    "timestamp-query",
    "timestamp-query-inside-encoders",
    "timestamp-query-inside-passes",
)

# WebGPU's flag values, so that code beside this module needs no wgpu of its own.
MAP_READ, MAP_WRITE, COPY_SRC, COPY_DST, UNIFORM, STORAGE, QUERY_RESOLVE = 0x1, 0x2, 0x4, 0x8, 0x40, 0x80, 0x200
MAP_FOR_READING = 0x1
COMPUTE = 0x4

_LOOPS = 40_000
_LOOP_PROBE = """
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn main() {
    for (var i = 0u; i < data[0]; i++) { data[1] += 1u; }
    for (var i = 0u; i < data[0]; i++) { data[2] += 1u; }
}
"""


class DeviceError(Exception):
    """A device that cannot be had or used: `str(error)` says what is wrong, `help` what to do about it."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.help = help


@dataclass(frozen=True, slots=True, eq=False)
class Device:
    """An open device: wgpu's handle, and what a plan must know of it.

    `limits` has wgpu's names (`max-storage-buffer-binding-size`, ...), in bytes or counts. `cpu` is true for a
    software driver. `loop_bounds` says whether shaders still carry the counter that ends endless loops.
    """

    handle: Any
    name: str
    backend: str
    driver: str
    cpu: bool
    features: frozenset[str]
    limits: dict[str, int]

    def module(self, code: str, label: str = "", trusted: bool = False) -> Any:
        """Compile WGSL to a shader module; `trusted` leaves out bounds checks and loop counters.

        Only the project's own kernels, which are checked on every shape class, may be trusted. Falls back to a checked
        module where this wgpu has no way to ask for a trusted one. Raises wgpu's validation error with line and column.
        """
        if trusted:
            module = _trusted_module(self.handle, code, label)
            if module is not None:
                return module
        return self.handle.create_shader_module(code=code, label=label)

    def require(self, features: tuple[str, ...] | frozenset[str], subject: str) -> None:
        """Raise DeviceError when `subject` (a kernel, say) needs a feature that this device has not."""
        absent = sorted(set(features) - self.features)
        if absent:
            wanted = ", ".join(f"`{name}`" for name in absent)
            raise DeviceError(
                f"{subject} needs {wanted}, which {self.name} does not have",
                "choose a kernel path without it, or run with `--backend numpy`",
            )


def open_device(name: str | None = None, allow_opengl: bool = False) -> Device:
    """Open the best adapter: a GPU before a software driver, OpenGL only when allowed.

    `name` is part of an adapter's summary and picks among several. Raises DeviceError with the remedy in `help`.
    """
    wgpu = _import_wgpu()
    adapter = _choose(_adapters(wgpu), name, allow_opengl)
    features = [feature for feature in WANTED_FEATURES if feature in adapter.features]
    try:
        handle = adapter.request_device_sync(required_features=features, required_limits=dict(adapter.limits))
    except RuntimeError as error:
        raise DeviceError(
            f"{adapter.info['device']} gave no device: {error}", "update its driver, or run with `--backend numpy`"
        ) from error
    info = adapter.info
    device = Device(
        handle=handle,
        name=info["device"],
        backend=info["backend_type"],
        driver=info["description"],
        cpu=info["adapter_type"] == "CPU",
        features=frozenset(features),
        limits=dict(adapter.limits),
    )
    if device.cpu:
        _refuse_loop_fault(device)
    return device


#: The names that browsers give the makers of adapters, by the number that a driver gives.
VENDORS = {
    0x1002: "amd",
    0x1010: "img-tec",
    0x106B: "apple",
    0x10005: "mesa",
    0x10DE: "nvidia",
    0x13B5: "arm",
    0x144D: "samsung",
    0x14E4: "broadcom",
    0x5143: "qualcomm",
    0x8086: "intel",
}
KINDS = {"DiscreteGPU": "discrete", "IntegratedGPU": "integrated", "CPU": "software"}
#: The features that wgpu calls otherwise than WebGPU does.
WEBGPU_NAMES = {"subgroup": "subgroups"}


def probe(features: Collection[str], limits: Collection[str], name: str | None = None) -> dict[str, Any]:
    """Return the device document of the best adapter, as `open_device` chooses it.

    `features` and `limits` are the names that WebGPU has; what wgpu has beside them is left out. A limit that wgpu
    reports as 0 is one that it does not have. Raises DeviceError with the remedy in `help`.
    """
    wgpu = _import_wgpu()
    adapter = _choose(_adapters(wgpu), name, allow_opengl=False)
    info = adapter.info
    offered = {WEBGPU_NAMES.get(feature, feature) for feature in adapter.features}
    found = {webgpu_limit(limit): amount for limit, amount in adapter.limits.items()}
    document = {
        "summary": f"{info['device']} through wgpu on {info['backend_type']}",
        "kind": KINDS.get(info["adapter_type"]),
        "vendor": VENDORS.get(info["vendor_id"], info["vendor"].lower()),
        "architecture": info["architecture"].lower(),
        "features": [feature for feature in features if feature in offered],
        "limits": {limit: found[limit] for limit in limits if found.get(limit)},
        "sources": [
            {
                "title": f"wgpu {wgpu.__version__}, the adapter's features and limits",
                "is": f"a report of the machine itself; driver {info['description'] or 'unknown'}",
            }
        ],
    }
    return {member: value for member, value in document.items() if value is not None}


def webgpu_limit(name: str) -> str:
    """Return WebGPU's name of a limit that wgpu calls `max-texture-dimension-2d`.

    >>> webgpu_limit("max-texture-dimension-2d"), webgpu_limit("max-compute-workgroup-size-x")
    ('maxTextureDimension2D', 'maxComputeWorkgroupSizeX')
    """
    first, *rest = name.split("-")
    return first + "".join(part.upper() if part[0].isdigit() else part.capitalize() for part in rest)


def _import_wgpu() -> ModuleType:
    if "XDG_RUNTIME_DIR" not in os.environ:
        os.environ["XDG_RUNTIME_DIR"] = tempfile.gettempdir()  # else Mesa prints a line about it
    try:
        import wgpu
    except ImportError as error:
        raise DeviceError("the `wgpu` package is not installed", "pip install 'kernelpath[gpu]'") from error
    except (OSError, RuntimeError) as error:
        message = f"the `wgpu` package does not load: {error}"
        raise DeviceError(message, "reinstall it, or run with `--backend numpy`") from error
    module: ModuleType = wgpu
    return module


def _adapters(wgpu: ModuleType) -> list[Any]:
    try:
        adapters: list[Any] = wgpu.gpu.enumerate_adapters_sync()
    except RuntimeError:
        adapters = []
    if not adapters:
        raise DeviceError(
            "no GPU adapter was found",
            "install a Vulkan driver (Debian: `apt-get install libvulkan1 mesa-vulkan-drivers`), "
            "or run with `--backend numpy`",
        )
    return adapters


_ORDER = {"DiscreteGPU": 0, "IntegratedGPU": 1, "Unknown": 2, "CPU": 3}


def _choose(adapters: list[Any], name: str | None, allow_opengl: bool) -> Any:
    """Return the adapter to use, by name, then by kind."""
    wanted = name or os.environ.get("WGPUPY_WGPU_ADAPTER_NAME", "")
    named = [adapter for adapter in adapters if wanted.lower() in adapter.summary.lower()]
    if not named:
        known = ", ".join(f"`{adapter.summary}`" for adapter in adapters)
        raise DeviceError(f"no adapter is called `{wanted}`", f"the adapters here are {known}")
    usable = [adapter for adapter in named if allow_opengl or "OpenGL" not in adapter.info["backend_type"]]
    if not usable:
        raise DeviceError(
            f"{named[0].info['device']} can be reached through OpenGL only, which has no f16 and no subgroups",
            "install its Vulkan driver, or run with `--backend numpy`",
        )
    return min(usable, key=lambda adapter: _ORDER.get(adapter.info["adapter_type"], 2))


def _refuse_loop_fault(device: Device) -> None:
    """Refuse a driver that silently ends loops: Mesa 22.3 gives each invocation 65,535 iterations in all."""
    handle = device.handle
    buffer = handle.create_buffer_with_data(data=struct.pack("4I", _LOOPS, 0, 0, 0), usage=STORAGE | COPY_SRC)
    module = handle.create_shader_module(code=_LOOP_PROBE)
    pipeline = handle.create_compute_pipeline(layout="auto", compute={"module": module, "entry_point": "main"})
    group = handle.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[{"binding": 0, "resource": {"buffer": buffer, "offset": 0, "size": 16}}],
    )
    encoder = handle.create_command_encoder()
    compute = encoder.begin_compute_pass()
    compute.set_pipeline(pipeline)
    compute.set_bind_group(0, group)
    compute.dispatch_workgroups(1)
    compute.end()
    handle.queue.submit([encoder.finish()])
    _, first, second, _ = struct.unpack("4I", handle.queue.read_buffer(buffer))
    if (first, second) != (_LOOPS, _LOOPS):
        raise DeviceError(
            f"the driver {device.driver} ends loops early: two loops of {_LOOPS} ran {first} and {second} times",
            "use Mesa 25 or later (Debian 12: `mesa-vulkan-drivers` from bookworm-backports), "
            "or run with `--backend numpy`",
        )


def _trusted_module(handle: Any, code: str, label: str) -> Any | None:
    """Make a module without run-time checks through wgpu-native's C interface, which wgpu does not wrap.

    Returns None where that interface is absent.
    """
    try:
        from wgpu.backends.wgpu_native import _api, _ffi
    except ImportError:
        return None
    create = getattr(_ffi.lib, "wgpuDeviceCreateShaderModuleTrusted", None)
    if create is None or not hasattr(_api, "new_struct_p") or not hasattr(_api, "to_c_string_view"):
        return None
    handle.create_shader_module(code=code, label=label)  # validation, and its message, come from the wrapped call
    source = _api.new_struct_p("WGPUShaderSourceWGSL *", code=_api.to_c_string_view(code))
    source[0].chain.next = _ffi.ffi.NULL
    source[0].chain.sType = _ffi.lib.WGPUSType_ShaderSourceWGSL
    descriptor = _api.new_struct_p(
        "WGPUShaderModuleDescriptor *",
        nextInChain=_ffi.ffi.cast("WGPUChainedStruct *", source),
        label=_api.to_c_string_view(label),
    )
    return _api.GPUShaderModule(label, create(handle._internal, descriptor, 0), handle)
