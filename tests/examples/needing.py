"""The package `onnx`, which tests of the example need: without it they are skipped, or fail if it is required."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

REQUIRE_ONNX = "KERNELPATH_REQUIRE_ONNX"


def need_onnx() -> None:
    """Skip the module's tests without `onnx`; fail if it must be there."""
    if find_spec("onnx") is not None:
        return
    reason = "onnx is not installed: pip install 'kernelpath[onnx]'"
    if os.environ.get(REQUIRE_ONNX) == "1":
        pytest.fail(f"{REQUIRE_ONNX}=1, but {reason}", pytrace=False)
    pytest.skip(f"{reason} (set {REQUIRE_ONNX}=1 to make this a failure)", allow_module_level=True)
