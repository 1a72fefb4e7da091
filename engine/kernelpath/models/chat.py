"""Chat templates: Jinja text out of a model's file, so text by strangers, rendered in Jinja's sandbox."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NoReturn

from kernelpath.models import errors


def render_chat(template: str, messages: Sequence[Mapping[str, str]], start: str, end: str) -> str:
    """Return a conversation as a template writes it, ready for the assistant's turn.

    The names that a template may use are those of Hugging Face's `apply_chat_template`. Raises `ModelErrors` with the
    template's own words if it refuses the messages, breaks, or tries to leave the sandbox.
    """
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"], autoescape=False
    )
    environment.filters["tojson"] = _to_json
    environment.globals.update(raise_exception=_refuse, strftime_now=_now)
    values = {"messages": list(messages), "add_generation_prompt": True, "bos_token": start, "eos_token": end}
    try:
        return environment.from_string(template).render(values)
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, RecursionError) as fault:
        raise errors.failed_chat_template(str(fault)) from None


def _refuse(message: str) -> NoReturn:
    from jinja2 import TemplateError

    raise TemplateError(message)


def _now(form: str) -> str:
    return datetime.now().strftime(form)


def _to_json(value: object, indent: int | None = None) -> str:
    """Write JSON as templates expect it: not escaped for HTML."""
    return json.dumps(value, ensure_ascii=False, indent=indent)
