"""Fewer sequences that tell a client as much.

GammonX clients ask the list of sequences one thing: where can a checker from here go, alone or in a
chain of steps that follow each other directly? The full list answers it thousands of times over (538
sequences for 2 2 at the start, over 4,000 at worst, and 350 KB on the wire), so of all sequences only
those are kept that add an answer. A client gets a new list after each step, thinned in the same way.
"""

from collections.abc import Iterable

from games.backgammon.search import Hop, Sequence


def destinations(sequences: Iterable[Sequence]) -> set[Hop]:
    """All `(from, to)` that the document's `GetLegalToPositions` gives, for every `from`."""
    return set().union(*map(_answers, sequences))


def thinned(sequences: Iterable[Sequence]) -> list[Sequence]:
    """The sequences, in their order, without those that add no answer to the ones before."""
    known: set[Hop] = set()
    kept = []
    for sequence in sequences:
        answers = _answers(sequence)
        if not answers <= known:
            known |= answers
            kept.append(sequence)
    return kept


def _answers(sequence: Sequence) -> set[Hop]:
    """Each step, and each run of steps of which one begins where the one before ended."""
    answers: set[Hop] = set()
    for first, (source, target, _) in enumerate(sequence):
        answers.add((source, target))
        reached = target
        for start, following, _ in sequence[first + 1 :]:
            if start != reached:
                break
            reached = following
            answers.add((source, reached))
    return answers
