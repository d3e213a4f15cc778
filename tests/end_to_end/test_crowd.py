"""A crowd: two hundred players and hundreds of matches, while others misbehave beside them."""

import random
from contextlib import suppress
from functools import partial

import trio

from tests.end_to_end.bots import StrictBot, check_records, converse, tell, together
from tests.end_to_end.support import LOCAL

PLAYERS = 200
MATCHES = 400
REVERSI_PLAYERS = 20
"""Their matches take ten times as many moves, so a tenth of the crowd is enough."""

TOGETHER_S = 60.0
JUNK_CONNECTIONS = 50
ADDRESS_MAX = 300
FLOOD = 150
REFUSAL = f"ERR There are {ADDRESS_MAX} connections from {LOCAL} already (connections_per_address_max)"


class Crowd:
    """Bots that play until there were enough matches."""

    def __init__(self):
        self.all_here = trio.Event()
        self.enough = trio.Event()
        self._here = set()
        games = ["Reversi"] * REVERSI_PLAYERS + ["Tic-tac-toe"] * (PLAYERS - REVERSI_PLAYERS)
        self.bots = [
            StrictBot(f"player {number}", game, partial(self._wants_more, number), random.Random(number))
            for number, game in enumerate(games)
        ]

    def _wants_more(self, number):
        self._here.add(number)
        if len(self._here) == PLAYERS:
            self.all_here.set()
        if sum(len(bot.matches) for bot in self.bots) >= 2 * MATCHES:
            self.enough.set()
        return not self.enough.is_set()

    async def play(self, port):
        """All bots, to the end of every match."""
        async with together(TOGETHER_S) as nursery:
            for bot in self.bots:
                nursery.start_soon(converse, bot, port)
            await self.enough.wait()
            for bot in self.bots:
                await tell(bot, bot.retire())

    def check(self, server):
        """Everybody got to the end, and both sides of every match tell the same story, which is on record."""
        assert all(bot.is_done for bot in self.bots)
        recorded = server.matches()
        assert len(recorded) >= MATCHES
        check_records(self.bots, recorded)
        assert all(match.result for bot in self.bots for match in bot.matches)
        assert all(bot.matches for bot in self.bots)


def junk(chance):
    """Bytes at random, now all of them, now those that look like text, with and without line ends."""
    kind = chance.randrange(4)
    if kind == 0:
        return chance.randbytes(chance.randint(1, 3000))
    if kind == 1:
        return bytes(chance.choices(b"\xff\xfa\xf0\xfb\xfd\r\n\0 lm", k=chance.randint(1, 300)))
    words = [
        *["login", "move", "challenge", "msg", "help", "get", "99999999999999", "é", "ÿ", "{", '"'],
        "\0",
        " ",
        "\n",
    ]
    return "".join(chance.choices(words, k=chance.randint(1, 200))).encode() + chance.choice([b"", b"\n", b"\r"])


class Junk:
    """Connections that talk nonsense, one after the other, as soon as the server has had enough of one."""

    def __init__(self, port):
        self.port = port
        self.bytes_sent = 0

    async def talk(self, seed):
        chance = random.Random(seed)
        while True:
            with trio.socket.socket() as sock, suppress(ConnectionError):
                await sock.connect((LOCAL, self.port))
                for _ in range(chance.randint(1, 20)):
                    self.bytes_sent += await sock.send(junk(chance))
                    with trio.move_on_after(chance.uniform(0, 0.5)):
                        if not await sock.recv(65_536):
                            break


async def flood(port, heard):
    """Many connections at once, which say nothing and stay as long as they may; what each of them is told."""

    async def connect():
        with trio.socket.socket() as sock:
            await sock.connect((LOCAL, port))
            number = len(heard)
            heard.append("")
            while said := await sock.recv(4096):
                heard[number] += said.decode()
            await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        for _ in range(FLOOD):
            nursery.start_soon(connect)


async def test_hundreds_of_matches_beside_junk_and_a_flood(serve):
    server = serve(
        match={"first_move_pause_ms": 0},
        limits={"connections_per_address_max": ADDRESS_MAX, "line_bytes_max": 2048},
    )
    crowd, junk_talk = Crowd(), Junk(server.port)
    told: list[str] = []
    async with together(TOGETHER_S) as nursery:

        async def misbehave():
            await crowd.all_here.wait()
            async with trio.open_nursery() as around:
                for seed in range(JUNK_CONNECTIONS):
                    around.start_soon(junk_talk.talk, seed)
                around.start_soon(flood, server.port, told)

        nursery.start_soon(misbehave)
        await crowd.play(server.port)
        nursery.cancel_scope.cancel()
    assert server.stop() == 0
    crowd.check(server)
    assert junk_talk.bytes_sent > 100_000
    assert len(told) == FLOOD
    gave_way = [text for text in told if REFUSAL in text]
    assert len(gave_way) >= PLAYERS + FLOOD - ADDRESS_MAX
    assert all(text.startswith("Game Server") for text in told), "all were let in, as newcomers"
    assert server.log.wait_for("give way", "connections_per_address_max")
