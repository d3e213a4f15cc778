"""Begins each game of a match: at once, or when every player whose protocol says `Ready` has said it.

A match of several games goes through this before each of them. While it waits, its clock runs for the players who are
not ready: a player who is not ready within the time of a turn gives up the match.
"""

from typing import Any

from gameserver.core.matches import late_answers, referee
from gameserver.core.matches.broadcast import tell_opened, tell_turn
from gameserver.core.state.draft import Draft
from gameserver.core.state.match import NO_CLOCK, NOBODYS_TURN, GameSeries, Match, MatchPhase, TurnClock
from gameserver.game import Game
from gameserver.policies import Policies
from gameserver.values import evolved


def contest_of(game: Game[Any], options: Any) -> GameSeries | None:
    """The series of games that these options ask for, if they do. Raises `GameFault`."""
    series = referee.series(game, options)
    return None if series is None else GameSeries(game, options, series)


def next_of(contest: GameSeries) -> tuple[Game[Any], Any]:
    """The next game, and its options. Raises `GameFault`."""
    following = referee.next_game(contest.series)
    if following is None:
        message = f"{contest.game.name} has no next game though it is not over"
        raise referee.GameFault(message)
    return following


def waiting_clock(policies: Policies, now_ms: int) -> TurnClock:
    """The clock before a game."""
    if policies.turn_time_ms is None:
        return NO_CLOCK
    return TurnClock(deadline_ms=now_ms + policies.turn_time_ms, from_ms=now_ms)


def waiting(match: Match, contest: GameSeries, now_ms: int) -> Match:
    """The match between its last game and the next. Raises `GameFault`."""
    game, options = next_of(contest)
    following = evolved(
        match,
        contest=contest,
        game=game,
        options=options,
        state=referee.start(game, options),
        turn=NOBODYS_TURN,
        clock=waiting_clock(match.policies, now_ms),
        phase=MatchPhase.READYING,
        moves=(),
        ready=(),
        owed=(),
        unanswering=(),
        moves_before_restart=0,
        pause_until_ms=0,
    )
    return evolved(following, clock=following.clock.held(now_ms)) if following.waits_for_absent else following


def begun(match: Match, now_ms: int) -> tuple[Match, tuple[str, ...]]:
    """The match as its next game begins, and the prompts to the seats that are to act. Raises `GameFault`."""
    played = referee.open_position(match, now_ms)
    turn = played.turn
    if match.owed:
        match = late_answers.turn_comes(match, turn, now_ms)
    match = evolved(
        match,
        phase=MatchPhase.PLAYING,
        first=turn.seats[0],
        state=played.state,
        turn=turn,
        clock=match.clock_of(turn, now_ms),
        turn_started_ms=now_ms,
        game_began_ms=now_ms,
        moves=played.steps,
        draws=played.draws,
        ready=(),
    )
    return match, played.prompts


def begin_game(draft: Draft, match: Match) -> None:
    """Begin the next game of a match."""
    match, prompts = begun(match, draft.at.now_ms)
    draft.matches[match.id] = match
    if match.game_number == 1 and match.scheduled is None:
        for name in match.players:
            player = draft.players.get(name)
            if player is not None:
                draft.players[name] = evolved(player, seek=None)
    tell_opened(draft, match)
    tell_turn(draft, match, prompts, match.withheld_seats)
