"""The secret is in the journal, and nowhere else before the end: whatever anybody is shown is searched."""

import json
from typing import Any

import pytest
import trio
from attrs import define, field
from structlog.testing import capture_logs
from trio.testing import MockClock

from games.mastermind import GAME as MASTERMIND
from games.mastermind import write_code
from gameserver.core.commands import HOUSE_SESSION
from gameserver.core.events import EndReason, GameEnded
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.policies import Rules
from gameserver.server.server import Server
from protocols.mastermind import PROTOCOL
from protocols.strategic import PROTOCOL as STRATEGIC
from tests.support.games import catalogue
from tests.support.lobbies import LobbyHarness
from tests.support.serving import serving

SIZE = {"code_length": 8, "value_count": 10, "max_turns": 12}
"""Eight digits do not turn up by chance."""

DRAWN = {**SIZE, "secret_is_drawn": True}

NEW_GAME = '0|{"NbrColors":10,"MaxTries":12,"CodeLength":8}'

GUESSES = ("00000000", "01234567", "98765432")

SECRET = "31415926"


def forms(secret: str) -> list[str]:
    """Spellings of a code: as digits, with anything between them, or as the dice that were thrown for it."""
    dice = [str(int(digit) + 1) for digit in secret]
    return [gap.join(parts) for parts in (list(secret), dice) for gap in ("", "-", ",", ", ", " ")]


def tells(text: str, secret: str) -> bool:
    return any(form in text for form in forms(secret))


def test_search_finds_planted_secrets() -> None:
    for text in ("31415926", "[3, 1, 4, 1, 5, 9, 2, 6]", "Code(3,1,4,1,5,9,2,6)", "4 2 5 2 6 10 3 7"):
        assert tells(text, SECRET)
    assert not tells("13415926", SECRET)


@define
class Searched:
    """A lobby in which every event is looked at before it is thrown away."""

    harness: LobbyHarness
    allowed: set[int] = field(factory=lambda: {HOUSE_SESSION})
    """The sessions that may know the secret: the maker's own, which is the house."""

    @property
    def state(self) -> Any:
        """The position of the match that is on."""
        (match,) = self.harness.lobby.matches.values()
        return match.state

    @property
    def secret(self) -> str:
        return write_code(self.state.table.secret_code)

    def look(self) -> None:
        """Nobody has been told, and no view or board shows it."""
        for session, events in self.harness.heard.items():
            assert session in self.allowed or not tells(repr(events), self.secret), events
        self.harness.heard.clear()
        state = self.state
        for viewer in (1, None):
            shown = json.dumps(state.view(viewer)) + state.board(viewer) + state.reaction(viewer)
            shown += "".join(state.prompt(seat) for seat in state.turn.seats)
            assert not tells(shown, self.secret), shown


@pytest.fixture
def searched() -> Searched:
    return Searched(LobbyHarness(catalogue(MASTERMIND), Rules(first_move_pause_ms=0, drop_grace_ms=60_000)))


def test_practice_match_is_secret_until_its_end(searched: Searched) -> None:
    harness = searched.harness
    harness.enter_anonymously(1)
    harness.practise(1, "Mastermind", **DRAWN)
    secret = searched.secret
    searched.look()
    for move in (*GUESSES, "x", "1"):
        harness.play(1, move)
        searched.look()
    harness.practise(1, "Mastermind", **DRAWN)
    assert not tells(repr(harness.hear(1)), secret), "nor where it is abandoned"
    searched.look()
    secret = searched.secret
    harness.resign(1)
    ended = harness.hear(1)[0]
    assert isinstance(ended, GameEnded)
    assert (ended.result.reason, ended.result.revealed) == (EndReason.RESIGNED, secret)


def test_breaker_never_sees_the_makers_code_even_after_returning(searched: Searched) -> None:
    harness = searched.harness
    harness.enter(1, "ann")
    harness.enter(2, "bob")
    harness.seek(1, "Mastermind")
    harness.seek(2, "Mastermind")
    match = harness.match()
    maker, breaker = (1, 2) if match.players[0] == "ann" else (2, 1)
    harness.play(maker, "3141")
    harness.heard.clear()
    for guess in ("0000", "0123"):
        harness.play(breaker, guess)
        assert not tells(repr(harness.heard[breaker]), "3141")
    harness.leave(breaker)
    harness.enter(3, match.players[1])
    shown = repr(harness.hear(3))
    assert "text='?'" in shown
    assert not tells(shown, "3141")
    harness.leave(maker)
    harness.enter(4, match.players[0])
    assert "text='3141'" in repr(harness.hear(4)), "the maker may know it"


async def test_no_log_line_and_no_answer_has_it(autojump_clock: MockClock) -> None:
    journal = MemoryJournal()
    with capture_logs() as logs:
        async with serving(protocol=PROTOCOL, games=catalogue(MASTERMIND), journal=journal) as running:
            client = await running.connect()
            secrets, heard = [], b""
            for line in (NEW_GAME, *(f'1|{{"Guess":{[*map(int, guess)]}}}' for guess in GUESSES), "hello", NEW_GAME):
                await client.stream.send_all(f"{line}\n".encode())
                heard += await receive_line(client.stream)
                secrets.append(secret_of(running.server))
            seed = journal_seed(journal)
            await client.stream.aclose()
            await trio.testing.wait_all_tasks_blocked()
        async with serving(protocol=STRATEGIC, games=catalogue(MASTERMIND), journal=journal) as running:
            ann = await running.connect()
            await ann.login("ann")
            await ann.send("get playerlist", "help mastermind")
            heard += "".join(await ann.lines(4)).encode()
    assert len(set(secrets)) == 2
    assert {entry.get("player") for entry in logs if entry["event"] == "player entered"} == {"mm-1-1", "ann"}
    for secret in set(secrets):
        assert not tells(heard.decode(), secret)
        assert not [entry for entry in logs if tells(repr(entry), secret)]
    assert not [entry for entry in logs if seed in repr(entry)]
    kept = [record for record in journal.read_records() if record.reason == EndReason.ABANDONED]
    assert len(kept) == 2
    for record, secret in zip(kept, dict.fromkeys(secrets), strict=True):
        drawn = " ".join(move.move for move in record.moves)
        assert tells(drawn, secret), "the records have it, for whoever wants to check"


def test_no_repr_that_could_come_into_a_log_has_the_seed() -> None:
    harness = LobbyHarness(catalogue(MASTERMIND))
    assert "5eed5eed" not in repr(harness.lobby.server)


def secret_of(server: Server) -> str:
    (match,) = server._replayed.lobby.matches.values()
    return write_code(match.state.table.secret_code)


def journal_seed(journal: MemoryJournal) -> str:
    started: Any = json.loads(next(row.body for row in journal.read_from(1) if row.tag == "server-started"))
    seed: str = started["seed"]
    assert len(seed) == 64
    return seed


async def receive_line(stream: trio.SocketStream) -> bytes:
    data = b""
    while not data.endswith(b"\n"):
        data += await stream.receive_some()
    return data
