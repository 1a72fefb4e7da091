"""Packs in full, as commands read them: the checked model, and rules by the names that users give."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from kernelpath.cli.finding_packs import refused
from kernelpath.cli.inputs import InputErrors, unusable
from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.packs.contents import PackFiles, read_pack_files
from kernelpath.packs.folders import PackErrors, is_pack, pack_folder
from kernelpath.packs.model import Pack, Rule, Stage
from kernelpath.packs.reading import read_pack


def pack_model(name: str) -> Pack:
    """Return a pack's checked model; raises InputErrors with every mistake in its files."""
    try:
        return _model(read_pack_files(pack_folder(name)))
    except PackErrors as errors:
        raise refused(errors) from None


def pack_of(compiled: CompiledPack) -> Pack:
    """Return the checked model of a pack that was loaded to run."""
    return pack_model(compiled.folder)


def named_packs(names: list[str], option: str | None) -> list[str]:
    """Return the packs that a command works on: those that it names, or the working folder, if that is one.

    Raises InputErrors for none, and for packs that are named in both ways: some of them would not be looked at.
    """
    if names and option is not None:
        raise unusable("cli/usage", "packs are named both as they are and by `--pack`", help_text="leave out `--pack`")
    if names or option is not None:
        return names or [str(option)]
    if is_pack(Path(".")):
        return ["."]
    help_text = "name a shipped pack or a pack's folder, or go into one"
    raise unusable("cli/usage", "no pack is named, and the working folder is not a pack", help_text=help_text)


def pack_with_rules(name: str) -> Pack:
    """Return a pack's checked model; raises InputErrors also if it has no rules, of which there is nothing to say."""
    pack = pack_model(name)
    if not pack.rules():
        raise no_rules(pack.name)
    return pack


def no_rules(name: str) -> InputErrors:
    """Return the error for a pack, or a part of one, that has no rules to look at."""
    help_text = "`kernelpath pack new PACK/STAGE/RULE` begins one"
    return unusable("cli/nothing", f"`{name}` has no rules, so nothing was looked at", help_text=help_text)


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
