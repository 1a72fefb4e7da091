"""From the language server's own values to those of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from lsprotocol import types

from kernelpath.diagnostics import Diagnostic, Source, Span
from kernelpath.lsp.features.actions import Action
from kernelpath.lsp.features.folding import Fold
from kernelpath.lsp.features.hover import Hover
from kernelpath.lsp.features.suggestion import Suggestion
from kernelpath.lsp.manifests.telling import Hint
from kernelpath.lsp.symbols.occurrence import Edit, Location
from kernelpath.lsp.texts.places import Places

SOURCE = "kernelpath"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_KINDS = {
    "key": types.CompletionItemKind.Property,
    "variable": types.CompletionItemKind.Variable,
    "field": types.CompletionItemKind.Field,
    "function": types.CompletionItemKind.Function,
    "value": types.CompletionItemKind.EnumMember,
    "keyword": types.CompletionItemKind.Keyword,
    "type": types.CompletionItemKind.Class,
    "file": types.CompletionItemKind.File,
}

#: Gives the source of a path, None where it cannot be read.
SourceOf = Callable[[Path], Source | None]


class Translator:
    """Translates places by the texts that `source_of` gives, in the code units that client and server agreed on.

    `uri_of` gives the URI by which the client knows a path.
    """

    def __init__(self, source_of: SourceOf, uri_of: Callable[[Path], str], encoding: str) -> None:
        self.source_of = source_of
        self.uri_of = uri_of
        self.encoding = encoding

    def range(self, source: Source, start: int, end: int) -> types.Range:
        """Return a stretch of a source by offsets."""
        places = Places(source, self.encoding)
        return types.Range(types.Position(*places.place(start)), types.Position(*places.place(end)))

    def span(self, span: Span | None) -> types.Range:
        """Return a span; the start of its file where the file cannot be read."""
        source = self.source_of(Path(span.file)) if span else None
        if source is None or span is None:
            return types.Range(types.Position(0, 0), types.Position(0, 0))
        return self.range(source, *Places(source).bounds(span))

    def location(self, found: Location) -> types.Location:
        """Return a location; its whole file where the file cannot be read."""
        source = self.source_of(found.path) or Source("", "")
        return types.Location(self.uri_of(found.path), self.range(source, found.start, found.end))

    def diagnostic(self, found: Diagnostic) -> types.Diagnostic:
        """Return a finding: its help below its message, its second places as related ones."""
        return types.Diagnostic(
            range=self.span(found.span),
            message=f"{found.message}\nhelp: {found.help}" if found.help else found.message,
            severity=_SEVERITIES[found.severity],
            code=found.rule,
            source=SOURCE,
            related_information=[
                types.DiagnosticRelatedInformation(
                    types.Location(self.uri_of(Path(label.span.file)), self.span(label.span)), label.text
                )
                for label in found.secondary
            ],
        )

    def edit(self, edits: Iterable[Edit]) -> types.WorkspaceEdit:
        """Return edits of any files."""
        changes: dict[str, list[types.TextEdit]] = {}
        for edit in edits:
            changes.setdefault(self.uri_of(edit.path), []).append(self.text_edit(edit))
        return types.WorkspaceEdit(changes=dict(changes))

    def text_edit(self, edit: Edit) -> types.TextEdit:
        """Return one edit of a file."""
        source = self.source_of(edit.path) or Source("", "")
        return types.TextEdit(self.range(source, edit.start, edit.end), edit.text)

    def action(self, found: Action) -> types.CodeAction:
        """Return a quick fix of a finding."""
        return types.CodeAction(
            title=found.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[self.diagnostic(found.finding)],
            edit=self.edit(found.edits),
            is_preferred=found.preferred,
        )

    def item(self, source: Source, suggestion: Suggestion) -> types.CompletionItem:
        """Return a suggestion."""
        stretch = self.range(source, suggestion.start, suggestion.end)
        return types.CompletionItem(
            label=suggestion.label,
            kind=_KINDS[suggestion.kind],
            detail=suggestion.detail or None,
            documentation=_markdown(suggestion.doc) if suggestion.doc else None,
            sort_text=f"{suggestion.rank} {suggestion.label}",
            filter_text=suggestion.label,
            text_edit=types.TextEdit(stretch, suggestion.text),
        )

    def hover(self, source: Source, found: Hover) -> types.Hover:
        """Return what is told of a stretch."""
        return types.Hover(_markdown(found.text), self.range(source, found.start, found.end))

    def hint(self, source: Source, found: Hint) -> types.InlayHint:
        """Return a hint behind a text."""
        place = types.Position(*Places(source, self.encoding).place(found.offset))
        return types.InlayHint(place, found.text, types.InlayHintKind.Type, None, _markdown(found.about), True)


def fold(found: Fold) -> types.FoldingRange:
    """Return lines that can be folded."""
    kind = types.FoldingRangeKind.Comment if found.is_comment else types.FoldingRangeKind.Region
    return types.FoldingRange(found.first, found.last, kind=kind)


def _markdown(text: str) -> types.MarkupContent:
    return types.MarkupContent(types.MarkupKind.Markdown, text)
