"""Texts that a pattern of `matches` takes, and near ones that it does not."""

from __future__ import annotations

from kernelpath.language.pattern_syntax import Alternatives, Characters, Part, Repeat, Sequence, read


def pattern_samples(pattern: str) -> list[str]:
    """Return the shortest texts that use every alternative and repeat of a pattern, and one more of each kind."""
    found = _texts(read(pattern))
    return [*found, *(text + "~" for text in found[:1])]


def _texts(part: Part) -> list[str]:
    match part:
        case Characters():
            return _characters(part)
        case Sequence():
            return _sequence([_texts(inner) for inner in part.parts])
        case Alternatives():
            return [text for inner in part.parts for text in _texts(inner)]
        case Repeat():
            return _repeat(part)
    raise TypeError(part)


def _characters(part: Characters) -> list[str]:
    low, high = part.ranges[0]
    return [chr(max(low, 97) if high >= 97 else low)]


def _sequence(parts: list[list[str]]) -> list[str]:
    """Return a text for each choice of each part, the other parts taken at their first."""
    first = "".join(texts[0] for texts in parts)
    found = [first]
    for place, texts in enumerate(parts):
        before = "".join(other[0] for other in parts[:place])
        after = "".join(other[0] for other in parts[place + 1 :])
        found += [before + text + after for text in texts[1:]]
    return found


def _repeat(part: Repeat) -> list[str]:
    texts = _texts(part.part)
    found = [text * part.least for text in texts] if part.least else ["", *texts]
    more = part.least + 1
    if part.most is None or more <= part.most:
        found.append(texts[0] * more)
    return list(dict.fromkeys(found))
