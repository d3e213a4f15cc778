"""Seeds, secrets of matches and keys of draws are told to nobody before their time."""

import hashlib
import socket
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import orjson
import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock, wait_all_tasks_blocked

from games.backgammon import BACKGAMMON, TAVLA
from games.connect_four_3d import GAME as CONNECT_FOUR_3D
from games.mastermind import GAME as MASTERMIND
from gameserver.chance import commitment, match_key
from gameserver.core.commands import NewEpoch
from gameserver.endpoints import HttpEndpoint
from gameserver.exports.fairness import chance_rows
from gameserver.http.listener import HttpProtocol
from gameserver.journal.journal import JournalRow
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.tournament_record import Record
from gameserver.tournaments.presets import preset
from gameserver.web.application import pages
from gameserver.wire_log.files import WireLogSettings
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import GammonXProtocol
from protocols.mastermind import PROTOCOL as OF_MASTERMIND
from protocols.web import PROTOCOL as WEB
from tests.server.test_takeover import ANN, at_hub
from tests.support.games import Dice, catalogue
from tests.support.serving import LineClient, Running, serving
from tests.web.support import create, get

PATHS = (
    *("/", "/matches", "/matches/live", "/tournaments", "/tournaments/1", "/players/ann", "/play", "/metrics"),
    *("/api/v1/lobby", "/api/v1/matches", "/api/v1/tournaments", "/api/v1/tournaments/1", "/api/v1/players/ann"),
    *("/fairness", "/api/v1/fairness"),
    *(f"{path}/{number}" for number in range(1, 6) for path in ("/matches", "/api/v1/matches")),
)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> bytearray:
    """Every byte that is written to a socket of the process."""
    written = bytearray()
    for name in ("send", "sendall"):
        original = getattr(socket.socket, name)

        def spy(self: socket.socket, data: Any, *flags: int, original: Any = original) -> Any:
            written.extend(data)
            return original(self, data, *flags)

        monkeypatch.setattr(socket.socket, name, spy, raising=False)
    return written


def forms(secret: str) -> Iterator[bytes]:
    """The spellings of a secret: in hex, raw, and in both kinds of base64, the last digits of which depend on more."""
    raw = bytes.fromhex(secret)
    yield from (raw, secret.encode(), secret.upper().encode(), b64encode(raw)[:42], urlsafe_b64encode(raw)[:42])


def untold(running: Running) -> dict[str, str]:
    """Everything secret at the moment, by its kind."""
    lobby = running.server._sequencer._lobby
    found = {f"S of epoch {one.number}": one.seed for one in lobby.server[""].epochs}
    found |= {f"S of tournament {row.number}": row.state.seed for row in lobby.tournaments.values() if not row.is_over}
    for match in lobby.matches.values():
        found[f"K of match {match.id}"] = match_key(match.chance.seed, match.chance.key)
        found[f"D of match {match.id}"] = match.chance.draw_key
    return found


def recorded(journal: MemoryJournal) -> bytes:
    """All tables of the records, and not those of the journal."""
    connection = journal._connected()
    tables = [str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    assert {"journal", "snapshot", "match", "epoch", "tournament"} <= set(tables)
    rows = (list(connection.execute(f"SELECT * FROM {name}")) for name in tables if name not in {"journal", "snapshot"})
    return repr(list(rows)).encode()


def logged(directory: Path) -> bytes:
    """All wire logs."""
    return b"".join(file.read_bytes() for file in directory.rglob("*") if file.is_file())


async def tell(client: LineClient, *lines: str) -> None:
    await client.send(*lines)
    await wait_all_tasks_blocked(0.001)


async def play(running: Running) -> None:
    """Begin a match of a tournament, one of two who add to its chance, and one in every other protocol."""
    hubs = [await at_hub(running, player) for player in (ANN, "a" * 8 + ANN[8:])]
    for hub in hubs:
        await hub.until("match-started")
        await hub.invoke("StartGame", hub.match_id)
    text = [await running.connect() for _ in range(4)]
    for one, name in zip(text, ("ann", "bob", "cem", "dot"), strict=True):
        await tell(one, f"login {name}", f"contribute {name.encode().hex()}")
        if name == "bob":
            create(running, preset("hanze", "Cup", "Dice", pause_ms=0))
            await wait_all_tasks_blocked(0.001)
    rooms = [await running.connect(running.ports["connect-four"]) for _ in range(2)]
    for steps in ('{"action":"connect","name":"NAME"}', '{"action":"join","room number":0}', '{"action":"start"}'):
        for one, name in zip(rooms, ("eve", "ian"), strict=True):
            await tell(one, steps.replace("NAME", name))
    await tell(await running.connect(running.ports["mastermind"]), '0|{"NbrColors":6,"MaxTries":12,"CodeLength":4}')
    web = [await running.connect(running.ports["web"]) for _ in range(2)]
    for one, name in zip(web, ("fay", "gus"), strict=True):
        login = f'{{"do":"login","name":"{name}"}}'
        await tell(one, login, '{"do":"contribute","hex":"2a"}', '{"do":"seek","game":"Dice"}')
    for one in web:
        await tell(one, '{"do":"ready"}', '{"do":"move","move":"roll"}', '{"do":"board"}')
    for one in text:
        await tell(one, "subscribe Dice", "move roll", "get match", "get board", "get fairness")


async def test_nothing_that_leaves_has_it(autojump_clock: MockClock, tmp_path: Path, sent: bytearray) -> None:
    journal, seeds = MemoryJournal(), (hashlib.sha256(bytes([number])).hexdigest() for number in count())
    http = HttpProtocol([GammonXProtocol(), WEB], [HttpEndpoint("/", pages())])
    games = catalogue(Dice(), BACKGAMMON, TAVLA, CONNECT_FOUR_3D, MASTERMIND)
    others = [http, WEB, CONNECT_FOUR, OF_MASTERMIND]
    log = WireLogSettings(str(tmp_path))
    with capture_logs() as logs:
        async with serving(
            journal=journal, others=others, games=games, wire_log=log, new_seed=lambda: next(seeds)
        ) as running:

            async def left() -> bytes:
                for path in PATHS:
                    await get(running, path)
                running.server._wire_log.flush()
                reader = journal.reader()
                tournament = reader.tournament(1)
                exported = [*chance_rows([*reader.epochs(), *([tournament] if tournament else [])])]
                return bytes(sent) + logged(tmp_path) + recorded(journal) + repr(logs).encode() + orjson.dumps(exported)

            await play(running)
            begun = untold(running)
            for wait_s in (0.0, 15.5):
                await trio.sleep(wait_s)
                running.server.ask(NewEpoch(next(seeds)))
                await wait_all_tasks_blocked(0.001)
                secrets, seen = untold(running), await left()
                assert [what for what, secret in secrets.items() if any(form in seen for form in forms(secret))] == []
                # The search reads what players and visitors are told.
                assert all(words in seen for words in (b"MATCHCOMMITMENT", b'"commitment":"', b"<h2", b"# HELP"))
            live = running.server._sequencer._lobby.matches.values()
            assert any(match.seat_lots for match in live)
            assert {(step.seat is None, step.lot is None) for match in live for step in match.moves} >= {
                (True, True),
                (False, False),
            }
            # Secrets of matches that are over are told, and found: so the others would have been.
            told = {what for what, secret in begun.items() if secret.encode() in seen}
            assert told == {what for what in begun.keys() - secrets.keys() if what[0] != "D"}


class Watched(MemoryJournal):
    """Notes each commit among the lines of the log."""

    def append(self, rows: list[JournalRow], records: list[Record] = ()) -> None:
        super().append(rows, records)
        self.logs.append({"event": "committed", "tags": [row.tag for row in rows]})


async def test_seed_is_told_after_a_day(autojump_clock: MockClock) -> None:
    seeds, journal = (f"{number:064x}" for number in count(1)), Watched()
    with capture_logs() as journal.logs:
        async with serving(journal=journal, new_seed=lambda: next(seeds)) as running:
            assert [(one.seed, one.last_match) for one in journal.reader().epochs()] == [("", None)]
            for _ in range(2):
                await trio.sleep(43_201)
            assert running.server.lobby is not None
            second, first = journal.reader().epochs()
    told = (first.seed, first.commitment, first.first_match, first.last_match)
    assert told == (f"{1:064x}", commitment(f"{1:064x}"), 1, 0)
    assert (second.number, second.seed, second.commitment) == (2, "", commitment(f"{2:064x}"))
    events = [
        one["tags"][0] if one["event"] == "committed" else one["commitment"]
        for one in journal.logs
        if one["event"] in {"committed", "epoch begun"}
    ]
    assert events == ["server-started", first.commitment, "new-epoch", second.commitment]
