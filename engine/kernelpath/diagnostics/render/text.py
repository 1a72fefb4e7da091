"""Diagnostics for people at a terminal, in the manner of a good compiler."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kernelpath.diagnostics.account import Account
from kernelpath.diagnostics.diagnostic import Diagnostic, Label
from kernelpath.diagnostics.render.printable import printable
from kernelpath.diagnostics.render.snippet import Snippet, snippet
from kernelpath.diagnostics.render.summary import counted
from kernelpath.diagnostics.source import Source, Span

_COLOURS = {"error": "1;31", "warning": "1;33", "note": "1;36", "strong": "1", "frame": "34", "secondary": "34"}


def render(
    diagnostics: Sequence[Diagnostic],
    sources: Mapping[str, Source] | None = None,
    *,
    colour: bool = False,
    account: Account | None = None,
) -> str:
    """Return the diagnostics, a line that counts them, and one for each account of what was not asked.

    It is empty if there are none. Source lines are shown for the files in `sources`. The text ends with a line break.
    """
    if not diagnostics:
        return ""
    blocks = [render_one(diagnostic, sources, colour=colour) for diagnostic in diagnostics]
    unasked = "".join(f"{printable(one.message)}\n" for one in (account.not_asked if account else ()))
    return "\n".join([*blocks, f"{counted(diagnostics)}\n{unasked}"])


def render_one(diagnostic: Diagnostic, sources: Mapping[str, Source] | None = None, *, colour: bool = False) -> str:
    """Return one diagnostic: header, place, source lines with carets, values, rule, help. Ends with a line break."""
    paint = _Paint(colour)
    known = sources or {}
    here, elsewhere = _split(diagnostic, known)
    margin = _margin(diagnostic.span, here)
    lines = [
        _header(diagnostic, paint),
        *_place(diagnostic, margin, paint),
        *_snippets(diagnostic, here, known, margin, paint),
        *_notes(diagnostic, elsewhere, margin, paint),
    ]
    return "".join(line.rstrip() + "\n" for line in lines)


class _Paint:
    """Wraps text in terminal colours, or leaves it alone."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, kind: str, text: str) -> str:
        code = _COLOURS.get(kind)
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour and code and text else text


def _header(diagnostic: Diagnostic, paint: _Paint) -> str:
    name = f"{printable(diagnostic.severity)}[{printable(diagnostic.rule)}]"
    return f"{paint(diagnostic.severity, name)}{paint('strong', ': ' + printable(diagnostic.message))}"


def _place(diagnostic: Diagnostic, margin: int, paint: _Paint) -> Iterator[str]:
    arrow = " " * margin + paint("frame", "-->") + " "
    if diagnostic.span:
        yield arrow + printable(str(diagnostic.span))
    elif diagnostic.document or diagnostic.pointer is not None:
        yield arrow + printable((diagnostic.document or "") + _fragment(diagnostic.pointer))


def _fragment(pointer: str | None) -> str:
    return "" if pointer is None else f"#{pointer}"


def _split(diagnostic: Diagnostic, sources: Mapping[str, Source]) -> tuple[list[Label], list[Label]]:
    """Part the second places into those shown beside the primary one, and those only named."""
    primary = diagnostic.span
    here = [label for label in diagnostic.secondary if primary and label.span.file == primary.file in sources]
    return here, [label for label in diagnostic.secondary if label not in here]


def _margin(span: Span | None, here: Iterable[Label]) -> int:
    lines = [label.span.line for label in here] + ([span.line] if span else [])
    return max((len(str(line)) for line in lines), default=1)


def _snippets(
    diagnostic: Diagnostic, here: list[Label], sources: Mapping[str, Source], margin: int, paint: _Paint
) -> Iterator[str]:
    if diagnostic.span is None or diagnostic.span.file not in sources:
        return
    source = sources[diagnostic.span.file]
    places = [(diagnostic.span, diagnostic.severity, "^", ""), *((x.span, "secondary", "-", x.text) for x in here)]
    shown = [(snippet(source, span, sign), kind, text) for span, kind, sign, text in sorted(places, key=_by_place)]
    gutter = " " * margin + " " + paint("frame", "|")
    previous = 0
    for piece, kind, text in shown:
        if piece is None:
            continue
        yield from _lead_in(piece, previous, gutter, margin, paint)
        yield f"{gutter} {paint(kind, (piece.mark + ' ' + printable(text)).rstrip())}"
        previous = piece.line
    if previous:
        yield gutter


def _by_place(place: tuple[Span, str, str, str]) -> tuple[int, int]:
    return place[0].line, place[0].column


def _lead_in(piece: Snippet, previous: int, gutter: str, margin: int, paint: _Paint) -> Iterator[str]:
    """The source line itself, after a gap where lines are left out; nothing where it was just shown."""
    if piece.line == previous:
        return
    if previous == 0:
        yield gutter
    elif piece.line > previous + 1:
        yield paint("frame", "...")
    yield f"{paint('frame', str(piece.line).rjust(margin) + ' |')} {piece.text}"


def _notes(diagnostic: Diagnostic, elsewhere: list[Label], margin: int, paint: _Paint) -> Iterator[str]:
    bullet = " " * margin + " " + paint("frame", "=") + " "
    if diagnostic.values:
        yield bullet + "values:"
        for name, value in diagnostic.values:
            yield " " * (margin + 5) + f"{printable(name)} = {printable(value)}"
    for label in elsewhere:
        yield f"{bullet}{printable(label.text)}: {printable(f'{label.span.file}:{label.span.line}')}"
    for name, text in (("help", diagnostic.help), ("docs", diagnostic.docs)):
        if text:
            first, *rest = text.rstrip("\n").split("\n")
            yield f"{bullet}{name}: {printable(first)}"
            yield from (" " * (margin + 5 + len(name)) + printable(line) for line in rest)
