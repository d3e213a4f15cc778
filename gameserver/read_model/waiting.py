"""Finds the player for whom a whole tournament waits: a pure function from the lobby's rows.

    X is late, not here, or on the move in the only match left       waiting for X
    every game that is left is one of X's                            waiting for X
    the last match of a round, for which others wait                 waiting for X and Y, with the player to move
    nothing goes on before a game is decided                         waiting for the teacher

Nobody is waited for while two games without a common player are open. An arena waits for nobody.
"""

from collections.abc import Callable, Mapping, Sequence

from gameserver.core.lobby import TournamentRow
from gameserver.core.match import Match
from gameserver.read_model.presence import Hall, Presence, presences
from gameserver.tournaments import knockout, round_robin
from gameserver.tournaments.history import History
from gameserver.tournaments.model import Pairing, PairingStatus, Tournament, TournamentPhase
from gameserver.tournaments.plan import Format
from gameserver.tournaments.progress import progress
from gameserver.values import value

_CANNOT_PLAY = (Presence.AWAY, Presence.NOT_READY, Presence.ELSEWHERE)
TO_MOVE = "to move"


@value
class Hold:
    """The player whom a match waits for, and since when, on the server's axis."""

    player: str
    since_ms: int
    why: str
    """`to move`, or in the words of `Presence` where the player is."""

    def ages(self, now_ms: int) -> dict[str, object]:
        """The same in terms of JSON, with the time since instead of the time."""
        return {"player": self.player, "for_ms": max(0, now_ms - self.since_ms), "why": self.why}


@value
class WaitingView:
    """The players for whom everybody waits: one, or the two of the last match of a round."""

    players: tuple[str, ...]
    since_ms: int
    """The time since which they are waited for, on the server's axis."""
    why: str = ""
    """The `why` of the one player's `Hold`; empty if there are two, or if only the games of one player are left."""
    hold: Hold | None = None
    """Of two players the one whom their match waits for, if it is one."""

    def ages(self, now_ms: int) -> dict[str, object]:
        """The same in terms of JSON, with times since instead of times."""
        hold = self.hold
        return {
            "players": self.players,
            "for_ms": max(0, now_ms - self.since_ms),
            "why": self.why,
            "hold": None if hold is None else hold.ages(now_ms),
        }


def waiting_for(row: TournamentRow, matches: Mapping[int, Match], hall: Callable[[], Hall]) -> WaitingView | None:
    """The players for whom the whole tournament waits; None if there is no bottleneck. `hall` is rarely asked for."""
    state = row.state
    going_on = state.phase in (TournamentPhase.RUNNING, TournamentPhase.FINISHING)
    if not going_on or state.plan.format is Format.ARENA:
        return None
    pairings = state.keeping
    common = _common([pairing.seats for pairing in pairings])
    if not common:
        return None
    due = _due(state)
    common = [name for name in common if all(name in seats for seats in due)]
    if not common:
        return None
    pairing = next((one for one in pairings if one.status is PairingStatus.PLAYING), pairings[0])
    since_ms, holds = _holds(row, pairing, matches, hall)
    holds = [one for one in holds if not state.is_house(one.player)]
    if len(common) == 1:
        return _for_one(state, common[0], since_ms, holds)
    others_wait = _others_wait(state, pairing.seats)
    if len(holds) == 1 and (holds[0].why != TO_MOVE or not others_wait):
        return WaitingView((holds[0].player,), holds[0].since_ms, holds[0].why)
    if others_wait:
        people = tuple(name for name in pairing.seats if not state.is_house(name))
        return WaitingView(people or pairing.seats, since_ms, hold=holds[0] if len(holds) == 1 else None)
    return None


def awaits_teacher(row: TournamentRow) -> bool:
    """True if nothing goes on until the teacher has decided a game."""
    state = row.state
    if not state.held or state.keeping:
        return False
    if state.phase is TournamentPhase.RUNNING:
        return state.plan.format is not Format.ARENA and not _due(state)
    return state.phase is TournamentPhase.FINISHING


def _for_one(state: Tournament, player: str, since_ms: int, holds: list[Hold]) -> WaitingView | None:
    """Everything that is left involves this player. A house player plays all of it at once."""
    if state.is_house(player):
        return None
    own = next((one for one in holds if one.player == player and one.why != TO_MOVE), None)
    return WaitingView((player,), since_ms) if own is None else WaitingView((player,), own.since_ms, own.why)


def _common(games: Sequence[tuple[str, str]]) -> list[str]:
    """The players who are in all of these."""
    return [name for name in (games[0] if games else ()) if all(name in seats for seats in games)]


def _due(state: Tournament) -> list[tuple[str, str]]:
    """The players of encounters that go on without waiting for others, but have no game open at this moment."""
    if state.phase is TournamentPhase.FINISHING:
        return []
    plan, history = state.plan, History.of(state)
    if plan.is_bracket:
        between = [now for now in knockout.nodes_now(history) if not any(game.is_open for game in now.games)]
        return [(now.players[0] or "", now.players[1] or "") for now in between if now.is_playable]
    if plan.has_fixtures:
        due = round_robin.due_games(history)
        return [one.players for one in due if not plan.has_rounds or one.fixture.place[0] <= state.round]
    return [
        games[-1].seats
        for (number, _), found in history.encounters.items()
        if number == state.round
        and len(games := list(found.values())) < plan.games
        and not (games[-1].walkover or games[-1].is_open)
    ]


def _others_wait(state: Tournament, seats: tuple[str, str]) -> bool:
    """True if there are others than these two, and more to come than what is being played."""
    if state.phase is TournamentPhase.FINISHING:
        return True
    idle = any(not entrant.house and entrant.name not in seats for entrant in state.active)
    return idle and bool(progress(state).left)


def _holds(
    row: TournamentRow, pairing: Pairing, matches: Mapping[int, Match], hall: Callable[[], Hall]
) -> tuple[int, list[Hold]]:
    """The time since which the game is open, and the players whom it waits for now."""
    match = matches.get(pairing.match or 0) if pairing.status is PairingStatus.PLAYING else None
    if match is not None:
        holders = [match.seats[seat] for seat in match.awaited_seats]
        away = Presence.AWAY.value
        return match.opened_ms, [
            Hold(one.player, match.turn_started_ms, TO_MOVE if one.is_present else away) for one in holders
        ]
    announced_ms = row.waits.get(pairing.number, hall().now_ms) - row.state.plan.no_show_ms
    missing = [one for one in presences(row, hall()) if one.player in pairing.seats and one.presence in _CANNOT_PLAY]
    return announced_ms, [Hold(one.player, announced_ms, one.presence.value) for one in missing]
