"""Reading a file."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import cattrs

from games.backgammon import BACKGAMMON, TAVLA, TAVLI
from games.connect_four_3d import GAME as CONNECT_FOUR_3D
from games.mastermind import GAME as MASTERMIND
from gameserver.time_control import TimeControl
from tests.support.example_games import ROCK_PAPER_SCISSORS
from tests.support.games import BestOf, Broken, Countdown, Dice, catalogue
from tests.support.transcripts.dialects import DIALECTS, endpoint
from tests.support.transcripts.model import Action, Entry, Remark, Said, Settings, Transcript

BROKEN = (Broken(at) for at in ("start", "play", "resigned", "prompt", "outcome"))
TEST_GAMES = catalogue(
    CONNECT_FOUR_3D, BACKGAMMON, TAVLA, TAVLI, MASTERMIND, ROCK_PAPER_SCISSORS, Countdown(), Dice(), BestOf(), *BROKEN
)


class Unreadable(Exception):
    """The file is no transcript."""


_LINES = (
    (re.compile(r"(?P<who>C\d+)> ?(?P<what>.*)"), "sends"),
    (re.compile(r"(?P<who>C\d+) (?P<verb>connects|enters)(?P<what>(?: (?:as|to|from|with) \S+)*)"), ""),
    (re.compile(r"(?P<who>C\d+) (?P<verb>half-closes|closes|resets)"), ""),
    (re.compile(r"(?P<who>C\d+) (?P<verb>gets|posts) (?P<what>\S+(?: \S+)?)"), ""),
    (re.compile(r"\+(?P<what>[\d.]+ ?(?:ms|s|min))"), "passes"),
    (re.compile(r"the teacher (?P<verb>holds) (?P<what>\S+ \S+)"), ""),
    (re.compile(r"(?P<verb>restart|kill)"), ""),
)
_SAID = re.compile(r"S(?:>| closes | resets )(?P<who>C\d+)\b.*")


def read(text: str) -> Transcript:
    """Read a transcript; raises `Unreadable` with the line that is not understood."""
    lines = text.splitlines()
    length = next((number for number, line in enumerate(lines) if line and line[0] not in "#@"), len(lines))
    steps: list[list[Entry]] = [[]]
    remarks: list[Remark] = []
    for number, line in enumerate(lines[length:], length + 1):
        entry = _entry(line, number)
        if isinstance(entry, Remark):
            remarks.append(entry)
            continue
        if isinstance(entry, Action) and any(isinstance(before, Said) for before in steps[-1]):
            steps.append([])
        steps[-1] += [*remarks, entry]
        remarks.clear()
    steps[-1] += remarks
    return Transcript(tuple(lines[:length]), _settings(lines[:length]), tuple(map(tuple, steps)))


def _entry(line: str, number: int) -> Entry:
    if line.endswith((" ", "\t")):
        raise Unreadable(f"line {number} ends with a space, write it \\x20: {line!r}")
    if not line or line.startswith("#"):
        return Remark(line)
    said = _SAID.fullmatch(line)
    if said:
        return Said(line, said["who"])
    for pattern, verb in _LINES:
        found = pattern.fullmatch(line)
        if found:
            action = Action(line, **{"verb": verb, **found.groupdict(default="")})
            if action.verb in {"connects", "enters"}:
                _check_endpoint(action, number)
            return action
    raise Unreadable(f"line {number} is not understood: {line!r}")


def _check_endpoint(action: Action, number: int) -> None:
    try:
        reached = endpoint(action.given.get("to", "strategic"))
    except KeyError as error:
        raise Unreadable(f"line {number} leads nowhere: {action.text!r}") from error
    if action.verb == "enters" and reached.dialect.enters is None:
        raise Unreadable(f"line {number}: nobody has a name there: {action.text!r}")


def _settings(head: Sequence[str]) -> Settings:
    settings = Settings()
    for line in head:
        if line.startswith("@"):
            key, *words = line[1:].split()
            try:
                settings = _SETTINGS[key](settings, words)
            except (KeyError, IndexError, ValueError, cattrs.BaseValidationError) as error:
                raise Unreadable(f"no such setting: {line!r}") from error
    return settings


def _evolved(table: Any, words: Sequence[str]) -> Any:
    """One of the tables of the configuration, with some values of its own."""
    given = {**attrs.asdict(table, recurse=False), **dict(word.split("=") for word in words)}
    return _TABLES.structure(given, type(table))


def _truth(value: object, _: object) -> bool:
    return value if isinstance(value, bool) else {"true": True, "false": False}[str(value)]


def _clock(value: str | TimeControl, _: object) -> TimeControl:
    return TimeControl.read(value.replace("_", " ") if isinstance(value, str) else value)


_TABLES = cattrs.Converter(forbid_extra_keys=True)
_TABLES.register_structure_hook(bool, _truth)
_TABLES.register_structure_hook(
    TimeControl, lambda given, _: given if isinstance(given, TimeControl) else TimeControl.read(given.replace("_", " "))
)


def _with_options(settings: Settings, words: Sequence[str]) -> Settings:
    """The options of the protocol that is named, or of the one that clients speak who name none."""
    name, words = (settings.endpoint.dialect.name, words) if "=" in words[0] else (words[0], words[1:])
    table = settings.options.get(name, DIALECTS[name].protocol.options_type())
    return attrs.evolve(settings, options={**settings.options, name: _evolved(table, words)})


def _with_dice(settings: Settings, words: Sequence[str]) -> Settings:
    return attrs.evolve(settings, code=tuple(int(word) - 1 for word in words), code_colours=6)


def _with_code(settings: Settings, words: Sequence[str]) -> Settings:
    values, of, colours = words
    if of != "of":
        raise ValueError(of)
    return attrs.evolve(settings, code=tuple(map(int, values.split(","))), code_colours=int(colours))


_SETTINGS: Mapping[str, Callable[[Settings, Sequence[str]], Settings]] = {
    "profile": lambda settings, words: attrs.evolve(settings, endpoint=endpoint(words[0])),
    "rules": lambda settings, words: attrs.evolve(settings, rules=_evolved(settings.rules, words)),
    "roster": lambda settings, words: attrs.evolve(settings, roster=tuple(words)),
    "limits": lambda settings, words: attrs.evolve(settings, limits=_evolved(settings.limits, words)),
    "options": _with_options,
    "game": lambda settings, words: attrs.evolve(settings, games=(*settings.games, TEST_GAMES[words[0].lower()])),
    "house": lambda settings, words: attrs.evolve(settings, house=True),
    "code": _with_code,
    "dice": _with_dice,
    "tcp": lambda settings, words: attrs.evolve(settings, tcp_only=True),
    "begins": lambda settings, words: attrs.evolve(settings, begins=tuple(words)),
}
