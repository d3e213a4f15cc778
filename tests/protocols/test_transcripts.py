"""Every conversation in `transcripts/` goes exactly as written, however its bytes travel, and none is missing.

The form of the files is told in `tests.support.transcripts`.
"""

import inspect
import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import pytest
import trio
from structlog.processors import format_exc_info
from structlog.testing import capture_logs
from trio.testing import MockClock
from websockets.frames import Frame, Opcode

from gameserver.protocol import Code, EndReason
from protocols.strategic import rendering
from protocols.strategic.parsing import VERBS
from protocols.strategic.profiles import PROFILES
from tests.support.own_plugins import OWN
from tests.support.transcripts import (
    MANNERS,
    Manner,
    Transcript,
    TranscriptClient,
    Unreadable,
    perform,
    read,
    to_bytes,
    to_text,
)
from tests.support.transcripts.dialects import CONNECT_FOUR, STRATEGIC
from tests.support.transcripts.websocket import TranscriptWebSocketClient

FILES = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))

TRANSCRIPTS = {path.stem: read(path.read_text("utf-8")) for path in FILES}


def difference(transcript: Transcript, said: str) -> str:
    """Lines of the file that the server lacks, and the other way round; empty if there are none."""
    expected, really = transcript.text.splitlines(), said.splitlines()
    return "\n".join(unified_diff(expected, really, "the file", "the server", lineterm="", n=6))


def cases() -> Iterator[object]:
    """Each as it is written, and every fourth in one other manner, by turns. All manners are for a slow run.

    That pieces of bytes make no difference is a property of the adapters, which the contract kit checks, too.
    """
    for turn, (name, transcript) in enumerate(TRANSCRIPTS.items()):
        as_written, *others = (manner for manner in MANNERS if manner.suits(transcript))
        chosen = others[turn // 4 % len(others)] if turn % 4 == 0 else as_written
        for manner in (as_written, *others):
            marks = () if manner in {as_written, chosen} else pytest.mark.slow
            yield pytest.param(name, manner, id=f"{name}-{manner.name.replace(' ', '-')}", marks=marks)


@pytest.mark.parametrize(("name", "manner"), list(cases()))
async def test_it_goes_as_written(name: str, manner: Manner, autojump_clock: MockClock) -> None:
    with capture_logs([format_exc_info]) as logs:
        said = await perform(TRANSCRIPTS[name], manner)
    differs = difference(TRANSCRIPTS[name], said)
    troubles = "\n".join(str(entry) for entry in logs if entry["log_level"] in {"warning", "error"})
    assert not differs, f"{name}.txt, {manner.name}:\n{differs}\n{troubles}"


def test_every_transcript_begins_with_a_comment() -> None:
    assert [name for name, transcript in TRANSCRIPTS.items() if not transcript.head[0].startswith("# ")] == []


SAID = [line for transcript in TRANSCRIPTS.values() for line in transcript.said("strategic")]

KINDS = (
    *("OK", "ERR", "SVR HELP", "SVR MESSAGE", "SVR GAMELIST", "SVR PLAYERLIST", "SVR MATCH", "SVR BOARD"),
    *("SVR GAME MATCH", "SVR GAME YOURTURN", "SVR GAME MOVE", "SVR GAME CHALLENGE", "SVR GAME CHALLENGE CANCELLED"),
    *("SVR GAME WIN", "SVR GAME LOSS", "SVR GAME DRAW"),
)
"""Every message of the server that the protocol's document has."""


def kind_of(line: str) -> str:
    """The words before the braces, the list or the text."""
    found = re.match(
        r"OK$|ERR(?= )|SVR (?:HELP|MESSAGE|GAMELIST|PLAYERLIST|MATCH|BOARD)\b|SVR GAME [A-Z ]+(?= \{)", line
    )
    return found[0] if found else line


@pytest.mark.parametrize("kind", KINDS)
def test_every_server_message_has_a_transcript(kind: str) -> None:
    assert kind in set(map(kind_of, SAID))


def test_every_line_that_the_server_can_write_has_a_transcript() -> None:
    """Also one that is added some day: the beginnings of lines are taken from the source."""
    written = set(re.findall(r"\bSVR [A-Z]+(?: [A-Z]+)*", inspect.getsource(rendering)))
    assert {"SVR GAME MATCH", "SVR HELP"} <= written
    assert not {begin for begin in written if not any(line.startswith(begin) for line in SAID)}


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_has_a_transcript(profile: str) -> None:
    own = [transcript for transcript in TRANSCRIPTS.values() if f"@profile {profile}" in transcript.head]
    assert any(set(PROFILES[profile].banner) <= set(transcript.said("strategic")) for transcript in own)


@pytest.mark.parametrize(
    ("protocol", "profile"),
    [(name, profile) for name in ("connect-four", "mastermind") for profile in OWN.protocols[name].profiles],
)
def test_every_profile_of_another_protocol_has_a_transcript(protocol: str, profile: str) -> None:
    spoken = {line for transcript in TRANSCRIPTS.values() for line in transcript.head}
    assert f"@profile {protocol}" + ("" if profile == "document" else f":{profile}") in spoken


def test_every_command_has_a_transcript() -> None:
    asked = {
        line.split(" ")[0].lower() for transcript in TRANSCRIPTS.values() for line in transcript.asked("strategic")
    }
    assert not set(VERBS) - asked


UNHEARD_WHY = {
    "this protocol conducts no tournaments": "UNKNOWN_TOURNAMENT TOURNAMENT_REFUSED",
    "no protocol opens a ladder": "LADDER_REFUSED",
    "this protocol has no options, no practice and no tokens": "BAD_OPTIONS HOUSE_ONLY TOKEN_WRONG",
    "this protocol has no tickets": "TICKET_OPEN TICKETS_FULL NO_SUCH_TICKET NOT_YOUR_TICKET TICKET_SEATED",
    "this protocol has no rooms": "NO_SUCH_ROOM ROOM_KEPT IN_ROOM NOT_IN_ROOM READY_ALREADY",
    "needs a roster of students": "NAME_SLIP NOT_LISTED",
    "needs a match of several games against another protocol": "NOT_STARTED",
    "what a client sends names neither a match nor a turn": "STALE",
    "needs a teacher, or a signal; tests/web/visits/drain.txt hears it": "STOPPING",
    "needs many wrong secrets; tests/authentication/test_secret_queue.py hears it": "PROOF_TOO_OFTEN",
}
UNHEARD = {Code[name] for names in UNHEARD_WHY.values() for name in names.split()}
"""Refusals that no conversation of this protocol can come to, with whomever."""


@pytest.mark.parametrize("profile", ["document", "ngs"])
@pytest.mark.parametrize("code", [code for code in Code if code not in UNHEARD])
def test_every_refusal_has_a_transcript(profile: str, code: Code) -> None:
    """In the usual words, and where the profile has its own, in those."""
    parts = re.split(r"\{\w+\}", PROFILES[profile].refusals[code])
    pattern = re.compile("ERR " + ".+".join(map(re.escape, parts)))
    assert any(pattern.fullmatch(line) for line in SAID)


UNSEEN = {EndReason.PLAYED, EndReason.ABANDONED}
"""Ends without a comment of their own, and of practice matches, which this protocol does not make."""


@pytest.mark.parametrize("profile", ["document", "ngs"])
@pytest.mark.parametrize("reason", [reason for reason in EndReason if reason not in UNSEEN])
def test_every_end_has_a_transcript(profile: str, reason: EndReason) -> None:
    comment = PROFILES[profile].comments[reason]
    assert any(line.endswith(f'COMMENT: "{comment}"}}') for line in SAID)


SHORT = read("""# Two players meet.
C1 enters as ann
C2 enters as bob
C1> subscribe Reversi
S>C1 OK
C2> subscribe Reversi
S>C1 SVR GAME MATCH {PLAYERTOMOVE: "ann", GAMETYPE: "Reversi", OPPONENT: "bob"}
S>C1 SVR GAME YOURTURN {TURNMESSAGE: ""}
S>C2 OK
S>C2 SVR GAME MATCH {PLAYERTOMOVE: "ann", GAMETYPE: "Reversi", OPPONENT: "ann"}
+11s
S>C1 SVR GAME LOSS {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Turn timelimit reached"}
S>C2 SVR GAME WIN {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Turn timelimit reached"}
C2> bye
S closes C2
""")


def without(line: int) -> list[str]:
    lines = SHORT.text.splitlines()
    return lines[:line] + lines[line + 1 :]


def swapped(first: int, second: int) -> list[str]:
    lines = SHORT.text.splitlines()
    lines[first], lines[second] = lines[second], lines[first]
    return lines


def instead(old: str, new: str) -> list[str]:
    assert old in SHORT.text
    return SHORT.text.replace(old, new).splitlines()


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        pytest.param(without(4), "+S>C1 OK", id="a line that is not in the file"),
        pytest.param(without(14), "+S closes C2", id="a hang-up that is not in the file"),
        pytest.param([*without(99), "S>C1 OK"], "-S>C1 OK", id="a line that does not come"),
        pytest.param([*without(99), "S closes C1"], "-S closes C1", id="a hang-up that does not come"),
        pytest.param(swapped(6, 7), "-S>C1 SVR GAME MATCH", id="another order for one client"),
        pytest.param(swapped(10, 11), "-S>C1 SVR GAME LOSS", id="a line too early"),
        pytest.param(instead("+11s", "+10s"), "-S>C1 SVR GAME LOSS", id="a line too late"),
        pytest.param(instead("S>C2 OK", "S>C2 Ok"), "-S>C2 Ok", id="other words"),
        pytest.param(instead("S>C2 OK", "S>C1 OK"), "-S>C1 OK", id="another client"),
        pytest.param(instead("S>C2 OK", "S>C2 OK\\x20"), "+S>C2 OK", id="a blank at the end"),
        pytest.param(instead("S>C2 OK", "S>C2 OK\\"), "+S>C2 OK", id="no line end"),
    ],
)
async def test_a_wrong_file_fails(lines: list[str], shown: str, autojump_clock: MockClock) -> None:
    wrong = read("\n".join(lines) + "\n")
    assert shown in difference(wrong, await perform(wrong))


async def test_the_order_between_clients_is_free(autojump_clock: MockClock) -> None:
    lines = SHORT.text.splitlines()
    either = read("\n".join([*lines[:6], *lines[8:10], *lines[6:8], *lines[10:]]) + "\n")
    for transcript in (SHORT, either):
        assert not difference(transcript, await perform(transcript))


CRLF, LF = STRATEGIC.line_end, CONNECT_FOUR.line_end


@pytest.mark.parametrize(
    ("line_end", "data", "heard"),
    [
        (CRLF, b"OK\r\nOK\r\n", ["S>C1 OK", "S>C1 OK"]),
        (CRLF, b"OK\nOK\r\n", ["S>C1 OK\\x0aOK"]),
        (CRLF, b"OK\rOK\r\n", ["S>C1 OK\\x0dOK"]),
        (CRLF, b"OK\r\r\n", ["S>C1 OK\\x0d"]),
        (CRLF, b"\r\nOK \r\n", ["S>C1", "S>C1 OK\\x20"]),
        (CRLF, b"OK", ["S>C1 OK\\"]),
        (CRLF, b"caf\xe9 \xc3\xa9 \\\r\n", ["S>C1 caf\\xe9 é \\\\"]),
        (LF, b"{}\n{}\n", ["S>C1 {}", "S>C1 {}"]),
        (LF, b"{}\r\n", ["S>C1 {}\\x0d"]),
        (LF, b"{}\r{}\n", ["S>C1 {}\\x0d{}"]),
        (LF, b"{}", ["S>C1 {}\\"]),
    ],
)
async def test_a_wrong_line_end_shows(line_end: bytes, data: bytes, heard: list[str]) -> None:
    client = TranscriptClient("C1", trio.SocketStream(trio.socket.socket()), [], line_end)
    for number in range(len(data)):
        client.hear(data[number : number + 1])
    client.hear_unfinished()
    client.stream.socket.close()
    assert client.heard == heard


def message(data: bytes, opcode: Opcode = Opcode.TEXT) -> bytes:
    return Frame(opcode, data).serialize(mask=False)


HELLO = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"

GOODBYE = message(b"\x03\xe8", Opcode.CLOSE)


@pytest.mark.parametrize(
    ("data", "heard"),
    [
        (HELLO + message(b"{}") + message(b"") + GOODBYE, ["S>C1 {}", "S>C1", "S closes C1"]),
        (HELLO + message(b"{}\n") + GOODBYE, ["S>C1 {}\\x0a", "S closes C1"]),
        (HELLO + message(b"{}\n{}") + GOODBYE, ["S>C1 {}\\x0a{}", "S closes C1"]),
        (HELLO + message(b"{}"), ["S>C1 {}", "S says no goodbye to C1", "S closes C1"]),
        (HELLO + message(b"{}")[:-1], ["S>C1 half a frame", "S says no goodbye to C1", "S closes C1"]),
        (HELLO + message(b"", Opcode.PING) + GOODBYE, ["S closes C1"]),
    ],
)
async def test_a_wrong_frame_shows(data: bytes, heard: list[str]) -> None:
    client = TranscriptWebSocketClient("C1", trio.SocketStream(trio.socket.socket()), [])
    for number in range(len(data)):
        client.hear(data[number : number + 1])
    client.hear_unfinished()
    client.hear_end("closes")
    client.stream.socket.close()
    assert client.heard == heard


@pytest.mark.parametrize("data", [b"caf\xc3\xa9 \xe9\\\\x \x00\x1b\t ", bytes(range(256)), "\u2028".encode()])
def test_any_bytes_can_be_written_down(data: bytes) -> None:
    assert to_bytes(to_text(data)) == data


@pytest.mark.parametrize(
    "line",
    [
        *("C1 dances", "S>C1 OK ", "C1 connects to", "+5", "S says OK", "C1> a\x20"),
        *("C1 enters to mastermind as ann", "C1 connects to mastermind:ngs"),
        *("C1 connects to 1999", "C1 connects to connect-four:ngs", "C1 enters to chess as ann"),
    ],
)
def test_unknown_transcript_lines_are_refused(line: str) -> None:
    with pytest.raises(Unreadable, match="line 3"):
        read(f"# A file.\nC1 connects\n{line}\n")


@pytest.mark.parametrize(
    "line",
    ["@colour red", "@rules patience_ms=3", "@rules turn_time_ms=0", "@game Chess", "@code 1,2 in 6", "@code 1,2"],
)
def test_unknown_transcript_setting_is_refused(line: str) -> None:
    with pytest.raises(Unreadable, match=line):
        read(f"# A file.\n{line}\nC1 connects\n")
