"""Catalogues and presets are read once, and what is none is refused in words."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernelpath as kp
from conformance.recorded import cases
from kernelpath.diagnostics import Source
from kernelpath.graph.catalog import Kernel, kernel_reference, load_presets
from kernelpath.packs.documents import DocumentErrors, Mapping, read_yaml, to_plain
from kernelpath.resources import resource

SHIPPED = resource("kernels", "catalogs", "doppler-0.1.7.yaml")


def test_the_shipped_catalogue() -> None:
    """All kernels are there by file and entry, each with its identity."""
    kernels = kp.load_catalog("doppler-0.1.7")
    assert len(kernels) == 222
    assert all(isinstance(kernel, Kernel) and kernel.digest.startswith("sha256:") for kernel in kernels.values())
    assert kp.load_catalog("doppler-0.1.7") is kernels


def test_the_catalogue_of_the_newer_reference() -> None:
    """Kernels have the features of their text beside those of the registry, and dtypes if their text was read."""
    kernels = kp.load_catalog("doppler-0.5.1")
    assert len(kernels) == 296
    facts = {
        name: (kernels[name].requires, kernels[name].features, kernels[name].input, kernels[name].output)
        for name in ("rmsnorm.wgsl#main", "rmsnorm_f16.wgsl#main", "gather.wgsl#main", "fused_ffn_q4k_f16.wgsl#main")
    }
    assert facts == {
        "rmsnorm.wgsl#main": ((), ("subgroups",), "f32", "f32"),
        "rmsnorm_f16.wgsl#main": (("shader-f16",), ("shader-f16",), "f16", "f16"),
        "gather.wgsl#main": ((), (), None, "f32"),
        "fused_ffn_q4k_f16.wgsl#main": (("shader-f16", "subgroups"), ("shader-f16", "subgroups"), "f16", "f32"),
    }


@pytest.mark.parametrize(
    ("catalog", "missing", "superfluous"),
    [
        (
            "doppler-0.1.7",
            ["rmsnorm.wgsl#main", "rmsnorm.wgsl#main_cached", "rmsnorm.wgsl#main_small"],
            ["gptoss_mxfp4_expert_fused.wgsl#main_expert", "gptoss_router_topk.wgsl#softmax_topk"],
        ),
        (
            "doppler-0.5.1",
            ["rmsnorm.wgsl#main", "rmsnorm.wgsl#main_cached", "rmsnorm.wgsl#main_small", "rmsnorm_pair.wgsl#main"],
            ["gptoss_mxfp4_expert_fused.wgsl#main_expert", "gptoss_router_topk.wgsl#softmax_topk"],
        ),
        ("kernelpath", [], []),
    ],
)
def test_features_of_the_text(catalog: str, missing: list[str], superfluous: list[str]) -> None:
    """Where a registry and a shader's text disagree, `requires` is the registry's word and `features` the text's."""
    kernels = kp.load_catalog(catalog)
    less = [name for name, kernel in kernels.items() if {*kernel.features} - {*kernel.requires}]
    more = [name for name, kernel in kernels.items() if {*kernel.requires} - {*kernel.features}]
    assert (sorted(less), sorted(more)) == (missing, superfluous)


def test_a_catalogue_by_its_file(tmp_path: Path) -> None:
    """A copy of the file is the same catalogue; without a kernel its steps cannot be pinned."""
    text = SHIPPED.read_text(encoding="utf-8")
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    assert kp.load_catalog(str(path)).keys() == kp.load_catalog("doppler-0.1.7").keys()
    found = next(case for case in cases("presets") if case["fn"] == "compile" and case["expect"]["ok"])
    kernel = found["options"]["manifestInference"]["execution"]["steps"][0]["kernel"]
    path.write_text(text.replace(f"kernel: {kernel}\n", "kernel: gone.wgsl\n"), encoding="utf-8")
    result = kp.compile(found["options"]["manifestInference"], catalog=str(path))
    assert "E34" in result.diagnostics[0].decisions


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", ":1:1", "the file is empty"),
        ("kernels: 5\n", ":1:10", "expected a list, but this is `5`"),
        ("kernels: [5]\n", ":1:11", "expected a mapping, but this is `5`"),
        ("kernels: [\n", ":1:10", "the `[` that opens here is never closed"),
        ("kernels:\n\t- a\n", ":2:1", "a tab cannot indent"),
        ("kernel: []\n", ":1:1", "unknown key `kernel`"),
    ],
)
def test_a_file_that_is_no_catalogue(tmp_path: Path, text: str, place: str, message: str) -> None:
    """What is wrong with a catalogue's file is told at its line and column."""
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(kp.PackErrors) as raised:
        kp.load_catalog(str(path))
    assert [(str(d.span).removeprefix(path.as_posix()), d.message) for d in raised.value.diagnostics] == [
        (place, message)
    ]


@pytest.mark.parametrize("name", ["nowhere", "a" * 5_000, "a\0b", "\ud800", None, 5, ["a"]])
def test_a_name_without_catalogue(name: Any) -> None:
    """Whatever is given for a catalogue's name, there is one or there is none."""
    with pytest.raises(kp.PackErrors, match="there is no kernel catalogue"):
        kp.load_catalog(name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("/", "it is a folder, not a file"),
        ("", "it is a folder, not a file"),
        ("/dev/zero", "it is a device, not a file"),
        ("pipe", "it is a named pipe, not a file"),
        ("large", "it has more than 5,000,000 bytes, the most that is read"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, why: str) -> None:
    """What is not a file, or is too large for a catalogue, is refused by what it is."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("large").write_bytes(b"#" * 5_000_001)
    with pytest.raises(kp.PackErrors) as raised:
        kp.load_catalog(name)
    assert [(d.rule, d.message) for d in raised.value.diagnostics] == [
        ("catalog/unreadable", f"kernel catalogue `{name}` cannot be read: {why}")
    ]


@pytest.mark.parametrize("catalog", [5, [], {"a#main": 5}, {"a#main": {"digest": "x"}}])
def test_what_is_no_loaded_catalogue(catalog: Any) -> None:
    """A catalogue that was not loaded is refused before any rule looks into it."""
    with pytest.raises(kp.PackErrors, match="as `load_catalog` returns it"):
        kp.compile({}, catalog=catalog)


def test_presets_stand_for_their_aliases_and_stay_as_they_are() -> None:
    """Answers that are derived from a preset are the caller's to change; the preset stays."""
    before = copy.deepcopy(dict(load_presets()))
    derived = kp.execution_from_kernel_path("gemma3-f16-fused-f16a-online").value
    for step in derived["execution"]["steps"]:
        step.setdefault("constants", {})["changed"] = True
        step["kernelRef"].clear()
    derived["execution"]["policies"].clear()
    assert dict(load_presets()) == before
    again = kp.execution_from_kernel_path("gemma3-f16-fused-f16a-online").value
    assert "changed" not in str(again)
    assert again["execution"]["policies"]["unresolvedKernel"] == "error"


@pytest.mark.parametrize(
    ("kernel", "entry", "reference"),
    [
        ("rmsnorm.wgsl", "main", "rmsnorm.main"),
        ("Rope_Half.wgsl", "main_f16", "rope.half.main.f16"),
        ("a--b.wgsl", "é", "a.b."),
    ],
)
def test_references(kernel: str, entry: str, reference: str) -> None:
    """A reference has the file's name and the entry, in lower case, and dots for everything else."""
    assert kernel_reference(kernel, entry) == reference


ROW = """\
  - op: cast
    variant: {variant}
    kernel: a.wgsl
    entry: {entry}
    workgroup: [1, 1, 1]
    requires: []
    inputDtype: f16
    outputDtype: f16
    overrides: {{}}
    bindings:
      - {{index: 0, name: u, type: uniform}}
    uniforms: {{size: 0, fields: []}}
    digest: "0000000000000000000000000000000000000000000000000000000000000001"
"""
#: Plain scalars that some YAML reader takes for something else than what is written.
SURPRISES = (
    "on", "off", "yes", "no", "y", "n", "On", "NO", "012", "0o17", "0b11", "1_000", "12:30:45", "190:20:30", "=", "e3",
    "2024-01-01", "2024-01-01T10:00:00Z", "0x_1", "1__0", "+.", "1e", ".", "_1", "0_0", "0.1_0", "1:20.5", "Null_",
)  # fmt: skip
#: Plain scalars that are no text.
VALUES = ("~", "null", "true", "FALSE", "7", "+7", "-0", "0x1F", "1e3", "1.", ".5", ".inf", "-.INF", ".nan")


def written(folder: Path, *rows: tuple[str, str]) -> str:
    """Write a catalogue with a kernel for each variant and entry, and return its path."""
    path = folder / "mine.yaml"
    path.write_text("kernels:\n" + "".join(ROW.format(variant=v, entry=e) for v, e in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("text", SURPRISES)
def test_a_plain_text_is_what_is_written(tmp_path: Path, text: str) -> None:
    """A name in a catalogue is the same with quotes and without, whatever other YAML readers make of it."""
    for spelled in (text, f"'{text}'"):
        kernels = kp.load_catalog(written(tmp_path, (spelled, spelled)))
        assert {key: kernel.variant for key, kernel in kernels.items()} == {f"a.wgsl#{text}": text}


@pytest.mark.parametrize("text", VALUES)
def test_a_value_that_is_no_text_is_refused(tmp_path: Path, text: str) -> None:
    """A name that YAML takes for null, a truth value or a number is an error at its line, and never another name."""
    with pytest.raises(kp.PackErrors) as raised:
        kp.load_catalog(written(tmp_path, ("x", text)))
    (found,) = raised.value.diagnostics
    assert found.rule == "shape/type"
    assert found.span is not None
    assert (found.span.line, found.span.column) == (5, 12)


@given(st.text(st.sampled_from("0123456789abcdefnoxyNOFT_.:+-=~<>!&*@%#'\"?{}[], "), min_size=1, max_size=12))
def test_a_catalogue_is_loaded_as_it_is_checked(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """For any scalar, the name that is loaded is the value that the check against the schema saw, or it is refused."""
    path = written(tmp_path_factory.mktemp("catalog"), (text, "main"))
    try:
        root = read_yaml(Source("mine.yaml", Path(path).read_text(encoding="utf-8")))
    except DocumentErrors:
        seen: Any = None
    else:
        assert isinstance(root, Mapping)
        kernels: Any = to_plain(root["kernels"])
        seen = kernels[0]["variant"]
    try:
        loaded = [kernel.variant for kernel in kp.load_catalog(path).values()]
    except kp.PackErrors:
        assert not (isinstance(seen, str) and seen)
    else:
        assert loaded == [seen]


def test_a_kernel_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """A file and its entry point name one kernel: each further one is an error that shows the first."""
    with pytest.raises(kp.PackErrors) as raised:
        kp.load_catalog(written(tmp_path, ("x", "main"), ("y", "other"), ("z", "main"), ("u", "'main'")))
    assert [(d.message, str(d.span)[-5:], str(d.secondary[0].span)[-5:]) for d in raised.value.diagnostics] == [
        ("the kernel `a.wgsl#main` is already on line 5", "31:12", ":5:12"),
        ("the kernel `a.wgsl#main` is already on line 5", "44:12", ":5:12"),
    ]
