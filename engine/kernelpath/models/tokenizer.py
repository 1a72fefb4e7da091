"""Text to token ids and back, and chat messages to text.

The byte-pair work is done by the `tokenizers` library; `tokenizer_gguf` and `tokenizer_json` build its objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kernelpath.diagnostics import Diagnostic
from kernelpath.models import errors
from kernelpath.models.decoding import TextDecoder

Message = Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Tokenizer:
    """A model's tokenizer: `inner` is a `tokenizers.Tokenizer`; ids are -1 where the model has no such token.

    `warnings` say what of the file's settings is not used, or had to be assumed.
    """

    name: str
    inner: Any
    start_id: int
    adds_start: bool
    end_id: int
    end_ids: frozenset[int]
    chat_template: str | None
    warnings: tuple[Diagnostic, ...] = ()

    def encode(self, text: str, add_start: bool | None = None) -> list[int]:
        """Return the ids of a text; special tokens spelled in it count as such. Raises `ModelErrors` for half a pair.

        The start token comes first if `add_start` says so, or else if the model's own settings do.
        """
        try:
            ids: list[int] = self.inner.encode(text, add_special_tokens=False).ids
        except TypeError:  # the library's word for a text that is not Unicode
            raise errors.not_a_text("it has half of a surrogate pair") from None
        wanted = self.adds_start if add_start is None else add_start
        return [self.start_id, *ids] if wanted and self.start_id >= 0 else ids

    def decode(self, ids: Sequence[int], special: bool = False) -> str:
        """Return the text of ids; special tokens are left out unless `special`; broken UTF-8 becomes U+FFFD."""
        return TextDecoder(self.inner, special).decode(ids)

    def stream(self, ids: Iterator[int]) -> Iterator[str]:
        """Yield text as ids come in: pieces join to the whole text, and a character is never cut in two."""
        return TextDecoder(self.inner).stream(ids)

    def chat(self, messages: Sequence[Message]) -> list[int]:
        """Return the ids of a conversation, up to where the assistant's turn begins."""
        text = self.chat_text(messages)
        ids = self.encode(text, add_start=False)
        starts = bool(ids) and ids[0] == self.start_id
        return ids if starts or not self.adds_start else [self.start_id, *ids]

    def chat_text(self, messages: Sequence[Message]) -> str:
        """Return the conversation as the model's chat template writes it."""
        if self.chat_template is None:
            raise errors.no_chat_template(self.name)
        from kernelpath.models.chat import render_chat

        return render_chat(self.chat_template, messages, self._spelling(self.start_id), self._spelling(self.end_id))

    def _spelling(self, token: int) -> str:
        return (self.inner.id_to_token(token) or "") if token >= 0 else ""
