"""References to objects whose number is known only at run time: the type of the numbers of their rows."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

__all__ = ["Link"]


@dataclass(frozen=True)
class Link:
    """A reference to an object whose class is `of`, or one of several, `a | b`: the number of its row in columns.

    classes  the classes of Python, in the order of their names; the text of the IR does not show them
    """

    of: str
    classes: tuple[type, ...] = field(default=(), compare=False, repr=False)

    @property
    def cls(self) -> type | None:
        """The class, where there is only one."""
        return self.classes[0] if len(self.classes) == 1 else None

    def __or__(self, other: Link) -> Link:
        """A reference to an object of one of the classes of both.

        >>> str(Link("node") | Link("leaf | node"))
        'link[leaf | node]'
        """
        pairs = (pair for link in (self, other) for pair in itertools.zip_longest(link.of.split(" | "), link.classes))
        classes = dict(sorted(pairs, key=lambda pair: pair[0]))
        return Link(" | ".join(classes), tuple(cls for cls in classes.values() if cls is not None))

    def __str__(self) -> str:
        return f"link[{self.of}]"
