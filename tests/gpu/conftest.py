"""One device for all tests that run kernels."""

from __future__ import annotations

import pytest

from kernelpath.execute.device import Device, open_device
from kernelpath.execute.shaders import Shaders


@pytest.fixture(scope="session")
def device(gpu: str) -> Device:
    """Return the open device."""
    return open_device()


@pytest.fixture(scope="session")
def shaders(device: Device) -> Shaders:
    """Return the device's pipelines, made once."""
    return Shaders(device)
