"""The input of code generation besides the IR, and its output.

`Interface` is the signature of the emitted function and the structure of its result; `Source` is the emitted module.

>>> Interface("f_grad", (Parameter("x"),), Leaf(0)).params[0].kind
'positional'
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sct.errors import Loc
from sct.ir.pytrees.pytree import Leaf, Tree

__all__ = ["NO_DEFAULT", "Interface", "LineMap", "Parameter", "Source"]


class _NoDefault:
    def __repr__(self) -> str:
        return "NO_DEFAULT"


NO_DEFAULT = _NoDefault()


@dataclass(frozen=True)
class Parameter:
    """A parameter of the emitted function.

    kind     "positional_only", "positional", "varargs", "keyword" or "varkeywords"; "outer" is no parameter, but a
             variable that is bound where the function begins
    default  the user's default, the object itself, or NO_DEFAULT
    tree     Leaf(i) is fn.params[i]; containers are taken apart by subscripts
    """

    name: str
    kind: str = "positional"
    default: Any = NO_DEFAULT
    tree: Tree = field(default_factory=lambda: Leaf(0))


@dataclass(frozen=True)
class Interface:
    """The emitted function.

    result          the structure of its result, where Leaf(i) is fn.results[i]
    comment         a comment on its first line
    prologue        statements that stand first in the function
    reserved        names that have another meaning there, so that no variable may have them
    inner_prologue  the statements that stand first in a nested function, given the name and the structure of its
                    parameter
    """

    name: str
    params: tuple[Parameter, ...]
    result: Tree
    comment: str = ""
    prologue: tuple[ast.stmt, ...] = ()
    reserved: frozenset[str] = frozenset()
    inner_prologue: Callable[[str, Tree], Sequence[ast.stmt]] | None = None


@dataclass(frozen=True)
class Source:
    """An emitted module with one public function.

    imports   the import lines at its top
    bindings  objects that the text names and that have no literal form, such as defaults
    lines     the location in the user's source that a line comes from
    is_complex  does it compute with complex numbers?
    tapes     the bytes of its tapes, as formulas in its arguments: of all, if they are known; of the largest
    """

    text: str
    function_name: str
    imports: tuple[str, ...] = ()
    bindings: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[int, Loc] = field(default_factory=dict)
    is_complex: bool = False
    tapes: tuple[str | None, str] = ("0", "0")

    @property
    def definition(self) -> str:
        """The text without its imports."""
        return self.text[self.text.index("def "):]

    @property
    def line_map(self) -> LineMap:
        emitted: dict[tuple[str, int], tuple[int, ...]] = {}
        for line, loc in self.lines.items():
            user = loc.file, loc.line
            emitted[user] = (*emitted.get(user, ()), line)
        return LineMap({line: (loc.file, loc.line) for line, loc in self.lines.items()}, emitted)


@dataclass(frozen=True)
class LineMap:
    """The correspondence of emitted lines and lines of the user's source.

    user     emitted line -> (file, line) of the user's source
    emitted  (file, line) of the user's source -> the emitted lines, those of the derivative last
    """

    user: Mapping[int, tuple[str, int]]
    emitted: Mapping[tuple[str, int], tuple[int, ...]]
