"""Read buffers back through staging buffers that are kept, one for each power of two of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelpath.execute.device import COPY_DST, MAP_FOR_READING, MAP_READ, DeviceError

_REMEDY = "look into the driver's log, make the session smaller with `--capacity`, or run with `--backend numpy`"


class Readback:
    """The staging buffers of a device. Reading waits until all that was submitted before is done."""

    def __init__(self, gpu: Any) -> None:
        self._gpu = gpu
        self._staging: dict[int, Any] = {}

    def read(self, buffer: Any, offset: int, size: int) -> NDArray[np.uint8]:
        """Return `size` bytes of a buffer as an array of its own; raises DeviceError where the device is lost."""
        whole = -(-size // 4) * 4
        staging = self._buffer(whole)
        encoder = self._gpu.create_command_encoder()
        encoder.copy_buffer_to_buffer(buffer, offset, staging, 0, whole)
        self._gpu.queue.submit([encoder.finish()])
        try:
            staging.map_sync(MAP_FOR_READING, 0, whole)
        except RuntimeError as error:  # what was submitted did not end: the device was lost, or it ran out of memory
            raise DeviceError(f"the device stopped answering: {error}", _REMEDY) from error
        try:
            return np.frombuffer(staging.read_mapped(0, whole), dtype=np.uint8)[:size]
        finally:
            staging.unmap()

    def _buffer(self, size: int) -> Any:
        capacity = 1 << max(size - 1, 255).bit_length()
        if capacity not in self._staging:
            self._staging[capacity] = self._gpu.create_buffer(size=capacity, usage=MAP_READ | COPY_DST)
        return self._staging[capacity]

    def close(self) -> None:
        """Give the staging buffers back."""
        for buffer in self._staging.values():
            buffer.destroy()
        self._staging.clear()
