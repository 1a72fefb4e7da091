"""Read the tokenizer that lies beside safetensors: tokenizer.json, and the chat template in its several places."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelpath.diagnostics import Diagnostic
from kernelpath.models import errors
from kernelpath.models.reading import exists, read_bytes, read_json, read_text
from kernelpath.models.tokenizer import Tokenizer
from kernelpath.models.tokenizer_gguf import end_ids


def folder_tokenizer(folder: Path, config: Mapping[str, Any]) -> Tokenizer | None:
    """Return the tokenizer of a folder, or nothing if it has none."""
    path = folder / "tokenizer.json"
    if not exists(path):
        return None
    inner, settings = _inner(path), _json_object(folder / "tokenizer_config.json")
    warnings: list[Diagnostic] = []
    start, end = (_token_id(inner, settings, config, kind, warnings) for kind in ("bos", "eos"))
    return Tokenizer(
        name=folder.name,
        inner=inner,
        start_id=start,
        adds_start=_adds_start(inner, settings, start),
        end_id=end,
        end_ids=end_ids(inner, [end, *_listed_ends(folder, config)]),
        chat_template=_chat_template(folder, settings),
        warnings=tuple(warnings),
    )


def _inner(path: Path) -> Any:
    from tokenizers import Tokenizer as Inner

    content = read_bytes(path)
    try:
        return Inner.from_buffer(content)
    except Exception as fault:  # the library raises plain Exception for a file it cannot read
        raise errors.broken_config(path, str(fault)) from None


def _adds_start(inner: Any, settings: Mapping[str, Any], start: int) -> bool:
    """Return what the settings say, else whether the tokenizer itself puts the start token in front of a text."""
    given = settings.get("add_bos_token")
    if given is not None and not isinstance(given, bool):
        raise errors.wrong_value("add_bos_token", given, "true or false")
    return given if given is not None else start >= 0 and inner.encode("a").ids[:1] == [start]


def _token_id(
    inner: Any, settings: Mapping[str, Any], config: Mapping[str, Any], kind: str, warnings: list[Diagnostic]
) -> int:
    """Return the id of the token that the settings spell, else the id in config.json, or -1 for none."""
    token = settings.get(f"{kind}_token")
    spelled = token.get("content") if isinstance(token, dict) else token
    found = inner.token_to_id(spelled) if isinstance(spelled, str) else config.get(f"{kind}_token_id")
    if type(found) is not int or found < 0:
        return -1
    if found >= (count := inner.get_vocab_size()):
        warnings.append(errors.unused_token_id(f"{kind}_token_id", found, count))
        return -1
    return found


def _listed_ends(folder: Path, config: Mapping[str, Any]) -> list[int]:
    """Return the end ids of generation_config.json and config.json, which give one or a list."""
    found: list[object] = []
    for values in (_json_object(folder / "generation_config.json"), config):
        ends = values.get("eos_token_id")
        found.extend(ends if isinstance(ends, list) else [ends])
    return [end for end in found if type(end) is int]


def _chat_template(folder: Path, settings: Mapping[str, Any]) -> str | None:
    path = folder / "chat_template.jinja"
    if exists(path):
        return read_text(path)
    template = _json_object(folder / "chat_template.json").get("chat_template", settings.get("chat_template"))
    if isinstance(template, list):  # several templates, each with a name
        default = (entry for entry in template if isinstance(entry, dict) and entry.get("name") == "default")
        template = next(default, {}).get("template")
    return template if isinstance(template, str) else None


def _json_object(path: Path) -> dict[str, Any]:
    return read_json(path) if exists(path) else {}
