"""Shapes that strict refuses: ops, kernels, caches, layers, ids, members and policies (B31 to B43)."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.recorded import catalog

from .asked import ask, blamed, errors, record, rules, warnings
from .graphs import POLICIES, cast, compiled, reference, session, step

SMALL = "attention_small.wgsl"


def attention(name: str = "a", kernel: str = SMALL, **members: Any) -> dict[str, Any]:
    """Return an attention step."""
    return step(name, op="attention", kernel=kernel, **members)


@pytest.mark.parametrize(
    "op", ["Attention", "ATTENTION", " attention", "attention ", "attn", "attention_tiered", "Cast"]
)
@pytest.mark.parametrize("layout", ["contiguous", "bdpa"])
def test_an_op_that_there_is_not_is_refused(op: str, layout: str) -> None:
    """B31: no spelling of attention gets around what attention is checked for."""
    own = session("f32", kvcache={"kvDtype": "f32", "layout": layout})
    result = compiled(step("a", op=op, kernel=SMALL, kvIO={"readDtype": "zz", "writeDtype": "f16"}), own=own)
    assert f"step 0 has op `{op}`, which there is not" in errors(result)


def test_the_right_spelling_is_offered() -> None:
    """The help names the op that was meant, where case and white space are all that is wrong."""
    helps = [found.help for found in ask(record("B31")).diagnostics]
    assert helps[0] == "write `attention`"
    assert compiled(step("a", op="nonsense")).diagnostics[0].help is None


@pytest.mark.parametrize("op", ["attention", "ffn", "conv", "noop", "rmsnorm", "q_norm", "final_norm"])
def test_an_op_that_there_is_passes(op: str) -> None:
    """Ops of pipelines and of kernel paths are known, each on a kernel that does it."""
    made = attention() if op == "attention" else step("a", op=op, weight="w")
    assert errors(compiled(made)) == []


@pytest.mark.parametrize(
    "kernel", sorted({one.kernel for one in catalog().values() if one.op in ("rmsnorm", "matmul", "gather", "rope")})
)
def test_attention_runs_on_attention_kernels_alone(kernel: str) -> None:
    """B32: whatever else the kernel computes, it is not attention."""
    entry = next(one.entry for one in catalog().values() if one.kernel == kernel)
    result = compiled(attention(kernel=kernel, entry=entry))
    assert ("strict/pinning/op-takes-kernel", "0") in blamed(result)


@pytest.mark.parametrize("op", ["ffn", "conv", "noop", "rmsnorm", "residual_add", "q_proj", "sample", "matmul"])
@pytest.mark.parametrize("kernel", [SMALL, "attention_decode_tiered_f16.wgsl", "attention_bdpa_decode_f16.wgsl"])
def test_nothing_but_attention_runs_on_attention_kernels(op: str, kernel: str) -> None:
    """An attention kernel under another op would escape all that attention is checked for."""
    assert rules(compiled(step("a", op=op, kernel=kernel))) == ["strict/pinning/op-takes-kernel"]


@pytest.mark.parametrize(
    ("op", "kernel", "right"),
    [
        ("rmsnorm", "rmsnorm.wgsl", True),
        ("rmsnorm", "matmul_f32.wgsl", False),
        ("matmul", "matmul_f32.wgsl", True),
        ("matmul", "rmsnorm.wgsl", False),
        ("q_proj", "matmul_f32.wgsl", True),
        ("q_proj", "rope.wgsl", False),
        ("rope_q", "rope.wgsl", True),
        ("rope_q", "rmsnorm.wgsl", False),
        ("embed", "gather.wgsl", True),
        ("embed", "rmsnorm.wgsl", False),
        ("attn_residual", "residual.wgsl", True),
        ("attn_residual", "gelu.wgsl", False),
        ("activation", "silu.wgsl", True),
        ("activation", "rope.wgsl", False),
        ("ffn", "matmul_f32.wgsl", True),
        ("ffn", "rmsnorm.wgsl", True),
        ("conv", "gather.wgsl", True),
    ],
)
def test_ops_and_kernels_that_fit(op: str, kernel: str, right: bool) -> None:
    """An op that says what it computes takes kernels that compute it; one that does not takes any."""
    assert rules(compiled(step("a", op=op, kernel=kernel, weight="w"))) == (
        [] if right else ["strict/pinning/op-takes-kernel"]
    )


@pytest.mark.parametrize("layout", ["bdpa", "bdpa_paged", " BDPA_Paged ", ["bdpa_paged"]])
@pytest.mark.parametrize("phase", ["prefill", "both", " Both ", "decode"])
@pytest.mark.parametrize("by", ["manifest", "overlay"])
def test_prefill_attention_over_a_bdpa_cache_is_refused(layout: Any, phase: str, by: str) -> None:
    """B33: paged or not, and whoever chose the layout."""
    cache = {"kvDtype": "f32", "layout": layout}
    own = session("f32", kvcache=cache if by == "manifest" else {"kvDtype": "f32"})
    runtime = None if by == "manifest" else {"session": {"kvcache": cache}}
    result = compiled(attention(phase=phase), own=own, runtime=runtime)
    assert blamed(result) == ([] if phase == "decode" else [("strict/kv-layout/attention-layout", "a")])


@pytest.mark.parametrize("layout", ["zigzag", "contiguous2", "", 5, True, ["paged", "bdpa"], {"a": 1}, "bdpa-paged"])
@pytest.mark.parametrize("by", ["manifest", "overlay"])
def test_a_layout_that_there_is_not_is_refused(layout: Any, by: str) -> None:
    """B34: in the manifest as in the overlay."""
    cache = {"kvDtype": "f32", "layout": layout}
    own = session("f32", kvcache=cache if by == "manifest" else {"kvDtype": "f32"})
    runtime = None if by == "manifest" else {"session": {"kvcache": {"layout": layout}}}
    stage = "session-parts" if by == "manifest" else "resolved-session"
    assert rules(compiled(step("a"), own=own, runtime=runtime)) == [f"strict/{stage}/known-layout"]


@pytest.mark.parametrize("layout", ["contiguous", "paged", "tiered", None, " Paged "])
def test_a_layout_that_there_is_passes(layout: Any) -> None:
    """Layouts are compared without case and white space, and may be left out."""
    own = session("f32", kvcache={"kvDtype": "f32", "layout": layout})
    assert errors(compiled(attention(), own=own)) == []


def io(read: str, write: str | None = None) -> dict[str, str]:
    """Return a step's own KV dtypes."""
    return {"readDtype": read, "writeDtype": write or read}


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
@pytest.mark.parametrize("layers", ["all", [1]])
@pytest.mark.parametrize("phases", [("both", "both"), ("prefill", "decode"), ("decode", "prefill")])
def test_attention_steps_share_one_cache(order: tuple[str, str], layers: Any, phases: tuple[str, str]) -> None:
    """B35: without a cache in the session, two dtypes of one cache are refused, each kernel being right on its own."""
    made = {
        "a": attention("a", SMALL, kvIO=io("f32"), phase=phases[0]),
        "b": attention("b", "attention_small_f16kv.wgsl", kvIO=io("f16"), phase=phases[1], layers=layers),
    }
    result = compiled(*[made[name] for name in order], own=session("f32", kvcache=None))
    assert rules(result) == ["strict/kv-agreement/one-cache"]


def test_one_cache_may_be_of_either_dtype() -> None:
    """Steps that agree are right, whichever dtype they agree on, and one that reads what it does not write is not."""
    none = session("f32", kvcache=None)
    half = "attention_small_f16kv.wgsl"
    assert errors(compiled(attention("a", kvIO=io("f32")), attention("b", kvIO=io("f32")), own=none)) == []
    assert errors(compiled(*[attention(name, half, kvIO=io("f16")) for name in "ab"], own=none)) == []
    assert rules(compiled(attention("a", kvIO=io("f32", "f16")), own=none)) == ["strict/kv-agreement/one-cache"]


@pytest.mark.parametrize(("layers", "count"), [([99], 2), ([2], 2), ([0, 1, 2], 2), ([1], 1), ([26], 26)])
@pytest.mark.parametrize("kind", ["step", "cast", "decode"])
def test_a_layer_beyond_the_last_is_refused(layers: list[int], count: int, kind: str) -> None:
    """B36: whichever step names it."""
    made = (
        cast("b", "f32", layers=layers)
        if kind == "cast"
        else step("b", layers=layers, phase="decode" if kind == "decode" else "both")
    )
    assert blamed(compiled(step("a"), made, layers=count)) == [("strict/step-shape/layers-exist", "1")]


@pytest.mark.parametrize(("layers", "count"), [([1], 2), ([0, 1], 2), ([25], 26), ([0], 1), ([70], 0)])
def test_layers_of_the_model_pass(layers: list[int], count: int) -> None:
    """The last layer is there; where nobody says how many there are, any is."""
    assert errors(compiled(step("a"), step("b", layers=layers), layers=count)) == []


def test_a_layer_beyond_all_models_is_refused() -> None:
    """A number of layers that nobody gives does not make a layer of any number."""
    assert errors(compiled(step("a", layers=[10**9]), layers=0)) == [
        "step 0 runs on layers 1000000000, but the limit is 65536"
    ]


@pytest.mark.parametrize("section", ["layer", "preLayer"])
@pytest.mark.parametrize("kind", ["step", "cast"])
def test_a_step_on_no_layer_is_refused(section: str, kind: str) -> None:
    """B37: an empty list is a step that never runs."""
    made = cast("b", "f32", layers=[], section=section) if kind == "cast" else step("b", layers=[], section=section)
    assert blamed(compiled(step("a"), made)) == [("strict/step-shape/layers-run", "1")]


@pytest.mark.parametrize("other", [" a ", "a ", "\ta", "a\u00a0", "\ufeffa"])
@pytest.mark.parametrize("order", [0, 1])
def test_ids_that_differ_in_white_space_are_refused(other: str, order: int) -> None:
    """B38: whichever of the two comes first."""
    ids = ["a", other] if order == 0 else [other, "a"]
    assert blamed(compiled(*[step(name) for name in ids])) == [("strict/pinning/unique-trimmed-id", ids[1])]


@pytest.mark.parametrize("ids", [("a", "b"), ("a", "A"), ("a b", "ab"), (" a ", "b")])
def test_ids_that_differ_in_more_pass(ids: tuple[str, str]) -> None:
    """Case counts, and white space inside, and one id may stand alone however it is written."""
    assert errors(compiled(*[step(name) for name in ids])) == []


def test_an_id_that_a_patch_adds_is_compared_too() -> None:
    """What comes by a patch must differ from what is there in more than white space."""
    patch = {"executionPatch": {"add": [{"insertAfter": "a", "step": step(" a")}]}}
    assert rules(compiled(step("a"), runtime=patch)) == ["strict/pinning/unique-trimmed-id"]


@pytest.mark.parametrize(
    ("member", "value", "said"),
    [
        ("kernal", "x", "step 0 has `kernal`, which nothing reads"),
        ("Layers", "all", "step 0 has `Layers`, which nothing reads"),
        ("weights ", "x", "step 0 has `weights `, which nothing reads"),
        ("__proto__", {}, "step 0 has `__proto__`, which nothing reads"),
        ("precision", {"inputDtpe": "f32"}, "step 0 has `precision.inputDtpe`, which nothing reads"),
        ("kvIO", {"readDtype": "f32", "writedtype": "f32"}, "step 0 has `kvIO.writedtype`, which nothing reads"),
        ("kernelRef", {**reference("rmsnorm.wgsl"), "x": 1}, "step 0 has `kernelRef.x`, which nothing reads"),
        ("precision", "f16", "`precision` of step 0 is not an object"),
        ("precision", ["f16"], "`precision` of step 0 is not an object"),
        ("constants", "zz", "`constants` of step 0 is not an object"),
        ("constants", [1], "`constants` of step 0 is not an object"),
        ("kvIO", "f16", "`kvIO` of step 0 is not an object"),
        ("weights", 5, "`weights` of step 0 is not a text"),
        ("weights", {"a": 1}, "`weights` of step 0 is not a text"),
        ("weights", False, "`weights` of step 0 is not a text"),
    ],
)
@pytest.mark.parametrize("by", ["manifest", "patch"])
def test_a_member_that_nothing_reads_is_refused(member: str, value: Any, said: str, by: str) -> None:
    """B39: misspelt members, and members of another type, in the manifest's steps and in those that a patch adds."""
    wrong = step("a", **{member: value})
    if by == "manifest":
        assert errors(compiled(wrong)) == [said]
    else:
        patch = {"executionPatch": {"add": [{"insertAfter": "b", "step": wrong}]}}
        assert errors(compiled(step("b"), runtime=patch)) == [said.replace("step 0", "step 1")]


@pytest.mark.parametrize(
    "members",
    [
        {"precision": {"inputDtype": "f32", "mathDtype": "f16", "accumDtype": "f32", "outputDtype": "f32"}},
        {"precision": None, "constants": None, "weights": None, "kvIO": None},
        {"constants": {"A": 1, "B": "x", "C": True}, "weights": "layer.{L}.w"},
        {"name": "n", "weight": "w", "residual": "state", "a": "state", "b": "state", "variant": "v"},
        {"skipInputNorm": True, "probeStage": "p", "entry": "main"},
    ],
)
def test_members_that_are_read_pass(members: Any) -> None:
    """All members that a step may have, of their types or null."""
    assert errors(compiled(step("a", **members))) == []


@pytest.mark.parametrize("by", ["manifest", "patch"])
def test_an_id_that_pollutes_is_refused(by: str) -> None:
    """B40: wherever the step comes from; and nothing was polluted by it."""
    wrong = step("__proto__")
    if by == "manifest":
        result = compiled(wrong)
    else:
        result = compiled(step("a"), runtime={"executionPatch": {"add": [{"insertAfter": "a", "step": wrong}]}})
    assert rules(result) == ["strict/pinning/harmless-id"]


@pytest.mark.parametrize("name", ["constructor", "toString", "hasOwnProperty", "__proto", "proto"])
def test_other_inherited_names_are_ordinary_ids(name: str) -> None:
    """They are traced as any other step is."""
    result = compiled(step(name))
    assert errors(result) == []
    assert list(result.value["resolvedSources"]["steps"]) == [name]


@pytest.mark.parametrize("policy", ["unsupportedPrecision", "dtypeTransition", "unresolvedKernel"])
@pytest.mark.parametrize("value", ["Error", "errors", "", None, True, 0, ["error"], "require_cast", "none", "ignore"])
def test_a_policy_value_that_nobody_knows_is_refused(policy: str, value: Any) -> None:
    """B41: it would switch the policy off."""
    result = compiled(step("a"), policies={**POLICIES, policy: value})
    assert "strict/policies/known-values" in rules(result)
    assert f"policy `{policy}` is" in errors(result)[0]


@pytest.mark.parametrize("policy", ["unsupportedPrecision", "dtypeTransition", "unresolvedKernel"])
@pytest.mark.parametrize("value", ["off", "warn", "allow"])
def test_a_policy_may_be_switched_off(policy: str, value: str) -> None:
    """These words say that it is meant."""
    assert errors(compiled(step("a"), policies={**POLICIES, policy: value})) == []
    assert errors(compiled(step("a"), policies={policy: value})) == []


def test_a_misspelt_policy_does_not_hide_the_fault_that_it_lets_through() -> None:
    """The recorded graph writes what its kernel does not write; strict says why nobody would have noticed."""
    result = ask(record("B41"))
    assert rules(result) == ["strict/policies/known-values"]
    mended = record("B41")
    mended["options"]["manifestInference"]["execution"]["policies"]["unsupportedPrecision"] = "error"
    assert rules(ask(mended)) == ["execution-v0/flow/output-declared"]


@pytest.mark.parametrize("policies", ["abc", "", [], ["x"], 5, 0, False, True])
def test_policies_that_are_no_object_are_refused(policies: Any) -> None:
    """B42: they would set nothing."""
    result = compiled(step("a"), extra={"execution": {"steps": [step("a")], "policies": policies}})
    assert rules(result) == ["strict/policies/policies-object"]


@pytest.mark.parametrize("name", ["dtypeTransitions", "unresolvedkernel", "x", "__proto__"])
def test_a_policy_that_there_is_not_is_refused(name: str) -> None:
    """B42: a misspelt policy is never asked for."""
    assert errors(compiled(step("a"), policies={**POLICIES, name: "error"})) == [f"there is no policy `{name}`"]


@pytest.mark.parametrize("policies", [{}, {"dtypeTransition": "require_cast_step"}, dict(POLICIES)])
def test_policies_may_be_left_out(policies: Any) -> None:
    """One, some or none of the policies may be given."""
    assert errors(compiled(step("a"), policies=policies)) == []
    assert errors(compiled(step("a"), extra={"execution": {"steps": [step("a")]}})) == []


@pytest.mark.parametrize(
    "value", ["session_first", "Step_then_kernel_profile_then_session_default", "off", "warn", "allow", None, 5]
)
def test_a_precedence_that_there_is_not_is_refused(value: Any) -> None:
    """B43: there is one order only, and nobody can switch it off."""
    result = compiled(step("a"), policies={**POLICIES, "precisionPrecedence": value})
    assert rules(result) == ["strict/policies/known-values"]
    assert warnings(result) == []
