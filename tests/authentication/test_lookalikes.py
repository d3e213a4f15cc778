"""Names that look like others: who may come in beside whom, and what a start does about those that are there."""

import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest
from attrs import evolve
from structlog.testing import capture_logs
from trio.testing import MockClock

from games.connect_four_3d import GAME as CONNECT_FOUR_3D
from gameserver.authentication.names import Lookalikes
from gameserver.core.events import Accepted, Code, Rejected
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from tests.clients.connect_four import ConnectFourClient
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness
from tests.support.rosters import roster_on
from tests.support.serving import serving
from tests.support.tables import lines, table

CYRILLIC = "z\u043e\u0435"


def harness_of(*names: str, listed: Collection[str] = ()) -> LobbyHarness:
    """A lobby that judges names, with these players in it."""
    harness = LobbyHarness(catalogue(Countdown()))
    harness.judge = Lookalikes(lambda: listed).judged
    for session, name in enumerate(names, start=1):
        assert harness.enter(session, name) == Accepted()
    return harness


def code_of(answer: Accepted | Rejected) -> Code | None:
    return answer.code if isinstance(answer, Rejected) else None


@pytest.mark.parametrize("character", lines(__file__, "invisible characters"), ids=ascii)
def test_invisible_characters_are_refused_by_their_number(character: str) -> None:
    answer = harness_of().enter(9, f"zoe{character}")
    assert answer.code is Code.NAME_INVALID
    assert f"U+{ord(character):04X}" in answer.facts["why"]


@pytest.mark.parametrize(
    ("here", "listed", "typed"), table(__file__, "who is here, who is listed, and their duplicate"), ids=ascii
)
def test_look_alikes_are_duplicates(here: str, listed: str, typed: str) -> None:
    assert code_of(harness_of(*here.split(), listed=listed.split()).enter(9, typed)) is Code.NAME_TAKEN


@pytest.mark.parametrize(("names", "listed"), table(__file__, "names that go together, and who is listed"), ids=ascii)
def test_others_are_welcome_and_stay_as_typed(names: str, listed: str) -> None:
    together = names.split(", ")
    assert list(harness_of(*together, listed=listed.split(", ")).lobby.players) == together


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
        "from gameserver.core.commands import Enter\n"
        "from gameserver.core.lobby import Lobby\n"
        "from gameserver.authentication.names import Lookalikes\n"
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
        client, stream = ConnectFourClient(), (await running.connect()).stream
        await stream.send_all(client.say("connect", name="zoe"))
        (heard,) = client.receive(bytes(await stream.receive_some()))
        assert "somebody called zoe is here already, choose another name" in heard["message"]
