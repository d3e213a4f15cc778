"""Open pages while the server is killed and comes back: they say so, and go on by themselves."""

import re
import signal
from typing import Any

import pytest

from tests.end_to_end.server_process import Server, ask_admin
from tests.end_to_end.support import LOCAL
from tests.support.browser import expect, obstacles

LISTEN = (f"strategic={LOCAL}:0", f"http={LOCAL}:0", f"admin={LOCAL}:0")
CUT_OFF = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET")
WORDS = "The server is away. Nothing is lost; play goes on when it is back."
PHONE, LAPTOP, PROJECTOR = ((390, 844), (1280, 800), (1920, 1080))
LAYOUT = """() => {
  const head = document.querySelector("header.site").getBoundingClientRect();
  return [head.top, head.height, document.documentElement.scrollWidth <= innerWidth];
}"""


@pytest.fixture
def played(serve) -> Server:
    """A server with a tournament of four, of which one game is over."""
    server = serve(listen=LISTEN, match={"clock": "turn 50s"})
    players = [server.client(name) for name in ("M" * 32, "ann", "bob", "李小龙和他的机器人")]
    plan = {"preset": "league", "name": "Spring cup", "game": "Reversi"}
    ask_admin(server, "/api/tournaments", plan)
    ask_admin(server, "/api/tournaments/1/start", {"by": "Ms Reed"})
    for player in players:
        player.expect("SVR GAME MATCH ")
    assert players[0].ask("forfeit") == "OK"
    while not players[0].next().startswith("SVR GAME LOSS "):
        pass
    return server


def live_match(server: Server) -> int:
    return int(next(one["match"] for one in ask_admin(server, "/api/status")["matches"]))


def check_that_silence_is_noticed(server: Server, page: Any) -> None:
    """No connection ends when a cable is pulled. The page's clock is turned on, so that nobody has to wait for it."""
    page.clock.install()
    page.reload()
    expect(page.locator(".estimate")).to_be_visible()
    server.process.send_signal(signal.SIGSTOP)
    page.clock.fast_forward(30_000)
    expect(page.locator("#connection")).to_have_text("")
    page.clock.fast_forward(30_000)
    expect(page.locator("#connection")).to_have_text(WORDS)
    expect(page.locator("#away-for")).to_have_text(re.compile(r"^1:0\d$"))
    server.process.send_signal(signal.SIGCONT)
    expect(page.locator("#connection")).to_have_text("")
    expect(page.locator(".estimate")).to_be_visible()


def test_pages_tell_of_an_outage_and_go_on_after_it(played: Server, new_page: Any) -> None:
    address = f"http://{LOCAL}:{played.port_of('http')}"
    check_that_silence_is_noticed(played, new_page(f"{address}/tournaments/1", expected=CUT_OFF))
    cup = new_page(f"{address}/tournaments/1", expected=CUT_OFF)
    match = new_page(f"{address}/matches/{live_match(played)}", expected=CUT_OFF)
    expect(cup.locator(".estimate")).to_be_visible()
    expect(match.locator(".seat.acts .clock")).to_have_text(re.compile(r"^\d+\.\d s$"))
    head_before = {}
    for size in (LAPTOP, PROJECTOR):
        cup.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        head_before[size] = cup.evaluate(LAYOUT)[1]
    played.kill()

    for page in (cup, match):
        expect(page.locator("#connection")).to_have_text(WORDS)
    expect(cup.locator(".estimate")).to_be_hidden()
    clock = match.locator(".seat.acts .clock")
    stopped = clock.inner_text()
    cup.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    for size in (PHONE, LAPTOP, PROJECTOR):
        cup.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        top, height, fits = cup.evaluate(LAYOUT)
        assert (top, fits) == (0, True), size
        assert height <= head_before.get(size, PHONE[1] / 5), "it pushes nothing off the screen"
    assert obstacles(cup) == {}
    expect(match.locator("#away-for")).to_have_text(re.compile(r"^0:(0[2-9]|[1-5]\d)$|^[1-9]"))
    assert clock.inner_text() == stopped, "no clock runs while the server is away"

    played.start_where_it_was()
    for page in (cup, match):
        expect(page.locator("#connection")).to_have_text("")
        expect(page.locator("#away-for")).to_have_text("")
    expect(cup.locator(".estimate")).to_be_visible()
    expect(match.locator(".seat .state").first).to_contain_text("away")
    expect(match.locator(".seat .clock").first).not_to_have_text(stopped)
