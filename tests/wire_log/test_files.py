"""The wire log: whose bytes, when, how much of them; and off unless it is wanted."""

import ast
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from trio.testing import MockClock

from gameserver.cli.main import main
from gameserver.http.listener import HttpProtocol
from gameserver.protocol import Adapter
from gameserver.wire_log import files as wire_log
from gameserver.wire_log.files import WireLog, WireLogSettings, older, path_of
from gameserver.wire_log.recording_adapter import PassingAdapter, RecordingAdapter
from protocols.mastermind import PROTOCOL as MASTERMIND
from tests.clients.websocket import handshake
from tests.http.support import Browser
from tests.support.rosters import roster_on
from tests.support.serving import serving

LINE = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) +(\d+) (\S+) ([<>]) (b['\"].*)")


def names_in(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


def log_of(directory: Path, names: dict[int, str], **settings: int) -> WireLog:
    return WireLog(WireLogSettings(str(directory), **settings), names.get, lambda: 1_766_400_000_123_456)


def test_a_line_says_when_whose_and_what(tmp_path: Path) -> None:
    log = log_of(tmp_path, {7: "ann"})
    log.note(7, "strategic", "<", b"move 18\n\xff")
    log.flush()
    assert path_of(tmp_path, "ann").read_bytes() == (
        b"2025-12-22T10:40:00.123456Z   7 strategic < b'move 18\\n\\xff'\n"
    )


def test_bytes_before_the_login_belong_to_the_player_who_logs_in(tmp_path: Path) -> None:
    names: dict[int, str] = {}
    log = log_of(tmp_path, names)
    log.note(7, "strategic", ">", b"hello")
    log.note(8, "strategic", ">", b"nobody")
    log.flush()
    assert list(tmp_path.iterdir()) == []
    names[7] = "ann"
    log.note(7, "strategic", ">", b"OK")
    del names[7]
    log.note(7, "strategic", "<", b"(end)")
    log.closed(7)
    log.closed(8)
    log.flush()
    text = path_of(tmp_path, "ann").read_text()
    assert re.findall(r"[<>] (b'.*')", text) == ["b'hello'", "b'OK'", "b'(end)'"]
    assert len(list(tmp_path.iterdir())) == 1


def test_a_players_log_is_bounded(tmp_path: Path) -> None:
    log = log_of(tmp_path, {7: "ann"}, bytes_max=10_000)
    for number in range(1_000):
        log.note(7, "strategic", "<", b"%04d" % number)
        log.flush()
    files = [path_of(tmp_path, "ann"), older(path_of(tmp_path, "ann"))]
    assert 5_000 < sum(file.stat().st_size for file in files if file.exists()) <= 10_000 + 100
    log.note(7, "strategic", "<", b"the last")
    log.flush()
    assert b"the last" in files[0].read_bytes()


def test_a_flood_before_the_login_is_bounded(tmp_path: Path) -> None:
    log = log_of(tmp_path, {})
    for _ in range(100):
        log.note(7, "strategic", "<", b"x" * 5_000)
    assert sum(map(len, log._unnamed[7])) <= wire_log.UNNAMED_BYTES_MAX


def test_where_the_disk_does_not_keep_up_the_log_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_log, "UNSAVED_BYTES_MAX", 100)
    log = log_of(tmp_path, {7: "ann"})
    log.note(7, "strategic", "<", b"one")
    log.note(7, "strategic", "<", b"two")
    log.flush()
    log.note(7, "strategic", "<", b"three")
    log.flush()
    text = path_of(tmp_path, "ann").read_text()
    assert "two" not in text
    assert text.splitlines()[1] == "(a gap: the disk did not keep up)"


def test_player_with_a_file_is_still_logged_when_the_log_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of as many players as there may be has two files by then, and no other has one."""
    monkeypatch.setattr(wire_log, "FILES_MAX", 2)
    log = log_of(tmp_path, {1: "ann", 2: "bob", 3: "cyd"}, bytes_max=10_000)
    for _ in range(8):
        for session in (1, 2, 3):
            log.note(session, "strategic", "<", b"x" * 2_000)
        log.flush()
    log.note(1, "strategic", "<", b"the last")
    log.flush()
    assert sorted({name[:3] for name in names_in(tmp_path)}) == ["ann", "bob"]
    assert b"the last" in path_of(tmp_path, "ann").read_bytes()
    assert older(path_of(tmp_path, "bob")).exists()


def test_a_disk_that_fails_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    log = log_of(tmp_path / "file", {7: "ann"})
    log.note(7, "strategic", "<", b"x")
    log.flush()


@pytest.mark.parametrize("name", ["ann", "../../etc/passwd", "ä" * 64, "A", "a", "con:", "x" * 64])
def test_every_name_has_a_file_of_its_own_in_the_folder(tmp_path: Path, name: str) -> None:
    path = path_of(tmp_path, name)
    assert path.parent == tmp_path
    assert len(path.name.encode()) < 200
    assert path != path_of(tmp_path, name + "x")
    path.touch()


async def test_a_conversation_is_logged_without_its_secrets(tmp_path: Path, autojump_clock: MockClock) -> None:
    roster = roster_on(tmp_path, {"ann": "very-secret"})
    async with serving(wire_log=WireLogSettings(str(tmp_path)), roster=roster) as running:
        client = await running.connect()
        await client.send("login ann very-secret")
        await client.until("OK")
        await client.send("move 18")
        await client.line()
    content = path_of(tmp_path, "ann").read_bytes()
    found = [LINE.fullmatch(line) for line in content.splitlines()]
    said = [(line[4], ast.literal_eval(line[5].decode())) for line in found if line is not None]
    assert len(said) == len(found)
    assert (b"<", b"login ann ***\n") in said
    assert (b"<", b"move 18\n") in said
    heard = b"".join(data for mark, data in said if mark == b">")
    assert heard.startswith(b"Game Server [text protocol]\r\n")
    assert b"OK\r\n" in heard
    assert heard.count(b"stopping") == 1, "to the last word"


async def test_messages_of_a_websocket_are_logged_unwrapped(tmp_path: Path, autojump_clock: MockClock) -> None:
    http = HttpProtocol([MASTERMIND])
    async with serving(protocol=http, wire_log=WireLogSettings(str(tmp_path))) as running:
        browser = await Browser.connect(running)
        await browser.get("/health")
        client = await running.connect()
        await client.stream.send_all(handshake("/echo"))
        await client.stream.receive_some()
    assert names_in(tmp_path) == [], "nobody has told who it is, and requests are nobody's"


async def test_it_is_off_unless_it_is_wanted(autojump_clock: MockClock) -> None:
    async with serving() as running:
        await running.enter("ann")
        (connection,) = running.server._connections.values()
        assert type(connection.adapter).__name__ == "StrategicAdapter"


def test_the_command_prints_both_files(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(f'[wire_log]\ndirectory = "{tmp_path / "wire"}"\n')
    log = log_of(tmp_path / "wire", {7: "ann"})
    log.note(7, "strategic", "<", b"one")
    log.flush()
    path_of(tmp_path / "wire", "ann").replace(older(path_of(tmp_path / "wire", "ann")))
    log.note(7, "strategic", "<", b"two")
    log.flush()
    told = CliRunner().invoke(main, ["wire-log", "ann", "--config", str(tmp_path / "c.toml")])
    assert told.exit_code == 0
    assert re.findall(r"b'(\w+)'", told.output) == ["one", "two"]
    other = CliRunner().invoke(main, ["wire-log", "bob", "--config", str(tmp_path / "c.toml")])
    assert "there is no wire log of 'bob'" in other.stderr


def test_the_command_says_how_to_have_a_log() -> None:
    told = CliRunner().invoke(main, ["wire-log", "ann"])
    assert told.exit_code == 1
    assert "no wire logs are kept: set wire_log.directory" in told.stderr


def test_passing_adapter_passes_on_every_member_of_an_adapter() -> None:
    """A member that it left out would be that of an adapter without the feature."""
    members = {name for name in vars(Adapter) if not name.startswith("_")}
    assert members <= vars(PassingAdapter).keys()
    assert issubclass(RecordingAdapter, PassingAdapter)
