"""`kernelpath fix`: the fewest edits that make a manifest pass, with the proof that they do."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.inputs import unusable
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


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("file", metavar="FILE", help=MANIFEST_HELP)
    arguments.add("--apply", action="store_true", help="write the edits into the file, whose layout stays as it is")
    arguments.add("--trials", type=whole_number, default=MOST, metavar="N", help=f"graphs to try at most ({MOST})")
    add_request(arguments)
    add_shared(arguments, formats=("text", "json"))


def run(options: Namespace) -> int:
    """Show the fix, or write it; exit code 0 where there is nothing to fix or the fix was written, else 1."""
    console = Console(options)
    judge = Judge.of(options)
    judged = judge.judge(options.file)
    if judged.ok:
        return _nothing(console, options.file)
    found = _fix(judge, judged, options)
    if found.found.moves is None:
        console.write(_json(None, found) if not console.is_text else _hopeless(found))
        return 1
    if options.apply:
        return _apply(console, judged, found)
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


def _nothing(console: Console, name: str) -> int:
    from kernelpath.cli.values import json_text

    console.write(f"{name}: nothing to fix\n" if console.is_text else json_text({"version": 1, "edits": []}))
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


def _apply(console: Console, judged: Judged, found: Fix) -> int:
    from kernelpath.cli.editing import written

    name = judged.manifest.document.source.name
    if not found.proven:
        raise unusable("cli/fix", "the edits are not proven, so they are not written")
    try:
        with open(name, "w", encoding="utf-8", newline="") as file:
            file.write(written(judged.manifest, found.found.moves or ()))
    except OSError as error:
        raise unusable("cli/output", f"`{name}` cannot be written", error) from None
    console.write(f"{name}: {len(found.found.moves or ())} edits written\n" if console.is_text else _json(found, found))
    return 0
