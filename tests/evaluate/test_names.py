"""An author may call a value whatever the language lets him: no name of Python's or of the engine's gets in the way."""

from __future__ import annotations

import builtins
import dis
import keyword
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.question import ask
from kernelpath.language import RUNTIME
from kernelpath.packs.generate import generate
from kernelpath.packs.python_text import TAKEN
from kernelpath.packs.reading import read_pack
from kernelpath.packs.terms import WORDS
from kernelpath.resources import resource
from packs.folders import BOXES, copied, written

NAMES = sorted(
    {name for name in (*keyword.kwlist, *dir(builtins), *TAKEN, *RUNTIME) if name[0].islower() and name not in WORDS}
    | {"out_coat", "coat__source", "coat_", "coat__", "coat_text_let", "items_", "position_", "source_", "x__y_let"}
)
RULE = """\
summary: A
why: b
severity: error
let: {{{0}: box.size}}
check: {0} < 5
message: '{{{0}}}'
"""


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> CompiledPack:
    """Return the small pack with one more rule for each name, which calls its value so."""
    files = {f"paint/rule-{place}.yaml": RULE.format(name) for place, name in enumerate(NAMES)}
    return load_folder(written(copied(BOXES, tmp_path_factory.mktemp("names") / "boxes"), files))


def test_lets_of_any_name(pack: CompiledPack) -> None:
    """Each rule finds what it should, fused and rule by rule, and says the value."""
    order = [{"name": "a", "size": 1, "on": "floor"}, {"name": "b", "size": 9, "on": "a"}]
    assert ask(pack, "paint", {"order": {"boxes": order[:1]}}).value == {"coats": ["red by below"], "boxes": 1}
    found = ask(pack, "paint", {"order": {"boxes": order}}).report.diagnostics
    assert [(d.subject, d.message) for d in found] == [("b", "9")] * len(NAMES)


def test_variables_of_any_name(tmp_path: Path) -> None:
    """Variables that a walk reads, gives, collects and keeps keep apart whatever they are called."""
    renamed = {"coat_text": "out_coat", "coats": "len", "orders": "items_", "below": "slots_", "largest": "position"}
    folder = copied(BOXES, tmp_path / "boxes")
    for path in folder.rglob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        for old, new in renamed.items():
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
    order = [{"name": "a", "size": 1, "on": "floor"}, {"name": "b", "size": 2, "on": "a", "paint": "blue"}]
    answer = ask(load_folder(folder), "paint", {"order": {"boxes": order}}).value
    assert answer == {"len": ["red by slots_", "blue by order"], "boxes": 2}


@pytest.mark.parametrize("name", ["None", "True", "False", "Meter", "EvaluationError", "Exception", "X" * 300])
def test_records_of_any_name(tmp_path: Path, name: str) -> None:
    """A record may be called as a word of Python is, or a class of the engine."""
    folder = copied(BOXES, tmp_path / "boxes")
    text = (folder / "pack.yaml").read_text(encoding="utf-8")
    assert "    as: box\n" in text
    text = text.replace("    as: box\n", f'    as: box\n    type: "{name}"\n')
    order = [{"name": "a", "size": 1, "on": "floor"}]
    pack = load_folder(written(folder, {"pack.yaml": text}))
    assert ask(pack, "paint", {"order": {"boxes": order}}).value == {"coats": ["red by below"], "boxes": 1}


def test_a_stage_without_rules_lets_everything_pass(tmp_path: Path) -> None:
    """A stage that is declared before its first rule is written lets every row through."""
    folder = copied(BOXES, tmp_path / "boxes")
    (folder / "shape" / "box-object.yaml").unlink()
    order = {"boxes": [{"name": "a", "size": 1, "on": "floor"}]}
    answer = ask(load_folder(folder), "paint", {"order": order})
    assert answer.value == {"coats": ["red by below"], "boxes": 1}


@pytest.mark.parametrize("name", ["execution-v0", "strict"])
def test_what_generated_code_calls_is_taken(name: str) -> None:
    """Every global name that generated code uses is one that no local hides."""
    code = compile(generate(read_pack(resource("rules", name))).text, name, "exec")
    own = {i.argval for i in dis.get_instructions(code) if i.opname == "STORE_NAME"}
    used = {i.argval for part in parts(code) for i in dis.get_instructions(part) if i.opname == "LOAD_GLOBAL"}
    assert {name for name in used - own if not name.startswith("_")} <= TAKEN


def parts(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield a code object and all that are nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from parts(constant)
