"""A model: its architecture, its weights by logical name, and its tokenizer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kernelpath.diagnostics import Diagnostic
from kernelpath.models.describe import Architecture
from kernelpath.models.errors import UnknownTokenizer
from kernelpath.models.tokenizer import Tokenizer
from kernelpath.models.weights import Weight


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model that can be run; `weights` are under the names that kernel paths use, and are read when used.

    `architecture` is plain data; kernels/architectures/README.md says what each key means. Where embeddings are tied,
    `lm_head` is the same object as `embed_tokens`. `warnings` say what of the file is not used, or had to be assumed;
    `no_tokenizer` says why a model whose file has a tokenizer comes without one.
    """

    name: str
    architecture: Architecture
    weights: Mapping[str, Weight]
    tokenizer: Tokenizer | None = None
    file: Path | None = None
    warnings: tuple[Diagnostic, ...] = ()
    no_tokenizer: UnknownTokenizer | None = None
