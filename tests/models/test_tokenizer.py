"""Tokenizers out of GGUF metadata and tokenizer.json: ids, text, streams, chat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kernelpath.models.errors import ModelErrors
from kernelpath.models.metadata import Metadata
from kernelpath.models.tables import tokenizer_table
from kernelpath.models.tokenizer import Tokenizer
from kernelpath.models.tokenizer_gguf import gguf_tokenizer, merges_by_score
from kernelpath.models.tokenizer_json import folder_tokenizer

NORMAL, CONTROL, USER_DEFINED, BYTE = 1, 3, 4, 6
CHAT = "{% for m in messages %}<|im_start|>{{ m['role'] }} {{ m['content'] }}<|im_end|>{% endfor %}<|im_start|>"


def byte_level(**changes: Any) -> dict[str, Any]:
    """A GPT-2 vocabulary of all bytes, a few merges, and three control tokens."""
    tokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *byte_characters(), "Ġt", "he", "Ġthe", "<tool>"]
    kinds = [CONTROL] * 3 + [NORMAL] * 259 + [USER_DEFINED]
    metadata = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.merges": ["Ġ t", "h e", "Ġt he"],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.chat_template": CHAT,
    }
    return metadata | {f"tokenizer.{key}": value for key, value in changes.items()}


def byte_characters() -> list[str]:
    """The characters that stand for the 256 bytes, in the order of the bytes, as GPT-2's encoder has them."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return [chr(byte) if byte in shown else chr(256 + hidden.index(byte)) for byte in range(256)]


def sentence_piece(**changes: Any) -> dict[str, Any]:
    """A SentencePiece vocabulary of a few pieces and all bytes."""
    pieces = ["▁", "a", "b", "c", "ab", "bc", "abc", "▁ab"]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *pieces, "<end_of_turn>"]
    scores = [0.0] * 259 + [-8.0, -9.0, -9.0, -9.0, -2.0, -1.0, -3.0, -4.0] + [0.0]
    metadata = {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": scores,
        "tokenizer.ggml.token_type": [2, CONTROL, CONTROL] + [BYTE] * 256 + [NORMAL] * 8 + [CONTROL],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
    }
    return metadata | {f"tokenizer.{key}": value for key, value in changes.items()}


def built(metadata: dict[str, Any]) -> Tokenizer:
    tokenizer = gguf_tokenizer("tiny", Metadata(metadata, "tiny"))
    assert tokenizer is not None
    return tokenizer


def spelled(tokenizer: Tokenizer, text: str, **options: bool) -> list[str]:
    return [tokenizer.inner.id_to_token(token) for token in tokenizer.encode(text, **options)]


def problem(metadata: dict[str, Any]) -> str:
    with pytest.raises(ModelErrors) as raised:
        gguf_tokenizer("tiny", Metadata(metadata, "tiny"))
    return raised.value.diagnostics[0].message


def test_merges_apply_in_their_order() -> None:
    """Pairs are merged by rank, inside words only."""
    assert spelled(built(byte_level()), "the the 12") == ["t", "he", "Ġthe", "Ġ", "1", "2"]


def test_digits_stay_apart_only_where_the_table_says_so() -> None:
    """A merge of two digits is used under GPT-2's splitting, and not under SmolLM's."""
    tokens = [*byte_level()["tokenizer.ggml.tokens"], "12"]
    more = {
        "ggml.tokens": tokens,
        "ggml.token_type": [*byte_level()["tokenizer.ggml.token_type"], NORMAL],
        "ggml.merges": ["1 2"],
    }
    assert spelled(built(byte_level(**more)), "12") == ["1", "2"]
    assert spelled(built(byte_level(**more, **{"ggml.pre": "gpt-2"})), "12") == ["12"]


def test_special_tokens_in_text_count_as_such() -> None:
    """Control and user-defined tokens are cut out of a text first; decoding leaves control tokens out unless asked."""
    tokenizer = built(byte_level())
    text = "<|im_start|>a<tool>b<|im_end|>"
    assert spelled(tokenizer, text) == ["<|im_start|>", "a", "<tool>", "b", "<|im_end|>"]
    ids = tokenizer.encode(text)
    assert (tokenizer.decode(ids), tokenizer.decode(ids, special=True)) == ("a<tool>b", text)


def test_the_start_token_is_added_as_the_file_or_the_caller_says() -> None:
    """The file's setting decides unless the caller does; a chat that begins with the token gets no second one."""
    silent, adding = built(byte_level()), built(byte_level(**{"ggml.add_bos_token": True}))
    assert [tokenizer.encode("a")[0] == 1 for tokenizer in (silent, adding)] == [False, True]
    assert (silent.encode("a", add_start=True)[0], adding.encode("a", add_start=False)[0]) == (1, silent.encode("a")[0])
    turn = [{"role": "user", "content": "a"}]
    assert adding.chat(turn) == silent.chat(turn)


def test_a_chat_is_what_the_template_writes() -> None:
    """The template's text is encoded with its special tokens."""
    tokenizer = built(byte_level())
    assert tokenizer.chat_text([{"role": "user", "content": "a"}]) == "<|im_start|>user a<|im_end|><|im_start|>"
    assert tokenizer.chat([{"role": "", "content": "a"}])[-2:] == [2, 1]


def test_a_stream_never_cuts_a_character() -> None:
    """A piece comes when its last byte does; what is left of a character at the end is shown as U+FFFD."""
    tokenizer = built(byte_level())
    ids = tokenizer.encode("aß\N{ROCKET}")
    assert list(tokenizer.stream(iter(ids))) == ["a", "ß", "\N{ROCKET}"]
    assert list(tokenizer.stream(iter(ids[:-1]))) == ["a", "ß", "\ufffd"]


def test_end_tokens_are_the_files_own_and_control_tokens_of_the_table() -> None:
    """An end token's spelling counts for control tokens only: Gemma has an ordinary token `</s>`."""
    assert built(byte_level()).end_ids == {0, 2}
    assert built(byte_level(**{"ggml.eot_token_id": 5})).end_ids == {0, 2, 5}
    plain = sentence_piece(**{"ggml.eos_token_id": 267})
    plain["tokenizer.ggml.token_type"][2] = USER_DEFINED
    assert built(plain).end_ids == {267}


def test_sentence_piece_merges_by_score() -> None:
    """The pair whose whole scores best goes first: `bc` before `ab`, so that `abc` is `a` + `bc`, then `abc`."""
    tokenizer = built(sentence_piece(**{"ggml.add_space_prefix": False, "ggml.add_bos_token": False}))
    assert spelled(tokenizer, "abc ab") == ["abc", "▁ab"]
    assert spelled(tokenizer, "abcb") == ["abc", "b"]
    assert spelled(tokenizer, "é") == ["<0xC3>", "<0xA9>"]
    assert tokenizer.decode(tokenizer.encode("abc é ab")) == "abc é ab"


def test_merges_by_score_lists_every_way() -> None:
    """Each way to join two tokens is a merge: the best score first, of equal ones the longer left part."""
    vocabulary = {"a": 0, "b": 1, "ab": 2, "ba": 3, "aba": 4}
    assert merges_by_score(vocabulary, [-9.0, -9.0, -2.0, -1.0, -3.0]) == [
        ("b", "a"),
        ("a", "b"),
        ("ab", "a"),
        ("a", "ba"),
    ]


def test_a_space_goes_in_front_where_the_file_says_so() -> None:
    """Llama 2's kind puts a space before the text and takes it off again; a start token comes by default."""
    tokenizer = built(sentence_piece())
    assert spelled(tokenizer, "ab") == ["<s>", "▁ab"]
    assert tokenizer.decode(tokenizer.encode("ab")) == "ab"


def test_no_vocabulary_is_no_tokenizer() -> None:
    """A file without a tokenizer model has no tokenizer, and that is no fault."""
    assert gguf_tokenizer("tiny", Metadata({})) is None


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        (byte_level(**{"ggml.model": "rwkv"}), "the tokenizer kind `rwkv` is not known"),
        (byte_level(**{"ggml.pre": "tekken"}), "the tokenizer kind `tekken` is not known"),
        (byte_level(**{"ggml.tokens": ["a"]}), "the tokenizer of `tiny` is broken: 1 tokens have 263 types"),
        (byte_level(**{"ggml.tokens": "abc"}), "`tokenizer.ggml.tokens` is `'abc'`, not a list of texts"),
        (byte_level(**{"ggml.merges": [1]}), "`tokenizer.ggml.merges` is `[1]`, not a list of texts"),
        (byte_level(**{"ggml.bos_token_id": "one"}), "`tokenizer.ggml.bos_token_id` is `'one'`, not a whole number"),
        (sentence_piece(**{"ggml.scores": [1.0]}), "the tokenizer of `tiny` is broken: 268 tokens have 1 scores"),
    ],
)
def test_what_is_said_of_vocabularies_that_cannot_be(metadata: dict[str, Any], expected: str) -> None:
    """Each is one message."""
    assert problem(metadata) == expected


def test_merges_of_unknown_tokens_are_a_finding() -> None:
    """A merge whose parts are not in the vocabulary is a finding, though the library raises a bare exception."""
    assert problem(byte_level(**{"ggml.merges": ["xx yy"]})).startswith("the tokenizer of `tiny` is broken: ")


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ raise_exception('roles must alternate') }}", "the model's chat template failed: roles must alternate"),
        (
            "{{ messages[0].missing.more }}",
            "the model's chat template failed: 'dict object' has no attribute 'missing'",
        ),
        ("{% for %}", "the model's chat template failed: Expected an expression, got 'end of statement block'"),
        ("{{ 1 // 0 }}", "the model's chat template failed: integer division or modulo by zero"),
        (
            "{{ messages.append(1) }}",
            "the model's chat template failed: access to attribute 'append' of 'list' object is unsafe.",
        ),
    ],
)
def test_a_template_that_fails_is_a_finding(template: str, expected: str) -> None:
    """The template's own words are shown."""
    with pytest.raises(ModelErrors) as raised:
        built(byte_level(chat_template=template)).chat([{"role": "user", "content": "a"}])
    assert raised.value.diagnostics[0].message == expected


@pytest.mark.parametrize("reach", ["''.__class__", "messages.__class__", "raise_exception.__globals__"])
def test_a_template_cannot_leave_the_sandbox(reach: str) -> None:
    """A template is a stranger's text: Python's inner attributes read as nothing, and reaching through them fails."""
    turn = [{"role": "user", "content": "a"}]
    assert built(byte_level(chat_template=f"[{{{{ {reach} }}}}]")).chat_text(turn) == "[]"
    with pytest.raises(ModelErrors, match=r"the model's chat template failed: access to attribute '__[a-z]*__' of "):
        built(byte_level(chat_template=f"{{{{ {reach}.more }}}}")).chat_text(turn)


def test_a_base_model_cannot_chat() -> None:
    """Without a template, a chat is refused with the remedy."""
    metadata = byte_level()
    del metadata["tokenizer.chat_template"]
    with pytest.raises(ModelErrors) as raised:
        built(metadata).chat([{"role": "user", "content": "a"}])
    finding = raised.value.diagnostics[0]
    assert (finding.message, finding.help) == (
        "model `tiny` has no chat template",
        "use --prompt; a base model has no turns to fill in",
    )


def test_a_folders_tokenizer_is_read_with_its_settings(tmp_path: Path) -> None:
    """tokenizer.json, its config, the ends of generation_config.json and a template in a file of its own."""
    built(byte_level()).inner.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"bos_token": {"content": "<|im_start|>"}, "eos_token": "<|im_end|>", "add_bos_token": True})
    )
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": [2, 7]}))
    (tmp_path / "chat_template.jinja").write_text("hello")
    tokenizer = folder_tokenizer(tmp_path, {})
    assert tokenizer is not None
    assert (tokenizer.start_id, tokenizer.end_id, tokenizer.end_ids) == (1, 2, {0, 2, 7})
    assert tokenizer.encode("the") == [1, *built(byte_level()).encode("the")]
    assert tokenizer.chat_text([]) == "hello"


def test_every_split_of_the_table_builds() -> None:
    """Each splitting rule of the table is one that the library takes."""
    for pre in tokenizer_table()["pre"]:
        tokenizer = built(byte_level(**{"ggml.pre": pre}))
        assert tokenizer.decode(tokenizer.encode("It's 1234  the\n\n é!")) == "It's 1234  the\n\n é!"
