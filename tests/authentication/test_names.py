"""Names that look like others: who may come in beside whom; and the roll, which finds whom a name stands for."""

import string
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs
from trio.testing import MockClock

from games.connect_four_3d import GAME as CONNECT_FOUR_3D
from gameserver.authentication.names import Lookalikes, SimilarNames, roll_call
from gameserver.authentication.roster import Roster
from gameserver.core.events import Accepted, Code, Rejected
from gameserver.read_model.views import AdminLobbyView, AdminMatchView, AdminPlayerView, AdminTicketView, RollCall
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from tests.clients.connect_four import ConnectFourClient
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness
from tests.support.rosters import roster_of, roster_on
from tests.support.serving import serving
from tests.support.tables import lines, table

CYRILLIC = "z\u043e\u0435"
GUID = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
CSV = f"name,secret,gammonx_id\nann,apple pie,{GUID}\nbob,,\nZoë van Dijk,,\nal,,\nMarijke,,\n李明,,\n"
EMPTY = AdminLobbyView((), (), (), (), (), ())
LETTERS = st.text("abcdeABC", min_size=1, max_size=6)


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


def here(*names: str) -> AdminLobbyView:
    return evolve(EMPTY, players=tuple(AdminPlayerView(name, "strategic", "10.0.0.1") for name in names))


def called(tmp_path: Path, *names: str) -> RollCall:
    return roll_call(roster_of(tmp_path, CSV), here(*names))


def mistaken(roll: RollCall) -> dict[str, list[str]]:
    return {one.name: [player.name for player in one.mistaken] for one in roll.students if one.mistaken}


def test_every_student_is_here_or_missing(tmp_path: Path) -> None:
    roll = called(tmp_path, "bob", "李明", "gx-1", "cyd")
    assert [one.name for one in roll.students if one.player is None] == ["ann", "Zoë van Dijk", "al", "Marijke"]
    assert [one.name for one in roll.students if one.player is not None] == ["bob", "李明"]
    assert roll.students[0].gammonx_id == GUID
    assert [one.name for one in roll.others] == ["gx-1", "cyd"]
    assert mistaken(roll) == {}


@pytest.mark.parametrize(("typed", "meant"), table(__file__, "what is typed, and the student who is meant"))
def test_names_that_are_nearly_a_students(tmp_path: Path, typed: str, meant: str) -> None:
    roll = called(tmp_path, typed)
    assert mistaken(roll) == ({meant: [typed]} if meant else {})
    assert [one.name for one in roll.others] == ([] if meant else [typed])


def test_away_and_expected_students(tmp_path: Path) -> None:
    match = AdminMatchView(7, "Tavla", ("ann", "cyd"), "playing", 3, ("ann",), ("ann",), None, 0)
    lobby = evolve(EMPTY, matches=(match,), tickets=(AdminTicketView("bob", "Tavla", is_here=False, opponent=None),))
    roll = roll_call(roster_of(tmp_path, CSV), lobby)
    assert [one.away_from for one in roll.students[:2]] == [7, None]
    assert [one.is_expected for one in roll.students[:2]] == [False, True]


def test_changed_file_is_called_anew(tmp_path: Path) -> None:
    roster = roster_of(tmp_path, CSV)
    roll_call(roster, here("dam"))
    (tmp_path / "roster.csv").write_text("name,secret\ndan,\n", encoding="utf-8")
    roll = roll_call(roster, here("dam"))
    assert mistaken(roll) == {"dan": ["dam"]}


def test_without_a_roster_there_is_no_roll() -> None:
    assert roll_call(Roster(None, lambda: 0.0), here("ann")) is None


def distance(one: str, other: str) -> int:
    """Letters to change, add, drop, or swap with the next one: the textbook's table (optimal string alignment)."""
    rows = [[max(i, j) if not i or not j else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            is_other = one[i - 1] != other[j - 1]
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + is_other)
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@given(st.lists(LETTERS, unique=True, max_size=20), LETTERS)
def test_index_finds_what_the_distance_says(names: list[str], typed: str) -> None:
    assert set(typed) <= set(string.ascii_letters)
    expected = [
        name
        for name in names
        if name != typed
        and (
            name.casefold() == typed.casefold() or (len(name) >= 3 and distance(name.casefold(), typed.casefold()) == 1)
        )
    ]
    assert list(SimilarNames(names).to(typed)) == expected
