"""`kernelpath matrix`: what passes on which device under which profile, and what stops it elsewhere."""

from __future__ import annotations

from functools import partial

from kernelpath.cli.check import once_only
from kernelpath.cli.console import Console
from kernelpath.cli.finding_packs import pack_for, usable_pack
from kernelpath.cli.inputs import InputErrors, read_document, unusable
from kernelpath.cli.settings import ELSEWHERE, SHORT, named_documents, read_given, refuse_unasked
from kernelpath.evaluate.recognising import profiles
from kernelpath.packs.folders import PackErrors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.analysis.matrix import Axis, Entry
    from kernelpath.cli.arguments import Arguments
    from kernelpath.evaluate.compiled import CompiledPack
    from kernelpath.graph.documents import Document

UNKNOWN_KIND = "matrix/document"


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    from kernelpath.cli.options import RECOGNISING
    from kernelpath.cli.settings import GENERAL

    arguments.add("files", nargs="+", metavar="FILE", help="what is judged, such as manifests; - for standard input")
    device_help = "what they are to run on: devices of `devices list`, or files (all that are listed)"
    arguments.add("--device", action="append", metavar="NAME|FILE", help=device_help)
    runtime_help = "a profile: an overlay, or a runtime config that holds one"
    arguments.add("--runtime", action="append", metavar="FILE", help=runtime_help)
    arguments.add(GENERAL, action="append", metavar="DOC=FILE", help="give another document of the pack")
    arguments.add("--question", metavar="NAME", help="the question that is asked (the one of the pack's matrix)")
    add = arguments.group("shared options").add
    add("--pack", metavar="PACK", help=f"a shipped pack, or a pack's folder ({RECOGNISING})")
    add("--catalog", metavar="CATALOG", help="a shipped catalogue, or its file (the pack's own)")
    add("--format", default="text", choices=("text", "json", "csv"), help="how to show the cells (text)")
    add("--output", metavar="FILE", help="write there, instead of to standard output")
    add("-q", "--quiet", action="store_true", help="no grid: the reasons and the count alone")


def run(options: Namespace) -> int:
    """Print the matrix; exit code 1 if a cell does not pass, 2 if none was judged."""
    from kernelpath.analysis.matrix import judged_matrix
    from kernelpath.analysis.matrix.judging import PASSES
    from kernelpath.analysis.matrix.render import as_csv, as_json, as_text

    once_only([*options.files, *(options.runtime or ())])
    options.verbose = False
    console = Console(options)
    files = {name: _read(name) for name in options.files}
    pack = _pack(options.pack, files)
    question = _question(pack, options.question)
    axes = list(_axes(pack, question, files, options))
    shared = _shared(pack, question, axes, options.catalog)
    matrix = judged_matrix(pack, question, axes, shared)
    if console.is_text:
        console.write(as_text(matrix, console.quiet))
    elif options.format == "csv":
        console.write(as_csv(matrix))
    else:
        from kernelpath.cli.values import json_text

        console.write(json_text(as_json(matrix)))
    if not matrix.asked or not any(cell.verdict.says in (PASSES, "fails") for cell in matrix.cells):
        return 2
    return 0 if matrix.count(PASSES) == len(matrix.cells) else 1


def _read(name: str) -> Document | InputErrors:
    """Return the document in a file, or why there is none."""
    try:
        return read_document(name)
    except InputErrors as errors:
        return errors


def _pack(name: str | None, files: Mapping[str, Document | InputErrors]) -> CompiledPack:
    """Return the pack of a name; without a name the one that recognises the first file that can be read."""
    document = next((read for read in files.values() if not isinstance(read, InputErrors)), None)
    return usable_pack(name) if name is not None or document is None else pack_for(None, document)


def _question(pack: CompiledPack, wanted: str | None) -> str:
    """Return the question that is asked: the one that is named, else the one that the pack declares."""
    questions, name = pack.meta["questions"], pack.meta["name"]
    known = ", ".join(f"`{each}`" for each in questions)
    if wanted is not None:
        if wanted not in questions:
            raise unusable("cli/usage", f"pack `{name}` has no question `{wanted}`", help_text=f"it has {known}")
        return wanted
    declared = [each for each, question in questions.items() if question["matrix"]]
    if not declared:
        help_text = f"name one with `--question`: {known}; or declare `matrix: true` at one"
        raise unusable("cli/usage", f"pack `{name}` does not say which question a matrix asks", help_text=help_text)
    return str(declared[0])


def _axes(
    pack: CompiledPack, question: str, files: Mapping[str, Document | InputErrors], options: Namespace
) -> Iterator[Axis]:
    """Yield the documents of each name: files first, then profiles and others, and devices last."""
    from kernelpath.analysis.matrix import Axis

    given = pack.meta["questions"][question]["given"]
    if not given:
        raise unusable("cli/usage", f"question `{question}` of pack `{pack.meta['name']}` takes no documents")
    yield Axis(
        given[0], tuple(_entry(name, partial(_file, pack, given[0], name, read)) for name, read in files.items())
    )
    if options.runtime:
        name = _profile_document(pack, question)
        profiled = dict.fromkeys(options.runtime)
        yield Axis(name, tuple(_entry(each, partial(_profile, pack, name, each)) for each in profiled))
    named: dict[str, list[str]] = {}
    for name, text in dict.fromkeys(named_documents(options)):
        refuse_unasked(pack, question, name)
        named.setdefault(name, []).append(text)
    for name in SHORT:
        if name in given and name not in named:
            named[name] = _shipped(pack, name)
    for name in sorted(named, key=lambda name: name in SHORT):
        read = [_entry(text, partial(_given, pack, question, name, text)) for text in named[name]]
        if read:
            yield Axis(name, tuple(read))


def _shipped(pack: CompiledPack, name: str) -> list[str]:
    """Return the names by which a document's data is shipped, none if it does not come by name."""
    from kernelpath.packs.libraries import NAMES, load_modules, resource_kind

    load_modules(pack.meta["libraries"])
    names = NAMES.get(resource_kind(pack.meta["documents"][name]["resource"] or ""))
    return list(names()) if names else []


def _given(pack: CompiledPack, question: str, name: str, text: str) -> Any:
    return read_given(pack, question, name, text).value


def _entry(label: str, read: Callable[[], Any]) -> Entry:
    """Return a document of an axis; what cannot be read is one with faults."""
    from kernelpath.analysis.matrix import Entry, key_of

    try:
        value = read()
    except (InputErrors, PackErrors) as errors:
        return Entry(label, faults=tuple(errors.diagnostics))
    return Entry(label, value, key_of(value))


def _file(pack: CompiledPack, document: str, name: str, read: Document | InputErrors) -> Any:
    """Return a file as a document of the pack; raises InputErrors for one that the pack does not take for it."""
    from kernelpath.evaluate.recognising import recognised

    if isinstance(read, InputErrors):
        raise read
    found = recognised(pack, read.value, (document,), meant=True)
    if found is None:
        message = f"`{name}` is not a `{document}` that pack `{pack.meta['name']}` judges"
        raise unusable(UNKNOWN_KIND, message)
    return found.value


def _profile_document(pack: CompiledPack, question: str) -> str:
    """Return the document that a profile is to a question: one that holds an overlay, else the overlay itself."""
    known = profiles(pack, question)
    if not known:
        message = f"question `{question}` of pack `{pack.meta['name']}` takes no profile"
        raise unusable("cli/usage", message, help_text="leave `--runtime` out, or choose another question")
    return known[0]


def _profile(pack: CompiledPack, wanted: str, file: str) -> Any:
    """Return a profile as the document that the question takes: an overlay may be a part of another document."""
    from kernelpath.evaluate.recognising import recognised
    from kernelpath.graph.locate import tokens

    documents = pack.meta["documents"]
    held = [name for name, each in documents.items() if wanted in each["holds"]]
    found = recognised(pack, read_document(file).value, [wanted, *documents[wanted]["holds"], *held])
    if found is None:
        raise unusable(UNKNOWN_KIND, f"`{file}` is not a `{wanted}` that pack `{pack.meta['name']}` takes")
    value = found.value
    for step in tokens(documents[found.name]["holds"].get(wanted, "")):
        value = value.get(step) if isinstance(value, dict) else None
    for step in reversed(tokens(documents[wanted]["holds"].get(found.name, ""))):
        value = {step: value}
    return value


def _shared(pack: CompiledPack, question: str, axes: list[Axis], catalog: str | None) -> dict[str, Any]:
    """Return the documents that are the same in all cells; raises InputErrors for one that is lacking."""
    from kernelpath.api import given_values

    names = [axis.name for axis in axes]
    lacking = [name for name in pack.meta["questions"][question]["needed"] if name not in names]
    if lacking:
        option = ELSEWHERE.get(lacking[0], f"--with {lacking[0]}=FILE")
        message = f"question `{question}` needs document `{lacking[0]}`"
        raise unusable("cli/usage", message, help_text=f"give it by `{option}`")
    given = dict.fromkeys(names)
    if catalog is not None:
        refuse_unasked(pack, question, "catalog")
        given |= {"catalog": catalog}
    return {name: value for name, value in given_values(pack, question, given).items() if name not in names}
