"""Standings, each place with its reason: points first (in a knockout, how far a player came), then the tie-breaks.

Where the plan's list runs out, a place is shared. House players, those who were disqualified and those whose results
were struck out are listed below without a rank, the house by the same criteria. The note of a house player who won
says so.

Games count once the plan's rules for players who are out have been applied. The facts (`Tournament.pairings`) are never
changed by a withdrawal or a disqualification: its effect is worked out here, each time, so that it can be taken back by
entering again.

Tie-breaks separate players who are level: each criterion is a figure, and words for it. A round without a game (a bye,
a no-show, a round before a late entry) counts in a Swiss as an opponent with the player's own points, which is FIDE's
dummy opponent; where everybody meets everybody, it counts as the opponent it should have been. Games that were not
played are no wins for `wins`.

With several stages those who came further stand first, and those who stopped in the same one by their places there.

The crosstable is who met whom with which result, as cells of text: everybody against everybody, by rounds, or by
opponent.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import takewhile

from attrs import evolve

from gameserver.tournaments import knockout
from gameserver.tournaments.history import History, by_lot
from gameserver.tournaments.model import Entrant, EntrantStatus, Pairing, PairingStatus, Tournament, Verdict
from gameserver.tournaments.plan import Effect, Scoring, TieBreak
from gameserver.tournaments.round_robin import fixtures
from gameserver.tournaments.stages import all_parts
from gameserver.values import value

WIN, DRAW, LOSS = 2, 1, 0
"""A result in halves of a game, whatever the points are: tie-breaks multiply by it."""
_HALVES = {
    Verdict.FIRST: (WIN, LOSS),
    Verdict.SECOND: (LOSS, WIN),
    Verdict.DRAW: (DRAW, DRAW),
    Verdict.BOTH_LOSE: (LOSS, LOSS),
}
_SYMBOLS = ("0", "½", "1")
UNPLAYED = ("-", "=", "+")
"""A game that was decided without a move, as chess federations print it."""
HOUSE_AHEAD = "house, outside the places"
"""The note of a house player who came out ahead of the first place."""
EXPLANATIONS: Mapping[TieBreak, str] = {
    TieBreak.DIRECT_ENCOUNTER: "points from the games among the tied players, if all of them have met",
    TieBreak.SONNEBORN_BERGER: "the points of every opponent beaten, and half the points of every opponent drawn with;"
    " in a Swiss or a bracket a bye or a win without a game counts as one over a player with as many points as oneself",
    TieBreak.BUCHHOLZ: "the sum of the opponents' points",
    TieBreak.BUCHHOLZ_CUT_1: "the sum of the opponents' points without the lowest",
    TieBreak.BUCHHOLZ_CUT_2: "the sum of the opponents' points without the two lowest",
    TieBreak.MEDIAN_BUCHHOLZ: "the sum of the opponents' points without the highest and the lowest",
    TieBreak.WINS: "games won in play",
    TieBreak.WINS_WORSE_SEAT: "games won in play from the seat that is considered worse",
    TieBreak.MARGIN: "winning margins in the game's own points (discs, guesses), minus losing margins",
    TieBreak.LOT: "drawn by lot from the tournament's seed",
}
"""For the foot of the standings."""
_Figure = int | None
"""A criterion's value in its smallest unit; None where it does not apply."""


@value(kw_only=True)
class StandingsRow:
    """A row of the standings. `rank` is None for a player without one; equal ranks are a shared place.

    What the lobby, the results and the games that are on add to a line is worked out by `view.tournament_view`.
    """

    rank: int | None
    best: int | None = None
    worst: int | None = None
    """The ranks between which the results place the player; None for a player without a rank, or if not worked out."""
    group: int = 0
    """From 1: those in one group are not told apart by the results. 0: not worked out."""
    name: str
    points: str
    """As they are shown."""
    units: int
    """The points in the plan's units."""
    played: int
    wins: int
    draws: int
    losses: int
    unplayed: int
    """Games and rounds decided without a move: byes, no-shows, walkovers."""
    tie_breaks: tuple[str, ...]
    """The plan's, in its order, as they are shown; `-` where one does not apply."""
    team: str = ""
    note: str = ""
    """Withdrawn, disqualified, a house player, with a word where one came out ahead of the first place."""
    why: str = ""
    """The reason for which this player stands below the one above."""
    playing: int | None = None
    """The pairing that is being played, not one that is only announced; for a house player, one of them."""
    to_play: int = 0
    """The games of a round robin or gauntlet that the player has yet to begin; 0 in other formats."""
    chances: str = ""
    """While games are played: `at risk` for a place on the podium that one win of another reaches, and `chasing` for
    that other. In a knockout: `in`, `last` for a player who is out with the next loss but was not with the first, and
    `out`. Otherwise empty."""

    @property
    def points_a_game(self) -> Fraction:
        """The points of a row of the standings by its games, as groups may differ in size by one."""
        return Fraction(self.units, max(1, self.played + self.unplayed))


@value
class Counted:
    """A game as it counts for the standings.

    `pairing` is None for one that was never announced, as a player was out before.
    """

    players: tuple[str, str]
    halves: tuple[int, int]
    played: bool
    round: int
    game: int
    """Its place among the games of its encounter, from 1."""
    pairing: Pairing | None = None


@value
class ScoreShare:
    """A game that counts for the standings, from one player's side; `seat` is None where nothing was played."""

    opponent: str
    halves: int
    seat: int | None
    pairing: Pairing | None


@value
class Ledger:
    """The ledger of a tournament: everybody's counted games and points, from which standings and tie-breaks follow."""

    tournament: Tournament
    shares: Mapping[str, tuple[ScoreShare, ...]]
    byes: Mapping[str, int]
    missed: Mapping[str, int]
    points: Mapping[str, int]
    """In the plan's units, house players included."""

    @classmethod
    def of(cls, tournament: Tournament) -> "Ledger":
        """Add up everybody's points for the standings, over all counted games, byes and missed rounds."""
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


_Path = tuple[tuple[TieBreak | None, _Figure], ...]
"""The criteria by which players were compared, each with their figure. None is the first: points, or how far they came.

Players who are not level have the same criteria up to the one that separates them.
"""
_Block = tuple[tuple[str, ...], _Path]
"""Players who are level, by name, and their path."""


def standings(tournament: Tournament) -> tuple[StandingsRow, ...]:
    """Work out the standings of a tournament: its players ranked by points and tie-breaks, as of now."""
    return _over_stages(tournament) if tournament.has_parts else _in_field(Ledger.of(tournament))[0]


def _in_field(ledger: Ledger) -> tuple[tuple[StandingsRow, ...], Mapping[str, _Path]]:
    """The standings of a single field, and the path of each player who was compared there."""
    tournament = ledger.tournament
    ranked = [entrant for entrant in tournament.entrants if _is_ranked(tournament, entrant)]
    rows: list[StandingsRow] = []
    paths: dict[str, _Path] = {}
    for names, path in _blocks(ledger, [entrant.name for entrant in ranked]):
        rank, why = len(rows) + 1, _why(ledger, paths[rows[-1].name], path) if rows else ""
        rows += [_row(ledger, name, rank, "" if number else why) for number, name in enumerate(names)]
        paths |= dict.fromkeys(names, path)
    others = [entrant for entrant in tournament.entrants if entrant not in ranked]
    blocks, last = _blocks(ledger, [entrant.name for entrant in others if entrant.house]), EntrantStatus.DISQUALIFIED
    house = {name: place for place, (names, _) in enumerate(blocks) for name in names}
    paths |= {name: path for names, path in blocks for name in names}
    others.sort(
        key=lambda one: (house.get(one.name, len(house)), one.status is last, -ledger.points[one.name], one.name)
    )
    rows += [_row(ledger, entrant.name, None, "") for entrant in others]
    ahead = _ahead_of_places(ledger, rows)
    rows = [evolve(row, note=HOUSE_AHEAD) if row.name in ahead else row for row in rows]
    columns = [(kind, _column(ledger, kind, rows, paths)) for kind in tournament.plan.tie_breaks]
    found = tuple(
        evolve(row, tie_breaks=tuple(shown(ledger, kind, column[row.name]) for kind, column in columns)) for row in rows
    )
    return found, paths


def _over_stages(tournament: Tournament) -> tuple[StandingsRow, ...]:
    """The standings over all stages: by the stage that a player has come to, then by the place there."""
    plan = tournament.plan
    drawn = by_lot((entrant.name for entrant in tournament.entrants), tournament.seed, "tie")
    lots = {name: place for place, name in enumerate(drawn) if TieBreak.LOT in plan.tie_breaks}
    games: dict[str, StandingsRow] = {}
    keys: dict[str, tuple[int, int, Fraction, int]] = {}
    fields: dict[str, tuple[Ledger, Mapping[str, _Path]]] = {}
    for part in all_parts(tournament):
        ledger = Ledger.of(part.state)
        rows, paths = _in_field(ledger)
        last_rank = sum(row.rank is not None for row in rows)
        for number, row in enumerate(rows, start=1):
            # Before the first place of a group is not before that of the event.
            own = evolve(row, note="house") if row.note == HOUSE_AHEAD and part.stage < tournament.stage else row
            before = games.get(row.name)
            games[row.name] = own if before is None else _added(before, own, plan.scoring.unit)
            # Within one field the place says it all.
            between = (-row.points_a_game, lots.get(row.name, 0)) if part.group else (Fraction(), 0)
            keys[row.name] = (-part.stage, row.rank or number - last_rank, *between)
            fields[row.name] = (ledger, {} if part.group else paths)
    ranked = sorted((row for row in games.values() if row.rank is not None), key=lambda row: (keys[row.name], row.name))
    found: list[StandingsRow] = []
    for row in ranked:
        above = found[-1].name if found else None
        differs = None if above is None else _first_difference(keys[above], keys[row.name])
        rank = found[-1].rank if above is not None and differs is None else len(found) + 1
        why = ""
        if above is not None and differs is not None:
            ledger, paths = fields[row.name]
            words = (
                f"did not go on from '{plan.stages[-keys[row.name][0]]}'",
                # The player above in the field may have gone on, and stand elsewhere here.
                _why(ledger, paths[above], paths[row.name]) if above in paths else f"place {row.rank} in the group",
                "points a game in the group",
                "drawn by lot",
            )
            why = words[differs]
        found.append(evolve(row, rank=rank, why=why))
    others = [evolve(row, why="") for row in games.values() if row.rank is None]
    house = tournament.house_names
    others.sort(key=lambda row: (row.name not in house, row.note == "disqualified", keys[row.name], row.name))
    return tuple(evolve(row, tie_breaks=()) for row in (*found, *others))


def _added(before: StandingsRow, row: StandingsRow, unit: int) -> StandingsRow:
    """The row of a later stage with the games of an earlier one added."""
    units = before.units + row.units
    return evolve(
        row,
        units=units,
        points=in_units(units, unit),
        played=before.played + row.played,
        wins=before.wins + row.wins,
        draws=before.draws + row.draws,
        losses=before.losses + row.losses,
        unplayed=before.unplayed + row.unplayed,
    )


def _first_difference(above: Sequence[object], below: Sequence[object]) -> int | None:
    return next((index for index, pair in enumerate(zip(above, below, strict=True)) if pair[0] != pair[1]), None)


def _ahead_of_places(ledger: Ledger, rows: Sequence[StandingsRow]) -> frozenset[str]:
    """The house players who came out ahead of the first place, which goes to a player who is not of the house.

    Where the house plays among itself, they are those who won.
    """
    house = [entrant.name for entrant in ledger.tournament.entrants if entrant.house]
    if not house or not any(row.played for row in rows):
        return frozenset()
    ranked = {row.name for row in rows if row.rank is not None}
    blocks = _blocks(ledger, [*ranked, *house])
    ahead = takewhile(lambda block: ranked.isdisjoint(block[0]), blocks) if ranked else blocks[:1]
    return frozenset(name for names, _ in ahead for name in names)


def _is_ranked(tournament: Tournament, entrant: Entrant) -> bool:
    if entrant.house or entrant.status is EntrantStatus.DISQUALIFIED:
        return False
    return _effect_on(tournament, entrant) is not Effect.ANNUL


def _blocks(ledger: Ledger, names: Sequence[str]) -> list[_Block]:
    return _broken(ledger, names, (), (None, *ledger.tournament.plan.tie_breaks))


def _first(ledger: Ledger) -> Mapping[str, _Figure]:
    if ledger.tournament.plan.is_bracket:
        return knockout.reached(History.of(ledger.tournament))
    return ledger.points


def _broken(ledger: Ledger, level: Sequence[str], path: _Path, kinds: Sequence[TieBreak | None]) -> list[_Block]:
    """Players who are level, put in order by the first criterion that separates any of them, and so on.

    The direct encounter is asked anew among those whom it leaves level: it is another comparison then.
    """
    if len(level) == 1 or not kinds:
        return [(tuple(sorted(level)), path)]
    kind = kinds[0]
    values = _first(ledger) if kind is None else figures(ledger, kind, level)
    # A criterion applies to all who are level or to none of them, so values are all there or all None.
    groups: dict[int, list[str]] = {}
    for name in level:
        groups.setdefault(values[name] or 0, []).append(name)
    again = kinds if kind is TieBreak.DIRECT_ENCOUNTER and len(groups) > 1 else kinds[1:]
    return [
        block
        for figure in sorted(groups, reverse=True)
        for block in _broken(ledger, groups[figure], (*path, (kind, values[groups[figure][0]])), again)
    ]


def _why(ledger: Ledger, above: _Path, below: _Path) -> str:
    """Words for the criterion that separates players of one field."""
    (kind, higher), (_, lower) = next(pair for pair in zip(above, below, strict=False) if pair[0] != pair[1])
    if kind is TieBreak.LOT:
        return "drawn by lot"
    if kind is not None:
        return f"{kind}: {shown(ledger, kind, lower)}, after {shown(ledger, kind, higher)}"
    if ledger.tournament.plan.is_bracket:
        return "out of the bracket earlier"
    unit = ledger.tournament.plan.scoring.unit
    return f"points: {in_units(lower or 0, unit)}, after {in_units(higher or 0, unit)}"


def _column(
    ledger: Ledger, kind: TieBreak, rows: Sequence[StandingsRow], paths: Mapping[str, _Path]
) -> Mapping[str, _Figure]:
    """The figures shown for a tie-break; of the direct encounter those that were compared, as others decide nothing."""
    names = [row.name for row in rows]
    if kind is not TieBreak.DIRECT_ENCOUNTER:
        return figures(ledger, kind, names)
    return {name: next((figure for one, figure in paths.get(name, ()) if one is kind), None) for name in names}


def _row(ledger: Ledger, name: str, rank: int | None, why: str) -> StandingsRow:
    shares = ledger.shares[name]
    played = [share.halves for share in shares if share.seat is not None]
    entrant = ledger.tournament.entrant(name)
    assert entrant is not None, "rows are of entrants"
    note = "house" if entrant.house else "" if not entrant.is_out else entrant.status.value
    if entrant.status is EntrantStatus.WITHDRAWN and _effect_on(ledger.tournament, entrant) is Effect.ANNUL:
        note = "withdrawn, results struck out"
    return StandingsRow(
        rank=rank,
        name=name,
        team=entrant.team,
        points=in_units(ledger.points[name], ledger.tournament.plan.scoring.unit),
        units=ledger.points[name],
        played=len(played),
        wins=played.count(WIN),
        draws=played.count(DRAW),
        losses=played.count(LOSS),
        unplayed=len(shares) - len(played) + ledger.byes[name],
        tie_breaks=(),
        note=note,
        why=why,
    )


def explanations(tournament: Tournament) -> tuple[str, ...]:
    """Explains the standings: the criteria that give places, in order, each as a sentence for the foot of the page."""
    first = "how far in the bracket" if tournament.plan.is_bracket else "points"
    steps = [f"{kind}: {EXPLANATIONS[kind]}" for kind in tournament.plan.tie_breaks]
    if tournament.has_parts:
        first = "the stage that a player came to, and there: in a knockout how far, otherwise points"
        return (first, *steps, "between groups: the place in the group, points a game, and the lot")
    last = [] if TieBreak.LOT in tournament.plan.tie_breaks else ["those who are still level share the place"]
    return (first, *steps, *last)


def figures(ledger: Ledger, kind: TieBreak, level: Sequence[str]) -> Mapping[str, _Figure]:
    """The values of a tie-break of the standings, for players who are level on everything before it. More is better."""
    if kind is TieBreak.DIRECT_ENCOUNTER:
        return _direct_encounter(ledger, level)
    if kind is TieBreak.LOT:
        order = by_lot(level, ledger.tournament.seed, "tie")
        return {name: -place for place, name in enumerate(order, start=1)}
    return {name: _OF_ONE[kind](ledger, name) for name in level}


def shown(ledger: Ledger, kind: TieBreak, figure: _Figure) -> str:
    """The value of a tie-break as the standings print it."""
    if figure is None:
        return "-"
    if kind is TieBreak.LOT:
        return str(-figure)
    return in_units(figure, _divisor(ledger, kind))


def in_units(amount: int, unit: int) -> str:
    """An amount of small units as points of the standings: `7.5`, `3`.

    Exact for halves and quarters, else two places.
    """
    if amount % unit == 0:
        return str(amount // unit)
    # Whole numbers throughout, halves away from zero: Python's `round` takes 0.125 to 0.12.
    hundredths = (abs(amount) * 200 // unit + 1) // 2
    sign = "-" if amount < 0 else ""
    return f"{sign}{hundredths // 100}.{hundredths % 100:02}".rstrip("0")


def _divisor(ledger: Ledger, kind: TieBreak) -> int:
    unit = ledger.tournament.plan.scoring.unit
    if kind is TieBreak.SONNEBORN_BERGER:
        return 2 * unit
    if kind in (TieBreak.WINS, TieBreak.WINS_WORSE_SEAT, TieBreak.MARGIN):
        return 1
    return unit


def _direct_encounter(ledger: Ledger, level: Sequence[str]) -> Mapping[str, _Figure]:
    among = frozenset(level)
    games = {name: [share for share in ledger.shares[name] if share.opponent in among] for name in level}
    if any(len({share.opponent for share in games[name]}) < len(level) - 1 for name in level):
        return dict.fromkeys(level)
    scoring = ledger.tournament.plan.scoring
    return {name: sum(points_of(scoring, share.halves) for share in games[name]) for name in level}


def _opponents(ledger: Ledger, name: str) -> list[int]:
    """The points of each opponent, once an encounter, the lowest first."""
    own = ledger.points[name]
    plan = ledger.tournament.plan
    met: dict[tuple[str, int], int] = {}
    for index, share in enumerate(ledger.shares[name]):
        where = (
            -index if share.pairing is None else share.pairing.number if plan.is_open_to_all else share.pairing.round
        )
        if share.seat is not None or plan.is_open_to_all:
            met[share.opponent, where] = ledger.points[share.opponent]
        else:
            # FIDE's dummy opponent: a round without a game counts as an opponent with the player's own points.
            met.setdefault((share.opponent, where), own)
    rounds_without = (ledger.byes[name] + ledger.missed[name]) // plan.games
    return sorted([*met.values(), *([own] * rounds_without)])


def _sonneborn_berger(ledger: Ledger, name: str) -> int:
    # Where everybody meets everybody, a walkover counts as the opponent that it should have been.
    in_place = ledger.tournament.plan.has_fixtures
    own = ledger.points[name]
    games = sum(
        share.halves * (ledger.points[share.opponent] if share.seat is not None or in_place else own)
        for share in ledger.shares[name]
    )
    return games + WIN * own * ledger.byes[name]


def _buchholz(lowest: int, highest: int) -> Callable[[Ledger, str], int]:
    def add_up(ledger: Ledger, name: str) -> int:
        opponents = _opponents(ledger, name)
        return sum(opponents[lowest : max(lowest, len(opponents) - highest)])

    return add_up


def _wins(ledger: Ledger, name: str) -> int:
    return sum(share.halves == WIN and share.seat is not None for share in ledger.shares[name])


def _wins_worse_seat(ledger: Ledger, name: str) -> int:
    worse = ledger.tournament.plan.worse_seat
    return sum(share.halves == WIN and share.seat == worse for share in ledger.shares[name])


def _margin(ledger: Ledger, name: str) -> int:
    return sum(_points_won_by(share) for share in ledger.shares[name])


def _points_won_by(share: ScoreShare) -> int:
    if share.pairing is None or share.seat is None:
        return 0
    points = share.pairing.points
    return points[share.seat] - points[1 - share.seat]


_OF_ONE: Mapping[TieBreak, Callable[[Ledger, str], int]] = {
    TieBreak.SONNEBORN_BERGER: _sonneborn_berger,
    TieBreak.BUCHHOLZ: _buchholz(0, 0),
    TieBreak.BUCHHOLZ_CUT_1: _buchholz(1, 0),
    TieBreak.BUCHHOLZ_CUT_2: _buchholz(2, 0),
    TieBreak.MEDIAN_BUCHHOLZ: _buchholz(1, 1),
    TieBreak.WINS: _wins,
    TieBreak.WINS_WORSE_SEAT: _wins_worse_seat,
    TieBreak.MARGIN: _margin,
}


def counted_games(tournament: Tournament) -> tuple[Counted, ...]:
    """The games as standings count them, with the rules for players who are out already applied."""
    if tournament.has_parts:
        whole = {pairing.number: pairing for pairing in tournament.pairings}
        return tuple(
            evolve(
                one,
                round=one.round + part.after_round,
                pairing=None if one.pairing is None else whole[one.pairing.number],
            )
            for part in all_parts(tournament)
            for one in counted_games(part.state)
        )
    out = effects(tournament)
    games = [
        counted
        for pairing in tournament.pairings
        if pairing.status is PairingStatus.DONE and (counted := _counted(pairing, out)) is not None
    ]
    # A win by withdrawal that nobody announced has to count, too; files and pages take it from here.
    if tournament.plan.has_fixtures and out:
        games += _not_played(tournament, out)
    return tuple(games)


def _in_turn(tournament: Tournament) -> list[Counted]:
    """The games that count by round and game, also those that a player who is out owes."""
    return sorted(counted_games(tournament), key=lambda one: (one.round, one.game))


def effects(tournament: Tournament) -> Mapping[str, Effect]:
    """Tells for each player who is out of the tournament how the standings count them."""
    return {entrant.name: _effect_on(tournament, entrant) for entrant in tournament.entrants if entrant.is_out}


def _effect_on(tournament: Tournament, entrant: Entrant) -> Effect:
    """The effect upon this player's results; `keep` for a player who is in. `half` comes out as what it leads to."""
    if not entrant.is_out:
        return Effect.KEEP
    plan = tournament.plan
    effect = plan.withdrawal if entrant.status is EntrantStatus.WITHDRAWN else plan.disqualification
    if effect is not Effect.HALF:
        return effect
    due = plan.games * sum(entrant.name in (one.first, one.second) for one in fixtures(tournament))
    done = sum(
        pairing.played and pairing.status is PairingStatus.DONE and entrant.name in pairing.seats
        for pairing in tournament.pairings
    )
    return Effect.FORFEIT if 2 * done >= due else Effect.ANNUL


def _counted(pairing: Pairing, out: Mapping[str, Effect]) -> Counted | None:
    assert pairing.verdict is not None, "what is done has a verdict"
    there = [out.get(name) for name in pairing.seats]
    if Effect.ANNUL in there:
        return None
    if Effect.REVERSE in there:
        halves = (LOSS if there[0] is Effect.REVERSE else WIN, LOSS if there[1] is Effect.REVERSE else WIN)
    else:
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
        taken = history.meetings_of(*players)
        for meeting in fixture.meetings(tournament.plan):
            if meeting not in taken:
                seats = players if meeting % 2 else players[::-1]
                halves = (LOSS if seats[0] in out else WIN, LOSS if seats[1] in out else WIN)
                game = meeting - fixture.from_meeting + 1
                found.append(Counted(seats, halves, played=False, round=fixture.place[0], game=game))
    return found


def points_of(scoring: Scoring, halves: int) -> int:
    """The points that a result brings in the standings, by the plan's scoring."""
    return (scoring.loss, scoring.draw, scoring.win)[halves]


def played_results(tournament: Tournament) -> tuple[tuple[str, str, int], ...]:
    """Results beside the standings' own that tell of strength: games to a win or a draw, whatever they count for.

    Each as two players and the first one's halves, in the order of the pairings.
    """
    return tuple(
        (*pairing.seats, _HALVES[pairing.verdict][0])
        for pairing in tournament.pairings
        if pairing.status is PairingStatus.DONE and pairing.played and pairing.verdict not in (None, Verdict.BOTH_LOSE)
    )


@value
class RoundCell:
    """A cell of the standings by rounds of a Swiss, such as `5w1`: the opponent's line, the seat, the result.

    The first seat is `w` and the second `b`, as white and black of chess; with several games it is `5w1b½`. An
    opponent without a line is left out; the text is `bye`, or `late` for a round before a late entry, without one.
    """

    opponent: str
    text: str


@value
class OpponentScore:
    """A player's games against one other in the standings of an arena, in the order in which they were played."""

    opponent: str
    results: str
    score: tuple[str, str]
    """The sums of the results, the player's own first."""


def round_table(tournament: Tournament, rows: Sequence[StandingsRow]) -> tuple[tuple[RoundCell | None, ...], ...]:
    """Breaks the standings down by round, row by row; None where a player took no part."""
    names = [row.name for row in rows]
    numbers = {name: str(number) for number, name in enumerate(names, start=1)}
    cells: dict[tuple[str, int], RoundCell] = {}
    for counted in _in_turn(tournament):
        for side, name in enumerate(counted.players):
            opponent = counted.players[1 - side]
            before = cells.get((name, counted.round))
            text = numbers.get(opponent, "") if before is None else before.text
            cells[name, counted.round] = RoundCell(opponent, f"{text}{'wb'[side]}{_symbol(counted, side)}")
    cells |= {(bye.player, bye.round): RoundCell("", "bye") for bye in tournament.byes}
    for entrant in tournament.entrants:
        cells |= {(entrant.name, number): RoundCell("", "late") for number in range(1, entrant.from_round)}
    return tuple(tuple(cells.get((name, at)) for at in range(1, tournament.round + 1)) for name in names)


def opponent_scores(tournament: Tournament, rows: Sequence[StandingsRow]) -> tuple[tuple[OpponentScore, ...], ...]:
    """Breaks an arena's standings down by opponent, row by row, with the opponents in the same order."""
    names = [row.name for row in rows]
    games: dict[str, dict[str, list[Counted]]] = {name: {} for name in names}
    for counted in counted_games(tournament):
        for name, opponent in (counted.players, counted.players[::-1]):
            games.setdefault(name, {}).setdefault(opponent, []).append(counted)
    order = [*names, *(name for name in games if name not in names)]
    return tuple(tuple(_score(name, one, games[name][one]) for one in order if one in games[name]) for name in names)


def _score(name: str, opponent: str, games: Sequence[Counted]) -> OpponentScore:
    sides = [(one, one.players.index(name)) for one in games]
    sums = (sum(one.halves[side] for one, side in sides), sum(one.halves[1 - side] for one, side in sides))
    return OpponentScore(
        opponent,
        "".join(_symbol(one, side) for one, side in sides),
        (_halves_text(sums[0]), _halves_text(sums[1])),
    )


def _halves_text(halves: int) -> str:
    whole = str(halves // WIN) if halves >= WIN or not halves else ""
    return whole + ("½" if halves % WIN else "")


def crosstable(tournament: Tournament, rows: Sequence[StandingsRow]) -> tuple[tuple[str, ...], ...]:
    """Lays standings out as a crosstable: everybody's results against everybody, rows and columns in their order.

    `1`, `½`, `0`; `+`, `=`, `-` where nothing was played; `*` on the diagonal.
    """
    cells: dict[tuple[str, str], list[str]] = {}
    for counted in _in_turn(tournament):
        for side, name in enumerate(counted.players):
            cells.setdefault((name, counted.players[1 - side]), []).append(_symbol(counted, side))
    return tuple(
        tuple("*" if row is column else "".join(cells.get((row.name, column.name), ())) for column in rows)
        for row in rows
    )


def _symbol(counted: Counted, side: int) -> str:
    halves = counted.halves[side]
    assert 0 <= halves <= WIN, "a result is 0, 1 or 2 halves"
    return (_SYMBOLS if counted.played else UNPLAYED)[halves]
