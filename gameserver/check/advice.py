"""Advice for the author of a client that failed. It follows from the kind of the failure, whatever the scenario was.

The scenario's own advice is told beside it, as what is often the cause: but only where the scenario can be the cause.
"""

from collections.abc import Mapping, Sequence

from attrs import evolve

from gameserver.check.report import Failure, ScenarioOutcome, ScenarioResult

PLAIN = ("plays_", "game_played")
"""The names of the scenarios in which nothing happens but a match begin so."""

CHANGES: Mapping[Failure, str] = {
    Failure.NOT_IN: (
        "See what the program printed last, and start its command by hand. It has to connect to the host and port that "
        "it is given, `{host}` and `{port}` in its command, and to log in under the name, `{name}`."
    ),
    Failure.IDLE: (
        "After it has logged in, and again after each match, the program has to do what leads to a match: look for an "
        "opponent, sit down and start, or wait for a challenge. See what it waits for."
    ),
    Failure.SILENT: (
        "Have the program print every line or message as it reads it, and every one that it sends. Either its code "
        "never got the question that it was sent last, or did not take it for a question, or waits for something else."
    ),
    Failure.SLOW: (
        "The program answers, but too late. Look for a pause (`sleep`), for a window that waits for a click, and for a "
        "search without a limit: measure the time between the question and the answer, and stay well below the limit."
    ),
    Failure.ILLEGAL: (
        "The program's board is another one than the server's. Print the board and the legal moves before each move, "
        "and compare them with the moves on the wire: one was missed, or made for the wrong side."
    ),
    Failure.EARLY: "Move only when the server asks for it, and once for each time that it asks, whoever moved last.",
    Failure.DROPPED: (
        "See what the program printed last: its connection ended while a match was on. Where nothing cut it off, an "
        "exception in the part that reads has ended it, or the program has closed it itself."
    ),
    Failure.ENDED: (
        "See the exception, or what the program printed last, and the lines of the wire just before. Whatever the "
        "server sends, the program has to go on: handle what it does not know by ignoring it."
    ),
    Failure.LEFT: (
        "Stay connected and logged in when a match is over: in an event the next one follows. Where the program is "
        "told how many matches to play, pass it `{games}`."
    ),
    Failure.NOT_BACK: (
        "When the connection is lost, connect and log in again under the same name, once a second for at least half a "
        "minute. The match goes on where it was: take the position from the moves that are told again."
    ),
    Failure.MEMORY: "Look for lists that only grow, from match to match or during a search, and limit them.",
    Failure.OUTPUT: "Look for a loop that goes on when there is nothing more to read: the end of the input ends it.",
}
"""For each kind of failure. One that is not here is about the scenario alone, whose own advice is told."""
_HOME_MADE = frozenset({Failure.NOT_IN, Failure.SLOW, Failure.MEMORY, Failure.OUTPUT})
"""The failures that no scenario brings about: its advice, and what the document says about it, would mislead."""


def advised(result: ScenarioResult) -> ScenarioResult:
    """Adds to a failed scenario of a check the advice for the kind of its failure.

    Its own advice stays where that can be the cause.
    """
    change = CHANGES.get(result.failure) if result.failure is not None else None
    if change is None:
        return result
    # A bot that slept was told about boards, because the scenario in which it was late is about them.
    if result.failure in _HOME_MADE:
        return evolve(result, document="", source="", change=change)
    return evolve(result, change=change, often=result.change)


def with_plain_first(results: Sequence[ScenarioResult]) -> tuple[ScenarioResult, ...]:
    """Sends the author of a client to the plain match first, where another scenario failed in the same way.

    A failure in a plain match is mended there, so no other scenario is the cause.
    """
    plain: dict[Failure, str] = {}
    for result in results:
        if result.failure is not None and result.name.startswith(PLAIN):
            plain.setdefault(result.failure, result.name)
    return tuple(_as_in_plain(result, plain) for result in results)


def _as_in_plain(result: ScenarioResult, plain: Mapping[Failure, str]) -> ScenarioResult:
    name = None if result.failure is None else plain.get(result.failure)
    if name is None or name == result.name or result.outcome is not ScenarioOutcome.FAILED:
        return result
    change = f"It failed in the same way in `{name}`, where nothing happens but a match: mend that first."
    return evolve(result, document="", source="", change=change, often="", same_as=name)
