"""What the printer is told besides the IR: the signature of the function to emit, and what it gives back.

>>> Interface("f_grad", (Parameter("x"),), Leaf(0)).params[0].kind
'positional'
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sct.errors import Loc
from sct.ir.pytree import Leaf, Tree

__all__ = ["NO_DEFAULT", "Interface", "LineMap", "Parameter", "Source"]


class _NoDefault:
    def __repr__(self) -> str:
        return "NO_DEFAULT"


NO_DEFAULT = _NoDefault()


@dataclass(frozen=True)
class Parameter:
    """A parameter of the emitted function.

    kind     "positional_only", "positional", "varargs", "keyword" or "varkeywords"; "outer":
             not a parameter, but a variable that has its value where the function begins
    default  the object that the user's default is, or NO_DEFAULT
    tree     Leaf(i) is fn.params[i]; containers are taken apart by subscripts
    """

    name: str
    kind: str = "positional"
    default: Any = NO_DEFAULT
    tree: Tree = field(default_factory=lambda: Leaf(0))


@dataclass(frozen=True)
class Interface:
    """The emitted function: its name, parameters, result (Leaf(i) is fn.results[i])
    and a comment, which is printed above it.

    top    statements that stand first in the function
    inner  of a function in it, by the name and the structure of its parameter: statements that stand first there
    taken  names that mean something else there: no variable has one of them
    """

    name: str
    params: tuple[Parameter, ...]
    result: Tree
    comment: str = ""
    top: tuple[ast.stmt, ...] = ()
    taken: frozenset[str] = frozenset()
    inner: Callable[[str, Tree], Sequence[ast.stmt]] | None = None


@dataclass(frozen=True)
class Source:
    """An emitted module with one public function.

    imports   the import lines at its top
    bindings  objects that the text names and that have no literal form (defaults)
    lines     the user's place that a line comes from
    """

    text: str
    function_name: str
    imports: tuple[str, ...] = ()
    bindings: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[int, Loc] = field(default_factory=dict)

    @property
    def definition(self) -> str:
        """The text without its imports."""
        return self.text[self.text.index("def "):]

    @property
    def line_map(self) -> LineMap:
        emitted: dict[tuple[str, int], tuple[int, ...]] = {}
        for line, loc in self.lines.items():
            place = loc.file, loc.line
            emitted[place] = (*emitted.get(place, ()), line)
        return LineMap({line: (loc.file, loc.line) for line, loc in self.lines.items()}, emitted)


@dataclass(frozen=True)
class LineMap:
    """Which lines of an emitted function belong to which of the user's.

    user     emitted line -> (file, line) of the user's
    emitted  (file, line) of the user's -> the emitted lines, those of the derivative last
    """

    user: Mapping[int, tuple[str, int]]
    emitted: Mapping[tuple[str, int], tuple[int, ...]]
