"""The flow of dtypes in plain Python: every step of every layer of every round is visited, nothing is remembered.

It knows steps as graphs.py writes them, on the kernels of KERNELS, and says of a graph what strict must say of it: its
findings in their order, and each resolved step's dtypes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

SECTIONS = ("preLayer", "layer", "postLayer", "sampling")
#: What a kernel reads, and what it declares to write.
KERNELS = {
    "rmsnorm.wgsl": ("f32", None),
    "rmsnorm_f16.wgsl": ("f16", None),
    "matmul_f32.wgsl": ("f32", "f32"),
    "attention_small.wgsl": ("f32", "f32"),
    "attention_small_f16kv.wgsl": ("f32", "f32"),
}
#: What a slot holds that a step at fault should have written.
OPEN = "open"
Step = dict[str, Any]
Slots = dict[str, str]


@dataclass
class Visits:
    """What came of one step where its slot held one thing: its findings, its dtypes, and the layers, None for none."""

    findings: list[tuple[str, str]]
    dtypes: tuple[str, str] | None
    layers: list[int | None] = field(default_factory=list)


@dataclass
class Walk:
    """One phase of a graph; `met` has the visits of each step and content of its slot, in the order of their first."""

    steps: Sequence[Step]
    count: int
    session: str
    transitions: bool
    unprofiled: frozenset[str]
    copies: bool = False
    met: dict[tuple[int, str | None], Visits] = field(default_factory=dict)

    def places(self, phase: str) -> Iterator[tuple[int, int | None]]:
        """Yield the position of each step that a pass visits, and its layer, in the order of execution."""
        for section in SECTIONS:
            for layer in range(self.count) if section == "layer" else (None,):
                for position, step in enumerate(self.steps):
                    inside = step["section"] == section and step["phase"] in (phase, "both")
                    if inside and (layer is None or step["layers"] == "all" or layer in step["layers"]):
                        yield position, layer

    def go(self, phase: str, slots: Slots) -> None:
        """Go through a phase once, changing the slots."""
        for position, layer in self.places(phase):
            step = self.steps[position]
            held = slots.get(step["src"])
            findings, dtypes, written = self.visit(step, held)
            slots[step["dst"]] = written
            self.met.setdefault((position, held), Visits(findings, dtypes)).layers.append(layer)

    def visit(self, step: Step, held: str | None) -> tuple[list[tuple[str, str]], tuple[str, str] | None, str]:
        """Return the findings of one visit, the step's input and output dtype, and what its slot holds then."""
        name, slot = step["id"], step["src"]
        if name in self.unprofiled:
            reference = step["kernelRef"]["id"]
            return (
                [("error", f"the session has no kernel profile for step `{name}`'s kernelRef `{reference}`")],
                None,
                OPEN,
            )
        if held is None:
            return [("error", f"step `{name}` reads slot `{slot}` before it is produced")], None, OPEN
        written = self.written(step, held)
        if held == OPEN:
            return self.declared(step, written), None, written
        read = step.get("precision", {}).get("inputDtype") or held
        findings = [*self.read(step, read, held), *self.declared(step, written)]
        return findings, (read, written), written

    def written(self, step: Step, held: str) -> str:
        """Return the dtype that a step writes."""
        if step["op"] == "cast":
            return str(step["toDtype"])
        if self.copies and step["op"] == "noop":
            return held
        own = step.get("precision", {}).get("outputDtype")
        return str(own or KERNELS[step["kernel"]][1] or self.session)

    def declared(self, step: Step, written: str) -> list[tuple[str, str]]:
        """Return the finding that a kernel writes something else than it is to write."""
        if step["op"] == "cast":
            return []
        name, kernel, declares = step["id"], step["kernel"], KERNELS[step["kernel"]][1]
        if declares in (None, written) or written == OPEN:
            return []
        return [("error", f"step `{name}` is to write {written}, but its kernel `{kernel}#main` writes {declares}")]

    def read(self, step: Step, read: str, held: str) -> list[tuple[str, str]]:
        """Return the findings on what a step reads."""
        name, slot = step["id"], step["src"]
        found = []
        if step["op"] == "cast":
            if read != held:
                found.append(("error", f"cast step `{name}` reads slot `{slot}` as {read}, but it holds {held}"))
            if step.get("fromDtype", held) != held:
                found.append(("error", f"cast step `{name}` takes {step['fromDtype']}, but slot `{slot}` holds {held}"))
            return found
        if self.transitions and read != held:
            found.append(("error", f"step `{name}` reads slot `{slot}` as {read}, but it holds {held}"))
        wanted = KERNELS[step["kernel"]][0]
        if wanted != held and (self.transitions or step["op"] == "attention"):
            severity = "error" if step["op"] == "attention" else "warning"
            runs = f"step `{name}` runs kernel `{step['kernel']}#main`, which reads {wanted}"
            found.append((severity, f"{runs}, but slot `{slot}` holds {held}"))
        return found

    def findings(self) -> list[tuple[str, str]]:
        """Return severity and message of each finding, with its layers, in the order of the visits that made it."""
        return [
            (severity, message + where(visits.layers))
            for visits in self.met.values()
            for severity, message in visits.findings
        ]

    def layer(self, number: int, phase: str) -> list[tuple[Step, str, str]]:
        """Return the steps of one layer in a phase, each with its input and output dtype there."""
        found = []
        for position, layer in self.places(phase):
            if layer == number:
                visits = next(one for (place, _), one in self.met.items() if place == position and layer in one.layers)
                assert visits.dtypes is not None
                found.append((self.steps[position], *visits.dtypes))
        return found

    def resolved(self) -> list[tuple[str, Any, str, str]]:
        """Return id, layers, input and output dtype of each outcome of each step, in the order of the graph."""
        found = []
        for position, step in enumerate(self.steps):
            outcomes = [visits for (place, _), visits in self.met.items() if place == position]
            for visits in outcomes:
                assert visits.dtypes is not None
                layers = sorted({layer for layer in visits.layers if layer is not None})
                found.append((step["id"], layers if layers and len(outcomes) > 1 else step["layers"], *visits.dtypes))
        return found


def where(layers: Sequence[int | None]) -> str:
    """Return how a finding names its layers, nothing outside them."""
    numbers = sorted({layer for layer in layers if layer is not None})
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f", in layer{'s' if len(numbers) > 1 else ''} {', '.join(texts)}" if numbers else ""


@dataclass
class Said:
    """What must be said of a graph: findings in order, each once; and, without errors, the resolved dtypes."""

    findings: list[tuple[str, str]]
    prefill: list[tuple[str, Any, str, str]] | None = None
    decode: list[tuple[str, Any, str, str]] | None = None
    #: What each layer runs in each phase: its steps with their dtypes.
    layers: list[dict[str, list[tuple[Step, str, str]]]] = field(default_factory=list)


def said(
    steps: Sequence[Step],
    layers: int,
    session: str,
    transitions: bool,
    unprofiled: frozenset[str],
    copies: bool = False,
) -> Said:
    """Walk a graph through prefill, and through decode until a round begins as an earlier one did."""
    named = [layer for step in steps if step["layers"] != "all" for layer in step["layers"]]
    count = layers or max(named, default=0) + 1
    prefill, decode = (Walk(steps, count, session, transitions, unprofiled, copies) for _ in range(2))
    slots: Slots = {"state": session}
    prefill.go("prefill", slots)
    begun: list[Slots] = []
    while (entry := {**slots, "state": session}) not in begun:
        begun.append(entry)
        slots = dict(entry)
        decode.go("decode", slots)
    findings = list(dict.fromkeys([*prefill.findings(), *decode.findings()]))
    if any(severity == "error" for severity, _ in findings):
        return Said(findings)
    findings += varying(decode)
    if any(severity == "error" for severity, _ in findings):
        return Said(findings)
    walks = {"prefill": prefill, "decode": decode}
    runs = [{phase: walk.layer(number, phase) for phase, walk in walks.items()} for number in range(count)]
    return Said(findings, prefill.resolved(), decode.resolved(), runs)


def varying(decode: Walk) -> list[tuple[str, str]]:
    """Return the findings that a step met different dtypes in one layer, or outside the layers, in different rounds."""
    found = []
    for position, step in enumerate(decode.steps):
        outcomes = [visits for (place, _), visits in decode.met.items() if place == position]
        layers = [layer for visits in outcomes for layer in set(visits.layers)]
        if len(set(layers)) < len(layers):
            first, second = [visits.dtypes[0] for visits in outcomes if visits.dtypes][:2]
            message = f"step `{step['id']}` reads {first} in the first round of decode, and {second} later"
            found.append(("error", message))
    return found


def patched(steps: Sequence[Step], patch: Any) -> list[Step]:
    """Return the steps under a patch: sets merged, removes, then adds as children of the steps that they come after."""
    edits = {change["id"]: change for change in patch.get("set", ())}
    removed = {change["id"] for change in patch.get("remove", ())}
    listed = [set_members(step, edits.get(step["id"], {})) for step in steps if step["id"] not in removed]
    tree: list[Any] = [[step] for step in listed]
    for change in patch.get("add", ()):
        add(tree, change)
    return flat(tree)


def set_members(step: Step, change: Step) -> Step:
    """Return a step with a set's members, objects merged into what the step has."""
    given = {name: value for name, value in change.items() if name != "id"}
    return {**step, **{name: {**(step.get(name) or {}), **value} for name, value in given.items()}}


def add(tree: list[Any], change: Any) -> bool:
    """Add a step: a node is a list of its own step and of the nodes that were added after it."""
    for place, node in enumerate(tree):
        if isinstance(node, dict):
            continue
        if node[0]["id"] == change.get("insertBefore"):
            tree.insert(place, [change["step"]])
            return True
        if node[0]["id"] == change.get("insertAfter"):
            node.append([change["step"]])
            return True
        if add(node, change):
            return True
    return False


def flat(tree: list[Any]) -> list[Step]:
    """Return the steps of a tree in their order."""
    return [step for node in tree for step in ([node] if isinstance(node, dict) else flat(node))]
