"""The files of a new rule: what its stage settles is filled in, and what only its author knows is `TODO`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kernelpath.analysis.formatting import format_text
from kernelpath.analysis.scaffold.templates import KINDS, rule_text, test_text
from kernelpath.diagnostics import ERROR, Diagnostic, did_you_mean
from kernelpath.files.writing import write_new_files
from kernelpath.language import BOOL, Type
from kernelpath.packs.contents import changed_files
from kernelpath.packs.files import TEST_SUFFIX, PackErrors, read_pack_files, shown_path
from kernelpath.packs.model import Pack, Stage
from kernelpath.packs.reading import read_pack
from kernelpath.packs.reads import gives

_KEBAB = re.compile("[a-z0-9]+(?:-[a-z0-9]+)*")
_PARTS = 2


__all__ = ["KINDS", "NewFile", "scaffold", "write_files"]


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to be written, and its text."""

    path: Path
    text: str


def scaffold(folder: Path, name: str, kind: str = "check", variable: str | None = None) -> list[NewFile]:
    """Return the files of a new rule `stage/rule` of a pack: the rule, then its tests. Nothing is written.

    `kind` is one of `KINDS`; a `resolve` or a `table` gives `variable`, by default the first of the stage that no rule
    gives yet. Raises PackErrors where the pack cannot be read, or cannot have such a rule.
    """
    pack = read_pack(folder, whole=False)
    stage, rule = _stage_of(pack, name), name.partition("/")[2]
    if kind not in KINDS:
        raise _refused(f"unknown kind of rule `{kind}`", did_you_mean(kind, KINDS), f"kinds are {', '.join(KINDS)}")
    path = folder / stage.name / f"{rule}.yaml"
    _refuse_name(pack, stage, rule, path)
    scope = pack.scopes[stage.scope]
    given = _given(stage, variable) if kind in ("resolve", "table") else ""
    type_ = stage.gives[given] if given else _slots(pack, stage) if kind == "transition" else BOOL
    tests = path.with_name(f"{rule}{TEST_SUFFIX}")
    text = format_text(rule_text(kind, scope, given, type_), "rule")
    _refuse_unreadable(folder, path, text)
    return [NewFile(path, text), NewFile(tests, format_text(test_text(kind), "test"))]


def _refuse_unreadable(folder: Path, path: Path, text: str) -> None:
    """Refuse a rule with which the pack could not be read; nothing that is begun may break what is there."""
    try:
        read_pack(folder, changed_files(read_pack_files(folder), {path: text.encode()}), whole=False)
    except PackErrors as errors:
        message = f"a rule that is just begun would break the pack: {errors.diagnostics[0].message}"
        raise _refused(message, None, errors.diagnostics[0].help or "write it by hand") from None


def write_files(files: Sequence[NewFile]) -> None:
    """Write new files, all or none of them, and the folders that they need; raises OSError."""
    for file in files:
        file.path.parent.mkdir(exist_ok=True)
    write_new_files({file.path: file.text.encode() for file in files})


def _stage_of(pack: Pack, name: str) -> Stage:
    parts = name.split("/")
    if len(parts) != _PARTS or not all(parts):
        raise _refused(f"`{name}` is not the name of a rule", None, "name it `STAGE/RULE`")
    if parts[0] not in pack.stages:
        near = did_you_mean(parts[0], pack.stages)
        raise _refused(f"the pack has no stage `{parts[0]}`", near, "declare it under `stages` in pack.yaml first")
    return pack.stages[parts[0]]


def _refuse_name(pack: Pack, stage: Stage, rule: str, path: Path) -> None:
    if not _KEBAB.fullmatch(rule):
        raise _refused(f"`{rule}` is not in kebab case", None, "use lower-case words with dashes between them")
    for file in (path, path.with_name(f"{rule}{TEST_SUFFIX}")):
        if file.exists():
            raise _refused(f"{shown_path(file)} is there already", None, "choose another name")
    if any(other.name == rule for other in stage.rules):
        other = next(other for other in stage.rules if other.name == rule)
        help_text = f"to replace it, begin with a copy of {other.place.file}"
        raise _refused(f"a pack that this one extends has rule `{stage.name}/{rule}`", None, help_text)


def _given(stage: Stage, variable: str | None) -> str:
    """Return the variable that the new rule gives."""
    taken = {name for other in stage.rules if (name := gives(other))}
    free = [name for name in stage.gives if name not in taken]
    if variable is None:
        if free:
            return free[0]
        help_text = f"declare one under `gives` of stage `{stage.name}` in pack.yaml first"
        raise _refused(f"stage `{stage.name}` has no variable that a new rule could give", None, help_text)
    if variable not in free:
        words = "is given by a rule already" if variable in taken else f"is not under `gives` of stage `{stage.name}`"
        raise _refused(f"`{variable}` {words}", did_you_mean(variable, free), "choose another variable")
    return variable


def _slots(pack: Pack, stage: Stage) -> Type:
    """Return the type of what the slots of a stage's flow hold."""
    for flow in pack.flows.values():
        if flow.name in stage.each:
            return flow.type
    message = f"stage `{stage.name}` is not asked for a flow, so there are no slots to change"
    raise _refused(message, None, "ask the stage for each visit of a flow, in pack.yaml")


def _refused(message: str, near: str | None, help_text: str) -> PackErrors:
    help_ = f"did you mean `{near}`?" if near else help_text
    return PackErrors([Diagnostic("pack/new", (), ERROR, message, help=help_)])
