"""The tests beside the rules: read them, run them, and say what differs.

A test file `<stage>/<rule>.test.yaml` has cases of `given` and `expect`; `grammars/test.schema.json` says all of its
keys. A case is evaluated by the interpreter, which is what a rule means, and by the compiled form, which must agree.
"""

from kernelpath.analysis.testing.cases import Case, TestFile, cases_of, read_test, read_tests, test_schema
from kernelpath.analysis.testing.meaning import Observe, evaluate
from kernelpath.analysis.testing.outcomes import Outcome
from kernelpath.analysis.testing.records import NotGiven
from kernelpath.analysis.testing.results import BROKEN, FAILED, PASSED, CaseResult, PackResults
from kernelpath.analysis.testing.runner import ObserveCase, PackTests, load_pack_tests, run_pack_tests

__all__ = [
    "BROKEN",
    "FAILED",
    "PASSED",
    "Case",
    "CaseResult",
    "NotGiven",
    "Observe",
    "ObserveCase",
    "Outcome",
    "PackResults",
    "PackTests",
    "TestFile",
    "cases_of",
    "evaluate",
    "load_pack_tests",
    "read_test",
    "read_tests",
    "run_pack_tests",
    "test_schema",
]
