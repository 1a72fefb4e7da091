"""Read expressions and messages out of YAML nodes: parse, write functions out, check, and place every problem."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kernelpath.diagnostics import ERROR, Diagnostic, did_you_mean
from kernelpath.diagnostics.render.printable import printable
from kernelpath.language import (
    Checked,
    LanguageErrors,
    Message,
    Names,
    Problem,
    Type,
    Vocabulary,
    check,
    check_message,
    parse,
    parse_message,
    parse_type,
)
from kernelpath.language.ast import Expression, Name
from kernelpath.language.constants import constant_faults
from kernelpath.language.odd_characters import odd_characters
from kernelpath.language.types import JSON, STRING, UNKNOWN, outgrows
from kernelpath.language.wording import odd_in_text
from kernelpath.packs.columns import outer_paths, with_columns, without
from kernelpath.packs.documents import Node, Scalar
from kernelpath.packs.functions import Function, expand
from kernelpath.packs.model import Place, Scope, Term, Text
from kernelpath.packs.nodes import scalars

#: Names that an expression cannot use.
WORDS = frozenset(
    ("if", "then", "else", "any", "all", "count", "in", "for", "and", "or", "not", "true", "false", "null")
)
_BROKEN = Name("a broken function", start=0, end=0)
#: The most that one evaluation of one expression may cost, by the static bound of the language.
MAX_COST = 10_000_000


@dataclass(slots=True)
class TermReader:
    """Reads terms against a pack's types; what is wrong is collected in `diagnostics`.

    `owners` says of what has columns what it is (`table`, `flow`, `pass`). `lost` are owners and columns whose
    declarations are at fault: nothing that reads them is to blame.
    """

    vocabularies: Mapping[str, Vocabulary] = field(default_factory=dict)
    types: Mapping[str, Type] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    columns: Collection[str] = frozenset()
    owners: Mapping[str, str] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    libraries: frozenset[str] | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def names(self, variables: Mapping[str, Type], resolved: frozenset[str] = frozenset()) -> Names:
        """Return what an expression of a scope may name."""
        functions = any(f.body is _BROKEN for f in self.functions.values())
        broken = {_BROKEN.name: UNKNOWN} if functions or self.lost else {}
        return Names({**variables, **broken}, self.vocabularies, resolved, self.libraries)

    @property
    def unknown_value(self) -> Expression:
        """The body of a function that cannot be read: it fits everywhere, so that its calls are not blamed, too."""
        return _BROKEN

    def unknown(self, node: Node, what: str, name: str, known: Iterable[str], otherwise: str | None = None) -> None:
        """Collect a name that there is not, with the one that was meant, or what else would help."""
        names = sorted(known)
        near = did_you_mean(name, names)
        listed = f"known: {', '.join(names)}" if names else None
        help_text = f"did you mean `{near}`?" if near else otherwise or listed
        self.fault(node, f"pack/{what}", f"there is no {what} `{printable(name)}`", help_text)

    def expression(self, text: str) -> Expression:
        """Return the tree of an expression, functions written out and columns as one name; raises LanguageErrors."""
        return self.whole(parse(text))

    def whole(self, expression: Expression) -> Expression:
        """Return an expression with functions written out and columns as one name; raises LanguageErrors."""
        return self._columned(expand(expression, self.functions))

    def _columned(self, expression: Expression) -> Expression:
        """Return an expression with columns as one name; raises LanguageErrors for a column that does not exist."""
        if not self.owners:
            return expression
        paths = [(path, node) for path, node in outer_paths(expression) if path.partition(".")[0] in self.owners]
        lost = [path for path, _ in paths if self._is_lost(path)]
        found = [problem for path, node in paths if (problem := self._unknown_column(path, node))]
        if found:
            raise LanguageErrors(found)
        return with_columns(without(expression, lost, _BROKEN) if lost else expression, self.columns)

    def _is_lost(self, path: str) -> bool:
        """Return whether a path is that of a column whose owner, or whose stage, is at fault."""
        return "." in path and not self.lost.isdisjoint((path.partition(".")[0], path.rpartition(".")[2]))

    def _unknown_column(self, path: str, node: Expression) -> Problem | None:
        """Return what is wrong with a path into a table or a flow that names no column of it."""
        parts = path.split(".")
        owner = max((name for end in range(len(parts)) if (name := ".".join(parts[: end + 1])) in self.owners), key=len)
        known = any(".".join(parts[: end + 1]) in self.columns for end in range(len(parts)))
        if known or owner in self.lost or self._is_lost(path) or (path == owner and self.owners[owner] == "table"):
            return None
        own = [name.removeprefix(f"{owner}.") for name in self.all_columns if name.startswith(f"{owner}.")]
        if path == owner:
            message = f"`{owner}` is a {self.owners[owner]}, not a value"
            return Problem(message, node.start, node.end, f"name one of its columns: {_listed(owner, own)}")
        name = path.removeprefix(f"{owner}.")
        near = did_you_mean(name, own)
        help_text = f"did you mean `{owner}.{near}`?" if near else f"it has {_listed(owner, own)}" if own else None
        message = f"{self.owners[owner]} `{owner}` has no column `{name}`"
        return Problem(message, node.start, node.end, help_text)

    @property
    def all_columns(self) -> list[str]:
        """The dotted names of all columns."""
        return sorted(self.columns)

    def term(
        self, node: Node, names: Names, expected: Type | None = None, given: Sequence[Checked] = ()
    ) -> Term | None:
        """Return the checked expression of a scalar, or None after collecting what is wrong with it."""
        if not isinstance(node, Scalar):
            self.fault(node, "pack/expression", "an expression must be a single value", "put the expression in quotes")
            return None
        try:
            checked = check(self.expression(node.text), names, _wanted(expected), given)
        except LanguageErrors as errors:
            self.problems(node, [_as_text(problem, node.text, expected) for problem in errors.problems])
            return None
        return Term(checked, node.text, place_of(node)) if self._usable(node, checked, expected) else None

    def written(
        self, text: str, node: Node, names: Names, expected: Type | None, given: Sequence[Checked]
    ) -> Term | None:
        """Return the checked term of a text that a node stands for; its problems are placed at the whole node."""
        try:
            checked = check(self.expression(text), names, _wanted(expected), given)
        except LanguageErrors as errors:
            for problem in errors.problems:
                self.fault(node, "pack/expression", problem.message, problem.help)
            return None
        return Term(checked, text, place_of(node)) if self._affordable(node, checked.cost) else None

    def _usable(self, node: Scalar, checked: Checked, expected: Type | None) -> bool:
        """Return whether an expression may have a value, of the length that it may have, at a bearable cost."""
        never = constant_faults(checked)
        self.problems(node, never)
        longer = outgrows(checked.type, expected) if expected else None
        if longer:
            message = f"this gives a list of up to {longer[0]:,} items, and at most {longer[1]:,} are declared"
            self.fault(node, "pack/length", message, "declare a longer list, or give a shorter one")
        return self._affordable(node, checked.cost) and not never and not longer

    def _affordable(self, node: Node, cost: int) -> bool:
        """Return whether an expression keeps within the bound on what one evaluation may cost; says so where not."""
        if cost <= MAX_COST:
            return True
        message = f"this may take {cost:,} steps for one item, and the limit is {MAX_COST:,}"
        self.fault(node, "pack/cost", message, "go over shorter lists, or look a value up by its key")
        return False

    def message(self, text: str) -> Message:
        """Return the pieces of a message template, as `expression` returns its expressions; raises LanguageErrors."""
        pieces = parse_message(text).pieces
        return Message(tuple(p if isinstance(p, str) else self.whole(p) for p in pieces))

    def text(self, node: Node, names: Names, given: Sequence[Checked] = ()) -> Text | None:
        """Return the checked message template of a scalar, or None."""
        if not isinstance(node, Scalar):
            self.fault(node, "pack/message", "a message must be a single text")
            return None
        try:
            checked = check_message(self.message(node.text), names, given)
        except LanguageErrors as errors:
            self.problems(node, errors.problems)
            return None
        expressions = [piece for piece in checked.pieces if isinstance(piece, Checked)]
        never = [problem for expression in expressions for problem in constant_faults(expression)]
        self.problems(node, never)
        return None if never else Text(checked, node.text, place_of(node))

    def type(self, node: Node) -> Type:
        """Return the type that a scalar spells; UNKNOWN after collecting what is wrong with it."""
        if isinstance(node, Scalar):
            try:
                return parse_type(node.text, self.types)
            except LanguageErrors as errors:
                self.problems(node, errors.problems)
        return UNKNOWN

    def problems(self, node: Scalar, problems: Sequence[Problem]) -> None:
        """Collect problems at their places inside a scalar."""
        for problem in problems:
            span = node.text_span(problem.start, max(problem.end, problem.start + 1))
            self.diagnostics.append(
                Diagnostic("pack/expression", (), ERROR, problem.message, span=span, help=problem.help)
            )

    def refuse_odd(self, node: Node) -> bool:
        """Collect the characters of a value's texts that cannot be seen or look like others; return whether any are.

        One that is written as an escape is meant.
        """
        before = len(self.diagnostics)
        for scalar in scalars(node):
            for at, character, plain in odd_characters(scalar.text) if isinstance(scalar.value, str) else ():
                if scalar.source.text.startswith(character, scalar.source_offset(at)):
                    message, help_ = odd_in_text(character, plain)
                    self.problems(scalar, [Problem(message, at, at + 1, help_)])
        return len(self.diagnostics) > before

    def refuse_word(self, node: Scalar) -> None:
        """Collect a name that is a word of the language, so that no expression could use it."""
        if node.text in WORDS:
            self.fault(node, "pack/name", f"`{node.text}` is a word of the language", "choose another name")

    def fault(self, node: Node, code: str, message: str, help_text: str | None = None) -> None:
        """Collect a mistake that concerns a whole node."""
        self.diagnostics.append(Diagnostic(code, (), ERROR, message, span=node.span, help=help_text))


def _listed(owner: str, columns: Sequence[str]) -> str:
    return ", ".join(f"`{owner}.{name}`" for name in columns)


def _as_text(problem: Problem, text: str, expected: Type | None) -> Problem:
    """Return a problem with the help that a text needs quotes of its own, where that is what is wrong."""
    if expected != STRING or problem.help or not text.isidentifier():
        return problem
    help_text = f"a text has quotes inside those of YAML: '\"{text}\"'"
    return Problem(problem.message, problem.start, problem.end, help_text)


def _wanted(expected: Type | None) -> Type | None:
    """An open vocabulary takes any JSON value: its values are the user's own."""
    return JSON if isinstance(expected, Vocabulary) and expected.open else expected


def place_of(node: Node) -> Place:
    """Return where a node starts."""
    span = node.span
    return Place(span.file, span.line, span.column)


def check_rule_place(terms: TermReader, node: Node, scope: Scope) -> None:
    """Refuse a rule's `at` that is not a JSON pointer, or that nothing is below."""
    text = node.text if isinstance(node, Scalar) else ""
    if text and text[0] not in "/{":
        message = f"`{printable(text[:40])}` is not a JSON pointer below the place of the item"
        terms.fault(node, "pack/at", message, "begin it with `/`")
    elif scope.at is None:
        message = f"rows of `{scope.name}` have no place, so that a finding has none either"
        help_text = f"give the table an `at`, such as `order#{text.partition('{')[0]}`"
        terms.fault(node, "pack/at", message, help_text)
