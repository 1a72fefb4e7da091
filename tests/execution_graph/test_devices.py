"""Device documents: the shipped ones, how one is read, and what is said of a broken one."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as hypothesis_given
from hypothesis import strategies as st

from kernelpath.emit.plan.limits import Limits, feature_name
from kernelpath.execution_graph.devices import (
    FACTS,
    default_limits,
    device_given,
    document_text,
    facts,
    known_features,
    load_device,
    load_document,
    schema,
    shipped_devices,
)
from kernelpath.packs.folders import PackErrors
from kernelpath.resources import resource

SHIPPED = shipped_devices()
VALID = "vendor: acme\narchitecture: one\nfeatures: [subgroups, shader-f16]\nlimits: {maxBufferSize: 1073741824}\n"


def told(path: Path, text: str) -> list[tuple[int, int, str, str | None]]:
    """Return the place, the message and the help of each fault of a device file."""
    path.write_text(text)
    with pytest.raises(PackErrors) as caught:
        load_device(str(path))
    return [(d.span.line, d.span.column, d.message, d.help) for d in caught.value.diagnostics if d.span]


def test_there_are_devices_of_each_kind() -> None:
    """The classes cover the makers that browsers meet, with and without the two features that kernels ask for."""
    found = {name: facts(device) for name, device in SHIPPED.items()}
    assert len(found) == len(list(resource("kernels", "devices").glob("*.yaml"))) == 20
    makers = {"", "amd", "apple", "arm", "intel", "mesa", "nvidia", "qualcomm"}
    assert {one["vendor"] for one in found.values()} == makers
    have = {tuple(name in one["features"] for name in ("shader-f16", "subgroups")) for one in found.values()}
    assert have == {(False, False), (False, True), (True, False), (True, True)}
    assert {device["kind"] for device in SHIPPED.values()} == set(schema()["properties"]["kind"]["enum"])


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_device_is_whole(name: str) -> None:
    """Each says what it is and where its numbers come from, and offers at least what every device offers."""
    device, least = SHIPPED[name], default_limits()
    assert list(device) == [member for member in schema()["properties"] if member in device]
    assert {"summary", "kind", "sources"} <= device.keys()
    for limit, amount in facts(device)["limits"].items():
        assert amount <= least[limit] if limit.startswith("min") else amount >= least[limit]


def test_the_least_device_is_the_default_of_each_limit() -> None:
    """`webgpu-minimum` has no feature, and says the defaults of what kernels need."""
    assert load_device("webgpu-minimum") == {
        "vendor": "",
        "architecture": "",
        "features": [],
        "limits": dict(default_limits()),
    }


def test_plans_are_held_to_limits_of_the_same_names_and_defaults() -> None:
    """The limits of the dispatch plan are among those of device documents, with one default each."""
    plan = {field.name: field.default for field in fields(Limits) if field.name.startswith("max")}
    known = {name.lower(): amount for name, amount in default_limits().items()}
    assert {name.replace("_", ""): amount for name, amount in plan.items()}.items() <= known.items()
    assert {feature_name(name) for name in ("shader-f16", "subgroups")} == {"shader-f16", "subgroup"}


def test_a_device_comes_by_name_by_file_or_as_a_document(tmp_path: Path) -> None:
    """All three give the same facts: features in order, every limit, and nothing that is for people alone."""
    path = tmp_path / "own.yaml"
    path.write_text(VALID + "summary: mine\n")
    wanted = {
        "vendor": "acme",
        "architecture": "one",
        "features": ["shader-f16", "subgroups"],
        "limits": {**default_limits(), "maxBufferSize": 1 << 30},
    }
    assert load_device(str(path)) == device_given(load_document(str(path))) == device_given(wanted) == wanted
    assert tuple(wanted) == FACTS
    assert device_given("lavapipe") == load_device("lavapipe") == facts(SHIPPED["lavapipe"])
    assert device_given(None) is None


@pytest.mark.parametrize(
    ("text", "place", "message", "help_text"),
    [
        (VALID.replace("f16", "f61"), (3, 23), "unknown feature `shader-f61`", "did you mean `shader-f16`?"),
        (VALID.replace("subgroups", "subgroup"), (3, 12), "unknown feature `subgroup`", "did you mean `subgroups`?"),
        (VALID.replace("Buffer", "Bufer"), (4, 10), "unknown limit `maxBuferSize`", "did you mean `maxBufferSize`?"),
        (VALID.replace("1073741824", "-1"), (4, 25), "`-1` is less than 0", None),
        (
            VALID.replace("1073741824", "1 GiB"),
            (4, 25),
            "expected a whole number, but this is the string `1 GiB`",
            None,
        ),
        (VALID.replace("shader-f16", "subgroups"), (3, 11), "an item of the list is there twice", None),
        (VALID.replace("vendor", "vender"), (1, 1), "unknown key `vender`", "did you mean `vendor`?"),
        (VALID.replace("limits: {maxBufferSize: 1073741824}\n", ""), (1, 1), "the key `limits` is missing", None),
        (VALID.replace("acme", "7"), (1, 9), "expected a string, but this is `7`", 'write it in quotes: "7"'),
        (VALID + "kind: big\n", (5, 7), None, None),
        ("[]\n", (1, 1), "expected a mapping, but this is a list", None),
    ],
)
def test_a_broken_file_is_one_error_at_its_place(
    tmp_path: Path, text: str, place: tuple[int, int], message: str | None, help_text: str | None
) -> None:
    """Each fault is reported once, at line and column, with the nearest known word."""
    ((line, column, said, helped),) = told(tmp_path / "broken.yaml", text)
    assert (line, column) == place
    assert message is None or (said, helped) == (message, help_text)


def test_all_faults_of_a_file_are_reported_in_order(tmp_path: Path) -> None:
    """Unknown words do not hide what is wrong with the shape."""
    text = "vendor: acme\narchitecture: one\nfeatures: [zzz, shader-f61]\nlimits:\n  maxBufferSize: x\n  maxZzz: 1\n"
    found = told(tmp_path / "broken.yaml", text)
    assert [(line, column) for line, column, *_ in found] == [(3, 12), (3, 17), (5, 18), (6, 3)]
    assert found[0][3] == "WebGPU's features are " + ", ".join(known_features())
    assert found[3][3] == "WebGPU's limits are " + ", ".join(default_limits())


@pytest.mark.parametrize(
    ("name", "message", "help_text"),
    [
        ("nvidia-amper", "unknown device `nvidia-amper`", "did you mean `nvidia-ampere`?"),
        ("devices/nvidia-amper.yaml", "unknown device `devices/nvidia-amper.yaml`", "did you mean `nvidia-ampere`?"),
        ("?", "unknown device `?`", f"shipped ones are {', '.join(SHIPPED)}; else name a file"),
        ("a\0b", r"unknown device `a\x00b`", f"shipped ones are {', '.join(SHIPPED)}; else name a file"),
        (".", "device `.` cannot be read: it is a folder, not a file", None),
    ],
)
def test_a_name_that_no_device_has(name: str, message: str, help_text: str | None) -> None:
    """What names neither a device nor a file says what was probably meant."""
    with pytest.raises(PackErrors) as caught:
        load_device(name)
    (found,) = caught.value.diagnostics
    assert (found.message, found.help) == (message, help_text)


@pytest.mark.parametrize("given", [7, [], {"capabilities": {"hasF16": True}}])
def test_a_device_in_another_form_is_the_packs_to_judge(given: object) -> None:
    """What is not a device document is handed on as it is."""
    assert device_given(given) is given


TEXTS = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), max_size=20) | st.sampled_from(
    ("no", "1e3", "null", "a-b", "-", "x: y", "#", "'", '"')
)
DOCUMENTS = st.fixed_dictionaries(
    {
        "vendor": TEXTS,
        "architecture": TEXTS,
        "features": st.lists(st.sampled_from(known_features()), unique=True),
        "limits": st.dictionaries(st.sampled_from([*default_limits()]), st.integers(0, 1 << 40), max_size=4),
    },
    optional={"summary": TEXTS.filter(bool)},
)


@hypothesis_given(document=DOCUMENTS)
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, document: dict[str, Any]) -> None:
    """The text of a document is a file of the same document, whatever its texts are."""
    path = tmp_path_factory.mktemp("device") / "written.yaml"
    path.write_text(document_text(document), encoding="utf-8")
    assert load_document(str(path)) == document


def test_the_schema_is_one_and_says_what_each_member_is() -> None:
    """The schema is itself valid, every member has a description, and facts are marked as data, as in the others."""
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(schema())
    members = schema()["properties"]
    assert {name for name, member in members.items() if member.get("x-role") == "data"} == set(FACTS)
    assert all(member["description"] for member in [*members.values(), *members["limits"]["properties"].values()])
    for device in SHIPPED.values():
        assert list(Draft202012Validator(schema()).iter_errors(device)) == []
