"""The connection to the database ends at any word that a server says on it: it goes on, and stops in good order.

A start has some forty words, on four connections: about the tables, the journal, the lead, the roster, the ratings and
the halls.
"""

import socket
from contextlib import closing

import pytest

from tests.end_to_end.support import eventually
from tests.support.cable import Cable
from tests.support.postgresql import Cluster

WORDS = 70
"""The words of a start, and of some heartbeats after it."""
SOON = (35, 36, 44)
"""The ratings, the last match and the list of halls: each of them once ended a server."""


class BreakingCable(Cable):
    """Ends one connection, once: when the server says its n-th word, before or after that has passed."""

    def __init__(self, port: int, number: int, *, passes: bool) -> None:
        super().__init__(port)
        self._number = number
        self._passes = passes
        self.words = 0

    def _forward(self, one: socket.socket, other: socket.socket) -> None:
        is_of_the_server = one.getsockname()[1] == self.port
        self.words += is_of_the_server
        if not is_of_the_server or self.words != self._number:
            super()._forward(one, other)
            return
        if self._passes:
            super()._forward(one, other)
        self._close(one)
        self._close(other)


ALL = [
    pytest.param(
        number,
        passes,
        id=f"{number}-{'answer lost' if passes else 'lost'}",
        marks=[] if number in SOON and not passes else pytest.mark.slow,
    )
    for number in range(1, WORDS + 1)
    for passes in (False, True)
]


@pytest.mark.parametrize(("number", "passes"), ALL)
def test_server_survives_the_end_of_its_connection(
    new_server, cluster: Cluster, database: str, number: int, passes: bool
) -> None:
    with BreakingCable(cluster.port, number, passes=passes) as cable:
        data = cluster.address(database.rpartition("/")[2], cable.port) + "?sslmode=disable"  # a word is a packet
        with closing(new_server("--data", data, lobby={"roster": "database"})) as server:
            server.start()
            eventually(lambda: cable.words > number, "the connection has ended")
            ann = server.client("ann")
            assert ann.ask("get gamelist") == "OK"
            assert server.stop() == 0
            assert cable.words > number
