"""Rendering: events into messages. An event that no client of the original expects has none."""

from collections.abc import Callable, Mapping
from typing import Any

from games.mastermind.board import Feedback, read_code
from games.mastermind.rules import BREAKER
from gameserver.protocol import (
    EndReason,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MatchShown,
    MovePlayed,
    MoveRefused,
    Said,
    TurnStarted,
)
from protocols.lines import ANSWER_EVENTS, CHALLENGE_EVENTS, PRESENCE_EVENTS, READY_EVENTS, ROOM_EVENTS, TICKET_EVENTS
from protocols.mastermind.schema import Accept, Answer, AnswerType, GameEnd, write
from protocols.mastermind.session import MastermindSession

_UNTOLD = {EndReason.ABANDONED, EndReason.VOID}
"""The ends of a game that the original did not tell either."""


def accept_line(_: MatchOpened, session: MastermindSession) -> bytes:
    """Writes the Accept of a Mastermind game, with its size."""
    return b"" if session.running is None else write(Accept(session.running.size))


def _answer_line(event: MovePlayed, session: MastermindSession) -> bytes:
    """The answer to a guess, sorted, the exact matches first."""
    running = session.running_in(event.match)
    if running is None or event.seat is None:
        return b""
    feedback = Feedback.read(event.details)
    # Zeros, then ones, then twos, as the original sorts them.
    wrong = running.size.code_length - feedback.exact - feedback.partial
    colours = (
        (AnswerType.CORRECT_GUESS,) * feedback.exact
        + (AnswerType.COLOR_EXISTS_GUESS,) * feedback.partial
        + (AnswerType.WRONG_GUESS,) * wrong
    )
    return write(Answer(colours))


def _end_line(event: GameEnded, session: MastermindSession) -> bytes:
    running = session.running_in(event.match)
    result = event.result
    if running is None or result.reason in _UNTOLD:
        return b""
    # Without an Answer before it, also for the last guess of a game that is lost, as in the original.
    return write(GameEnd(BREAKER in result.winners, running.tries, read_code(result.revealed)))


LINES: Mapping[type, Callable[[Any, MastermindSession], bytes]] = {
    GameEnded: _end_line,
    MatchOpened: accept_line,
    MovePlayed: _answer_line,
}
"""The message of each event, as it is after the event has changed the session."""

SILENT = (
    ANSWER_EVENTS
    | CHALLENGE_EVENTS
    | PRESENCE_EVENTS
    | READY_EVENTS
    | ROOM_EVENTS
    | TICKET_EVENTS
    | {MatchEnded, MatchShown, MoveRefused, Said, TurnStarted}
)
"""The events for which the document has no message."""
