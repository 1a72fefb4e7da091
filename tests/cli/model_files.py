"""Models in files, as users have them: random, tiny, with a tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from models.files import write_gguf
from models.test_open_model import GGUF_MORE, GGUF_NAMES
from models.test_tokenizer import byte_level
from models.tiny import tiny_model

WORDS = len(byte_level()["tokenizer.ggml.tokens"])


def model_file(
    folder: Path, architecture: str = "llama", dtype: str = "q8_0", tokenizer: bool = True, **overrides: Any
) -> str:
    """Write a model to a folder, and return its file's name; with a tokenizer of all bytes unless told otherwise."""
    model = tiny_model(architecture, dtype, vocab_size=WORDS, **overrides)
    name = GGUF_NAMES[architecture]
    more = {f"{name}.{key}": value for key, value in GGUF_MORE.get(architecture, {}).items()}
    spoken = byte_level() if tokenizer else {}
    write_gguf(folder / "tiny.gguf", model, name, {**more, **spoken, "general.name": "Tiny"})
    return "tiny.gguf"
