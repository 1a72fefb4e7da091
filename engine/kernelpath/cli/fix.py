"""`kernelpath fix`: the fewest edits that make a manifest pass, with the proof that they do."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.inputs import STANDARD_INPUT, unusable
from kernelpath.cli.judging import Judge
from kernelpath.cli.options import MANIFEST_HELP, add_request, add_shared, whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.analysis.fixing.fix import Fix
    from kernelpath.cli.arguments import Arguments
    from kernelpath.cli.judging import Judged

MOST = 20_000
APPLY_HELP = "write the edits into the file, whose layout stays as it is; of standard input, to standard output"


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("file", metavar="FILE", help=MANIFEST_HELP)
    arguments.add("--apply", action="store_true", help=APPLY_HELP)
    arguments.add("--trials", type=whole_number, default=MOST, metavar="N", help=f"graphs to try at most ({MOST})")
    add_request(arguments)
    add_shared(arguments, formats=("text", "json"))


def run(options: Namespace) -> int:
    """Show the fix, or write it; exit code 0 where there is nothing to fix or the fix was written, else 1."""
    console = Console(options)
    judge = Judge.of(options)
    judged = judge.judge(options.file)
    through = options.apply and options.file == STANDARD_INPUT
    if judged.ok:
        return _nothing(console, judged, options.file, through)
    found = _fix(judge, judged, options)
    if found.found.moves is None:
        _report(console, _json(None, found) if not console.is_text else _hopeless(found), through)
        return 1
    if options.apply:
        return _apply(console, judged, found, options.file, through)
    console.write(_json(found, found) if not console.is_text else _text(judged, found))
    return 1


def _fix(judge: Judge, judged: Judged, options: Namespace) -> Fix:
    from kernelpath.analysis.fixing.fix import fix
    from kernelpath.graph.catalog import load_presets

    references = {
        key: {"id": kernel.reference, "version": kernel.version, "digest": kernel.digest}
        for key, kernel in judge.catalog.items()
    }
    manifest = judged.manifest
    layers = options.num_layers if options.num_layers is not None else manifest.num_layers()
    values: dict[str, Any] = {
        "inference": manifest.inference,
        "runtime": _runtime(judge),
        "model_id": manifest.model_id(),
        "num_layers": layers,
        "catalog": judge.catalog,
        "presets": load_presets(),
    }
    try:
        return fix(judge.pack, values, references, options.trials)
    except ValueError as error:
        raise unusable("cli/usage", str(error)) from None


def _runtime(judge: Judge) -> Any:
    if judge.overlay is None:
        return None
    value = judge.overlay.document.value
    return (value.get("inference") or {}) if judge.overlay.is_config else value


def _report(console: Console, text: str, through: bool) -> None:
    """Say what was found; where the manifest itself goes to standard output, people and tools read it elsewhere."""
    if through and console.output is None:
        console.error(text)
    else:
        console.write(text)


def _nothing(console: Console, judged: Judged, name: str, through: bool) -> int:
    from kernelpath.cli.values import json_text

    if through:
        console.pass_on(judged.manifest.document.source.text)
    text = f"{name}: nothing to fix\n" if console.is_text else json_text({"version": 1, "edits": []})
    _report(console, text, through)
    return 0


def _json(found: Fix | None, account: Fix) -> str:
    from kernelpath.analysis.fixing.fix import shown
    from kernelpath.cli.values import json_text

    if found is None:
        return json_text({"version": 1, "edits": None, "open": [one.to_dict() for one in account.found.open]})
    members = {
        "version": 1,
        "edits": [shown(move) for move in found.found.moves or ()],
        "proven": found.proven,
        "executionPatch": found.patch,
        "steps": list(found.graph) if found.patch is None else None,
        "changes": [
            {"step": one.step, "visit": one.visit, "name": one.name, "before": one.before, "after": one.after}
            for one in found.changes
        ],
    }
    return json_text(members)


def _hopeless(found: Fix) -> str:
    known = "no edits make this pass" if found.found.exhausted else f"none found in {found.found.trials:,} graphs"
    rules = dict.fromkeys(one.rule for one in found.found.open)
    what = "these rules conflict" if len(rules) > 1 else "this rule conflicts with what edits may change"
    return "\n".join([f"no fix: {known}; {what}:", *(f"  {rule}" for rule in rules)]) + "\n"


def _text(judged: Judged, found: Fix) -> str:
    from kernelpath.analysis.fixing.fix import shown
    from kernelpath.cli.editing import difference

    chosen = found.found.moves or ()
    proof = "proven: compiled anew, it passes with no new finding" if found.proven else "a suggestion: not proven"
    lines = [f"{len(chosen)} edit{'' if len(chosen) == 1 else 's'} ({proof})"]
    lines += [f"  {shown(move)}" for move in chosen]
    if found.changes:
        lines.append("what changes elsewhere")
        lines += [f"  {one.step} in {one.visit}: {one.name} {one.before} -> {one.after}" for one in found.changes]
    lines.append(
        "as an overlay: --format json" if found.patch is not None else "these are edits of the manifest itself"
    )
    return "\n".join(lines) + "\n\n" + difference(judged.manifest, chosen)


def _apply(console: Console, judged: Judged, found: Fix, name: str, through: bool) -> int:
    """Write the manifest with its edits: into its file, or to standard output if it came by standard input."""
    from kernelpath.cli.editing import written
    from kernelpath.cli.saving import rewrite

    if not found.proven:
        raise unusable("cli/fix", "the edits are not proven, so they are not written")
    moves = found.found.moves or ()
    text = written(judged.manifest, moves)
    if through:
        console.pass_on(text)
    else:
        rewrite(name, judged.manifest.document.source.text, text)
    _report(console, f"{name}: {len(moves)} edits written\n" if console.is_text else _json(found, found), through)
    return 0
