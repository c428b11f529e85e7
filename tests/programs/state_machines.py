"""Members of enums, and None, as the state of a machine: which one it is depends on the path."""

import enum
from contextlib import contextmanager
from dataclasses import dataclass, field


class State(enum.Enum):
    IDLE = 0.25
    RUN = 1.5
    STOP = 3.0


class Phase(enum.Enum):
    UP = "u"
    DOWN = "d"

    def sign(self):
        return 1.0 if self is Phase.UP else -1.0


GAINS = {State.IDLE: 0.5, State.RUN: 2.0, State.STOP: -1.0}


def machine(rate, n):
    """A state that a loop changes, left by a `break`."""
    state = State.IDLE
    x = 0.1
    for _ in range(n):
        if state is State.IDLE:
            x += rate * 0.0117
            if x > 0.12:
                state = State.RUN
        elif state is State.RUN:
            x *= 1 + rate
            if x > 2.0:
                state = State.STOP
        else:
            break
    return x * rate


def heater(gain, steps):
    """A branch chooses the state, the next one asks for it: they are one."""
    temperature, cost = 15.0, 0.0
    for _ in range(steps):
        control = gain * (20.0 - temperature)
        if control > 0.5:
            state = State.RUN
        elif control < -0.5:
            state = State.STOP
        else:
            state = State.IDLE
        if state is State.RUN:
            temperature += 0.1 * control
        elif state is State.STOP:
            temperature += 0.2 * control
        cost += (20.0 - temperature) ** 2
    return cost


def attributes_and_tables(x, n):
    """The value of the member, and what a dict holds for it."""
    state = State.IDLE
    total = 0.0
    for _ in range(n):
        total += state.value * x + GAINS[state] * x * x
        if total > 3.0:
            state = State.STOP
        elif total > 1.0 and state != State.STOP:
            state = State.RUN
    return total


def methods(x, n):
    """A method of the member, and `in` a tuple of members."""
    phase = Phase.UP
    v = x
    for _ in range(n):
        v = v + phase.sign() * 0.3 * x
        if v > 2.0 * x and phase in (Phase.UP,):
            phase = Phase.DOWN
        elif v < 0.5 * x:
            phase = Phase.UP
    return v * v


@dataclass
class Simulation:
    t: float = 0.0
    y: float = 1.0
    phase: Phase = Phase.UP
    log: list = field(default_factory=list)

    def step(self, k):
        if self.phase == Phase.UP:
            self.y += k * 0.1
            if self.y > 1.53:
                self.phase = Phase.DOWN
                self.log.append(self.t * k)
        else:
            self.y -= 0.2 * k
            if self.y < 0.47:
                self.phase = Phase.UP
        self.t += 0.1


def of_an_object(k, n):
    """The state is an attribute."""
    s = Simulation()
    for _ in range(n):
        s.step(k)
    return s.y * k + sum(s.log)


def or_none(x, n):
    """No state at first."""
    state = None
    s = 0.0
    for i in range(n):
        if state is None:
            state = State.RUN if s > x else None
            s += x
        elif state is State.RUN:
            s *= 1.1
            state = State.STOP
        else:
            s += x * x
            state = None
    return s if state is None else 2.0 * s


def by_match(x, n):
    """A `match` with members as its patterns."""
    state = State.IDLE
    for _ in range(n):
        match state:
            case State.IDLE:
                x = x * 1.5
                state = State.RUN
            case State.RUN:
                x = x + 0.3 * x * x
                if x > 3.0:
                    state = State.STOP
            case _:
                x = 0.9 * x
    return x


def chosen_once(x):
    """Without a loop."""
    state = State.RUN if x > 1.0 else State.STOP
    y = x * state.value
    return y * 2.0 if state is State.RUN else y


class Timer:
    def __init__(self):
        self.total = 0.0
        self.depth = 0

    @contextmanager
    def scope(self, w):
        self.depth += 1
        try:
            yield self
        finally:
            self.depth -= 1
            self.total += w


def timed(x, n):
    """A context manager that is a generator method."""
    t = Timer()
    s = 0.0
    for i in range(n):
        with t.scope(x) as inner:
            s += x * i * inner.depth
    return s * t.total


INPUTS = {
    "machine": lambda rng: (0.6, 9),
    "heater": lambda rng: (0.9, 12),
    "attributes_and_tables": lambda rng: (0.37, 7),
    "methods": lambda rng: (0.7, 9),
    "of_an_object": lambda rng: (0.9, 20),
    "or_none": lambda rng: (0.6, 9),
    "by_match": lambda rng: (0.6, 9),
    "chosen_once": lambda rng: (1.3,),
    "timed": lambda rng: (0.6, 4),
}
