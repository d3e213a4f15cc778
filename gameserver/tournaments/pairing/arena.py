"""Arena: for a set time, every free player meets another near in score; one who loses plays on.

Nobody meets the same opponent a third time running while others are playing: it is better to wait a
moment for one of them. In an odd crowd, one of those who have played most has to wait.
"""

from collections.abc import Collection
from itertools import combinations

from gameserver.tournaments.formats.history import History
from gameserver.tournaments.formats.lots import lot
from gameserver.tournaments.model import Pairing, PairingStatus
from gameserver.tournaments.pairing.matching import Badness, Edge, best_matching, near
from gameserver.tournaments.scoring.scores import Ledger

_RUNNING_MAX = 2
_WAITS = -1


def next_in_arena(history: History, free: Collection[str]) -> list[Pairing]:
    """Pairings for those who are free."""
    tournament = history.tournament
    points = Ledger.of(tournament).points
    playing = {name for pairing in tournament.keeping for name in pairing.seats}
    waiting = [one for one in tournament.active if (one.house or one.name in free) and one.name not in playing]
    players = [e.name for e in sorted(waiting, key=lambda entrant: (-points[entrant.name], entrant.number))]
    last = _last_opponents(history)
    edges: dict[Edge, Badness] = {}
    for i, j in combinations(range(len(players)), 2):
        one, other = players[i], players[j]
        running = _running(last, one, other)
        if j - i <= near(len(players)) and (running < _RUNNING_MAX or not history.busy):
            met = len(history.meetings_of(one, other))
            gap = points[one] - points[other]
            same_seat = int(history.seat_balance(one) * history.seat_balance(other) > 0)
            edges[i, j] = (0, min(running, _RUNNING_MAX), gap * gap, met, same_seat)
    if len(players) % 2 and edges:
        played = [len(history.seats.get(name, ())) for name in players]
        most = max(played)
        edges |= {(_WAITS, i): (most - count, 0, 0, 0, 0) for i, count in enumerate(played)}
    pairs = [(i, j) for i, j in best_matching(edges) if i != _WAITS]
    room = (
        tournament.plan.matches_at_once_max - len(tournament.keeping) if tournament.plan.matches_at_once_max else None
    )
    boards = max((pairing.board for pairing in tournament.pairings), default=0)
    return [
        history.drawn_up((1, boards + number), 1, *_seats(history, players[i], players[j]))
        for number, (i, j) in enumerate(pairs[:room], start=1)
    ]


def _last_opponents(history: History) -> dict[str, list[str]]:
    """Everybody's last opponents, the latest first, as many as matter."""
    last: dict[str, list[str]] = {}
    for pairing in reversed(history.tournament.pairings):
        if pairing.status is not PairingStatus.VOID:
            for name in pairing.seats:
                met = last.setdefault(name, [])
                if len(met) < _RUNNING_MAX:
                    met.append(pairing.opponent(name))
    return last


def _running(last: dict[str, list[str]], one: str, other: str) -> int:
    """The number of times in a row that these two have met, by the one who has met others less since."""
    return max(_run(last.get(one, []), other), _run(last.get(other, []), one))


def _run(opponents: list[str], name: str) -> int:
    return next((count for count, met in enumerate(opponents) if met != name), len(opponents))


def _seats(history: History, one: str, other: str) -> tuple[str, str]:
    balance = history.seat_balance(one) - history.seat_balance(other)
    if balance == 0:
        seed = history.tournament.seed
        balance = lot(seed, "seat", one) - lot(seed, "seat", other)
    return (one, other) if balance < 0 else (other, one)
