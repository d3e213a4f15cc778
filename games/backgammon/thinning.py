"""Fewer sequences that tell a client as much.

GammonX clients ask the list of sequences one thing: where can a checker from here go, alone or in a
chain of steps that follow each other directly? The full list answers it thousands of times over (538
sequences for 2 2 at the start, over 4,000 at worst, and 350 KB on the wire), so of all sequences only
those are kept that add an answer to the ones before. A client gets a new list after each step,
thinned in the same way. The full list is never written out for it: the graph of positions is walked,
and a branch all of whose answers are known is left alone.
"""

from collections.abc import Iterable

from games.backgammon.search import Dice, Hop, Search, Sequence, Step

Chain = tuple[int, ...]
"""Where the last step led, and then every place from which an unbroken chain of steps led there."""

_ANSWERS = tuple(tuple(1 << 26 * source + target for target in range(26)) for source in range(26))
"""Each answer, `(from, to)`, as a bit, so that sets of them are integers."""


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
    """Of `search.sequences(own, dice)`, in their order, those that add an answer to the ones before."""
    return _Thinning(search).run(own, dice)


def _longer(chain: Chain, step: Step) -> Chain:
    if chain and chain[0] == step.source:
        return (step.target, *chain[1:], step.source)
    return step.target, step.source


class _Thinning:
    """The walk, and what it knows: the answers given, and those that each branch could give."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._known = 0
        self._below: dict[tuple[int, Dice, Chain], int] = {}
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
            answers = given | _answers(longer)
            if (answers | self._answers_below(after, rest, longer)) & ~self._known:
                self._walk(after, rest, longer, answers, (*before, step))

    def _answers_below(self, own: int, dice: Dice, chain: Chain) -> int:
        """The answers of all that can follow."""
        offers = self._search.steps(own, dice) if dice else []
        if not any(step.source == chain[0] for step, _, _ in offers):
            chain = ()
        key = own, dice, chain
        found = self._below.get(key)
        if found is None:
            found = 0
            for step, after, rest in offers:
                longer = _longer(chain, step)
                found |= _answers(longer) | self._answers_below(after, rest, longer)
            self._below[key] = found
        return found


def _answers(chain: Chain) -> int:
    answers = 0
    for source in chain[1:]:
        answers |= _ANSWERS[source][chain[0]]
    return answers
