"""Packs in full, as commands read them: the checked model, and rules by the names that users give."""

from __future__ import annotations

from functools import lru_cache

from kernelpath.cli.inputs import InputErrors, unusable
from kernelpath.cli.judging import refused
from kernelpath.packs.contents import PackFiles, read_pack_files
from kernelpath.packs.folders import PackErrors, pack_folder
from kernelpath.packs.model import Pack, Rule, Stage
from kernelpath.packs.reading import read_pack


def pack_model(name: str) -> Pack:
    """Return a pack's checked model; raises InputErrors with every mistake in its files."""
    try:
        return _model(read_pack_files(pack_folder(name)))
    except PackErrors as errors:
        raise refused(errors) from None


@lru_cache(maxsize=4)
def _model(files: PackFiles) -> Pack:
    """Return the model of a pack of these files; a command that shows several things reads it once."""
    return read_pack(files.folder, files)


def find(pack: Pack, name: str) -> list[Rule] | Stage:
    """Return the rules or the stage that a name stands for.

    A rule goes by its whole id, by stage and name, by its name alone, or by a decision that it carries. Raises
    InputErrors where there is none.
    """
    if name in pack.stages:
        return pack.stages[name]
    rules = pack.rules()
    for spelled in (lambda r: r.identity, lambda r: f"{r.stage}/{r.name}", lambda r: r.name):
        found = [rule for rule in rules if spelled(rule) == name]
        if found:
            return found
    decided = [rule for rule in rules if name in rule.decisions]
    if decided:
        return decided
    raise _unknown(pack, name)


def _unknown(pack: Pack, name: str) -> InputErrors:
    from kernelpath.diagnostics import did_you_mean

    rules = pack.rules()
    known = [*pack.stages, *(rule.name for rule in rules), *(f"{rule.stage}/{rule.name}" for rule in rules)]
    near = did_you_mean(name.removeprefix(f"{pack.name}/"), known)
    meant = f"did you mean `{near}`?" if near else "`kernelpath pack show` lists them"
    return unusable("cli/usage", f"pack `{pack.name}` has no rule or stage `{name}`", help_text=meant)


def decision_order(decision: str) -> tuple[str, int, str]:
    """Return a key that sorts decisions by their letter, then by their number."""
    digits = "".join(character for character in decision if character.isdigit())
    return decision.rstrip("0123456789"), int(digits or 0), decision
