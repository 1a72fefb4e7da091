"""`kernelpath explain`: why a step has the dtypes it has, or what a rule is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kernelpath.api import given_values
from kernelpath.cli.check import once_only
from kernelpath.cli.console import Console
from kernelpath.cli.explained import Answer, StepAnswer, answer_members, answer_text
from kernelpath.cli.inputs import Manifest, read_manifest, unusable
from kernelpath.cli.judging import Judge
from kernelpath.cli.options import add_request, add_shared
from kernelpath.cli.origins import Origins
from kernelpath.cli.packs import pack_model
from kernelpath.diagnostics import Diagnostic, did_you_mean
from kernelpath.evaluate.explain import Explainer
from kernelpath.evaluate.observe import Observed, observe

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
    arguments.add("subject", metavar="FILE|RULE", help="a manifest, or a rule by its name or a decision")
    arguments.add("step", nargs="?", metavar="STEP[.FIELD]", help="a step, by its id or its place")
    add_request(arguments)
    add_shared(arguments, formats=("text", "json"))


def run(options: Namespace) -> int:
    """Explain a step or a rule."""
    if options.step is None:
        from kernelpath.cli.explain_rule import run_rule

        return run_rule(options)
    once_only([options.subject, options.runtime])
    console = Console(options)
    judges = Judge.each(options)
    manifest = read_manifest(options.subject)
    answers = [Inquiry(options, judge, manifest).answer(options.step) for judge in judges]
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
    """A manifest under a judge, whose steps are asked about."""

    def __init__(self, options: Namespace, judge: Judge, manifest: Manifest) -> None:
        self.judge = judge
        self.manifest = manifest
        self.pack = pack_model(options.pack)
        self.origins = Origins(self.pack, self.manifest, self.judge.overlay, options.catalog)

    def answer(self, target: str) -> Answer:
        """Return the answer to a question such as `attention_0.inputDtype`."""
        steps = self._steps()
        position, field = _target(target, steps)
        observed = self._observed(position)
        visits = [StepAnswer(visit, Explainer(self.pack, visit)) for visit in observed.visits]
        answers = [answer for answer in visits if answer.fields]
        for answer in answers:
            answer.choose(field)
        if field and answers and not any(answer.chosen for answer in answers):
            raise _no_field(field, answers)
        step = steps[position] if isinstance(steps[position], dict) else {}
        known = bool(answers) and all(answer.known for answer in answers)
        findings = [] if known else self._findings(observed, step.get("id"), position)
        sources = self.judge.sources([self.manifest])
        return Answer(str(step.get("id", position)), answers, self.origins, findings, sources, self.pack)

    def _steps(self) -> Sequence[Any]:
        """Return the steps as they stand after a patch; those of the manifest where it cannot be applied."""
        workspaces = self._observed(-1).workspaces
        patched = [found.steps for name in self._results() for space in workspaces if (found := space.get(name))]
        compiled: Sequence[Any] = patched[-1] if patched else self._listed(workspaces[-1])
        if not compiled:
            raise self.judge.not_judged(self.manifest, self.judge.request(self.manifest)[0])
        return compiled

    def _results(self) -> list[str]:
        """Return the values that hold what a document's patch makes of the steps."""
        over = [document.over for document in self.pack.documents.values() if document.over]
        return [each["patch"]["result"] for each in over if "patch" in each]

    def _listed(self, workspace: Mapping[str, Any]) -> Sequence[Any]:
        """Return the steps that rules looked at; those of the manifest where none did."""
        given = workspace.get("inference")
        return _listed(given if isinstance(given, dict) else self.manifest.inference)

    def _observed(self, position: int) -> Observed:
        question, request = self.judge.request(self.manifest)
        values = given_values(self.judge.pack, question, request)
        return observe(self.judge.pack, question, values, lambda item: _is_step(item) and item.index == position)

    def _findings(self, observed: Observed, identity: Any, position: int) -> list[Diagnostic]:
        """Return what is wrong with the step; if nothing is, what is wrong at all."""
        found = self.judge.placed(self.manifest, tuple(observed.outcome.report.diagnostics))
        own = [diagnostic for diagnostic in found if diagnostic.subject in (identity, str(position))]
        return own or found


def _is_step(item: Any) -> bool:
    return hasattr(item, "raw") and hasattr(item, "index")


def _listed(inference: Any) -> Sequence[Any]:
    execution = inference.get("execution") if isinstance(inference, dict) else None
    steps = execution.get("steps") if isinstance(execution, dict) else None
    return steps if isinstance(steps, list) else []


def _target(target: str, steps: Sequence[Any]) -> tuple[int, str]:
    """Return the place of the step that a target names, and its field; ids may have dots, the longest one counts."""
    ids = _places(steps)
    parts = target.split(".")
    for count in range(len(parts), 0, -1):
        name = ".".join(parts[:count])
        if name in ids:
            return ids[name], ".".join(parts[count:])
        if count == 1 and name.removeprefix("#").isdecimal() and int(name.removeprefix("#")) < len(steps):
            return int(name.removeprefix("#")), ".".join(parts[1:])
    near = did_you_mean(target, ids) or did_you_mean(parts[0], ids)
    known = f"its steps are {', '.join(list(ids)[:8])}" + (", ..." if len(ids) > 8 else "")
    raise unusable("cli/usage", f"there is no step `{target}`", help_text=f"did you mean `{near}`?" if near else known)


def _places(steps: Sequence[Any]) -> dict[str, int]:
    """Return the first place of each step id."""
    places: dict[str, int] = {}
    for place, step in enumerate(steps):
        if isinstance(step, dict) and isinstance(step.get("id"), str):
            places.setdefault(step["id"], place)
    return places


def _no_field(field: str, answers: list[StepAnswer]) -> Exception:
    known = list(dict.fromkeys(name for answer in answers for name in answer.fields))
    near = did_you_mean(field, [*known, *(name.split(".")[-1] for name in known)])
    meant = f"did you mean `{near}`?" if near else f"fields are {', '.join(known)}"
    return unusable("cli/usage", f"a step has no field `{field}` that rules decide", help_text=meant)
