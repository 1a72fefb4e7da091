"""What strict makes of sessions and overlays: honoured, normalised or refused, never dropped (B44 to B51, B59)."""

from __future__ import annotations

from typing import Any

import pytest

from .asked import ask, dtypes_of, errors, record, rules
from .graphs import HALF, POLICIES, compiled, session, step

FIELDS = ["activationDtype", "mathDtype", "accumDtype", "outputDtype"]
LOOP = {"batchSize": 4, "readbackInterval": 2, "stopCheckMode": "batch"}


def over(**members: Any) -> Any:
    """Return an overlay of a session."""
    return {"session": members}


def defaults(**members: Any) -> Any:
    """Return an overlay of the session's dtypes."""
    return over(compute={"defaults": members})


def resolved(result: Any) -> Any:
    """Return the resolved session of a result without errors."""
    assert errors(result) == []
    return result.value["sessionDefaults"]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(("own", "given"), [("f32", "f16"), ("f16", "f32"), ("f32", "f32"), ("f16", "f16")])
def test_an_overlay_s_dtype_is_in_force(field: str, own: str, given: str) -> None:
    """B44, B59: equal to a schema default or not, it counts, is emitted, and is traced to the overlay."""
    result = compiled(step("a"), own=session(own), runtime=defaults(**{field: given}))
    assert resolved(result)["compute"]["defaults"] == {**dict.fromkeys(FIELDS, own), field: given}
    source = result.value["resolvedSources"]["session"][f"sessionDefaults.compute.defaults.{field}"]
    assert source == {"source": "runtime.session"}
    patch = result.value["runtimeInferencePatch"]
    emitted = {"activationDtype": patch["compute"]["activationDtype"], **patch["session"]["compute"]["defaults"]}
    assert emitted[field] == given


@pytest.mark.parametrize("field", FIELDS)
def test_what_no_overlay_says_is_traced_to_the_manifest(field: str) -> None:
    """The source of a value is where it stands."""
    result = compiled(step("a"), runtime=defaults(**{name: "f32" for name in FIELDS if name != field}))
    sources = result.value["resolvedSources"]["session"]
    assert sources[f"sessionDefaults.compute.defaults.{field}"] == {"source": "manifest"}


def test_steps_take_an_overlay_s_dtypes() -> None:
    """The recorded overlay reaches the resolved steps, and what they leave reaches the next layer."""
    assert dtypes_of(ask(record("B44"))) == [("a", [0], "f32", "f16"), ("a", [1], "f16", "f16")]


def test_an_overlay_s_activation_dtype_is_what_state_holds() -> None:
    """A kernel that reads it is right, one that reads the manifest's is warned of."""
    runtime = defaults(activationDtype="f16")
    right, wrong = (
        compiled(step("a", kernel=kernel, layers=[0]), runtime=runtime) for kernel in (HALF, "rmsnorm.wgsl")
    )
    assert [found.rule for found in right.diagnostics] == []
    assert [found.rule for found in wrong.diagnostics] == ["strict/flow/kernel-input"]


@pytest.mark.parametrize("given", ["f64", "", None, 5, {"a": 1}, ["f16", "f32"]])
@pytest.mark.parametrize("field", FIELDS)
def test_an_overlay_s_dtype_is_one(given: Any, field: str) -> None:
    """What is no dtype is refused where it stands, null included."""
    result = compiled(step("a"), runtime=defaults(**{field: given}))
    found = next(one for one in result.diagnostics if one.rule == "strict/resolved-session/dtypes")
    assert (found.document, found.pointer) == ("runtime", f"/session/compute/defaults/{field}")


@pytest.mark.parametrize("given", [" F16 ", "F16", ["f16"]])
def test_an_overlay_s_dtype_is_made_plain(given: Any) -> None:
    """It is compared as text, trimmed and in lower case, and so it is emitted."""
    assert resolved(compiled(step("a"), runtime=defaults(mathDtype=given)))["compute"]["defaults"]["mathDtype"] == "f16"


@pytest.mark.parametrize("member", ["decodeLoop", "kvcache"])
def test_a_null_of_the_overlay_switches_off(member: str) -> None:
    """B45: the session has none then, and the runtime is told of none."""
    own = session("f32", decodeLoop=LOOP)
    result = compiled(step("a"), own=own, runtime=over(**{member: None}))
    assert resolved(result)[member] is None
    emitted = {"decodeLoop": "batching", "kvcache": "kvcache"}
    assert emitted[member] not in result.value["runtimeInferencePatch"]
    kept = "kvcache" if member == "decodeLoop" else "decodeLoop"
    assert resolved(result)[kept] == own[kept]
    assert result.value["resolvedSources"]["session"][f"sessionDefaults.{member}"] == {"source": "runtime.session"}


def test_attention_needs_the_cache_that_an_overlay_switched_off() -> None:
    """A null is honoured, also where it makes the graph wrong."""
    attention = step("a", op="attention", kernel="attention_small.wgsl")
    assert rules(compiled(attention, runtime=over(kvcache=None))) == ["strict/flow/kv-cache-given"]
    pinned = {**attention, "kvIO": {"readDtype": "f32", "writeDtype": "f32"}}
    assert errors(compiled(pinned, runtime=over(kvcache=None))) == []


@pytest.mark.parametrize(
    "runtime", [over(compute=None), over(compute={"defaults": None}), over(compute={"defaults": "f16"})]
)
def test_an_overlay_cannot_take_all_dtypes_away(runtime: Any) -> None:
    """Without them no graph can be compiled, and the overlay is blamed."""
    assert rules(compiled(step("a"), runtime=runtime))[0] == "strict/resolved-session/compute-object"


@pytest.mark.parametrize("profiles", [[], None])
def test_an_overlay_may_take_all_profiles_away(profiles: Any) -> None:
    """An empty list is honoured, so that the steps miss their profiles."""
    result = compiled(step("a"), runtime=over(compute={"kernelProfiles": profiles}))
    assert rules(result) == ["strict/flow/profile-known"]
    off = {**POLICIES, "unresolvedKernel": "off"}
    assert errors(compiled(step("a"), runtime=over(compute={"kernelProfiles": profiles}), policies=off)) == []


@pytest.mark.parametrize("cache", [{"kvDtype": "f64"}, {"kvDtype": None}, "f16", [], 5])
def test_an_overlay_s_cache_is_one(cache: Any) -> None:
    """A cache without dtype, or what is no object, is refused."""
    assert "strict/resolved-session/kvcache-object" in rules(compiled(step("a"), runtime=over(kvcache=cache)))


@pytest.mark.parametrize("own", [None, LOOP])
@pytest.mark.parametrize(
    ("loop", "rule", "subject"),
    [
        ({**LOOP, "batchSize": -5}, "decode-loop-sizes", "decodeLoop.batchSize"),
        ({**LOOP, "batchSize": 2.5}, "decode-loop-sizes", "decodeLoop.batchSize"),
        ({**LOOP, "batchSize": "4"}, "decode-loop-sizes", "decodeLoop.batchSize"),
        ({**LOOP, "readbackInterval": 0}, "decode-loop-sizes", "decodeLoop.readbackInterval"),
        ({**LOOP, "readbackInterval": None}, "decode-loop-sizes", "decodeLoop.readbackInterval"),
        ({**LOOP, "ringTokens": None}, "decode-loop-sizes", "decodeLoop.ringTokens"),
        ({**LOOP, "ringStop": 0}, "decode-loop-sizes", "decodeLoop.ringStop"),
        ({**LOOP, "ringStaging": True}, "decode-loop-sizes", "decodeLoop.ringStaging"),
        ({**LOOP, "stopCheckMode": "sometimes"}, "stop-check-mode", "decodeLoop.stopCheckMode"),
        ({**LOOP, "stopCheckMode": None}, "stop-check-mode", "decodeLoop.stopCheckMode"),
        ({**LOOP, "disableCommandBatching": "yes"}, "command-batching", "decodeLoop.disableCommandBatching"),
        ({**LOOP, "disableCommandBatching": None}, "command-batching", "decodeLoop.disableCommandBatching"),
    ],
)
def test_an_overlay_s_decode_loop_is_checked(own: Any, loop: Any, rule: str, subject: str) -> None:
    """B46: as a manifest's is, whether the manifest has one or not."""
    result = compiled(step("a"), own=session("f32", decodeLoop=own), runtime=over(decodeLoop=loop))
    assert [(found.rule, found.subject, found.document) for found in result.diagnostics] == [
        (f"strict/resolved-session/{rule}", subject, "runtime")
    ]


@pytest.mark.parametrize(
    "loop",
    [
        {"batchSize": 8},
        {**LOOP, "ringTokens": 1, "ringStop": 2, "ringStaging": 3, "disableCommandBatching": True},
        {"stopCheckMode": " Per-Token "},
        {"disableCommandBatching": False},
        {},
    ],
)
def test_an_overlay_s_decode_loop_is_merged(loop: Any) -> None:
    """What the overlay leaves out stays as the manifest has it."""
    result = compiled(step("a"), own=session("f32", decodeLoop=LOOP), runtime=over(decodeLoop=loop))
    expected = {**LOOP, **loop}
    expected["stopCheckMode"] = expected["stopCheckMode"].strip().lower()
    assert resolved(result)["decodeLoop"] == expected


def test_a_loop_that_an_overlay_begins_needs_all_its_members() -> None:
    """Where the manifest has no loop, a part of one is none."""
    assert errors(compiled(step("a"), runtime=over(decodeLoop={"batchSize": 4}))) == [
        "`readbackInterval` of the overlay's decode loop is not a whole number of at least 1",
        "`stopCheckMode` of the overlay's decode loop is missing",
    ]


@pytest.mark.parametrize("loop", ["abc", "", 5, 0, True, False, [], [1, 2]])
@pytest.mark.parametrize("by", ["manifest", "overlay"])
def test_a_decode_loop_that_is_none_is_refused(loop: Any, by: str) -> None:
    """B47: in the manifest as in the overlay."""
    if by == "manifest":
        assert rules(compiled(step("a"), own=session("f32", decodeLoop=loop))) == [
            "execution-v0/session-parts/decode-loop-object"
        ]
    else:
        assert rules(compiled(step("a"), runtime=over(decodeLoop=loop))) == [
            "strict/resolved-session/decode-loop-object"
        ]


@pytest.mark.parametrize("by", ["manifest", "overlay"])
def test_a_session_is_emitted_as_it_is_compared(by: str) -> None:
    """B48: dtypes, modes and layouts reach the runtime plain, from manifest and overlay."""
    written = {
        "compute": {
            "defaults": {"activationDtype": "F32", "mathDtype": " f32", "accumDtype": "F32\n", "outputDtype": ["f32"]}
        },
        "kvcache": {"kvDtype": " F32 ", "layout": " Paged", "pageSize": 16},
        "decodeLoop": {**LOOP, "stopCheckMode": " Batch "},
    }
    result = compiled(step("a"), own=written) if by == "manifest" else compiled(step("a"), runtime=over(**written))
    assert resolved(result)["compute"]["defaults"] == dict.fromkeys(FIELDS, "f32")
    patch = result.value["runtimeInferencePatch"]
    assert patch["compute"] == {"activationDtype": "f32"}
    assert patch["session"]["compute"]["defaults"] == dict.fromkeys(FIELDS[1:], "f32")
    assert patch["kvcache"] == resolved(result)["kvcache"] == {"kvDtype": "f32", "layout": "paged", "pageSize": 16}
    assert patch["batching"] == LOOP


@pytest.mark.parametrize(
    "path",
    [
        ("computee",),
        ("kvCache",),
        ("compute", "default"),
        ("compute", "defaults", "activationDType"),
        ("kvcache", "kvdtype"),
        ("decodeLoop", "batchsize"),
        ("__proto__",),
    ],
)
@pytest.mark.parametrize("by", ["manifest", "overlay"])
def test_a_session_member_that_nothing_reads_is_refused(path: tuple[str, ...], by: str) -> None:
    """B49: at any depth, in the manifest as in the overlay."""
    own = session("f32", decodeLoop=dict(LOOP))
    written: Any = own if by == "manifest" else {}
    place = written
    for name in path[:-1]:
        place = place.setdefault(name, {})
    place[path[-1]] = {}
    result = compiled(step("a"), own=own, runtime=over(**written) if by == "overlay" else None)
    named = "the session" if by == "manifest" else "the overlay's session"
    assert errors(result)[0] == f"{named} has `{'.'.join(path)}`, which nothing reads"


@pytest.mark.parametrize("member", ["precisoin", "kvio", "x"])
def test_a_profile_s_member_that_nothing_reads_is_refused(member: str) -> None:
    """A profile's members are the session's too."""
    own = session("f32")
    own["compute"]["kernelProfiles"] = [{"kernelRef": step("a")["kernelRef"], member: {}}]
    assert errors(compiled(step("a"), own=own)) == [f"kernel profile 0 has `{member}`, which nothing reads"]


def test_session_members_that_are_read_pass() -> None:
    """All members that a session may have."""
    cache = {
        "kvDtype": "f32",
        "layout": "tiered",
        "pageSize": 256,
        "windowSize": 1024,
        "maxSeqLen": 4096,
        "bdpaVocabSize": 8,
    }
    loop = {**LOOP, "ringTokens": 1, "ringStop": 1, "ringStaging": 1, "disableCommandBatching": False}
    own = session("f32", kvcache={**cache, "tiering": {"mode": "off"}}, decodeLoop=loop)
    profile = {
        "kernelRef": step("a")["kernelRef"],
        "precision": {"mathDtype": "f32"},
        "kvIO": {"readDtype": "f32", "writeDtype": "f32"},
    }
    own["compute"]["kernelProfiles"] = [profile]
    assert errors(compiled(step("a"), own=own)) == []


@pytest.mark.parametrize("given", [[1, 2], [], "abc", "", 5, 0, True, False])
def test_an_overlay_s_session_is_an_object(given: Any) -> None:
    """B50: anything else would take the place of the whole session, or be passed over."""
    found = compiled(step("a"), runtime={"session": given}).diagnostics[0]
    assert (found.rule, found.pointer) == ("strict/overlay/session-object", "/session")


@pytest.mark.parametrize("given", ["abc", "", 5, 0, True, False])
def test_an_overlay_is_an_object(given: Any) -> None:
    """What has no members changes nothing, though somebody meant it to."""
    assert rules(compiled(step("a"), runtime=given)) == ["strict/overlay/overlay-object"]


@pytest.mark.parametrize("given", [None, {}, {"session": None}, {"session": {}}, {"session": {"compute": {}}}])
def test_an_overlay_may_say_nothing(given: Any) -> None:
    """Null and empty objects change nothing, and are meant to."""
    assert resolved(compiled(step("a"), runtime=given)) == resolved(compiled(step("a")))


@pytest.mark.parametrize("profiles", [{}, {"a": 1}, 5, True])
def test_profiles_that_are_no_list_are_refused(profiles: Any) -> None:
    """B51: with an ordinary diagnostic."""
    assert rules(compiled(step("a"), runtime=over(compute={"kernelProfiles": profiles})))[0] == (
        "execution-v0/profile-list/profiles-iterable"
    )
