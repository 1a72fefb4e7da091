"""Read the tokenizer that lies beside safetensors: tokenizer.json, and the chat template in its several places."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelpath.models import errors
from kernelpath.models.tokenizer import Tokenizer
from kernelpath.models.tokenizer_gguf import end_ids


def folder_tokenizer(folder: Path, config: Mapping[str, Any]) -> Tokenizer | None:
    """Return the tokenizer of a folder, or nothing if it has none."""
    path = folder / "tokenizer.json"
    if not path.exists():
        return None
    from tokenizers import Tokenizer as Inner

    try:
        inner = Inner.from_file(str(path))
    except Exception as fault:  # the library raises plain Exception for a file it cannot read
        raise errors.broken_config(path, str(fault)) from None
    settings = _json_object(folder / "tokenizer_config.json")
    start, end = (_token_id(inner, settings, config, kind) for kind in ("bos", "eos"))
    return Tokenizer(
        name=folder.name,
        inner=inner,
        start_id=start,
        # Where the settings do not say, what the tokenizer itself puts in front of a text decides.
        adds_start=bool(settings.get("add_bos_token", start >= 0 and inner.encode("a").ids[:1] == [start])),
        end_id=end,
        end_ids=end_ids(inner, [end, *_listed_ends(folder, config)]),
        chat_template=_chat_template(folder, settings),
    )


def _token_id(inner: Any, settings: Mapping[str, Any], config: Mapping[str, Any], kind: str) -> int:
    token = settings.get(f"{kind}_token")
    spelled = token.get("content") if isinstance(token, dict) else token
    found = inner.token_to_id(spelled) if isinstance(spelled, str) else config.get(f"{kind}_token_id")
    return found if type(found) is int else -1


def _listed_ends(folder: Path, config: Mapping[str, Any]) -> list[int]:
    """Return the end ids of generation_config.json and config.json, which give one or a list."""
    found: list[object] = []
    for values in (_json_object(folder / "generation_config.json"), config):
        ends = values.get("eos_token_id")
        found.extend(ends if isinstance(ends, list) else [ends])
    return [end for end in found if type(end) is int]


def _chat_template(folder: Path, settings: Mapping[str, Any]) -> str | None:
    path = folder / "chat_template.jinja"
    if path.exists():
        return path.read_text("utf-8")
    template = settings.get("chat_template")
    if isinstance(template, list):  # several templates, each with a name
        named = {entry.get("name"): entry.get("template") for entry in template if isinstance(entry, dict)}
        template = named.get("default")
    return template if isinstance(template, str) else None


def _json_object(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as fault:
        raise errors.broken_config(path, str(fault)) from None
    return value if isinstance(value, dict) else {}
