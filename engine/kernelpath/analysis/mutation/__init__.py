"""Mutation testing of rules: small changes of each rule, which its tests should notice.

A mutant that the checker refuses is never born, and one that no input of the finite domains can tell from the rule is
equivalent; both are left out of the score. What remains is killed by a case, or survives.
"""

from kernelpath.analysis.mutation.judging import Score, Survivor, mutate, mutate_rule

__all__ = ["Score", "Survivor", "mutate", "mutate_rule"]
