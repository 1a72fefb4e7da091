"""How much of its rules a pack's tests cover: rules, branches, and the atoms of every boolean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kernelpath.analysis.coverage.deciding import Deciding, deciding
from kernelpath.analysis.coverage.observing import Observer, Seen, branches, is_decided
from kernelpath.language import unparse
from kernelpath.packs.model import Pack, Rule


@dataclass(frozen=True, slots=True)
class Atom:
    """An atom of a decision: `start` and `end` are its stretch of the text of the rule's part `part`."""

    part: str
    text: str
    start: int
    end: int
    is_decided: bool
    deciding: Deciding = field(default_factory=Deciding)


@dataclass(frozen=True, slots=True)
class RuleCoverage:
    """What is covered of one rule; `branches` are their names, each with whether a case takes it."""

    rule: Rule
    is_reached: bool
    branches: Mapping[str, bool]
    atoms: tuple[Atom, ...]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left to cover."""
        return self.is_reached and all(self.branches.values()) and not list(self.undecided())

    def undecided(self) -> Iterator[Atom]:
        """Yield the atoms that no case decides, though some input would."""
        return (atom for atom in self.atoms if not atom.is_decided and not atom.deciding.impossible)


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many; all of nothing is everything."""

    covered: int
    of: int

    @property
    def percent(self) -> float:
        """The share in percent."""
        return 100.0 * self.covered / self.of if self.of else 100.0

    def __str__(self) -> str:
        return f"{self.covered} of {self.of} ({self.percent:.1f} %)"


@dataclass(frozen=True, slots=True)
class PackCoverage:
    """What is covered of a pack's own rules, in evaluation order."""

    rules: tuple[RuleCoverage, ...]

    @property
    def shares(self) -> dict[str, Share]:
        """The shares of rules, branches and atoms; atoms that no input can decide are left out."""
        taken = [taken for rule in self.rules for taken in rule.branches.values()]
        atoms = [atom.is_decided for rule in self.rules for atom in rule.atoms if not atom.deciding.impossible]
        reached = [rule.is_reached for rule in self.rules]
        named = {"rules": reached, "branches": taken, "atoms": atoms}
        return {name: Share(sum(covered), len(covered)) for name, covered in named.items()}

    @property
    def impossible(self) -> int:
        """How many atoms no input can decide."""
        return sum(atom.deciding.impossible for rule in self.rules for atom in rule.atoms)


def measure(pack: Pack, observer: Observer, *, seen_only: bool = False) -> PackCoverage:
    """Return what a run of a pack's tests covered, with the cases that would decide the atoms it left undecided.

    Where a run was of some cases only, `seen_only` leaves out the rules that none of them is of.
    """
    own = [rule for rule in pack.rules() if rule.identity.startswith(f"{pack.name}/")]
    own = [rule for rule in own if rule.identity in observer.seen] if seen_only else own
    return PackCoverage(tuple(_rule(pack, observer.seen.get(rule.identity) or Seen.of(rule)) for rule in own))


def _rule(pack: Pack, seen: Seen) -> RuleCoverage:
    places = [(place, at) for place, one in enumerate(seen.decisions) for at in range(len(one.atoms))]
    atoms = tuple(_atom(pack, seen, place, at) for place, at in places)
    reached = bool(seen.taken - {"when"} - {f"let {name}" for name, _ in seen.rule.lets})
    return RuleCoverage(seen.rule, reached, dict(branches(seen)), atoms)


def _atom(pack: Pack, seen: Seen, place: int, at: int) -> Atom:
    decision = seen.decisions[place]
    node = decision.atoms[at]
    decided = is_decided(seen.vectors[place], at)
    how = Deciding() if decided else deciding(pack, seen, place, at)
    return Atom(decision.part, unparse(node), node.start, node.end, decided, how)
