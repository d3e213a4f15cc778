"""WebSocket clients of the original at their paths; `test_transcripts` holds their conversations."""

from trio.testing import MockClock

from games.mastermind import GAME as MASTERMIND
from gameserver.http.listener import HttpProtocol
from protocols.mastermind import PROTOCOL
from tests.http.support import Browser
from tests.support.games import catalogue
from tests.support.mastermind_client import ACCEPT, BROKEN, NEW_GAME
from tests.support.serving import serving
from tests.support.socket_clients import WebSocket


async def test_the_words_of_the_original_have_a_path_of_their_own(autojump_clock: MockClock) -> None:
    async with serving(protocol=HttpProtocol([PROTOCOL]), games=catalogue(MASTERMIND)) as running:
        client = await WebSocket.connect((await running.connect()).stream, "/original/echo")
        for asked, said in (("hello", BROKEN), ("", BROKEN), (NEW_GAME, ACCEPT)):
            await client.send(asked.encode())
            assert (await client.message()).decode() == said, "a frame has no line end"


async def test_a_browser_is_told_how_to_come_in(autojump_clock: MockClock) -> None:
    async with serving(protocol=HttpProtocol([PROTOCOL]), games=catalogue(MASTERMIND)) as running:
        browser = await Browser.connect(running)
        answer = await browser.get("/echo")
        assert answer.status == 426
        assert "ws://HOST:PORT/echo" in answer.text
