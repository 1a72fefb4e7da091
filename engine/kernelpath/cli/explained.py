"""An answer to "why does this step have this dtype?", as text for people and as JSON for tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kernelpath.cli.origins import Origins
from kernelpath.diagnostics import Diagnostic, Source
from kernelpath.diagnostics.render.printable import printable
from kernelpath.evaluate.explain import Choice, Explainer, Explanation, Read, Reading
from kernelpath.evaluate.explain import read as reading_of
from kernelpath.evaluate.item import ItemWalk
from kernelpath.evaluate.observe import Visit
from kernelpath.language.showing import shown
from kernelpath.packs.model import Pack, Transition

MOST_LEVELS = 4  # how far back a value is followed through the steps before


@dataclass(slots=True)
class StepAnswer:
    """What is told of one visit of the step: the fields that were asked for."""

    visit: Visit
    explainer: Explainer
    plain: bool = False
    chosen: dict[str, str] = field(default_factory=dict)

    @property
    def fields(self) -> dict[str, str]:
        """The fields that rules decide, and the variable of each; `plain` ones if the pack's rules build no object."""
        return {name: name for name in self.explainer.giving} if self.plain else self.explainer.fields()

    def choose(self, wanted: str) -> None:
        """Choose the fields that a name means: its path, the end or the beginning of one, or a variable."""
        for means in (_is_field, _ends_field, _begins_field):
            self.chosen = {path: name for path, name in self.fields.items() if means(wanted, path, name)}
            if self.chosen:
                return

    @property
    def known(self) -> bool:
        """Whether every field that was asked for has a value."""
        return all(self.explainer.explain(variable).known for variable in self.chosen.values())

    @property
    def heading(self) -> str:
        """How this visit differs from others of the same step, such as `prefill`, or `decode (layers 1 to 3)`."""
        given = ", ".join(shown(value) for value in self.visit.given.values())
        return f"{given} ({self.visit.repeated})" if self.visit.repeated else given


def _is_field(wanted: str, path: str, variable: str) -> bool:
    return path == wanted


def _ends_field(wanted: str, path: str, variable: str) -> bool:
    return path.endswith(f".{wanted}") or variable == wanted


def _begins_field(wanted: str, path: str, variable: str) -> bool:
    return not wanted or path.startswith(f"{wanted}.")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer for a step: one for each visit, and what is wrong with it."""

    step: str
    answers: list[StepAnswer]
    origins: Origins
    findings: list[Diagnostic]
    sources: Mapping[str, Source]
    pack: Pack
    word: str

    @property
    def known(self) -> bool:
        """Whether everything that was asked for has a value."""
        return bool(self.answers) and all(answer.known for answer in self.answers)


def answer_text(answer: Answer) -> str:
    """Return an answer as people read it."""
    if not answer.answers:
        return f"{answer.word} `{printable(answer.step)}` was not reached, because of what is wrong before it\n"
    told: dict[str, list[str]] = {}
    for one in answer.answers:
        told.setdefault("".join(f"{line}\n" for line in _Teller(answer, one).lines()), []).append(one.heading)
    return "\n".join(_heading(answer, headings) + text for text, headings in told.items())


def _heading(answer: Answer, headings: list[str]) -> str:
    """Return what precedes what is told: the step, its place, and the visits that it is told of."""
    span = answer.origins.step_span(answer.answers[0].visit)
    visits = f" in {' and '.join(headings)}" if headings[0] else ""
    return f"{answer.word} `{printable(answer.step)}`{visits}" + (f"  <- {span.short}\n" if span else "\n")


def answer_members(answer: Answer) -> dict[str, Any]:
    """Return an answer as plain JSON."""
    return {
        answer.word: answer.step,
        "visits": [_visit_members(answer, one) for one in answer.answers],
        "diagnostics": [diagnostic.to_dict() for diagnostic in answer.findings],
    }


class _Teller:
    """Tells of one visit, line by line."""

    def __init__(self, answer: Answer, one: StepAnswer) -> None:
        self.answer = answer
        self.one = one
        self.explained = ""  # the variable whose rule is being shown: its lets are followed

    def lines(self) -> Iterator[str]:
        """Yield the lines of the chosen fields that the item has, of all if it has none of them."""
        told = {path: self.one.explainer.explain(variable) for path, variable in self.one.chosen.items()}
        given = {path: found for path, found in told.items() if found.when is None or found.when.value}
        for path, explanation in (given or told).items():
            yield ""
            yield from self._field(path, explanation)

    def _field(self, path: str, explanation: Explanation) -> Iterator[str]:
        self.explained = explanation.variable
        yield f"  {path} = {_value(explanation)}"
        yield f"    rule {explanation.rule.identity} ({explanation.rule.place.file})"
        if explanation.when is not None and not explanation.when.value:
            yield f"    no   {_flat(explanation.when.text)}"
            yield from self._reads(explanation.when, self.one, 9, 0)
        for choice in explanation.choices:
            yield from self._choice(choice)

    def _choice(self, choice: Choice) -> Iterator[str]:
        if choice.when is None and choice.applies is None:
            yield f"    -    {_flat(choice.text)}"
            return
        mark = {True: "yes", False: "no", None: "?"}[choice.applies]
        condition = _flat(choice.when.text) if choice.when else "otherwise"
        then = f": {_flat(choice.text)}" if choice.applies else ""
        yield f"    {mark.ljust(4)} {condition}{then}"
        if choice.when is not None:
            yield from self._reads(choice.when, self.one, 9, 0)
        if choice.value is not None:
            told = {_plain(read) for read in choice.when.reads} if choice.when else set()
            yield from self._reads(choice.value, self.one, 9, 0, told)

    def _reads(
        self, reading: Reading, one: StepAnswer, indent: int, level: int, told: set[str] | None = None
    ) -> Iterator[str]:
        for read in reading.reads:
            if told and _plain(read) in told:
                continue
            yield f"{' ' * indent}{printable(read.text)} = {_text(read.value)}{self._place(read, one)}"
            if level < MOST_LEVELS:
                yield from self._behind(read, one, indent + 2, level + 1)

    def _place(self, read: Read, one: StepAnswer) -> str:
        place = self.answer.origins.told(read, one.visit)
        return f"  <- {place}" if place else ""

    def _behind(self, read: Read, one: StepAnswer, indent: int, level: int) -> Iterator[str]:
        """Yield what is behind a value that nobody wrote: what the pack says it is, or who wrote the slot."""
        slot = _slot(read, one.visit)
        if slot is not None:
            yield from self._slot(slot, one, indent, level)
            return
        variable = read.root.name
        if variable in one.explainer.giving and not read.path:
            yield from self._other(one.explainer.explain(variable), one, indent, level)
            return
        behind = self._let(read, one) or self.answer.origins.behind(read, one.visit)
        if behind is not None:
            yield from self._reads(behind, one, indent, level)

    def _let(self, read: Read, one: StepAnswer) -> Reading | None:
        """Return what a name that the rule gives itself stands for."""
        known = self.explained in one.explainer.giving and not read.path
        return one.explainer.let(self.explained, read.root.name) if known else None

    def _slot(self, slot: str, one: StepAnswer, indent: int, level: int) -> Iterator[str]:
        writer = one.visit.writers.get(slot)
        if writer is None:
            if slot in one.visit.start:
                yield f"{' ' * indent}slot `{printable(slot)}` holds it from the start"
                yield from self._start(slot, one, indent, level)
            return
        visit = replace(one.visit, walk=writer)
        before = StepAnswer(visit, Explainer(self.answer.pack, visit))
        span = self.answer.origins.step_span(before.visit)
        place = f"  <- {span.short}" if span else ""
        by = f"{self.answer.word} `{_identity(writer)}`{place}"
        yield f"{' ' * indent}slot `{printable(slot)}` was last written by {by}"
        for variable in _written_variables(before.explainer):
            yield from self._other(before.explainer.explain(variable), before, indent + 2, level)

    def _start(self, slot: str, one: StepAnswer, indent: int, level: int) -> Iterator[str]:
        """Yield what the pass of the flow starts the slot with."""
        for one_pass in self.answer.pack.flows[one.visit.data["flow"]["name"]].passes.values():
            term = one_pass.start.get(slot)
            if term is not None:
                yield from self._reads(reading_of(term, one.visit.workspace), one, indent + 2, level)
                return

    def _other(self, explanation: Explanation, one: StepAnswer, indent: int, level: int) -> Iterator[str]:
        """Yield what decided another variable, in short: the choice that applied and what it read."""
        yield f"{' ' * indent}{explanation.variable} = {_value(explanation)}, by rule {explanation.rule.identity}"
        outer, self.explained = self.explained, explanation.variable
        for choice in explanation.choices:
            if choice.applies and choice.value is not None and level < MOST_LEVELS:
                yield from self._reads(choice.value, one, indent + 2, level + 1)
        self.explained = outer


def _slot(read: Read, visit: Visit) -> str | None:
    """Return the slot that a variable of the flow was read from."""
    flow = visit.data["flow"]
    for name, term in flow["reads"] if flow else ():
        if name == read.root.name:
            return str(visit.walk.pack.value(term, visit.walk.environment))
    return None


def _written_variables(explainer: Explainer) -> list[str]:
    """Return the variables that the transitions of a visit write into slots."""
    names = []
    for rule in explainer.visit.rules:
        model = explainer.rules[rule["id"]]
        if isinstance(model, Transition):
            names += [name for name in sorted(model.value.checked.variables) if name in explainer.giving]
    return names


def _plain(read: Read) -> str:
    """Return a read's text without what only guards against null."""
    return read.text.replace("?.", ".")


def _identity(walk: ItemWalk) -> str:
    return printable(str(walk.pack.value(walk.scope["subject"], walk.environment)))


def _value(explanation: Explanation) -> str:
    if not explanation.known:
        return "not known, because of what is wrong before it"
    source = f" ({explanation.source})" if explanation.source else ""
    return _text(explanation.value) + source


def _text(value: Any) -> str:
    """Return a value as people read it; a kernel by its name."""
    if hasattr(value, "kernel") and hasattr(value, "entry"):
        return f"{printable(value.kernel)}#{printable(value.entry)}"
    return printable(shown(value)) if _is_json(value) else "a record"


def _is_json(value: Any) -> bool:
    return value is None or isinstance(value, dict | list | tuple | str | bool | int | float)


def _flat(text: str) -> str:
    return printable(" ".join(text.split()))


def _visit_members(answer: Answer, one: StepAnswer) -> dict[str, Any]:
    span = answer.origins.step_span(one.visit)
    return {
        "given": dict(one.visit.given),
        "repetitions": list(one.visit.repetitions),
        "span": span.to_dict() if span else None,
        "fields": [_field_members(answer, one, path, one.explainer.explain(name)) for path, name in one.chosen.items()],
    }


def _field_members(answer: Answer, one: StepAnswer, path: str, explanation: Explanation) -> dict[str, Any]:
    return {
        "field": path,
        "known": explanation.known,
        "value": explanation.value if explanation.known and _is_json(explanation.value) else None,
        "source": explanation.source,
        "rule": explanation.rule.identity,
        "file": explanation.rule.place.file,
        "applies": None if explanation.when is None else _reading_members(answer, one, explanation.when),
        "choices": [_choice_members(answer, one, choice) for choice in explanation.choices],
    }


def _choice_members(answer: Answer, one: StepAnswer, choice: Choice) -> dict[str, Any]:
    return {
        "when": _reading_members(answer, one, choice.when) if choice.when else None,
        "applies": choice.applies,
        "expression": choice.text,
        "value": _reading_members(answer, one, choice.value) if choice.value else None,
        "source": choice.source,
    }


def _reading_members(answer: Answer, one: StepAnswer, reading: Reading) -> dict[str, Any]:
    reads = [
        {
            "text": read.text,
            "value": read.value if _is_json(read.value) else _text(read.value),
            "place": answer.origins.told(read, one.visit),
        }
        for read in reading.reads
    ]
    return {"expression": reading.text, "value": reading.value if _is_json(reading.value) else None, "reads": reads}
