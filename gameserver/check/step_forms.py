"""The forms in which steps are written: a table, each with the step that it stands for.

A form is the text of a step. `{name}` is a field of the step, read as `_FIELDS` says; text in brackets may be
left out.
"""

import difflib
import re
from collections.abc import Callable, Mapping
from typing import Any

from attrs import field

from gameserver.check import steps
from gameserver.check.steps import Aim, Event, Step
from gameserver.values import value

UNITS_S = {"ms": 0.001, "s": 1.0, "min": 60.0}
_PLAYER = "(?!CLIENT\\b)[A-Z][A-Z0-9_]*"
_COUNT_MAX = 10_000


class UnknownStep(Exception):
    """No form fits a step; the text is a sentence for the author."""


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(ms|s|min)", text)
    assert found is not None, "the form has let it in"
    return float(found[1]) * UNITS_S[found[2]]


def _count(text: str) -> int:
    if not 1 <= int(text) <= _COUNT_MAX:
        message = f"{text} should be a number from 1 to {_COUNT_MAX}"
        raise UnknownStep(message)
    return int(text)


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        message = f"{text!r} is not a regular expression: {error}"
        raise UnknownStep(message) from error


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _faults(text: str) -> str:
    return "" if text == "clean" else text


def _one_of(kind: type[Aim] | type[Event]) -> str:
    return "|".join(re.escape(each.value) for each in kind)


_FIELDS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "who": ("[A-Z][A-Z0-9_]*", str),
    "player": (_PLAYER, str),
    "first": ("[A-Z][A-Z0-9_]*", str),
    "beside": ("[A-Z][A-Z0-9_]*", str),
    "game": (r"[^,]+", str),
    "word": (r"\S+", str),
    "move": (r".+?", str),
    "name": (r'"(?:[^"\\]|\\.)+"', _unquoted),
    "count": (r"\d+", _count),
    "time_s": (r"\d+(?:\.\d+)? ?(?:ms|s|min)", _seconds),
    "text": (r".+", str),
    "line": (r".+", str),
    "pattern": (r".+", _pattern),
    "faults": (r".+", _faults),
    "to": (r"client|server", str),
    "aim": (_one_of(Aim), Aim),
    "event": (_one_of(Event), Event),
}
"""The text of each field, and what it becomes."""


@value
class Form:
    """One way to write a step."""

    text: str
    step: type[Step]
    fixed: Mapping[str, Any] = field(factory=dict)
    """Fields that the words of the form say."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """The texts that this form fits."""
        pieces = re.split(r"(\{\w+\}|\[|\])", self.text)
        return re.compile("".join(map(_piece, pieces)))

    def read(self, text: str) -> Step | None:
        """The step, if the form fits. Raises `UnknownStep` for a value that cannot be."""
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        given = {name: _FIELDS[name][1](said) for name, said in found.groupdict().items() if said is not None}
        return self.step(**self.fixed, **given)


def _piece(piece: str) -> str:
    if piece == "[":
        return "(?:"
    if piece == "]":
        return ")?"
    if piece.startswith("{"):
        return f"(?P<{piece[1:-1]}>{_FIELDS[piece[1:-1]][0]})"
    return re.escape(piece)


FORMS = (
    Form("{who} comes in[ as {name}]", steps.ComesIn),
    Form("{count} others come in[ as {name}]", steps.OthersComeIn),
    Form("{player} leaves", steps.Leaves),
    Form("CLIENT meets {player}[, {first} first][, at {game}]", steps.Meets),
    Form("a match of CLIENT and {player} is called[, {first} first]", steps.MatchIsCalled),
    Form("{player} sits down[ beside {beside}]", steps.SitsDown),
    Form("{player} starts", steps.Starts),
    Form("{player} goes back to the lobby", steps.GoesToLobby),
    Form("{player} asks for another game", steps.AsksForAnotherGame),
    Form("{player} challenges CLIENT", steps.Challenges),
    Form("{player} cancels the challenge", steps.CancelsChallenge),
    Form("{player} says {text}", steps.Says),
    Form("{player} sends {line}", steps.SendsRaw),
    Form("{count} moves are played", steps.MovesArePlayed),
    Form("{who} moves", steps.Moves),
    Form("the match is played to its end", steps.MatchPlayedToEnd),
    Form("{player} aims at {aim}", steps.AimsAt),
    Form("{player} thinks {time_s}", steps.Thinks),
    Form("{player} plays {move} as soon as it may", steps.PlaysAsSoonAsItMay),
    Form("{player} resigns", steps.Resigns),
    Form("{player} resigns in CLIENT's turn", steps.Resigns, {"in_clients_turn": True}),
    Form("{player} drops", steps.Drops),
    Form("{who} comes back", steps.ComesBack),
    Form("{player} is late", steps.IsLate),
    Form("CLIENT hears {text}", steps.ClientHears),
    Form("the next {word} comes {time_s} late", steps.LineIsLate),
    Form("CLIENT is heard twice", steps.ClientIsHeardTwice),
    Form("CLIENT's next move becomes {text}", steps.ClientsMoveBecomes),
    Form("CLIENT is late", steps.ClientIsLate),
    Form("CLIENT is cut off[ for {time_s}]", steps.ClientIsCutOff),
    Form("the server restarts", steps.ServerRestarts),
    Form("the server is away for {time_s}", steps.ServerRestarts),
    Form("CLIENT goes through a restart of the server", steps.ClientGoesThroughRestart),
    Form("{time_s} pass", steps.TimePasses),
    Form("the wire: {faults}", steps.WireIs),
    Form("the wire to {to}: {faults}", steps.WireIs),
    Form("CLIENT sends nothing for {time_s}", steps.ClientSendsNothing),
    Form("CLIENT sends {pattern}", steps.ClientSends),
    Form("CLIENT accepts", steps.ClientAccepts),
    Form("CLIENT does not move for {time_s}", steps.ClientDoesNotMove),
    Form("up to {count} matches until {who} {event}", steps.MatchesUntil),
)
"""Every form. Where two fit, the first counts."""
REPEAT = Form("repeat {count} times:", steps.Repeat)
"""The head of a block; its steps follow, indented."""


def read_step(text: str) -> Step:
    """The step that a text stands for. Raises `UnknownStep`."""
    for form in FORMS:
        step = form.read(text)
        if step is not None:
            return step
    message = f"{text!r} is not a step; {_nearest(text)}"
    raise UnknownStep(message)


def _nearest(text: str) -> str:
    """The forms that are written most like a text that is none."""
    forms = sorted((form.text for form in FORMS), key=lambda form: -_likeness(text, form))[:3]
    return "did the author mean one of these? " + " / ".join(forms)


def _likeness(text: str, form: str) -> float:
    shown = re.sub(r"\[.*?\]", "", form).replace("{who}", "CLIENT").replace("{player}", "CLIENT")
    return difflib.SequenceMatcher(None, text, shown, autojunk=False).ratio()
