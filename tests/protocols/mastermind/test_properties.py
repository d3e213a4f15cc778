"""One answer to everything, in order."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from gameserver.protocol import Accepted, BrokenInput, Challenge, Enter, Play, Reply, Resign
from tests.support.mastermind_client import (
    GUESS,
    NEW_GAME,
    RETREAT,
    MastermindClient,
    ended,
    line_of,
    moved,
    opened,
    resigned,
    turn,
)

SENT = st.sampled_from(
    [
        *(NEW_GAME.encode(), GUESS.encode(), RETREAT.encode()),
        *(b'1|{"Guess":[5,3,5,5]}', b'1|{"Guess":[0]}', b'0|{"NbrColors":0}', b"4|", b"hello", b"", b"\xff|"),
        b"x" * 70,
    ]
)
ENDS = st.sampled_from([b"\n", b"\r\n"])


class House:
    """A lobby that does what it is asked: it knows matches by their numbers, and the code 5355."""

    def __init__(self, client):
        self.client = client
        self.match = 0
        self.guesses = 0

    def drain(self):
        """Asks and hears until nothing is left."""
        while (item := self.client.adapter.next()) is not None:
            yield item
            if not isinstance(item, Reply):
                yield self.client.hears(*self.events(item), answer=Accepted())

    def events(self, command):
        if isinstance(command, Enter):
            return ()
        if isinstance(command, Challenge):
            self.match += 1
            self.guesses = 0
            return opened(self.match), turn(self.match)
        assert isinstance(command, Play | Resign)
        assert command.match == self.match, "a message is meant for the match that is on when it is read"
        if isinstance(command, Resign):
            return resigned(self.match)
        self.guesses += 1
        if command.move == "5355":
            return moved(command.move, 4, 0, self.match), *ended(match=self.match)
        return moved(command.move, 0, 1, self.match), turn(self.match, self.guesses + 1)


def conversation(chunks):
    client = MastermindClient(line_bytes_max=64)
    house, heard = House(client), []
    try:
        for chunk in chunks:
            client.adapter.receive(chunk, 0)
            heard += house.drain()
        client.adapter.receive_eof()
        heard += house.drain()
    except BrokenInput as broken:
        heard.append(broken.last_words)
    else:
        assert client.adapter.finished
    assert client.adapter.pending_bytes == 0
    return heard


@given(st.lists(st.tuples(SENT.filter(lambda line: len(line) < 64), ENDS), max_size=12))
def test_every_message_has_one_answer_and_they_come_in_order(lines):
    heard = conversation([b"".join(itertools.chain.from_iterable(lines))])
    answers = [item for item in heard if isinstance(item, Reply) or (isinstance(item, list) and item)]
    assert len(answers) == len(lines)
    for item in answers:
        line_of(item.data) if isinstance(item, Reply) else item[0]
