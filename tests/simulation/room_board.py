"""A game of 3D Connect Four as one client is told of it: beside what the strict client knows, what the world knows."""

from attrs import define

from tests.clients.connect_four import Match
from tests.simulation.told import Told
from tests.simulation.wire import MatchTold, TurnTold


@define
class LateAnswer:
    """An answer to a question that the server has answered, and when the client has found it."""

    move: str
    due_ms: int


@define
class Board:
    """A game as the client is told of it."""

    match: Match
    meant: MatchTold
    told: Told
    turn: TurnTold | None = None
    reply_due_ms: int | None = None
    reply_end: int | None = None
    late: LateAnswer | None = None
