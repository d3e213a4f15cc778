"""A reader of FIDE's report file that knows the format and nothing of the server.

Written from FIDE's description of TRF16 (C.04 annex 2) and the XXS line of its extension for pairing programs.
`figures` works out points, Sonneborn-Berger and Buchholz from the results alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

HALVES = {"1": 2, "=": 1, "0": 0, "+": 2, "-": 0, "W": 2, "D": 1, "L": 0}
OVER_THE_BOARD = "1=0"


@dataclass
class Result:
    """One column of a player's line. `opponent` is 0 for a round without one."""

    column: int
    opponent: int
    colour: str
    code: str


@dataclass
class Player:
    """A 001 line."""

    number: int
    name: str
    points: Fraction
    rank: int
    results: list[Result]


@dataclass
class Report:
    """A whole file."""

    kind: str = ""
    rounds: int = 0
    worth: dict[str, Fraction] = field(default_factory=dict)
    round_of: dict[int, int] = field(default_factory=dict)
    players: dict[int, Player] = field(default_factory=dict)

    def points_for(self, result: Result) -> Fraction:
        return self.worth[result.code]


def read(text: str) -> Report:
    report = Report()
    half = Fraction(1, 2)
    worth = {"W": Fraction(1), "D": half, "L": Fraction(0), "FW": Fraction(1), "FL": Fraction(0)}
    worth |= {"PAB": Fraction(1), "HPB": half, "ZPB": Fraction(0)}
    for line in text.splitlines():
        match line[:3]:
            case "092":
                report.kind = line[4:].partition(":")[0]
            case "XXR":
                report.rounds = int(line[4:])
            case "XXS":
                said = {code: Fraction(value) for code, value in (one.split("=") for one in line[4:].split())}
                assert said.get("WL", 0) == said.get("BL", 0)
                if "WL" in said:
                    said["L"] = said.pop("WL")
                worth |= {"HPB": said.get("D", half)} | said
            case "###":
                columns = line.partition("column: ")[2].split()
                report.round_of = {column: int(one) for column, one in enumerate(columns, start=1)}
            case "001":
                player = _player(line)
                assert player.number not in report.players
                report.players[player.number] = player
    played = {"1": "W", "W": "W", "=": "D", "D": "D", "0": "L", "L": "L"}
    report.worth = {code: worth[name] for code, name in played.items()}
    report.worth |= {"+": worth["FW"], "-": worth["FL"], "U": worth["PAB"], "H": worth["HPB"], "Z": worth["ZPB"]}
    return report


def _player(line: str) -> Player:
    return Player(
        int(line[4:8]), line[14:47].strip(), Fraction(line[80:84].strip()), int(line[85:89]), list(_results(line))
    )


def _results(line: str) -> Iterator[Result]:
    for column, at in enumerate(range(89, len(line), 10), start=1):
        assert line[at : at + 2] == "  ", line
        cell = line[at + 2 : at + 10]
        if cell.strip():
            assert (cell[4], cell[6]) == (" ", " "), cell
            yield Result(column, int(cell[:4]), cell[5], cell[7])


@dataclass
class Figures:
    """One player's, in points of the report."""

    points: Fraction
    sonneborn_berger: Fraction
    buchholz: Fraction
    buchholz_cut_1: Fraction
    median_buchholz: Fraction


def figures(report: Report) -> dict[str, Figures]:
    """Everybody's, by name: a round without a game is a dummy opponent with the player's own points.

    Where everybody meets everybody, a game that was not played counts as the opponent it should have been.
    """
    in_place = report.kind in {"Round Robin", "Gauntlet"}
    one_by_one = in_place or report.kind == "Arena"
    zero = Fraction(0)
    sums = {one.number: sum(map(report.points_for, one.results), zero) for one in report.players.values()}
    found = {}
    for player in report.players.values():
        own = sums[player.number]
        berger = zero
        met: dict[object, Fraction] = {}
        for result in player.results:
            where = report.round_of.get(result.column, result.column)
            if result.opponent == 0:
                met["without", where] = own
                berger += own if result.code == "U" else 0
                continue
            is_played = result.code in OVER_THE_BOARD
            berger += Fraction(HALVES[result.code], 2) * (sums[result.opponent] if is_played or in_place else own)
            if one_by_one:
                met[result.column] = sums[result.opponent]
            elif is_played:
                met[where, result.opponent] = sums[result.opponent]
            else:
                met.setdefault((where, result.opponent), own)
        ranked = sorted(met.values())
        sums_of = (sum(part, zero) for part in (ranked, ranked[1:], ranked[1:-1]))
        found[player.name] = Figures(own, berger, *sums_of)
    return found
