"""A person's way through the page to play on, at the installed server: in, to a match, and back after interruptions."""

import signal
from typing import Any

from tests.end_to_end.server_process import Server, ask_admin
from tests.end_to_end.support import LOCAL, eventually
from tests.support.browser import expect, obstacles

LISTEN = (f"strategic={LOCAL}:0", f"http={LOCAL}:0", f"admin={LOCAL}:0")
CUT_OFF = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET")
PHONE = {"width": 390, "height": 844}


def address_of(server: Server) -> str:
    return f"http://{LOCAL}:{server.port_of('http')}/play"


def enter(page: Any, name: str) -> None:
    page.fill("#name", name)
    page.keyboard.press("Enter")


def matches_of(server: Server) -> list[Any]:
    matches: list[Any] = ask_admin(server, "/api/status")["matches"]
    return matches


def test_a_match_with_the_house_survives_a_reload_a_kill_and_silence(serve, new_page) -> None:
    server = serve(listen=LISTEN)
    page = new_page(f"{address_of(server)}?to=house-random&game=Tic-tac-toe", expected=CUT_OFF, viewport=PHONE)
    enter(page, "ada")
    expect(page.locator("#own-name")).to_have_text("ada")
    expect(page.locator("#house button")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert obstacles(page) == {}
    page.click("#wanted button")
    expect(page.locator("#match h2")).to_contain_text("Tic-tac-toe")
    assert page.url.endswith("/play"), "a reload does not ask for another match"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    (before,) = matches_of(server)
    page.reload()
    expect(page.locator("#match h2")).to_contain_text("Tic-tac-toe")
    server.kill()
    expect(page.locator("#connection")).to_contain_text("The connection is lost.")
    expect(page.locator("#match h2")).to_be_visible()
    server.start_where_it_was()
    expect(page.locator("#connection")).to_have_text("")
    expect(page.locator("#match h2")).to_contain_text("Tic-tac-toe")
    eventually(lambda: page.locator("#match [data-phase=playing]").count(), "the seat is taken back")
    (after,) = matches_of(server)
    assert after["match"] == before["match"]
    page.set_viewport_size({"width": 1280, "height": 800})
    page.click("#log-out")
    expect(page.locator("#log-out")).to_have_text("Log out and give the match up?")
    page.click("#log-out")
    expect(page.locator("#name")).to_be_focused()
    eventually(lambda: matches_of(server) == [], "nobody plays on")

    # No connection ends when a cable is pulled. The page's clock is turned on, so that nobody has to wait for it.
    page.clock.install()
    enter(page, "ada")
    expect(page.locator("#people-title")).to_be_visible()
    server.process.send_signal(signal.SIGSTOP)
    page.clock.run_for(20_000)
    expect(page.locator("#connection")).to_contain_text("The server has not answered for some seconds.")
    server.process.send_signal(signal.SIGCONT)
    page.clock.run_for(20_000)
    expect(page.locator("#connection")).to_have_text("")
