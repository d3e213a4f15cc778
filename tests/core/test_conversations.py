"""Every conversation with the lobby goes exactly as written. `tests.core.conversing` tells the form of the files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.conversing import Conversation, conversations

HERE = Path(__file__).parent


def cases() -> Iterator[object]:
    for path in sorted(HERE.rglob("*.txt")):
        for conversation in conversations(path.read_text("utf-8")):
            yield pytest.param(conversation, id=f"{path.relative_to(HERE).with_suffix('')}: {conversation.title}")


@pytest.mark.parametrize("conversation", list(cases()))
def test_it_goes_as_written(conversation: Conversation) -> None:
    conversation.perform()
