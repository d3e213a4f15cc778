"""How a match ends: the one way out, whatever ended it.

The match leaves the lobby, everybody seated is told and free, and those who looked for their next
opponent meanwhile are paired at once.
"""

import attrs

from gameserver.core import referee
from gameserver.core.events import EndReason, GameEnded, MatchEnded
from gameserver.core.lobby import Draft
from gameserver.core.match import Match, Phase, Result
from gameserver.core.telling import tell_seats
from gameserver.game import Outcome


def end_match(draft: Draft, match: Match, result: Result) -> None:
    """End the match with this result."""
    over = attrs.evolve(match, phase=Phase.OVER, result=result)
    del draft.matches[match.id]
    draft.finished.append(over)
    if match.table is not None:
        draft.unsettled.append(match.table)
    ended = GameEnded(
        match=match.id,
        points=result.points,
        winners=result.winners,
        reason=result.reason,
        by=result.by,
        reason_text=result.reason_text,
        revealed=result.revealed,
    )
    tell_seats(draft, match, ended)
    tell_seats(draft, match, MatchEnded(match.id, result.reason))
    for holder in match.seats:
        if not holder.is_house:
            del draft.seated[holder.player]
            player = draft.players.get(holder.player)
            if player is not None:
                draft.players[holder.player] = attrs.evolve(player, match=None)
                draft.freed.append(holder.player)


def result_of(outcome: Outcome) -> Result:
    """The result of a game that was played to its end."""
    return Result(
        EndReason.PLAYED,
        outcome.points,
        outcome.winners,
        reason_text=outcome.reason,
        revealed=outcome.revealed,
    )


def forfeit(draft: Draft, match: Match, seats: tuple[int, ...], reason: EndReason, why: str = "") -> None:
    """End the match because these seats gave it up, one way or another.

    Where all of them did (two players late at once), nobody has won.
    """
    outcome = referee.resigned(match, seats[0])
    winners = tuple(seat for seat in outcome.winners if seat not in seats)
    result = Result(reason, outcome.points, winners, by=seats[0], revealed=outcome.revealed, why=why)
    end_match(draft, match, result)


def abandon(draft: Draft, match: Match, seat: int) -> None:
    """End a practice match that its player left."""
    end_match(draft, match, Result(EndReason.ABANDONED, (0,) * len(match.seats), (), by=seat))


def void_match(draft: Draft, match: Match, why: str) -> None:
    """End the match without a loser. Calls no game's code: a fault of it may be the cause."""
    end_match(draft, match, Result(EndReason.VOID, (0,) * len(match.seats), (), why=why))
