"""All lints, in the order in which they are documented and run."""

from __future__ import annotations

from kernelpath.analysis.lint import allowances
from kernelpath.analysis.lint.declaration import Lint
from kernelpath.analysis.lint.lints import (
    constant_condition,
    file_name,
    help_in_message,
    idle_stage,
    message_case,
    message_stop,
    missing_why,
    redundant_row,
    severity_change,
    shadowed_candidate,
    silent_message,
    ungiven_variable,
    unknown_decision,
    unknown_member,
    unquoted_input,
    untested_rule,
    unused_column,
    unused_function,
    unused_let,
    unused_table_input,
    unused_value,
    unused_vocabulary,
    unused_vocabulary_value,
)

LINTS: tuple[Lint, ...] = (
    unused_let.LINT,
    unused_table_input.LINT,
    unused_function.LINT,
    unused_value.LINT,
    unused_vocabulary.LINT,
    unused_vocabulary_value.LINT,
    unused_column.LINT,
    ungiven_variable.LINT,
    idle_stage.LINT,
    constant_condition.ALWAYS_TRUE,
    constant_condition.ALWAYS_FALSE,
    shadowed_candidate.LINT,
    redundant_row.LINT,
    missing_why.LINT,
    untested_rule.LINT,
    unknown_decision.LINT,
    unknown_member.LINT,
    severity_change.LINT,
    file_name.LINT,
    silent_message.LINT,
    unquoted_input.LINT,
    message_case.LINT,
    message_stop.LINT,
    help_in_message.LINT,
    allowances.LINT,
)
