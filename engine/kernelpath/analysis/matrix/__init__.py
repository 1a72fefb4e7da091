"""A question asked of every combination of documents: what passes where, and what stops it.

`judging` asks, equal combinations once; `render` shows the cells as text, JSON and CSV.
"""

from kernelpath.analysis.matrix.judging import Axis, Cell, Entry, Matrix, judged_matrix, key_of

__all__ = ["Axis", "Cell", "Entry", "Matrix", "judged_matrix", "key_of"]
