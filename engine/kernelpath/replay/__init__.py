"""Put recorded requests to a pack, many at a time, and compare what two packs or two versions answer to them.

A request is a line of JSON: `{"id", "fn", "options"}`. `fn` is a question of the pack, and the question's `request`
says which member of `options` is which document.
"""

from __future__ import annotations

from kernelpath.replay.answering import answer
from kernelpath.replay.comparing import Changes, compare
from kernelpath.replay.requests import Fault, Request, Requests, content_of
from kernelpath.replay.running import replay

__all__ = ["Changes", "Fault", "Request", "Requests", "answer", "compare", "content_of", "replay"]
