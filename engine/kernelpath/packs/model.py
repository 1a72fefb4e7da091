"""What a pack is once it is read and checked: documents, values, tables of items, flows, stages of rules, questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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
    """What every kind of rule has.

    `name` is the file's stem, `stage` its folder, `identity` the whole path; `paths` are the dotted paths that it
    reads.
    """

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
    lets: tuple[tuple[str, Term], ...] = ()
    when: Term | None = None
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check(Rule):
    """A condition that must be true, else its message is reported.

    `guards` are the paths that no other rule may read where the check failed, such as `held` or `step.profile`. A row
    is kept from the rules of the same stage; a value of the request is missing everywhere.
    """

    holds: Term = field(default=None)  # type: ignore[assignment]
    message: Text = field(default=None)  # type: ignore[assignment]
    help: Text | None = None
    subject: Text | None = None
    at: Text | None = None
    fix: Mapping[str, object] | None = None
    guards: tuple[str, ...] = ()


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
    """The value of a slot after a visit."""

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
class RecordShape:
    """A record type: its fields in order, each with its type."""

    name: str
    fields: Mapping[str, Type]
    docs: Mapping[str, str]
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class Scope:
    """Which variables a rule sees.

    `variables` are all of them. `row` names the variables that one row of the table gives, in the order of the row's
    parts: a row with one part is that part. `index` counts the rows of the list that the row stands in. `given` are the
    variables that rules of the stage resolve; `locals` are those that a flow sets for each visit. `whole` names the
    values that belong to the table as a whole, and the cell of each: `first_of` is `written_steps.first_of`.
    """

    name: str
    variables: Mapping[str, Type]
    given: Mapping[str, Type]
    locals: Mapping[str, Type]
    row: tuple[str, ...]
    index: str | None
    subject: Text | None
    at: Text | None
    doc: str
    place: Place
    whole: Mapping[str, str] = field(default_factory=dict)

    @property
    def item(self) -> str | None:
        """The variable that is bound to the item itself, None for the request as a whole."""
        return self.row[0] if self.row else None

    @property
    def nested(self) -> bool:
        """Whether a row has its index among its parts, since it stands in the list of another table's row."""
        return self.index is not None and self.index in self.row

    @property
    def own(self) -> frozenset[str]:
        """The variables that a row, its index and a flow bind."""
        return frozenset((*self.row, *([self.index] if self.index else []), *self.locals))


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a document, at a pointer, that a file may be alone; `resembles` is as a document has it."""

    when: Term
    resembles: Term | None
    at: str


@dataclass(frozen=True, slots=True)
class Instead:
    """When a document replaces the items of another one (`of`), and the pointer of what they are made of."""

    of: str
    when: Term
    at: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document that a pack judges: how a file is recognised as one, and what its shape is.

    `resembles` says which files that no pack recognises are meant as one. `part` says when a file is only the part of
    the document at a pointer, and `named` which member identifies it. `completed` is the document that a file stands
    for, `options` has the members that options of the command line set, and `holds` other documents that are parts of
    it. `instead` says when its file replaces the items of another document.
    `over` says how the document changes another one: `layers` has its members that lie over places of that one, and
    `merged` the value that is made of both; `own` names values that are the other's alone; `patch` says which `member`
    patches a list, which `value` holds it, which value is the `result`, and with which `options`.
    """

    name: str
    type: Type
    doc: str
    optional: bool
    recognise: Term | None
    resembles: Term | None
    part: Part | None
    completed: Term | None
    named: str | None
    options: Mapping[str, str]
    holds: Mapping[str, str]
    instead: Instead | None
    resource: str | None
    shape: str | None
    over: Mapping[str, Any] | None
    place: Place


@dataclass(frozen=True, slots=True)
class Ask:
    """Another question that a value is the answer of, and the documents and inputs that it is asked with.

    `places` has, for a document that is a part of another one, where that part is: `config#/section`.
    """

    question: str
    given: Mapping[str, Term]
    places: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Column:
    """A field of a record: of a table's rows, over the rows of the table that they are made of, or of a value."""

    name: str
    type: Type
    term: Term
    doc: str
    decisions: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Value:
    """A named value, defined once: by an expression, by the fields of a record, or by the answer to another question.

    It is null where `when` is false. It is missing where something that it reads is missing or a stage in `after`
    failed, unless `otherwise` says what it is then. An `input` may be given another value by whoever asks a question.
    """

    name: str
    type: Type
    term: Term | None
    fields: tuple[Column, ...]
    ask: Ask | None
    when: Term | None
    otherwise: Term | None
    after: tuple[str, ...]
    input: bool
    doc: str
    decisions: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Items:
    """A table whose rows rules are asked for.

    Its rows are the elements of the list that `of` gives; or they are made of another table's rows (`source`), one
    record each with the `columns`, where that row passed the stages in `after`. A table that is `like` another one has
    its variables and its rules; the rows of one and the same list are judged once.
    """

    name: str
    scope: Scope
    over: Term | None
    source: str | None
    within: str | None
    like: str | None
    record: str | None
    columns: tuple[Column, ...]
    when: Term | None
    after: tuple[str, ...]
    doc: str
    decisions: tuple[str, ...]
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
    count: Term
    split: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass of a flow over its rows.

    The slots start with the named values, or with those that another pass left (`start_from`); `carry` is the pass
    whose other slots are kept. A pass that `settles` is repeated until the slots at its start are those of an earlier
    round.
    """

    name: str
    start: Mapping[str, Term]
    start_from: str | None
    carry: str | None
    settles: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Flow:
    """How the rows of a table are visited while slots carry values from one to the next; its rows are visits.

    `word` is the variable that holds the name of the pass.
    """

    name: str
    over: str
    scope: Scope
    reads: tuple[tuple[str, Term], ...]
    visits: Term | None
    type: Type
    word: str | None
    parts: Parts | None
    passes: Mapping[str, Pass]
    doc: str
    decisions: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Stage:
    """A folder of rules in evaluation order, and what they are asked for: the request, rows of tables, or visits.

    `gives` are the variables that its rules resolve. An item that comes here passed the stages in `after`.
    `questions` ask the stage; others do so only where they need what it gives.
    """

    name: str
    each: tuple[str, ...]
    scope: str
    doc: str
    rules: tuple[Rule, ...]
    gives: Mapping[str, Type]
    after: tuple[str, ...]
    when: Term | None
    questions: tuple[str, ...]
    decisions: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Question:
    """What one can ask of a pack: documents in, one answer out.

    Where `when` is false nothing is judged, and the answer is `otherwise` (null unless it is said). A question that is
    `always` answered has its answer also beside errors. `inputs` gives values that are inputs another value. `request`
    says which member of a recorded request is which document, or which part of one. `matrix` says that a matrix asks
    it, and `shows` what is then shown beside the answer.
    """

    name: str
    given: tuple[str, ...]
    inputs: Mapping[str, Term]
    answer: Term
    when: Term | None
    otherwise: Term | None
    always: bool
    request: Mapping[str, str]
    doc: str
    decisions: tuple[str, ...]
    place: Place
    matrix: bool = False
    shows: Mapping[str, Term] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pack:
    """A checked pack; `digest` is the content digest of every file that it was read from, bases included.

    `cells` has the type of all that an expression may name: documents, constants, values, tables, what stages give, and
    columns under dotted names such as `steps.emitted` and `shop.paint.coat`. `data` has, for constants that a library
    made of data, the name of the type and the data.
    """

    name: str
    summary: str
    digest: str
    vocabularies: Mapping[str, Vocabulary]
    records: Mapping[str, RecordShape]
    constants: Mapping[str, object]
    data: Mapping[str, tuple[str, object]]
    functions: Mapping[str, Function]
    documents: Mapping[str, Document]
    values: Mapping[str, Value]
    items: Mapping[str, Items]
    flows: Mapping[str, Flow]
    stages: Mapping[str, Stage]
    questions: Mapping[str, Question]
    cells: Mapping[str, Type]
    scopes: Mapping[str, Scope]
    plans: Mapping[str, Plan]
    fixes: Mapping[str, object]
    libraries: tuple[str, ...]
    chain: tuple[str, ...]

    def rules(self) -> tuple[Rule, ...]:
        """Return every rule of every stage, in stage order and evaluation order."""
        return tuple(rule for stage in self.stages.values() for rule in stage.rules)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a plan: a value that is computed, rows that are made, stages that are asked, or a pass of a flow.

    `kind` is `value`, `input`, `table`, `stages` or `pass`, and `name` what it is of. `needs` are stages that must not
    have failed, `keeps` the columns or variables that are kept, under their names.
    """

    kind: str
    name: str
    stages: tuple[str, ...] = ()
    table: str | None = None
    needs: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """In which order a question's cells are computed: first those that say whether it applies, then the others."""

    question: str
    gate: tuple[Step, ...]
    steps: tuple[Step, ...]
    inputs: tuple[str, ...]
