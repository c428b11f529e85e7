"""Objects that Python makes: what their methods write is told from what else has the same part."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

X = np.array([0.5, 0.7])
TEXTS = ('{"a": 1, "w": [1, 2]}', '{"w": [3, 2]}')


class Layer:
    def __init__(self, d):
        self.w, self.seen = np.array(d["w"], float), []

    def of(self, x):
        return np.sin(x) @ self.w

    def note(self, v):
        self.seen.append(v)

    def note_elsewhere(self, v):
        self.notes.rows[0].append(v)

    def rename(self, name):
        self.owner.title = name


class Twice(Layer):
    def of(self, x):
        return 2.0 * (np.sin(x) @ self.w)


def one_of_two(d):
    return (Layer if "a" in d else Twice)(d)


def chosen_before(d):
    cls = Layer if "a" in d else Twice
    made = cls(d)
    made.note(1.0)
    return made


def written_after(d):
    made = Layer(d) if "a" in d else Twice(d)
    made.w = made.w * 2.0
    made.seen.append(2.0)
    return made


def from_a_list(d):
    made = [Layer(d) if "a" in d else Twice(d)][0]
    made.seen.append(2.0)
    made.w[0] = 4.0
    return made


KINDS = {"layer": Layer, "twice": Twice}


def from_a_table(d):
    made = KINDS[d.pop("kind", "twice")](d)
    made.name = "made"
    return made


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("hook", [Layer, one_of_two, chosen_before, written_after, from_a_list, from_a_table])
def test_objects_with_methods_that_write(hook: Callable[..., Any], text: str) -> None:
    def f(x, text):
        return json.loads(text, object_hook=hook).of(x)

    agrees(f, X, text)


class Shared:
    factor = 2.0

    def __init__(self, k):
        self.k = k


SHARED = Shared(1.5)
ROWS = [1.0, 2.0]
NAME = "k"


class Holder:
    def __init__(self, d):
        self.held = SHARED


def put(owner, v):
    owner.k = v


def names_of(owner):
    return owner.__dict__


class Sets(Holder):
    def write(self):
        self.held.k = 3.0


class SetsByName(Holder):
    def write(self):
        setattr(self.held, NAME, 3.0)


class SetsByMethod(Holder):
    def write(self):
        object.__setattr__(self.held, "k", 3.0)


class SetsInAFunction(Holder):
    def write(self):
        put(self.held, 3.0)


class SetsInALoop(Holder):
    def write(self):
        for owner in [self.held]:
            owner.k = 3.0


class SetsInANamespace(Holder):
    def write(self):
        names_of(self.held)["k"] = 3.0


class Begins(Holder):
    def write(self):
        self.held.__init__(3.0)


class Appends:
    def __init__(self, d):
        self.held = ROWS

    def write(self):
        self.held.append(3.0)


class SetsAnItem(Appends):
    def write(self):
        self.held[0] = 3.0


class SetsAClass:
    def __init__(self, d):
        self.held = Shared

    def write(self):
        self.held.factor = 3.0


@pytest.mark.parametrize(("cls", "read"), [
    *((cls, lambda x: x * SHARED.k) for cls in (Sets, SetsByName, SetsByMethod, SetsInAFunction, SetsInALoop,
                                                 SetsInANamespace, Begins)),
    (Appends, lambda x: x * len(ROWS)), (SetsAnItem, lambda x: x * ROWS[0]), (SetsAClass, lambda x: x * Shared.factor)])
def test_a_write_to_what_is_read_is_refused(cls: type, read: Callable[..., Any]) -> None:
    def hook(d):
        cls(d).write()
        return d

    def f(x, text):
        y = read(x)
        json.loads(text, object_hook=hook)
        return y * read(x)

    refuses(f, 1.5, "{}", code="SCT302")
