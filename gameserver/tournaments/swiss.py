"""Swiss: a fixed number of rounds, in each of which players with like scores meet who have not met.

The order of what matters follows FIDE's Dutch system. Nobody meets twice and nobody has two byes, as long as that is
possible at all; team mates meet only where a rematch or a second bye would be needed instead; nobody gets a seat for
the third time more than the other; the bye goes to the lowest score; then scores as near as can be; nobody floats twice
running; seats as they are due; and last, the upper half of a score group meets its lower half.

Players are put into pairs by maximum-weight matching (Edmonds' blossoms, from networkx). What makes a pairing bad is a
row of whole numbers, the worst first; one of the first kind outweighs any number of the second, and so on. A program
for FIDE's own Dutch system was rejected: those that are kept up pair chess only, through files, and know neither
several games a round nor a house player.

The library is imported when it is first needed: that takes a fifth of a second, and happens in the thread that pairs,
not at the start of a server that holds no tournament.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from attrs import evolve

from gameserver.chance import lot
from gameserver.tournaments.history import History, are_mates
from gameserver.tournaments.model import Bye, Pairing, PairingStatus, Tournament
from gameserver.tournaments.standings import Ledger
from gameserver.values import value

Edge = tuple[int, int]
Badness = tuple[int, ...]
"""Reasons against a pair, the weightiest first; each at least 0."""
# Measured with made-up scores: a matching of 200 players takes 2.0 s with all pairs, 0.8 s with these.
_NEIGHBOURS_MAX = 40
"""In a big field each player is considered for so many of those ranked next; see `near`."""
_BIG_FIELD = 100
# FIDE's basic rules (C.04.1): the difference of colours stays within 2, and nobody has one three times running.
_SEAT_DIFFERENCE_MAX = 2
_SAME_SEAT_RUN_MAX = 2
_REMATCHES_MAX = 50


def next_round(history: History) -> tuple[list[Pairing], list[Bye]]:
    """The pairings of a Swiss to announce now: the next games of this round's encounters, or else the next round."""
    tournament = history.tournament
    more = games_to_follow(history)
    if more or tournament.open:
        return more, []
    if tournament.round >= tournament.rounds or len(tournament.active) < 2:
        return [], []
    return _paired(history)


def is_played(history: History) -> bool:
    """True if all rounds of a Swiss are over, or nobody is left to play them."""
    tournament = history.tournament
    if tournament.open or games_to_follow(history):
        return False
    return tournament.round >= tournament.rounds or len(tournament.active) < 2


def rounds_needed(players: int) -> int:
    """The rounds that a Swiss needs: enough to find a winner, and one more for the order behind, if all can be paired.

    Up to half of the field in rounds, everybody has so many opponents left that a pairing without a rematch
    exists, whatever was paired before (Dirac's theorem); six players can run into a dead end after three.
    """
    size = players + players % 2
    surely = size - 1 if size <= 4 else size // 2
    return min(surely, max(players - 1, 1).bit_length() + 1)


def games_to_follow(history: History) -> list[Pairing]:
    """The next games of encounters that have begun; one whose only game was voided is owed as a whole."""
    return [game for games in history.encounters.values() if (game := _next_game(history, games)) is not None]


def _next_game(history: History, games: Mapping[int, Pairing]) -> Pairing | None:
    if any(pairing.is_open for pairing in games.values()):
        return None
    one = next(iter(games.values()))
    game = next((number for number in range(1, history.tournament.plan.games + 1) if number not in games), None)
    if game is None or any(owed.round == one.round and owed.board == one.board for owed in history.owed):
        return None
    return history.drawn_up((one.round, one.board), game, *one.seats)


def near(players: int) -> int:
    """The distance in the ranking within which a Swiss pairs so many players: work grows with the pairs looked at."""
    return players if players <= _BIG_FIELD else _NEIGHBOURS_MAX


def best_matching(edges: Mapping[Edge, Badness]) -> list[Edge]:
    """The maximum-weight matching for a Swiss: as many pairs as possible with the least badness, sorted."""
    if not edges:
        return []
    import networkx as nx  # noqa: PLC0415 - see above

    nodes = dict.fromkeys(node for edge in edges for node in edge)
    weights = _flattened(list(edges.values()), len(nodes) // 2)
    graph: nx.Graph[int] = nx.Graph()
    # networkx maximizes: the least bad pair gets the greatest weight, and none falls to 0.
    top = max(weights) + 1
    graph.add_weighted_edges_from(
        (one, other, top - weight) for (one, other), weight in zip(edges, weights, strict=True)
    )
    pairs = nx.max_weight_matching(graph, maxcardinality=True)
    return sorted((min(pair), max(pair)) for pair in pairs)


def _flattened(rows: Sequence[Badness], pairs: int) -> list[int]:
    """Each row as one number, so that sums of up to `pairs` of them are ordered as the sums of the rows are."""
    factors = [1]
    for column in range(len(rows[0]) - 1, 0, -1):
        factors.append(factors[-1] * (pairs * max(row[column] for row in rows) + 1))
    factors.reverse()
    return [sum(factor * value for factor, value in zip(factors, row, strict=True)) for row in rows]


@value
class _Player:
    """Somebody to be paired. `rank` counts from 0 in the order of scores."""

    name: str
    rank: int
    points: int
    group_size: int
    place_in_group: int
    balance: int
    """Games in the first seat, less those in the second."""
    run: int
    """Times that the last seat was had running: above 0 the first, below 0 the second."""
    float: int
    """1 if the last opponent had fewer points (or there was none), -1 if more."""
    had_bye: bool


def _paired(history: History) -> tuple[list[Pairing], list[Bye]]:
    tournament = history.tournament
    players = _ranked(history)
    number = tournament.round + 1
    if len(players) % 2:
        players.append(_nobody(tournament, len(players)))
    team_of = tournament.team_of
    # In a big field the opponents that are left for a team may all be outside of its neighbours.
    window, further = near(len(players)), max(Counter(team_of.values()).values(), default=0)
    edges: dict[Edge, Badness] = {}
    for i, one in enumerate(players):
        for j in range(i + 1, len(players)):
            mates = are_mates(team_of, one.name, players[j].name)
            if j - i <= window + further * (not mates) or not players[j].name:
                edges[i, j] = _badness(history, one, players[j], mates=mates)
    pairs = best_matching(edges)
    met = [(players[i], players[j]) for i, j in pairs if players[j].name]
    found = [
        history.drawn_up((number, board), 1, *_seats(history, one, other, board))
        for board, (one, other) in enumerate(met, start=1)
    ]
    rests = [players[i] for i, j in pairs if not players[j].name]
    if not tournament.plan.stand_in:
        return found, [Bye(number, player.name) for player in rests]
    for player in rests:
        seats = (player.name, tournament.plan.stand_in)
        found.append(history.drawn_up((number, len(found) + 1), 1, *(seats if player.balance < 0 else seats[::-1])))
    return found, []


def _nobody(tournament: Tournament, rank: int) -> _Player:
    """The bye's entry in the list; it takes the lowest place."""
    return _Player("", rank, 0, 1, 0, 0, 0, 0, had_bye=False)


def _ranked(history: History) -> list[_Player]:
    tournament = history.tournament
    points = Ledger.of(tournament).points
    order = sorted(tournament.active, key=lambda entrant: (-points[entrant.name], entrant.number))
    groups: dict[int, list[str]] = {}
    for entrant in order:
        groups.setdefault(points[entrant.name], []).append(entrant.name)
    floats = _floats(tournament)
    rested = _rested(tournament)
    return [
        _Player(
            entrant.name,
            rank,
            points[entrant.name],
            len(group := groups[points[entrant.name]]),
            group.index(entrant.name),
            history.seat_balance(entrant.name),
            _run(history.seats.get(entrant.name, ())),
            floats.get(entrant.name, 0),
            entrant.name in rested,
        )
        for rank, entrant in enumerate(order)
    ]


def _rested(tournament: Tournament) -> frozenset[str]:
    """The players who have had a bye, or points without playing, or the house player in place of a bye."""
    names = [bye.player for bye in tournament.byes]
    for pairing in tournament.pairings:
        if pairing.status is not PairingStatus.VOID and tournament.plan.stand_in in pairing.seats:
            names.append(pairing.opponent(tournament.plan.stand_in))
        elif pairing.status is PairingStatus.DONE and not pairing.played and pairing.verdict in ("first", "second"):
            names.append(pairing.seats[pairing.verdict == "second"])
    return frozenset(names)


def _run(seats: tuple[int, ...]) -> int:
    length = 0
    for seat in reversed(seats):
        if seat != seats[-1]:
            break
        length += 1
    return length if not seats or seats[-1] == 0 else -length


def _floats(tournament: Tournament) -> dict[str, int]:
    """The players who met another score in the last round, by the points before it."""
    last = tournament.round
    if last == 0:
        return {}
    earlier = tuple(pairing for pairing in tournament.pairings if pairing.round < last)
    points = _points_before(tournament, earlier)
    floats = {bye.player: 1 for bye in tournament.byes if bye.round == last}
    for pairing in tournament.pairings:
        if pairing.round == last and pairing.status is not PairingStatus.VOID:
            one, other = (points.get(name, 0) for name in pairing.seats)
            floats[pairing.seats[0]] = (one > other) - (one < other)
            floats[pairing.seats[1]] = (other > one) - (other < one)
    return floats


def _points_before(tournament: Tournament, pairings: tuple[Pairing, ...]) -> Mapping[str, int]:
    """The points after these pairings and the byes that go with them. Numbers do not matter for points."""
    byes = tuple(bye for bye in tournament.byes if bye.round < tournament.round)
    return Ledger.of(evolve(tournament, pairings=pairings, byes=byes)).points


def _badness(history: History, one: _Player, other: _Player, *, mates: bool) -> Badness:
    """The reasons against a pair; `other` ranks lower, or is the bye."""
    # In the essay's order: a rematch or second bye, one team, a forced seat, the points of a player with a bye, the
    # distance of scores, floats, seats that are due, and the distance from the fold.
    if not other.name:
        depth = other.rank - 1 - one.rank
        return (int(one.had_bye), 0, 0, one.points, 0, int(one.float > 0), 0, depth * depth)
    met = min(_REMATCHES_MAX, len(history.meetings_of(one.name, other.name)))
    bad, unwelcome = _seat_trouble(history, one, other)
    difference = one.points - other.points
    floats = int(difference != 0 and one.float > 0) + int(difference != 0 and other.float < 0)
    return (met, int(mates), bad, 0, difference * difference, floats, unwelcome, _misfit(one, other))


def _seat_trouble(history: History, one: _Player, other: _Player) -> tuple[int, int]:
    """1 if both must have the same seat, and 1 if both have had the same one oftener; else 0."""
    if history.tournament.plan.games % 2 == 0:
        return 0, 0
    must = _must(one) * _must(other)
    return int(must > 0), int(one.balance * other.balance > 0)


def _must(player: _Player) -> int:
    """1 if the player must have the second seat next, -1 if the first, else 0."""
    too_often = abs(player.balance) >= _SEAT_DIFFERENCE_MAX
    wanted = player.balance if too_often else player.run if abs(player.run) >= _SAME_SEAT_RUN_MAX else 0
    return (wanted > 0) - (wanted < 0)


def _misfit(one: _Player, other: _Player) -> int:
    """Distance of a pair from the fold: first of the upper half against first of the lower half."""
    if one.points == other.points:
        off = other.place_in_group - one.place_in_group - one.group_size // 2
    else:
        off = one.group_size - 1 - one.place_in_group + other.place_in_group
    return off * off


def _seats(history: History, one: _Player, other: _Player, board: int) -> tuple[str, str]:
    """The seats: the first goes to the player who must have it, or has had it less, or did not have it last time."""
    wish = (_must(one) - _must(other)) or (one.balance - other.balance) or (_sign(one.run) - _sign(other.run))
    if wish == 0:
        wish = -1 if (board + lot(history.tournament.seed, "seats", "")) % 2 else 1
    return (one.name, other.name) if wish < 0 else (other.name, one.name)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
