"""How strict follows dtypes: through layers, sections, phases and rounds, into casts and kernels (B16 to B30)."""

from __future__ import annotations

from typing import Any

import pytest

from .asked import ask, blamed, dtypes_of, errors, record, rules, warnings
from .graphs import HALF, POLICIES, cast, compiled, session, step

MISMATCH = "strict/flow/read-dtype-mismatch"
UNWRITTEN = "strict/flow/src-produced"
WRONG_CAST = "strict/flow/cast-takes-held"


def reads(name: str, dtype: str, **members: Any) -> dict[str, Any]:
    """Return a step that writes out the dtype at which it reads its slot, on a kernel that reads that one."""
    kernel = HALF if dtype == "f16" else "rmsnorm.wgsl"
    return step(name, kernel=kernel, **{"precision": {"inputDtype": dtype}, **members})


@pytest.mark.parametrize(("cast_on", "read_on"), [(5, 3), (4, 0), (3, 2)])
@pytest.mark.parametrize("phase", ["both", "prefill", "decode"])
def test_a_cast_on_a_later_layer_is_not_believed(cast_on: int, read_on: int, phase: str) -> None:
    """B16: the cast has not run yet where the step reads."""
    steps = [cast("c", "f16", layers=[cast_on], phase=phase), reads("n", "f16", layers=[read_on], phase=phase)]
    result = compiled(*steps, layers=6)
    assert errors(result) == [f"step `n` reads slot `state` as f16, but it holds f32, in layer {read_on}"]
    assert errors(compiled(*steps[::-1], layers=6)) == errors(result)


@pytest.mark.parametrize(("cast_on", "read_on"), [(3, 5), (0, 1), (2, 2)])
def test_a_cast_on_an_earlier_layer_holds_on(cast_on: int, read_on: int) -> None:
    """A slot keeps its dtype from layer to layer, whatever the list's order, until something writes it."""
    steps = [cast("c", "f16", layers=[cast_on]), reads("n", "f16", layers=[read_on])]
    assert errors(compiled(*steps, layers=6)) == []
    if cast_on != read_on:
        assert errors(compiled(*steps[::-1], layers=6)) == []


@pytest.mark.parametrize(("cast_on", "read_on"), [(1, 0), (5, 2), (3, 0)])
@pytest.mark.parametrize("phase", ["both", "decode"])
def test_a_layer_does_not_see_a_later_cast(cast_on: int, read_on: int, phase: str) -> None:
    """B17: a right program is accepted, and each layer's dtypes are its own."""
    result = compiled(
        cast("c", "f16", layers=[cast_on], phase=phase), reads("n", "f32", layers=[read_on], phase=phase), layers=6
    )
    assert dtypes_of(result) == [("c", [cast_on], "f32", "f16"), ("n", [read_on], "f32", "f32")]


@pytest.mark.parametrize(("written_on", "read_on"), [(5, 3), (2, 0), (4, 3)])
@pytest.mark.parametrize("slot", ["tmp", "x", "attn out"])
def test_a_producer_on_a_later_layer_produces_nothing(written_on: int, read_on: int, slot: str) -> None:
    """B18: what another layer writes later is not there yet."""
    result = compiled(step("p", dst=slot, layers=[written_on]), step("c", src=slot, layers=[read_on]), layers=6)
    assert errors(result) == [f"step `c` reads slot `{slot}` before it is produced, in layer {read_on}"]


@pytest.mark.parametrize(("written_on", "read_on"), [(3, 5), (0, 1), (3, 3)])
def test_a_producer_on_an_earlier_layer_produces(written_on: int, read_on: int) -> None:
    """What an earlier layer, or the same one, wrote is there."""
    result = compiled(step("p", dst="tmp", layers=[written_on]), step("c", src="tmp", layers=[read_on]), layers=6)
    assert errors(result) == []


@pytest.mark.parametrize("read_on", [[0, 1, 2, 3, 4, 5], [1, 2, 4]])
def test_layers_are_blamed_together(read_on: list[int]) -> None:
    """One cause is one finding, with all layers in which it holds."""
    result = compiled(step("c", src="tmp", layers=read_on), layers=6)
    where = "0 to 5" if len(read_on) == 6 else "1, 2, 4"
    assert errors(result) == [f"step `c` reads slot `tmp` before it is produced, in layers {where}"]


@pytest.mark.parametrize(("count", "where"), [(2, "layer 1"), (4, "layers 1 to 3"), (3, "layers 1, 2")])
@pytest.mark.parametrize("phase", ["both", "decode", "prefill"])
def test_what_a_layer_leaves_the_next_one_gets(count: int, where: str, phase: str) -> None:
    """B19: from layer 1 on the step gets the f16 that its own layer's cast left."""
    result = compiled(reads("n", "f32", phase=phase), cast("c", "f16", phase=phase), layers=count)
    assert errors(result) == [f"step `n` reads slot `state` as f32, but it holds f16, in {where}"]


def test_a_layer_that_gives_back_what_it_got_is_right() -> None:
    """With a cast back, or with one layer only, nothing is wrong."""
    assert errors(compiled(reads("n", "f32"), cast("c", "f16"), cast("u", "f32"), layers=4)) == []
    assert errors(compiled(reads("n", "f32"), cast("c", "f16"), layers=1)) == []


@pytest.mark.parametrize("section", ["layer", "postLayer", "preLayer"])
@pytest.mark.parametrize("written", [None, "f32"])
def test_state_begins_anew_in_decode(section: str, written: str | None) -> None:
    """B20, B21: whatever prefill left in `state`, and whether the dtype is written out or not, the verdict is one."""
    precision = {"precision": {"inputDtype": written}} if written else {}
    result = compiled(
        cast("c", "f16", phase="prefill", section=section), step("d", phase="decode", layers="all", **precision)
    )
    assert [(name, dtype) for name, _, dtype, _ in dtypes_of(result)] == [("d", "f32")]


@pytest.mark.parametrize("written", [None, "f32"])
def test_other_slots_are_carried_into_decode(written: str | None) -> None:
    """For a slot that is carried the verdict hangs on what prefill left, written out or not."""
    precision = {"precision": {"inputDtype": written}} if written else {}
    prefill = [step("p", dst="x", phase="prefill", precision={"outputDtype": "f16"})]
    result = compiled(*prefill, step("d", src="x", dst="y", phase="decode", **precision))
    assert rules(result) == ([MISMATCH] if written else [])
    assert [message for message in warnings(result) if "step `d`" in message] == [
        "step `d` runs kernel `rmsnorm.wgsl#main`, which reads f32, but slot `x` holds f16, in layers 0, 1"
    ]


@pytest.mark.parametrize("count", [2, 3])
def test_a_cast_of_decode_meets_what_decode_left(count: int) -> None:
    """B22: in layer 1 and on, the cast from f32 finds the f16 that it made itself one layer before."""
    result = compiled(cast("d", "f16", fromDtype="f32", phase="decode"), layers=count)
    where = "layer 1" if count == 2 else "layers 1, 2"
    assert errors(result) == [f"cast step `d` takes f32, but slot `state` holds f16, in {where}"]


@pytest.mark.parametrize("slot", ["x", "kept"])
def test_a_cast_at_the_boundary_is_checked_against_prefill(slot: str) -> None:
    """A cast of decode whose slot prefill left must take what it left."""
    prefill = [cast("p", "f16", phase="prefill", dst=slot)]
    right, wrong = (cast("d", "f32", fromDtype=dtype, src=slot, dst="y", phase="decode") for dtype in ("f16", "f32"))
    assert errors(compiled(*prefill, right)) == []
    assert errors(compiled(*prefill, wrong)) == [
        f"cast step `d` takes f32, but slot `{slot}` holds f16, in layers 0, 1"
    ]


@pytest.mark.parametrize("section", ["preLayer", "layer", "postLayer"])
@pytest.mark.parametrize("reader", ["preLayer", "layer", "postLayer", "sampling"])
def test_a_slot_is_carried_from_prefill_to_decode(section: str, reader: str) -> None:
    """B23: wherever prefill wrote it, decode may read it anywhere."""
    result = compiled(
        step("p", dst="x", phase="prefill", section=section), step("d", src="x", phase="decode", section=reader)
    )
    assert errors(result) == []


def test_nothing_is_carried_from_decode_to_prefill() -> None:
    """Prefill runs first, so it cannot read what decode writes."""
    result = compiled(step("d", dst="x", phase="decode"), step("p", src="x", phase="prefill"))
    assert errors(result) == ["step `p` reads slot `x` before it is produced, in layers 0, 1"]


def test_a_slot_is_carried_round_the_decode_loop_only_once_it_is_written() -> None:
    """In its first round decode reads a slot that nothing wrote yet; later rounds do not mend that."""
    result = compiled(step("r", src="x", phase="decode"), step("w", dst="x", phase="decode", section="postLayer"))
    assert errors(result) == ["step `r` reads slot `x` before it is produced, in layers 0, 1"]


def test_what_decode_writes_comes_round() -> None:
    """A slot that prefill began and decode goes on with is read at one dtype, else the second round reads wrongly."""
    begun = step("p", dst="x", phase="prefill", section="postLayer")
    used = step("r", src="x", dst="y", phase="decode", section="preLayer")
    left = {"phase": "decode", "section": "postLayer", "dst": "x"}
    assert errors(compiled(begun, used, step("w", **left))) == []
    other = compiled(begun, used, step("w", precision={"outputDtype": "f16"}, **left))
    assert errors(other) == ["step `r` reads f32 in the first round of decode, and f16 later"]
    written = compiled(
        begun, {**used, "precision": {"inputDtype": "f32"}}, step("w", precision={"outputDtype": "f16"}, **left)
    )
    assert errors(written) == ["step `r` reads slot `x` as f32, but it holds f16"]


@pytest.mark.parametrize("value", ["off", "warn", "allow"])
@pytest.mark.parametrize("slot", ["state", "x"])
def test_the_policy_covers_what_is_carried(value: str, slot: str) -> None:
    """B24: where dtype transitions are no fault, those between the phases are none either."""
    policies = {**POLICIES, "dtypeTransition": value}
    steps = [step("p", dst=slot, phase="prefill"), reads("d", "f16", src=slot, dst="y", phase="decode")]
    assert errors(compiled(*steps, policies=policies)) == []
    assert rules(compiled(*steps)) == [MISMATCH]


@pytest.mark.parametrize("phase", ["both", "prefill", "decode"])
@pytest.mark.parametrize(("held", "said"), [("f32", "f16"), ("f16", "f32")])
def test_a_cast_reads_what_its_slot_holds(phase: str, held: str, said: str) -> None:
    """B25: a cast whose precision contradicts its slot is refused, whatever it casts to."""
    own = cast("c", "f16", phase=phase, layers=[0], precision={"inputDtype": said})
    result = compiled(own, own=session(held))
    assert errors(result) == [f"cast step `c` reads slot `state` as {said}, but it holds {held}, in layer 0"]
    right = cast("c", "f16", phase=phase, layers=[0], precision={"inputDtype": held})
    assert errors(compiled(right, own=session(held))) == []


@pytest.mark.parametrize(
    ("writer", "reader"),
    [("postLayer", "preLayer"), ("postLayer", "layer"), ("layer", "preLayer"), ("sampling", "postLayer")],
)
def test_a_later_section_feeds_no_earlier_one(writer: str, reader: str) -> None:
    """B26: what is listed first does not run first."""
    result = compiled(step("q", section=writer, dst="x"), step("p", section=reader, src="x"))
    assert blamed(result) == [(UNWRITTEN, "p")]


@pytest.mark.parametrize(
    ("writer", "reader"),
    [("preLayer", "postLayer"), ("preLayer", "layer"), ("layer", "postLayer"), ("postLayer", "sampling")],
)
def test_an_earlier_section_feeds_a_later_one(writer: str, reader: str) -> None:
    """B27: what is listed last may run first."""
    assert errors(compiled(step("q", section=reader, src="x"), step("p", section=writer, dst="x"))) == []


def test_dtypes_follow_the_order_of_sections() -> None:
    """A cast in postLayer, listed first, does not reach the layers; one in preLayer, listed last, does."""
    after = cast("c", "f16", section="postLayer")
    assert errors(compiled(after, reads("n", "f32"))) == []
    before = cast("c", "f16", section="preLayer")
    assert errors(compiled(reads("n", "f32", layers=[0]), before)) == [
        "step `n` reads slot `state` as f32, but it holds f16, in layer 0"
    ]


@pytest.mark.parametrize("op", ["ffn", "conv", "input_norm", "final_norm"])
@pytest.mark.parametrize(("held", "kernel", "wanted"), [("f32", HALF, "f16"), ("f16", "rmsnorm.wgsl", "f32")])
def test_a_kernel_that_reads_another_dtype_is_warned_of(op: str, held: str, kernel: str, wanted: str) -> None:
    """B28: the catalogue says what a kernel reads, the slot what there is."""
    result = compiled(step("n", op=op, kernel=kernel), own=session(held))
    assert errors(result) == []
    assert warnings(result) == [
        f"step `n` runs kernel `{kernel}#main`, which reads {wanted}, but slot `state` holds {held}, in layers 0, 1"
    ]
    assert warnings(compiled(step("n", op=op, kernel=kernel), own=session(wanted))) == []


def attention(kernel: str, **members: Any) -> dict[str, Any]:
    """Return an attention step."""
    return step("a", op="attention", kernel=kernel, **members)


def keeping(cache: str, **members: Any) -> dict[str, Any]:
    """Return an f32 session whose cache is of another dtype."""
    return session("f32", **{"kvcache": {"kvDtype": cache}, **members})


@pytest.mark.parametrize(
    "kernel", ["attention_decode_online_f16kv.wgsl", "attention_small_f16kv.wgsl", "attention_streaming_f16kv.wgsl"]
)
@pytest.mark.parametrize("section", ["preLayer", "layer"])
@pytest.mark.parametrize("precision", [{}, {"precision": {"inputDtype": "f16"}}])
def test_attention_is_held_to_its_slot(kernel: str, section: str, precision: Any) -> None:
    """B29: f16 in the slot is refused by a kernel that reads f32, though the session's activations are f32."""
    own = attention(kernel, layers=[0], **precision)
    result = compiled(cast("c", "f16", section=section, layers=[0]), own, own=keeping("f16"))
    assert errors(result) == [
        f"step `a` runs kernel `{kernel}#main`, which reads f32, but slot `state` holds f16, in layer 0"
    ]
    assert errors(compiled(attention(kernel), own=keeping("f16"))) == []


@pytest.mark.parametrize("kernel", ["attention_streaming_f16.wgsl", "attention_small_f16.wgsl"])
def test_attention_after_its_cast_is_right(kernel: str) -> None:
    """B30: a cast to what the kernel reads makes it right, whatever the session prefers."""
    steps = [cast("c", "f16"), attention(kernel), cast("u", "f32")]
    assert errors(compiled(*steps, own=keeping("f16"))) == []
    assert rules(compiled(attention(kernel), own=keeping("f16"))) == ["strict/flow/attention-input"]


@pytest.mark.parametrize(
    ("kernel", "entry", "cache", "right"),
    [
        ("attention_small.wgsl", "main", "f32", True),
        ("attention_small.wgsl", "main", "f16", False),
        ("attention_small_f16kv.wgsl", "main", "f16", True),
        ("attention_small_f16kv.wgsl", "main", "f32", False),
        ("attention_decode_optimized.wgsl", "main_f16kv", "f16", True),
        ("attention_decode_optimized.wgsl", "main_f16kv", "f32", False),
    ],
)
def test_attention_reads_the_cache_that_there_is(kernel: str, entry: str, cache: str, right: bool) -> None:
    """The kernel's name, or its entry's, says in which dtype it reads the cache."""
    result = compiled(attention(kernel, entry=entry), own=keeping(cache))
    assert rules(result) == ([] if right else ["strict/kv-agreement/attention-cache"])


def test_recorded_attention_after_a_cast_is_accepted() -> None:
    """B30 as recorded: the resolved dtypes are what the kernels read."""
    assert dtypes_of(ask(record("B30"))) == [
        ("c", "all", "f32", "f16"),
        ("a", "all", "f16", "f16"),
        ("u", "all", "f16", "f32"),
    ]


def test_a_faulty_step_leaves_its_slot_open() -> None:
    """What hangs on a fault is not reported again: one fault, one finding."""
    result = compiled(step("a", src="gone", dst="x"), reads("b", "f16", src="x"), reads("c", "f32"))
    assert blamed(result) == [(UNWRITTEN, "a")]


def test_both_of_two_faults_are_reported() -> None:
    """B61: each fault is named, in the order of the graph."""
    unwritten = [step(name, src=slot, dst="y") for name, slot in (("b", "n2"), ("a", "n1"))]
    result = compiled(*unwritten, cast("c", "f16", fromDtype="f16", dst="z"))
    assert blamed(result) == [(UNWRITTEN, "b"), (UNWRITTEN, "a"), (WRONG_CAST, "c")]
