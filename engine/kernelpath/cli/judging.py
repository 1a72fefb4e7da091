"""Ask a pack about a document, and put what it finds at its places in the user's files and in the rules."""

from __future__ import annotations

from kernelpath.api import Result, ask
from kernelpath.cli.finding_packs import given, given_beside, pack_for, refused, usable_pack
from kernelpath.cli.inputs import Given, InputErrors, read_document, unusable
from kernelpath.cli.options import DEFAULT_CATALOG
from kernelpath.cli.settings import NO_SETTING, Setting, settings_of
from kernelpath.evaluate.recognising import question_about, replaces
from kernelpath.evaluate.report import was_judged
from kernelpath.graph.catalog import load_catalog
from kernelpath.graph.pointers import tokens
from kernelpath.packs.folders import PackErrors, lies_shipped
from kernelpath.packs.libraries import resource_kind, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import SimpleNamespace as Namespace
    from typing import Any

    from kernelpath.diagnostics import Diagnostic, Source
    from kernelpath.diagnostics.account import Account
    from kernelpath.evaluate.compiled import CompiledPack
    from kernelpath.evaluate.unasked import Unasked
    from kernelpath.graph.documents import Document

NOTHING = "cli/not-judged"
#: The shipped data that goes by the name of a catalogue.
CATALOGS = "catalogs"
#: The option that says how many layers there are, as packs name the member that it sets.
LAYERS = "num-layers"


class Judged:
    """What became of a document: `value` is None if it is wrong, `unasked` what errors kept from being asked."""

    def __init__(
        self,
        judge: Judge,
        ok: bool,
        value: Any,
        diagnostics: list[Diagnostic],
        unasked: Sequence[Unasked] = (),
    ) -> None:
        self.judge = judge
        self.setting = judge.setting
        self.given = judge.given
        self.unasked = unasked
        self.ok = ok
        self.value = value
        self.diagnostics = diagnostics


class Judge:
    """A pack and what it is asked about: a document of its own, perhaps another one beside it, under a setting."""

    def __init__(
        self,
        options: Namespace,
        pack: CompiledPack,
        given: Given,
        beside: Given | None = None,
        question: str | None = None,
    ) -> None:
        self.pack = pack
        self.given = given
        self.beside = beside
        self.setting = NO_SETTING
        self.given_catalog: str | None = options.catalog
        self.verbose: bool = options.verbose
        self.question = question or self._question()
        layers = getattr(options, "num_layers", None)
        if layers is not None:
            self._set(LAYERS, layers)

    @staticmethod
    def of(options: Namespace, name: str, beside: Document | None = None) -> Judge:
        """Return the judge of a file, by the pack that the options name or that recognises it; raises InputErrors."""
        document = read_document(name)
        pack = pack_for(options.pack, document)
        first = given(pack, document, options.pack is not None)
        return Judge(options, pack, first, given_beside(pack, first, beside) if beside else None)

    @staticmethod
    def each(options: Namespace, name: str, beside: Document | None = None) -> list[Judge]:
        """Return a judge of a file for each setting that the options describe; raises InputErrors as `of` does."""
        judge = Judge.of(options, name, beside)
        return [judge.under(setting) for setting in settings_of(options, judge.pack, judge.question)]

    def under(self, setting: Setting) -> Judge:
        """Return this judge under a setting."""
        from copy import copy

        judge = copy(self)
        judge.setting = setting
        return judge

    def _question(self) -> str:
        names = [each.name for each in (self.given, self.beside) if each]
        question = question_about(self.pack, *names)
        if question is None:
            what = " and ".join(f"`{name}`" for name in names)
            raise unusable("pack/question", f"pack `{self.pack.meta['name']}` has no question about {what} alone")
        return question

    def _set(self, option: str, value: Any) -> None:
        """Give the member of the document that an option stands for another value."""
        pointer = self.pack.meta["documents"][self.given.name]["options"].get(option)
        if pointer is None:
            message = f"a `{self.given.name}` of pack `{self.pack.meta['name']}` has nothing that `--{option}` sets"
            raise unusable("cli/usage", message)
        self.given.value = _with(self.given.value, tokens(pointer), value)

    def judge(self) -> Judged:
        """Return what becomes of the document; raises InputErrors if no rule looked at it."""
        try:
            return self.judged(ask(self.question, pack=self.pack, **self.request()))
        except PackErrors as errors:
            raise refused(errors) from None

    def judged(self, result: Result) -> Judged:
        """Return what an answer says of the document; raises InputErrors if no rule looked at it."""
        found = [*self.placed(result.diagnostics), *self._not_asked()]
        looked = was_judged(result.ok, result.value, result.asked)
        what = self._unjudged(result.value, looked) if result.ok else None
        if what is not None or not looked:
            raise self.not_judged(found, what)
        return Judged(self, result.ok, result.value, found, result.unasked)

    def _not_asked(self) -> list[Diagnostic]:
        """Return what is to be said of rules that the question does not ask; shipped packs are as they are."""
        if lies_shipped(self.pack.folder):
            return []
        from kernelpath.cli.not_asked import not_asked

        return not_asked(self.pack, self.question)

    def _unjudged(self, value: Any, looked: bool) -> Any:
        """Return what a library of the pack says of a document of which nothing was judged."""
        meta = self.pack.meta
        return said(meta["libraries"], "unjudged", self.given.value, meta["constants"], value, looked)

    def not_judged(self, found: Sequence[Diagnostic] = (), what: Any = None) -> InputErrors:
        """Return the error for a document that a question passes only because no rule looked at it."""
        from kernelpath.diagnostics import ERROR, Diagnostic
        from kernelpath.packs.libraries import Unjudged

        meta = self.pack.meta
        what = what or self._unjudged(None, False) or Unjudged(None)
        told = what.message or f"question `{self.question}` of pack `{meta['name']}` asks no rule of this document"
        pointer = self.given.pointer(what.pointer)
        span = (self.given.document.key_span if what.at_key else self.given.document.locate)(pointer)
        help_text = what.help(meta["name"])
        message = f"nothing was judged: {told}"
        said = Diagnostic(NOTHING, (), ERROR, message, pointer=pointer, span=span, help=help_text)
        return InputErrors([*found, said], self.sources())

    def request(self) -> dict[str, Any]:
        """Return what the question is asked with."""
        documents = self.pack.meta["documents"]
        needed = self.pack.meta["questions"][self.question]["given"]
        shipped = [name for name in needed if resource_kind(documents[name]["resource"] or "") == CATALOGS]
        catalogs = dict.fromkeys(shipped, self.given_catalog) if self.given_catalog is not None else {}
        given = {each.name: each.value for each in (self.given, self.beside) if each}
        return {**catalogs, **given, **self.setting.values}

    @property
    def catalog(self) -> str:
        """The catalogue that is given, else the one that the pack takes."""
        if self.given_catalog is not None:
            return self.given_catalog
        resources = [each["resource"] or "" for each in self.pack.meta["documents"].values()]
        own = next((name for name in resources if resource_kind(name) == CATALOGS), "")
        return own.partition("/")[2] or DEFAULT_CATALOG

    def replaced(self) -> str | None:
        """Return where the document beside brings what is judged in the place of the first one's own items."""
        found = replaces(self.pack, self.beside.name, self.beside.value) if self.beside else None
        return found[1] if found else None

    def placed(self, diagnostics: tuple[Diagnostic, ...]) -> list[Diagnostic]:
        """Return findings at their places, after those of the documents themselves."""
        documents = [each.document for each in (self.given, self.beside) if each]
        found = [diagnostic for document in documents for diagnostic in document.diagnostics]
        found += self.setting.diagnostics()
        if not diagnostics:
            return found
        from kernelpath.cli.placing import Placing

        placing = Placing(self)
        return found + [placing.placed(diagnostic) for diagnostic in diagnostics]

    def account(self, judged: Judged, found: Sequence[Diagnostic], format: str) -> Account:
        """Return what a report in a format says besides its findings."""
        from kernelpath.cli.accounts import account_of

        return account_of([judged], found if format == "sarif" else ())

    def sources(self) -> dict[str, Source]:
        """Return the texts that findings may point into."""
        documents = [each.document for each in (self.given, self.beside) if each]
        texts = {document.source.name: document.source for document in documents if document.source.text}
        return texts | self.setting.sources()


def _with(value: Any, path: list[str], new: Any) -> Any:
    """Return an object with another value at a path; what was given stays as it is."""
    if not path:
        return new
    inner = value if isinstance(value, dict) else {}
    return {**inner, path[0]: _with(inner.get(path[0]), path[1:], new)}


def usable_catalog(name: str) -> Any:
    """Return a catalogue's kernels; raises InputErrors where it is none."""
    try:
        return load_catalog(name)
    except PackErrors as errors:
        raise refused(errors) from None


__all__ = ["Judge", "Judged", "refused", "usable_catalog", "usable_pack"]
