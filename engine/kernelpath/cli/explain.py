"""`kernelpath explain`: why an item of a document is what it is, or what a rule is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kernelpath.api import given_values
from kernelpath.cli.check import once_only
from kernelpath.cli.console import Console
from kernelpath.cli.explained import Answer, StepAnswer, answer_members, answer_text
from kernelpath.cli.inputs import read_beside, unusable
from kernelpath.cli.judging import Judge
from kernelpath.cli.options import RECOGNISING, add_request, add_shared
from kernelpath.cli.origins import Origins
from kernelpath.cli.packs import pack_of
from kernelpath.diagnostics import Diagnostic, did_you_mean
from kernelpath.evaluate.explain import Explainer
from kernelpath.evaluate.observe import Chosen, Observed, Visit, observe
from kernelpath.packs.listed import Items, is_name, items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments

EXAMPLES = """\
examples:
  kernelpath explain manifest.json attention_0              every dtype of a step, in every phase it runs in
  kernelpath explain manifest.json attention_0.inputDtype   one of them
  kernelpath explain flow/read-dtype-mismatch               a rule: why it is there, its tests, its decisions
  kernelpath explain E55                                    the rules that carry a decision
"""


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.epilog = EXAMPLES
    arguments.add("subject", metavar="FILE|RULE", help="a document, or a rule by its name or a decision")
    arguments.add("item", nargs="?", metavar="ITEM[.FIELD]", help="an item, such as a step, by its name or its place")
    add_request(arguments)
    add_shared(arguments, formats=("text", "json"), pack=RECOGNISING)


def run(options: Namespace) -> int:
    """Explain an item of a document, or a rule."""
    if options.item is None:
        from kernelpath.cli.explain_rule import run_rule

        return run_rule(options)
    once_only([options.subject, options.runtime])
    console = Console(options)
    judges = Judge.each(options, options.subject, read_beside(options.runtime))
    answers = [Inquiry(judge).answer(options.item) for judge in judges]
    if console.is_text:
        _tell(console, judges, answers)
    else:
        from kernelpath.cli.values import json_text

        members = [answer_members(answer) for answer in answers]
        several = [{"with": judge.setting.labels, **each} for judge, each in zip(judges, members, strict=True)]
        console.write(json_text(several if len(judges) > 1 else members[0]))
    return 0 if all(answer.known for answer in answers) else 1


def _tell(console: Console, judges: list[Judge], answers: list[Answer]) -> None:
    """Write the answers for people: under several settings, each below a line that names its own."""
    from kernelpath.diagnostics.render.printable import printable

    heads = [f"with {printable(judge.setting.words())}\n" if len(judges) > 1 else "" for judge in judges]
    console.write("\n".join(head + answer_text(answer) for head, answer in zip(heads, answers, strict=True)))
    found = [(each, judge.setting) for judge, answer in zip(judges, answers, strict=True) for each in answer.findings]
    if found:
        from kernelpath.cli.settings import told_apart

        sources = {name: source for answer in answers for name, source in answer.sources.items()}
        console.refuse(told_apart(found) if len(judges) > 1 else [each for each, _ in found], sources)


class Inquiry:
    """A document under a judge, whose items are asked about.

    They are the rows that the first flow of its pack visits; without such a flow, those of all tables whose rules give
    variables.
    """

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.pack = pack_of(self.judge.pack)
        self.items: Items | None = items_of(self.pack, self.judge.given.name)
        self.word = (self.pack.items[self.items.table].scope.item if self.items else None) or "item"
        self.origins = Origins(self.pack, self.judge)

    def answer(self, target: str) -> Answer:
        """Return the answer to a question such as `attention_0.inputDtype`."""
        items = self.items
        if items is None or items.identity is None:
            return self._by_subject(target)
        listed = self._listed(items)
        position, field = _target(target, _places(listed, items.identity), len(listed), self.word)
        observed = self._observed(self._chosen(items, position, listed[position]))
        name = _identity(listed[position], items.identity)
        return self._told(observed, observed.visits, field, name, position)

    def _by_subject(self, target: str) -> Answer:
        """Return the answer about a row that goes by what findings about it name."""
        observed = self._observed(lambda item: item is not None)
        visits = [visit for visit in observed.visits if self._is_asked_about(visit)]
        subjects = [_subject(visit) for visit in visits]
        places = {name: place for place, name in reversed(list(enumerate(subjects)))}
        if not places:
            message = f"no rule of pack `{self.pack.name}` gives an item of this `{self.judge.given.name}` anything"
            raise unusable("cli/usage", message, help_text="`kernelpath explain RULE` explains a rule")
        position, field = _target(target, dict(reversed(places.items())), len(subjects), self.word)
        chosen = [visit for visit, name in zip(visits, subjects, strict=True) if name == subjects[position]]
        return self._told(observed, chosen, field, subjects[position], position)

    def _is_asked_about(self, visit: Visit) -> bool:
        """Return whether a visit is one of the flow's; without a flow, whether rules gave it something."""
        if self.items is not None:
            return visit.name == self.items.flow
        return bool(_subject(visit)) and any(rule["kind"] in ("resolve", "table") for rule in visit.rules)

    def _told(self, observed: Observed, found: Sequence[Visit], field: str, name: Any, position: int) -> Answer:
        """Return the answer that visits of one item give."""
        visits = [StepAnswer(visit, Explainer(self.pack, visit)) for visit in found]
        plain = not any(answer.fields for answer in visits)
        answers = [answer for answer in (replace(each, plain=plain) for each in visits) if answer.fields]
        for answer in answers:
            answer.choose(field)
        if field and answers and not any(answer.chosen for answer in answers):
            raise _no_field(field, answers, self.word)
        known = bool(answers) and all(answer.known for answer in answers)
        findings = [] if known else self._findings(observed, name, position)
        called = str(position) if name is None else str(name)
        return Answer(called, answers, self.origins, findings, self.judge.sources(), self.pack, self.word)

    def _listed(self, items: Items) -> Sequence[Any]:
        """Return the items as they were written, after a patch; those of the document if it cannot be applied."""
        made = self.pack.items[items.table]
        is_made = bool(made.columns) and made.source is None  # then the rows are not what was written
        table = made.source or items.table
        spaces = () if is_made else self._observed(lambda item: False).workspaces
        known = [space[table] for space in spaces if space.get(table)]
        listed: Sequence[Any] = known[-1] if known else self._written(items)
        if not listed:
            raise self.judge.not_judged()
        return listed

    def _written(self, items: Items) -> Sequence[Any]:
        value = self.judge.given.value
        for name in items.path:
            value = value.get(name) if isinstance(value, dict) else None
        return value if isinstance(value, list) else []

    def _chosen(self, items: Items, position: int, written: Any) -> Chosen:
        """Return what tells the rows that are made of the item at a place: by their place if they have it."""
        wanted = _identity(written, items.identity)
        columns = self.pack.items[items.table].columns
        place = next((each.name for each in columns if is_name(each.term.checked.expression, self._index(items))), None)
        name = next((each for each, member in items.members.items() if member == items.identity), None)

        def chosen(item: Any) -> bool:
            if place is not None:
                return bool(getattr(item, place, None) == position)
            return item is written or (name is not None and getattr(item, name, None) == wanted)

        return chosen

    def _index(self, items: Items) -> str:
        """Return the variable that holds a row's place."""
        table = self.pack.items[items.table]
        source = self.pack.items[table.source] if table.source else table
        return source.scope.index or ""

    def _observed(self, chosen: Chosen) -> Observed:
        question = self.judge.question
        return observe(self.judge.pack, question, given_values(self.judge.pack, question, self.judge.request()), chosen)

    def _findings(self, observed: Observed, identity: Any, position: int) -> list[Diagnostic]:
        """Return what is wrong with the item; if nothing is, what is wrong at all."""
        found = self.judge.placed(tuple(observed.outcome.report.diagnostics))
        own = [diagnostic for diagnostic in found if diagnostic.subject in (identity, str(position))]
        return own or found


def _target(target: str, ids: Mapping[str, int], count: int, word: str) -> tuple[int, str]:
    """Return the place of the item that a target names, and its field; ids may have dots, the longest one counts."""
    parts = target.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in ids:
            return ids[name], ".".join(parts[length:])
        if length == 1 and name.removeprefix("#").isdecimal() and int(name.removeprefix("#")) < count:
            return int(name.removeprefix("#")), ".".join(parts[1:])
    near = did_you_mean(target, ids) or did_you_mean(parts[0], ids)
    known = f"its {word}s are {', '.join(list(ids)[:8])}" + (", ..." if len(ids) > 8 else "")
    help_text = f"did you mean `{near}`?" if near else known
    raise unusable("cli/usage", f"there is no {word} `{target}`", help_text=help_text)


def _subject(visit: Visit) -> str:
    term = visit.data["scope"]["subject"]
    return str(visit.walk.pack.value(term, visit.walk.environment)) if term else ""


def _identity(item: Any, member: str | None) -> Any:
    return item.get(member) if isinstance(item, dict) and member else None


def _places(listed: Sequence[Any], member: str | None) -> dict[str, int]:
    """Return the first place of each name of an item."""
    places: dict[str, int] = {}
    for place, item in enumerate(listed):
        if isinstance(name := _identity(item, member), str):
            places.setdefault(name, place)
    return places


def _no_field(field: str, answers: list[StepAnswer], word: str) -> Exception:
    known = list(dict.fromkeys(name for answer in answers for name in answer.fields))
    near = did_you_mean(field, [*known, *(name.split(".")[-1] for name in known)])
    meant = f"did you mean `{near}`?" if near else f"fields are {', '.join(known)}"
    return unusable("cli/usage", f"a {word} has no field `{field}` that rules decide", help_text=meant)
