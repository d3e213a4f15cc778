"""The steps of a scenario as values, and the table of the forms in which they are written.

A form is the text of a step. `{name}` is a field of the step, read as `_FIELDS` says; text in brackets may be left out.
"""

import difflib
import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any

from attrs import field

from gameserver.values import value

CLIENT = "CLIENT"
"""The program that is checked, in the words of a scenario."""


class Aim(Enum):
    """The aim of a player of the check."""

    SKIP = "a pass"
    OWN_SKIP = "a pass of its own"
    DRAW = "a draw"
    WIN = "a win"
    LOSS = "a loss"
    LONG_MATCH = "a long match"


class Event(Enum):
    """The event that a series of matches is played for."""

    SKIPPED = "is skipped"
    DRAW = "draws"
    WIN = "wins"
    LOSS = "loses"


@value
class Step:
    """Something that happens in a scenario, or that the client is expected to do."""


@value
class ComesIn(Step):
    """A player logs in; the client's program is started for that."""

    who: str
    name: str = ""
    """The name to log in under; empty for the one that the check chooses."""

    @property
    def player_name(self) -> str:
        """The name of a player of the check that a step lets come in."""
        return self.name or self.who.lower().replace("_", "-")


@value
class OthersComeIn(Step):
    """Players come in who do nothing: they make the list of players long."""

    count: int
    name: str = ""
    """Their names, with `{n}` for the number of each."""


@value
class Leaves(Step):
    """A player of the check logs out."""

    player: str


@value
class Meets(Step):
    """A match of the client and a player begins, in whichever way this client meets others."""

    player: str
    first: str = ""
    """The player who moves first; empty if it does not matter."""
    game: str = ""
    """The game; empty for the one that is checked."""


@value
class MatchIsCalled(Step):
    """A match of the client and a player is begun for them, as a tournament does it, whatever they are looking for."""

    player: str
    first: str = ""
    """The player who moves first; empty if it does not matter."""


@value
class SitsDown(Step):
    """A player takes a place in a room, and does not start."""

    player: str
    beside: str = ""
    """The one who sits there already, or will: the client chooses its room itself. Empty for a free room."""


@value
class Starts(Step):
    """A player who sits in a room is ready for the game."""

    player: str


@value
class GoesToLobby(Step):
    """A player leaves its room, and stays connected."""

    player: str


@value
class AsksForAnotherGame(Step):
    """A player asks for a restart in the room where its game has ended."""

    player: str


@value
class Challenges(Step):
    """A player challenges the client."""

    player: str


@value
class CancelsChallenge(Step):
    """A player takes its challenge back."""

    player: str


@value
class Says(Step):
    """A player sends the client a chat message."""

    player: str
    text: str


@value
class SendsRaw(Step):
    """A player of the check sends this line of the text protocol."""

    player: str
    line: str


@value
class MovesArePlayed(Step):
    """So many moves are played, those of both sides counted together."""

    count: int


@value
class Moves(Step):
    """A player makes its next move. The match stands still in front of the other players of the check."""

    who: str


@value
class MatchPlayedToEnd(Step):
    """The match of the client is played to its end."""


@value
class AimsAt(Step):
    """A player chooses its moves for this from here on."""

    player: str
    aim: Aim


@value
class Thinks(Step):
    """A player takes so long for each move from here on."""

    player: str
    time_s: float


@value
class PlaysAsSoonAsItMay(Step):
    """A player makes this move, in the game's spelling, the next time that it is legal. The steps go on meanwhile."""

    player: str
    move: str


@value
class Resigns(Step):
    """A player gives up its match, in its own turn unless the step says otherwise.

    In the client's turn a move may be on its way, which is refused, or taken for one of the next match.
    """

    player: str
    in_clients_turn: bool = False


@value
class Drops(Step):
    """A player's connection breaks."""

    player: str


@value
class ComesBack(Step):
    """A player logs in again; the client by itself, after its connection broke."""

    who: str


@value
class IsLate(Step):
    """A player lets its turn time run out."""

    player: str


@value
class ClientHears(Step):
    """The client is sent a line, or message, that does not come from the server."""

    text: str


@value
class LineIsLate(Step):
    """The next line to the client that has this word comes late, and so do all after it."""

    word: str
    time_s: float


@value
class ClientIsHeardTwice(Step):
    """The client's next move reaches the server twice, so that the second one is refused."""


@value
class ClientsMoveBecomes(Step):
    """The client's next move is replaced on its way to the server, so that it is refused and asked for again."""

    text: str


@value
class ClientIsLate(Step):
    """The client's next move is held back until its turn time has run out, and reaches the server after that."""


@value
class ClientIsCutOff(Step):
    """The client's connection is reset, and cannot be made again for a time."""

    time_s: float = 0.0


@value
class ServerRestarts(Step):
    """The server stops, stays away for a time and starts on the same journal."""

    time_s: float = 0.0


@value
class ClientGoesThroughRestart(Step):
    """The server restarts, and the client comes back. One that does not ends the scenario, but does not fail by it."""


@value
class TimePasses(Step):
    """Time passes for the server and the players of the check. The client need not wait for it."""

    time_s: float


@value
class WireIs(Step):
    """The network changes: its faults from here on, in the words of `gameserver proxy`."""

    faults: str
    """Empty for a network that does nothing."""
    to: str = ""
    """`client` or `server`; empty for both directions."""


@value
class ClientSends(Step):
    """Expects the client to send a line that matches."""

    pattern: re.Pattern[str]


@value
class ClientSendsNothing(Step):
    """Expects the client to be silent for so long."""

    time_s: float


@value
class ClientAccepts(Step):
    """Expects the client to accept the challenge that stands."""


@value
class ClientDoesNotMove(Step):
    """Expects the client to make no move for so long."""

    time_s: float


@value
class Placed:
    """A step, and its place in the file."""

    step: Step
    text: str
    line: int


@value
class Repeat(Step):
    """The same steps so many times."""

    count: int
    steps: tuple[Placed, ...] = field(default=())


@value
class MatchesUntil(Step):
    """Matches of the client and the player who came in last, until something happens in one of them."""

    count: int
    """The most matches. If it has not happened by then, the scenario could not be played."""
    who: str
    event: Event


UNITS_S = {"ms": 0.001, "s": 1.0, "min": 60.0}
_PLAYER = "(?!CLIENT\\b)[A-Z][A-Z0-9_]*"
_COUNT_MAX = 10_000  # by judgement, so that a slip of the pen fills no machine


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(ms|s|min)", text)
    assert found is not None, "the form has let it in"
    return float(found[1]) * UNITS_S[found[2]]


def _count(text: str) -> int:
    if not 1 <= int(text) <= _COUNT_MAX:
        message = f"{text} should be a number from 1 to {_COUNT_MAX}"
        raise ValueError(message)
    return int(text)


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        message = f"{text!r} is not a regular expression: {error}"
        raise ValueError(message) from error


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
class StepForm:
    """One way to write a step of a scenario."""

    text: str
    step: type[Step]
    fixed: Mapping[str, Any] = field(factory=dict)
    """Fields that the words of the form say."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """The texts of steps that this form fits, as a regular expression."""
        return _expression(self.text)

    def read(self, text: str) -> Step | None:
        """Reads a step of a scenario, if this form fits its text. Raises `ValueError` for a value that cannot be."""
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        given = {name: _FIELDS[name][1](said) for name, said in found.groupdict().items() if said is not None}
        return self.step(**self.fixed, **given)


@cache  # a step is tried with one form after the other
def _expression(form: str) -> re.Pattern[str]:
    return re.compile("".join(map(_piece, re.split(r"(\{\w+\}|\[|\])", form))))


def _piece(piece: str) -> str:
    if piece == "[":
        return "(?:"
    if piece == "]":
        return ")?"
    if piece.startswith("{"):
        return f"(?P<{piece[1:-1]}>{_FIELDS[piece[1:-1]][0]})"
    return re.escape(piece)


FORMS = (
    StepForm("{who} comes in[ as {name}]", ComesIn),
    StepForm("{count} others come in[ as {name}]", OthersComeIn),
    StepForm("{player} leaves", Leaves),
    StepForm("CLIENT meets {player}[, {first} first][, at {game}]", Meets),
    StepForm("a match of CLIENT and {player} is called[, {first} first]", MatchIsCalled),
    StepForm("{player} sits down[ beside {beside}]", SitsDown),
    StepForm("{player} starts", Starts),
    StepForm("{player} goes back to the lobby", GoesToLobby),
    StepForm("{player} asks for another game", AsksForAnotherGame),
    StepForm("{player} challenges CLIENT", Challenges),
    StepForm("{player} cancels the challenge", CancelsChallenge),
    StepForm("{player} says {text}", Says),
    StepForm("{player} sends {line}", SendsRaw),
    StepForm("{count} moves are played", MovesArePlayed),
    StepForm("{who} moves", Moves),
    StepForm("the match is played to its end", MatchPlayedToEnd),
    StepForm("{player} aims at {aim}", AimsAt),
    StepForm("{player} thinks {time_s}", Thinks),
    StepForm("{player} plays {move} as soon as it may", PlaysAsSoonAsItMay),
    StepForm("{player} resigns", Resigns),
    StepForm("{player} resigns in CLIENT's turn", Resigns, {"in_clients_turn": True}),
    StepForm("{player} drops", Drops),
    StepForm("{who} comes back", ComesBack),
    StepForm("{player} is late", IsLate),
    StepForm("CLIENT hears {text}", ClientHears),
    StepForm("the next {word} comes {time_s} late", LineIsLate),
    StepForm("CLIENT is heard twice", ClientIsHeardTwice),
    StepForm("CLIENT's next move becomes {text}", ClientsMoveBecomes),
    StepForm("CLIENT is late", ClientIsLate),
    StepForm("CLIENT is cut off[ for {time_s}]", ClientIsCutOff),
    StepForm("the server restarts", ServerRestarts),
    StepForm("the server is away for {time_s}", ServerRestarts),
    StepForm("CLIENT goes through a restart of the server", ClientGoesThroughRestart),
    StepForm("{time_s} pass", TimePasses),
    StepForm("the wire: {faults}", WireIs),
    StepForm("the wire to {to}: {faults}", WireIs),
    StepForm("CLIENT sends nothing for {time_s}", ClientSendsNothing),
    StepForm("CLIENT sends {pattern}", ClientSends),
    StepForm("CLIENT accepts", ClientAccepts),
    StepForm("CLIENT does not move for {time_s}", ClientDoesNotMove),
    StepForm("up to {count} matches until {who} {event}", MatchesUntil),
)
"""Every form. Where two fit, the first counts."""
REPEAT = StepForm("repeat {count} times:", Repeat)
"""The head of a block; its steps follow, indented."""


def read_step(text: str) -> Step:
    """Reads the step that a line of a scenario stands for.

    Raises `ValueError`, whose text is a sentence for the author.
    """
    for form in FORMS:
        step = form.read(text)
        if step is not None:
            return step
    message = f"{text!r} is not a step; {_nearest(text)}"
    raise ValueError(message)


def _nearest(text: str) -> str:
    """The forms that are written most like a text that is none."""
    forms = sorted((form.text for form in FORMS), key=lambda form: -_likeness(text, form))[:3]
    return "did the author mean one of these? " + " / ".join(forms)


def _likeness(text: str, form: str) -> float:
    shown = re.sub(r"\[.*?\]", "", form).replace("{who}", "CLIENT").replace("{player}", "CLIENT")
    return difflib.SequenceMatcher(None, text, shown, autojunk=False).ratio()
