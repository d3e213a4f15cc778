"""The steps of a scenario, as values. `step_forms` has the way each of them is written."""

import re
from enum import Enum

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
        """The name of a player of the check."""
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
