"""Chat templates: Jinja text out of a model's file, so text by strangers, rendered in a process with limits of its own.

A template may loop for ever or ask for any amount of memory in more ways than a sandbox can count, so the system
counts: the process has so much time and memory. It is given none of this one's environment, and may write no file.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from kernelpath.models import errors

# What the interpreter itself needs: where its libraries are, and which local time `strftime_now` means.
_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "TZ", "TZDIR")
_PROGRAM = (
    "import json, sys; request = json.load(sys.stdin); sys.path[:] = request.pop('path'); "
    "from kernelpath.models.chat_process import answer; answer(request)"
)
_HALF = re.compile("[\ud800-\udfff]")
_SPARE_SECONDS = 30
"""How much longer than its time of computing a process may take, on a machine that is busy with others."""


@dataclass(frozen=True, slots=True)
class ChatLimits:
    """What a template may use: seconds of computing, bytes of memory, characters of text."""

    seconds: int = 2
    memory: int = 1 << 30
    characters: int = 1 << 24


LIMITS = ChatLimits()


def render_chat(
    template: str, messages: Sequence[Mapping[str, str]], start: str, end: str, limits: ChatLimits = LIMITS
) -> str:
    """Return a conversation as a template writes it, ready for the assistant's turn.

    The names that a template may use are those of Hugging Face's `apply_chat_template`. Raises `ModelErrors` with the
    template's own words if it refuses the messages or breaks, and with the limit if it passes one.
    """
    if find_spec("jinja2") is None:
        raise ModuleNotFoundError("No module named 'jinja2'", name="jinja2")
    request = {
        "path": list(map(str, sys.path)),
        "template": template,
        "messages": [dict(message) for message in messages],
        "start": start,
        "end": end,
        "limits": [limits.seconds, limits.memory, limits.characters],
    }
    answer = _answer(_run(json.dumps(request).encode(), limits), limits)
    if "fault" in answer:
        raise errors.failed_chat_template(answer["fault"])
    if "limit" in answer:
        raise _passed(answer["limit"], limits)
    text: str = answer["text"]
    return _as_text(text)


def _run(request: bytes, limits: ChatLimits) -> subprocess.CompletedProcess[bytes]:
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM]
    try:
        return subprocess.run(
            command, input=request, capture_output=True, env=kept, timeout=limits.seconds + _SPARE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise _passed("time", limits) from None
    except OSError as fault:
        raise errors.failed_chat_template(f"no process can be started for it: {fault}") from None


def _answer(done: subprocess.CompletedProcess[bytes], limits: ChatLimits) -> dict[str, Any]:
    """Return what the process answered; one that ended without an answer passed a limit."""
    if done.returncode == 0 and done.stdout:
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer
    if done.returncode == -getattr(signal, "SIGXCPU", 0):
        raise _passed("time", limits)
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if lines and lines[-1].startswith("MemoryError"):
        raise _passed("memory", limits)
    how = f"with signal {-done.returncode}" if done.returncode < 0 else f"with code {done.returncode}"
    raise errors.failed_chat_template(": ".join([f"its process ended {how}", *lines[-1:]]))


def _passed(limit: str, limits: ChatLimits) -> errors.ModelErrors:
    """Return the error for a limit that a template passed."""
    what = {
        "time": f"takes more than {limits.seconds} s of computing",
        "memory": f"needs more than {limits.memory:,} bytes of memory",
        "length": f"writes more than {limits.characters:,} characters",
    }
    return errors.endless_chat_template(what[limit])


def _as_text(text: str) -> str:
    """Return a text that can be encoded; half a surrogate pair is a fault of the template's."""
    half = _HALF.search(text)
    if half:
        what = f"U+{ord(half[0]):04X}, half of a surrogate pair, at character {half.start()}"
        raise errors.failed_chat_template(f"its text has {what}")
    return text
