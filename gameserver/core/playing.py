"""The transition table of a match: phases and commands, and a handler for each.

The rule: everything that can happen to a match is in `TRANSITIONS`; anything else is refused. A handler reads the
draft, writes the match's next value, and tells the players concerned; it knows neither sockets nor protocols. The
match's policies say what a lapse costs (a late turn, an illegal move, a lost connection), so a protocol's customs are
data here.

    phase      Play       Ready  Resign      Leave  Displaced  Player  TimeUp  Void
    readying   too early    x    match only    x        x         x       x      x
    playing      x          -      x           x        x         x       x      x
    over         -          -      -           -        -         -       -      -

`Leave` empties a seat, `Displaced` does while its player is on the way from one connection to another, and a `Player`
who is back fills it (`seats`).

An over match leaves the lobby with the decision that ended it; the row stands in the table so that late commands are
refused by the same look-up as all others.

The clock runs while every player who has to act is present, and stands otherwise. A player who is away after a drop
uses up the grace budget; after a restart, the restart's grace. Rejected: letting the clock run on for absent players,
because our own restart would cost a player a match.

What is overdue is judged here alone, and on two occasions. The alarm's `TimeUp` names a match: `_time_up` finds out
what is due there, if anything is. And a move that was read after deadline and margin proves that its own turn is over,
even where it arrives before the alarm does: `in_own_match` puts the time-out before it (`Decision.overdue`, which the
engine's batch decides first), and then `Play` meets a turn that has passed. The journal has that time-out as a command
of its own, so a replay does not judge again, and `_play` takes every move for one in time.
"""

from collections.abc import Callable
from typing import Any

import attrs

from gameserver.chance import number_below
from gameserver.core import late_answers, referee, seats
from gameserver.core.broadcast import released, tell_own_draw, tell_seats, tell_turn, tell_turn_again
from gameserver.core.clocks import NO_CLOCK
from gameserver.core.commands import HOUSE_SESSION, Leave, Play, Ready, Resign, Scope, TimeUp, Void
from gameserver.core.draft import Draft
from gameserver.core.events import (
    Accepted,
    Answer,
    By,
    Code,
    Displaced,
    EndReason,
    MovePlayed,
    MoveRefused,
    Rejected,
    SeatReady,
    TurnTimeout,
)
from gameserver.core.identity import WHY_LENGTH_MAX, quoted
from gameserver.core.lobby import Player
from gameserver.core.match import AFTER_RESTART, Cause, Match, MatchPhase
from gameserver.core.match_course import begin_game, end_game, forfeit, forfeit_game, result_of, void_match
from gameserver.policies import IllegalPolicy, LatePolicy
from gameserver.values import evolved

# Judgement: no turn of a game here has as many steps, and one that never passes on must not hold up all matches.
_STEPS_MORE_MAX = 50
"""Steps of a turn that the server makes after the first one, before other commands are decided."""

_BY_PLAYER = By.PLAYER  # bound once: in Python 3.11 looking an enum member up by its class costs as much as a call
_ACCEPTED = Accepted()


def in_own_match(draft: Draft, command: Play | Resign) -> Answer:
    """Lets a player's move or resignation act on the match that its sender plays."""
    if command.session == HOUSE_SESSION and isinstance(command, Play):
        return _house_play(draft, command)
    # Nothing has been written yet, so the lobby itself is read, without an overlay.
    lobby = draft.lobby
    player = lobby.players.get(lobby.sessions.get(command.session, ""))
    if player is None:
        code = Code.NOT_ENTERED if isinstance(command, Play) else Code.NOT_IN_MATCH
        return Rejected(code)
    if player.match is None:
        return _outside(draft, command, player)
    match = lobby.matches[player.match]
    seat = match.seat_of(player.name)
    if draft.is_new and type(command) is Play and _is_overdue(match, seat, draft.at.stamp_ms):
        draft.overdue = TimeUp(match.id, draft.at.stamp_ms)
        return Rejected(Code.STALE)
    if command.match not in {None, player.match}:
        return _outside(draft, command, player)
    return act(draft, match, seat, command)


def in_named_match(draft: Draft, command: TimeUp | Void) -> Answer:
    """Lets a time-out, or a teacher's void, act on the match that the command names."""
    match = draft.matches.get(command.match)
    return Rejected(Code.STALE) if match is None else act(draft, match, None, command)


def _outside(draft: Draft, command: Play | Resign, player: Player) -> Rejected:
    return late_answers.drop_outside(draft, player) if type(command) is Play else Rejected(Code.NOT_IN_MATCH)


def _house_play(draft: Draft, command: Play) -> Answer:
    match = None if command.match is None else draft.matches.get(command.match)
    if match is None or command.seat is None or not match.seats[command.seat].is_house:
        return Rejected(Code.STALE)
    return act(draft, match, command.seat, command)


def act(draft: Draft, match: Match, seat: int | None, command: Any) -> Answer:
    """Plays a command as the match's phase allows by the table of transitions; `seat` is the sender's.

    Raises `GameBug` naming the match.
    """
    handler = TRANSITIONS[match.phase].get(type(command))
    if handler is None:
        return Rejected(Code.NOT_IN_MATCH)
    try:
        return handler(draft, match, seat, command)
    except referee.GameBug as fault:
        # The referee does not know the match's number, which is needed to void it.
        raise referee.GameBug(fault.why, match.id) from fault


def _play(draft: Draft, match: Match, seat: int, command: Play) -> Answer:
    if command.turn is not None and command.turn != match.turn.number:
        return Rejected(Code.STALE)
    holder = match.seats[seat]
    if match.owed:
        # Before everything else: the answer to an earlier question must not count for this one, be it out of turn or
        # not.
        dropped = late_answers.drop(draft, match, seat)
        if dropped is not None:
            return dropped
    # Out of turn costs nothing. The old text servers answer OK and an error, which puts clients that count OKs out of
    # step.
    if seat not in match.turn.seats:
        return Rejected(Code.NOT_YOUR_TURN, {"player": holder.player})
    # Read before the question went out, so it cannot be the answer to it. The original Connect Four server drops such a
    # move, too.
    if draft.at.stamp_ms < match.pause_until_ms and not holder.is_house:
        return Rejected(Code.TURN_NOT_BEGUN, {"player": holder.player})
    # Set in a replay alone, where the move itself was cut.
    why = command.illegal
    if not why:
        try:
            _move(draft, match, seat, command.move, _BY_PLAYER)
        except referee.PlayersMistake as error:
            why = quoted(str(error), WHY_LENGTH_MAX) or "no reason was given"
        else:
            return _ACCEPTED
    return _ILLEGAL_COSTS[match.policies.illegal](draft, match, seat, quoted(command.move), why)


def _move(
    draft: Draft, match: Match, seat: int, said: str, by: By, sides: int | None = None, lot: int | None = None
) -> None:
    """Play a move, and carry out everything that follows from it."""
    now_ms, stamp_ms, began_ms = draft.at.now_ms, draft.at.stamp_ms, match.turn_started_ms
    # By the time at which the bytes were read: what waits in our own queue is nobody's thinking. Compared and not by
    # `max`, which takes ten times as long in Python 3.11.
    think_ms = stamp_ms - began_ms if stamp_ms > began_ms else 0
    lag_ms = now_ms - stamp_ms if now_ms > stamp_ms else 0
    played = referee.play(match, seat, said, by, now_ms, think_ms, lag_ms, sides, lot)
    release_ms = _first_move_release_ms(match, now_ms)
    before = match.turn
    if by is not _BY_PLAYER:
        match = late_answers.owing(match, played.shown[0][seat], now_ms)
    elif match.unanswering:
        match = late_answers.has_answered(match, seat)
    # A turn that the server ended is charged to its end, not to the alarm that came after the margin.
    charged_ms = stamp_ms if by is _BY_PLAYER else match.clock.deadline_ms or stamp_ms
    match = _advanced(match, played, release_ms or now_ms, charged_ms)
    draft.write_match(match)
    _tell_steps(draft, match, played.shown, release_ms)
    if played.outcome is not None:
        end_game(draft, match, result_of(played.outcome))
        return
    # Seats that were asked before in this very turn are not asked again: a bot that answers every question would answer
    # twice, and its second answer would count for the next turn. Seats that owe an answer are asked when it has come.
    asked = tuple([other for other in before.seats if other != seat]) if before.number == match.turn.number else ()
    tell_turn(draft, match, played.prompts, (*match.withheld_seats, *asked) if match.owed else asked)
    if asked:
        tell_own_draw(draft, match, seat)


def _first_move_release_ms(match: Match, now_ms: int) -> int:
    """The time until which the first move of a match is held back; 0 if it may go out at once.

    One real client registers its move listener a moment after MATCH, and misses a move that comes
    in the same packet.
    """
    release_ms = match.game_began_ms + match.policies.first_move_pause_ms
    return release_ms if release_ms > now_ms else 0


def _tell_steps(draft: Draft, match: Match, steps: tuple[tuple[MovePlayed, ...], ...], release_ms: int) -> None:
    """Tell each seat each step, as that seat may see it."""
    for views in steps:
        for seat, holder in enumerate(match.seats):
            if holder.session is not None:
                shown = views[seat]
                draft.deliveries.append((holder.session, released(shown, release_ms) if release_ms else shown))


def _advanced(match: Match, played: referee.Played, from_ms: int, charged_ms: int) -> Match:
    """The match after a move; the clock starts again only if the turn passed on.

    A bank pays for a turn up to `charged_ms`.
    """
    turn = played.turn
    passed_on = turn.number != match.turn.number
    over = played.outcome is not None
    clock = match.clock
    pause_until_ms = match.pause_until_ms
    if over:
        clock = NO_CLOCK
    elif passed_on:
        pause_ms = match.policies.move_pause_ms
        if match.owed:
            match = late_answers.turn_comes(match, turn, from_ms)
        from_ms += pause_ms
        pause_until_ms = from_ms if pause_ms else 0
        clock = match.clock_of(turn, from_ms)
    steps = played.steps
    if match.banks:
        banks = match.banks_after(turn, charged_ms, is_over=over)
        bank = banks[seat] if (seat := steps[0].seat) is not None else None
        if bank is not None:
            steps = (attrs.evolve(steps[0], bank_ms=bank.left_at(charged_ms)), *steps[1:])
        match = evolved(match, banks=banks)
    after = evolved(
        match,
        state=played.state,
        turn=turn,
        clock=clock,
        # A turn of several steps, as in Backgammon, is one turn on the clock.
        turn_started_ms=from_ms if passed_on else match.turn_started_ms,
        moves=match.moves + steps,
        draws=played.draws,
        pause_until_ms=pause_until_ms,
    )
    if over or not match.banks:
        return after
    return evolved(after, banks=after.banks_of(turn, from_ms, stands=after.stands))


def _illegal_costs_match(draft: Draft, match: Match, seat: int, said: str, why: str) -> Answer:
    release_ms = _first_move_release_ms(match, draft.at.now_ms)
    tell_seats(draft, match, MoveRefused(match.id, seat, match.seats[seat].player, said, why, release_ms))
    note = f"{said!r}: {why}"
    # After a restart all moves are told again, the player's own too. A client that skips those has a wrong board.
    if match.is_first_since_restart(seat):
        note = f"{AFTER_RESTART}, {note}"
    forfeit(draft, match, (seat,), EndReason.ILLEGAL, note, rule=why)
    return Accepted()


def _illegal_costs_nothing(draft: Draft, match: Match, seat: int, said: str, why: str) -> Answer:
    tell_turn_again(draft, match, seat)
    return Rejected(Code.ILLEGAL_MOVE, {"move": said, "why": why})


_ILLEGAL_COSTS: dict[IllegalPolicy, Callable[[Draft, Match, int, str, str], Answer]] = {
    IllegalPolicy.MATCH: _illegal_costs_match,
    IllegalPolicy.REFUSAL: _illegal_costs_nothing,
}


def _resign(draft: Draft, match: Match, seat: int, command: Resign) -> Answer:
    if command.scope is Scope.GAME:
        forfeit_game(draft, match, (seat,), EndReason.RESIGNED)
    else:
        forfeit(draft, match, (seat,), EndReason.RESIGNED)
    return Accepted()


def _resign_before(draft: Draft, match: Match, seat: int, command: Resign) -> Answer:
    """Resign between two games: there is no game to give up, only the whole match."""
    if command.scope is Scope.GAME:
        return Rejected(Code.NOT_STARTED)
    return _resign(draft, match, seat, command)


def _be_ready(draft: Draft, match: Match, seat: int, command: Ready) -> Answer:
    if seat in match.ready:
        return Rejected(Code.READY_ALREADY, {"room": ""})
    match = evolved(match, ready=(*match.ready, seat))
    draft.matches[match.id] = match
    tell_seats(draft, match, SeatReady(match.id, seat))
    if match.awaited_seats:
        tell_own_draw(draft, match, seat)
    else:
        begin_game(draft, match)
    return Accepted()


def _too_early(draft: Draft, match: Match, seat: int, command: Play) -> Answer:
    # A late answer may come between two games; anything else is too early.
    return late_answers.drop(draft, match, seat) or Rejected(Code.NOT_STARTED)


def _not_ready_in_time(draft: Draft, match: Match) -> None:
    idle = match.awaited_seats
    # Two who did not come have not lost to each other.
    if len(idle) == len(match.seats):
        void_match(draft, match, "nobody was ready in time")
    else:
        forfeit(draft, match, idle, EndReason.LATE)


def _is_overdue(match: Match, seat: int, stamp_ms: int) -> bool:
    """True if a move of this seat, read at this time, proves that its turn is over.

    A move of a player who is not to act proves nothing: the players who are may have theirs in the works, for which the
    alarm waits.
    """
    deadline_ms = match.deadline_of(seat) if match.banks else match.clock.deadline_ms
    # The last millisecond of the margin counts. The alarm may decide in it, but reads first what had come by then.
    if deadline_ms is None or stamp_ms <= deadline_ms + match.policies.late_margin_ms:
        return False
    return seat in match.turn.seats


def _time_up(draft: Draft, match: Match, seat: None, command: TimeUp) -> Answer:
    now_ms = draft.at.now_ms
    lapsed = [
        (number, holder.absence)
        for number, holder in enumerate(match.seats)
        if holder.absence is not None and holder.absence.return_by_ms <= now_ms
    ]
    # First what is nobody's fault, our restart and our bugs: nobody must lose by being late at the same moment.
    if any(gone.cause is Cause.RESTART for _, gone in lapsed):
        names = ", ".join(match.seats[number].player for number, _ in lapsed)
        void_match(draft, match, f"{names} did not come back after the server's restart")
    elif any(gone.cause is Cause.FAULT for _, gone in lapsed):
        seats.give_up(draft, match)
    elif lapsed:
        seats.grace_lapsed(draft, match, tuple(number for number, _ in lapsed))
    elif match.owed and late_answers.waited_out(draft, match):
        return Accepted()
    # Players other than those whose connections the alarm found quiet may have a move in the works.
    elif match.late_ms is None or match.late_ms > now_ms or command.quiet not in {None, match.awaited_sessions}:
        return Rejected(Code.STALE)
    elif match.phase is MatchPhase.READYING:
        _not_ready_in_time(draft, match)
    elif not (late := _late_seats(match)):
        return Rejected(Code.STALE)
    else:
        out = tuple(seat for seat in late if match.ends_by_bank(seat))
        lapse = _lapse(match, (out or late)[0], now_ms, command.read_ms, is_bank=bool(out))
        # A bank that is used up loses the match by every policy: there is no time left to go on with.
        cost = _late_costs_match if out else _LATE_COSTS[match.policies.late]
        cost(draft, match, out or late, lapse)
    return Accepted()


def _late_seats(match: Match) -> tuple[int, ...]:
    """The seats whose time ran out first. The house is never late: the server itself makes its moves."""
    # Not all whose time is up by now: an alarm that rings late must cost nobody what it would not have cost in time.
    deadline_ms = match.deadline_ms
    return tuple(
        seat for seat in match.turn.seats if match.deadline_of(seat) == deadline_ms and not match.seats[seat].is_house
    )


def _lapse(match: Match, seat: int, now_ms: int, read_ms: int | None, *, is_bank: bool) -> TurnTimeout:
    deadline_ms = match.deadline_of(seat)
    assert deadline_ms is not None, "nobody is late without a clock"
    return TurnTimeout(match.turn_started_ms, deadline_ms, match.policies.late_margin_ms, now_ms, read_ms, is_bank)


def _late_costs_match(draft: Draft, match: Match, late: tuple[int, ...], lapse: TurnTimeout) -> None:
    forfeit(draft, match, late, EndReason.LATE, lapse=lapse)


def _late_costs_game(draft: Draft, match: Match, late: tuple[int, ...], lapse: TurnTimeout) -> None:
    # As for a move in a player's place, a bank pays up to the turn's end, not for the margin and the alarm.
    match = evolved(match, banks=match.banks_charged(lapse.deadline_ms))
    forfeit_game(draft, match, late, EndReason.LATE, lapse)


def _late_costs_the_choice(draft: Draft, match: Match, late: tuple[int, ...], _: TurnTimeout) -> None:
    """Play a random legal move for each seat that did not move in time."""
    # A turn of several steps is finished at once: its player is not asked again before the next turn.
    for seat in late:
        for _step in range(1 + _STEPS_MORE_MAX):
            current = draft.matches.get(match.id)
            if current is None or not _is_still_to_act(current, match, seat):
                break
            _move_at_random(draft, current, seat)


def _is_still_to_act(match: Match, before: Match, seat: int) -> bool:
    """True if this seat still has to act in the turn that ran out of time, not in a later turn or game."""
    is_same_turn = match.game_number == before.game_number and match.turn.number == before.turn.number
    return is_same_turn and seat in match.turn.seats


def _move_at_random(draft: Draft, match: Match, seat: int) -> None:
    moves = referee.legal_moves(match, seat)
    # A bug of the game: it asked a seat that has nothing to answer.
    if not moves:
        message = f"seat {seat} is to act but has no legal move"
        raise referee.GameBug(message, match.id)
    # By the match's own chance, so that a replay makes the same move in the player's place.
    before = sum(move.by is By.SERVER for game in match.games for move in game.moves)
    index = number_below(len(moves), match.chance.draw_key, "late", before)
    _move(draft, match, seat, moves[index], By.SERVER, len(moves), 1 + index)


_LATE_COSTS: dict[LatePolicy, Callable[[Draft, Match, tuple[int, ...], TurnTimeout], None]] = {
    LatePolicy.MATCH: _late_costs_match,
    LatePolicy.GAME: _late_costs_game,
    LatePolicy.RANDOM_MOVE: _late_costs_the_choice,
}


def _void(draft: Draft, match: Match, seat: None, command: Void) -> Answer:
    void_match(draft, match, f"{command.why} (voided by {command.by})" if command.by else command.why)
    return Accepted()


_Handler = Callable[[Draft, Match, Any, Any], Answer]

TRANSITIONS: dict[MatchPhase, dict[type, _Handler]] = {
    MatchPhase.READYING: {
        Play: _too_early,
        Ready: _be_ready,
        Resign: _resign_before,
        Leave: seats.drop,
        Displaced: seats.step_aside,
        Player: seats.give_back,
        TimeUp: _time_up,
        Void: _void,
    },
    MatchPhase.PLAYING: {
        Play: _play,
        Resign: _resign,
        Leave: seats.drop,
        Displaced: seats.step_aside,
        Player: seats.give_back,
        TimeUp: _time_up,
        Void: _void,
    },
    MatchPhase.OVER: {},
}
