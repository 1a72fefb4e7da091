"""What is in no key of a GGUF file, but in the loader that the format comes with: defaults, spellings, end tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kernelpath.execute.run import prompt_ids
from kernelpath.models.errors import ModelErrors
from kernelpath.models.model import Model
from kernelpath.models.open_model import open_model
from kernelpath.models.tokenizer import Tokenizer

from .files import write_gguf
from .test_tokenizer import CONTROL, NORMAL, USER_DEFINED, built, byte_level, problem, sentence_piece, spelled
from .tiny import tiny_model


def without(metadata: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key.removeprefix("tokenizer.ggml.") not in keys}


def with_token(token: str, kind: int, **changes: Any) -> dict[str, Any]:
    """Return a byte-level vocabulary with one more token, whose id is 263."""
    metadata = byte_level(**changes)
    metadata["tokenizer.ggml.tokens"] += [token]
    metadata["tokenizer.ggml.token_type"] += [kind]
    return metadata


def messages(tokenizer: Tokenizer) -> list[str]:
    return [found.message for found in tokenizer.warnings]


@pytest.mark.parametrize(
    ("pre", "starts"),
    [
        *((pre, True) for pre in ("llama-bpe", "llama3", "llama-v3", "falcon3", "pixtral", "lfm2")),
        *((pre, False) for pre in ("default", "gpt-2", "smollm", "qwen2", "deepseek-r1-qwen")),
    ],
)
def test_the_way_of_splitting_says_whether_a_text_begins_with_the_start_token(pre: str, starts: bool) -> None:
    """Llama 3's files lack the setting; where it is given, it decides."""
    assert (built(byte_level(**{"ggml.pre": pre})).encode("a")[0] == 1) is starts
    for said in (True, False):
        assert (built(byte_level(**{"ggml.pre": pre, "ggml.add_bos_token": said})).encode("a")[0] == 1) is said


@pytest.mark.parametrize(
    ("pre", "same"),
    [
        ("llama3", "llama-bpe"),
        ("llama-v3", "llama-bpe"),
        ("phi-2", "gpt-2"),
        ("starcoder", "smollm"),
        ("megrez", "qwen2"),
    ],
)
def test_other_spellings_split_alike(pre: str, same: str) -> None:
    """A name that a converter wrote for the same rules means them."""
    left, right = (built(byte_level(**{"ggml.pre": name})) for name in (pre, same))
    text = "It's 12345  the\n\n é!?"
    assert left.encode(text) == right.encode(text)


def test_the_default_splits_digits_in_threes_and_punctuation() -> None:
    """No pair is merged across such a split; a file that does not name a way is warned about."""
    tokens = [*byte_level()["tokenizer.ggml.tokens"], "34", "23", "!a"]
    more = {
        "ggml.tokens": tokens,
        "ggml.token_type": [*byte_level()["tokenizer.ggml.token_type"], *[NORMAL] * 3],
        "ggml.merges": ["3 4", "2 3", "! a"],
    }
    named = built(byte_level(**more, **{"ggml.pre": "default"}))
    unnamed = built(without(byte_level(**more), "pre"))
    for tokenizer in (named, unnamed):
        assert spelled(tokenizer, "1234") == ["1", "23", "4"]
        assert spelled(tokenizer, "0034") == ["0", "0", "3", "4"]
        assert spelled(tokenizer, "!a") == ["!", "a"]
    assert messages(named) == []
    assert messages(unnamed) == [
        "the file lacks `tokenizer.ggml.pre`: text is split by the format's default, and the answer may suffer"
    ]


@pytest.mark.parametrize("kind", [CONTROL, NORMAL, USER_DEFINED])
@pytest.mark.parametrize(
    "token", ["<|eot_id|>", "<|eom_id|>", "<|end|>", "<end_of_turn>", "<|end_of_text|>", "<EOT>", "<|fim_pad|>"]
)
def test_an_end_token_ends_a_turn_whatever_type_it_has(token: str, kind: int) -> None:
    """Its spelling counts; it is not shown, and is one token in a text."""
    tokenizer = built(with_token(token, kind))
    assert tokenizer.end_ids == {0, 2, 263}
    assert tokenizer.encode(f"a{token}")[-1] == 263
    assert tokenizer.decode(tokenizer.encode(f"a{token}")) == "a"


@pytest.mark.parametrize(("kind", "ends"), [(CONTROL, {0, 2, 263}), (NORMAL, {0, 2}), (USER_DEFINED, {0, 2})])
def test_some_end_tokens_must_be_control_tokens(kind: int, ends: set[int]) -> None:
    """`</s>` and `<eos>` are ordinary tokens of some vocabularies."""
    for token in ("</s>", "<eos>"):
        assert built(with_token(token, kind)).end_ids == ends


@pytest.mark.parametrize("key", ["eot", "eom", "fim_pad", "fim_rep", "fim_sep"])
def test_keys_that_name_ends(key: str) -> None:
    """Each adds its token."""
    assert built(byte_level(**{f"ggml.{key}_token_id": 7})).end_ids == {0, 2, 7}


def test_types_may_be_left_out() -> None:
    """All tokens are ordinary then, save those that end a turn by their spelling."""
    tokenizer = built(without(byte_level(), "token_type"))
    assert tokenizer.end_ids == {0, 2}
    assert "<tool>" in tokenizer.decode(tokenizer.encode("a<tool>b"))


def test_scores_may_be_whole_numbers_or_left_out() -> None:
    """Without scores all are equal, and the longest left part goes first."""
    whole = sentence_piece(**{"ggml.scores": [*range(267), 0]})
    assert built(whole).decode(built(whole).encode("abc")) == "abc"
    assert spelled(built(without(sentence_piece(), "scores")), "abc", add_start=False) == ["▁", "abc"]


def test_a_sentence_piece_file_may_leave_out_its_special_ids() -> None:
    """They are 0, 1 and 2, as in Llama 2."""
    tokenizer = built(without(sentence_piece(), "bos_token_id", "eos_token_id", "unknown_token_id"))
    assert (tokenizer.start_id, tokenizer.end_id) == (1, 2)
    assert tokenizer.encode("ab")[0] == 1


def test_special_ids_outside_the_vocabulary_are_not_used() -> None:
    """They are reported, and the kind's default or none is taken."""
    tokenizer = built(sentence_piece(**{"ggml.bos_token_id": 2**40, "ggml.eot_token_id": 268}))
    assert (tokenizer.start_id, tokenizer.end_ids) == (1, {2, 267})
    assert messages(tokenizer) == [
        "`tokenizer.ggml.bos_token_id` is 1099511627776, but the vocabulary has 268 tokens: it is not used",
        "`tokenizer.ggml.eot_token_id` is 268, but the vocabulary has 268 tokens: it is not used",
    ]
    assert built(byte_level(**{"ggml.bos_token_id": 263})).start_id == -1


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        (with_token("he", NORMAL), "the tokenizer of `tiny` is broken: the token `he` is there twice"),
        (
            sentence_piece(**{"ggml.scores": [float("nan")] * 268}),
            "the tokenizer of `tiny` is broken: a token's score is not a number",
        ),
        (
            sentence_piece(
                **{"ggml.tokens": ["<unk>", "a" * 60_000], "ggml.scores": [0.0] * 2, "ggml.token_type": [2, 1]}
            ),
            "the tokenizer of `tiny` is broken: a token has 60,000 characters, too many to find merges",
        ),
    ],
)
def test_vocabularies_that_cannot_be_used(metadata: dict[str, Any], expected: str) -> None:
    """Each is one message, and none takes for ever."""
    assert problem(metadata) == expected


def opened(tmp_path: Path, **changes: Any) -> Model:
    metadata = {key: value for key, value in byte_level(**changes).items() if value is not None}
    return open_model(write_gguf(tmp_path / "model.gguf", tiny_model(vocab_size=263), "llama", metadata))


@pytest.mark.parametrize("change", [{"ggml.model": "rwkv"}, {"ggml.pre": "viking"}])
def test_a_model_whose_tokenizer_is_not_known_runs_on_ids(change: dict[str, str], tmp_path: Path) -> None:
    """It opens with a warning; text is refused with what is not known."""
    (name,) = change.values()
    model = opened(tmp_path, **change)
    assert [found.message for found in model.warnings] == [
        f"the tokenizer kind `{name}` is not known: the model takes and gives token ids"
    ]
    assert prompt_ids(model, ids=[1, 2]) == [1, 2]
    with pytest.raises(ModelErrors, match=rf"^the tokenizer kind `{name}` is not known$"):
        prompt_ids(model, "a")


@pytest.mark.parametrize("kind", ["none", "no_vocab"])
def test_a_file_may_say_that_it_has_no_vocabulary(kind: str, tmp_path: Path) -> None:
    """That is no fault, and not worth a warning."""
    model = opened(tmp_path, **{"ggml.model": kind})
    assert (model.tokenizer, model.warnings) == (None, ())
    with pytest.raises(ModelErrors, match=r"^model `model` has no tokenizer$"):
        prompt_ids(model, "a")
