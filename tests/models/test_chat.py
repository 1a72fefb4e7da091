"""Chat templates: the environment that they are written for, and what becomes of those that never end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kernelpath.models.chat import ChatLimits, render_chat
from kernelpath.models.errors import ModelErrors

from .test_tokenizer import built, byte_level

TURN = [{"role": "user", "content": "hi"}]
SHORT = ChatLimits(seconds=1, characters=1 << 16)
SMALL = ChatLimits(seconds=60, memory=1 << 29)


def rendered(template: str, **options: Any) -> str:
    return render_chat(template, TURN, "<s>", "</s>", **options)


def refused(template: str, **options: Any) -> str:
    with pytest.raises(ModelErrors) as raised:
        rendered(template, **options)
    return raised.value.diagnostics[0].message


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ bos_token }}{{ messages[0].content }}{{ eos_token }}{{ add_generation_prompt }}", "<s>hi</s>True"),
        ("{% if tools is not none %}TOOLS {% endif %}{{ tools }}", "None"),
        ("{% if documents is not none %}DOCS {% endif %}{{ documents is defined }}", "True"),
        ("{% generation %}a{{ messages[0].content }}{% endgeneration %}b", "ahib"),
        ("{% for m in messages %}{% generation %}{{ m.role }}{% endgeneration %}{% endfor %}", "user"),
        ("{% set x = 1 %}{% generation %}{% set x = 2 %}{{ x }}{% endgeneration %}{{ x }}", "21"),
        ("{{ 'é<' | tojson }}", '"é<"'),
        ("{{ 'é' | tojson(ensure_ascii=True) }}", '"\\u00e9"'),
        ("{{ {'b': 1, 'a': [2]} | tojson(sort_keys=True, separators=(',', ':')) }}", '{"a":[2],"b":1}'),
        ("{{ [1] | tojson(indent=1) }}", "[\n 1\n]"),
        ("{% for i in range(9) %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}", "01"),
        ("{{ strftime_now('%%') }}", "%"),
        ("{%- if true %}\n  a\n{%- endif %}\n", "  a"),
    ],
)
def test_the_environment_is_that_of_apply_chat_template(template: str, expected: str) -> None:
    """Names, filters, tags and white space are as templates of real models expect them."""
    assert rendered(template) == expected


DOUBLING = "{% for i in range(40) %}{% set n.x = n.x OPERATOR n.x %}{% endfor %}"
ENDLESS = {
    "nested loops": "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "a recursive macro": "{% macro m(n) %}{% if n %}{{ m(n-1) ~ m(n-1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    "a number of many digits": "{{ (3 ** (10 ** 8)) % 7 }}",
    "a sum over a product": "{% for i in range(99999) %}{% set x = (range(99999) | sum) %}{% endfor %}",
}
LARGE = {
    "a text times a number": "{{ 'a' * 10**10 }}",
    "a list times a number": "{{ ([1] * 10**10) | length }}",
    "a text that doubles": "{% set n = namespace(x='a') %}" + DOUBLING.replace("OPERATOR", "~"),
    "a list that doubles": "{% set n = namespace(x=[1]) %}" + DOUBLING.replace("OPERATOR", "+"),
    "a wide number": "{{ '%1000000000d' % 1 }}",
    "a centred text": "{{ 'a' | center(10**10) }}",
    "a filled text": "{{ 'a'.ljust(10**10) | length }}",
    "a replaced text": "{{ ('a' * 10**5).replace('a', 'a' * 10**5) | length }}",
    "an indented text": "{{ ('a\\n' * 10**5) | indent(10**9) | length }}",
}
LONG = {
    "many pieces": "{% for i in range(99999) %}ab{% endfor %}",
    "one piece": "{{ 'a' * 65537 }}",
}


@pytest.mark.parametrize("case", ENDLESS)
def test_a_template_that_never_ends_is_ended(case: str) -> None:
    """Whatever keeps it computing, it has so much time."""
    assert refused(ENDLESS[case], limits=SHORT) == "the model's chat template takes more than 1 s of computing"


@pytest.mark.parametrize("case", LARGE)
def test_a_template_has_so_much_memory(case: str) -> None:
    """Whatever asks for more."""
    expected = "the model's chat template needs more than 536,870,912 bytes of memory"
    assert refused(LARGE[case], limits=SMALL) == expected


@pytest.mark.parametrize("case", LONG)
def test_a_template_writes_so_much(case: str) -> None:
    """A text of one character more is refused, one of as many is not."""
    assert refused(LONG[case], limits=SHORT) == "the model's chat template writes more than 65,536 characters"
    assert len(rendered("{{ 'a' * 65536 }}", limits=SHORT)) == 65536


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ 1 | dictsort }}", "'int' object has no attribute 'items'"),
        ("{% break %}", "'break' outside loop (<template>, line 11)"),
        ("{% continue %}", "'continue' not properly in loop (<template>, line 11)"),
        ("{% generation %}", "Unexpected end of template. Jinja was looking for the following tags: 'endgeneration'. "),
        ("{{ raise_exception('') }}", "TemplateError"),
        ("{{ raise_exception('a' * 10**6) }}", "a" * 1000),
        ("{{ [1] | tojson(indent=[]) }}", "can't multiply sequence by non-int of type 'list'"),
        ("{{ strftime_now(1) }}", "strftime() argument 1 must be str, not int"),
        ("{{ messages | tojson(separators=1) }}", "cannot unpack non-iterable int object"),
        ("{% include 'a' %}", "no loader for this environment specified"),
        ("{{ '\\ud800' }}", "its text has U+D800, half of a surrogate pair, at character 0"),
        ("ab{{ '\\udfff' }}", "its text has U+DFFF, half of a surrogate pair, at character 2"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "maximum recursion depth exceeded"),
        ("{{ 10 ** 5000 }}", "Exceeds the limit (4300 digits) for integer string conversion"),
        ("{{ " + "(" * 1000 + ")" * 1000 + " }}", ""),
    ],
)
def test_a_template_that_breaks_is_a_finding(template: str, expected: str) -> None:
    """Whatever it does wrong is told in its own words, and is never a fault of kernelpath."""
    assert refused(template).startswith(f"the model's chat template failed: {expected}")


REACHES = (
    "{{ ('{0.__globals__[json].codecs.sys.modules[os].environ[SECRET]}' | attr('format'))(strftime_now) }}",
    "{{ strftime_now.__globals__ }}",
    "{{ [].__class__.__mro__ }}",
    "{{ '{0.__class__}'.format(1) }}",
    "{{ (messages | map('attr', '__class__') | list)[0] }}",
)


@pytest.mark.parametrize("template", REACHES)
def test_a_template_sees_nothing_of_this_process(template: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What would leave the sandbox reads as nothing or fails; the environment is not even there."""
    monkeypatch.setenv("SECRET", "a-secret")
    try:
        text = rendered(template)
    except ModelErrors as refusal:
        text = str(refusal)
    assert "a-secret" not in text
    assert "<class" not in text


def test_the_process_of_a_template_has_no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A template that left the sandbox would find no secrets there, and could write no file."""
    monkeypatch.setenv("SECRET", "a-secret")
    monkeypatch.setattr("kernelpath.models.chat._PROGRAM", _PRYING)
    assert rendered(str(tmp_path / "file")) == "None, File too large"


_PRYING = """
import json, os, sys
request = json.load(sys.stdin)
sys.path[:] = request["path"]
from kernelpath.models.chat_process import _limit
_limit(*request["limits"][:2])
try:
    with open(request["template"], "wb", buffering=0) as file:
        file.write(b"a")
except OSError as fault:
    print(json.dumps({"text": f"{os.environ.get('SECRET')}, {fault.strerror}"}))
"""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "its process ended with signal 9"),
        ("raise SystemExit(7)", "its process ended with code 7"),
        ("raise OSError('no room')", "its process ended with code 1: OSError: no room"),
    ],
)
def test_a_process_that_ends_without_an_answer(program: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """How it ended is told."""
    monkeypatch.setattr("kernelpath.models.chat._PROGRAM", program)
    assert refused("") == f"the model's chat template failed: {expected}"


def test_half_a_surrogate_pair_is_not_a_text() -> None:
    """A prompt that a program gives may hold one."""
    with pytest.raises(ModelErrors, match=r"^the text cannot be encoded: it has half of a surrogate pair$"):
        built(byte_level()).encode("a\ud800")
