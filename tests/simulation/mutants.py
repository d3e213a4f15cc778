"""Bugs planted on purpose: what the simulator is for. Each is a patch, and the rules that must tell of it.

They are the mistakes that a change of the server could make without any other test's notice, as
small as they come: now and then, at one place, in code that works.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest.mock import patch

from attrs import Factory, evolve, frozen

from games.mastermind.rules import Mastermind
from gameserver.authentication import roster
from gameserver.core import decide
from gameserver.core.matches import late_answers, match_end
from gameserver.core.matchmaking import ticket_claims
from gameserver.core.messages.commands import Enter, Play, Withdraw
from gameserver.core.messages.events import Answer
from gameserver.core.messages.identity import Proof
from gameserver.core.sessions import login
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import At, ServerState
from gameserver.core.state.match import Match, Result
from gameserver.engine import batch, clock
from gameserver.journal.journal import JournalRow
from gameserver.protocol import Command, MatchOpened
from protocols.mastermind import rendering as mastermind
from protocols.mastermind.schema import Error, ErrorType, write
from tests.simulation.plan import CODES, ROOMS, TEXT, TICKETS, Plan


@frozen
class Mutant:
    """A planted bug. `rules` are the violations by which it may be found."""

    planted: Callable[[], AbstractContextManager[object]]
    rules: tuple[str, ...]
    wanted: Mapping[str, Any] = Factory(dict)
    """What plans to look with; where it says nothing, those that every seed gets."""
    kind: type[Plan] = Plan
    first_seed: int = 0
    """Where to begin to look, for what most runs have no occasion for."""


@contextmanager
def _lost_move() -> Iterator[None]:
    """Now and then the journal keeps something else than the move that was answered: a restart forgets it."""
    write_row = batch.write_row

    def write(seq: int, at: At, command: Command) -> JournalRow:
        lost = isinstance(command, Play) and command.session and seq % 7 == 0
        return write_row(seq, at, Withdraw(command.session) if isinstance(command, Play) and lost else command)

    with patch.object(batch, "write_row", write):
        yield


def _late_answer_counts() -> AbstractContextManager[object]:
    """The answer to a question that the server has answered is played for the next one."""
    return patch.object(late_answers, "drop", lambda *_: None)


@contextmanager
def _double_result() -> Iterator[None]:
    """A match that is resigned is recorded twice."""
    end_match = match_end.end_match

    def end(draft: Draft, match: Match, result: Result, last_game: Result | None = None) -> None:
        end_match(draft, match, result, last_game)
        if result.reason == "resigned":
            draft.finished.append(draft.finished[-1])

    with patch.object(match_end, "end_match", end):
        yield


def _late_move_counts() -> AbstractContextManager[object]:
    """A move that is decided before the alarm has looked counts however late it was read."""
    return patch.object(Match, "is_overdue", lambda match, seat, stamp_ms: False)


def _seat_stolen() -> AbstractContextManager[object]:
    """Whoever knows the name of a player who is away gets the seat, from wherever."""
    return patch.object(login, "may_return", lambda match, command, seat_return: True)


def _seat_stolen_by_ticket() -> AbstractContextManager[object]:
    """Whoever knows a ticket gets its seat, without the token."""
    return patch.multiple(ticket_claims, refusal=lambda *_: None, is_claim=lambda *_: False)


@contextmanager
def _code_leaked() -> Iterator[None]:
    """A client that breaks a code is told it at the start."""

    def opened(event: MatchOpened, _: Any) -> bytes:
        return write(Error(event.draws[0].text, ErrorType.PARSE))

    def seen_draw(_: Mastermind, __: Any, values: tuple[int, ...], ___: int | None) -> str:
        return " ".join(map(str, values))

    with patch.dict(mastermind.LINES, {MatchOpened: opened}), patch.object(Mastermind, "seen_draw", seen_draw):
        yield


def _secret_unchecked() -> AbstractContextManager[object]:
    """Whoever shows some secret under a name that is bound has shown the right one."""
    return patch.object(roster, "is_same_secret", lambda *_: True)


@contextmanager
def _takeover_unchecked() -> Iterator[None]:
    """Who comes while the name's player is here takes over, whatever the roster says."""
    enter = login.enter

    def entered(draft: Draft, command: Enter) -> Answer:
        is_here = draft.players.get(command.name) is not None
        return enter(draft, evolve(command, standing=Proof.PROVEN) if is_here else command)

    with patch.dict(decide.HANDLERS, {Enter: entered}):
        yield


def _ticket_leaked() -> AbstractContextManager[object]:
    """An opponent is called by the ticket, which nobody else must know."""
    return patch.object(Match, "identities", property(lambda match: tuple(seat.ticket for seat in match.seats)))


def _stall_charged() -> AbstractContextManager[object]:
    """The clock runs on while the server stands still."""
    return patch.object(clock, "STALL_MS", 3_600_000)


def _drain_ignored() -> AbstractContextManager[object]:
    """Matches begin though the server is about to stop."""
    return patch.object(ServerState, "drains", property(lambda server: False))


MUTANTS: Mapping[str, Mutant] = {
    "a move is lost in a crash": Mutant(
        _lost_move, ("replay gives the same lobby", "nothing that was told is lost", "a result follows from the moves")
    ),
    "a result is recorded twice": Mutant(_double_result, ("every match ends once",)),
    "a late move counts": Mutant(
        _late_move_counts, ("late moves do not count",), {"protocols": (TEXT, ROOMS), "faults": ("late-alarm",)}
    ),
    "a late answer is played for the next question": Mutant(
        _late_answer_counts,
        ("late moves do not count", "nothing is left out"),
        {"protocols": (ROOMS,), "faults": ("late-alarm",)},
        first_seed=4,
    ),
    "a seat is stolen by name": Mutant(
        _seat_stolen,
        ("nobody takes another's seat",),
        {"protocols": (TEXT, ROOMS), "faults": ("intruder", "crash", "stop"), "bots": 3},
        first_seed=24,
    ),
    "a seat is stolen by ticket": Mutant(
        _seat_stolen_by_ticket,
        ("nobody takes another's seat", "nobody else comes in under a bound name"),
        {"protocols": (TICKETS,), "faults": ("intruder", "drop", "reset")},
        first_seed=3,
    ),
    "a secret of the roster is not checked": Mutant(
        _secret_unchecked,
        ("nobody else comes in under a bound name",),
        {"protocols": (TEXT, ROOMS), "faults": ("intruder", "roster")},
        first_seed=3,
    ),
    "a secret is not checked when somebody takes over": Mutant(
        _takeover_unchecked,
        ("nobody else comes in under a bound name", "nobody takes another's seat"),
        {"protocols": (TEXT,), "faults": ("intruder", "roster")},
        first_seed=3,
    ),
    "a code is told": Mutant(_code_leaked, ("secrets are kept",), {"protocols": (CODES,)}),
    "a ticket is told": Mutant(_ticket_leaked, ("secrets are kept",), {"protocols": (TICKETS,)}),
    "a match begins before a stop": Mutant(_drain_ignored, ("no match begins before a stop",)),
    "a stall is charged": Mutant(
        _stall_charged,
        (
            "who loses on time had the time",
            "who moves in time does not lose on time",
            "server time stands during a pause",
        ),
    ),
}
