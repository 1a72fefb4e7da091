"""All wording for what can be wrong with a model's files: one function a mistake."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from kernelpath.diagnostics import ERROR, WARNING, Diagnostic, did_you_mean

_SHOWN = 8
_LONGEST = 80


class ModelErrors(Exception):
    """A model that cannot be used, with every finding that says why."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Keep the findings; the exception's text is their messages, one a line."""
        super().__init__("\n".join(finding.message for finding in diagnostics))
        self.diagnostics = tuple(diagnostics)


class UnknownTokenizer(ModelErrors):
    """A tokenizer of a kind that has no rules here: its model runs on ids."""


def _finding(rule: str, message: str, subject: str | None, help_: str | None = None) -> ModelErrors:
    return ModelErrors([_diagnostic(ERROR, rule, message, subject, help_)])


def _diagnostic(severity: str, rule: str, message: str, subject: str | None, help_: str | None = None) -> Diagnostic:
    return Diagnostic(f"model/{rule}", (), severity, message, subject=subject, document="model", help=help_)


def _shown(names: Iterable[str]) -> str:
    """Return up to eight names in backticks, and how many more there are."""
    names = list(names)
    text = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    return f"{text} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else text


def no_such_file(path: Path) -> ModelErrors:
    """Say that nothing is at a path."""
    return _finding("missing-file", f"there is no file `{path}`", str(path))


def unreadable(path: Path, why: str) -> ModelErrors:
    """Say why a file or folder cannot be read."""
    return _finding("unreadable", f"`{path}` cannot be read: {why}", str(path))


def unknown_format(path: Path) -> ModelErrors:
    """Say that a file is neither GGUF nor safetensors."""
    return _finding(
        "unknown-format",
        f"`{path}` is not a model that can be read",
        str(path),
        "give a .gguf file, a .safetensors file beside its config.json, or the folder that holds them",
    )


def several_models(folder: Path, names: Sequence[str]) -> ModelErrors:
    """Say that a folder holds more than one model."""
    message = f"`{folder}` holds {len(names)} models: {_shown(names)}"
    return _finding("several-models", message, str(folder), "give the file of one of them")


def missing_part(path: Path, number: int, count: int) -> ModelErrors:
    """Say that a part of a model is not there."""
    return _finding("missing-part", f"part {number} of {count} of the model is missing: `{path}`", str(path))


def misplaced_part(path: Path, number: object, count: object, why: str) -> ModelErrors:
    """Say that a file is a part of a model that cannot be put together."""
    message = f"`{path}` is part {number} of {count} of a model, {why}"
    help_ = "give the file as it was published, with all parts beside it: `NAME-00001-of-00002.gguf`"
    return _finding("misplaced-part", message, str(path), help_)


def not_gguf(path: Path, why: str) -> ModelErrors:
    """Say that a file does not begin as a GGUF file does."""
    return _finding("not-gguf", f"`{path}` is not a GGUF file of version 2 or 3: {why}", str(path))


def broken_gguf(path: Path, what: str, offset: int) -> ModelErrors:
    """Say what is wrong inside a GGUF file, and at which byte."""
    help_ = "the file is damaged or cut short; fetch it again"
    return _finding("broken-gguf", f"`{path}` is broken at byte {offset}: {what}", str(path), help_)


def broken_safetensors(path: Path, what: str) -> ModelErrors:
    """Say what is wrong inside a safetensors file."""
    help_ = "the file is damaged or cut short; fetch it again"
    return _finding("broken-safetensors", f"`{path}` is broken: {what}", str(path), help_)


def broken_config(path: Path, what: str) -> ModelErrors:
    """Say what is wrong with a JSON file beside the weights."""
    return _finding("broken-config", f"`{path}` cannot be used: {what}", str(path))


def repeated_tensor(path: Path, name: str) -> ModelErrors:
    """Say that two tensors of a model have one name."""
    return _finding("repeated-tensor", f"`{path}` holds tensor `{name}` a second time", name)


def unknown_architecture(name: str, known: Sequence[str]) -> ModelErrors:
    """Say that no table describes an architecture."""
    near = did_you_mean(name, known)
    help_ = f"did you mean `{near}`?" if near else f"there are tables for {_shown(known)}"
    return _finding("unknown-architecture", f"no table describes the architecture `{name}`", name, help_)


def missing_key(architecture: str, key: str) -> ModelErrors:
    """Say that the metadata lack a value that an architecture cannot do without."""
    return _finding("missing-key", f"the metadata of this `{architecture}` model lack `{key}`", key)


def wrong_value(key: str, value: object, wanted: str) -> ModelErrors:
    """Say that a metadata value is of the wrong kind."""
    return _finding("wrong-value", f"`{key}` is `{brief(repr(value))}`, not {wanted}", key)


def brief(value: object) -> str:
    """Return a value in so many characters at most as a line has room for."""
    text = str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def scaling_without_type(key: str, factor: object) -> ModelErrors:
    """Say that rotations are to be scaled, but not how."""
    message = f"`{key}` is `{brief(factor)}`, but the metadata do not say which scaling it is of"
    return _finding("scaling-without-type", message, key, "add the `rope_type` that the model was trained with")


def wrong_factor(tensor: str) -> ModelErrors:
    """Say that a tensor of rotation factors holds what no frequency can be divided by."""
    return _finding("wrong-factor", f"`{tensor}` holds a factor that no frequency can be divided by", tensor)


def unread_keys(architecture: str, keys: Sequence[str]) -> Diagnostic:
    """Say which keys of the metadata are not read, and not known to be harmless either."""
    message = f"{_shown(keys)} of this `{architecture}` model {'are' if len(keys) > 1 else 'is'} not read"
    return _diagnostic(WARNING, "unread-keys", message, keys[0], "the answer may differ from that of other readers")


def telling_keys(architecture: str, keys: Sequence[str]) -> ModelErrors:
    """Say which keys that are not read can change attention, positions or weights."""
    message = f"this `{architecture}` model sets {_shown(keys)}, which may change its answer and is not read"
    return _finding("unread-keys", message, keys[0], "it needs support in kernels/architectures")


def missing_head(key: str, tensor: str) -> ModelErrors:
    """Say that a model is to have an output matrix of its own, and has none."""
    message = f"`{key}` is false, but the file lacks `{tensor}`"
    help_ = "fetch the whole model, or set it to true if the embedding is meant"
    return _finding("missing-tensors", message, tensor, help_)


def unused_head(key: str, tensor: str) -> Diagnostic:
    """Say that an output matrix is not used, because the embedding is to stand for it."""
    return _diagnostic(WARNING, "unused-tensor", f"`{tensor}` is not used, because `{key}` is true", tensor)


def not_computable(field: str, why: str) -> ModelErrors:
    """Say that a field that follows from others has no value."""
    return _finding("not-computable", f"`{field}` cannot be worked out from the metadata: {why}", field)


def unsupported(architecture: str, what: str) -> ModelErrors:
    """Say which property of a model has no meaning here."""
    return _finding("unsupported", f"this `{architecture}` model uses {what}, which is not supported", architecture)


def missing_tensors(names: Sequence[str]) -> ModelErrors:
    """Name the tensors that an architecture needs and a file lacks."""
    return _finding("missing-tensors", f"the file lacks {_shown(names)}", names[0])


def unmapped_tensors(architecture: str, names: Sequence[str]) -> ModelErrors:
    """Name the tensors that an architecture's table does not know: leaving one out would change the answer."""
    message = f"the `{architecture}` table has no place for {_shown(names)}"
    help_ = "this is another variant of the architecture; it needs a table"
    return _finding("unmapped-tensors", message, names[0], help_)


def wrong_shape(name: str, shape: Sequence[int], wanted: Sequence[int]) -> ModelErrors:
    """Say that a tensor's shape does not fit the architecture."""
    return _finding("wrong-shape", f"`{name}` has shape {list(shape)}, but {list(wanted)} is needed", name)


def not_a_matrix(name: str, shape: Sequence[int]) -> ModelErrors:
    """Say that the embedding is not a matrix."""
    return _finding("wrong-shape", f"`{name}` has shape {list(shape)}, but rows and columns are needed", name)


def not_a_vector(name: str, shape: Sequence[int]) -> ModelErrors:
    """Say that a tensor that must have one dimension has several."""
    return _finding("wrong-shape", f"`{name}` has shape {list(shape)}, but one dimension is needed", name)


def unknown_dtype(name: str, dtype: str) -> ModelErrors:
    """Say that a tensor is stored in a way that nothing here reads."""
    return _finding("unknown-dtype", f"`{name}` is stored as `{dtype}`, which is not supported", name)


def overflow(name: str, dtype: str, largest: float) -> ModelErrors:
    """Say that a weight does not fit a narrower dtype."""
    message = f"`{name}` holds {largest:g}, which does not fit {dtype}"
    return _finding("overflow", message, name, "keep this weight at f32 or bf16")


def not_storable(name: str, dtype: str) -> ModelErrors:
    """Say that weights are read at a dtype, but never written at it."""
    help_ = "only files bring weights in this form"
    return _finding("not-storable", f"`{name}` cannot be stored as {dtype}", name, help_)


def not_a_multiple(name: str, columns: int, dtype: str, block: int) -> ModelErrors:
    """Say that rows cannot be cut into blocks."""
    return _finding("blocks", f"rows of `{name}` have {columns} values; {dtype} needs a multiple of {block}", name)


def unknown_tokenizer(what: str, known: Sequence[str]) -> UnknownTokenizer:
    """Say that a tokenizer of this kind cannot be built."""
    message = f"the tokenizer kind `{what}` is not known"
    help_ = f"known are {_shown(known)}; give token ids with --ids"
    return UnknownTokenizer([_diagnostic(ERROR, "unknown-tokenizer", message, what, help_)])


def left_out(unknown: UnknownTokenizer) -> Diagnostic:
    """Return what an unknown tokenizer is reported as where ids go in and come out."""
    (found,) = unknown.diagnostics
    return replace(found, severity=WARNING, message=f"{found.message}: the model takes and gives token ids", help=None)


def unused_token_id(key: str, token: int, count: int) -> Diagnostic:
    """Say that a special token's id is not used because the vocabulary does not have it."""
    message = f"`{key}` is {token}, but the vocabulary has {count:,} tokens: it is not used"
    return _diagnostic(WARNING, "token-id", message, key)


def assumed_splitting(key: str) -> Diagnostic:
    """Say that a vocabulary does not say how text is split."""
    message = f"the file lacks `{key}`: text is split by the format's default, and the answer may suffer"
    return _diagnostic(WARNING, "assumed-splitting", message, key, "convert the model again with a newer converter")


def broken_tokenizer(name: str, what: str) -> ModelErrors:
    """Say that a vocabulary does not fit together."""
    return _finding("broken-tokenizer", f"the tokenizer of `{name}` is broken: {what}", name)


def no_tokenizer(name: str) -> ModelErrors:
    """Say that a model came without a tokenizer."""
    return _finding("no-tokenizer", f"model `{name}` has no tokenizer", name, "give token ids with --ids")


def no_chat_template(name: str) -> ModelErrors:
    """Say that a model cannot chat."""
    help_ = "use --prompt; a base model has no turns to fill in"
    return _finding("no-chat-template", f"model `{name}` has no chat template", name, help_)


def failed_chat_template(what: str) -> ModelErrors:
    """Say that a chat template refused the messages, in its own words."""
    return _finding("failed-chat-template", f"the model's chat template failed: {what}", "chat_template")


def endless_chat_template(what: str) -> ModelErrors:
    """Say which limit a chat template passed."""
    message, help_ = f"the model's chat template {what}", "use --prompt, and write the turns as the model expects them"
    return _finding("chat-template-limit", message, "chat_template", help_)


def not_a_text(what: str) -> ModelErrors:
    """Say that a text cannot be encoded."""
    return _finding("not-a-text", f"the text cannot be encoded: {what}", "text")


def no_kernel(op: str, phase: str, values: Sequence[tuple[str, object]]) -> ModelErrors:
    """Say that no row of the selection table gives a kernel for a step."""
    seen = ", ".join(f"{name} = {value}" for name, value in values)
    return _finding("no-kernel", f"no kernel is known for `{op}` in {phase} ({seen})", op)
