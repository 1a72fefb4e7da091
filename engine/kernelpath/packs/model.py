"""What a pack is once it is read and checked: rules, scopes, stages, flows and programs, each with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kernelpath.language import Checked, CheckedMessage, Type, Vocabulary
from kernelpath.packs.functions import Function


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is written: a file (relative to its pack's parent folder), a line and a column, from 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Term:
    """A checked expression and its place."""

    checked: Checked
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Text:
    """A checked message template and its place."""

    checked: CheckedMessage
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Rule:
    """What every kind of rule has; `name` is the file's stem, `stage` its folder, `identity` the whole path."""

    identity: str
    stage: str
    name: str
    kind: str
    place: Place
    summary: str
    why: str
    decisions: tuple[str, ...]
    severity: str
    scope: str
    order: float
    lets: tuple[tuple[str, Term], ...] = ()
    when: Term | None = None


@dataclass(frozen=True, slots=True)
class Check(Rule):
    """A condition that must hold, else its message is reported; `stop` ends the item's walk."""

    holds: Term = field(default=None)  # type: ignore[assignment]
    message: Text = field(default=None)  # type: ignore[assignment]
    help: Text | None = None
    subject: Text | None = None
    at: Text | None = None
    fix: Mapping[str, object] | None = None
    stop: bool = False
    verdicts: tuple[str, ...] = ()
    verdict_places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to give a resolved variable its value, with the provenance that the value then has."""

    when: Term | None
    value: Term
    source: Term
    place: Place


@dataclass(frozen=True, slots=True)
class Resolve(Rule):
    """The first candidate that applies gives `variable` its value."""

    variable: str = ""
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Transition(Rule):
    """What a visit leaves in a slot."""

    slot: Term = field(default=None)  # type: ignore[assignment]
    value: Term = field(default=None)  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a decision table: when it applies, and its output, or the member that it puts into a record."""

    when: Term | None
    value: Term
    path: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Table(Rule):
    """A decision table that gives `variable`.

    Hit policy `first` and `unique` give one row's value; `build` puts every applying row's value at the row's path of
    a new object that starts as a copy of `base`.
    """

    variable: str = ""
    hit: str = "first"
    base: Term | None = None
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordField:
    """A field of a record: its type, and the expression that reads it where the engine builds the record."""

    name: str
    type: Type
    value: Term | None
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class RecordShape:
    """A record type; `scope` is the scope whose items it is read from, once they passed the stages in `after`."""

    name: str
    fields: tuple[RecordField, ...]
    scope: str | None
    after: tuple[str, ...]
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class Scope:
    """Which variables a rule sees.

    `item` is the variable that `over` binds to each element in turn, `index` the one that counts them. `given` are
    variables that rules of the stage resolve; `locals` are those that the engine sets for each item (slot reads).
    """

    name: str
    variables: Mapping[str, Type]
    given: Mapping[str, Type]
    locals: Mapping[str, Type]
    item: str | None
    over: Term | None
    index: str | None
    subject: Text | None
    at: Text | None
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class Parts:
    """How an unrolled flow goes through its items.

    `of` is an item's part and `order` the parts in turn. The part `repeated` is visited `count` times (a value), each
    time with the items whose `on` is no list or has the repetition's number. Where an item's outcome differs between
    repetitions, `split` names the member of what is collected that gets their numbers.
    """

    of: Term
    order: tuple[str, ...]
    repeated: str
    on: Term
    count: str
    split: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Flow:
    """How a stage's items are visited while slots carry values from one to the next.

    The order is `listed`, or `unrolled` over `parts`.
    """

    name: str
    stage: str
    order: str
    reads: tuple[tuple[str, Term], ...]
    visits: Term | None
    type: Type
    parts: Parts | None
    place: Place


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a program: its verb, its raw settings, its expressions, and which stages it needs to have passed."""

    verb: str
    name: str
    settings: Mapping[str, object]
    terms: Mapping[str, Term]
    needs: tuple[str, ...]
    when: Term | None
    place: Place


@dataclass(frozen=True, slots=True)
class Program:
    """A named sequence of entries that turns inputs into one value."""

    name: str
    inputs: tuple[str, ...]
    entries: tuple[Entry, ...]
    value: Term
    always: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Stage:
    """A folder of rules in evaluation order; an item that comes here passed the stages in `after`."""

    name: str
    scope: str
    doc: str
    rules: tuple[Rule, ...]
    after: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Pack:
    """A checked pack; `digest` is the content digest of every file that it was read from, `extends` included."""

    name: str
    summary: str
    digest: str
    vocabularies: Mapping[str, Vocabulary]
    records: Mapping[str, RecordShape]
    values: Mapping[str, Type]
    constants: Mapping[str, object]
    functions: Mapping[str, Function]
    scopes: Mapping[str, Scope]
    stages: Mapping[str, Stage]
    flows: Mapping[str, Flow]
    programs: Mapping[str, Program]
    decisions: Mapping[str, str]
    fixes: Mapping[str, object]
    chain: tuple[str, ...]

    def rules(self) -> tuple[Rule, ...]:
        """Return every rule of every stage, in stage order and evaluation order."""
        return tuple(rule for stage in self.stages.values() for rule in stage.rules)
