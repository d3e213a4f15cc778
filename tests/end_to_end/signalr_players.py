"""The calls that a test had a player of GammonX make, compared with the records."""

from collections.abc import Iterator, Sequence

from attrs import define

OFF = -100
"""The place of a checker that is borne off; the bar is -1."""
POINTS = 24
ACTIONS = ("StartGame", "Roll", "Move", "EndTurn", "AcceptDouble")
"""Methods that are invoked as soon as they are allowed; a double is offered now and then instead of a roll."""


@define(eq=False)
class Asked:
    """Something that a player was let invoke."""

    method: str
    arguments: tuple[int, ...]
    is_done: bool = False
    """True if the server has said so; what a lost connection took with it may be done or not."""

    @property
    def text(self) -> str:
        """The move as records have it, whose points are 24 to 1 for both players."""
        words = {"Roll": "roll", "EndTurn": "end", "UndoMove": "undo", "OfferDouble": "double", "AcceptDouble": "take"}
        if self.method != "Move":
            return words.get(self.method, "")
        source, target = self.arguments
        return f"{'bar' if source == -1 else POINTS - source}/{'off' if target == OFF else POINTS - target}"


def check_moves(player: str, everything_asked: Sequence[Asked], recorded: Sequence[str]) -> None:
    """Every move that was answered is on record, in its order, and none that was not asked; others may be."""
    asked = [asked for asked in everything_asked if asked.text]
    ends = {0}
    """The numbers of asked moves that may have led to the record so far."""
    for number, text in enumerate(recorded):
        ends = {place + 1 for end in ends for place in _next_done(asked, end) if asked[place].text == text}
        assert ends, f"{player}: move {number} on record is {text}, which it was not let play then"
    assert any(not any(each.is_done for each in asked[end:]) for end in ends), f"{player}: an answered move is missing"


def _next_done(asked: Sequence[Asked], begin: int) -> Iterator[int]:
    """The next moves that may have been done: up to the first that has."""
    for place in range(begin, len(asked)):
        yield place
        if asked[place].is_done:
            return
