"""Who gets a seat of GammonX: the installed server, and clients that come from elsewhere or whose network goes."""

import json
import socket
import struct
import time
import urllib.request
from contextlib import ExitStack

import pytest
from websockets.sync.client import connect

from tests.end_to_end.support import LOCAL
from tests.support.elsewhere import elsewhere
from tests.support.silence import lose_network, needs_linux

LISTEN = (f"strategic={LOCAL}:0", f"http={LOCAL}:0")
ELSEWHERE = "127.0.0.2"
ANN = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
BOB = "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6"
SEPARATOR = "\x1e"
HEAR_S = 10.0


class BlockingHubClient:
    """A connection to the hub, of a client that answers pings."""

    def __init__(self, to_close, port, player, match_id, address=LOCAL, token=""):
        self.player, self.match_id = player, match_id
        url = f"ws://{LOCAL}:{port}/matchhub" + (f"?access_token={token}" if token else "")
        connection = connect(url, source_address=(address, 0), ping_interval=None, close_timeout=0.1)
        self.socket = to_close.enter_context(connection)
        self.calls = 0
        self.socket.send('{"protocol":"json","version":1}' + SEPARATOR)
        self._records = []
        assert self._record() == {}

    def invoke(self, method, *arguments):
        """Invoke a method; the names and payloads of what is heard until it is done."""
        self.calls += 1
        call = {"type": 1, "invocationId": str(self.calls), "target": method, "arguments": [self.match_id, *arguments]}
        self.socket.send(json.dumps(call) + SEPARATOR)
        return self.hear_until(lambda record: record.get("invocationId") == str(self.calls))

    def hear_until(self, is_it):
        heard = []
        while not is_it(record := self._record()):
            if record["type"] == 1:
                heard.append((record["target"], record["arguments"][0]["payload"]))
        return heard

    def lose_network(self):
        """From now on nothing reaches it, and nothing comes of it."""
        lose_network(self.socket.socket)

    def _record(self):
        while not self._records:
            self._records = [each for each in self.socket.recv(timeout=HEAR_S).split(SEPARATOR) if each]
        return json.loads(self._records.pop(0))


@pytest.fixture
def to_close():
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def port(serve, request):
    """The port of a server; a test may name the system that it finds around it."""
    env = elsewhere(request.param) if hasattr(request, "param") else {}
    return serve(listen=LISTEN, env=env).port_of("http")


def post(port, player, modus=0):
    body = {"PlayerId": player, "MatchVariant": 1, "MatchModus": modus, "MatchType": 2}
    request = urllib.request.Request(
        f"http://{LOCAL}:{port}/api/matches/join", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=HEAR_S) as response:
        return json.load(response)["payload"]


@pytest.fixture
def join(port, to_close):
    def joined(player, match_id, **more):
        client = BlockingHubClient(to_close, port, player, match_id, **more)
        return client, client.invoke("JoinMatch", player)

    return joined


def names(heard):
    return [name for name, _ in heard]


def started(port, join):
    """Ann and bob, who has to join from the other address to get anywhere, in their first game."""
    first, second = post(port, ANN), post(port, BOB)
    assert first["matchId"] == second["matchId"]
    ann, _ = join(ANN, first["matchId"])
    bob, heard = join(BOB, second["matchId"])
    assert names(heard) == ["match-lobby-found", "match-started"]
    ann.invoke("StartGame")
    bob.invoke("StartGame")
    return ann, bob, first


def test_a_backend_joins_for_a_client_elsewhere(port, join):
    answer = post(port, ANN, modus=2)
    _, heard = join(ANN, answer["matchId"], address=ELSEWHERE)
    assert names(heard) == ["match-lobby-found", "match-started"]


def test_both_of_a_pair_come_from_elsewhere(port, join):
    first = post(port, ANN)
    _, heard = join(ANN, first["matchId"], address=ELSEWHERE)
    assert names(heard) == ["match-lobby-waiting"]
    _, heard = join(BOB, post(port, BOB)["matchId"], address="127.0.0.3")
    assert names(heard) == ["match-lobby-found", "match-started"]
    assert {payload["groupName"] for _, payload in heard} == {f"match_{first['matchId']}"}


@needs_linux
def test_a_client_whose_network_went_comes_back_and_plays_on(port, join):
    ann, _, answer = started(port, join)
    ann.lose_network()
    time.sleep(0.2)
    began = time.monotonic()
    again, heard = join(ANN, answer["matchId"])
    waited_s = time.monotonic() - began
    assert names(heard) == ["match-lobby-found", "game-state"], heard
    assert waited_s < 4
    allowed = heard[-1][1]["allowedCommands"]
    move = "Roll" if "Roll" in allowed else "ResignMatch"
    assert names(again.invoke(move))[0] in {"game-state", "match-ended"}


@pytest.mark.parametrize("port", [pytest.param("macos", id="where the kernel does not tell")], indirect=True)
def test_pong_is_enough(port, join):
    _, _, answer = started(port, join)
    began = time.monotonic()
    _, heard = join(ANN, answer["matchId"])
    assert (names(heard), time.monotonic() - began < 2) == (["error"], True)


def test_a_client_that_is_there_keeps_its_seat(port, join):
    """Its pong ends the wait at once; the token wins all the same."""
    _, _, answer = started(port, join)
    began = time.monotonic()
    _, heard = join(ANN, answer["matchId"])
    assert (names(heard), time.monotonic() - began < 1) == (["error"], True)
    assert "Another connection of this player" in heard[0][1]["message"]
    _, heard = join(ANN, answer["matchId"], token=answer["token"], address=ELSEWHERE)
    assert names(heard) == ["match-lobby-found", "game-state"]


@needs_linux
def test_a_client_that_thinks_keeps_its_seat(port, join, to_close):
    """Its kernel acknowledges the ping, and its only thread is busy."""
    first, second = post(port, ANN), post(port, BOB)
    join(BOB, second["matchId"])
    busy = socket.create_connection((LOCAL, port))
    to_close.callback(busy.close)
    busy.sendall(
        b"GET /matchhub HTTP/1.1\r\nHost: t\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    call = {"type": 1, "invocationId": "1", "target": "JoinMatch", "arguments": [first["matchId"], ANN]}
    for record in ('{"protocol":"json","version":1}', json.dumps(call)):
        data = (record + SEPARATOR).encode()
        length = struct.pack("!B", 0x80 | len(data)) if len(data) < 126 else struct.pack("!BH", 254, len(data))
        busy.sendall(b"\x81" + length + bytes(4) + data)
    busy.settimeout(HEAR_S)
    seen = b""
    while b"match-started" not in seen:
        seen += busy.recv(65_536)
    time.sleep(0.1)  # the kernel's clock is coarse: what came a moment before the ping counts as an answer to it
    began = time.monotonic()
    _, heard = join(ANN, first["matchId"])
    assert names(heard) == ["error"]
    assert 2.5 < time.monotonic() - began < 4
