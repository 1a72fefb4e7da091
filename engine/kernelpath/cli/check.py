"""`kernelpath check`: whether documents are right, and what is wrong with them."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.inputs import STANDARD_INPUT, InputErrors, read_beside, unusable
from kernelpath.cli.judging import Judge, Judged
from kernelpath.cli.options import DOCUMENT_HELP, RECOGNISING, add_request, add_shared
from kernelpath.packs.libraries import said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Namespace

    from kernelpath.cli.arguments import Arguments
    from kernelpath.cli.settings import Setting
    from kernelpath.cli.waiving import Waiving
    from kernelpath.diagnostics import Diagnostic
    from kernelpath.diagnostics.account import Account
    from kernelpath.graph.documents import Document


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("files", nargs="+", metavar="FILE", help=DOCUMENT_HELP)
    add_request(arguments)
    arguments.add("--waivers", metavar="FILE", help="findings that somebody answers for, until a day")
    add_shared(arguments, pack=RECOGNISING)


def run(options: Namespace) -> int:
    """Check every file, those after a bad one too, and return the exit code of the worst."""
    once_only([*options.files, options.runtime, options.waivers])
    console = Console(options)
    waiving = _waiving(options)
    beside = read_beside(options.runtime)
    judged, refused = _judged(options, beside)
    found = [diagnostic for one in judged for diagnostic in one.diagnostics]
    ok = all(one.ok for one in judged)
    if waiving is not None:
        found, ok = waiving.applied(judged)
    if len({one.setting.words() for one in judged}) > 1:
        found = _apart(judged, found)
    _tell(console, judged, found, refused, waiving)
    if refused:
        return 2
    return 0 if ok else 1


def _judged(options: Namespace, beside: Document | None) -> tuple[list[Judged], list[InputErrors]]:
    """Return what becomes of each file under each setting, and what is wrong with files that cannot be judged."""
    judged: list[Judged] = []
    refused: list[InputErrors] = []
    for name in options.files:
        try:
            judges = Judge.each(options, name, beside)
        except InputErrors as errors:
            refused.append(errors)
            continue
        for judge in judges:
            try:
                judged.append(judge.judge())
            except InputErrors as errors:
                refused.append(errors)
    return judged, refused


def _apart(judged: list[Judged], found: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings of several settings, each once and with the settings in its message.

    `found` has those of each judged file in order, and then those of other files.
    """
    from kernelpath.cli.settings import told_apart

    settings = [one.setting for one in judged for _ in one.diagnostics]
    return [*told_apart(zip(found, settings, strict=False)), *found[len(settings) :]]


def _waiving(options: Namespace) -> Waiving | None:
    if options.waivers is None:
        return None
    from kernelpath.cli.waiving import Waiving

    return Waiving.of(options.waivers)


def once_only(names: list[str | None]) -> None:
    """Refuse standard input that is named twice: it can be read only once."""
    if names.count(STANDARD_INPUT) > 1:
        raise unusable("cli/usage", "standard input is named more than once, but it can be read only once")


def _tell(
    console: Console,
    judged: list[Judged],
    found: list[Diagnostic],
    refused: list[InputErrors],
    waiving: Waiving | None,
) -> None:
    found = _distinct(found)
    sources = {name: source for one in judged for name, source in one.judge.sources().items()}
    if waiving is not None:
        sources[waiving.source.name] = waiving.source
    unread = _distinct([diagnostic for errors in refused for diagnostic in errors.diagnostics])
    account = _account(judged, found, console.format) if found or not console.is_text else None
    if not console.is_text:
        console.report([*found, *unread], sources, account=account)
        return
    if judged:
        console.report(found, sources, _clean(judged), account)
    if unread:
        console.refuse(unread, {name: source for errors in refused for name, source in errors.sources.items()})


def _account(judged: list[Judged], found: list[Diagnostic], format: str) -> Account:
    from kernelpath.cli.accounts import account_of

    return account_of(judged, found if format == "sarif" else ())


def _distinct(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings without repetitions: what is said of the overlay is said once, not for every manifest."""
    seen: set[tuple[object, ...]] = set()
    kept = []
    for found in diagnostics:
        key = (found.rule, found.message, found.subject, found.span)
        if found.span is None or key not in seen:
            kept.append(found)
        seen.add(key)
    return kept


def _clean(judged: list[Judged]) -> str:
    """Return a line for each document that is right, with the settings that say the same of it together."""
    lines: dict[str, dict[str, Setting]] = {}
    for one in judged:
        if one.ok:
            lines.setdefault(_line(one), {})[one.setting.words()] = one.setting
    return "".join(f"{line}{_under([*settings.values()])}\n" for line, settings in lines.items())


def _under(settings: list[Setting]) -> str:
    if not settings[0].given:
        return ""
    from kernelpath.cli.settings import together

    return f" with {_shown(together(settings))}"


def _line(judged: Judged) -> str:
    meta = judged.judge.pack.meta
    extent = said(meta["libraries"], "extent", judged.value, judged.given.value)
    counted = f", {extent}" if extent else ""
    return f"{_shown(judged.given.document.source.name)}: clean{counted} by pack {meta['name']}"


def _shown(name: str) -> str:
    """Return a file's name as it may be shown."""
    if name.isprintable():
        return name
    from kernelpath.diagnostics.render.printable import printable  # hardly any name needs it

    return printable(name)
