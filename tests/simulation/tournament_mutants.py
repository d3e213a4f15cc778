"""Bugs planted in tournaments: what only a tournament that is killed, or compared with one in peace, can show."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from unittest.mock import patch

from attrs import evolve

from gameserver.core.messages.commands import ServerStarted
from gameserver.core.messages.events import EndReason
from gameserver.core.organizer import scheduling
from gameserver.core.state.draft import Draft
from gameserver.core.state.match import Match
from gameserver.core.state.tournament import Scheduled, TournamentRow
from gameserver.tournaments.formats.history import History
from gameserver.tournaments.lifecycle import entrants
from gameserver.tournaments.model import PairingStatus, Verdict
from gameserver.tournaments.pairing import swiss
from tests.simulation.interrupted_plan import Interrupted
from tests.simulation.mutants import Mutant
from tests.simulation.plan import TEXT


@contextmanager
def _counted_twice() -> Iterator[None]:
    """A restart takes the last result of each tournament to its pairing once more."""
    resume = scheduling.resume_after_restart

    def resumed(draft: Draft, command: ServerStarted) -> None:
        resume(draft, command)
        for row in list(draft.tournaments.values()):
            done = [
                pairing for pairing in row.state.pairings if pairing.status is PairingStatus.DONE and pairing.played
            ]
            if done:
                again = evolve(done[-1], number=len(row.state.pairings) + 1)
                state = evolve(row.state, pairings=(*row.state.pairings, again))
                scheduling.put(draft, evolve(row, state=state))

    with patch.object(scheduling, "resume_after_restart", resumed):
        yield


@contextmanager
def _fixture_lost() -> Iterator[None]:
    """A restart takes what was announced for played."""
    resume = scheduling.resume_after_restart

    def resumed(draft: Draft, command: ServerStarted) -> None:
        for row in list(draft.tournaments.values()):
            for pairing in row.state.pairings:
                if pairing.status is PairingStatus.ANNOUNCED:
                    lost = evolve(pairing, status=PairingStatus.DONE, verdict=Verdict.DRAW, played=False)
                    row = evolve(row, state=row.state.with_pairing(lost))  # noqa: PLW2901 - one after the other
            scheduling.put(draft, row)
        resume(draft, command)

    with patch.object(scheduling, "resume_after_restart", resumed):
        yield


@contextmanager
def _out_is_paired() -> Iterator[None]:
    """Who has withdrawn stays in the matches that were announced."""
    with patch.object(entrants, "without_game", lambda tournament, pairing: pairing):
        yield


@contextmanager
def _void_counts() -> Iterator[None]:
    """A match that ended without a result is a draw."""
    report = scheduling._report

    def reported(draft: Draft, row: TournamentRow, scheduled: Scheduled, match: Match) -> None:
        if match.result is not None and match.result.reason is EndReason.VOID:
            result = evolve(match.result, reason=EndReason.PLAYED, points=(0, 0), winners=())
            match = evolve(match, result=result)
        report(draft, row, scheduled, match)

    with patch.object(scheduling, "_report", reported):
        yield


def _other_dice() -> AbstractContextManager[object]:
    """Each game has dice of its own."""
    return patch.object(History, "chance", lambda history, one, other, meeting: f"single|{meeting}|{one}|{other}")


def _dice_by_match() -> AbstractContextManager[object]:
    """The dice of a tournament's matches depend on what else was played before."""
    return patch.object(Match, "chance_key", property(lambda match: match.id))


def _second_bye() -> AbstractContextManager[object]:
    """Nobody remembers who has had a bye: it goes to the last again."""
    return patch.object(swiss, "_rested", lambda tournament: frozenset())


TOURNAMENT_MUTANTS: Mapping[str, Mutant] = {
    "a result counts twice after a restart": Mutant(
        _counted_twice, ("a result counts once",), {"protocols": (TEXT,)}, Interrupted
    ),
    "a fixture is lost in a crash": Mutant(
        _fixture_lost,
        ("interruptions change no result", "every tournament comes to an end"),
        {"protocols": (TEXT,)},
        Interrupted,
        9,
    ),
    "who has withdrawn is paired": Mutant(
        _out_is_paired, ("who is out is paired no more",), {"protocols": (TEXT,)}, first_seed=23
    ),
    "a voided match counts": Mutant(
        _void_counts, ("a result counts as it is on record",), {"protocols": (TEXT,)}, first_seed=10
    ),
    "two games have not the same dice": Mutant(
        _other_dice, ("both seats have the same dice",), {"protocols": (TEXT,), "faults": ()}, Interrupted, 4
    ),
    "dice depend on when a match is played": Mutant(
        _dice_by_match,
        ("both seats have the same dice", "interruptions change no result"),
        {"protocols": (TEXT,)},
        Interrupted,
        43,
    ),
    "somebody has a second bye": Mutant(
        _second_bye, ("nobody has two byes",), {"protocols": (TEXT,), "faults": (), "bots": 5}, Interrupted, 19
    ),
}
