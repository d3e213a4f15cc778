"""Names that look like others: who may come in beside whom, and what a start does about those that are there."""

import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import evolve
from structlog.testing import capture_logs
from trio.testing import MockClock

from games.connect_four_3d import GAME as CONNECT_FOUR_3D
from gameserver.authentication.lookalikes import Lookalikes
from gameserver.core.messages.events import Accepted, Rejected
from gameserver.core.messages.rejections import Code
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from tests.clients.connect_four import ConnectFourClient, Message
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness
from tests.support.rosters import roster_on
from tests.support.serving import serving

INVISIBLE = ("\ufe0f", "\u3164", "\u2800", "\u034f", "\u17b5", "\u180b", "\U000e0100", "\u115f")
CYRILLIC = "z\u043e\u0435"
FULL_WIDTH, MATHEMATICAL = "\uff5a\uff4f\uff45", "\U0001d433\U0001d428\U0001d41e"
CAPITALS_OF_THREE_ALPHABETS = "\u2124\u041e\u0395"
LOOK_LIKE_ZOE = (CYRILLIC, FULL_WIDTH, MATHEMATICAL, CAPITALS_OF_THREE_ALPHABETS)
IVAN, NIHONGO, DANA = "\u0418\u0432\u0430\u043d", "\u65e5\u672c\u8a9e \u30dc\u30c3\u30c8", "\u05d3\u05e0\u05d4"
WELCOME = ("Zo\xeb", IVAN, NIHONGO, DANA, "\U0001f600")


class Room:
    """Somebody who speaks in JSON lines."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._client = ConnectFourClient()
        self._heard: list[Message] = []

    async def say(self, action: str, **more: Any) -> None:
        await self._stream.send_all(self._client.say(action, **more))

    async def hear(self) -> Message:
        while not self._heard:
            received = await self._stream.receive_some()
            assert received, "the end"
            self._heard += self._client.receive(bytes(received))
        return self._heard.pop(0)

    async def until(self, event: str) -> Message:
        while (heard := await self.hear())["event"] != event:
            pass
        return heard


def harness_of(*names: str, listed: Collection[str] = ()) -> LobbyHarness:
    """A lobby that judges names, with these players in it."""
    harness = LobbyHarness(catalogue(Countdown()))
    harness.judge = Lookalikes(lambda: listed).judged
    for session, name in enumerate(names, start=1):
        assert harness.enter(session, name) == Accepted()
    return harness


def code_of(answer: Accepted | Rejected) -> Code | None:
    return answer.code if isinstance(answer, Rejected) else None


@pytest.mark.parametrize("character", INVISIBLE, ids=ascii)
def test_invisible_characters_are_refused_by_their_number(character: str) -> None:
    answer = harness_of().enter(9, f"zoe{character}")
    assert isinstance(answer, Rejected)
    assert answer.code is Code.NAME_INVALID
    assert f"U+{ord(character):04X}" in answer.facts["why"]


@pytest.mark.parametrize(
    ("here", "typed", "listed"),
    [
        *((("zoe",), typed, ()) for typed in LOOK_LIKE_ZOE),
        *(((typed,), "zoe", ()) for typed in LOOK_LIKE_ZOE),
        (("Zo\xeb",), "Zoe\u0308", ()),
        (("Zoe\u0308",), "Zo\xeb", ()),
        *(((), typed, ()) for typed in ("h\u043euse-random", "house\u2010x", "\uff4d\uff4d-1", "g\u0445-1")),
        *(((), typed, ()) for typed in ("N\u043e player1 yet", "serv\u0435r")),
        (("Bot", "bot", "b0t", "bat1", "batl"), "bot", ()),
        ((), CYRILLIC, ("zoe",)),
        ((), "zoe", (CYRILLIC,)),
    ],
    ids=ascii,
)
def test_look_alikes_are_duplicates(here: tuple[str, ...], typed: str, listed: tuple[str, ...]) -> None:
    """Of players, of the server's own names, and of names of the roster that are not here."""
    assert code_of(harness_of(*here, listed=listed).enter(9, typed)) is Code.NAME_TAKEN


@pytest.mark.parametrize(
    ("names", "listed"),
    [
        *((("zoe", f"{typed}\u03b1\u03b2"), ()) for typed in LOOK_LIKE_ZOE),
        (WELCOME, ()),
        (("zoe", CYRILLIC, "ann\ufe0f"), ("zoe", CYRILLIC, "ann\ufe0f")),
    ],
    ids=ascii,
)
def test_others_are_welcome_and_stay_as_typed(names: tuple[str, ...], listed: tuple[str, ...]) -> None:
    """Other alphabets are, and who is on the roster may come in under the name that stands there."""
    assert tuple(harness_of(*names, listed=listed).lobby.players) == names


def test_absent_players_seat_reserves_the_name_and_its_lookalikes() -> None:
    harness = LobbyHarness(catalogue(Countdown()))
    harness.rules = evolve(harness.rules, drop_grace_ms=60_000)
    harness.start()
    harness.enter(1, "zoe\ufe0f")  # came in before names were judged
    harness.enter(2, "bob")
    harness.seek(1, "Countdown")
    harness.seek(2, "Countdown")
    harness.leave(1)
    harness.judge = Lookalikes(tuple).judged
    assert code_of(harness.enter(3, CYRILLIC)) is Code.NAME_TAKEN
    assert harness.enter(4, "zoe\ufe0f") == Accepted()


def test_a_start_warns_of_doubtful_names_and_refuses_none() -> None:
    lookalikes = Lookalikes(lambda: ("zoe", "bob", "Bob", CYRILLIC))
    with capture_logs() as logs:
        lookalikes.warn(harness_of("dan").lobby, ["ann\ufe0f", "Zo\xeb", "ann\ufe0f"])
    warned = [entry for entry in logs if entry["log_level"] == "warning"]
    assert [(entry["name"], entry["why"]) for entry in warned] == [
        (CYRILLIC, "it looks like 'zoe'"),
        ("ann\ufe0f", "a name must not contain invisible characters such as U+FE0F"),
    ]


def test_an_ascii_lobby_imports_no_tables() -> None:
    """They take 80 ms, which the start of a server is not to wait for."""
    code = (
        "import sys, gameserver.cli.serve\n"
        "from gameserver.core.messages.commands import Enter\n"
        "from gameserver.core.state.lobby import Lobby\n"
        "from gameserver.authentication.lookalikes import Lookalikes\n"
        "likeness = Lookalikes(lambda: ('ann', 'bob'))\n"
        "likeness.warn(Lobby({}), ['cyd'])\n"
        "likeness.judged(Lobby({}), Enter(1, 'dan', 'strategic', '::1'))\n"
        "sys.exit('disarm' in sys.modules or 'precis_i18n' in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


async def test_connect_four_calls_a_look_alike_a_duplicate(autojump_clock: MockClock, tmp_path: Path) -> None:
    """Its own names are ASCII; those that they look like need not be."""
    games = catalogue(CONNECT_FOUR_3D)
    async with serving(protocol=CONNECT_FOUR, games=games, roster=roster_on(tmp_path, {CYRILLIC: "apple"})) as running:
        room = Room((await running.connect()).stream)
        await room.say("connect", name="zoe")
        assert "somebody called zoe is here already, choose another name" in (await room.hear())["message"]
