"""A client whose network went logs in again under its name: what a real kernel tells of its connection.

`tests/transport/test_liveness.py` injects the kernel's facts, and tests who waits for whom and until when.
"""

import time

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.support import NEIGHBOUR
from tests.support.silence import lose_network, needs_linux


def answer(client):
    """The answer to what was sent, and how many seconds it took from now."""
    began_s = time.monotonic()
    return client.next(), time.monotonic() - began_s


@needs_linux
def test_silent_connections_give_way_and_live_ones_stay(serve):
    server = serve(match={"drop_grace_s": 30, "first_move_pause_ms": 0})
    clients = {name: server.client(name) for name in ("ann", "bob", "cyd")}
    first, second = begin(clients["ann"], clients["bob"])
    play(first, second, 4, 0)
    name, other_name = ("ann", "bob") if clients["ann"] is first else ("bob", "ann")
    for silent in (first, clients["cyd"]):
        lose_network(silent.socket)
    time.sleep(0.2)
    stranger = server.client(source=NEIGHBOUR)
    stranger.send("login cyd")
    said, took_s = answer(stranger)
    assert (said, took_s < 0.5) == ("ERR Duplicate name exists", True)
    again, cyd, late = (server.client() for _ in range(3))
    again.send(f"login {name}", "get gamelist")
    cyd.send("login cyd")
    late.send(f"login {other_name}")
    began_s = time.monotonic()
    said, took_s = answer(late)
    assert (said, took_s < 1.5) == ("ERR Duplicate name exists", True), "the kernel of a live peer answers a probe"
    assert again.next() == "OK"
    assert 2.5 < time.monotonic() - began_s < 4
    again.expect("SVR GAME MATCH ", "SVR GAME MOVE ", "SVR GAME MOVE ", "SVR GAME YOURTURN ", "OK", "SVR GAMELIST ")
    assert cyd.next() == "OK"
    assert time.monotonic() - began_s < 4
    play(again, second, 1, 2)
