"""`kernelpath fix`: the fewest edits that make a document pass, with the proof that they do."""

from __future__ import annotations

from kernelpath.api import given_values
from kernelpath.cli.console import Console
from kernelpath.cli.inputs import STANDARD_INPUT, read_beside, unusable
from kernelpath.cli.judging import Judge
from kernelpath.cli.options import DOCUMENT_HELP, RECOGNISING, add_request, add_shared, whole_number
from kernelpath.diagnostics import ERROR, WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.analysis.fixing.fix import Fix
    from kernelpath.cli.arguments import Arguments
    from kernelpath.cli.judging import Judged
    from kernelpath.graph.documents import Document

MOST = 20_000
APPLY_HELP = "write the edits into the file, whose layout stays as it is; of standard input, to standard output"


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("file", metavar="FILE", help=DOCUMENT_HELP)
    arguments.add("--apply", action="store_true", help=APPLY_HELP)
    arguments.add("--trials", type=whole_number, default=MOST, metavar="N", help=f"graphs to try at most ({MOST})")
    arguments.add("--warnings", action="store_true", help="mend warnings, too")
    add_request(arguments)
    add_shared(arguments, formats=("text", "json"), pack=RECOGNISING)


def run(options: Namespace) -> int:
    """Show the fix, or write it; exit code 0 if there is nothing to fix, or nothing any more, else 1."""
    console = Console(options)
    judges = Judge.each(options, options.file, read_beside(options.runtime))
    judge = judges[0]
    each = [one.judge() for one in judges]
    judged = next((one for one in each if not _passes(one, options)), each[0])
    through = options.apply and options.file == STANDARD_INPUT
    if _passes(judged, options):
        return _nothing(console, judged, options.file, through)
    found = _fix(judges, options)
    if not found.found.moves:
        _report(console, _hopeless(found) if console.is_text else _json(judge, None, found), through)
        return 1
    if options.apply:
        return _apply(console, judged, found, options.file, through)
    console.write(_text(judged, found) if console.is_text else _json(judge, found, found))
    return 1


def _passes(judged: Judged, options: Namespace) -> bool:
    """Return whether nothing is to be mended: no error, and no warning if those are, too."""
    return judged.ok and not (options.warnings and any(each.severity == WARNING for each in judged.diagnostics))


def _fix(judges: list[Judge], options: Namespace) -> Fix:
    """Return the fix that makes the document pass under each setting."""
    from kernelpath.analysis.fixing.fix import fix

    requests = [given_values(judge.pack, *_request(judge)) for judge in judges]
    wrong = (ERROR, WARNING) if options.warnings else (ERROR,)
    try:
        return fix(judges[0].pack, requests[0], options.trials, requests[1:], wrong)
    except ValueError as error:
        raise unusable("cli/usage", str(error)) from None


def _request(judge: Judge) -> tuple[str, dict[str, Any]]:
    """Return the question of the pack's fixes and what it is asked with; raises InputErrors for items of another file.

    A document beside that is not one of the question's own may hold one.
    """
    pack, declared = judge.pack, judge.pack.meta["fixes"]
    question = str(declared["question"]) if declared else judge.question
    known = pack.meta["questions"][question]["given"]
    documents = {name: value for name, value in judge.request().items() if name in known}
    if judge.beside is None or judge.beside.name in known:
        return question, documents
    replaced = judge.replaced()
    if replaced is not None:
        message = f"what is judged is made of `{replaced}` of the file beside, so there are no items to edit"
        raise unusable("cli/fix", message, help_text="leave that out of the file, or `--runtime` out")
    for name, pointer in pack.meta["documents"][judge.beside.name]["holds"].items():
        section = judge.beside.written(pointer) or {}
        over = pack.meta["documents"][name]["over"] or {}
        members = [*over.get("layers", ()), *([over["patch"]["member"]] if "patch" in over else [])]
        documents[name] = {member: section[member] for member in members if section.get(member)}
    return question, documents


def _report(console: Console, text: str, through: bool) -> None:
    """Say what was found; where the manifest itself goes to standard output, people and tools read it elsewhere."""
    if through and console.output is None:
        console.error(text)
    else:
        console.write(text)


def _nothing(console: Console, judged: Judged, name: str, through: bool) -> int:
    from kernelpath.cli.values import json_text

    if through:
        console.pass_on(judged.given.document.source.text)
    text = f"{name}: nothing to fix\n" if console.is_text else json_text({"version": 1, "edits": []})
    _report(console, text, through)
    return 0


def _json(judge: Judge, found: Fix | None, account: Fix) -> str:
    from kernelpath.analysis.fixing.fix import shown
    from kernelpath.cli.values import json_text

    if found is None:
        return json_text({"version": 1, "edits": None, "open": [one.to_dict() for one in account.found.open]})
    declared = judge.pack.meta["fixes"]
    members = {
        "version": 1,
        "edits": [shown(move) for move in found.found.moves or ()],
        "open": [one.to_dict() for one in found.found.open],
        "proven": found.proven,
        str(declared.get("patch", "patch")).rpartition("/")[2]: found.patch,
        declared["list"].rpartition("/")[2]: list(found.graph) if found.patch is None else None,
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
    return _printed([f"no fix: {known}; {what}:", *(f"  {rule}" for rule in rules)])


def _text(judged: Judged, found: Fix) -> str:
    from kernelpath.analysis.fixing.fix import shown
    from kernelpath.cli.editing import Editing

    chosen = found.found.moves or ()
    lines = [f"{len(chosen)} edit{'' if len(chosen) == 1 else 's'} ({_proof(found)})"]
    lines += [f"  {shown(move)}" for move in chosen]
    lines += _remaining(found)
    if found.changes:
        lines.append("what changes elsewhere")
        lines += [f"  {one.step}{_in(one.visit)}: {one.name} {one.before} -> {one.after}" for one in found.changes]
    lines.append("as an overlay: --format json" if found.patch is not None else "these are edits of the file itself")
    if not judged.given.document.source.text:  # a reader made the document: there is no text to show
        return _printed(lines)
    return _printed(lines) + "\n" + Editing(judged.given, judged.judge.pack.meta["fixes"], chosen).difference()


def _in(visit: str) -> str:
    return f" in {visit}" if visit else ""


def _proof(found: Fix) -> str:
    if not found.proven:
        return "a suggestion: not proven"
    passes = "nothing but what remains is found" if found.found.open else "it passes with no new finding"
    return f"proven: compiled again, {passes}"


def _remaining(found: Fix) -> list[str]:
    """Return lines that say which errors the edits leave."""
    left = found.found.open
    if not left:
        return []
    return ["what remains, which no edit of the graph mends", *(f"  {one.rule}: {one.message}" for one in left)]


def _apply(console: Console, judged: Judged, found: Fix, name: str, through: bool) -> int:
    """Write the manifest with its edits: into its file, or to standard output if it came by standard input."""
    from kernelpath.cli.editing import Editing
    from kernelpath.cli.saving import rewrite

    if not found.proven:
        raise unusable("cli/fix", "the edits are not proven, so they are not written")
    moves = found.found.moves or ()
    source = judged.given.document.source
    if not source.text:
        _write(judged.given.document, judged.judge.pack.meta["fixes"]["list"], found, name)
    else:
        text = Editing(judged.given, judged.judge.pack.meta["fixes"], moves).written()
        if through:
            console.pass_on(text)
        else:
            rewrite(name, source.text, text)
    told = [f"{name}: {len(moves)} edits written", *_remaining(found)]
    text = _printed(told) if console.is_text else _json(judged.judge, found, found)
    _report(console, text, through)
    return 1 if found.found.open else 0


def _write(document: Document, place: str, found: Fix, name: str) -> None:
    """Write a file that is not text by the reader that it was read by."""
    from kernelpath.cli.saving import save
    from kernelpath.graph.readers import ReadDocument, ReaderError

    assert isinstance(document, ReadDocument)
    member = place.rpartition("/")[2]
    try:
        save(name, document.written({**document.value, member: list(found.graph)}))
    except ReaderError as error:
        raise unusable("cli/fix", f"`{name}` cannot be edited: {error.message}", help_text=error.help) from None


def _printed(lines: list[str]) -> str:
    """Return lines as they may be shown: names and messages may hold what a manifest says."""
    from kernelpath.diagnostics.render.printable import printable

    return "".join(printable(line) + "\n" for line in lines)
