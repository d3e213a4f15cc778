"""One scenario: the steps that the check plays, their source, and the advice to a student whose client fails.

Its file is a head of `key: value` lines, an empty line, then one step a line. A value goes on in the lines below that
are indented. `#` begins a remark: at the beginning of a line, or after two blanks. Every error names the file and the
line. Scenarios come with a protocol, or are those of a course.
"""

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from attrs import define, evolve, field

from gameserver.check.report import Level
from gameserver.check.steps import CLIENT, REPEAT, ComesIn, Placed, Repeat, Step, read_step
from gameserver.core.events import EndReason
from gameserver.values import value

_ENDING = ".scenario"


@value
class Rewrite:
    """A change that a scenario makes to each line, or message, on its way."""

    pattern: re.Pattern[str]
    replacement: str

    def applied(self, text: str) -> str:
        """Rewrites a line of the wire as the scenario says."""
        return self.pattern.sub(self.replacement, text)


@value
class ScenarioWire:
    """The network's faults in both directions, in the words of `gameserver proxy`; empty for none."""

    to_client: str = ""
    to_server: str = ""

    @property
    def words(self) -> str:
        """The faults that a scenario has for both directions of the network, in one line; empty for none."""
        if self.to_client == self.to_server:
            return self.to_client
        ways = {"to client": self.to_client, "to server": self.to_server}
        return "; ".join(f"{way}: {text}" for way, text in ways.items() if text)


@value
class Scenario:
    """One scenario of a check, as its file has it."""

    name: str
    """The name of its file, without the ending."""
    file: str
    title: str
    level: Level
    source: str
    """The client, server or event that it was seen in."""
    document: str
    """The protocol's document about it, word for word."""
    change: str
    """Advice for the author of a client that fails."""
    steps: tuple[Placed, ...]
    games: tuple[str, ...] = ()
    """The games for which it makes sense; empty for all."""
    catches: tuple[str, ...] = ()
    """The reasons for the loss of a match, in the records' words, that it is a rehearsal for."""
    wire: ScenarioWire = field(factory=ScenarioWire)
    rewrites: tuple[Rewrite, ...] = ()
    """The changes of what the client is sent."""
    rewrites_to_server: tuple[Rewrite, ...] = ()
    line_end: str = ""
    """The end of each line to the client; empty for the server's own."""
    settings: Mapping[str, Any] = field(factory=dict)
    """Settings of the server that differ from the check's own, as a config file has them."""

    @property
    def player_names(self) -> frozenset[str]:
        """The names of the players whom the check plays in a scenario's steps."""
        coming = (placed.step for placed in self.steps if isinstance(placed.step, ComesIn))
        return frozenset(step.player_name for step in coming if step.who != CLIENT)

    def suits(self, game: str) -> bool:
        """True if the scenario can be played at this game, by the head of its file."""
        return not self.games or game.casefold() in {name.casefold() for name in self.games}


KEYS = (
    *("title", "level", "games", "catches", "source", "document", "change"),
    *("wire", "wire to client", "wire to server", "line ends"),
)
MANY = ("rewrite", "rewrite to server", "server")
"""Keys that may stand several times."""
_NEEDED = ("title", "level", "source", "document", "change")
_LINE_ENDS = {"LF": "\n", "CR": "\r", "CRLF": "\r\n"}
_LOSSES = (EndReason.LATE, EndReason.ILLEGAL, EndReason.DROPPED, EndReason.RESIGNED)

# A `#` after one blank is part of its line.
_REMARK = re.compile(r"^\s*#.*|\s{2,}#.*")
_HEAD = re.compile(r"([a-z][a-z ]*?)\s*:\s*(.*)")


class WrongScenario(Exception):
    """A file is not a scenario; the text names the file and the line, and what to change."""

    def __init__(self, file: str, line: int, why: str) -> None:
        super().__init__(f"{file}:{line}: {why}")


@value
class _Line:
    number: int
    text: str
    is_indented: bool


@value
class _Entry:
    """A line of the head with those that go on with it."""

    key: str
    value: str
    line: int


@define
class _Reader:
    """Reads one file."""

    file: str
    names: set[str] = field(factory=set)
    """The players who have come in."""

    def wrong(self, line: int, why: str) -> WrongScenario:
        return WrongScenario(self.file, line, why)

    def head(self, lines: Sequence[_Line]) -> Sequence[_Entry]:
        entries: list[_Entry] = []
        for line in lines:
            if line.is_indented:
                if not entries:
                    raise self.wrong(line.number, "the file begins with a key, such as `title: ...`, not with a blank")
                entries[-1] = evolve(entries[-1], value=f"{entries[-1].value} {line.text}".strip())
                continue
            found = _HEAD.fullmatch(line.text)
            if found is None:
                why = f"{line.text!r} is not `key: value`; the steps come after an empty line"
                raise self.wrong(line.number, why)
            entries.append(_Entry(found[1], found[2], line.number))
        self._check_keys(entries)
        return entries

    def _check_keys(self, entries: Sequence[_Entry]) -> None:
        seen: set[str] = set()
        for entry in entries:
            if entry.key not in {*KEYS, *MANY}:
                near = difflib.get_close_matches(entry.key, [*KEYS, *MANY], 1)
                hint = f"did the author mean {near[0]!r}?" if near else f"there are {', '.join([*KEYS, *MANY])}"
                raise self.wrong(entry.line, f"there is no key {entry.key!r}; {hint}")
            if entry.key in seen and entry.key not in MANY:
                raise self.wrong(entry.line, f"{entry.key!r} is there twice")
            if not entry.value:
                raise self.wrong(entry.line, f"{entry.key!r} has no value")
            seen.add(entry.key)
        for key in _NEEDED:
            if key not in seen:
                raise self.wrong(1, f"{key!r} is missing; every scenario has {', '.join(_NEEDED)}")

    def level(self, entry: _Entry) -> Level:
        try:
            return Level(entry.value)
        except ValueError:
            known = ", ".join(each.value for each in Level)
            raise self.wrong(entry.line, f"level {entry.value!r} should be one of {known}") from None

    def catches(self, entry: _Entry) -> tuple[str, ...]:
        reasons = tuple(reason.strip() for reason in entry.value.split(","))
        for reason in reasons:
            if reason not in _LOSSES:
                raise self.wrong(entry.line, f"{reason!r} is no reason for a loss; there are {', '.join(_LOSSES)}")
        return reasons

    def line_end(self, entry: _Entry) -> str:
        if entry.value not in _LINE_ENDS:
            raise self.wrong(entry.line, f"lines end with one of {', '.join(_LINE_ENDS)}, not with {entry.value!r}")
        return _LINE_ENDS[entry.value]

    def rewrite(self, entry: _Entry) -> Rewrite:
        pattern, arrow, replacement = entry.value.partition(" => ")
        if not arrow:
            raise self.wrong(entry.line, "a rewrite is `PATTERN => REPLACEMENT`")
        try:
            compiled = re.compile(pattern)
            # With an empty alternative it matches anything, so that a group which the replacement names and the pattern
            # lacks shows now.
            re.compile(f"(?:{pattern})|").sub(replacement, "")
        except (re.error, IndexError) as error:
            raise self.wrong(entry.line, f"the rewrite cannot be used: {error}") from error
        return Rewrite(compiled, replacement)

    def settings(self, entries: Sequence[_Entry]) -> dict[str, Any]:
        text = ""
        settings: dict[str, Any] = {}
        for entry in entries:
            text += f"{entry.value}\n"
            try:
                settings = tomllib.loads(text)
            except tomllib.TOMLDecodeError as error:
                why = f"a setting is `section.key = value` as in the config, not {entry.value!r}: {error}"
                raise self.wrong(entry.line, why) from error
        return settings

    def steps(self, lines: Sequence[_Line]) -> tuple[Placed, ...]:
        steps: list[Placed] = []
        for line in lines:
            step = self._step(line)
            block = steps[-1].step if steps else None
            if not line.is_indented:
                self._check_block(steps)
                steps.append(Placed(step, line.text, line.number))
            elif not isinstance(block, Repeat):
                raise self.wrong(line.number, "only the steps below `repeat ... times:` are indented")
            elif isinstance(step, Repeat):
                raise self.wrong(line.number, "a `repeat` cannot have another one in it")
            else:
                inner = (*block.steps, Placed(step, line.text, line.number))
                steps[-1] = evolve(steps[-1], step=evolve(block, steps=inner))
        self._check_block(steps)
        return tuple(steps)

    def _check_block(self, steps: Sequence[Placed]) -> None:
        if steps and isinstance(steps[-1].step, Repeat) and not steps[-1].step.steps:
            raise self.wrong(steps[-1].line, "the steps to repeat have to follow, indented")

    def _step(self, line: _Line) -> Step:
        try:
            step = REPEAT.read(line.text) or read_step(line.text)
        except ValueError as error:
            raise self.wrong(line.number, str(error)) from None
        for name in ("who", "player", "first", "beside"):
            self._check_here(line, step, getattr(step, name, ""))
        if isinstance(step, ComesIn):
            self.names.add(step.who)
        return step

    def _check_here(self, line: _Line, step: Step, name: str) -> None:
        if name and name not in self.names and not isinstance(step, ComesIn):
            raise self.wrong(line.number, f"{name} has not come in; write `{name} comes in` above")


def read(text: str, file: str, name: str) -> Scenario:
    """Reads one scenario from the text of its file. Raises `WrongScenario`."""
    reader = _Reader(file)
    lines = list(_lines(text))
    head_lines, step_lines = _parts(lines)
    entries = reader.head(head_lines)
    steps = reader.steps(step_lines)
    if CLIENT not in reader.names:
        raise reader.wrong(len(text.splitlines()) or 1, "no step lets the client come in; write `CLIENT comes in`")
    one = {entry.key: entry for entry in entries}
    said = {key: entry.value for key, entry in one.items()}
    games = [game.strip() for game in said.get("games", "*").split(",")]
    both = said.get("wire", "")
    return Scenario(
        name=name,
        file=file,
        title=said["title"],
        level=reader.level(one["level"]),
        source=said["source"],
        document=said["document"],
        change=said["change"],
        steps=steps,
        catches=reader.catches(one["catches"]) if "catches" in one else (),
        games=() if "*" in games else tuple(filter(None, games)),
        wire=ScenarioWire(said.get("wire to client", both), said.get("wire to server", both)),
        rewrites=tuple(reader.rewrite(entry) for entry in entries if entry.key == "rewrite"),
        rewrites_to_server=tuple(reader.rewrite(entry) for entry in entries if entry.key == "rewrite to server"),
        line_end=reader.line_end(one["line ends"]) if "line ends" in one else "",
        settings=reader.settings([entry for entry in entries if entry.key == "server"]),
    )


def _lines(text: str) -> Iterator[_Line]:
    """The lines without remarks. A line that is a remark alone is not there; an empty one is."""
    for number, raw in enumerate(text.splitlines(), 1):
        bare = _REMARK.sub("", raw).rstrip()
        if bare or not raw.strip():
            yield _Line(number, bare.strip(), bare[:1].isspace())


def _parts(lines: Sequence[_Line]) -> tuple[list[_Line], list[_Line]]:
    """The head and the steps; an empty line divides them."""
    begin = next((place for place, line in enumerate(lines) if line.text), len(lines))
    end = next((place for place, line in enumerate(lines) if place > begin and not line.text), len(lines))
    return list(lines[begin:end]), [line for line in lines[end:] if line.text]


@value
class Library:
    """The scenarios that were found, and the files that are none."""

    scenarios: tuple[Scenario, ...] = ()
    problems: tuple[str, ...] = ()
    """A sentence for each file that cannot be read."""

    def __add__(self, other: "Library") -> "Library":
        """Both; a scenario of the other takes the place of one with the same name."""
        named = {scenario.name: scenario for scenario in (*self.scenarios, *other.scenarios)}
        return Library(tuple(named.values()), self.problems + other.problems)


def of_package(package: str) -> Library:
    """Reads the scenario files in an importable package; none if there is no name. Raises `ModuleNotFoundError`."""
    return _read_all(list(files(package).iterdir())) if package else Library()


def of_directory(directory: Path) -> Library:
    """Reads the scenario files in a directory, such as a course's own. Raises `OSError`."""
    return _read_all(list(directory.iterdir()))


def _read_all(found: Sequence[Traversable]) -> Library:
    scenarios: list[Scenario] = []
    problems: list[str] = []
    for path in sorted(found, key=lambda path: path.name):
        if not path.name.endswith(_ENDING):
            continue
        try:
            scenarios.append(read(path.read_text("utf-8"), str(path), path.name.removesuffix(_ENDING)))
        except WrongScenario as wrong:
            problems.append(str(wrong))
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{path}: cannot be read: {error}")
    return Library(tuple(scenarios), tuple(problems))
