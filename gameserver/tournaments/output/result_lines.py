"""Every result that counts, with or without a game, as a list: the points of a player are the sum of it.

Pairings alone do not add up to the standings. A player who is out may owe games that nobody announced, a
disqualification may turn results round or strike them out, and a bye or a round before a late entry has one player.
"""

from collections.abc import Iterator

import attrs

from gameserver.tournaments.model import Pairing, Tournament
from gameserver.tournaments.plan import TieBreak
from gameserver.tournaments.scoring.scores import Counted, Ledger, counted_games, points_of
from gameserver.tournaments.scoring.tie_breaks import in_units
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


_BUCHHOLZ = frozenset({TieBreak.BUCHHOLZ, TieBreak.BUCHHOLZ_CUT_1, TieBreak.BUCHHOLZ_CUT_2, TieBreak.MEDIAN_BUCHHOLZ})


@value
class IdleRound:
    """A round in which a player had no opponent: a bye, or a round before a late entry."""

    round: int
    player: str
    kind: str
    """`bye` or `late entry`."""
    points: str
    virtual_points: str
    """The points of the virtual opponent that Buchholz counts for it, as of now; empty without such a tie-break."""

    @property
    def words(self) -> str:
        """The round for people: `bye, 1 point; in Buchholz a virtual opponent with 2.5 points`."""
        counted = f"; in Buchholz a virtual opponent with {_points_words(self.virtual_points)}"
        return f"{self.kind}, {_points_words(self.points)}{counted if self.virtual_points else ''}"


def _points_words(points: str) -> str:
    return f"{points} {'point' if points == '1' else 'points'}"


def idle_rounds(tournament: Tournament) -> tuple[IdleRound, ...]:
    """The rounds without an opponent, in their order."""
    if not tournament.byes and all(entrant.from_round == 1 for entrant in tournament.entrants):
        return ()
    plan, scoring, own = tournament.plan, tournament.plan.scoring, Ledger.of(tournament).points
    has_buchholz = not _BUCHHOLZ.isdisjoint(plan.tie_breaks)

    def idle(number: int, player: str, kind: str, points: int) -> IdleRound:
        virtual = in_units(own[player], scoring.unit) if has_buchholz else ""
        return IdleRound(number, player, kind, in_units(points * plan.games, scoring.unit), virtual)

    late = (
        idle(number, entrant.name, "late entry", scoring.missed)
        for entrant in tournament.entrants
        for number in range(1, entrant.from_round)
    )
    byes = (idle(bye.round, bye.player, "bye", scoring.bye) for bye in tournament.byes)
    return tuple(sorted((*byes, *late), key=lambda one: one.round))


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
