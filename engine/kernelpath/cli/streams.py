"""How text gets to standard output and standard error: whatever a terminal would act on is made visible first.

INVARIANT: commands write to these streams through this module only.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def say(text: str, stream: TextIO | None) -> None:
    """Write text of several lines to a stream, control and direction characters in it as visible escapes."""
    put(harmless(text), stream)


def harmless(text: str, format: str = "text") -> str:
    """Return text in which no character is left that a terminal would act on, but for line breaks and tabs.

    JSON and XML texts have the escapes of their own languages, so that they still say the same.
    """
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    from kernelpath.diagnostics.render.printable import visible, visible_json, visible_xml

    return {"json": visible_json, "sarif": visible_json, "junit": visible_xml}.get(format, visible)(text)


def put(text: str, stream: TextIO | None, exactly: bool = False) -> None:
    """Write text that is harmless to a stream that may be closed, may not take every character, or lost its reader."""
    if stream is None or not text:
        return
    try:
        if exactly and hasattr(stream, "buffer"):
            stream.flush()
            stream.buffer.write(text.encode())
        else:
            _write(text, stream)
        stream.flush()
    except BrokenPipeError:
        _abandon(stream)  # the reader has had enough
    except OSError as error:
        _abandon(stream)
        from kernelpath.cli.inputs import unusable

        raise unusable("cli/output", "the output cannot be written", error) from None


def tell(text: str) -> None:
    """Write text of several lines to standard error if that is possible; the exit code says the rest."""
    from kernelpath.cli.inputs import InputErrors

    try:
        say(text, sys.stderr)
    except InputErrors:
        return


def finish(code: int) -> int:
    """Write what the streams still hold back, and return the exit code: of bad output, if that does not work."""
    unwritten = [error for stream in (sys.stdout, sys.stderr) if (error := _flush(stream)) is not None]
    if not unwritten:
        return code
    tell(f"error[cli/output]: the output cannot be written: {str(unwritten[0].strerror).lower()}\n\n1 error\n")
    return max(code, 2)


def _flush(stream: TextIO | None) -> OSError | None:
    try:
        if stream is not None:
            stream.flush()
    except BrokenPipeError:
        _abandon(stream)
    except OSError as error:
        _abandon(stream)
        return error
    return None


def _write(text: str, stream: TextIO) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def _abandon(stream: TextIO | None) -> None:
    """Let what is left in a stream's buffer go nowhere, so that the process ends quietly."""
    if stream is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def takes_colour(stream: TextIO | None) -> bool:
    """Return whether a stream shows colours to a person."""
    return (
        stream is not None and stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
