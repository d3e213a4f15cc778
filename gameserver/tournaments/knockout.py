"""Knockouts: the tree of encounters, and what is known of each of its nodes.

A node's two players come from elsewhere: a seed, or the winner or loser of an earlier node. The field is filled up to a
power of two with seeds that nobody has. A player who would meet such a seed goes on without a game; as the tree puts
the best seeds against the last ones, the best seeds get these byes. Nothing waits for the end of a round: a node is
played when its two players are known. A player who is out by then loses by a walkover, which is a pairing like others,
so that a decision does not depend on who leaves later.

`round_name` names the rounds of any tournament, as its bracket does where it has one.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache

from gameserver.tournaments.history import History, Place
from gameserver.tournaments.model import Pairing, Tournament, Verdict
from gameserver.tournaments.plan import Format
from gameserver.tournaments.stages import all_parts, part_of, stage_of
from gameserver.values import value

NOBODY = ""
"""A place in the tree that stays empty; None is a player who is not known yet."""


class From(StrEnum):
    """The origin of a player of a knockout's encounter: a seed, or the winner or loser of an earlier one."""

    SEED = "seed"
    WINNER = "winner"
    LOSER = "loser"


class Part(StrEnum):
    """The part of a knockout's tree that an encounter belongs to: winners, losers, final, third place."""

    WINNERS = "winners"
    LOSERS = "losers"
    FINAL = "final"
    """The grand final of a double elimination, and its decider."""
    THIRD_PLACE = "third place"


@value
class Source:
    """The origin of a player in a knockout's tree: a seed, or the winner or loser of a node, both numbered from 1."""

    kind: From
    number: int


@value
class Node:
    """A node of a knockout's tree: an encounter and where its two players come from.

    `decider` is played only if the one before was not won by its first player.
    """

    place: Place
    round_name: str
    first: Source
    second: Source
    part: Part
    decider: bool = False

    @property
    def third_place(self) -> bool:
        """True for a knockout's match for third place."""
        return self.part is Part.THIRD_PLACE


@value
class NodeNow:
    """A node of a knockout's tree as it stands. `winner` and `loser` are None while it is open.

    Where nothing was to be played, the loser is nobody.
    """

    node: Node
    players: tuple[str | None, str | None]
    games: tuple[Pairing, ...]
    winner: str | None = None
    loser: str | None = None

    @property
    def is_playable(self) -> bool:
        """True if both players of a knockout's encounter are known, and the winner is not."""
        return self.winner is None and all(self.players)


def seed_order(size: int) -> list[int]:
    """The seeds down the first round of a knockout.

    1 and 2 can only meet in the final, 1 to 4 in the semi-finals.
    """
    order = [1]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) + 1 - one)]
    return order


@lru_cache(maxsize=32)
def tree(kind: Format, players: int, *, third_place: bool) -> tuple[Node, ...]:
    """All nodes of a knockout's tree, each after those it depends on; the last but for third place is the final."""
    size = 1 << max(players - 1, 1).bit_length()
    builder = _Builder()
    upper = builder.winners(size, last="Final" if kind is Format.KNOCKOUT else "Winners' final")
    if kind is Format.KNOCKOUT:
        if third_place and len(upper) > 1:
            losers = [Source(From.LOSER, number) for number in upper[-2]]
            builder.add(losers[0], losers[1], "Match for third place", Part.THIRD_PLACE)
    else:
        lower = builder.losers(upper)
        builder.add(Source(From.WINNER, upper[-1][0]), lower, "Grand final", Part.FINAL)
        final = len(builder.nodes)
        sources = Source(From.WINNER, final), Source(From.LOSER, final)
        builder.add(*sources, "Deciding final", Part.FINAL, decider=True)
    return tuple(builder.nodes)


class _Builder:
    """Collects nodes; a node's round is one more than the latest that it depends on."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.boards: dict[int, int] = {}

    def add(self, first: Source, second: Source, round_name: str, part: Part, *, decider: bool = False) -> int:
        before = [self.nodes[source.number - 1].place[0] for source in (first, second) if source.kind is not From.SEED]
        number = max(before, default=0) + 1
        self.boards[number] = self.boards.get(number, 0) + 1
        self.nodes.append(Node((number, self.boards[number]), round_name, first, second, part, decider))
        return len(self.nodes)

    def winners(self, size: int, last: str) -> list[list[int]]:
        """The tree in which nobody has lost; the numbers of its nodes by round."""
        sources = [Source(From.SEED, seed) for seed in seed_order(size)]
        rounds: list[list[int]] = []
        while len(sources) > 1:
            round_name = _round_name(len(sources), last)
            rounds.append([self.add(one, other, round_name, Part.WINNERS) for one, other in _twos(sources)])
            sources = [Source(From.WINNER, number) for number in rounds[-1]]
        return rounds

    def losers(self, upper: list[list[int]]) -> Source:
        """The tree of those who have lost once: in turn they meet each other, and those who fall from above.

        Each second time those who fall come in from the other end, so that nobody soon meets the one
        that sent them down.
        """
        sources = [Source(From.LOSER, number) for number in upper[0]]
        step = 0
        for depth, fallen in enumerate(upper[1:], start=1):
            step += 1
            round_name = f"Losers' round {step}"
            sources = self._pair(_twos(sources), round_name)
            coming = [Source(From.LOSER, number) for number in (reversed(fallen) if depth % 2 else fallen)]
            step += 1
            round_name = f"Losers' round {step}" if len(sources) > 1 else "Losers' final"
            sources = self._pair(zip(sources, coming, strict=True), round_name)
        return sources[0]

    def _pair(self, pairs: Iterable[tuple[Source, Source]], round_name: str) -> list[Source]:
        return [Source(From.WINNER, self.add(one, other, round_name, Part.LOSERS)) for one, other in pairs]


def _twos(sources: Sequence[Source]) -> list[tuple[Source, Source]]:
    return list(zip(sources[::2], sources[1::2], strict=True))


def _round_name(players: int, last: str) -> str:
    return {2: last, 4: "Semi-final", 8: "Quarter-final"}.get(players, f"Round of {players}")


def round_names(tournament: Tournament) -> dict[Place, str]:
    """Names the nodes of a knockout's tree, as `Semi-final`, by round and board; empty for any other format."""
    if tournament.has_parts:
        return {
            (number + part.after_round, board): name
            for part in all_parts(tournament)
            for (number, board), name in round_names(part.state).items()
        }
    if not tournament.plan.is_bracket:
        return {}
    nodes = tree(tournament.plan.format, len(tournament.entrants), third_place=tournament.plan.third_place)
    return {node.place: node.round_name for node in nodes}


def nodes_now(history: History) -> list[NodeNow]:
    """Every node of a knockout's tree with its players, games and winner, as far as they are known."""
    tournament = history.tournament
    seeds = {entrant.number: entrant.name for entrant in tournament.entrants}
    found: list[NodeNow] = []

    def player(source: Source) -> str | None:
        if source.kind is From.SEED:
            return seeds.get(source.number, NOBODY)
        before = found[source.number - 1]
        return before.winner if source.kind is From.WINNER else before.loser

    for node in tree(tournament.plan.format, len(seeds), third_place=tournament.plan.third_place):
        players = (player(node.first), player(node.second))
        found.append(_now(history, node, players, found))
    return found


def _now(history: History, node: Node, players: tuple[str | None, str | None], before: list[NodeNow]) -> NodeNow:
    first, second = players
    games = tuple(pairing for _, pairing in sorted(history.encounters.get(node.place, {}).items()))
    if first is None or second is None:
        return NodeNow(node, players, games)
    # A bye; or the winners' side won the grand final, so the decider is not needed.
    if NOBODY in players or (node.decider and first == before[-1].players[0]):
        return NodeNow(node, players, games, first or second, NOBODY)
    winner = _winner(history, (first, second), games)
    if winner is None:
        return NodeNow(node, players, games)
    return NodeNow(node, players, games, winner, second if winner == first else first)


def _winner(history: History, players: tuple[str, str], games: tuple[Pairing, ...]) -> str | None:
    """The winner of the encounter; None while it is open."""
    plan = history.tournament.plan
    if any(pairing.is_open for pairing in games):
        return None
    for pairing in games:
        if pairing.walkover:
            return pairing.seats[pairing.verdict is Verdict.SECOND]
    lead = sum(_lead(pairing, players[0]) for pairing in games)
    done = len(games)
    # The games that the encounter may last by now: the plan's, and after a level one two more at a time.
    target = max(plan.games, plan.games + (done - plan.games + 1) // 2 * 2)
    if abs(lead) > target - done:
        return players[0] if lead > 0 else players[1]
    if lead == 0 and done >= plan.games + plan.extra_games_max:
        numbers = {entrant.name: entrant.number for entrant in history.tournament.entrants}
        return min(players, key=lambda name: numbers[name])
    return None


def _lead(pairing: Pairing, player: str) -> int:
    if pairing.verdict not in (Verdict.FIRST, Verdict.SECOND):
        return 0
    return 1 if pairing.seats[pairing.verdict is Verdict.SECOND] == player else -1


def next_in_bracket(history: History) -> list[Pairing]:
    """The next game of every encounter of a knockout whose players are known and not playing already.

    Players who are out are paired too: the game becomes a walkover, a fact that later events cannot undo.
    """
    wanted = []
    taken = set(history.busy)
    for now in nodes_now(history):
        first, second = now.players
        is_on = any(pairing.is_open for pairing in now.games)  # house players are never busy
        if is_on or not now.is_playable or not first or not second or {first, second} & taken:
            continue
        taken |= {first, second}
        game = next(
            number
            for number in range(1, len(now.games) + 2)
            if number not in history.encounters.get(now.node.place, {})
        )
        spoilt = _spoilt(history, now.node.place, game, {first, second})
        if spoilt is not None:
            wanted.append(history.again(spoilt))
            continue
        one, other = now.games[0].seats if now.games else _by_balance(history, first, second)
        wanted.append(history.drawn_up(now.node.place, game, one, other))
    return wanted


def _spoilt(history: History, place: Place, game: int, players: set[str]) -> Pairing | None:
    """The voided game of these two that is to be played here once more; everybody keeps the seat that they had."""
    for pairing in history.owed:
        if (pairing.round, pairing.board, pairing.game) == (*place, game) and set(pairing.seats) == players:
            return pairing
    return None


def _by_balance(history: History, better: str, worse: str) -> tuple[str, str]:
    """The first seat goes to the player who has had it less, or else to the better seed."""
    return (better, worse) if history.seat_balance(better) <= history.seat_balance(worse) else (worse, better)


def is_decided(history: History) -> bool:
    """True if every encounter of a knockout has its winner."""
    return not history.tournament.open and all(now.winner is not None for now in nodes_now(history))


def champion(history: History) -> str | None:
    """The winner of a whole knockout; None while it is open."""
    finals = [now for now in nodes_now(history) if not now.node.third_place]
    return finals[-1].winner or None


def reached(history: History) -> dict[str, int]:
    """A figure for how far each player of a knockout has come: more is further, equal is a shared place.

    In a double elimination a player without a loss has come as far as those whom a loss would lead to.
    """
    found = {entrant.name: 0 for entrant in history.tournament.entrants}
    nodes = nodes_now(history)
    # Without these a bye in the losers' part ranked a player who had lost above all who had not.
    falls = {
        source.number: now.node.place[0]
        for now in nodes
        for source in (now.node.first, now.node.second)
        if source.kind is From.LOSER and now.node.part is Part.LOSERS
    }
    for number, now in enumerate(nodes, start=1):
        figure = 2 * max(now.node.place[0], falls.get(number, 0))
        for player in filter(None, now.players):
            place = figure - 2 + (now.winner == player) if now.node.third_place else figure
            found[player] = max(found[player], place)
    best = champion(history)
    if best is not None:
        found[best] = 2 * max(now.node.place[0] for now in nodes) + 2
    return found


def round_name(tournament: Tournament, pairing: Pairing) -> str:
    """Names a pairing's round in the knockout tree, such as `Semi-final`, or else `round 3`; empty in an arena."""
    if tournament.has_parts and stage_of(tournament, pairing) is not None:
        part = part_of(tournament, pairing)
        name = round_name(part.state, part.own(pairing))
        return f"group {part.group}, {name}" if part.group else name
    if tournament.plan.format is Format.ARENA:
        return ""
    return round_names(tournament).get((pairing.round, pairing.board)) or f"round {pairing.round}"


def match_title(tournament: Tournament, match: int) -> tuple[str, str]:
    """Names a match by its tournament and its node in the knockout's tree: `Semi-final, game 2, best of 3`."""
    plan, pairing = tournament.plan, next((one for one in tournament.pairings if one.match == match), None)
    if pairing is None:
        return plan.name, ""
    if stage_of(tournament, pairing) is not None:
        plan = part_of(tournament, pairing).state.plan
    game = f", game {pairing.game}, best of {plan.games}" if plan.is_bracket and plan.games > 1 else ""
    return plan.name, f"{round_name(tournament, pairing)}{game}"
