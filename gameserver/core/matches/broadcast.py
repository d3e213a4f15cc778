"""Events of a match that several handlers send in the same way, each to the seats that may hear it."""

from collections.abc import Sequence

import attrs

from gameserver.core.matches import referee
from gameserver.core.messages.events import (
    Event,
    GameEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MovePlayed,
    OwnDrawShown,
    TurnStarted,
    Why,
)
from gameserver.core.state.draft import Draft
from gameserver.core.state.match import Match, MatchPhase, Result


def tell_seats(draft: Draft, match: Match, event: Event) -> None:
    """Tell all seated players who are here."""
    for holder in match.seats:
        draft.tell(holder.session, event)


def tell_opened(draft: Draft, match: Match) -> None:
    """Tell each player that the match is open, and their seat."""
    number, game, players, first = match.id, match.game.name, match.players, match.first
    turn_time_ms, game_number, options = match.policies.turn_time_ms, match.game_number, match.options
    for seat, holder in enumerate(match.seats):
        draws = referee.story(match, seat) if match.moves else ()
        opened = MatchOpened(number, game, players, seat, first, turn_time_ms, game_number, options, draws)
        draft.tell(holder.session, opened)


def tell_paired(draft: Draft, match: Match) -> None:
    """Tell the match to the players who have to say that they are ready; the others hear of it when it begins."""
    whole = match.whole
    for seat, holder in enumerate(match.seats):
        if holder.says_ready:
            paired = MatchPaired(
                match=match.id,
                game=whole.game.name,
                options=whole.options,
                players=match.players,
                seat=seat,
                turn_time_ms=match.policies.turn_time_ms,
                identities=match.identities,
                ready_by_ms=match.ready_by_ms,
                match_ids=holder.ids.all_with(holder.ticket),
            )
            draft.tell(holder.session, paired)


def game_ended(
    match: int, number: int, result: Result, ready_by_ms: int | None = None, why: Why | None = None
) -> GameEnded:
    """The event that a game is over; `ready_by_ms` is for the game that follows."""
    points, winners, by = result.points, result.winners, result.by
    return GameEnded(
        match, points, winners, result.reason, by, result.reason_text, result.revealed, number, ready_by_ms, why
    )


def tell_turn(draft: Draft, match: Match, prompts: tuple[str, ...], untold: Sequence[int] = ()) -> None:
    """Tell the players who are to act, except on `untold` seats, that it is their turn, each with the game's prompt."""
    turn, pause_until_ms = match.turn, match.pause_until_ms
    release_ms = pause_until_ms if pause_until_ms > draft.at.now_ms else 0
    for seat, prompt in zip(turn.seats, prompts, strict=True):
        session = match.seats[seat].session
        if session is not None and seat not in untold:
            begun = TurnStarted(match.id, turn.number, turn.seats, prompt, match.clock.deadline_ms, release_ms)
            draft.deliveries.append((session, begun))


def tell_own_draw(draft: Draft, match: Match, seat: int) -> None:
    """Tell a seat its own value of the draw that is made when the others are ready too, if it may know it."""
    value = referee.own_draw(match, seat)
    if value is not None:
        draft.tell(match.seats[seat].session, OwnDrawShown(match.id, value))


def tell_turn_again(draft: Draft, match: Match, seat: int) -> None:
    """Tell one player again that it is their turn: they came back, or their move was refused."""
    tell_turn(draft, match, referee.prompts(match), [other for other in match.turn.seats if other != seat])


def released(shown: MovePlayed, release_ms: int) -> MovePlayed:
    """The same event, held back until `release_ms`."""
    if release_ms == 0:
        return shown
    return attrs.evolve(shown, release_ms=release_ms)


def show_match(draft: Draft, match: Match, seat: int, release_ms: int) -> None:
    """Tell a returning player the match as it stands: how it was opened and each move so far."""
    moves = tuple(released(shown, release_ms) for shown in referee.story(match, seat))
    contest = match.contest
    shown = MatchShown(
        match=match.id,
        game=match.game.name,
        players=match.players,
        seat=seat,
        first=match.first,
        turn_time_ms=match.policies.turn_time_ms,
        moves=moves,
        number=match.game_number,
        options=match.options,
        whole="" if contest is None else contest.game.name,
        whole_options=None if contest is None else contest.options,
        played=()
        if contest is None
        else tuple(
            game_ended(match.id, number, played.result) for number, played in enumerate(contest.played, start=1)
        ),
        ready=match.ready if match.phase is MatchPhase.READYING else None,
        identities=match.identities,
        ready_by_ms=match.ready_by_ms,
        match_ids=match.seats[seat].ids.all_with(match.seats[seat].ticket),
        own_draw=referee.own_draw(match, seat) if match.phase is MatchPhase.PLAYING or seat in match.ready else None,
        away=tuple(
            (number, holder.absence.return_by_ms)
            for number, holder in enumerate(match.seats)
            if holder.absence is not None
        ),
    )
    draft.tell(match.seats[seat].session, shown)
