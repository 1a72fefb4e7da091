"""Every kernel that the reference's presets name does what its family means, on this device."""

from __future__ import annotations

import pytest

from kernelpath.emit.plan.families import load_families
from kernelpath.execute.shaders import Shaders
from kernelpath.execute.verify import checkable, verify_variant
from kernelpath.graph.catalog import load_presets

pytestmark = pytest.mark.gpu


def preset_kernels() -> list[str]:
    """Return the `kernel#entry` of each step of each preset."""
    steps = [step for path in load_presets().values() for part in _parts(path) for step in part]
    return sorted({f"{step['kernel']}#{step['entry']}" for step in steps})


def _parts(path):
    decode, prefill = path["decode"]["steps"], path["prefill"]["steps"]
    return [decode, prefill, path.get("preLayer", []), path.get("postLayer", []), path.get("sampling", [])]


def one_of_each_template() -> list[str]:
    """Return further kernels, so that each family, and each WGSL template at a quantised dtype, is met once."""
    return [
        "cast_f32_to_f16.wgsl#main",
        "bf16_to_f16.wgsl#main",
        "dequant_q6k.wgsl#main",
        "dequant_q8_0.wgsl#main",
        "gather_q5_0.wgsl#main",
        "kv_write_f16kv.wgsl#main",
        "rope_kv_write_f16kv.wgsl#main",
        "rmsnorm_residual.wgsl#main",
        "norm_matmul_f16w.wgsl#main",
        "norm_ffn_q4_1.wgsl#main",
        "matmul_residual_q8_0.wgsl#main",
        "fused_matmul_q6_k.wgsl#main_multicol",
        "fused_matmul_q4_0_batched.wgsl#main_batched",
        "sample.wgsl#softmax_and_sample",
        "silu.wgsl#main",
        "silu_f16.wgsl#main",
        "matmul_gemv.wgsl#main",
    ]


@pytest.mark.parametrize("name", [*preset_kernels(), *one_of_each_template()])
@pytest.mark.sampled(20)
def test_kernel_does_what_its_family_means(shaders: Shaders, name: str) -> None:
    """Outputs are within tolerance of the f64 meaning, poison is gone, and two runs agree bit by bit."""
    kernel, entry = name.split("#")
    checks = [
        check for variant in load_families().variants(kernel, entry) for check in verify_variant(shaders, variant)
    ]
    assert checks
    assert not [check for check in checks if not check.holds]


def test_presets_name_38_kernels() -> None:
    """The reference's presets use 38 kernels, and each of them is here."""
    names = preset_kernels()
    assert len(names) == 38
    assert [name for name in names if not load_families().variants(*name.split("#"))] == []


def test_every_variant_has_cases_that_fit() -> None:
    """No variant goes unchecked because none of its family's cases suits it."""
    from kernelpath.execute.verify import fits, names_for

    unchecked = [
        f"{variant.name} when {variant.when}"
        for variant in checkable(load_families())
        if not any(
            names is not None and fits(variant, names)
            for names in (names_for(variant, case, cpu=False) for case in variant.family.cases)
        )
    ]
    assert unchecked == []
