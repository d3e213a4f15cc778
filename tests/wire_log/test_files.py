"""The wire log: its files, who may read them, and secrets that are in none."""

import ast
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from gameserver.cli.main import main
from gameserver.http.listener import HttpProtocol
from gameserver.protocol import Adapter
from gameserver.read_model.views import Owner
from gameserver.wire_log import files as wire_log
from gameserver.wire_log.files import WireLog, WireLogSettings, older, path_of
from gameserver.wire_log.owner_access import LIVES_S, OwnLinks, of_session, read_lines
from gameserver.wire_log.recording_adapter import PassingAdapter, RecordingAdapter
from gameserver.wire_log.redaction import MASK, Redactor
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import PROTOCOL as GAMMONX
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.strategic import PROTOCOL as STRATEGIC
from protocols.web import PROTOCOL as WEB
from tests.clients.websocket import handshake
from tests.http.support import Browser
from tests.support.examples import examples
from tests.support.rosters import roster_on
from tests.support.serving import serving
from tests.support.tables import lines, table

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


PROTOCOLS = (CONNECT_FOUR, GAMMONX, MASTERMIND, STRATEGIC, WEB)
MISHAPS = {protocol.name: protocol.mishaps for protocol in PROTOCOLS}
REFUSED = {"echo": {"A line was refused.": re.compile(rb"^NO")}}


def written(directory: Path, *notes: tuple[int, str, str, bytes]) -> str:
    log = WireLog(WireLogSettings(str(directory)), lambda _: "ann", lambda: 1_766_400_000_123_456)
    for note in notes:
        log.note(*note)
    log.flush()
    return log.read("ann")


def test_what_the_server_refused_is_marked_and_what_the_player_said_is_not(tmp_path: Path) -> None:
    text = written(tmp_path, (7, "echo", "<", b"NO way\n"), (7, "echo", ">", b"NO\n"), (7, "other", ">", b"NO\n"))
    assert [line.mishap for line in read_lines(text, REFUSED, 100)] == ["", "A line was refused.", ""]


def test_the_end_of_the_players_side_is_marked(tmp_path: Path) -> None:
    text = written(tmp_path, (7, "echo", ">", b"(end)"), (7, "echo", "<", b"(end)"))
    assert [bool(line.mishap) for line in read_lines(text, {}, 100)] == [False, True]


def test_a_gap_is_passed_over_and_only_the_last_lines_are_read(tmp_path: Path) -> None:
    text = "(a gap: the disk did not keep up)\n" + written(
        tmp_path, *((7, "echo", "<", bytes([65 + n])) for n in range(5))
    )
    assert [line.text for line in read_lines(text, {}, 2)] == ["D", "E"]
    assert len(read_lines(text, {}, 100)) == 5


def test_the_lines_of_one_session_stay_as_they_are(tmp_path: Path) -> None:
    text = written(tmp_path, (7, "echo", "<", b"a"), (8, "echo", "<", b"b"), (7, "echo", ">", b"c"))
    assert of_session(text, 8, 0) == text.splitlines(keepends=True)[1]
    assert of_session(text, 9, 0) == ""
    assert of_session(text, 8, 4_000_000_000_000) == "", "the number belonged to another session before a restart"


@pytest.mark.parametrize(("protocol", "line"), table(__file__, "mishaps"))
def test_each_protocol_knows_its_own_mishaps(tmp_path: Path, protocol: str, line: str) -> None:
    (read,) = read_lines(written(tmp_path, (1, protocol, ">", line.encode())), MISHAPS, 10)
    assert read.mishap


@pytest.mark.parametrize(("protocol", "line"), table(__file__, "what is none"))
def test_what_is_no_mishap_is_told_from_them(tmp_path: Path, protocol: str, line: str) -> None:
    (read,) = read_lines(written(tmp_path, (1, protocol, ">", line.encode())), MISHAPS, 10)
    assert not read.mishap


def test_every_protocol_has_mishaps() -> None:
    assert {protocol for protocol, _ in table(__file__, "mishaps")} == MISHAPS.keys()


OWNERS = st.builds(Owner, st.text(min_size=1), st.none() | st.integers(0), st.integers(0))


def links(key: bytes = b"key", now_s: float = 600.5) -> OwnLinks:
    return OwnLinks(key, lambda: now_s)


@given(OWNERS)
def test_a_link_tells_who_was_given_it(owner: Owner) -> None:
    token = links().token_of(owner)
    assert links().owner_of(token) == owner
    assert token.replace("-", "").replace("_", "").isalnum(), "it stands in a URL as it is"


@given(OWNERS, st.data())
def test_a_changed_link_opens_nothing(owner: Owner, data: st.DataObject) -> None:
    token = links().token_of(owner)
    at = data.draw(st.integers(0, len(token) - 2))  # the last letter has bits to spare
    letter = data.draw(st.characters(codec="ascii").filter(lambda one: one != token[at]))
    assert links().owner_of(token[:at] + letter + token[at + 1 :]) is None


@given(st.text())
def test_no_text_at_all_is_an_error(text: str) -> None:
    assert links().owner_of(text) is None


def test_another_start_of_the_server_gave_other_links() -> None:
    assert links(b"other").owner_of(links().token_of(Owner("ann"))) is None


def test_a_link_gets_old() -> None:
    token = links().token_of(Owner("ann"))
    assert links(now_s=600 + LIVES_S - 1).owner_of(token) == Owner("ann")
    assert links(now_s=600 + LIVES_S).owner_of(token) is None


PATTERNS = (*STRATEGIC.secrets, *CONNECT_FOUR.secrets, *WEB.secrets)
SECRET = b"s3cr3t-Xyz"


@pytest.mark.parametrize("text", lines(__file__, "lines with the secret s3cr3t-Xyz"))
@given(data=st.data())
@settings(max_examples=examples(40))
def test_a_secret_is_masked_wherever_it_is_cut(text: str, data: st.DataObject) -> None:
    line = text.encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(line)), max_size=4)))
    redactor = Redactor(PATTERNS)
    pieces = [line[start:end] for start, end in zip([0, *cuts], [*cuts, len(line)], strict=True)]
    masked = b"".join(redactor.masked(piece) for piece in pieces)
    assert not any(SECRET[start : start + 3] in masked for start in range(len(SECRET) - 2)), masked
    assert masked.endswith(line[line.index(SECRET) + len(SECRET) :])
    if not cuts:
        assert masked == line.replace(SECRET, MASK)


@pytest.mark.parametrize("secret", ["apple pie", "fig, plum", 'a "quoted" one', "back\\slash", "b}race:d=", "Zoë"])
@pytest.mark.parametrize("field", ['{"name": "Ann", "secret": "SECRET"', '{"name": "Ann:SECRET"'])
@given(data=st.data())
@settings(max_examples=examples(40))
def test_all_of_a_secret_in_json_is_masked_whatever_is_in_it(field: str, secret: str, data: st.DataObject) -> None:
    written = json.dumps(secret).encode()
    line = field.encode().replace(b"SECRET", written[1:-1]) + b', "action": "connect"}\n'
    cut = data.draw(st.integers(0, len(line)))
    redactor = Redactor(PATTERNS)
    assert Redactor(PATTERNS).masked(line) == line.replace(written[1:-1], MASK)
    masked = redactor.masked(line[:cut]) + redactor.masked(line[cut:])
    assert not any(written[start : start + 4] in masked for start in range(1, len(written) - 4)), masked
    assert masked.endswith(b'", "action": "connect"}\n')


def test_a_line_that_never_ends_is_not_remembered_whole() -> None:
    redactor = Redactor(PATTERNS)
    for _ in range(100):
        assert redactor.masked(b"x" * 1_000) == b"x" * 1_000
    assert len(redactor._line) < 5_000
    assert json.loads(redactor.masked(b'\n{"token":"abc"}\n')) == {"token": "***"}
