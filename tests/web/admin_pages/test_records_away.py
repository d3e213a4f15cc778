"""The teacher while the database with the records is away: requests and pages say so, and streams wait for it."""

from typing import Any
from urllib.parse import urlencode

import pytest
import trio
from trio.testing import MockClock

from gameserver.admin.tournament_api import APPLICATION as TOURNAMENTS
from gameserver.endpoints import HttpEndpoint
from gameserver.web.admin_pages.application import pages
from tests.admin.support import BEARER, admin, get, post, serving_admin
from tests.support.away_records import WHY, AwayJournal
from tests.web.support import check_html

AWAY = "The database with the records cannot be reached now. Please try again in a moment."
ORIGIN = "Origin: http://localhost:1"
SIGNED = {"why": "it is over", "by": "Ms Hall"}


def hall(journal: AwayJournal) -> Any:
    teachers = HttpEndpoint("/api/tournaments", TOURNAMENTS), HttpEndpoint("/", pages())
    return serving_admin(teachers, journal=journal)


async def test_request_says_that_the_records_cannot_be_reached(capsys: pytest.CaptureFixture[str]) -> None:
    async with hall(AwayJournal()) as running:
        for path in ("", "7", "7/export/standings"):
            answer = await get(running, f"/api/tournaments/{path}", BEARER)
            assert (answer.status, answer.headers["retry-after"], answer.json) == (503, "5", {"error": AWAY}), path
            _check_log(capsys)


async def test_act_upon_a_tournament_on_record_is_refused_and_can_be_sent_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    journal = AwayJournal()
    async with hall(journal) as running:
        answer = await post(running, "/api/tournaments/7/cancel", SIGNED)
        assert (answer.status, answer.json) == (503, {"error": AWAY})
        journal.is_away = False
        assert (await post(running, "/api/tournaments/7/cancel", SIGNED)).status == 409
    _check_log(capsys)


async def test_page_and_form_say_that_the_records_cannot_be_reached(capsys: pytest.CaptureFixture[str]) -> None:
    async with hall(AwayJournal()) as running:
        for path in ("", "matches/7", "players?name=ann", *(f"tournaments/7{end}" for end in ("", "/cancel", "/none"))):
            _check_page(await get(running, f"/{path}", BEARER, "Accept: text/html"))
            _check_log(capsys)
        browser, body = await admin(running), urlencode({"why": "it is over"}).encode()
        _check_page(await browser.post("/tournaments/7/cancel", body, BEARER, ORIGIN, host="localhost:1"))
    _check_log(capsys)


async def test_what_needs_no_records_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    async with hall(AwayJournal()) as running:
        assert (await get(running, "/api/status", BEARER)).status == 200
        assert (await get(running, "/roster", BEARER, "Accept: text/html")).status == 200
    assert "Traceback" not in capsys.readouterr().out


async def test_stream_goes_on_when_the_records_are_back(
    autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = AwayJournal(is_away=False)
    async with (
        hall(journal) as running,
        await trio.open_tcp_stream("127.0.0.1", running.ports["admin"]) as stream,
    ):
        await stream.send_all(f"GET /events HTTP/1.1\r\nHost: localhost:1\r\n{BEARER}\r\n\r\n".encode())
        heard = await _heard(stream, b"event: change")
        journal.is_away = True
        await running.enter("ann")
        await trio.sleep(20)
        journal.is_away = False
        heard = await _heard(stream, b"event: change")
        assert b"ann" in heard
        assert b"HTTP/1.1" not in heard
    said = capsys.readouterr().out
    assert said.count(WHY) == 1, "the operator is told why, and not each time"
    assert "Traceback" not in said


async def _heard(stream: trio.SocketStream, wanted: bytes) -> bytes:
    heard = b""
    while wanted not in heard or not heard.endswith(b"\n\r\n"):
        received = await stream.receive_some()
        assert received, "the stream ended"
        heard += received
    return heard


def _check_page(page: Any) -> None:
    assert (page.status, page.headers["retry-after"]) == (503, "5")
    check_html(page.text)
    assert AWAY in page.text
    assert WHY not in page.text, "that is for the operator"


def _check_log(capsys: pytest.CaptureFixture[str]) -> None:
    said = capsys.readouterr().out
    assert WHY in said
    assert "Traceback" not in said
