"""Read what lies beside weights: every way in which that can fail is a finding."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np

from kernelpath.files.reading import JSON_BYTES, Refused, read_file, refuse_other_kinds
from kernelpath.models import errors
from kernelpath.models.weights import Bytes


def read_bytes(path: Path) -> bytes:
    """Return the content of a file; raises `ModelErrors` for what is not a file, and for one that is too large."""
    try:
        return read_file(path, JSON_BYTES)
    except FileNotFoundError:
        raise errors.no_such_file(path) from None
    except OSError as fault:
        raise errors.unreadable(path, _why(fault)) from None


def read_text(path: Path) -> str:
    """Return the text in a file, which must be UTF-8."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise errors.broken_config(path, f"byte {fault.start} is not UTF-8") from None


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file; a key that is there twice is refused: readers differ in which they take."""
    try:
        value = json.loads(read_bytes(path), object_pairs_hook=_distinct)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise errors.broken_config(path, "a text in it has half of a surrogate pair") from None
    except (ValueError, RecursionError) as fault:
        raise errors.broken_config(path, str(fault)) from None
    if not isinstance(value, dict):
        raise errors.broken_config(path, "it is not a JSON object")
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key `{key}` is there twice")
        found[key] = value
    return found


def mapped(path: Path) -> Bytes:
    """Return a window of a whole file, of which nothing is read before it is used."""
    refuse_other(path, status(path))
    try:
        whole: Bytes = np.memmap(path, np.uint8, mode="r")
    except (OSError, ValueError) as fault:
        raise errors.unreadable(path, _why(fault)) from None
    return whole


def refuse_other(path: Path, found: os.stat_result) -> None:
    """Refuse what is not a file, such as a device or a named pipe."""
    try:
        refuse_other_kinds(found, str(path))
    except Refused as fault:
        raise errors.unreadable(path, _why(fault)) from None


def status(path: Path) -> os.stat_result:
    """Return what the system says of a path; raises `ModelErrors` where nothing is there."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise errors.no_such_file(path) from None
    except (OSError, ValueError) as fault:
        raise errors.unreadable(path, _why(fault)) from None


def is_folder(found: os.stat_result) -> bool:
    """Return whether a path leads to a folder."""
    return stat.S_ISDIR(found.st_mode)


def exists(path: Path) -> bool:
    """Return whether something is at a path; raises `ModelErrors` where that cannot be known."""
    try:
        return path.exists()
    except (OSError, ValueError) as fault:
        raise errors.unreadable(path, _why(fault)) from None


def listed(folder: Path) -> list[Path]:
    """Return what is in a folder, sorted by name; raises `ModelErrors` where that cannot be known."""
    try:
        return sorted(folder.iterdir())
    except OSError as fault:
        raise errors.unreadable(folder, _why(fault)) from None


def _why(fault: Exception) -> str:
    return (getattr(fault, "strerror", None) or str(fault)).lower()
