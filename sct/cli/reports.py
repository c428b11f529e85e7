"""The report of `sct check` on a function, and the formats in which it is written.

    text     for people                        github   annotations of a pull request
    json     for programs                      sarif    for tools that show the findings of many checkers
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sct.cli.paths import shown
from sct.errors import Loc, SctError

__all__ = ["FORMATS", "Report", "sct_version"]


def sct_version() -> str:
    """The version of the package."""
    try:
        return version("sct-grad")
    except PackageNotFoundError:
        return "unknown"


@dataclass(frozen=True)
class Report:
    """A function that is accepted or refused, or a file that is refused as a whole.

    file     the file
    name     of the function; "" for the file as a whole
    types    of the parameters for which it is accepted
    refusal  None if it is accepted
    copies   the arrays that are copied in each iteration of a loop, and where
    """

    file: Path
    name: str
    types: str = ""
    refusal: SctError | None = None
    copies: Sequence[tuple[str, Loc | None]] = ()

    @property
    def accepted(self) -> bool:
        return self.refusal is None

    def text(self, with_file: bool) -> str:
        """The lines for people."""
        name = "::".join(filter(None, [shown(self.file) if with_file or not self.name else "", self.name]))
        lines = [f"accepted  {name}({self.types})" if self.accepted else f"refused   {name}"]
        for variable, loc in self.copies:
            place = f"{loc.file}:{loc.line}: " if loc else ""
            lines.append(f"          {place}{_copy_message(variable)}")
        return "\n".join(lines)


def _copy_message(variable: str) -> str:
    return f"a copy of `{variable}` is made in each iteration of a loop"


def _json(reports: Iterable[Report]) -> str:
    def place(loc: Loc | None) -> dict[str, Any]:
        if loc is None:
            return {}
        span = {"line": loc.line, "column": loc.col + 1}
        if loc.end_line:
            span.update(end_line=loc.end_line, end_column=loc.end_col + 1)
        return {"file": shown(loc.file), **span}

    def entry(report: Report) -> dict[str, Any]:
        refusal = report.refusal
        head: dict[str, Any] = {"file": shown(report.file), "function": report.name or None,
                                "accepted": report.accepted}
        if refusal is not None:
            return {**head, "code": refusal.code, "message": refusal.what, "why": refusal.why, "hint": refusal.hint,
                    "location": place(refusal.loc) or None}
        copies = [{"variable": variable, "location": place(loc) or None} for variable, loc in report.copies]
        return {**head, "types": report.types, "copies": copies}

    return json.dumps({"version": sct_version(), "functions": [entry(report) for report in reports]}, indent=2)


def _github(reports: Iterable[Report]) -> str:
    def command(level: str, file: Path, loc: Loc | None, title: str, message: str) -> str:
        place = {"file": shown(_path_of(loc, file))}
        if loc is not None and not _in_cell(loc):
            place.update(line=str(loc.line), col=str(loc.col + 1))
            if loc.end_line == loc.line:
                place.update(endLine=str(loc.end_line), endColumn=str(loc.end_col + 1))
        fields = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in {**place, "title": title}.items())
        return f"::{level} {fields}::{_escaped(message)}"

    lines = []
    for report in reports:
        if report.refusal is not None:
            title = f"{report.refusal.code} {report.name}".strip()
            lines.append(command("error", report.file, report.refusal.loc, title, _message(report.refusal)))
        lines += [command("notice", report.file, loc, report.name, _copy_message(variable))
                  for variable, loc in report.copies]
    return "\n".join(lines)


def _escaped(text: str, more: str = "") -> str:
    """A value of a workflow command of GitHub."""
    return "".join(f"%{ord(c):02X}" if c in "%\r\n" + more else c for c in text)


def _sarif(reports: Iterable[Report]) -> str:
    def result(rule: str, level: str, file: Path, loc: Loc | None, message: str) -> dict[str, Any]:
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(_path_of(loc, file))}}
        if loc is not None and not _in_cell(loc):
            region = {"startLine": loc.line, "startColumn": loc.col + 1}
            if loc.end_line:
                region.update(endLine=loc.end_line, endColumn=loc.end_col + 1)
            place["region"] = region
        return {"ruleId": rule, "level": level, "message": {"text": message},
                "locations": [{"physicalLocation": place}]}

    results = []
    for report in reports:
        name = f"`{report.name}`: " if report.name else ""
        if report.refusal is not None:
            results.append(result(report.refusal.code, "error", report.file, report.refusal.loc,
                                  name + _message(report.refusal)))
        results += [result("copy-in-loop", "note", report.file, loc, name + _copy_message(variable))
                    for variable, loc in report.copies]
    rules = [{"id": rule} for rule in sorted({str(entry["ruleId"]) for entry in results})]
    driver = {"name": "sct", "version": sct_version(), "rules": rules}
    return json.dumps({"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
                       "runs": [{"tool": {"driver": driver}, "columnKind": "utf16CodeUnits", "results": results}]},
                      indent=2)


def _message(refusal: SctError) -> str:
    """The refusal without its place, which the formats give by themselves; of a cell of a notebook with it."""
    cell = [f"{refusal.loc.file}:{refusal.loc.line}"] if refusal.loc is not None and _in_cell(refusal.loc) else []
    reasons = [f"{label}: {text}" for label, text in (("why", refusal.why), ("hint", refusal.hint)) if text]
    return "\n".join([refusal.what, *cell, *reasons])


_CELL = re.compile(r":cell \d+$")


def _in_cell(loc: Loc) -> bool:
    """Is this a place in a cell of a notebook, whose lines are not those of the file?"""
    return _CELL.search(loc.file) is not None


def _path_of(loc: Loc | None, file: Path) -> Path:
    return file if loc is None else Path(_CELL.sub("", loc.file))


def _uri(path: Path) -> str:
    name = shown(path)
    return path.as_uri() if Path(name).is_absolute() else quote(name)


FORMATS: dict[str, Callable[[Iterable[Report]], str]] = {"json": _json, "github": _github, "sarif": _sarif}
