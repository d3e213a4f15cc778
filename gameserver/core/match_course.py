"""A match begins, goes from game to game, and ends: `end_match` is the only way out of one, whatever the reason.

Each game begins at once, or when every player whose protocol says `Ready` has said it. While a match waits for that,
its clock runs for the players who are not ready: a player who is not ready within the time of a turn gives up the
match.

When it ends, the match leaves the lobby, its players are told and free, and the ones who looked for their next opponent
meanwhile are paired at once.
"""

from typing import Any

from gameserver.core import late_answers, referee
from gameserver.core.broadcast import game_ended, tell_opened, tell_seats, tell_turn
from gameserver.core.clocks import NO_CLOCK, TurnClock
from gameserver.core.commands import HOUSE_SESSION
from gameserver.core.draft import Draft, MatchFinished, RoomChanged, SeekResumed
from gameserver.core.events import EndReason, MatchEnded, Result, TurnTimeout, Why
from gameserver.core.lobby import At
from gameserver.core.match import NOBODYS_TURN, GamePlayed, GameSeries, Match, MatchPhase
from gameserver.game import Game, Outcome
from gameserver.policies import Policies, ReasonPolicy
from gameserver.values import evolved


def contest_of(game: Game[Any], options: Any) -> GameSeries | None:
    """The games that a match with these options goes through until it ends, if they ask for a series.

    Raises `GameBug`.
    """
    series = referee.series(game, options)
    return None if series is None else GameSeries(game, options, series)


def next_of(contest: GameSeries) -> tuple[Game[Any], Any]:
    """The next game of a match's series, and its options. Raises `GameBug`."""
    following = referee.next_game(contest.series)
    if following is None:
        message = f"{contest.game.name} has no next game though it is not over"
        raise referee.GameBug(message)
    return following


# As GammonX, whose players alone say that they are ready: 60 s, the time of its turns. For terms with a bank only.
_READY_TIME_MS = 60_000


def waiting_clock(policies: Policies, now_ms: int) -> TurnClock:
    """The clock of a match that waits for its players to be ready for a game, which is charged to no bank."""
    terms = policies.clock
    time_ms = _READY_TIME_MS if terms.turn_time_ms is None and terms.has_bank else terms.turn_time_ms
    return NO_CLOCK if time_ms is None else TurnClock(deadline_ms=now_ms + time_ms, from_ms=now_ms)


def _waiting(match: Match, contest: GameSeries, at: At) -> Match:
    """The match between its last game and the next. Raises `GameBug`."""
    game, options = next_of(contest)
    following = evolved(
        match,
        contest=contest,
        game=game,
        options=options,
        state=referee.start(game, options),
        turn=NOBODYS_TURN,
        clock=waiting_clock(match.policies, at.now_ms),
        # A resignation waited in our queue after it was read, which is nobody's thinking.
        banks=match.banks_charged(at.stamp_ms),
        phase=MatchPhase.READYING,
        moves=(),
        ready=(),
        # In a new game a player owes nothing (`late_answers`).
        owed=(),
        unanswering=(),
        moves_before_restart=0,
        pause_until_ms=0,
    )
    return following.held(at.now_ms)


def begun(match: Match, now_ms: int) -> tuple[Match, tuple[str, ...]]:
    """The match as its next game begins, and the prompts to the seats that are to act. Raises `GameBug`."""
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
    if match.banks:
        match = evolved(match, banks=match.banks_of(turn, now_ms, stands=match.stands))
    return match, played.prompts


def begin_game(draft: Draft, match: Match) -> None:
    """Begins the next game of a match, and tells its players."""
    match, prompts = begun(match, draft.at.now_ms)
    draft.matches[match.id] = match
    # A tournament's match is not what its players looked for: they go on looking when the tournament is over.
    if match.game_number == 1 and match.scheduled is None:
        for name in match.players:
            player = draft.players.get(name)
            if player is not None:
                draft.players[name] = evolved(player, seek=None)
    tell_opened(draft, match)
    tell_turn(draft, match, prompts, match.withheld_seats)


def end_game(draft: Draft, match: Match, result: Result) -> None:
    """Ends a match's current game with this result; the match goes on where another game follows."""
    contest = match.contest
    if contest is None:
        end_match(draft, match, result)
        return
    # A bug of the game is raised here: then the whole decision is dropped, with what was written of it.
    series = referee.series_after(contest.series, outcome_of(result))
    played = GamePlayed(match.game, match.options, match.first, match.moves, result)
    if referee.next_game(series) is None:
        total = referee.series_outcome(series, len(match.seats))
        whole = evolved(result, points=total.points, winners=total.winners)
        end_match(draft, match, whole, result)
        return
    following = _waiting(match, evolved(contest, series=series, played=(*contest.played, played)), draft.at)
    draft.matches[match.id] = following
    why = _why(draft, match, result)
    tell_seats(draft, match, game_ended(match.id, match.game_number, result, following.ready_by_ms, why))
    if not following.awaited_seats:
        begin_game(draft, following)


def end_match(draft: Draft, match: Match, result: Result, last_game: Result | None = None) -> None:
    """Ends a match with this result, the one way out of it; `last_game` is its last game's result, if that differs."""
    game_result = last_game or result if match.phase is MatchPhase.PLAYING else None
    over = evolved(match, phase=MatchPhase.OVER, result=result, game_result=game_result)
    if match.banks:
        over = evolved(over, banks=match.banks_charged(draft.at.stamp_ms))
    # Before anything that follows: a room or a tournament that looks now must not find it.
    del draft.matches[match.id]
    draft.finished.append(over)
    if draft.lobby.tournaments:
        draft.follow_ups.add(MatchFinished(match.id))
    # A tournament's match has players of two rooms. A dict keeps their order, which no set does.
    for room in {match.room: None} | {holder.room: None for holder in match.seats}:
        if room is not None:
            draft.follow_ups.add(RoomChanged(room))
    # Without a game that was on, such as between two of a series, there is only the match to be told of.
    if game_result is not None:
        why = _why(draft, match, game_result)
        tell_seats(draft, match, game_ended(match.id, match.game_number, game_result, why=why))
    tell_seats(draft, match, MatchEnded(match.id, result.told))
    now_ms, wait_ms = draft.at.now_ms, draft.server.rules.late_answer_ms
    for seat, holder in enumerate(match.seats):
        if holder.session != HOUSE_SESSION:
            del draft.seated[holder.player]
            player = draft.players.get(holder.player)
            if player is not None:
                late_ms = late_answers.owed_after(match, seat, game_result or result, now_ms, wait_ms)
                draft.players[holder.player] = evolved(player, match=None, late_answer_until_ms=late_ms)
                if player.seek is not None:
                    draft.follow_ups.add(SeekResumed(holder.player, ("matches", match.id)))


def _why(draft: Draft, match: Match, result: Result) -> Why | None:
    """The reason that the loser is told; None if the rules withhold it."""
    reasons = draft.server.rules.reasons
    if reasons is ReasonPolicy.NEVER or (
        reasons is ReasonPolicy.HOUSE and not any(holder.is_house for holder in match.seats)
    ):
        return None
    lapse = result.lapse
    late_ms = None if lapse is None or lapse.read_ms is None else lapse.read_ms - lapse.deadline_ms
    illegal_seat = result.by if result.reason is EndReason.ILLEGAL else None
    after_restart = illegal_seat is not None and match.is_first_since_restart(illegal_seat)
    is_bank = lapse is not None and lapse.is_bank
    return Why(result.rule, match.policies.clock, late_ms, after_restart, is_bank)


def result_of(outcome: Outcome) -> Result:
    """Turns the outcome of one game in a match's course, played to its end, into the result that the match keeps."""
    return Result(
        EndReason.PLAYED, outcome.points, outcome.winners, reason_text=outcome.reason, revealed=outcome.revealed
    )


def outcome_of(result: Result) -> Outcome:
    """Turns the result that a match keeps of one game back into an outcome, for the series."""
    return Outcome(result.points, result.winners, result.reason_text, result.revealed)


def forfeit(
    draft: Draft,
    match: Match,
    seats: tuple[int, ...],
    reason: EndReason,
    why: str = "",
    lapse: TurnTimeout | None = None,
    rule: str = "",
) -> None:
    """Ends the whole course of a match, as these seats gave it up, in some way; `rule` is the one broken.

    If all seats gave up (two players late at once), there is no winner.
    """
    contest = match.contest
    if contest is None:
        end_match(draft, match, _given_up(match, seats, reason, why, lapse, rule))
        return
    # Of two who give up at once the first stands in the record; the other does not win by it.
    total = referee.series_given_up(contest.series, seats[0], len(match.seats))
    winners = tuple(seat for seat in total.winners if seat not in seats)
    whole = Result(reason, total.points, winners, by=seats[0], why=why, lapse=lapse)
    is_on = match.phase is MatchPhase.PLAYING
    end_match(draft, match, whole, _given_up(match, seats, reason, why, lapse, rule) if is_on else None)


def forfeit_game(
    draft: Draft, match: Match, seats: tuple[int, ...], reason: EndReason, lapse: TurnTimeout | None = None
) -> None:
    """Ends the current game in the course of a match because these seats gave it up."""
    end_game(draft, match, _given_up(match, seats, reason, "", lapse))


def _given_up(
    match: Match, seats: tuple[int, ...], reason: EndReason, why: str, lapse: TurnTimeout | None, rule: str = ""
) -> Result:
    outcome = referee.resigned(match, seats[0])
    winners = tuple(seat for seat in outcome.winners if seat not in seats)
    return Result(reason, outcome.points, winners, seats[0], "", outcome.revealed, why, lapse, rule)


def abandon(draft: Draft, match: Match, seat: int, why: str = "") -> None:
    """Ends the course of a practice match that its player left."""
    end_match(draft, match, Result(EndReason.ABANDONED, (0,) * len(match.seats), (), by=seat, why=why))


def void_match(draft: Draft, match: Match, why: str) -> None:
    """Ends a match without a loser. Calls no game's code: a fault of it may be the cause."""
    end_match(draft, match, Result(EndReason.VOID, (0,) * len(match.seats), (), why=why))
