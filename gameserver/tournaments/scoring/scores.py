"""Games as they count, once the plan's rules for players who are out have been applied.

The facts (`Tournament.pairings`) are never changed by a withdrawal or a disqualification: its effect is
worked out here, each time, so that it can be taken back by entering again.
"""

from collections.abc import Mapping

from gameserver.tournaments.formats.history import History, pair_of
from gameserver.tournaments.formats.round_robin import fixtures
from gameserver.tournaments.model import Entrant, EntrantStatus, Pairing, PairingStatus, Tournament, Verdict
from gameserver.tournaments.plan import Effect, Scoring
from gameserver.values import value

WIN, DRAW, LOSS = 2, 1, 0
"""A result in halves of a game, whatever the points are: tie-breaks multiply by it."""

_HALVES = {
    Verdict.FIRST: (WIN, LOSS),
    Verdict.SECOND: (LOSS, WIN),
    Verdict.DRAW: (DRAW, DRAW),
    Verdict.BOTH_LOSE: (LOSS, LOSS),
}


@value
class Counted:
    """A game as it counts. `pairing` is None for one that was never announced, as a player was out before."""

    players: tuple[str, str]
    halves: tuple[int, int]
    played: bool
    round: int
    game: int
    """Its place among the games of its encounter, from 1."""
    pairing: Pairing | None = None


@value
class ScoreShare:
    """A game from one player's side; `seat` is None where nothing was played."""

    opponent: str
    halves: int
    seat: int | None
    pairing: Pairing | None


def points_of(scoring: Scoring, halves: int) -> int:
    """The points for one result."""
    return (scoring.loss, scoring.draw, scoring.win)[halves]


def effect_on(tournament: Tournament, entrant: Entrant, history: History | None = None) -> Effect:
    """The effect upon this player's results; `keep` for a player who is in. `half` comes out as what it leads to."""
    if not entrant.is_out:
        return Effect.KEEP
    plan = tournament.plan
    effect = plan.withdrawal if entrant.standing is EntrantStatus.WITHDRAWN else plan.disqualification
    if effect is not Effect.HALF:
        return effect
    due = plan.games * sum(entrant.name in (one.first, one.second) for one in fixtures(tournament))
    done = sum(
        pairing.played and pairing.status is PairingStatus.DONE and entrant.name in pairing.seats
        for pairing in tournament.pairings
    )
    return Effect.FORFEIT if 2 * done >= due else Effect.ANNUL


def effects(tournament: Tournament) -> Mapping[str, Effect]:
    """The effect of being out, for each who is."""
    return {entrant.name: effect_on(tournament, entrant) for entrant in tournament.entrants if entrant.is_out}


def counted_games(tournament: Tournament) -> tuple[Counted, ...]:
    """Every game that counts."""
    out = effects(tournament)
    games = [
        counted
        for pairing in tournament.pairings
        if pairing.status is PairingStatus.DONE and (counted := _counted(pairing, out)) is not None
    ]
    if tournament.plan.has_fixtures and out:
        games += _not_played(tournament, out)
    return tuple(games)


def _counted(pairing: Pairing, out: Mapping[str, Effect]) -> Counted | None:
    assert pairing.verdict is not None, "what is done has a verdict"
    there = [out.get(name) for name in pairing.seats]
    if Effect.ANNUL in there:
        return None
    if Effect.REVERSE in there:
        halves = (LOSS if there[0] is Effect.REVERSE else WIN, LOSS if there[1] is Effect.REVERSE else WIN)
        return Counted(pairing.seats, halves, pairing.played, pairing.round, pairing.game, pairing)
    halves = _HALVES[pairing.verdict]
    return Counted(pairing.seats, halves, pairing.played, pairing.round, pairing.game, pairing)


def _not_played(tournament: Tournament, out: Mapping[str, Effect]) -> list[Counted]:
    """The games that players who are out still owe: lost, where the plan says so."""
    costs = (Effect.FORFEIT, Effect.REVERSE)
    history = History.of(tournament)
    found = []
    for fixture in fixtures(tournament):
        players = (fixture.first, fixture.second)
        there = [out.get(name) for name in players]
        if not any(effect in costs for effect in there) or Effect.ANNUL in there:
            continue
        taken = history.meetings.get(pair_of(*players), {})
        for meeting in range(fixture.from_meeting, fixture.from_meeting + tournament.plan.games):
            if meeting not in taken:
                seats = players if meeting % 2 else players[::-1]
                halves = (LOSS if seats[0] in out else WIN, LOSS if seats[1] in out else WIN)
                game = meeting - fixture.from_meeting + 1
                found.append(Counted(seats, halves, played=False, round=fixture.place[0], game=game))
    return found


def played_results(tournament: Tournament) -> tuple[tuple[str, str, int], ...]:
    """Games that tell of strength: those that were played and had a winner or a draw, whatever they count for.

    Each as two players and the first one's halves, in the order of the pairings.
    """
    return tuple(
        (*pairing.seats, _HALVES[pairing.verdict][0])
        for pairing in tournament.pairings
        if pairing.status is PairingStatus.DONE and pairing.played and pairing.verdict not in (None, Verdict.BOTH_LOSE)
    )


@value
class Ledger:
    """Everybody's games and points, indexed: what standings and tie-breaks are worked out from."""

    tournament: Tournament
    shares: Mapping[str, tuple[ScoreShare, ...]]
    byes: Mapping[str, int]
    missed: Mapping[str, int]
    points: Mapping[str, int]
    """In the plan's units, house players included."""

    @classmethod
    def of(cls, tournament: Tournament) -> "Ledger":
        """Add up what counts."""
        scoring, games = tournament.plan.scoring, tournament.plan.games
        names = [*dict.fromkeys(entrant.name for entrant in tournament.entrants)]
        if tournament.plan.stand_in and tournament.plan.stand_in not in names:
            names.append(tournament.plan.stand_in)
        shares: dict[str, list[ScoreShare]] = {name: [] for name in names}
        for counted in counted_games(tournament):
            for side, name in enumerate(counted.players):
                seat = side if counted.played else None
                shares[name].append(ScoreShare(counted.players[1 - side], counted.halves[side], seat, counted.pairing))
        byes = dict.fromkeys(names, 0)
        for bye in tournament.byes:
            byes[bye.player] += games
        late = {entrant.name: (entrant.from_round - 1) * games for entrant in tournament.entrants}
        missed = {name: late.get(name, 0) for name in names}
        points = {
            name: sum(points_of(scoring, share.halves) for share in shares[name])
            + byes[name] * scoring.bye
            + missed[name] * scoring.missed
            for name in names
        }
        return cls(tournament, {name: tuple(found) for name, found in shares.items()}, byes, missed, points)
