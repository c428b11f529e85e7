"""Python's limits on nested statements: what it cannot compile is refused."""

import ast
import importlib.util

import numpy as np
import pytest

from sct import SctError, grad
from sct.codegen.python.nesting import check_nesting

HEADS = {"for": "for i in x:", "while": "while x:", "with": "with x:", "if": "if x:", "try": "try:",
         "finally": "try:"}


def nested(kind, depth):
    lines = ["def f(x):"]
    for level in range(1, depth + 1):
        lines.append("    " * level + HEADS[kind])
    lines.append("    " * (depth + 1) + "pass")
    for level in range(depth, 0, -1):
        if kind in ("try", "finally"):
            lines += ["    " * level + "except ValueError:", "    " * (level + 1) + "pass"]
        if kind == "finally":
            lines += ["    " * level + "finally:", "    " * (level + 1) + "pass"]
    return "\n".join(lines)


@pytest.mark.parametrize("kind, most", [("for", 20), ("while", 20), ("with", 20), ("try", 19), ("finally", 9),
                                        ("if", 98)])
def test_the_limits_are_those_of_the_compiler(kind, most):
    compile(nested(kind, most), "f.py", "exec")
    check_nesting(ast.parse(nested(kind, most)), {})
    with pytest.raises(SyntaxError):
        compile(nested(kind, most + 2), "f.py", "exec")  # Python 3.13 compiles one more
    tree = ast.parse(nested(kind, most))
    innermost = tree.body[0]
    while not isinstance(innermost.body[0], ast.Pass):
        innermost = innermost.body[0]
    innermost.body = ast.parse(nested(kind, 1)).body[0].body
    with pytest.raises(SctError, match="SCT503"):
        check_nesting(tree, {})


def test_loops_of_calls_in_loops(tmp_path):
    loops = [[f"for {v}{k} in range(len(x) - 1):" for k in range(11)] for v in "ij"]
    bodies = [["s += x[0] * x[i10]"], ["s += inner(x) * x[1]"]]
    lines = []
    for name, heads, body in zip(("inner", "outer"), loops, bodies):
        lines += [f"def {name}(x):", "    s = 0.0"]
        lines += ["    " * k + line for k, line in enumerate([*heads, *body], 1)]
        lines.append("    return s")
    path = tmp_path / "nested.py"
    path.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location("nested", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.outer(np.array([2.0, 3.0])) == 12.0
    with pytest.raises(SctError, match="more than 20 loops of nesting") as refusal:
        grad(module.outer)(np.array([2.0, 3.0]))
    assert refusal.value.loc.file == str(path)
