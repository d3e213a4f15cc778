"""The tournament report file that FIDE and its pairing programs read (TRF16, with the XXR line of TRFx).

A line begins with a number that says what it holds: 012 the tournament's name, 062 the number of
players, 092 the kind of tournament, XXR the number of rounds, 001 a player. In
a 001 line everything has its columns; from column 92 on, each round has ten: the opponent's number, the
colour (white is the first seat here), the result. The format knows one game a round: with several,
each has a column of its own, as have the extra games of a knockout. Where one round has more than a
player's game, as in an arena, or after a late entry, the game comes into the next column that is free.
"""

from collections.abc import Mapping
from itertools import accumulate, count

from gameserver.tournaments.model import Tournament
from gameserver.tournaments.scoring.scores import Counted, Ledger, counted_games
from gameserver.tournaments.scoring.standings import standings

_PLAYED, _UNPLAYED = "0=1", "-=+"
_NAME_LENGTH = 33
_NOTHING = "0000 - Z"
_BYE = "0000 - U"

Cells = dict[tuple[str, int], str]
"""The text of a column (from 1), by player."""


def trf(tournament: Tournament) -> str:
    """The report. Names longer than 33 characters are cut, as the columns demand."""
    numbers = _numbers(tournament)
    cells = _cells(tournament, numbers)
    columns = max([*_last_columns(tournament), *(column for _, column in cells)], default=0)
    places = {row.name: place for place, row in enumerate(standings(tournament), start=1)}
    points = Ledger.of(tournament).points
    ratings = {entrant.name: entrant.rating for entrant in tournament.entrants}
    lines = [
        f"012 {_line(tournament.plan.name)}",
        f"062 {len(numbers)}",
        f"092 {tournament.plan.format.replace('-', ' ').title()}: {_line(tournament.plan.game)}",
        f"XXR {max(columns, tournament.rounds * tournament.plan.games)}",
    ]
    for name, number in numbers.items():
        place = places.get(name, len(numbers))
        head = _head(number, name, ratings.get(name, 0))
        score = f"{points[name] / tournament.plan.scoring.unit:.1f}"
        results = "".join(f"  {cells.get((name, column), _NOTHING)}" for column in range(1, columns + 1))
        lines.append(f"{head} {score:>4} {place:>4}{results}")
    return "\n".join(lines) + "\n"


def _numbers(tournament: Tournament) -> dict[str, int]:
    """The starting numbers; a stand-in that has played comes last."""
    numbers = {one.name: one.number for one in sorted(tournament.entrants, key=lambda entrant: entrant.number)}
    stand_in = tournament.plan.stand_in
    if stand_in not in numbers and any(stand_in in pairing.seats for pairing in tournament.pairings):
        numbers[stand_in] = max(numbers.values(), default=0) + 1
    return numbers


def _head(number: int, name: str, rating: int) -> str:
    """Columns 1 to 79: number, (sex, title), name, rating, (federation, FIDE's number, birth)."""
    cut = _line(name)[:_NAME_LENGTH]
    return f"001 {number:>4}      {cut:<33} {rating or '':>4} {'':3} {'':11} {'':10}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _cells(tournament: Tournament, numbers: Mapping[str, int]) -> Cells:
    cells: Cells = {}
    before = (0, *_last_columns(tournament))
    announced = [(counted, counted.pairing) for counted in counted_games(tournament) if counted.pairing is not None]
    for counted, pairing in sorted(announced, key=lambda one: (one[1].round, one[1].game, one[1].number)):
        own = before[pairing.round - 1] + pairing.game
        column = next(free for free in count(own) if all((name, free) not in cells for name in counted.players))
        for side, name in enumerate(counted.players):
            cells[name, column] = _cell(counted, side, numbers)
    for bye in tournament.byes:
        first = before[bye.round - 1] + 1
        for column in range(first, first + tournament.plan.games):
            cells[bye.player, column] = _BYE
    return cells


def _last_columns(tournament: Tournament) -> list[int]:
    """The last column of each round, which has as many as the longest of its encounters has games."""
    most = [tournament.plan.games] * tournament.round
    for pairing in tournament.pairings:
        most[pairing.round - 1] = max(most[pairing.round - 1], pairing.game)
    return list(accumulate(most))


def _cell(counted: Counted, side: int, numbers: Mapping[str, int]) -> str:
    opponent = numbers[counted.players[1 - side]]
    signs = _PLAYED if counted.played else _UNPLAYED
    return f"{opponent:>4} {'wb'[side]} {signs[counted.halves[side]]}"
