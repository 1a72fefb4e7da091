"""Take a decision of the strict pack away, to see that it is the one that tells the packs apart."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.language import RUNTIME
from kernelpath.packs.generate import generate
from kernelpath.packs.model import Pack, Rule, Stage
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource

#: What to write instead in pack.yaml so that an operation is done as the reference does it: pairs of texts.
OPERATIONS: dict[str, list[tuple[str, str]]] = {
    "key order": [("key_order: false", "key_order: true")],
    "pipeline by layer": [
        ("layers: '[s.layers for s in layer_resolved]'", """layers: '["all" for s in layer_resolved]'""")
    ],
    "interleaved": [("[s for s in all_resolved if", "[s for s in all_steps if")],
    "parts in order": [
        ("order: [preLayer, layer, postLayer, sampling]", "order: [sampling, postLayer, layer, preLayer]")
    ],
    "unrolled": [
        ("    order: unrolled\n", "    order: listed\n"),
        (
            "    parts:\n      of: step.section\n      order: [preLayer, layer, postLayer, sampling]\n"
            "      repeated: layer\n"
            "      'on': step.layers\n      count: walked_layers\n      split: {resolved: layers}\n",
            "",
        ),
    ],
    "own layers": [("'on': step.layers\n", "'on': '\"all\"'\n")],
    "layers in turn": [("max(highest_layer + 1, 1)", "1")],
    "state anew": [("      start: {state: activation}\n      carry: prefill_slots\n", "      start: prefill_slots\n")],
    "carried": [("      carry: prefill_slots\n", "")],
    "no boundary": [
        ("  - boundary/carried-dtype\n  - boundary/carried-input-dtype\n  - boundary/slot-taken\n", ""),
        (
            "      keep: {prefill_slots: slots}\n",
            "      keep: {prefill_slots: slots}\n    - flow: crossings\n      over: steps\n"
            "      with: {phase: '\"decode\"'}\n      start: prefill_slots\n",
        ),
    ],
    "nothing stripped": [
        ("  - stripping/dropped-members\n", ""),
        (
            "    uses: [runtime, manifest_session, session_defaults, session, session_members]\n",
            "    uses: [runtime, manifest_session, session_defaults, session, session_members]\n"
            "    given: {dropped: list<string>}\n",
        ),
        (
            "    - {walk: overlay}\n",
            "    - {walk: overlay}\n"
            "    - {walk: stripping, needs: [session, session-parts], keep: {dropped: dropped}}\n",
        ),
        ("          else runtime.session)", "          else without(runtime.session, dropped))"),
    ],
    "merged sets": [("merges: [precision, kvIO, constants]", "merges: []")],
    "families": [("families: true", "families: false")],
    "contract by compile": [
        ("  contract:\n    doc: whether every step of a manifest", "  other:\n    doc: whether every step")
    ],
    "overrides derived": [("        overrides: layerOverrides\n", "")],
    "session made plain": [("merge(session, normal_session)", "session")],
    "attention by slot": [
        ("  - path-kernels/attention-kernel-dtypes\n", ""),
        (
            "    - {walk: kernel-path, keep: {kernel_path: kernel_path}}\n",
            "    - {walk: kernel-path, keep: {kernel_path: kernel_path}}\n"
            "    - {set: {path_items: layer_items + pre_steps + post_steps + sampling_steps}}\n"
            "    - {walk: path-kernels, when: has_path}\n",
        ),
    ],
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
    generated = generate(replace(model, stages=stages))
    namespace: dict[str, Any] = dict(RUNTIME)
    exec(compile(generated.text, "<ablated pack>", "exec"), namespace)
    return CompiledPack(namespace, generated.data)


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
    return tuple(sorted(kept, key=lambda rule: rule.order))


def _instead(rule: Rule) -> Rule:
    stage = _base().stages.get(rule.stage)
    [*replaced] = [found for found in stage.rules if found.name == rule.name] if stage else []
    return replaced[0] if replaced else replace(rule, severity="note")
