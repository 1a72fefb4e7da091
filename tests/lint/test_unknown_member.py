"""A misspelt member of a JSON value is found where it stands, in any part of a pack, and nothing like it is."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from kernelpath.analysis.lint import lint
from kernelpath.packs.files import PackErrors
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource

# A file, what stands in it, what is planted there instead, and the member that is then found with the one it means.
Fault = tuple[str, str, str, str, str]
INPUT: Fault = (
    "flow/input-dtype.yaml",
    "when: step.precision.inputDtype != null",
    "when: step.precision.inputDtpye != null",
    "inputDtpye",
    "inputDtype",
)
ID: Fault = ("flow/src-produced.yaml", "message: step `{step.id}`", "message: step `{step.raw.idd}`", "idd", "id")
FAULTS: list[Fault] = [
    INPUT,
    ID,
    ("step-shape/step-id.yaml", "check: is_name(raw.id)", "check: is_name(raw.iid)", "iid", "id"),
    ("pack.yaml", "is: truthy(raw.kernelRef)", "is: truthy(raw.kernelReff)", "kernelReff", "kernelRef"),
    ("flow/src-produced.yaml", ID[1], "message: step `{step.raw.kernel_ref}`", "kernel_ref", "kernelRef"),
    ("step-shape/step-id.yaml", "check: is_name(raw.id)", 'check: has(raw, "idd")', "idd", "id"),
    ("step-shape/step-id.yaml", "check: is_name(raw.id)", 'check: is_name(raw["idd"])', "idd", "id"),
]


def planted(folder: Path, faults: Iterable[Fault]) -> Path:
    """Return a copy of execution-v0 with faults."""
    pack = Path(shutil.copytree(resource("rules", "execution-v0"), folder / "execution-v0"))
    for file, old, new, _, _ in faults:
        text = (pack / file).read_text(encoding="utf-8")
        assert old in text
        (pack / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return pack


def found(pack: Path) -> list[tuple[str, str, tuple[int, int, int, int], str | None]]:
    """Return what is found in a pack: the file, the message, the place, and the help."""
    spans = [(each, each.span) for each in lint(pack) if each.rule == "lint/unknown-member" and each.span]
    return [
        (
            at.file.split("execution-v0/", 1)[1],
            each.message,
            (at.line, at.column, at.end_line, at.end_column),
            each.help,
        )
        for each, at in spans
    ]


def expected(pack: Path, fault: Fault) -> tuple[str, str, tuple[int, int, int, int], str]:
    """Return what is to be found of a fault: the place of the member alone."""
    file, _, _, member, meant = fault
    lines = (pack / file).read_text(encoding="utf-8").splitlines()
    [(line, text)] = [(number, text) for number, text in enumerate(lines, 1) if member in text]
    column = text.index(member) + 1
    place = (line, column, line, column + len(member))
    return file, f"nothing else reads or gives a member `{member}`", place, f"did you mean `{meant}`?"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault[2])
@pytest.mark.sampled(8)
def test_fault(fault: Fault, tmp_path: Path) -> None:
    """A slip is found at the member itself, with the member that is meant."""
    pack = planted(tmp_path, [fault])
    assert found(pack) == [expected(pack, fault)]


def test_places(tmp_path: Path) -> None:
    """Slips in several rules are each found, at the line and columns of the member."""
    assert found(planted(tmp_path, [INPUT, ID])) == [
        (
            "flow/input-dtype.yaml",
            "nothing else reads or gives a member `inputDtpye`",
            (7, 27, 7, 37),
            "did you mean `inputDtype`?",
        ),
        (
            "flow/src-produced.yaml",
            "nothing else reads or gives a member `idd`",
            (7, 26, 7, 29),
            "did you mean `id`?",
        ),
    ]


def twin(new: str) -> Fault:
    """Return a change of a message to a member that is no slip."""
    return ID[0], ID[1], f"message: step `{{step.raw.{new}}}`", "", ""


@pytest.mark.parametrize("new", ["id", "zzyzx", "opId", "id2", "kernelRefs", "profileDtype"])
@pytest.mark.sampled(6)
def test_twin(new: str, tmp_path: Path) -> None:
    """A name may be read in one place where it is near to none: a part more, a plural or another word is meant."""
    assert found(planted(tmp_path, [twin(new)])) == []


def test_given(tmp_path: Path) -> None:
    """A name that a test gives is known."""
    pack = planted(tmp_path, [INPUT])
    tests = pack / "flow/input-dtype.test.yaml"
    tests.write_text(tests.read_text(encoding="utf-8").replace("inputDtype", "inputDtpye", 1), encoding="utf-8")
    assert found(pack) == []


PLACES = [
    ("/src", "/scr", "scr", "did you mean `src`?"),
    ("/src", "/precision/nowhereAtAll", "nowhereAtAll", None),
]


@pytest.mark.parametrize(("old", "new", "member", "help_text"), PLACES)
def test_a_place_that_no_document_has(tmp_path: Path, old: str, new: str, member: str, help_text: str | None) -> None:
    """A rule's place with a member that nothing else in the pack knows is found there."""
    fault = ("flow/src-produced.yaml", f"at: {old}", f"at: {new}", member, "")
    pack = planted(tmp_path, [fault])
    (pack / "flow" / "src-produced.test.yaml").unlink()
    assert [(found_, help_) for _, found_, _, help_ in found(pack)] == [
        (f"nothing else reads or gives a member `{member}`", help_text)
    ]


READS = "    reads: {held: step.src}\n"
REQUEST = "each: request, at: manifest#"
OF_ENTRIES = {
    "table": ("compute/kernelProfiles/{index}", "compute/kernelProfils/{index}", "kernelProfils", "kernelProfiles"),
    "flow": (READS, READS + "    at: manifest#/exection\n", "exection", "execution"),
    "stage": (REQUEST + "/inference}", REQUEST + "/infrence}", "infrence", "inference"),
}


@pytest.mark.parametrize("entry", OF_ENTRIES)
def test_a_place_of_an_entry_that_no_document_has(tmp_path: Path, entry: str) -> None:
    """So is the place of a table, a flow or a stage, below which its rules' places are."""
    old, new, member, meant = OF_ENTRIES[entry]
    fault = ("pack.yaml", old, new, member, meant)
    pack = planted(tmp_path, [fault])
    assert found(pack) == [expected(pack, fault)]


@pytest.mark.parametrize(("document", "help_text"), [("manifst", "did you mean `manifest`?"), ("order", None)])
def test_a_place_in_a_document_that_is_not_declared(tmp_path: Path, document: str, help_text: str | None) -> None:
    """It is more than a slip that changes verdicts in silence: the pack cannot be read."""
    pack = planted(tmp_path, [("pack.yaml", "at: manifest#/inference/execution\n", f"at: {document}#/x\n", "", "")])
    with pytest.raises(PackErrors) as errors:
        read_pack(pack)
    known = "known: catalog, chosen_path, manifest, presets, runtime, runtime_config"
    assert [(each.message, each.help) for each in errors.value.diagnostics] == [
        (f"there is no document `{document}`", help_text or known)
    ]
