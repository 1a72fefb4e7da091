"""The language server: it hands the protocol's requests to functions of texts, and their answers back."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from kernelpath.diagnostics import Source
from kernelpath.lsp.features.actions import actions
from kernelpath.lsp.features.completion import complete
from kernelpath.lsp.features.definition import definition, references
from kernelpath.lsp.features.folding import folds
from kernelpath.lsp.features.formatting import formatted
from kernelpath.lsp.features.hover import hover
from kernelpath.lsp.features.rename import RenameRefused, renamable, rename
from kernelpath.lsp.manifests.completion import manifest_complete
from kernelpath.lsp.manifests.fixing import manifest_actions
from kernelpath.lsp.manifests.judging import Judge
from kernelpath.lsp.manifests.navigation import manifest_definition, manifest_references
from kernelpath.lsp.manifests.telling import hints, manifest_hover
from kernelpath.lsp.manifests.view import view
from kernelpath.lsp.protocol import Translator, fold
from kernelpath.lsp.texts.changes import Stretch, changed
from kernelpath.lsp.texts.places import UTF16, Places
from kernelpath.lsp.workspace import MANIFEST, Document, Workspace
from kernelpath.packs.documents import DocumentErrors

Answer = TypeVar("Answer")
TRIGGERS = [".", '"', "'", "{", "[", " ", ":"]
LINT_DELAY = 0.4  # seconds without a key until a pack is linted
_WATCHED = ("**/*.yaml",)


class KernelpathServer(LanguageServer):
    """Knows the workspace, and what was published of each file."""

    def __init__(self, version: str) -> None:
        # Whole texts are exchanged: what the server reads is what the editor shows, whatever characters are in it.
        super().__init__("kernelpath", version, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.known = Workspace()
        self.lint_delay: float | None = LINT_DELAY
        self._lint_timer: asyncio.TimerHandle | None = None
        self.uris: dict[Path, str] = {}
        self.published: dict[Path, list[types.Diagnostic]] = {}

    @property
    def translator(self) -> Translator:
        """What turns offsets into the client's places."""
        return Translator(self.source_of, self.uri_of, self.encoding)

    @property
    def encoding(self) -> str:
        """The code units in which the client counts characters."""
        agreed = self.server_capabilities.position_encoding or UTF16
        return agreed.value if isinstance(agreed, types.PositionEncodingKind) else agreed

    def source_of(self, path: Path) -> Source | None:
        """Return a file's text, None where it cannot be read."""
        try:
            return self.known.files.source(path)
        except DocumentErrors:
            return None

    def uri_of(self, path: Path) -> str:
        """Return the URI of a path in the spelling that the client has for it: there are several for one file."""
        return self.uris.get(path) or path.absolute().as_uri()

    def set_text(self, path: Path, text: str, version: int | None) -> None:
        """Take a text as the editor has it now, and publish what is wrong."""
        self.known.files.open[path] = text
        with collector_paused():
            self.known.refresh(path)
            self.publish(path, version)
        self.lint_soon()

    def lint_soon(self) -> None:
        """Lint once nobody has typed for a while, so that no key waits for it."""
        if self._lint_timer:
            self._lint_timer.cancel()
        if self.lint_delay is not None:
            self._lint_timer = asyncio.get_running_loop().call_later(self.lint_delay, self._lint)

    def _lint(self) -> None:
        self.known.lint()
        self.publish()

    def publish(self, path: Path | None = None, version: int | None = None) -> None:
        """Publish the findings of every file in which they changed, and always those of one that was just edited."""
        translator = self.translator
        found = {file: [translator.diagnostic(one) for one in own] for file, own in self.known.findings().items()}
        for file in sorted({*found, *self.published, *([path] if path else [])}):
            new = found.get(file, [])
            if file == path or self.published.get(file, []) != new:
                number = version if file == path else None
                told = types.PublishDiagnosticsParams(self.uri_of(file), new, number)
                self.text_document_publish_diagnostics(told)
        self.published = {file: new for file, new in found.items() if new}

    def at(self, document: types.TextDocumentIdentifier, place: types.Position) -> tuple[Document, int] | None:
        """Return the document and the offset of a place in it; None for a file that is none of ours."""
        path = path_of(document.uri)
        found = self.known.document(path) if path else None
        if found is None:
            return None
        return found, Places(found.source, self.encoding).offset(place.line, place.character)

    def document(self, document: types.TextDocumentIdentifier) -> Document | None:
        """Return a document; None for a file that is none of ours."""
        path = path_of(document.uri)
        return self.known.document(path) if path else None


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cycle collector while a key is answered: a pack is many objects, and each pass over them is felt."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def path_of(uri: str) -> Path | None:
    """Return the path that a URI names, None where it names no file."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return Path(path) if path else None


def make_server(version: str = "0") -> KernelpathServer:
    """Return a server with all its features, not started yet."""
    server = KernelpathServer(version)
    for register in (_lifecycle, _texts, _help, _navigation, _changes):
        register(server)
    return server


def _lifecycle(server: KernelpathServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        options: Any = params.initialization_options
        settings = options if isinstance(options, dict) else {}
        given = {key: str(settings[key]) for key in ("pack", "catalog") if settings.get(key)}
        folders = [folder.uri for folder in params.workspace_folders or ()]
        root = next((path_of(uri) for uri in (params.root_uri, *folders) if uri), None)
        if root and "pack" in given and (root / given["pack"]).is_dir():
            given["pack"] = str(root / given["pack"])
        server.known.judge = Judge(**given)
        delay = settings.get("lintDelay", LINT_DELAY)
        server.lint_delay = float(delay) if isinstance(delay, int | float) and delay >= 0 else None

    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        files = (
            server.client_capabilities.workspace.did_change_watched_files
            if server.client_capabilities.workspace
            else None
        )
        if files and files.dynamic_registration:
            watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            wanted = types.Registration("watch", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            server.client_register_capability(types.RegistrationParams([wanted]))


def _texts(server: KernelpathServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        if path:
            server.uris[path] = params.text_document.uri
            server.set_text(path, params.text_document.text, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def edited(params: types.DidChangeTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        if path is None:
            return
        text = server.known.files.open.get(path, "")
        for change in params.content_changes:
            text = changed(text, _stretch(change), change.text, server.encoding)
        server.set_text(path, text, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        if path:
            server.known.close(path)
            server.known.refresh(path)
            server.publish()
            server.lint_soon()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        for path in filter(None, (path_of(change.uri) for change in params.changes)):
            server.known.refresh(path)
        server.publish()
        server.lint_soon()

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        if path:
            server.known.refresh(path)
            server.publish()


def _stretch(change: types.TextDocumentContentChangeEvent) -> Stretch | None:
    if isinstance(change, types.TextDocumentContentChangePartial):
        start, end = change.range.start, change.range.end
        return (start.line, start.character), (end.line, end.character)
    return None


def _help(server: KernelpathServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=TRIGGERS))
    def completion(params: types.CompletionParams) -> types.CompletionList:
        place = server.at(params.text_document, params.position)
        if place is None:
            return types.CompletionList(False, [])
        document, offset = place
        manifest = document.kind == MANIFEST
        found = manifest_complete(view(server.known, document), offset) if manifest else complete(server.known, *place)
        return types.CompletionList(False, [server.translator.item(document.source, one) for one in found])

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def told(params: types.HoverParams) -> types.Hover | None:
        place = server.at(params.text_document, params.position)
        if place is None:
            return None
        document, offset = place
        manifest = document.kind == MANIFEST
        found = manifest_hover(view(server.known, document), offset) if manifest else hover(server.known, *place)
        return server.translator.hover(document.source, found) if found else None

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def inlay(params: types.InlayHintParams) -> list[types.InlayHint]:
        document = server.document(params.text_document)
        if document is None or document.kind != MANIFEST:
            return []
        found = [server.translator.hint(document.source, hint) for hint in hints(view(server.known, document))]
        return [one for one in found if params.range.start <= one.position <= params.range.end]

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        document = server.document(params.text_document)
        return [fold(one) for one in folds(document)] if document else []


def _navigation(server: KernelpathServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def declared(params: types.DefinitionParams) -> list[types.Location]:
        place = server.at(params.text_document, params.position)
        if place is None:
            return []
        manifest = place[0].kind == MANIFEST
        found = (
            manifest_definition(view(server.known, place[0]), place[1])
            if manifest
            else definition(server.known, *place)
        )
        return [server.translator.location(one) for one in found]

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def named(params: types.ReferenceParams) -> list[types.Location]:
        place = server.at(params.text_document, params.position)
        if place is None:
            return []
        if place[0].kind == MANIFEST:
            found = manifest_references(view(server.known, place[0]), place[1])
        else:
            found = references(server.known, *place, declared=params.context.include_declaration)
        return [server.translator.location(one) for one in found]


def _changes(server: KernelpathServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(params: types.PrepareRenameParams) -> types.Range | None:
        place = server.at(params.text_document, params.position)
        if place is None or place[0].kind == MANIFEST:
            return None
        found = _asked(lambda: renamable(server.known, *place))
        return server.translator.range(place[0].source, found.start, found.end)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def renamed(params: types.RenameParams) -> types.WorkspaceEdit | None:
        place = server.at(params.text_document, params.position)
        if place is None or place[0].kind == MANIFEST:
            return None
        edits = _asked(lambda: rename(server.known, *place, params.new_name))
        return server.translator.edit(edits)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix]))
    def fixes(params: types.CodeActionParams) -> list[types.CodeAction]:
        first = server.at(params.text_document, params.range.start)
        last = server.at(params.text_document, params.range.end)
        if first is None or last is None:
            return []
        path = first[0].path
        findings = server.known.findings().get(path, [])
        found = actions(server.known.files, findings, path, first[1], last[1])
        if first[0].kind == MANIFEST:
            found += manifest_actions(view(server.known, first[0]), findings, first[1], last[1])
        return [server.translator.action(one) for one in found]

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def canonical(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        document = server.document(params.text_document)
        return [server.translator.text_edit(edit) for edit in formatted(document)] if document else []


def _asked(ask: Callable[[], Answer]) -> Answer:
    """Return an answer; what refuses a name is told to the user as the request's error."""
    try:
        return ask()
    except RenameRefused as refused:
        raise JsonRpcInvalidParams(str(refused)) from None
