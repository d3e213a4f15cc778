"""Tells players of a match: events to each seat that may hear them, answers about one's own match."""

from collections.abc import Sequence

import attrs

from gameserver.core import referee
from gameserver.core.commands import ShowBoard, ShowFairness, ShowMatch
from gameserver.core.draft import Draft
from gameserver.core.events import (
    Accepted,
    Answer,
    BoardShown,
    Code,
    Event,
    FairnessShown,
    GameEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MatchStatus,
    MovePlayed,
    OwnDrawShown,
    Rejected,
    Result,
    TurnStarted,
    Why,
)
from gameserver.core.match import Match, MatchPhase, SeatHolder
from gameserver.time_control import TimeControl

_MOVES_SHOWN_MAX = 200
"""The most legal moves that are listed: a code of Mastermind may be one of millions."""


def tell_seats(draft: Draft, match: Match, event: Event) -> None:
    """Broadcasts an event of a match to all its seated players who are here."""
    for holder in match.seats:
        draft.tell(holder.session, event)


def tell_paired(draft: Draft, match: Match) -> None:
    """Broadcasts a new match to players who have to say `Ready` first; the others hear of it when it begins."""
    for seat, holder in enumerate(match.seats):
        # Everybody else counts as ready, and their protocols know no match before its game begins.
        if holder.says_ready:
            draft.tell(holder.session, _paired(match, seat, match.policies.clock))


def _clock_for(draft: Draft, match: Match, holder: SeatHolder) -> TimeControl:
    """The clock as one player of a match is told it.

    A player may come back by a client that cannot see a bank, to a match that was opened for clients that can: it is
    told the limit of a turn that it would have been told at the opening. The terms of the match stay.
    """
    clock = match.policies.clock
    if not clock.has_bank or clock.turn_time_ms is not None:
        return clock
    player = draft.players.get(holder.player)
    return clock if player is None or player.sees_bank else clock.with_turn_limit()


def _paired(match: Match, seat: int, clock: TimeControl) -> MatchPaired:
    whole = match.whole
    return MatchPaired(
        match=match.id,
        game=whole.game.name,
        options=whole.options,
        players=match.players,
        seat=seat,
        clock=clock,
        identities=match.identities,
        ready_by_ms=match.ready_by_ms,
        match_ids=match.seats[seat].match_ids,
        commitment=match.chance.commitment,
        seats_by=match.seats_by,
    )


def tell_opened(draft: Draft, match: Match) -> None:
    """Broadcasts to a match's players that its game has begun, each with their seat and what chance did before."""
    number, game, players, first = match.id, match.game.name, match.players, match.first
    game_number, options = match.game_number, match.options
    committed, seats_by = match.chance.commitment, match.seats_by
    for seat, holder in enumerate(match.seats):
        # Before the first turn only chance has moved, such as the dice that decide who begins.
        draws = referee.story(match, seat) if match.moves else ()
        clock = _clock_for(draft, match, holder)
        opened = MatchOpened(
            number, game, players, seat, first, clock, game_number, options, draws, committed, seats_by
        )
        draft.tell(holder.session, opened)


def tell_turn(draft: Draft, match: Match, prompts: tuple[str, ...], untold: Sequence[int] = ()) -> None:
    """Broadcasts to the seats that are to act in a match that it is their turn, each with the game's prompt to it.

    Seats in `untold` are left out.
    """
    turn, pause_until_ms = match.turn, match.pause_until_ms
    # The original Connect Four server waits for a second before `make move`; here that is the setting
    # `room_move_pause_ms`.
    release_ms = pause_until_ms if pause_until_ms > draft.at.now_ms else 0
    banks_ms = match.banks_ms(draft.at.now_ms) if match.banks else ()
    for place, seat in enumerate(turn.seats):
        session = match.seats[seat].session
        # Not by `Draft.tell`: every move comes by here.
        if session is not None and seat not in untold:
            deadline_ms = match.deadline_of(seat) if banks_ms else match.clock.deadline_ms
            begun = TurnStarted(match.id, turn.number, turn.seats, prompts[place], deadline_ms, release_ms, banks_ms)
            draft.deliveries.append((session, begun))


def tell_turn_again(draft: Draft, match: Match, seat: int) -> None:
    """Repeats the broadcast of a turn to one seat of a match: its player came back, or the move was refused."""
    tell_turn(draft, match, referee.prompts(match), [other for other in match.turn.seats if other != seat])


def tell_own_draw(draft: Draft, match: Match, seat: int) -> None:
    """Tells one seat of a match, before others are told of it, its own value of the draw, if it may know it."""
    value = referee.own_draw(match, seat)
    if value is not None:
        draft.tell(match.seats[seat].session, OwnDrawShown(match.id, value))


def game_ended(
    match: int, number: int, result: Result, ready_by_ms: int | None = None, why: Why | None = None
) -> GameEnded:
    """Makes the event that broadcasts the end of a match's game; `ready_by_ms` is for the game that follows."""
    return GameEnded(match, result.told, number, ready_by_ms, why)


def released(shown: MovePlayed, release_ms: int) -> MovePlayed:
    """Gives the broadcast event of a move an earliest time at which it may be sent to a player."""
    if release_ms == 0:
        return shown
    return attrs.evolve(shown, release_ms=release_ms)


def show_match(draft: Draft, match: Match, seat: int, release_ms: int) -> None:
    """Tells a player who is back in a seat what was broadcast of the match: how it was opened, and each move so far."""
    moves = tuple(released(shown, release_ms) for shown in referee.story(match, seat))
    before = () if match.contest is None else match.contest.played
    clock = _clock_for(draft, match, match.seats[seat])
    shown = MatchShown(
        match=match.id,
        game=match.game.name,
        players=match.players,
        seat=seat,
        first=match.first,
        clock=clock,
        moves=moves,
        paired=_paired(match, seat, clock),
        number=match.game_number,
        options=match.options,
        played=tuple(game_ended(match.id, number, played.result) for number, played in enumerate(before, start=1)),
        ready=match.ready if match.phase is MatchPhase.READYING else None,
        # Between two games a player has a value of the next draw only once they have said that they are ready.
        own_draw=referee.own_draw(match, seat) if match.phase is MatchPhase.PLAYING or seat in match.ready else None,
        away=tuple(
            (number, holder.absence.return_by_ms)
            for number, holder in enumerate(match.seats)
            if holder.absence is not None
        ),
    )
    draft.tell(match.seats[seat].session, shown)


def show_own_match(draft: Draft, command: ShowMatch) -> Answer:
    """Tells a player who asks by `ShowMatch` whom their own match waits for, and how much time is left."""
    found = _own_match(draft, command.session)
    if isinstance(found, Rejected):
        return found
    match, seat = found
    # Held or not, the clock tells the same number: `left_ms` of a copy that stands at this moment.
    left_ms, banks_ms = match.clock.held(draft.at.now_ms).left_ms, match.banks_ms(draft.at.now_ms)
    at = (match.awaited_seats, left_ms, match.policies.clock, banks_ms)
    standing = MatchStatus(match.id, match.game.name, match.players, seat, *at)
    draft.tell(command.session, standing)
    return Accepted()


def show_board(draft: Draft, command: ShowBoard) -> Answer:
    """Tells a player who asks by `ShowBoard` the position of their own match, as that seat may see it.

    A fault of the game ends no match here: a player must not get out of one by asking.
    """
    found = _own_match(draft, command.session)
    if isinstance(found, Rejected):
        return found
    match, seat = found
    try:
        lines = referee.board(match, seat)
        shown = (
            _with_picture(match, seat, lines, draft.at.now_ms, is_small=command.is_small)
            if command.with_picture
            else BoardShown(match.id, lines)
        )
    except referee.GameBug as fault:
        draft.faults.append(fault.why)
        return Rejected(Code.SERVER_FAULT, {"why": "the game could not show its board; the match goes on"})
    draft.tell(command.session, shown)
    return Accepted()


def show_fairness(draft: Draft, command: ShowFairness) -> Answer:
    """Tells a session that asks by `ShowFairness` what the server has committed to, and of the player's own match."""
    current, told = draft.server.epochs[-1], draft.server.told_epoch
    shown = FairnessShown(current.number, current.commitment)
    if told is not None:
        shown = attrs.evolve(shown, told_epoch=told.number, told_seed=told.seed)
    found = _own_match(draft, command.session)
    if not isinstance(found, Rejected):
        match = found[0]
        shown = attrs.evolve(
            shown,
            match=match.id,
            match_commitment=match.chance.commitment,
            seats_by=match.seats_by,
            contributions=match.chance.contributions,
        )
    draft.tell(command.session, shown)
    return Accepted()


def _with_picture(match: Match, seat: int, lines: tuple[str, ...], now_ms: int, *, is_small: bool) -> BoardShown:
    # A seat that still owes an answer has not been asked: to show it its moves would be to ask it.
    is_to_act = match.phase is MatchPhase.PLAYING and seat in match.turn.seats and seat not in match.withheld_seats
    moves, total = referee.first_moves(match, seat, _MOVES_SHOWN_MAX) if is_to_act else ((), 0)
    return BoardShown(
        match=match.id,
        lines=lines,
        game=match.game.name,
        step=len(match.moves),
        picture=referee.picture(match, seat, is_small=is_small),
        moves=moves,
        moves_total=total,
        sides=referee.sides(match, seat),
        awaited=match.awaited_seats,
        turn=match.turn.number,
        prompt=referee.prompts(match)[match.turn.seats.index(seat)] if is_to_act else "",
        deadline_ms=match.deadline_of(seat) if is_to_act else match.deadline_ms,
        banks_ms=match.banks_ms(now_ms),
    )


def _own_match(draft: Draft, session: int) -> tuple[Match, int] | Rejected:
    player = draft.player_of(session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    if player.match is None:
        return Rejected(Code.NOT_IN_MATCH, {"player": player.name})
    match = draft.matches[player.match]
    return match, match.seat_of(player.name)
