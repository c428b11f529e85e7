"""Values of several kinds in one place: instructions, tokens, events, configuration; items of lists, and variables.

Values and exceptions are those of the plain call, gradients those of central differences; second derivatives, forward
mode and other calls of one derivative, with data of other lengths and other orders, agree as well.
"""

from __future__ import annotations

import copy
import importlib.util
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees, agrees_in_every_mode

from sct import grad, jvp, value_and_grad, vjp

program = Programs()
X, Y, Z = [1.1, 0.7], [1.2, 0.7], [1.3, 0.6]


PROGRAM = [
    ("push", 1.5), ("load", 1), ("add",), ("store", 0), ("load", 0), ("load", 1), ("mul",), ("jlt", 9.0, 9), ("ret",),
    ("load", 0), ("ret",)]
OTHER = [("push", 0.5), ("load", 1), ("mul",), ("store", 1), ("load", 1), ("jlt", 0.3, 7), ("push", 1.0), ("load", 1),
         ("load", 0), ("add",), ("ret",)]


@program((X, PROGRAM), (Y, OTHER), (Z, PROGRAM[:4] * 20 + OTHER))
def vm(x: Any, prog: Any) -> Any:
    stack = []
    regs = [x[0], x[1]]
    acc = 0.0
    pc = 0
    while pc < len(prog):
        ins = prog[pc]
        op = ins[0]
        if op == "push":
            stack.append(ins[1] * x[0])
        elif op == "load":
            stack.append(regs[ins[1]])
        elif op == "store":
            regs[ins[1]] = stack.pop()
        elif op == "add":
            b = stack.pop()
            a = stack.pop()
            stack.append(a + b)
        elif op == "mul":
            b = stack.pop()
            a = stack.pop()
            stack.append(a * b)
        elif op == "jlt":
            v = stack.pop()
            if v < ins[1]:
                pc = ins[2]
                continue
        elif op == "ret":
            return stack.pop() + acc
        acc += 0.1 * x[1]
        pc += 1
    return acc


@program((X,), (Y,))
def machine_with_a_global_program(x: Any) -> Any:
    return vm(x, PROGRAM)


@program((X, 9), (Y, 20), (Z, 1))
def made(x: Any, n: int) -> Any:
    prog = []
    for i in range(n):
        if i % 3 == 0:
            prog.append(("push", x[0] * i))
        elif i % 3 == 1:
            prog.append(("push", x[1]))
        else:
            prog.append(("add",))
    stack = []
    for op, *args in prog:
        if op == "push":
            stack.append(args[0])
        elif op == "add":
            b = stack.pop()
            stack[-1] = stack[-1] + b * b
    return sum(stack)


@program((X, 9), (Y, 20), (Z, 0))
def literal(x: Any, n: int) -> Any:
    prog = [("push", x[0]), ("push", x[1]), ("mul",), ("jz", 1)]
    s, pc, k = 1.0, 0, 0
    while k < n:
        ins = prog[pc]
        if ins[0] == "push":
            s = s + ins[1]
        elif ins[0] == "mul":
            s = s * x[0]
        elif ins[0] == "jz":
            pc = ins[1]
        pc = (pc + 1) % len(prog)
        k += 1
    return s


@program((X, "2*x+3*(y+1)"), (Y, "x*(y+2)*y"), (Z, "((x))"))
def calc(x: Any, text: Any) -> Any:
    tokens = []
    i = 0
    while i < len(text):
        c = text[i]
        if c == " ":
            i += 1
        elif c.isdigit():
            j = i
            while j < len(text) and (text[j].isdigit() or text[j] == "."):
                j += 1
            tokens.append(("num", float(text[i:j])))
            i = j
        elif c.isalpha():
            tokens.append(("var", c))
            i += 1
        else:
            tokens.append((c, None))
            i += 1
    tokens.append(("end", None))
    pos = 0

    def expr():
        nonlocal pos
        v = term()
        while tokens[pos][0] in ("+", "-"):
            op = tokens[pos][0]
            pos += 1
            w = term()
            v = v + w if op == "+" else v - w
        return v

    def term():
        nonlocal pos
        v = factor()
        while tokens[pos][0] == "*":
            pos += 1
            v = v * factor()
        return v

    def factor():
        nonlocal pos
        kind, value = tokens[pos]
        pos += 1
        if kind == "num":
            return value
        if kind == "var":
            return x[0] if value == "x" else x[1]
        v = expr()
        pos += 1
        return v

    return expr()


def timed_events(n: int, seed: int) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    out = []
    for i in range(n):
        k = rng.choice(["dose", "obs", "reset", "obs"])
        t = 0.1 * i
        if k == "dose":
            out.append({"type": "dose", "t": t, "dose": rng.random()})
        elif k == "obs":
            out.append({"type": "obs", "t": t, "value": rng.random()})
        else:
            out.append({"type": "reset", "t": t})
    return out


@program((X, timed_events(300, 1)), (Y, timed_events(80, 2)))
def pk(x: Any, events: Any) -> Any:
    """Pharmacokinetics: events of several kinds."""
    amount, last, total = 0.0, 0.0, 0.0
    for e in events:
        amount *= math.exp(-x[0] * (e["t"] - last))
        last = e["t"]
        if e["type"] == "dose":
            amount += e["dose"] * x[1]
        elif e["type"] == "obs":
            r = e["value"] - amount
            total += r * r / e.get("sigma", 1.0)
        elif e["type"] == "reset":
            amount = 0.0
    return total


def sparse_events(n: int, seed: int) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    out = []
    for i in range(n):
        d = {"t": 0.1 * i}
        if rng.random() < 0.5:
            d["dose"] = rng.random()
        if rng.random() < 0.3:
            d["w"] = rng.random()
        out.append(d)
    return out


@program((X, sparse_events(200, 1)), (Y, sparse_events(90, 3)))
def doses(x: Any, evs: Any) -> Any:
    total, amount = 0.0, x[0]
    for ev in evs:
        amount = amount * math.exp(-x[1] * 0.1)
        if "dose" in ev:
            amount += ev["dose"]
        total += amount * ev.get("w", 1.0) * math.cos(ev["t"])
    return total


def reverse_polish(n: int, seed: int) -> list[Any]:
    rng = random.Random(seed)
    out, d = [], 0
    for _ in range(n):
        if d >= 2 and rng.random() < 0.5:
            out.append(rng.choice("+*-"))
            d -= 1
        else:
            out.append(rng.choice(["x", "y", 0.5, 1.25, None]))
            d += 1
    return out


@program((X, reverse_polish(200, 1)), (Y, reverse_polish(90, 2)))
def rpn(x: Any, tokens: Any) -> Any:
    stack = []
    for tok in tokens:
        if isinstance(tok, str):
            if tok == "x":
                stack.append(x[0])
            elif tok == "y":
                stack.append(x[1])
            else:
                b = stack.pop()
                a = stack.pop()
                if tok == "+":
                    stack.append(a + b)
                elif tok == "*":
                    stack.append(a * b)
                else:
                    stack.append(a - b)
        elif tok is None:
            stack.append(1.0)
        else:
            stack.append(tok)
    return sum(stack)


class Parser:
    def __init__(self, tokens: Any, x: Any) -> None:
        self.tokens, self.x, self.pos = tokens, x, 0

    def peek(self) -> Any:
        return self.tokens[self.pos] if self.pos < len(self.tokens) else None

    def expr(self) -> Any:
        v = self.term()
        while self.peek() == "+" or self.peek() == "-":
            op = self.tokens[self.pos]
            self.pos += 1
            w = self.term()
            v = v + w if op == "+" else v - w
        return v

    def term(self) -> Any:
        v = self.atom()
        while self.peek() == "*":
            self.pos += 1
            v = v * self.atom()
        return v

    def atom(self) -> Any:
        tok = self.tokens[self.pos]
        self.pos += 1
        if tok == "(":
            v = self.expr()
            self.pos += 1
            return v
        if tok == "x":
            return self.x[0]
        if tok == "y":
            return self.x[1]
        return tok * 1.0


@program((X, ["x", "*", "(", 2.0, "+", "y", ")", "-", 3.0]), (Y, ["y", "+", 1.0, "*", "x", "*", "x"]))
def parsed(x: Any, tokens: Any) -> Any:
    return Parser(tokens, x).expr()


def orders(n: int, seed: int) -> list[Any]:
    rng = random.Random(seed)
    return [rng.choice([("buy", rng.random(), 2.0), ("sell", 1.0 + rng.random(), 1.0), ("fee", 0.1 * rng.random()),
                        ("split",) if rng.random() < 0.1 else ("fee", 0.2)]) for _ in range(n)]


@program((X, orders(200, 1)), (Y, orders(90, 2)))
def book(x: Any, orders: Any) -> Any:
    cash, shares = 0.0, 0.0
    for order in orders:
        kind, *rest = order
        if kind == "buy":
            price, size = rest
            cash -= price * size * x[0]
            shares += size
        elif kind == "sell":
            price, size = rest
            cash += price * size * x[1]
            shares -= size
        elif kind == "fee":
            cash -= rest[0] * x[0]
        elif kind == "split":
            shares *= 2.0
    return cash + shares * x[1] * x[0]


CONFIG = [
    {"kind": "dense", "w": 0.5, "b": 0.1}, {"kind": "tanh"}, {"kind": "scale", "by": 2.0},
    {"kind": "dense", "w": 1.5, "b": -0.2}, {"kind": "tanh"}, {"kind": "power", "n": 2}]


@program((X, CONFIG * 20), (Y, CONFIG[:5] * 3))
def network(x: Any, layers: Any) -> Any:
    v = x[0]
    for layer in layers:
        kind = layer["kind"]
        if kind == "dense":
            v = layer["w"] * v + layer["b"] * x[1]
        elif kind == "tanh":
            v = math.tanh(v)
        elif kind == "scale":
            v = v * layer["by"]
        elif kind == "power":
            v = v ** layer["n"]
        else:
            raise ValueError(kind)
    return v


@program((X, 100), (Y, 7))
def network_of_config(x: Any, n: int) -> Any:
    v = 0.0
    for i in range(n):
        layer = CONFIG[i % len(CONFIG)]
        if layer["kind"] == "dense":
            v = v + layer["w"] * x[0]
        elif layer["kind"] == "scale":
            v = v * layer["by"] * x[1]
    return v


RATES = {"flat": (0.1,), "linear": (0.2, 0.3), "quad": (0.1, 0.2, 0.3)}


@program((X, ["flat", "quad", "linear"] * 50), (Y, ["quad"] * 70))
def rates(x: Any, names: Any) -> Any:
    s = 0.0
    for name in names:
        c = RATES[name]
        if len(c) == 1:
            s += c[0] * x[0]
        elif len(c) == 2:
            a, b = c
            s += a + b * x[1]
        else:
            s += c[0] + c[1] * x[0] + c[2] * x[0] * x[1]
    return s


@program((X, [1.0, [2.0, 3.0], 4.0, [], [1.0], 2.0] * 20), (Y, [[0.5], 1.5, 2.5, [3.5, 4.5], 1.0] * 20))
def nested(x: Any, items: Any) -> Any:
    s = 0.0
    for it in items:
        if isinstance(it, list):
            for v in it:
                s += v * x[0]
        else:
            s += it * x[1]
    return s


@program((X, [(1.0,), (2.0, 2), (0.5, 1, 2)] * 30), (Y, [(1.0,), (2.0, 3), (0.5, 1, 2), (2.0,)] * 20))
def polys(x: Any, terms: Any) -> Any:
    s = 0.0
    for t in terms:
        if len(t) == 1:
            s += t[0]
        elif len(t) == 2:
            s += t[0] * x[0] ** t[1]
        else:
            c, p, q = t
            s += c * x[0] ** p * x[1] ** q
    return s


@program((X, 12), (Y, 3))
def compiled(x: Any, n: int) -> Any:
    code = []
    for i in range(n):
        code.append(("const", x[0] * (i + 1)))
        if i:
            code.append(("add",) if i % 2 else ("mul",))
        if i % 5 == 4:
            code.append(("scale", x[1], i))
    code.append(("ret",))
    stack, pc = [], 0
    while True:
        op = code[pc][0]
        if op == "const":
            stack.append(code[pc][1])
        elif op == "add":
            b = stack.pop()
            stack.append(stack.pop() + b)
        elif op == "mul":
            b = stack.pop()
            stack.append(stack.pop() * 0.1 * b)
        elif op == "scale":
            _, f, k = code[pc]
            stack.append(stack.pop() * f / (k + 1))
        else:
            break
        pc += 1
    return stack[-1]


@program((X, "3 + x - y + 2 - 4 x"), (Y, "y y 3 - 2"))
def lexed(x: Any, text: Any) -> Any:
    tokens = []
    for word in text.split():
        value = None
        if word[0].isdigit():
            value, kind = float(word), "num"
        elif word.isalpha():
            value, kind = word, "name"
        else:
            kind = word
        tokens.append((kind, value))
    s, sign = 0.0, 1.0
    for kind, value in tokens:
        if kind == "num":
            s += sign * value
        elif kind == "name":
            s += sign * (x[0] if value == "x" else x[1])
        elif kind == "-":
            sign = -1.0
        else:
            sign = 1.0
    return s * x[0]


@program((X, 40), (Y, 12))
def simulate(x: Any, n: int) -> Any:
    queue = [("arrive", 0.0)]
    waiting, total, k = 0, 0.0, 0
    while queue and k < n:
        event = queue.pop(0)
        k += 1
        if event[0] == "arrive":
            waiting += 1
            queue.append(("arrive", event[1] + x[0]))
            queue.append(("serve", event[1] + 0.5, x[1] * waiting))
        elif event[0] == "serve":
            waiting -= 1
            total += event[2] * event[1]
    return total


@program((X, 9), (Y, 4), (Z, 14))
def a_dict_written_by_its_name(x: Any, n: int) -> Any:
    evs = []
    for i in range(n):
        d = {"t": i, "v": x[0]} if i % 2 else {"t": i}
        evs.append(d)
        d["t"] = x[1]
    return sum(e["t"] * e.get("v", 2.0) for e in evs)


@program((X, 9), (Y, 4), (Z, 14))
def lists_in_the_list_are_written(x: Any, n: int) -> Any:
    items = []
    for i in range(n):
        if i % 2:
            items.append([x[0]])
        else:
            items.append(x[1] * i)
    for it in items:
        if isinstance(it, list):
            it.append(x[1])
    s = 0.0
    for it in items:
        if isinstance(it, list):
            for v in it:
                s += v * v
        else:
            s += it
    return s


@program((X, 9), (Y, 4), (Z, 14))
def items_are_replaced(x: Any, n: int) -> Any:
    prog = [("a", 1.0), ("b",), ("a", 2.0), ("c", 3, 4)]
    s = 0.0
    for i in range(n):
        k = i % 4
        ins = prog[k]
        if ins[0] == "a":
            s += ins[1] * x[0]
            prog[k] = ("b",)
        elif ins[0] == "b":
            s += x[1]
            prog[k] = ("c", i, 2)
        else:
            s += ins[1] * ins[2] * x[0]
            prog[k] = ("a", s)
    return s


@program((X, 9), (Y, 4), (Z, 14))
def numbers_texts_none_and_truths(x: Any, n: int) -> Any:
    items = [1, 2.5, "q", None, True]
    s = x[0]
    for i in range(n):
        v = items[i % 5]
        if isinstance(v, str):
            s = s * x[1]
        elif v is None:
            s = s + x[1]
        elif isinstance(v, bool):
            s = s * 2.0
        else:
            s = s + v * x[0]
    return s


@program((X, 9), (Y, 4), (Z, 14))
def parts_of_a_program(x: Any, n: int) -> Any:
    prog = []
    for i in range(n):
        prog.append(("p", x[0] * i) if i % 2 else ("q",))
    s = 0.0
    for k, ins in enumerate(prog[1:]):
        if ins[0] == "p":
            s += ins[1] * k
    for ins in reversed(prog):
        if len(ins) == 2:
            s += ins[1]
    for a, b in zip(prog, prog[2:]):
        if a[0] == b[0] == "p":
            s += a[1] * b[1]
    while prog and prog[-1][0] == "q":
        prog.pop()
    last = prog.pop(0)
    return s + (last[1] if len(last) > 1 else x[1]) + len(prog)


@program((X, 9), (Y, 4), (Z, 14))
def a_number_or_a_text_is_carried(x: Any, n: int) -> Any:
    v = 0.0
    s = x[0]
    for i in range(n):
        if isinstance(v, str):
            s = s * x[1]
        else:
            s = s + v
        v = "abc" if i % 3 == 1 else x[0] * i
    return s if isinstance(v, str) else s + v


@program((X, 9), (Y, 4), (Z, 14))
def states(x: Any, n: int) -> Any:
    state = ("idle",)
    s = x[0]
    for i in range(n):
        if state[0] == "idle":
            state = ("run", x[1] * i)
        elif state[0] == "run":
            s = s + state[1]
            state = ("wait", i, x[0])
        else:
            _, k, f = state
            s = s * f + k
            state = ("idle",) if s < 50.0 else ("run", 0.5)
    return s


@program((X, 9), (Y, 4), (Z, 14))
def events_of_a_function(x: Any, n: int) -> Any:
    def event(i):
        if i % 2:
            return {"kind": "a", "v": x[0] * i}
        return {"kind": "b", "w": x[1], "u": i}
    s = 0.0
    for i in range(n):
        e = event(i)
        if e["kind"] == "a":
            s += e["v"]
        else:
            s += e["w"] * e["u"]
    return s


@program((X, 9), (Y, 4))
def exceptions_are_handled(x: Any, n: int) -> Any:
    items = [1.0, "q", None, 2.0]
    s = x[0]
    for i in range(n):
        try:
            s = s + items[i % 4] * x[1]
        except TypeError:
            s = s * 1.5
    return s


@program((X, 9), (Y, 4), (Z, 14))
def matched(x: Any, n: int) -> Any:
    prog = [("a", 1.0), ("b",), ("c", 3, 4)]
    s = x[0]
    for i in range(n):
        match prog[i % 3]:
            case ("a", v):
                s = s + v * x[1]
            case ("b",):
                s = s * x[0]
            case (_, p, q):
                s = s + p * q
    return s


@program((X, 9), (Y, 4), (Z, 14))
def one_text_and_two_lengths(x: Any, n: int) -> Any:
    prog = [("call", 1.0), ("call", 2.0, x[0]), ("ret",)]
    s = 0.0
    for i in range(n):
        ins = prog[i % 3]
        if ins[0] == "call":
            if len(ins) == 2:
                s += ins[1] * x[1]
            else:
                s += ins[1] * ins[2]
        else:
            s *= 0.5
    return s


@program((X, 9), (Y, 4), (Z, 14))
def nested_tuples(x: Any, n: int) -> Any:
    prog = [("a", (1.0, x[0])), ("b", 2), ("a", (x[1], 3.0)), ("c", ("d", x[0]))]
    s = 0.0
    for i in range(n):
        op, arg = prog[i % 4]
        if op == "a":
            p, q = arg
            s += p * q
        elif op == "b":
            s = s * arg
        else:
            s += arg[1]
    return s


@program((X, 9), (Y, 4), (Z, 14))
def arrays_among_numbers(x: Any, n: int) -> Any:
    steps = [("mv", np.array([1.0, 2.0])), ("s", 2.0), ("n",)]
    v = np.array([x[0], x[1]])
    for i in range(n):
        st = steps[i % 3]
        if st[0] == "mv":
            v = v * st[1]
        elif st[0] == "s":
            v = v / st[1]
        else:
            v = v + 1.0
    return v.sum()


@program((X, 9), (Y, 4), (Z, 14))
def the_last_item(x: Any, n: int) -> Any:
    hist = [("start", x[0])]
    for i in range(n):
        last = hist[-1]
        if last[0] == "start":
            hist.append(("mid", last[1] * x[1], i))
        elif last[0] == "mid":
            hist.append(("end",) if i % 4 == 3 else ("mid", last[1] + x[0], last[2] + 1))
        else:
            hist.append(("start", x[1]))
    s = 0.0
    for h in hist:
        if h[0] != "end":
            s += h[1]
        if h[0] == "mid":
            s += h[2]
    return s


@program((X, 9), (Y, 4), (Z, 14))
def lists_and_tuples_by_name(x: Any, n: int) -> Any:
    log: Any = {}
    log.setdefault("start", []).append((x[0], x[1], x[0] * x[1]))
    if x[0] > 0.5:
        log.setdefault("on", []).append((x[1], 2.0 * x[0], 3.0))
    for k in range(n):
        if k * x[0] > 4.3:
            log["end"] = (x[1], k)
            break
        log.setdefault("abc"[k % 3], []).append((x[0] * k, x[1], k))
    s = 0.0
    for name in log:
        if name != "end":
            for a, b, c in log[name]:
                s += a + 2.0 * b * x[0] + 3.0 * c * x[1]
    if "end" in log:
        s += log["end"][0] * x[0]
    return s


@program((X, 9), (Y, 4), (Z, 14))
def written_by_another_name(x: Any, n: int) -> Any:
    events = []
    for i in range(n):
        if i % 2:
            events.append({"t": i, "v": x[0] * i})
        else:
            events.append({"t": i})
    for e in events:
        if "v" in e:
            e["v"] = e["v"] * x[1]
    return sum(e.get("v", 1.0) * e["t"] for e in events)


TOKENS = [
    ("name", "x"), ("times", None), ("open", None), ("num", 2.0), ("plus", None), ("name", "y"), ("close", None),
    ("minus", None), ("num", 3.0), ("end", None)]
OTHER_TOKENS = [
    ("num", 2.0), ("times", None), ("name", "y"), ("plus", None), ("name", "x"), ("times", None), ("name", "y"),
    ("end", None)]


@program((X, TOKENS), (Y, OTHER_TOKENS))
def parsed_tokens(x: Any, toks: Any) -> Any:
    pos = 0
    def peek() -> Any:
        return toks[pos][0]

    def take() -> Any:
        nonlocal pos
        t = toks[pos]
        pos += 1
        return t

    def expr() -> Any:
        v = term()
        while peek() in ("plus", "minus"):
            k, _ = take()
            w = term()
            v = v + w if k == "plus" else v - w
        return v

    def term() -> Any:
        v = atom()
        while peek() == "times":
            take()
            v = v * atom()
        return v

    def atom() -> Any:
        kind, value = take()
        if kind == "num":
            return value
        if kind == "name":
            return x[0] if value == "x" else x[1]
        if kind == "open":
            v = expr()
            take()
            return v
        raise ValueError(kind)

    return expr()


NO_NUMPY = {"exceptions_are_handled"}
"""Programs that raise what NumPy says otherwise, with its numbers."""


@pytest.mark.parametrize(("f", "calls"), program, ids=lambda v: getattr(v, "__name__", ""))
def test_in_every_mode(f: Callable[..., Any], calls: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    if f.__name__ not in NO_NUMPY:
        return agrees_in_every_mode(f, calls)
    derivative = value_and_grad(f)
    for args in calls:
        agrees(f, *args, derivative=derivative)
    return None


def test_the_code_does_not_grow_with_the_data() -> None:
    derivative = value_and_grad(pk)
    derivative(X, timed_events(100, 1))
    short = derivative.source
    compiled = len(derivative.sources)
    derivative(X, timed_events(400, 2))
    assert derivative.source == short
    assert len(derivative.sources) == compiled
    assert len(short) < 4000


def test_other_kinds_are_compiled_anew() -> None:
    derivative = value_and_grad(vm)
    longer = [("nop", "a"), ("push", 1.0), *PROGRAM, ("halt", 1, 2)]
    for code in (PROGRAM, OTHER, [("push", 2.0), ("ret",)] * 3, longer):
        agrees(vm, X, code, derivative=derivative)


def short_of_items(x: Any, n: int) -> Any:
    prog = [("a", 1.0), ("b",)]
    s = 0.0
    for i in range(n):
        s += prog[i % 2][1] * x[0]
    return s


def too_many_items(x: Any, n: int) -> Any:
    prog = [("a", 1.0), ("b", 2.0, 3.0)]
    s = 0.0
    for i in range(n):
        _, v = prog[i // 3]
        s += v * x[0]
    return s


def no_such_key(x: Any, events: Any) -> Any:
    s = 0.0
    for e in events:
        s += e["dose"] * x[0]
    return s


def no_operator(x: Any, items: Any) -> Any:
    s = x[0]
    for v in items:
        s = s + v
    return s


@pytest.mark.parametrize(("f", "args"), [
    (short_of_items, [(1,), (4,)]), (too_many_items, [(2,), (3,), (6,)]),
    (no_such_key, [([{"t": 1.0, "dose": 2.0}] * 90 + [{"dose": 1.0}],),
                   ([{"t": 1.0, "dose": 2.0}] * 70 + [{"t": 1.0}],)]),
    (no_operator, [([1.0, 2.0] * 40 + ["x"],)])])
def test_python_raises(f: Callable[..., Any], args: list[tuple[Any, ...]]) -> None:
    derivative = value_and_grad(f)
    for more in args:
        agrees(f, X, *more, derivative=derivative)


def test_the_arguments_stay_as_they_are() -> None:
    code = copy.deepcopy(PROGRAM)
    value_and_grad(vm)(X, code)
    jvp(vm, (X, code), ([1.0, 0.0], None))
    assert code == PROGRAM


def total(items: Any, x: float) -> Any:
    s, k = 0.0, 0
    while k < len(items):
        item = items[k]
        if item[0] == "a":
            s += item[1] * x
        k = item[1] if item[0] == "jump" else k + 1
    return s


ITEMS = [("a", 1.0), ("b",), ("a", 2.5), ("c", 3, 4), ("jump", 6), ("a", 9.0)]


def test_no_gradient_with_respect_to_the_items() -> None:
    for wrt in (0, (0, 1)):
        with pytest.raises(Exception, match="SCT407: there is no gradient with respect to a list of items of several"):
            grad(total, wrt)(ITEMS, 2.0)
    with pytest.raises(Exception, match="SCT407"):
        vjp(total, ITEMS, 2.0)
    assert grad(total, 1)(ITEMS, 2.0) == 3.5
    assert vjp(lambda x: total(ITEMS, x), 2.0)[1](1.0) == (3.5,)


def test_an_emitted_module_checks_the_kinds(tmp_path: Path) -> None:
    derivative = value_and_grad(total, 1)
    assert derivative(ITEMS, 2.0) == (7.0, 3.5)
    derivative.save(tmp_path / "emitted.py")
    spec = importlib.util.spec_from_file_location("emitted", tmp_path / "emitted.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.total_value_and_grad(ITEMS[:4] * 3 + [("jump", 20)], 2.0) == (21.0, 10.5)
    for wrong in ([("a", "x")] * 5, [("z", 1.0)] * 5, [("a", 1.0, 2.0)] * 5, 3.0):
        with pytest.raises(TypeError, match="items"):
            module.total_value_and_grad(wrong, 2.0)


def returned(x: Any, n: int) -> Any:
    items = []
    for i in range(n):
        items.append(x[0] * i if i % 2 else "x")
    return x[0], items


def test_refused() -> None:
    with pytest.raises(Exception, match="SCT503: a list of items of several kinds is not supported as a result"):
        value_and_grad(returned, has_aux=True)(X, 300)
