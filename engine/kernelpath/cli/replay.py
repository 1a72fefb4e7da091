"""`kernelpath replay`: put recorded requests to a pack, or compare the answers of two runs."""

from __future__ import annotations

from contextlib import contextmanager

from kernelpath.cli.console import Console
from kernelpath.cli.inputs import read_bytes, unusable
from kernelpath.cli.judging import refused
from kernelpath.cli.options import DEFAULT_PACK, whole_number
from kernelpath.packs.folders import PackErrors
from kernelpath.replay.requests import FILE_BYTES, LINE, content_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from gzip import GzipFile
    from types import SimpleNamespace as Namespace
    from typing import BinaryIO

    from kernelpath.cli.arguments import Arguments

_WORTH = 500  # requests that pay for starting another process
_EPILOG = """\
a request is a line of JSON with `id`, `fn` (a question of the pack) and `options`; equal parts may be written once:
a line {"part": 1, "value": ...} before them, and {"$part": 1} for it; an answer is a line with `id`, `ok`, `value` and
`diagnostics`; a line that cannot be asked has one, too
"""


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    files = "requests, or with --compare two files of answers; - for standard input; .gz is unpacked"
    arguments.add("files", nargs="+", metavar="FILE", help=files)
    arguments.add("--compare", action="store_true", help="say what changes from one file of answers to another")
    arguments.add("--exit-code", action="store_true", help="with --compare: exit with 1 if something changes")
    arguments.add("--jobs", type=whole_number, metavar="N", help="how many processes to use")
    add = arguments.group("shared options").add
    add("--pack", default=DEFAULT_PACK, metavar="PACK", help=f"a shipped pack, or a pack's folder ({DEFAULT_PACK})")
    add("--format", default="text", choices=("text", "json"), help="how to show what --compare finds (text)")
    add("--output", metavar="FILE", help="write there, instead of to standard output; .gz is packed")
    add = arguments.group().add
    add("-q", "--quiet", action="store_true", help="no summary, no progress")
    add("-v", "--verbose", action="store_true", help="also say where a fault of kernelpath is")
    arguments.epilog = _EPILOG


def run(options: Namespace) -> int:
    """Write the answers, exit code 1 if a line is not a request; or the changes, with --exit-code 1 if any."""
    if options.compare:
        return _compared(options)
    if len(options.files) != 1:
        raise unusable("cli/usage", "one file of requests is replayed at a time", help_text="--compare takes two")
    if options.exit_code:
        raise unusable("cli/usage", "`--exit-code` needs `--compare`")
    return _replayed(options, _content(options.files[0]))


def _replayed(options: Namespace, content: bytes) -> int:
    from kernelpath.analysis.testing.parallel import processes
    from kernelpath.cli.progress import Progress
    from kernelpath.cli.values import json_line
    from kernelpath.replay.requests import Requests
    from kernelpath.replay.running import replay

    total = len(Requests(content))
    if total == 0:
        raise unusable("cli/nothing", f"`{options.files[0]}` has no request, so nothing was asked")
    progress, passed, unread, answered = Progress("requests", total, options.quiet), 0, 0, 0
    try:
        with _output(options) as write:
            for answers in replay(content, options.pack, processes(options.jobs or None, total, _WORTH)):
                write("".join(json_line(each) for each in answers))
                passed += sum(each["ok"] for each in answers)
                unread += sum(any(found["rule"] == LINE for found in each["diagnostics"]) for each in answers)
                answered += sum(not each["ok"] or each["value"] is not None for each in answers)
                progress.add(len(answers))
    except PackErrors as errors:
        raise refused(errors) from None
    finally:
        progress.close()
    if options.output is not None and not options.quiet:
        refused_ = total - passed - unread
        more = f", {unread} cannot be read" if unread else ""
        Console(_to_people(options)).write(f"{total} requests: {passed} pass, {refused_} are refused{more}\n")
    if unread == total or not answered:
        what = "no line is a request" if unread == total else f"pack `{options.pack}` judged none of the requests"
        raise unusable("cli/nothing", f"{what}, so nothing was asked", help_text="choose their pack with `--pack`")
    return 1 if unread else 0


def _compared(options: Namespace) -> int:
    from kernelpath.cli.values import json_text
    from kernelpath.replay.comparing import NoAnswers, compare, read_answers
    from kernelpath.replay.rendering import render_json, render_text

    if len(options.files) != 2:
        raise unusable("cli/usage", "`--compare` takes two files of answers")
    read = []
    for name in options.files:
        try:
            read.append(read_answers(_content(name)))
        except NoAnswers as error:
            raise unusable("cli/document", f"`{name}` does not hold answers: {error}") from None
    if not any(read):
        raise unusable("cli/nothing", "neither file has an answer, so nothing was compared")
    changes = compare(*read)
    text = render_text(changes) if options.format == "text" else json_text(render_json(changes))
    if not (options.quiet and options.format == "text" and changes.is_empty):
        Console(options).write(text)
    return 1 if options.exit_code and not changes.is_empty else 0


def _content(name: str) -> bytes:
    data = read_bytes(name, FILE_BYTES)
    try:
        return content_of(data)
    except ValueError as error:
        raise unusable("cli/input", f"`{name}` cannot be read", error) from None


@contextmanager
def _output(options: Namespace) -> Iterator[Callable[[str], None]]:
    """Give, as a context, what writes text: to standard output, or to a file that is replaced at the end."""
    if options.output is None:
        yield Console(options).pass_on
        return
    from gzip import GzipFile

    from kernelpath.cli.saving import written
    from kernelpath.files.writing import replaced

    with written(options.output), replaced(options.output) as stream:
        if not options.output.endswith(".gz"):
            yield lambda text: _write(stream, text)
            return
        with GzipFile("", "wb", fileobj=stream, mtime=0) as packed:
            yield lambda text: _write(packed, text)


def _write(stream: BinaryIO | GzipFile, text: str) -> None:
    stream.write(text.encode("utf-8", "backslashreplace"))


def _to_people(options: Namespace) -> Namespace:
    from types import SimpleNamespace

    return SimpleNamespace(**{**vars(options), "format": "text", "output": None})
