"""Which variables that a stage should give, and no rule of it does, are read all the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kernelpath.packs.model import Pack, Stage
from kernelpath.packs.reads import gives, terms_in, text_names

REQUEST = "request"


def ungiven(pack: Pack) -> Iterator[tuple[str, str]]:
    """Yield the stage and the name of each variable that something reads and no rule gives."""
    everywhere = set(text_names(terms_in(pack)))
    for stage in pack.stages.values():
        missing = stage.gives.keys() - {gives(rule) for rule in stage.rules}
        yield from (
            (stage.name, name) for name in stage.gives if name in missing and _is_read(pack, stage, name, everywhere)
        )


def _is_read(pack: Pack, stage: Stage, name: str, everywhere: Collection[str]) -> bool:
    """Return whether a variable is read: by its name alone over the same rows, as a column anywhere."""
    if stage.each[0] == REQUEST:
        return name in everywhere
    columns = (read for read in everywhere if read.partition(".")[0] in stage.each)
    return any(read.rpartition(".")[2] == name for read in columns) or name in _over_the_same_rows(pack, stage)


def _over_the_same_rows(pack: Pack, stage: Stage) -> set[str]:
    """Return what is read where the rows' variables go by their names alone."""
    entries = [*(pack.items.get(each) for each in stage.each), *(pack.flows.get(each) for each in stage.each)]
    rules = [other.rules for other in pack.stages.values() if not set(other.each).isdisjoint(stage.each)]
    return set(text_names(terms_in([entries, rules])))
