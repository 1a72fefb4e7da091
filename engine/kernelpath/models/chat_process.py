"""Render one chat template in this process, and end: what `chat` runs with limits, in a process of its own."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NoReturn

_LONGEST = 1000


def answer(request: Mapping[str, Any]) -> None:
    """Write the text of a template on standard output, or what is wrong with it, as JSON."""
    seconds, memory, characters = request["limits"]
    environment = _environment()
    _limit(seconds, memory)
    try:
        found = _rendered(environment, request, characters)
    except MemoryError:
        found = {"limit": "memory"}
    except Exception as fault:  # whatever a template does wrong is its own fault: nothing of ours runs here
        found = {"fault": _words(fault)}
    sys.stdout.write(json.dumps(found))


def _rendered(environment: Any, request: Mapping[str, Any], characters: int) -> dict[str, str]:
    values = {
        "messages": request["messages"],
        "tools": None,
        "documents": None,
        "add_generation_prompt": True,
        "bos_token": request["start"],
        "eos_token": request["end"],
    }
    text: list[str] = []
    length = 0
    for piece in environment.from_string(request["template"]).generate(values):
        length += len(piece)
        if length > characters:
            return {"limit": "length"}
        text.append(piece)
    return {"text": "".join(text)}


def _words(fault: Exception) -> str:
    """Return what a fault says of itself, and its kind where it says nothing."""
    try:
        text = str(fault)
    except Exception:
        text = ""
    return text[:_LONGEST] or type(fault).__name__


def _limit(seconds: int, memory: int) -> None:
    """Let the system end this process when it has used so much; elsewhere the caller's clock does."""
    try:
        import resource
    except ImportError:
        return
    until = math.ceil(time.process_time()) + seconds
    for name, amount in {"RLIMIT_CPU": until, "RLIMIT_AS": memory, "RLIMIT_CORE": 0, "RLIMIT_FSIZE": 0}.items():
        with suppress(AttributeError, OSError, ValueError):  # not every system has, or lets one set, each of them
            kind = getattr(resource, name)
            _, most = resource.getrlimit(kind)
            resource.setrlimit(kind, (amount if most < 0 else min(amount, most), most))


def _environment() -> Any:
    """Return the environment that Hugging Face's `apply_chat_template` gives a template."""
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_generation(), loopcontrols], autoescape=False
    )
    environment.filters["tojson"] = _to_json
    environment.globals.update(raise_exception=_refuse, strftime_now=_now)
    return environment


def _generation() -> type:
    """Return the extension for `{% generation %}`: it marks what an assistant said, and writes it as it is."""
    from jinja2 import nodes
    from jinja2.ext import Extension

    class Generation(Extension):
        tags = {"generation"}  # noqa: RUF012 - as the library declares it

        def parse(self, parser: Any) -> nodes.Node:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body, lineno=line)

    return Generation


def _refuse(message: str) -> NoReturn:
    from jinja2 import TemplateError

    raise TemplateError(message)


def _now(form: str) -> str:
    return datetime.now().strftime(form)


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Write JSON as templates expect it: not escaped for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
