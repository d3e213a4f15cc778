"""Every result that counts, with or without a game, as a list: the points of a player are the sum of it.

Pairings alone do not add up to the standings. A player who is out may owe games that nobody announced, a
disqualification may turn results round or strike them out, and a bye or a round before a late entry has one player.
"""

from collections.abc import Iterator

import attrs

from gameserver.tournaments.model import Pairing, Tournament
from gameserver.tournaments.scoring.scores import Counted, counted_games, points_of
from gameserver.values import value

_RESULTS = ("loss", "draw", "win")


@value
class ResultLine:
    """One result. `points` are in the plan's units, for each of the players; a bye has one player."""

    kind: str
    """`game` if it was announced, `owed` if not, because a player was out; `bye`; `missed` before a late entry."""
    round: int
    players: tuple[str, ...]
    results: tuple[str, ...]
    points: tuple[int, ...]
    played: bool
    reason: str
    pairing: int | None = None
    match: int | None = None


def result_lines(tournament: Tournament) -> tuple[ResultLine, ...]:
    """The results in the order of the rounds."""
    return tuple(sorted(_lines(tournament), key=lambda line: (line.round, line.pairing is None, line.pairing or 0)))


def walkover_reason(tournament: Tournament, pairing: Pairing) -> str:
    """The players who were out, for a pairing that was decided by it; empty for others."""
    return _out(tournament, pairing.seats) if pairing.walkover else ""


def _out(tournament: Tournament, names: tuple[str, ...]) -> str:
    entrants = (tournament.entrant(name) for name in names)
    out = [f"{one.name} {one.standing}" for one in entrants if one is not None and one.is_out]
    return ", ".join(out) or "a player was out"


def _lines(tournament: Tournament) -> Iterator[ResultLine]:
    scoring, games = tournament.plan.scoring, tournament.plan.games
    for counted in counted_games(tournament):
        yield _of_game(tournament, counted)
    for bye in tournament.byes:
        for _ in range(games):
            yield ResultLine("bye", bye.round, (bye.player,), ("bye",), (scoring.bye,), played=False, reason="bye")
    for entrant in tournament.entrants:
        for number in range(1, entrant.from_round):
            for _ in range(games):
                yield ResultLine(
                    "missed", number, (entrant.name,), ("missed",), (scoring.missed,), played=False, reason="late entry"
                )


def _of_game(tournament: Tournament, counted: Counted) -> ResultLine:
    pairing = counted.pairing
    points = tuple(points_of(tournament.plan.scoring, halves) for halves in counted.halves)
    results = tuple(_RESULTS[halves] for halves in counted.halves)
    line = ResultLine("owed", counted.round, counted.players, results, points, counted.played, "")
    if pairing is None:
        return attrs.evolve(line, reason=_out(tournament, counted.players))
    reason = pairing.reason or walkover_reason(tournament, pairing)
    if pairing.absent:
        reason = f"{reason}: {', '.join(pairing.absent)}"
    return attrs.evolve(line, kind="game", reason=reason, pairing=pairing.number, match=pairing.match)
