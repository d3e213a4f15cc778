"""A match as its spectators see it: what it is now, and the position after any of its steps.

A `Tale` is made of a live match or of a record, and is the same thing for both, so that a page need
not know whether what it shows is still being played.
"""

from bisect import bisect_right
from itertools import accumulate

from attrs import field

from gameserver.public.model import BoardView, MatchView, StepView
from gameserver.public.story import CANNOT_BE_SHOWN, Story
from gameserver.values import frozen


@frozen
class Tale:
    """A match: `stories` are its games so far, and `view` all there is beside the positions."""

    view: MatchView
    stories: tuple[Story, ...] = field(repr=False)
    ends: tuple[int, ...] = field(init=False, repr=False)
    """With which step each game ended, or stands."""

    @ends.default
    def _sums(self) -> tuple[int, ...]:
        return tuple(accumulate(len(story.moves) for story in self.stories))

    @property
    def last_step(self) -> int:
        """The number of the last step; 0 before the first."""
        return self.ends[-1] if self.ends else 0

    def board(self, step: int) -> BoardView:
        """The position after a step, which is of the last game that has begun by then; step 0 is the start."""
        step = max(0, min(step, self.last_step))
        game = min(bisect_right(self.ends, step - 1), len(self.stories) - 1)
        if game < 0:
            return BoardView(CANNOT_BE_SHOWN)
        return self.stories[game].board(step - (self.ends[game - 1] if game else 0))

    @property
    def present(self) -> BoardView:
        """The position now: of a game that has just begun, its start."""
        if not self.stories:
            return BoardView(CANNOT_BE_SHOWN)
        return self.stories[-1].board(len(self.stories[-1].moves))


def steps_of(stories: tuple[Story, ...], *, opened_ms: int, is_over: bool) -> tuple[StepView, ...]:
    """The steps of all games, numbered through. A game that is over hides nothing any more."""
    steps: list[StepView] = []
    for story in stories:
        steps += story.steps(
            first_number=len(steps) + 1, opened_ms=opened_ms, is_over=is_over or story is not stories[-1]
        )
    return tuple(steps)
