"""docs/architecture.md and README.md show what the code makes: each block is made again and compared.

    python -m pytest tests/test_architecture.py --update-golden     rewrites them

A block stands between `<!-- begin NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping
from pathlib import Path

import gast
import numpy as np
import pytest

import sct

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"(<!-- begin (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
STAGES = ("primal", "optimized", "expanded", "adjoint", "saved", "storage")


def upwind(u: np.ndarray, k: float) -> float:
    for i in range(1, len(u)):
        if u[i] > 0.0:
            u[i] -= k * u[i - 1]
    return u[-1]


def power(x: float, n: int) -> float:
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def logistic(x: float, n: int) -> float:
    v = x
    for _ in range(n):
        v = 4.0 * v * (1.0 - v)
    return v


def ambiguous(x, n):
    y = x.copy()
    z = x.copy()
    for _ in range(n):
        z[0] = 1.0
        z = y
    return y.sum()


def architecture_blocks() -> dict[str, str]:
    derivative = sct.grad(upwind, argnums=(0, 1))
    derivative(np.array([1.0, 2.0, -1.0, 3.0, 0.5]), 0.1)
    write = gast.parse(inspect.getsource(upwind)).body[0].body[0].body[0].body[0]
    return {
        "program": code(inspect.getsource(upwind)),
        "ast": code(gast.dump(write, indent=2)),
        **{stage: code(derivative.ir(stage)) for stage in STAGES},
        "source": code(derivative.source),
        "power": code(sct.grad(power).ir("primal", {"x": "float", "n": "int"})),
        "power_source": code(sct.grad(power).source),
        "modules": modules(),
    }


def modules() -> str:
    """Every module of sct, and what its docstring says that it is."""
    lines: list[str] = []
    for path in sorted((ROOT / "sct").rglob("*.py"), key=lambda p: (p.parent, p.name != "__init__.py", p.name)):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        first = " ".join(text.split("\n\n")[0].split())
        place = path.relative_to(ROOT)
        if path.name == "__init__.py":
            lines.append(f"\n`{place.parent}/`: {first}\n\n" if first else f"\n`{place.parent}/`\n\n")
        else:
            assert first, f"{place} does not say what it is"
            lines.append(f"- `{path.name}`: {first}\n")
    return "".join(lines) + "\n"


def readme_blocks() -> dict[str, str]:
    return {
        "logistic": code(f"from sct import grad\n\n@grad\n{inspect.getsource(logistic)}"),
        "logistic_grad": code(sct.grad(logistic).source),
        "refusal": code(refusal(), ""),
    }


def refusal() -> str:
    with pytest.raises(sct.SctError) as error:
        sct.grad(ambiguous)(np.ones(3), 2)
    return re.sub(r"--> .*/(tests/)", r"--> \1", str(error.value))


def code(text: str, language: str = "python") -> str:
    return f"```{language}\n{text.strip()}\n```\n"


def filled(text: str, blocks: Mapping[str, str]) -> str:
    """`text` with the content of its blocks replaced."""
    names = [match[2] for match in BLOCK.finditer(text)]
    assert names == list(blocks)
    return BLOCK.sub(lambda match: match[1] + blocks[match[2]] + match[3], text)


@pytest.mark.parametrize(
    ("page", "make"), [("docs/architecture.md", architecture_blocks), ("README.md", readme_blocks)]
)
def test_the_page_shows_what_the_code_makes(page: str, make, update_golden: bool) -> None:
    path = ROOT / page
    text = path.read_text()
    made = filled(text, make())
    if update_golden:
        path.write_text(made)
        return
    assert text == made, f"{page} is out of date: python -m pytest tests/test_architecture.py --update-golden"


def test_an_outdated_block_is_found() -> None:
    text = "a\n<!-- begin x -->\nold\n<!-- end -->\nb\n"
    assert filled(text, {"x": "new\n"}) == "a\n<!-- begin x -->\nnew\n<!-- end -->\nb\n" != text


def test_the_example_is_differentiated_right() -> None:
    u = np.array([1.0, 2.0, -1.0, 3.0, 0.5])
    kept = u.copy()
    sct.check_grads(lambda u, k: upwind(u.copy(), k), (u, 0.1))
    du, dk = sct.grad(upwind, argnums=(0, 1))(u, 0.1)
    assert np.array_equal(u, kept)
    assert du.shape == u.shape and isinstance(dk, float)


NAMED = re.compile(r"`((?:[\w.]+/)*[\w.]+\.\w+|(?:\w+/)+)(?::([\w.,]+))?`")


def missing(text: str) -> list[str]:
    """What a text names as `file`, `directory/` or `file:name,name` and is not there; paths may begin below `sct/`."""
    absent = []
    for match in NAMED.finditer(text):
        path = next((p for p in (ROOT / "sct" / match[1], ROOT / match[1]) if p.exists()), None)
        if path is None:
            absent.append(match[0])
        elif match[2]:
            names = defined(ast.parse(path.read_text(encoding="utf-8")).body)
            absent += [f"{match[1]}:{name}" for name in match[2].split(",") if name not in names]
    return absent


def defined(body: list[ast.stmt], prefix: str = "") -> set[str]:
    """The names that statements bind: functions, classes, `Class.member`, variables."""
    names: set[str] = set()
    for s in body:
        if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
            names.add(prefix + s.name)
        if isinstance(s, ast.ClassDef):
            names |= defined(s.body, f"{s.name}.")
        targets = s.targets if isinstance(s, ast.Assign) else [s.target] if isinstance(s, ast.AnnAssign) else []
        names.update(prefix + n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name))
    return names


def unnamed(package: Path) -> list[str]:
    """The modules and packages in a package that its docstring does not name, with what they do.

    A module is named at the beginning of a row, before a phrase, or in backticks.
    """
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")), clean=False) or ""
    names = [p.stem for p in package.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()]
    return sorted(name for name in names if not name.startswith("__")
                  and not re.search(rf"`{name}`|^ +{name}  +\S", text, re.MULTILINE))


PACKAGES = sorted(p.parent for p in (ROOT / "sct").glob("*/**/__init__.py"))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: str(p.relative_to(ROOT / "sct")))
def test_a_package_names_its_modules(package: Path) -> None:
    assert unnamed(package) == []


def test_a_module_that_is_not_named_is_found(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text('"""A package.\n\n    one  what it does\n    two\n\n`three` does more."""')
    for name in ("one", "two", "three", "four"):
        (tmp_path / f"{name}.py").touch()
    assert unnamed(tmp_path) == ["four", "two"]


def changes(text: str) -> dict[str, str]:
    """The sections of docs/where.md about one change each, by their titles."""
    _, *sections = re.split(r"^### ", text, flags=re.MULTILINE)
    return {title: body for title, _, body in (section.partition("\n") for section in sections)}


def incomplete(text: str) -> list[str]:
    """The changes without an ordered list of places, tests or pages."""
    parts = {r"^1\. .*`", r"^Tests: .*`", r"Pages: `"}
    return [title for title, body in changes(text).items()
            if not all(re.search(part, body, re.MULTILINE) for part in parts) or not NAMED.search(body)]


def test_where_to_change_what_names_what_is_there() -> None:
    text = (ROOT / "docs/where.md").read_text(encoding="utf-8")
    assert len(NAMED.findall(text)) > 120
    assert missing(text) == []
    assert incomplete(text) == []
    assert len(changes(text)) > 18


def test_a_change_without_places_is_found() -> None:
    text = "# Page\n\n### One\n\n1. `errors.py`.\n\nTests: `tests/`. Pages: `docs/`.\n\n### Two\n\n1. `errors.py`.\n"
    assert incomplete(text) == ["Two"]


def test_the_tree_shows_every_package() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    packages = {p.parent.relative_to(ROOT / "sct") for p in (ROOT / "sct").glob("*/*/__init__.py")}
    tree = text[text.index("sct/\n"):text.index("\n```\n\nThe docstring")]
    assert [str(p) for p in sorted(packages) if f" {p.name}/" not in tree] == []


def test_a_name_that_is_not_there_is_found() -> None:
    text = "`errors.py:SctError,Nothing`, `ir/core.py:Op.linear_in,Op.none`, `tests/nowhere.py`, `docs/`, `ops/none/`"
    assert missing(text) == ["errors.py:Nothing", "ir/core.py:Op.none", "`tests/nowhere.py`", "`ops/none/`"]


def test_readme_commands_are_those_that_ci_runs() -> None:
    readme, ci = (ROOT / "README.md").read_text(), (ROOT / ".ci/run").read_text()
    assert 'pip install -e ".[test]" && python -m pytest -n auto' in readme
    assert re.search(r'pip install [-\w ]*-e "\.\[test\]" && python -m pytest -n auto', ci)
    assert (ROOT / re.search(r"python (examples/\w+\.py)", readme)[1]).is_file()
