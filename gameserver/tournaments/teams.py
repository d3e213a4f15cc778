"""Teams of a tournament: who is kept apart by a draw, and team standings.

Nobody meets a player of the same team before they must. Where pairings follow the results (Swiss, arena), a pair of
team mates counts nearly as a rematch; there the planners ask `Tournament.team_of`. Where a draw fixes them, players
change places with others of about their strength: in groups with those of the same place, in a bracket with seeds of
the same band (3 and 4, 5 to 8, 9 to 16), as tennis draws players of one nation. A round robin keeps its order:
everybody meets everybody, and the Berger table gives both seats alike only as it stands.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

from gameserver.tournaments.knockout import seed_order
from gameserver.tournaments.plan import BRACKET_FORMATS, Plan, Stage
from gameserver.tournaments.stages import grouped

_PASSES_MAX = 8
_MEETINGS_MAX = 250_000
"""Meetings that are looked at in all passes, as the lobby waits meanwhile: 0.1 s for 200 players in teams of 16."""
_PAIRS_MAX = 64
"""Pairs of seeds up to which two changes at once are tried, too. A bracket of 16 has 35 of them."""


def drawn_apart(names: Sequence[str], teams: Mapping[str, str], plan: Plan) -> tuple[str, ...]:
    """The players of a draw by their new numbers, with team mates kept apart where the draw fixes who meets whom."""
    if plan.stages or plan.is_bracket:
        return apart(names, (teams,), plan.stages[0] if plan.stages else Stage(plan.format))
    return tuple(names)


def apart(
    names: Sequence[str], kinds: Sequence[Mapping[str, object]], stage: Stage, tiers: Sequence[object] = ()
) -> tuple[str, ...]:
    """The players of a draw by their new seeds, such that those of one kind meet as late as they can.

    `kinds` have the team of each player who has one, or the group of the stage before. Only players of one tier change
    places; by default tiers are bands of seeds of a bracket, or the places in groups.
    """
    seeds = range(len(names))
    if stage.format in BRACKET_FORMATS:
        order = seed_order(1 << max(len(names) - 1, 1).bit_length())
        places = {seed - 1: place for place, seed in enumerate(order)}
        rounds, usual = len(order).bit_length() - 1, [seed.bit_length() for seed in seeds]
    elif stage.group_size:
        groups = grouped([str(seed) for seed in seeds], stage)
        places = {int(seed): place for place, names_there in enumerate(groups) for seed in names_there}
        rounds, usual = 1, [seed // len(groups) for seed in seeds]
    else:
        return tuple(names)
    return _Places(names, kinds, [places[seed] for seed in seeds], rounds).changed(tiers or usual)


class _Places:
    """The places of players in a draw, who change them two by two while that makes early meetings fewer.

    A place is the line of a bracket, or the number of a group. Two players meet in the round whose number is that of
    the highest bit in which their places differ, and in round 0 in one group. From `rounds` on no meeting is early.
    """

    def __init__(
        self, names: Sequence[str], kinds: Sequence[Mapping[str, object]], places: Sequence[int], rounds: int
    ) -> None:
        self._names = list(names)
        self._place = dict(zip(names, places, strict=True))
        self._mates: dict[str, list[str]] = {name: [] for name in names}
        for kind in kinds:
            for one, other in combinations([name for name in names if name in kind], 2):
                if kind[one] == kind[other]:
                    self._mates[one].append(other)
                    self._mates[other].append(one)
        self._mates_max = max(map(len, self._mates.values()), default=0)
        # One meeting in a round outweighs all those in later ones that two changes can bring.
        costs = [(8 * self._mates_max + 1) ** (rounds - number) for number in range(rounds)]
        bits = (step.bit_length() for step in range(1 << max(places, default=0).bit_length()))
        self._costs = [costs[number] if number < rounds else 0 for number in bits]

    def changed(self, tiers: Sequence[object]) -> tuple[str, ...]:
        """The names by seed, after the changes of places within a tier; in a small field also two at once."""
        by_tier: dict[object, list[int]] = {}
        for seed, tier in enumerate(tiers):
            by_tier.setdefault(tier, []).append(seed)
        pairs = [pair for seeds in by_tier.values() for pair in combinations(seeds, 2)]
        work = len(pairs) * self._mates_max
        for _ in range(max(1, min(_PASSES_MAX, _MEETINGS_MAX // work)) if work else 0):
            if not self._pass(pairs) and not (len(pairs) <= _PAIRS_MAX and self._pass_by_two(pairs)):
                break
        return tuple(self._names)

    def _pass(self, pairs: Sequence[tuple[int, int]]) -> bool:
        """Make every change that is worth it; False if none is."""
        is_better = False
        for pair in pairs:
            if self._gain(*pair) > 0:
                self._change(*pair)
                is_better = True
        return is_better

    def _pass_by_two(self, pairs: Sequence[tuple[int, int]]) -> bool:
        """Make two changes that are worth it only together; False if there are none."""
        for first in pairs:
            gain = self._gain(*first)
            self._change(*first)
            second = next((pair for pair in pairs if gain + self._gain(*pair) > 0), first)
            self._change(*second)
            if second is not first:
                return True
        return False

    def _gain(self, one: int, other: int) -> int:
        """The cost of early meetings that a change of two players' places saves."""
        place, costs, gain = self._place, self._costs, 0
        for name, rival in ((self._names[one], self._names[other]), (self._names[other], self._names[one])):
            here, there = place[name], place[rival]
            for mate in self._mates[name]:
                if mate != rival:
                    gain += costs[here ^ place[mate]] - costs[there ^ place[mate]]
        return gain

    def _change(self, one: int, other: int) -> None:
        first, second = self._names[one], self._names[other]
        self._names[one], self._names[other] = second, first
        self._place[first], self._place[second] = self._place[second], self._place[first]
