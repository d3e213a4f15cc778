"""Finds the names on a list that somebody may have meant who typed another one.

Two names are similar if they differ by capitals alone, look alike in other letters (`lookalikes`), or differ by one
letter. A class has few names, and a hall hundreds of players, so the list is indexed: a name of n letters is looked up
n + 1 times, however long the list is.
"""

from collections.abc import Collection, Iterator

from attrs import define, field

from gameserver.authentication.roster import differs_by_one


@define
class SimilarNames:
    """An index of names."""

    names: Collection[str]
    _places: dict[str, int] = field(factory=dict, init=False)
    _by_look: dict[str, list[str]] = field(factory=dict, init=False)
    _by_letters: dict[str, list[str]] = field(factory=dict, init=False)
    """Names, by themselves and by what is left of them without any one letter, case-folded."""

    def __attrs_post_init__(self) -> None:
        for place, name in enumerate(self.names):
            self._places[name] = place
            self._by_look.setdefault(_look(name), []).append(name)
            for key in dict.fromkeys(_with_gaps(name.casefold())):
                self._by_letters.setdefault(key, []).append(name)

    def to(self, typed: str) -> tuple[str, ...]:
        """The names that are similar to this one, in the order of the list; not the name itself."""
        folded = typed.casefold()
        near = dict.fromkeys(name for key in _with_gaps(folded) for name in self._by_letters.get(key, ()))
        found = {name for name in near if _is_near(folded, name.casefold())}
        found.update(self._by_look.get(_look(typed), ()))
        return tuple(sorted(found - {typed}, key=self._places.__getitem__))


def _is_near(typed: str, name: str) -> bool:
    return typed == name or differs_by_one(typed, name)


def _with_gaps(folded: str) -> Iterator[str]:
    yield folded
    yield from (folded[:at] + folded[at + 1 :] for at in range(len(folded)))


def _look(name: str) -> str:
    from gameserver.authentication.unicode_names import skeleton  # noqa: PLC0415 - 80 ms that few servers need

    return skeleton(name).casefold()
