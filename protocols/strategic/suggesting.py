"""The word that a player may have meant."""

import difflib
from collections.abc import Iterable, Mapping

LENGTH_MAX = 40
"""A longer word is no slip of the hand, and comparing it would take long."""
LIKENESS_MIN = 0.75


def closest(word: str, candidates: Iterable[str] | Mapping[str, str]) -> str | None:
    """The candidate that is nearest to a word, if one is near; of a mapping, what the nearest key stands for.

    Only letters and digits count, in any case: `TicTacToe` is `Tic-tac-toe`.
    """
    if len(word) > LENGTH_MAX:
        return None
    pairs = candidates.items() if isinstance(candidates, Mapping) else ((each, each) for each in candidates)
    meant = {_plain(written): stands_for for written, stands_for in pairs}
    found = difflib.get_close_matches(_plain(word), meant, n=1, cutoff=LIKENESS_MIN)
    return meant[found[0]] if found else None


def suggested(text: str, meant: str | None) -> str:
    """A complaint, with what may have been meant."""
    return f"{text}, did you mean '{meant}'?" if meant else text


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
