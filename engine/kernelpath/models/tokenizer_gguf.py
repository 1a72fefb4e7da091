"""Build a tokenizer from the vocabulary in a GGUF file's metadata.

Two kinds: `gpt2`, byte-level pairs with the file's own merges, and `llama`, SentencePiece's pairs, whose merges follow
from the scores. Splitting rules, spellings and defaults are data: kernels/architectures/shared/tokenizers.yaml.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelpath.diagnostics import Diagnostic
from kernelpath.models import errors
from kernelpath.models.metadata import Metadata
from kernelpath.models.tables import tokenizer_table
from kernelpath.models.tokenizer import Tokenizer

_NORMAL, _CONTROL, _USER_DEFINED = 1, 3, 4  # of `tokenizer.ggml.token_type`
_NO_VOCABULARY = ("", "none", "no_vocab")
_SPACE = "▁"
_KEY = "tokenizer.ggml."
_MOST_WORK = 1 << 31
"""The most characters that are copied to find the merges of a vocabulary: the sum of its tokens' squared lengths."""


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The tokens of a file, with their types: `kind` is "gpt2" or "llama"."""

    name: str
    kind: str
    metadata: Metadata
    tokens: Sequence[str]
    types: Sequence[int]
    warnings: list[Diagnostic] = field(default_factory=list)

    @property
    def ids(self) -> dict[str, int]:
        return {token: index for index, token in enumerate(self.tokens)}

    def special_ids(self, which: str) -> list[int]:
        """Return the ids that the file gives one meaning of the table's, or the id of its kind where it gives none."""
        entry = tokenizer_table()["ids"][which]
        given = [(key, self.metadata.integer(_KEY + key, -1)) for key in entry["keys"]]
        found = [token for key, token in given if self._usable(key, token)]
        default = entry.get(self.kind, -1)
        return found or [default if default < len(self.tokens) else -1]

    def _usable(self, key: str, token: int) -> bool:
        if token >= len(self.tokens):
            self.warnings.append(errors.unused_token_id(_KEY + key, token, len(self.tokens)))
        return 0 <= token < len(self.tokens)


def gguf_tokenizer(name: str, metadata: Metadata) -> Tokenizer | None:
    """Return the tokenizer of a GGUF file, or nothing if the file has no vocabulary.

    Raises `UnknownTokenizer` for a kind that has no rules here, and other `ModelErrors` for a broken vocabulary.
    """
    kind = metadata.text(_KEY + "model", "")
    if kind in _NO_VOCABULARY:
        return None
    if kind not in _BUILDERS:
        raise errors.unknown_tokenizer(kind, sorted(_BUILDERS))
    vocabulary = _vocabulary(name, kind, metadata)
    inner = _build(vocabulary)
    (start,), (end,) = vocabulary.special_ids("start"), vocabulary.special_ids("end")
    return Tokenizer(
        name=name,
        inner=inner,
        start_id=start,
        adds_start=metadata.flag(_KEY + "add_bos_token", kind == "llama" or _rule(vocabulary).get("adds_start", False)),
        end_id=end,
        end_ids=end_ids(inner, [end, *vocabulary.special_ids("more_ends")]),
        chat_template=metadata.text("tokenizer.chat_template", "") or None,
        warnings=tuple(vocabulary.warnings),
    )


def _vocabulary(name: str, kind: str, metadata: Metadata) -> _Vocabulary:
    tokens = metadata.texts(_KEY + "tokens")
    given = metadata.get(_KEY + "token_type") is not None
    types = metadata.integers(_KEY + "token_type") if given else [_NORMAL] * len(tokens)
    if len(tokens) != len(types) or not tokens:
        raise errors.broken_tokenizer(name, f"{len(tokens)} tokens have {len(types)} types")
    found = _Vocabulary(name, kind, metadata, tokens, types)
    last = found.ids
    if len(last) < len(tokens):
        twice = next(token for index, token in enumerate(tokens) if last[token] != index)
        raise errors.broken_tokenizer(name, f"the token `{twice}` is there twice")
    return found


def _build(vocabulary: _Vocabulary) -> Any:
    try:
        inner = _BUILDERS[vocabulary.kind](vocabulary)
    except errors.ModelErrors:
        raise
    except Exception as fault:  # the library raises plain Exception for a vocabulary that does not fit together
        raise errors.broken_tokenizer(vocabulary.name, str(fault)) from None
    _add_special_tokens(inner, vocabulary)
    return inner


def end_ids(inner: Any, given: Sequence[int]) -> frozenset[int]:
    """Return the ids that end a text: the file's own, and tokens spelled as the table's end tokens.

    Some of those end a text only where they are control tokens.
    """
    table = tokenizer_table()
    always, as_control = set(table["end_tokens"]), set(table["control_end_tokens"])
    added = inner.get_added_tokens_decoder().items()
    ends = [index for index, token in added if token.content in (always | as_control if token.special else always)]
    return frozenset(token for token in (*given, *ends) if token >= 0)


def _rule(vocabulary: _Vocabulary) -> Mapping[str, Any]:
    """Return the splitting rules of a byte-level vocabulary; SentencePiece has none."""
    rules, pre = tokenizer_table()["pre"], vocabulary.metadata.text(_KEY + "pre", "default")
    if vocabulary.kind != "gpt2":
        return {}
    spelled = {spelling: rule for name, rule in rules.items() for spelling in (name, *rule.get("spellings", ()))}
    if pre not in spelled:
        raise errors.unknown_tokenizer(pre, sorted(spelled))
    found: Mapping[str, Any] = spelled[pre]
    return found


def _byte_level(vocabulary: _Vocabulary) -> Any:
    from tokenizers import Tokenizer as Inner
    from tokenizers import decoders, models, normalizers

    rule = _rule(vocabulary)
    if vocabulary.metadata.get(_KEY + "pre") is None:
        vocabulary.warnings.append(errors.assumed_splitting(_KEY + "pre"))
    merges = [_pair(text) for text in vocabulary.metadata.texts(_KEY + "merges")]
    inner = Inner(models.BPE(vocab=vocabulary.ids, merges=merges, ignore_merges=rule.get("whole_words", False)))
    if rule.get("normalize") == "NFC":
        inner.normalizer = normalizers.NFC()
    inner.pre_tokenizer = _pre_tokenizer(rule["steps"])
    inner.decoder = decoders.ByteLevel()
    return inner


def _pair(merge: str) -> tuple[str, str]:
    cut = merge.find(" ", 1)
    return (merge[:cut], merge[cut + 1 :]) if cut > 0 else (merge, "")


def _pre_tokenizer(steps: Sequence[Any]) -> Any:
    from tokenizers import Regex, pre_tokenizers

    def build(step: Any) -> Any:
        if step == "digits":
            return pre_tokenizers.Digits(individual_digits=True)
        if "split" in step:
            return pre_tokenizers.Split(Regex(step["split"]), behavior="isolated")
        return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=step["byte_level"]["words"])

    return pre_tokenizers.Sequence([build(step) for step in steps])


def _sentence_piece(vocabulary: _Vocabulary) -> Any:
    from tokenizers import Tokenizer as Inner
    from tokenizers import decoders, models, normalizers

    unknown = vocabulary.tokens[max(*vocabulary.special_ids("unknown"), 0)]
    merges = merges_by_score(vocabulary.ids, _scores(vocabulary))
    inner = Inner(models.BPE(vocabulary.ids, merges, unk_token=unknown, fuse_unk=True, byte_fallback=True))
    prefix = vocabulary.metadata.flag(_KEY + "add_space_prefix", True)
    replace = normalizers.Replace(" ", _SPACE)
    inner.normalizer = normalizers.Sequence([normalizers.Prepend(_SPACE), replace]) if prefix else replace
    steps = [decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    inner.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if prefix else steps)
    return inner


def _scores(vocabulary: _Vocabulary) -> list[float]:
    """Return the score of each token; all are equal where the file gives none."""
    tokens, given = vocabulary.tokens, vocabulary.metadata.get(_KEY + "scores") is not None
    scores = vocabulary.metadata.numbers(_KEY + "scores") if given else [0.0] * len(tokens)
    if len(scores) != len(tokens):
        raise errors.broken_tokenizer(vocabulary.name, f"{len(tokens)} tokens have {len(scores)} scores")
    if any(score != score for score in scores):
        raise errors.broken_tokenizer(vocabulary.name, "a token's score is not a number")
    if sum(len(token) ** 2 for token in tokens) > _MOST_WORK:
        longest = max(map(len, tokens))
        raise errors.broken_tokenizer(vocabulary.name, f"a token has {longest:,} characters, too many to find merges")
    return scores


def merges_by_score(vocabulary: Mapping[str, int], scores: Sequence[float]) -> list[tuple[str, str]]:
    """Return every way to join two tokens into a third, best score of the joined token first.

    SentencePiece keeps no merges; its greedy choice by score is the same as these merges in this order, where of equal
    scores the longer left part goes first (as in Hugging Face's converter).
    """
    found = []
    for token, index in vocabulary.items():
        for cut in range(1, len(token)):
            left, right = token[:cut], token[cut:]
            if left in vocabulary and right in vocabulary:
                found.append((-scores[index], -len(left), -len(right), index, left, right))
    found.sort(key=lambda entry: entry[:4])
    return [(left, right) for *_, left, right in found]


def _add_special_tokens(inner: Any, vocabulary: _Vocabulary) -> None:
    """Add control and user-defined tokens; a token that ends a turn by its spelling is control whatever its type."""
    from tokenizers import AddedToken

    ends = set(tokenizer_table()["end_tokens"])
    pairs = zip(vocabulary.tokens, vocabulary.types, strict=True)
    typed = [(token, _CONTROL if token in ends else kind) for token, kind in pairs]

    def added(wanted: int, special: bool) -> list[Any]:
        return [AddedToken(token, special=special, normalized=False) for token, kind in typed if kind == wanted]

    inner.add_special_tokens(added(_CONTROL, special=True))
    inner.add_tokens(added(_USER_DEFINED, special=False))


_BUILDERS = {"gpt2": _byte_level, "llama": _sentence_piece}
