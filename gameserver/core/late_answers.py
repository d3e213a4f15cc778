"""Keeps account of answers that are still owed after a turn ended without one.

Real Connect Four clients send exactly one move for each `make move`, however late. If a late answer were taken for the
next question's, such a client would answer every later question one turn too late, and play into columns that are full
by then. So the next question to that seat waits for the owed answer:

    the server moves for a seat      ->  the seat owes an answer; all players are told of the move at once
    the turn comes back to it        ->  its question is held back, and the clock stands
    the owed answer comes            ->  it is dropped, and the question is put at once
    `late_answer_ms` have passed     ->  the question is put; input from then on answers that

A match that ends while a player thinks leaves an answer owed, too: clients of the text protocol that think in the
thread that reads send it after LOSS or WIN. Where a tournament seats such a player again, the first question of the
next match waits for it:

    the match ends in a turn         ->  its player owes an answer
    the owed answer comes            ->  it is refused as outside of a match
    a tournament's match opens       ->  as above: its question is held back
    another match opens              ->  nothing is owed: the client asked for it, so it is done with the last one

A player who let a whole wait pass is not waited for again until one of their moves has counted: clients that give up on
a question, and people, would delay every later turn of the match. On a new connection, or in a new game, a player owes
nothing.
"""

from collections.abc import Iterable, Sequence

from gameserver.core.broadcast import tell_turn_again
from gameserver.core.draft import Draft
from gameserver.core.events import Code, EndReason, MovePlayed, Rejected, Result
from gameserver.core.lobby import Player
from gameserver.core.match import Match, MatchPhase, OwedAnswer
from gameserver.game import Turn
from gameserver.values import evolved

_ANSWERS = frozenset({EndReason.ILLEGAL, EndReason.RESIGNED, EndReason.ABANDONED})
"""The ends that a player brings about by an answer, or instead of one."""


def owing(match: Match, played: MovePlayed, now_ms: int) -> Match:
    """The match once a late seat owes an answer, because the server has made this move in its place."""
    seat, wait_ms = played.seat, match.policies.late_answer_ms
    if seat is None:
        return match
    others = _without(match.owed, (seat,))
    if wait_ms == 0 or seat in match.unanswering:
        return evolved(match, owed=others)
    text = played.text if played.number is None else str(played.number)
    return evolved(match, owed=(*others, OwedAnswer(seat, text, now_ms + wait_ms)))


def turn_comes(match: Match, turn: Turn, now_ms: int) -> Match:
    """The match as a turn begins: it waits for no late answer whose time has passed already."""
    return _given_up(match, [owed.seat for owed in match.owed if owed.seat in turn.seats and owed.until_ms <= now_ms])


def has_answered(match: Match, seat: int) -> Match:
    """The match after a seat's own move counted: when it is late the next time, its answer is waited for again."""
    if seat not in match.unanswering:
        return match
    return evolved(match, unanswering=tuple(other for other in match.unanswering if other != seat))


def forgotten(match: Match, seat: int) -> Match:
    """The match in which a seat owes no late answer any more, because its player has a new connection."""
    if not match.owed and not match.unanswering:
        return match
    return evolved(has_answered(match, seat), owed=_without(match.owed, (seat,)))


def drop(draft: Draft, match: Match, seat: int) -> Rejected | None:
    """Drops the late answer that a seat owes, and puts the question that waited for it; None if it owes none."""
    owed = next((one for one in match.owed if one.seat == seat), None)
    if owed is None:
        return None
    _ask(draft, evolved(match, owed=_without(match.owed, (seat,))), match.withheld_seats)
    return Rejected(Code.TOO_LATE, {"move": owed.move}) if owed.move else Rejected(Code.NOT_IN_MATCH)


def drop_outside(draft: Draft, player: Player) -> Rejected:
    """Refuses a move, perhaps a late answer, for no match or for one that is over; one that is owed is counted off."""
    match = None if player.match is None else draft.matches[player.match]
    if match is None:
        if player.late_answer_until_ms:
            draft.players[player.name] = evolved(player, late_answer_until_ms=0)
    # An answer owed to this match names it, or none. Only one that is owed to an earlier match names another.
    elif any(owed.seat == match.seat_of(player.name) and not owed.move for owed in match.owed):
        drop(draft, match, match.seat_of(player.name))
    return Rejected(Code.NOT_IN_MATCH)


def owed_after(match: Match, seat: int, result: Result, now_ms: int, wait_ms: int) -> int:
    """The time until which a player owes a late answer to a match that ended; see `Player.late_answer_until_ms`."""
    holder = match.seats[seat]
    # A new connection owes nothing. A client that says `Ready` or sits in a room asks for its next match itself, and is
    # done with the last one when it does.
    is_away_or_asks = holder.session is None or holder.says_ready or holder.room is not None
    if not wait_ms or is_away_or_asks or (result.by == seat and result.reason in _ANSWERS):
        return 0
    owed = next((one for one in match.owed if one.seat == seat), None)
    if owed is not None:
        return owed.until_ms
    if seat in match.unanswering:
        # In the past when the next match begins: not waited for, but still remembered as one who let a wait pass.
        return now_ms
    # Clients of the text protocol that think in the thread that reads send their move after LOSS or WIN.
    is_asked = match.phase is MatchPhase.PLAYING and result.reason is not EndReason.PLAYED and seat in match.turn.seats
    return now_ms + wait_ms if is_asked else 0


def carried(players: Sequence[Player | None]) -> tuple[OwedAnswer, ...]:
    """The late answers that the players of a new match owe to earlier ones, by seat; a house player is None."""
    return tuple(
        OwedAnswer(seat, "", player.late_answer_until_ms)
        for seat, player in enumerate(players)
        if player is not None and player.late_answer_until_ms
    )


def waited_out(draft: Draft, match: Match) -> bool:
    """Puts the questions that have waited for a late answer for long enough; False if there are none."""
    now_ms = draft.at.now_ms
    seats = [owed.seat for owed in match.owed if owed.seat in match.withheld_seats and owed.until_ms <= now_ms]
    if seats:
        _ask(draft, _given_up(match, seats), match.withheld_seats)
    return bool(seats)


def _ask(draft: Draft, match: Match, withheld: tuple[int, ...]) -> None:
    """Put the question to the seats for which it no longer has to be held back."""
    asked = [seat for seat in withheld if seat not in match.withheld_seats]
    if asked:
        from_ms = max(draft.at.now_ms, match.pause_until_ms)
        match = match.resumed(from_ms)
        if len(match.turn.seats) == 1:
            # Input that was read before the question was put does not answer it. Others in this turn were asked before.
            match = evolved(match, turn_started_ms=from_ms, pause_until_ms=from_ms)
    draft.matches[match.id] = match
    for seat in asked:
        tell_turn_again(draft, match, seat)


def _given_up(match: Match, seats: Iterable[int]) -> Match:
    """The match in which these seats are not waited for any longer, nor the next time."""
    seats = tuple(seats)
    if not seats:
        return match
    new = tuple(seat for seat in seats if seat not in match.unanswering)
    return evolved(match, owed=_without(match.owed, seats), unanswering=(*match.unanswering, *new))


def _without(owed: tuple[OwedAnswer, ...], seats: tuple[int, ...]) -> tuple[OwedAnswer, ...]:
    return tuple(one for one in owed if one.seat not in seats)
