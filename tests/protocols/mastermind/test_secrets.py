"""The secret is in the journal, and nowhere else before the end: whatever anybody is shown is searched."""

import json
from typing import Any

import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from games.mastermind import GAME as MASTERMIND
from games.mastermind import write_code
from gameserver.core.events import EndReason
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.server.server import Server
from protocols.mastermind import PROTOCOL
from protocols.strategic import PROTOCOL as STRATEGIC
from tests.support.games import catalogue
from tests.support.lobbies import LobbyHarness
from tests.support.serving import serving

NEW_GAME = '0|{"NbrColors":10,"MaxTries":12,"CodeLength":8}'

GUESSES = ("00000000", "01234567", "98765432")


def forms(secret: str) -> list[str]:
    """Spellings of a code: as digits, with anything between them, or as the dice that were thrown for it."""
    dice = [str(int(digit) + 1) for digit in secret]
    return [gap.join(parts) for parts in (list(secret), dice) for gap in ("", "-", ",", ", ", " ")]


def tells(text: str, secret: str) -> bool:
    return any(form in text for form in forms(secret))


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
