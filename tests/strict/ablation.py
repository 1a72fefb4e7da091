"""Take a decision of the strict pack away, to see that it is the one that tells the packs apart."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.evaluate.loading import compiled_pack
from kernelpath.packs.model import Check, Pack, Rule, Stage
from kernelpath.packs.planning import plans
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource


def _part(start: str, end: str) -> str:
    """Return the text of the strict pack.yaml from a line on, up to the line with the end, or all of it."""
    text = Path(resource("rules", "strict"), "pack.yaml").read_text(encoding="utf-8")
    begin = text.index(start)
    return text[begin : text.index(end, begin + len(start))] if end else text[begin:]


def _off(rule: str) -> str:
    """Return the entry by which strict switches a rule of its base off."""
    text = Path(resource("rules", "strict"), "pack.yaml").read_text(encoding="utf-8")
    found = re.search(rf"  execution-v0/{re.escape(rule)}:.*\n(?:    .*\n)*", text)
    assert found is not None
    return found.group()


#: What to write instead in pack.yaml so that an operation is done as the reference does it: pairs of texts.
OPERATIONS: dict[str, list[tuple[str, str]]] = {
    "key order": [("key_order: false", "key_order: true")],
    "pipeline by layer": [("[s.layers for s in pipeline_entries]", '["all" for s in pipeline_entries]')],
    "interleaved": [("[s for s in all_resolved if", "[s for s in all_steps if")],
    "parts in order": [
        ("order: [preLayer, layer, postLayer, sampling]", "order: [sampling, postLayer, layer, preLayer]")
    ],
    "unrolled": [
        (
            "    unroll:\n      by: step.section\n      order: [preLayer, layer, postLayer, sampling]\n"
            "      repeat: {part: layer, 'on': step.layers, count: walked_layers, split: {resolved: layers}}\n",
            "",
        ),
    ],
    "own layers": [("'on': step.layers, count", "'on': '\"all\"', count")],
    "layers in turn": [("max(highest_layer + 1, 1)", "1")],
    "state anew": [
        ("      decode: {carry: visits.prefill.slots, until: fixed_point}", "      decode: {}"),
        (
            "replace:\n",
            "replace:\n  flows.visits.passes.decode: {start: visits.prefill.slots, until: fixed_point}\n",
        ),
    ],
    "carried": [("carry: visits.prefill.slots, ", "")],
    "no boundary": [(_off(f"boundary/{name}"), "") for name in ("carried-dtype", "carried-input-dtype", "slot-taken")],
    "nothing stripped": [
        (_off("stripping/dropped-members"), ""),
        ("no_members else runtime.session)", "no_members\n      else without(runtime.session, dropped))"),
    ],
    "merged sets": [("merges: [precision, kvIO, constants]", "merges: []")],
    "families": [("families: true", "families: false")],
    "contract by compile": [(_part("  stages.session.for:", ""), "")],
    "overrides derived": [("    overrides: layerOverrides\n", "")],
    "session made plain": [("is: merge(merged_session, normal_session)", "is: merged_session")],
    "attention by slot": [(_off("path-kernels/attention-kernel-dtypes"), "")],
}

#: Rules of strict that go with an operation: without it they cannot be, and the base's counts again.
WITH_OPERATIONS = {"contract by compile": "contract-artifact/contract"}


def without(rules: Iterable[str] = (), operations: Iterable[str] = ()) -> CompiledPack:
    """Return the strict pack without some of its rules, and with some operations done as the reference does them.

    A check that is gone reports a note, which refuses nothing; where a rule replaced one of the base, that one counts.
    """
    model, gone = _edited(tuple(operations)), set(rules)
    stages = {name: replace(stage, rules=_left(stage, gone)) for name, stage in model.stages.items()}
    assert not gone, f"there are no rules {sorted(gone)}"
    return compiled_pack(plans(replace(model, stages=stages), []))


@cache
def _edited(operations: tuple[str, ...]) -> Pack:
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(shutil.copytree(resource("rules", "strict"), Path(folder, "strict")))
        text = (copied / "pack.yaml").read_text(encoding="utf-8")
        for found, instead in [edit for name in operations for edit in OPERATIONS[name]]:
            assert found in text, f"`{found}` is not in pack.yaml any more"
            text = text.replace(found, instead)
        (copied / "pack.yaml").write_text(text, encoding="utf-8")
        for rule in WITH_OPERATIONS.keys() & set(operations):
            (copied / f"{WITH_OPERATIONS[rule]}.yaml").unlink()
        return read_pack(copied)


@cache
def _base() -> Pack:
    return read_pack(Path(resource("rules", "execution-v0")))


def _left(stage: Stage, gone: set[str]) -> tuple[Rule, ...]:
    """Return a stage's rules without those of `gone`, which is left with what was not found."""
    kept: list[Rule] = []
    for rule in stage.rules:
        name = f"{rule.stage}/{rule.name}"
        kept.append(_instead(rule) if name in gone else rule)
        gone.discard(name)
    return tuple(kept)


def _instead(rule: Rule) -> Rule:
    stage = _base().stages.get(rule.stage)
    [*replaced] = [found for found in stage.rules if found.name == rule.name] if stage else []
    return replaced[0] if replaced else _as_note(rule)


def _as_note(rule: Rule) -> Rule:
    return replace(rule, severity="note", guards=()) if isinstance(rule, Check) else replace(rule, severity="note")
