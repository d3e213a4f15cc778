"""WebSockets without input or output: handshake, frames in any pieces, close codes, clocks."""

import itertools
from typing import Any

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import wait_all_tasks_blocked
from websockets.frames import Close, Frame, Opcode

from gameserver.core.commands import ListGames
from gameserver.http.websocket import FRAMES_AT_ONCE
from gameserver.protocol import Refusal, RefusalKind, Reply, Work
from tests.clients.websocket import handshake
from tests.http.support import Line, frames_in, opened, texts_in
from tests.support.examples import examples


def framed(data: bytes | str, opcode: int = Opcode.TEXT, *, fin: bool = True) -> bytes:
    """A frame as a client sends it."""
    data = data.encode() if isinstance(data, str) else data
    return Frame(Opcode(opcode), data, fin).serialize(mask=True)


def close_of(data: bytes) -> tuple[int, str]:
    """The close frame that ends these bytes."""
    last = frames_in(data)[-1]
    assert last.opcode is Opcode.CLOSE, last
    close = Close.parse(bytes(last.data))
    return close.code, close.reason


def test_lines_come_as_messages_and_go_as_messages() -> None:
    line = opened()
    line.hear(framed("one") + framed("two\n") + framed("a\r\nb\nc") + framed(b"bin", Opcode.BINARY) + framed(""))
    assert texts_in(line.said) == ["one", "two", "a b c", "bin", ""]
    assert all(frame.opcode is Opcode.TEXT for frame in frames_in(line.said)), "answers are text"


def test_a_stream_comes_and_goes_as_it_is() -> None:
    line = Line()
    line.hear(handshake("/stream", Origin="http://here"))
    line.said.clear()
    line.hear(framed("one\ntw") + framed("o\n"))
    assert texts_in(line.said) == ["one\n", "two\n"]


def test_the_adapter_inside_is_told_how_it_was_reached() -> None:
    line = Line()
    line.hear(handshake("/stream?a=1&b=%C3%A9&a=2", X_Mark="seen"), 5_000)
    (adapter,) = line.echo.adapters
    peer, context = adapter.peer, adapter.context
    assert (peer.session, peer.address, peer.connected_ms) == (7, "10.0.0.1", 5_000)
    assert peer.handshake is not None
    assert peer.handshake.path == "/stream"
    assert peer.handshake.query == {"a": "2", "b": "é"}
    assert peer.handshake.headers["x-mark"] == "seen"
    assert (context.profile, context.options.mark) == ("loud", "default")


def test_fragments_are_joined_whatever_comes_between_them() -> None:
    line = opened()
    whole = "löng".encode()
    line.hear(framed(whole[:2], fin=False))
    line.hear(framed(b"are you there", Opcode.PING))
    line.hear(framed(whole[2:], Opcode.CONT, fin=False) + framed(b"", Opcode.CONT))
    pong, message = frames_in(line.said)
    assert (pong.opcode, pong.data) == (Opcode.PONG, b"are you there")
    assert bytes(message.data).decode() == "löng"


@pytest.mark.parametrize("first", range(9))
def test_a_message_came_when_its_last_byte_was_read(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    line = opened()
    (adapter,) = line.echo.adapters
    heard: list[tuple[bytes, int]] = []
    monkeypatch.setattr(adapter, "receive", lambda data, at_ms: heard.append((data, at_ms)))
    frame = framed("move")
    line.hear(frame[:first], 1_000)
    line.hear(frame[first:], 12_000)
    assert heard == [(b"move\n", 12_000)]


@pytest.mark.parametrize(
    ("sent", "code", "why"),
    [
        (framed(b"\xff\xfe"), 1007, "UTF-8"),
        (framed(b"\xc3", fin=False) + framed(b"x", Opcode.CONT), 1007, "UTF-8"),
        (framed("x" * 1_001), 1009, "1001 bytes"),
        (framed("x" * 600, fin=False) + framed("x" * 600, Opcode.CONT), 1009, "600 bytes"),
        (framed("x", Opcode.CONT), 1002, "unexpected continuation frame"),
        (framed("x", fin=False) + framed("y"), 1002, "expected a continuation frame"),
        (Frame(Opcode.TEXT, b"unmasked").serialize(mask=False), 1002, "incorrect masking"),
        (b"\xf1" + framed("x")[1:], 1002, "reserved bits"),
        (b"\x83" + framed("x")[1:], 1002, "invalid opcode"),
        (b"\x89" + framed(b"x" * 126)[1:], 1002, "control frame too long"),
        (framed(b"\x03", Opcode.CLOSE), 1002, "close frame too short"),
        (framed((1005).to_bytes(2, "big"), Opcode.CLOSE), 1002, "invalid status code"),
        (framed("broken"), 1008, "not understood"),
        (framed("", fin=False) + framed("", Opcode.CONT, fin=False) * 1_000, 1008, "1000 empty fragments"),
    ],
    # The masks are drawn again each time, and workers have to agree on the names.
    ids=itertools.count(),
)
def test_unreadable_frame_is_reported_after_earlier_answers(sent: bytes, code: int, why: str) -> None:
    line = opened()
    line.hear(framed("before") + sent + framed("after"))
    assert texts_in(line.said) == ["before", *(["what?"] if code == 1008 and "not understood" in why else [])]
    told, reason = close_of(bytes(line.said))
    assert (told, why in reason) == (code, True), (told, reason)
    assert line.ended is not None
    assert line.ended != "finished"


def test_a_close_frame_is_answered_when_everything_before_it_is() -> None:
    line = opened()
    line.hear(framed("one") + framed("games") + framed(Close(1000, "done").serialize(), Opcode.CLOSE) + framed("two"))
    assert texts_in(line.said) == ["one", "Reversi,Tic-tac-toe"]
    assert close_of(bytes(line.said)) == (1000, "done")
    assert line.ended == "finished"
    line.adapter.receive_eof()


AS_MUCH_AS_FITS = "It is late, " + "ö" * 55
"""Without half a letter."""


@pytest.mark.parametrize(
    ("kind", "code", "reason"),
    [
        (RefusalKind.STOPPING, 1001, "The server is stopping; connect again when it is back"),
        (RefusalKind.FULL, 1013, AS_MUCH_AS_FITS),
        (RefusalKind.LATE, 1008, "Nothing that counts came in time; connect again when you are ready"),
        (RefusalKind.FAULT, 1011, AS_MUCH_AS_FITS),
    ],
)
def test_a_farewell_has_words_a_code_and_a_reason_for_any_protocol(kind: RefusalKind, code: int, reason: str) -> None:
    line = opened()
    said = line.adapter.farewell(Refusal("It is late, " + "ö" * 100, kind))
    assert texts_in(said)[0].startswith("sorry: It is late")
    assert close_of(said) == (code, reason)
    assert line.adapter.farewell(Refusal("again", kind)) == b"", "nothing follows a close frame"
    assert line.adapter.finished


@pytest.mark.parametrize(
    ("headers", "status", "says"),
    [
        ({"Sec_WebSocket_Version": "8"}, 426, "version 13"),
        ({"Sec_WebSocket_Version": ""}, 426, "version 13"),
        ({"Sec_WebSocket_Key": ""}, 400, "Sec-WebSocket-Key"),
        ({"Sec_WebSocket_Key": "short"}, 400, "Sec-WebSocket-Key"),
        ({"Sec_WebSocket_Key": " "}, 400, "Sec-WebSocket-Key"),
        ({"Connection": "keep-alive"}, 400, "Connection"),
        ({"X_Mark": "a\x1ab"}, 400, "a control character in the x-mark header"),
    ],
)
def test_a_wrong_handshake_is_answered_in_http(headers: dict[str, str], status: int, says: str) -> None:
    line = Line()
    line.hear(handshake(**headers))
    head, _, body = bytes(line.said).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert (b"sec-websocket-version: 13" in head) == (status == 426)
    assert b"connection: close" in head
    assert says in body.decode()
    assert line.ended == "finished"


def test_a_handshake_of_two_lengths_is_refused() -> None:
    line = Line()
    line.hear(handshake(Content_Length="5", Transfer_Encoding="chunked") + b"0\r\n\r\n" + framed("one"))
    assert line.said.startswith(b"HTTP/1.1 400 ")
    assert (line.ended, b"has no body" in line.said) == ("finished", True)


@pytest.mark.parametrize(("origin", "opens"), [("", True), ("http://here", True), ("http://elsewhere", False)])
def test_pages_may_connect_from_where_the_endpoint_allows(origin: str, *, opens: bool) -> None:
    line = Line()
    line.hear(handshake("/stream", Origin=origin))
    assert line.said.startswith(b"HTTP/1.1 101" if opens else b"HTTP/1.1 403")
    anywhere = Line()
    anywhere.hear(handshake("/echo", Origin=origin, Sec_WebSocket_Extensions="permessage-deflate"))
    assert anywhere.said.startswith(b"HTTP/1.1 101")
    assert b"extensions" not in anywhere.said.lower(), "compression is not taken up"


def test_a_silent_peer_is_pinged_and_never_cut() -> None:
    line = opened()
    line.hear(framed("login ann"), 10_000)
    line.said.clear()
    for minute in range(10):
        due_ms = line.adapter.due_ms
        assert due_ms is not None
        if minute == 0:
            assert due_ms == 40_000
        line.tick(due_ms)
    assert all(frame.opcode is Opcode.PING for frame in frames_in(line.said))
    assert 9 <= len(frames_in(line.said)) <= 10
    assert line.ended is None


def test_connection_that_does_not_log_in_is_told_so() -> None:
    line = opened()
    line.tick(299_999)
    assert line.ended is None
    line.said.clear()
    line.tick(300_000)
    assert texts_in(line.said) == ["sorry: No login within 300 seconds; connect again when you are ready"]
    assert close_of(bytes(line.said))[0] == 1008


def test_the_adapter_inside_has_its_own_clock() -> None:
    line = opened()
    line.hear(framed("alarm"), 1_000)
    line.said.clear()
    assert line.adapter.due_ms == 6_000
    line.tick(6_000)
    assert texts_in(line.said) == ["ring"]


def test_fragments_that_say_nothing_are_looked_at_a_few_at_a_time() -> None:
    """Some count as something asked, so whoever sends a thousand of them has to wait for many turns."""
    line = opened()
    tiny = [framed("g", fin=False), *(framed(b"", Opcode.CONT, fin=False) for _ in range(998))]
    line.adapter.receive(b"".join(tiny) + framed("ames", Opcode.CONT) + framed("one")[:1], 0)
    steps = -(-1_000 // FRAMES_AT_ONCE)
    asked = [line.adapter.next() for _ in range(steps)]
    assert asked == [Reply(b"")] * (steps - 1) + [ListGames(7)]
    assert line.adapter.pending_bytes == 0, "half a header is no frame yet"


def test_fragmented_message_with_empty_fragments_is_read() -> None:
    line = opened()
    for _ in range(3):
        pieces = [framed("x", Opcode.CONT, fin=False), framed("", Opcode.CONT, fin=False)] * 990
        line.hear(framed("", fin=False) + b"".join(pieces) + framed("", Opcode.CONT))
    assert texts_in(line.said) == ["x" * 990] * 3


MESSAGES = st.lists(
    st.one_of(
        st.text(max_size=40).filter(lambda text: text.split(" ")[0] not in {"bye", "broken", "fault", "big"}),
        st.just("games"),
        st.just("x" * 990),
    ),
    max_size=6,
)


@settings(max_examples=examples(40), deadline=None)
@given(messages=MESSAGES, data=st.data())
def test_any_pieces_of_the_same_bytes_give_the_same(messages: list[str], data: Any) -> None:
    """The handshake included: frames may come in the packet of the request."""
    sent = handshake() + b"".join(
        framed(message, fin=False) + framed(b"", Opcode.PING) + framed("", Opcode.CONT) for message in messages
    )
    sent += framed(Close(1000, "").serialize(), Opcode.CLOSE)
    whole = Line()
    whole.hear(sent)
    pieces = Line()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=12)))
    for start, end in zip([0, *cuts], [*cuts, len(sent)], strict=True):
        if start != end:
            pieces.hear(sent[start:end])
    assert without_pongs(pieces.said) == without_pongs(whole.said)
    assert (pieces.asked, pieces.ended) == (whole.asked, whole.ended) == (whole.asked, "finished")


def without_pongs(said: bytes) -> list[tuple[int, bytes]]:
    frames = frames_in(bytes(said).partition(b"\r\n\r\n")[2])
    return [(frame.opcode, bytes(frame.data)) for frame in frames if frame.opcode is not Opcode.PONG]


def test_a_websocket_is_opened_by_get_alone() -> None:
    line = Line()
    line.hear(handshake().replace(b"GET", b"POST", 1))
    assert line.said.startswith(b"HTTP/1.1 405 "), bytes(line.said)
    assert b"\r\nallow: get\r\n" in line.said.lower()
    assert b"is opened by GET, not by POST" in line.said


async def test_a_peer_that_closed_its_side_before_its_upgrade_is_done_with(nursery: trio.Nursery) -> None:
    """The upgrade waits behind a request that is being answered when the end comes."""
    line = Line(nursery)
    line.adapter.receive(b"GET /health HTTP/1.1\r\nHost: t\r\n\r\n" + handshake(), 0)
    work = line.adapter.next()
    assert isinstance(work, Work)
    line.adapter.receive_eof()
    await line._work(work)
    assert b"101 Switching Protocols" in line.said
    assert line.ended == "finished"


REQUESTS = [
    b"GET /health HTTP/1.1\r\nHost: t\r\n\r\n",
    b"HEAD /api/echo HTTP/1.1\r\nHost: t\r\n\r\n",
    b"POST /api/echo HTTP/1.1\r\nHost: t\r\nContent-Length: 7\r\n\r\nGET / H",
    b"POST /api/echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    b"GET /api/games HTTP/1.1\r\nHost: t\r\n\r\n",
    b"GET /api/fail HTTP/1.1\r\nHost: t\r\n\r\n",
    b"GET /nothing HTTP/1.1\r\nHost: t\r\n\r\n",
    b"GET /echo HTTP/1.1\r\nHost: t\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
]


async def in_pieces(pieces: list[bytes], *, patient: bool) -> Line:
    async with trio.open_nursery() as nursery:
        line = Line(nursery)
        for piece in pieces:
            line.hear(piece)
            if patient:
                await wait_all_tasks_blocked()
        await wait_all_tasks_blocked()
        line.hear_eof()
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    return line


@settings(max_examples=examples(40), deadline=None)
@given(requests=st.lists(st.sampled_from(REQUESTS), max_size=5), patient=st.booleans(), data=st.data())
async def test_any_pieces_of_the_same_requests_give_the_same(requests: list[bytes], patient: bool, data: Any) -> None:
    sent = b"".join(requests)
    whole = await in_pieces([sent], patient=True)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=10)))
    pieces = [sent[start:end] for start, end in zip([0, *cuts], [*cuts, len(sent)], strict=True) if start != end]
    cut = await in_pieces(pieces, patient=patient)
    assert cut.said == whole.said
    assert cut.asked == whole.asked
    assert whole.said.count(b"HTTP/1.1 ") == len(requests)
    assert (cut.ended, whole.ended) == ("finished", "finished")
