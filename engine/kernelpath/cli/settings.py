"""The circumstances that files are judged under: documents of the pack that options name.

`--with DOC=FILE` gives a document; an option that is named like a document, such as `--device FILE`, is short for it.
Each may be given several times: files are then judged in every combination, which is a `Setting`.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product

from kernelpath.cli.inputs import read_document, unusable
from kernelpath.packs.libraries import FILES, RESOURCES, load_modules, resource_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.cli.arguments import Arguments
    from kernelpath.diagnostics import Diagnostic, Source, Span
    from kernelpath.evaluate.compiled import CompiledPack
    from kernelpath.graph.documents import Document
    from kernelpath.packs.nodes import Node

GENERAL = "--with"
#: Documents that have an option of their own name.
SHORT = ("device",)
#: Documents that commands take in another way, and how.
ELSEWHERE = {"catalog": "--catalog", "runtime": "--runtime", "runtime_config": "--runtime"}
MOST_NAMED = 8  # settings that a message names


def add_settings(arguments: Arguments) -> None:
    """Add the options that give documents by name."""
    device_help = "what it is to run on: a device of `devices list`, or its file; several are judged one by one"
    arguments.add("--device", action="append", metavar="NAME|FILE", help=device_help)
    with_help = "give another document of the pack; several files of one document are judged one by one"
    arguments.add(GENERAL, action="append", metavar="DOC=FILE", help=with_help)


class Given:
    """A document that an option gives: `label` is what the user calls it, `value` what rules see.

    `document` is the JSON that was read, None of data that the pack takes from shipped files.
    """

    def __init__(self, name: str, label: str, value: Any, document: Document | None, resource: str | None) -> None:
        self.name = name
        self.label = label
        self.value = value
        self.document = document
        self.resource = resource

    @property
    def source(self) -> Source | None:
        """The text that findings point into; None if it is not known."""
        if self.document is not None:
            return self.document.source
        return self._root.source if self._root is not None else None

    def locate(self, pointer: str) -> Span | None:
        """Return where a JSON pointer's value is, or the innermost value on the way to it that exists."""
        if self.document is not None:
            return self.document.locate(pointer)
        if self._root is None:
            return None
        from kernelpath.graph.locate import tokens
        from kernelpath.packs.nodes import Sequence, node_at

        node: Node = self._root
        for token in tokens(pointer):
            try:
                node = node_at(node, [int(token) if token.isdecimal() and isinstance(node, Sequence) else token])
            except LookupError:
                break
        return node.span

    @cached_property
    def _root(self) -> Any:
        find = FILES.get(resource_kind(self.resource or ""))
        path = find(self.label) if find else None
        if path is None:
            return None
        from kernelpath.packs.files import read_node

        return read_node(path)


class Setting:
    """One combination of given documents; without any there is nothing to say of it.

    `told` are the documents that tell it from other settings.
    """

    def __init__(self, given: Sequence[Given] = (), told: Collection[str] = ()) -> None:
        self.given = {each.name: each for each in given}
        self.told = [name for name in self.given if name in told] or [*self.given]

    @property
    def values(self) -> dict[str, Any]:
        """The documents as rules see them, by name."""
        return {name: each.value for name, each in self.given.items()}

    @property
    def labels(self) -> dict[str, str]:
        """What the user calls each document that tells the setting from others, by its name."""
        return {name: self.given[name].label for name in self.told}

    def words(self) -> str:
        """Return the setting in words, empty if nothing was given."""
        return ", ".join(f"{name} `{label}`" for name, label in self.labels.items())

    def sources(self) -> dict[str, Source]:
        """Return the texts that findings may point into."""
        found = (each.source for each in self.given.values())
        return {source.name: source for source in found if source is not None}

    def diagnostics(self) -> list[Diagnostic]:
        """Return what there is to say of the documents themselves."""
        documents = (each.document for each in self.given.values())
        return [found for document in documents if document is not None for found in document.diagnostics]


NO_SETTING = Setting()


def settings_of(options: Namespace, pack: CompiledPack, question: str) -> list[Setting]:
    """Return the settings that options describe, one without documents if they name none.

    Raises InputErrors for documents that the pack does not have or the question does not take, and for files that
    cannot be read.
    """
    named: dict[str, list[Given]] = {}
    for name, text in dict.fromkeys(named_documents(options)):
        named.setdefault(name, []).append(read_given(pack, question, name, text))
    varied = [name for name, several in named.items() if len(several) > 1]
    return [Setting(combination, varied) for combination in product(*named.values())]


def named_documents(options: Namespace) -> Iterator[tuple[str, str]]:
    """Yield the name of each document that is given, and what is given for it."""
    for name in SHORT:
        yield from ((name, text) for text in getattr(options, name, None) or ())
    for text in getattr(options, GENERAL.removeprefix("--"), None) or ():
        name, sign, file = text.partition("=")
        if not (name and sign and file):
            help_text = f"write `{GENERAL} DOC=FILE`, such as `{GENERAL} {SHORT[0]}=FILE`"
            raise unusable("cli/usage", f"`{text}` does not say which document is which file", help_text=help_text)
        if name in ELSEWHERE:
            raise unusable("cli/usage", f"document `{name}` is given by `{ELSEWHERE[name]}`, not by `{GENERAL}`")
        yield name, file


def read_given(pack: CompiledPack, question: str, name: str, text: str) -> Given:
    """Return the document that a name or a file stands for; raises InputErrors as `settings_of` does."""
    refuse_unasked(pack, question, name)
    resource = pack.meta["documents"][name]["resource"]
    if resource is not None:
        load_modules(pack.meta["libraries"])
        reader = RESOURCES.get(resource_kind(resource))
        value = reader(text) if reader else text
        if value is not text:
            return Given(name, text, value, None, resource)
    document = read_document(text)
    return Given(name, text, document.value, document, None)


def refuse_unasked(pack: CompiledPack, question: str, name: str) -> None:
    """Refuse a document that no rule of the question would look at: the answer would not depend on it."""
    meta = pack.meta
    if name in meta["questions"][question]["given"]:
        return
    if name in meta["documents"]:
        message = f"question `{question}` of pack `{meta['name']}` does not take document `{name}`"
        raise unusable("cli/usage", message, help_text=f"add `{name}` to its `given`")
    from kernelpath.diagnostics import did_you_mean

    near = did_you_mean(name, meta["documents"])
    meant = f"did you mean `{near}`? " if near else ""
    known = ", ".join(f"`{each}`" for each in meta["documents"])
    message = f"pack `{meta['name']}` has no document `{name}`"
    raise unusable("cli/usage", message, help_text=f"{meant}its documents are {known}; choose a pack that declares it")


def told_apart(found: Iterable[tuple[Diagnostic, Setting]]) -> list[Diagnostic]:
    """Return findings under several settings, each once: its message names the settings that it was found under."""
    from dataclasses import replace

    grouped: dict[tuple[object, ...], tuple[Diagnostic, dict[str, Setting]]] = {}
    for each, setting in found:
        key = (each.rule, each.severity, each.message, each.subject, each.pointer, each.span)
        grouped.setdefault(key, (each, {}))[1][setting.words()] = setting
    return [
        replace(each, message=f"with {together([*settings.values()])}: {each.message}", values=_values(each, settings))
        for each, settings in grouped.values()
    ]


def _values(found: Diagnostic, settings: Mapping[str, Setting]) -> tuple[tuple[str, str], ...]:
    """Return a finding's values, and all of its settings if the message does not name all."""
    if len(settings) <= MOST_NAMED:
        return found.values
    return (*found.values, ("with", "; ".join(settings)))


def together(settings: Sequence[Setting]) -> str:
    """Return several settings in words; if they differ in one document, only its files are listed."""
    names = settings[0].told
    if len(names) == 1:
        return f"{names[0]} {_listed([f'`{setting.labels[names[0]]}`' for setting in settings], ', ')}"
    return _listed([setting.words() for setting in settings], "; ")


def _listed(words: Sequence[str], between: str) -> str:
    more = len(words) - MOST_NAMED
    return between.join(words[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


__all__ = [
    "NO_SETTING",
    "Given",
    "Setting",
    "add_settings",
    "named_documents",
    "read_given",
    "refuse_unasked",
    "settings_of",
    "together",
    "told_apart",
]
