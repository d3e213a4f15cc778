"""The tournament report file that FIDE and its pairing programs read (TRF16, with the XXR line of TRFx).

A line begins with a number that says what it holds: 012 the tournament's name, 062 the number of
players, 092 the kind of tournament, XXR the number of rounds, 001 a player. In
a 001 line everything has its columns; from column 92 on, each round has ten: the opponent's number, the
colour (white is the first seat here), the result. The format knows one game a round: with several,
each has a column of its own.
"""

from collections.abc import Mapping

from gameserver.tournaments.counting import Counted, Ledger, counted_games
from gameserver.tournaments.model import Tournament
from gameserver.tournaments.standings import standings

_PLAYED, _UNPLAYED = "0=1", "-=+"
_NAME_LENGTH = 33
_NOTHING = "0000 - Z"
_BYE = "0000 - U"

Cells = dict[tuple[str, int], str]
"""What stands in a column (from 1), by player."""


def trf(tournament: Tournament) -> str:
    """The report. Names longer than 33 characters are cut, as the columns demand."""
    numbers = _numbers(tournament)
    cells = _cells(tournament, numbers)
    columns = tournament.round * tournament.plan.games
    places = {row.name: place for place, row in enumerate(standings(tournament), start=1)}
    points = Ledger.of(tournament).points
    ratings = {entrant.name: entrant.rating for entrant in tournament.entrants}
    lines = [
        f"012 {_line(tournament.plan.name)}",
        f"062 {len(numbers)}",
        f"092 {tournament.plan.format.replace('-', ' ').title()}: {_line(tournament.plan.game)}",
        f"XXR {max(tournament.rounds, tournament.round) * tournament.plan.games}",
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
    games = tournament.plan.games
    cells: Cells = {}
    for counted in counted_games(tournament):
        if counted.pairing is not None:
            column = (counted.pairing.round - 1) * games + counted.pairing.game
            for side, name in enumerate(counted.players):
                cells[name, column] = _cell(counted, side, numbers)
    for bye in tournament.byes:
        for column in range((bye.round - 1) * games + 1, bye.round * games + 1):
            cells[bye.player, column] = _BYE
    return cells


def _cell(counted: Counted, side: int, numbers: Mapping[str, int]) -> str:
    opponent = numbers[counted.players[1 - side]]
    signs = _PLAYED if counted.played else _UNPLAYED
    return f"{opponent:>4} {'wb'[side]} {signs[counted.halves[side]]}"
