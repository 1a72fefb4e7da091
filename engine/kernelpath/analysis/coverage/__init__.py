"""Coverage of rules by their tests, at three levels: rules, branches, and the atoms of each boolean (MC/DC).

An atom is covered when two evaluations of its decision differ in it alone and in the decision's outcome. What an
evaluation does not come to ask, since the outcome is certain before, equals anything (MC/DC for short-circuit
operators). The body of a loop is a decision of its own, evaluated once for each item. Cases that ask a whole question
count for nothing here: they show that a rule is reached, not what decides it.
"""

from kernelpath.analysis.coverage.findings import findings
from kernelpath.analysis.coverage.measure import Atom, PackCoverage, RuleCoverage, Share, measure
from kernelpath.analysis.coverage.observing import Observer, Seen

__all__ = ["Atom", "Observer", "PackCoverage", "RuleCoverage", "Seen", "Share", "findings", "measure"]
