"""Analyse a pack: every stage over its own finite domain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kernelpath.analysis.analyze import checks, rows, settings
from kernelpath.analysis.analyze.findings import Finding, Switch
from kernelpath.analysis.analyze.region import Region
from kernelpath.analysis.domain.diagrams import TooLarge
from kernelpath.packs.model import Pack


@dataclass(frozen=True, slots=True)
class Analysis:
    """What an analysis found: findings, which settings switch which rules, and stages too large to be analysed."""

    pack: str
    rules: int
    findings: tuple[Finding, ...]
    switches: tuple[Switch, ...]
    skipped: tuple[str, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether there is no finding."""
        return not self.findings


def analyze(pack: Pack) -> Analysis:
    """Return what is wrong with a pack's rules, each finding with a witness or with the reason why it is exact."""
    findings: list[Finding] = []
    switches: list[Switch] = []
    skipped: list[str] = []
    for stage in pack.stages.values():
        try:
            region = Region.of(pack, stage)
            found = list(_found(region))
            switched, off = settings.switches(region)
        except TooLarge:
            skipped.append(stage.name)
            continue
        dead = {finding.rule for finding in found if finding.kind == "dead-rule"}
        findings += [*found, *(finding for finding in off if finding.rule not in dead)]
        switches += [switch for switch in switched if switch.rule not in dead]
    return Analysis(pack.name, len(pack.rules()), tuple(findings), tuple(switches), tuple(skipped))


def _found(region: Region) -> Iterator[Finding]:
    """Yield a stage's findings in the order of its rules."""
    found = [*checks.dead(region), *checks.idle(region)]
    unsatisfied = list(checks.contradictions(region)) or checks.impossible(region)
    found += [*unsatisfied, *checks.shadowed(region, unsatisfied)]
    found += [*rows.unreachable(region), *rows.redundant(region), *rows.gaps(region), *rows.overlaps(region)]
    order = {rules.rule.identity: place for place, rules in enumerate(region.rules)}
    yield from sorted(found, key=lambda finding: (order.get(finding.rule, -1), finding.row or 0))
