"""Fewer sequences that tell a client as much.

GammonX clients ask the list of sequences one thing: where can a checker from here go, alone or in a
chain of steps that follow each other directly? The full list answers it thousands of times over (538
sequences for 2 2 at the start, over 4,000 at worst, and 350 KB on the wire), so of all sequences only
those are kept that add an answer to the ones before. A client gets a new list after each step,
thinned in the same way. The full list is never written out for it: the graph of positions is walked,
and a branch all of whose answers are known is left alone.
"""

from collections.abc import Iterable, Mapping

from games.backgammon.search import Dice, Hop, Search, Sequence, Step

Chain = tuple[int, ...]
"""The place to which the last step led, then every place from which an unbroken chain of steps led there."""

Ahead = tuple[int, Mapping[int, int]]
"""The continuations of a position: all its answers, and by the place where a chain has come to, the places, as
bits, to which it can go on at once."""

_NOTHING: Ahead = (0, {})

_PLACES = 26
"""Each answer, `(from, to)`, is the bit `_PLACES * from + to`, so that sets of them are integers."""


def destinations(sequences: Iterable[Sequence]) -> set[Hop]:
    """All `(from, to)` that the document's `GetLegalToPositions` gives, for every `from`."""
    answers: set[Hop] = set()
    for sequence in sequences:
        chain: Chain = ()
        for step in sequence:
            chain = _longer(chain, step)
            answers.update((source, step.target) for source in chain[1:])
    return answers


def thinned(search: Search, own: int, dice: Dice) -> list[Sequence]:
    """The sequences of `search.sequences(own, dice)`, in their order, that add an answer to the ones before."""
    return _Thinning(search).run(own, dice)


def _longer(chain: Chain, step: Step) -> Chain:
    if chain and chain[0] == step.source:
        return (step.target, *chain[1:], step.source)
    return step.target, step.source


class _Thinning:
    """The walk through the graph, with the answers given so far and those that each position could give."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._known = 0
        self._ahead: dict[tuple[int, Dice], Ahead] = {}
        self._kept: list[Sequence] = []

    def run(self, own: int, dice: Dice) -> list[Sequence]:
        self._walk(own, dice, (), 0, ())
        return self._kept

    def _walk(self, own: int, dice: Dice, chain: Chain, given: int, before: Sequence) -> None:
        offers = self._search.steps(own, dice) if dice else []
        if not offers and given & ~self._known:
            self._known |= given
            self._kept.append(before)
        for step, after, rest in offers:
            longer = _longer(chain, step)
            answers = given | _spread(longer, 1 << longer[0])
            below, going_on = self._look_ahead(after, rest)
            if (answers | below | _spread(longer, going_on.get(longer[0], 0))) & ~self._known:
                self._walk(after, rest, longer, answers, (*before, step))

    def _look_ahead(self, own: int, dice: Dice) -> Ahead:
        if not dice:
            return _NOTHING
        key = own, dice
        found = self._ahead.get(key)
        if found is None:
            below, going_on = 0, dict[int, int]()
            for (source, target, _), after, rest in self._search.steps(own, dice):
                below_it, going_on_from = self._look_ahead(after, rest)
                reached = 1 << target | going_on_from.get(target, 0)
                below |= below_it | reached << _PLACES * source
                going_on[source] = going_on.get(source, 0) | reached
            found = self._ahead[key] = below, going_on
        return found


def _spread(chain: Chain, reached: int) -> int:
    """The answers that all sources of a chain have in common, from the places that it reaches."""
    answers = 0
    for source in chain[1:]:
        answers |= reached << _PLACES * source
    return answers
