"""Build a tokenizer from the vocabulary in a GGUF file's metadata.

Two kinds: `gpt2`, byte-level pairs with the file's own merges, and `llama`, SentencePiece's pairs, whose merges follow
from the scores. Splitting rules are data: kernels/architectures/tokenizers.yaml.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kernelpath.models import errors
from kernelpath.models.metadata import Metadata
from kernelpath.models.tables import tokenizer_table
from kernelpath.models.tokenizer import Tokenizer

_CONTROL, _USER_DEFINED = 3, 4  # of `tokenizer.ggml.token_type`
_SPACE = "▁"
_KEY = "tokenizer.ggml."


def gguf_tokenizer(name: str, metadata: Metadata) -> Tokenizer | None:
    """Return the tokenizer of a GGUF file, or nothing if the file has no vocabulary."""
    kind = metadata.text(_KEY + "model", "")
    if not kind:
        return None
    if kind not in _BUILDERS:
        raise errors.unknown_tokenizer(kind, sorted(_BUILDERS))
    inner = _build(name, kind, metadata)
    end = metadata.integer(_KEY + "eos_token_id", -1)
    return Tokenizer(
        name=name,
        inner=inner,
        start_id=metadata.integer(_KEY + "bos_token_id", -1),
        adds_start=metadata.flag(_KEY + "add_bos_token", kind == "llama"),
        end_id=end,
        end_ids=end_ids(inner, [end, metadata.integer(_KEY + "eot_token_id", -1)]),
        chat_template=metadata.text("tokenizer.chat_template", "") or None,
    )


def _build(name: str, kind: str, metadata: Metadata) -> Any:
    tokens, kinds = metadata.texts(_KEY + "tokens"), metadata.integers(_KEY + "token_type")
    if len(tokens) != len(kinds) or not tokens:
        raise errors.broken_tokenizer(name, f"{len(tokens)} tokens have {len(kinds)} types")
    try:
        inner = _BUILDERS[kind](metadata, {token: index for index, token in enumerate(tokens)}, tokens)
    except errors.ModelErrors:
        raise
    except Exception as fault:  # the library raises plain Exception for a vocabulary that does not fit together
        raise errors.broken_tokenizer(name, str(fault)) from None
    _add_special_tokens(inner, tokens, kinds)
    return inner


def end_ids(inner: Any, given: Sequence[int]) -> frozenset[int]:
    """Return the ids that end a text: the file's own, and control tokens spelled as the table's end tokens."""
    spelled = set(tokenizer_table()["end_tokens"])
    control = inner.get_added_tokens_decoder().items()
    ends = [index for index, token in control if token.special and token.content in spelled]
    return frozenset(token for token in (*given, *ends) if token >= 0)


def _byte_level(metadata: Metadata, vocabulary: Mapping[str, int], tokens: Sequence[str]) -> Any:
    from tokenizers import Tokenizer as Inner
    from tokenizers import decoders, models, normalizers

    rules = tokenizer_table()["pre"]
    pre = metadata.text(_KEY + "pre", "default")
    if pre not in rules:
        raise errors.unknown_tokenizer(pre, sorted(rules))
    rule = rules[pre]
    merges = [_pair(text) for text in metadata.texts(_KEY + "merges")]
    model = models.BPE(vocab=dict(vocabulary), merges=merges, ignore_merges=rule.get("whole_words", False))
    inner = Inner(model)
    if rule.get("normalize") == "NFC":
        inner.normalizer = normalizers.NFC()
    inner.pre_tokenizer = _pre_tokenizer(rule["steps"])
    inner.decoder = decoders.ByteLevel()
    return inner


def _pair(merge: str) -> tuple[str, str]:
    left, _, right = merge.partition(" ")
    return left, right


def _pre_tokenizer(steps: Sequence[Any]) -> Any:
    from tokenizers import Regex, pre_tokenizers

    def build(step: Any) -> Any:
        if step == "digits":
            return pre_tokenizers.Digits(individual_digits=True)
        if "split" in step:
            return pre_tokenizers.Split(Regex(step["split"]), behavior="isolated")
        return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=step["byte_level"]["words"])

    return pre_tokenizers.Sequence([build(step) for step in steps])


def _sentence_piece(metadata: Metadata, vocabulary: Mapping[str, int], tokens: Sequence[str]) -> Any:
    from tokenizers import Tokenizer as Inner
    from tokenizers import decoders, models, normalizers

    scores, unknown_id = metadata.numbers(_KEY + "scores"), metadata.integer(_KEY + "unknown_token_id", 0)
    if len(scores) != len(tokens) or not 0 <= unknown_id < len(tokens):
        raise errors.broken_tokenizer(metadata.architecture, f"{len(tokens)} tokens have {len(scores)} scores")
    merges, unknown = merges_by_score(vocabulary, scores), tokens[unknown_id]
    model = models.BPE(dict(vocabulary), merges, unk_token=unknown, fuse_unk=True, byte_fallback=True)
    inner = Inner(model)
    prefix = metadata.flag(_KEY + "add_space_prefix", True)
    replace = normalizers.Replace(" ", _SPACE)
    inner.normalizer = normalizers.Sequence([normalizers.Prepend(_SPACE), replace]) if prefix else replace
    steps = [decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    inner.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if prefix else steps)
    return inner


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


def _add_special_tokens(inner: Any, tokens: Sequence[str], kinds: Sequence[int]) -> None:
    from tokenizers import AddedToken

    def added(wanted: int, special: bool) -> list[Any]:
        chosen = [token for token, kind in zip(tokens, kinds, strict=False) if kind == wanted]
        return [AddedToken(token, special=special, normalized=False) for token in chosen]

    inner.add_special_tokens(added(_CONTROL, special=True))
    inner.add_tokens(added(_USER_DEFINED, special=False))


_BUILDERS = {"gpt2": _byte_level, "llama": _sentence_piece}
