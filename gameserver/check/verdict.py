"""Says in sentences what went wrong: from the record of a match, a refusal, or what a program printed."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from gameserver.check.report import Failure
from gameserver.check.steps import Event
from gameserver.core.events import By, Code, EndReason
from gameserver.game import Game, NoOptions
from gameserver.records.match_record import GameRecord, MatchRecord, SeatResult
from gameserver.values import value

_EXCEPTIONS = (
    re.compile(r"Exception in thread .*"),
    re.compile(r"Unhandled [Ee]xception.*"),
    re.compile(r"(?:Uncaught|Unhandled) .*"),
    re.compile(r"thread '.*' panicked at .*"),
    re.compile(r"panic: .*"),
    re.compile(r"terminate called after throwing .*"),
    re.compile(r"Segmentation fault.*"),
)
"""First lines of what programs print when they die of a mistake, apart from Python, whose last line tells it."""
_TRACEBACK = "Traceback (most recent call last):"
_FRAME = re.compile(r"\s+at [\w.$<>/]+ ?\(.*\)|\s+at .*:\d+:\d+\)?")
"""A line of a stack trace of Java, C# or JavaScript."""


@value
class Mistake:
    """A mistake of the client in the check's verdict, in a sentence."""

    what: str
    kind: Failure


_REFUSALS = {
    Code.NOT_YOUR_TURN: Mistake("It made a move although it was not its turn.", Failure.EARLY),
    Code.TURN_NOT_BEGUN: Mistake("It made a move before the server had asked for one.", Failure.EARLY),
}
"""Refusals that show a mistake of the client. An illegal move that is refused costs nothing: the client tries again."""
TOO_LATE = frozenset({Code.NOT_IN_MATCH, Code.UNKNOWN_CHALLENGE, Code.TOO_LATE, Code.STALE, Code.ROOM_FULL})
"""Refusals of what was on its way when something else happened: nobody could have known."""
MOVED_LATE = TOO_LATE | {Code.NOT_YOUR_TURN}
"""Refusals of a move for a turn that the client has let run out."""


def faults_of(
    record: MatchRecord, player: str, excused: Collection[EndReason] = (), replaced_max: int = 0
) -> list[Mistake]:
    """Judges a match on record: the client's mistakes in it, each in a sentence.

    `excused` are the reasons for a loss that are not its own doing, because the scenario brought them about, and so
    many moves the server may have made in its place.
    """
    seat = _seat_of(record, player)
    if seat is None:
        return []
    found = [fault for game in record.games if game.reason not in excused for fault in _of_game(record, game, seat)]
    if EndReason.LATE in excused:
        return found
    is_lost = record.seats[seat].result is SeatResult.LOSS
    if not found and is_lost and record.reason == EndReason.LATE:
        what = "The match was about to begin, and it did not say in time that it is ready."
        found.append(Mistake(what, Failure.SILENT))
    if sum(move.seat == seat and move.by == By.SERVER for move in record.moves) > replaced_max:
        limit = _seconds(record.time_control.turn_time_ms)
        what = f"It made no move within {limit} of its turn, so the server made one in its place."
        found.append(Mistake(what, Failure.SILENT))
    return found


def giving_up(record: MatchRecord, player: str) -> str | None:
    """Judges whether the client gave a match up, in a sentence; None if it has not."""
    seat = _seat_of(record, player)
    if seat is None or not any(game.by == seat and game.reason == EndReason.RESIGNED for game in record.games):
        return None
    made = sum(move.seat == seat for move in record.moves)
    when = {0: "before its first move", 1: "after its first move"}.get(made, f"after {made} moves of its own")
    others = " and ".join(one.player for one in record.seats if one.seat != seat)
    return f"It gave up its match of {record.game} against {others} by itself, {when}, and lost it by that."


def happened(record: MatchRecord, game: Game[Any], player: str, event: Event) -> bool:
    """Gives the check's verdict on a match from its record: whether a player won, lost, drew or was skipped in it."""
    seat = _seat_of(record, player)
    if seat is None:
        return False
    if event is Event.SKIPPED:
        return _was_skipped(record, game, seat)
    return (
        record.seats[seat].result
        is {Event.DRAW: SeatResult.DRAW, Event.WIN: SeatResult.WIN, Event.LOSS: SeatResult.LOSS}[event]
    )


def _seat_of(record: MatchRecord, player: str) -> int | None:
    return next((one.seat for one in record.seats if one.player == player), None)


def _was_skipped(record: MatchRecord, game: Game[Any], seat: int) -> bool:
    """True if the other side was to move twice in a row, in two turns."""
    if game.options_type is not NoOptions:
        return False
    state = game.start(NoOptions())
    for move in record.moves:
        before = state.turn
        if move.seat is None:
            state = state.drawn(tuple(int(word) for word in move.move.split()))
            continue
        state = state.play(move.seat, game.read_move(move.move))
        if before.seats == state.turn.seats == (1 - seat,) and state.turn.number != before.number:
            return True
    return False


def _of_game(record: MatchRecord, game: GameRecord, seat: int) -> Iterator[Mistake]:
    if game.by != seat:
        return
    if game.reason == EndReason.LATE:
        came = game.lapse is not None and game.lapse.read_ms is not None
        yield Mistake(_late(record, game), Failure.SLOW if came else Failure.SILENT)
    elif game.reason == EndReason.ILLEGAL:
        yield Mistake(f"It made an illegal move, and lost the match by it: {game.why}.", Failure.ILLEGAL)
    elif game.reason == EndReason.DROPPED:
        what = f"Its connection ended in the middle of the match, which it lost by that ({game.why})."
        yield Mistake(what, Failure.DROPPED)


def _late(record: MatchRecord, game: GameRecord) -> str:
    clock, lapse = record.time_control, game.lapse
    limit = _seconds(clock.turn_time_ms)
    if lapse is not None and lapse.is_bank:
        late_s = None if lapse.read_ms is None else (lapse.read_ms - lapse.deadline_ms) / 1000
        late = "" if late_s is None else f" (its move came {late_s:.1f} s later)"
        return f"It used up its bank of {clock.bank_text}{late}, and lost the match by that."
    if lapse is None or lapse.read_ms is None:
        return f"It made no move within {limit} of its turn, and lost the match by that."
    late_ms = lapse.read_ms - lapse.deadline_ms
    return (
        f"Its move came {late_ms / 1000:.1f} s after the {limit} of its turn were over, and it lost the match by that."
    )


def _seconds(ms: int | None) -> str:
    return "the time" if ms is None else f"{ms / 1000:g} s"


def mistake_of(code: Code | None) -> Mistake | None:
    """Gives the verdict on a refusal of the server: the mistake that the client made; None for all others."""
    return None if code is None else _REFUSALS.get(code)


def exception_in(lines: Sequence[str]) -> str | None:
    """Gives the verdict on a program's output: the line of the exception that it died of; None without one."""
    for place, line in enumerate(lines):
        if line.strip() == _TRACEBACK:
            after = (later for later in lines[place + 1 :] if later and not later[0].isspace())
            return next(after, line.strip())
        if any(pattern.match(line) for pattern in _EXCEPTIONS):
            return line.strip()
        if place and _FRAME.fullmatch(line) and not _FRAME.fullmatch(lines[place - 1]):
            return lines[place - 1].strip()
    return None
