"""Begins matches of the client with a player of the check, in whichever way this client meets others.

    the client                              what is done
    looks for an opponent                   the player looks for one at the same game
    has challenged the player               the player accepts
    can be called to matches                the match is called, as a tournament does it
    waits with a ticket, or sits in a room  the player looks for an opponent, and is found

A player who is to move first, and would not by the lots that the server draws, is called to the match instead.
"""

from collections.abc import Callable
from typing import Any

from gameserver.check.opponent import Opponent
from gameserver.check.stage import Stage
from gameserver.core.commands import Capability, Conduct, CreateTournament, EntryMode, Ready
from gameserver.core.lobby import Lobby, Player
from gameserver.core.referee import shuffled
from gameserver.tournaments.model import RegisterEntrant, StartTournament
from gameserver.tournaments.presets import preset

Way = Callable[[], str]
"""Begins a match. It returns the line that the player of the check has to send; empty if it is called."""


def way_to_meet(stage: Stage, opponent: Opponent, game: str, first: str, *, pauses: bool) -> Way | None:
    """A way that is open now; None if the client does nothing yet that could lead to a match.

    `first` is the name of the player who is to move first; empty if it does not matter. A client that pauses after a
    match is called to no other one until it asks for one.
    """
    lobby, player, other = stage.server.lobby, stage.player, stage.server.player(opponent.name)
    if lobby is None or player is None or other is None:
        return None
    if other.room is not None and other.room == player.room:
        return lambda: _ready(stage, other.session)
    fits = not first or first == _first_by_lot(lobby, player.name, opponent.name)
    if player.seek == game and fits:
        return lambda: f"subscribe {game}"
    number = _challenge(lobby, player, opponent)
    if number is not None and fits:
        return lambda: f"challenge accept {number}"
    order = (opponent.name, player.name) if first == opponent.name else (player.name, opponent.name)
    asks = player.seek == game or number is not None
    if Capability.CHALLENGE in player.capabilities and (asks or not pauses):
        return lambda: called(stage, game, order)
    waits_in_order = not first or first == player.name
    if any(ticket.session == player.session for ticket in lobby.tickets.values()) or player.sits:
        return (lambda: f"subscribe {game}") if waits_in_order else (lambda: called(stage, game, order))
    return None


def _first_by_lot(lobby: Lobby, waiting: str, coming: str) -> str:
    """The player who would get the first seat in the next match of these two."""
    server = lobby.server[""]
    return shuffled((waiting, coming), server.seed, "seats", server.next_match)[0]


def _challenge(lobby: Lobby, player: Player, opponent: Opponent) -> int | None:
    """The challenge that the client has made to this player."""
    found = None if player.challenge is None else lobby.challenges.get(player.challenge)
    return found.number if found is not None and found.to == opponent.name else None


def _ready(stage: Stage, session: int) -> str:
    """Be ready in the room where the client sits, too."""
    stage.server.ask(Ready(session))
    return ""


def called(stage: Stage, game: str, order: tuple[str, ...]) -> str:
    """Have a tournament of these two played, the first of them in the first seat."""
    lobby = stage.server.lobby
    assert lobby is not None, "way_to_meet has seen it"
    number = lobby.server[""].next_tournament
    changes: dict[str, Any] = {"draw": "entry", "pause_ms": 0, "event": False, "challenges": True, "turn_time_ms": None}
    plan = preset("hanze", f"Check {number}", game, **changes)
    entrants = tuple(RegisterEntrant(name) for name in order)
    seed = f"{stage.chance.getrandbits(256):064x}"
    stage.server.ask(CreateTournament(plan, seed, EntryMode.ROSTER, entrants))
    stage.server.ask(Conduct(number, StartTournament()))
    return ""
