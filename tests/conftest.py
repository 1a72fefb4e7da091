"""What all tests share: the `gpu` marker and fixture, and how property-based tests run."""

from __future__ import annotations

import os
from functools import cache

import pytest
from hypothesis import HealthCheck, settings

# `ci` gives the same examples on every run, so that a failure there is there for everybody.
_COMMON = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("ci", derandomize=True, **_COMMON)
settings.register_profile("local", **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

REQUIRE_GPU = "KERNELPATH_REQUIRE_GPU"


def pytest_configure(config: pytest.Config) -> None:
    """Declare the project's own markers."""
    config.addinivalue_line("markers", f"gpu: needs a GPU adapter; skipped without one, failed where {REQUIRE_GPU}=1")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most of the cases of a test marked `sampled` to the runs that take exhaustive ones, too."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for same in cases.values():
        marker = same[0].get_closest_marker("sampled")
        assert marker is not None
        count = min(marker.args[0], len(same))
        kept = {place * len(same) // count for place in range(count)}
        for place, item in enumerate(same):
            if place not in kept:
                item.add_marker("exhaustive")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Hold back a test marked `gpu` where there is no adapter."""
    if item.get_closest_marker("gpu") is not None:
        _need_gpu()


@pytest.fixture(scope="session")
def gpu() -> str:
    """Return the adapter's name; without an adapter the test is skipped, or fails where one is required."""
    return _need_gpu()


def _need_gpu() -> str:
    name, reason = _adapter()
    if name is None and os.environ.get(REQUIRE_GPU) == "1":
        pytest.fail(f"{REQUIRE_GPU}=1, but {reason}", pytrace=False)
    if name is None:
        pytest.skip(f"{reason} (set {REQUIRE_GPU}=1 to make this a failure)")
    return name


@cache
def _adapter() -> tuple[str | None, str]:
    """Return the adapter's name, or None and why there is none."""
    try:
        import wgpu
    except ImportError:
        return None, "wgpu is not installed: pip install 'kernelpath[gpu]'"
    try:
        adapter = wgpu.gpu.request_adapter_sync()
    except RuntimeError:
        return None, "wgpu finds no adapter: .ci/run shows how to install a software one"
    if adapter.info.get("backend_type") == "OpenGL":  # what wgpu falls back to: it lacks what the shaders need
        return None, f"wgpu finds only an OpenGL adapter: {adapter.summary}"
    return adapter.summary, ""
