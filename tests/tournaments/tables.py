"""Tournaments out of a few lines of results, to be worked out by hand."""

from attrs import evolve

from gameserver.tournaments.model import Bye, Entrant, Pairing, PairingStatus, Tournament, TournamentPhase, Verdict
from gameserver.tournaments.plan import Plan
from tests.tournaments.playing import SEED

VERDICTS = {"1-0": Verdict.FIRST, "0-1": Verdict.SECOND, "1/2": Verdict.DRAW, "+:-": Verdict.FIRST}


def played(plan: Plan, rounds: list[str], byes: dict[int, str] | None = None) -> Tournament:
    """Rounds as `A-D 1-0, B-E 1/2`; `+:-` is a win without a game. Players are numbered by name."""
    pairings = []
    names: set[str] = set((byes or {}).values())
    for number, line in enumerate(rounds, start=1):
        for board, text in enumerate(line.split(", "), start=1):
            seats, result = text.split()
            first, second = seats.split("-")
            names |= {first, second}
            earlier = sum(pairing.pair == tuple(sorted((first, second))) for pairing in pairings)
            pairings.append(
                Pairing(
                    len(pairings) + 1,
                    number,
                    board,
                    1,
                    earlier + 1,
                    (first, second),
                    "",
                    PairingStatus.DONE,
                    match=len(pairings) + 1,
                    verdict=VERDICTS[result],
                    played=result != "+:-",
                )
            )
    entrants = tuple(Entrant(name, number) for number, name in enumerate(sorted(names), start=1))
    return evolve(
        Tournament(plan, SEED),
        phase=TournamentPhase.OVER,
        entrants=entrants,
        pairings=tuple(pairings),
        byes=tuple(Bye(number, name) for number, name in (byes or {}).items()),
        round=len(rounds),
        rounds=len(rounds),
    )
