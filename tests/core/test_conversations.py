"""Every conversation with the lobby goes exactly as written. `tests.core.conversing` tells the form of the files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.conversing import Conversation, conversations

HERE = Path(__file__).parent


def cases() -> Iterator[object]:
    for path in sorted(HERE.glob("*.txt")):
        for conversation in conversations(path.read_text("utf-8")):
            yield pytest.param(conversation, id=f"{path.stem}: {conversation.title}")


@pytest.mark.parametrize("conversation", list(cases()))
def test_it_goes_as_written(conversation: Conversation) -> None:
    conversation.perform()


@pytest.mark.parametrize(
    "line",
    [
        *("ann dances", "ann Seek Chess", "ann Seek Chess -> NOT_ENTERED", "ann Play 1 -> STALE", "nothing is written"),
        *("ann Seek Chess -> UNKNOWN_GAME game=Go", "ann Seek Chess -> UNKNOWN_GAME game~Go", "TimeUp"),
        *("ann hears nothing", "ann hears MatchOpened", "ann hears MatchOpened, TurnStarted turn=1"),
        *("ann hears also MatchEnded", "ann hears also TurnStarted, MatchOpened", "bob hears MatchOpened seat=0"),
        *("ann hears no TurnStarted", "ann hears no TurnEnded", "bob hears MatchOpened, TurnStarted"),
        *("match.players is [bob, ann]", "match.ann.session is 2", "matches is []"),
        *("match.clock.deadline_ms is now+9999", "match.colour is red", "match.players has cyd", "terms lateness=1"),
    ],
)
def test_a_wrong_line_fails(line: str) -> None:
    right = ["@games Countdown", "ann Enter", "bob Enter", "ann Seek Countdown", "bob Seek Countdown"]
    Conversation("right", right).perform()
    with pytest.raises((AssertionError, AttributeError, StopIteration)):
        Conversation("wrong", [*right, line]).perform()
