"""Write the fused function of stages: all their rules, inlined, over all rows, until one row fails.

The function stops at the first item that breaks a rule and returns its position; the engine then looks at that item
rule by rule, collecting diagnostics, and calls the function again for the rest. So a document without faults pays for
no bookkeeping at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from kernelpath.packs.model import Check, Flow, Resolve, Row, Rule, Scope, Stage, Table, Term, Transition
from kernelpath.packs.python_text import ExpressionWriter, Lines, identifier, local_name, source_name
from kernelpath.packs.reads import deciding_lets, gives, sources_read, variables_read
from kernelpath.packs.row_text import target


class FusedWriter:
    """Writes one fused function; `collected` are the variables whose value of each item is appended to `out`."""

    def __init__(
        self, name: str, stages: Sequence[Stage], scope: Scope, flow: Flow | None, expressions: ExpressionWriter
    ) -> None:
        self.name = name
        self.expressions = expressions
        self.scope = scope
        self.flow = flow
        self.rules = [rule for stage in stages for rule in stage.rules]
        self.sources = {name for rule in self.rules for name in sources_read(rule)}

    def function(self, collected: Sequence[str]) -> list[str]:
        """Return the function's lines for the variables that the walk collects."""
        body = Lines()
        self._item(body)
        for rule in self._in_order():
            self._rule(rule, body)
        for variable in collected:
            body.add(f"out_{local_name(variable)}.append({local_name(variable)})")
        if not body.text:
            body.add("pass")  # a stage without rules lets every item pass
        return self._frame(collected, body)

    def _in_order(self) -> list[Rule]:
        """Return the rules with transitions last: an item that fails must leave the slots as it found them.

        No rule of the item itself sees what a transition writes, so nothing else changes.
        """
        return sorted(self.rules, key=lambda rule: isinstance(rule, Transition))

    def _frame(self, collected: Sequence[str], body: Lines) -> list[str]:
        lines = Lines()
        lines.add(f"def {self.name}(items, start, ws, slots, out):")
        with lines.indented():
            for name in self.workspace_names():
                lines.add(f"{local_name(name)} = ws[{name!r}]")
            for variable in collected:
                lines.add(f"out_{local_name(variable)} = out[{variable!r}]")
            lines.add("position = start")
            lines.add("try:")
            with lines.indented():
                lines.add(f"for {target(self.scope)} in enumerate(islice(items, start, None), start):")
                with lines.indented():
                    lines.extend(body)
                    if not body.text:
                        lines.add("pass")
            lines.add("except EvaluationError:")
            lines.add("    return position")
            lines.add("return len(items)")
        return lines.text

    def workspace_names(self) -> list[str]:
        """Return the workspace values that the rules read, each bound to a local once."""
        own = {*self.scope.row, self.scope.index} | self._given() | self._reads()
        used = {name for rule in self.rules for name in variables_read(rule)}
        if self.flow:
            terms = [term for _, term in self.flow.reads] + ([self.flow.visits] if self.flow.visits else [])
            used |= {name for term in terms for name in term.checked.variables}
        return sorted(used - own - {"slots"})

    def _given(self) -> set[str]:
        return {name for rule in self.rules if (name := gives(rule))}

    def _reads(self) -> set[str]:
        return {name for name, _ in self.flow.reads} if self.flow else set()

    def _item(self, body: Lines) -> None:
        """Write what precedes the rules: a gap ends the fast path, items not visited are passed over, slots read."""
        if self.scope.index and not self.scope.nested:
            body.add(f"{local_name(self.scope.index)} = position")
        if not self.flow:
            return
        item = local_name(self.scope.item or "_item")
        body.add(f"if {item} is None:")
        body.add("    return position")
        if self.flow.visits:
            body.add(f"if not ({self._expression(self.flow.visits)}):")
            body.add("    continue")
        for name, key in self.flow.reads:
            body.add(f"{local_name(name)} = slots.get({self._expression(key)})")

    def _rule(self, rule: Rule, body: Lines) -> None:
        body.add(f"# {rule.stage}/{rule.name}")
        lets = {name: f"{identifier(rule.name)}__{name}_let" for name, _ in rule.lets}
        for name, term in deciding_lets(rule):
            body.add(f"{lets[name]} = {self._expression(term, lets)}")
        match rule:
            case Check():
                self._check(rule, lets, body)
            case Resolve():
                self._resolve(rule, lets, body)
            case Transition():
                self._transition(rule, lets, body)
            case Table():
                self._table(rule, lets, body)

    def _check(self, rule: Check, lets: Mapping[str, str], body: Lines) -> None:
        holds = self._expression(rule.holds, lets)
        when = f"({self._expression(rule.when, lets)}) and " if rule.when else ""
        body.add(f"if {when}not ({holds}):")
        body.add("    return position")

    def _guarded(self, rule: Rule, lets: Mapping[str, str], body: Lines, otherwise: str) -> bool:
        """Open `if when:` for a rule with a condition; the caller indents what follows."""
        if not rule.when:
            return False
        if otherwise:
            body.add(otherwise)
        body.add(f"if {self._expression(rule.when, lets)}:")
        return True

    def _resolve(self, rule: Resolve, lets: Mapping[str, str], body: Lines) -> None:
        target = local_name(rule.variable)
        unset = f"{target} = None" + (f"; {source_name(rule.variable)} = ''" if rule.variable in self.sources else "")
        guarded = self._guarded(rule, lets, body, unset)
        with body.indented(guarded):
            choices = [(candidate.when, self._assign(rule.variable, candidate, lets)) for candidate in rule.candidates]
            self._chain(choices, lets, body, [unset])

    def _assign(self, variable: str, candidate: object, lets: Mapping[str, str]) -> list[str]:
        value, source = candidate.value, candidate.source  # type: ignore[attr-defined]
        lines = [f"{local_name(variable)} = {self._expression(value, lets)}"]
        if variable in self.sources:
            lines.append(f"{source_name(variable)} = {self._expression(source, lets)}")
        return lines

    def _chain(
        self,
        choices: Iterable[tuple[Term | None, list[str]]],
        lets: Mapping[str, str],
        body: Lines,
        otherwise: list[str],
    ) -> None:
        """Write `if … elif … else` over the choices; the first without a condition ends the chain."""
        first = True
        for when, assignments in choices:
            if when is None:
                self._else(first, assignments, body)
                return
            body.add(f"{'if' if first else 'elif'} {self._expression(when, lets)}:")
            with body.indented():
                body.add_all(assignments)
            first = False
        self._else(first, otherwise, body)

    @staticmethod
    def _else(alone: bool, assignments: list[str], body: Lines) -> None:
        if not alone:
            body.add("else:")
        with body.indented(not alone):
            body.add_all(assignments)

    def _transition(self, rule: Transition, lets: Mapping[str, str], body: Lines) -> None:
        guarded = self._guarded(rule, lets, body, "")
        with body.indented(guarded):
            body.add(f"slots[{self._expression(rule.slot, lets)}] = {self._expression(rule.value, lets)}")

    def _table(self, rule: Table, lets: Mapping[str, str], body: Lines) -> None:
        target = local_name(rule.variable)
        guarded = self._guarded(rule, lets, body, f"{target} = None")
        with body.indented(guarded):
            if rule.hit == "build":
                self._build(rule, lets, body)
            elif rule.hit == "collect":
                self._collect(rule, lets, body)
            else:
                if rule.hit == "unique":
                    self._unique(rule, lets, body)
                rows = [(row.when, [f"{target} = {self._expression(row.value, lets)}"]) for row in rule.rows]
                self._chain(rows, lets, body, [f"{target} = None"])

    def _unique(self, rule: Table, lets: Mapping[str, str], body: Lines) -> None:
        """Leave the fused path where several rows apply at once: that is a fault, and told rule by rule."""
        applies = [f"({self._expression(row.when, lets)})" if row.when else "1" for row in rule.rows]
        body.add(f"if {' + '.join(applies)} > 1:")
        body.add("    return position")

    def _collect(self, rule: Table, lets: Mapping[str, str], body: Lines) -> None:
        target = local_name(rule.variable)
        body.add(f"{target} = []")
        for row in rule.rows:
            with self._row(row, lets, body):
                body.add(f"{target}.append({self._expression(row.value, lets)})")

    def _build(self, rule: Table, lets: Mapping[str, str], body: Lines) -> None:
        """Write one dict display of the rows up to the first condition, an assignment for each other, the base last.

        The rows make an object of their own, so that nothing of the base is ever changed; members stand in the order
        of the rows.
        """
        target = local_name(rule.variable)
        base = f"**{self._expression(rule.base, lets)}" if rule.base else None
        fixed = list(takewhile(lambda row: row.when is None, rule.rows))
        others = rule.rows[len(fixed) :]
        body.add(f"{target} = {self._display(fixed, lets, None if others else base)}")
        for row in others:
            with self._row(row, lets, body):
                *parents, last = row.path
                owner = target + "".join(f".setdefault({parent!r}, {{}})" for parent in parents)
                body.add(f"{owner}[{last!r}] = {self._expression(row.value, lets)}")
        if base and others:
            body.add(f"{target} = {{{base}, **{target}}}")

    def _display(self, rows: Sequence[Row], lets: Mapping[str, str], base: str | None, depth: int = 0) -> str:
        members = [base] if base else []
        names = list(dict.fromkeys(row.path[depth] for row in rows))
        for name in names:
            below = [row for row in rows if row.path[depth] == name]
            if len(below[0].path) == depth + 1:
                members.append(f"{name!r}: {self._expression(below[-1].value, lets)}")
            else:
                members.append(f"{name!r}: {self._display(below, lets, None, depth + 1)}")
        return "{" + ", ".join(members) + "}"

    def _row(self, row: Row, lets: Mapping[str, str], body: Lines):  # type: ignore[no-untyped-def]
        if row.when is not None:
            body.add(f"if {self._expression(row.when, lets)}:")
        return body.indented(row.when is not None)

    def _expression(self, term: Term, lets: Mapping[str, str] | None = None) -> str:
        return self.expressions.write(term.checked, lets or {})
