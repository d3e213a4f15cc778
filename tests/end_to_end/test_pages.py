"""The pages of the installed server in a real browser: boards and standings change while somebody looks."""

import json
import re
import urllib.request
from typing import Any

import pytest

from tests.end_to_end.blocking_client import BlockingClient, begin, play
from tests.end_to_end.server_process import Server, ask_admin
from tests.end_to_end.support import LOCAL
from tests.support.browser import expect, obstacles

LISTEN = (f"strategic={LOCAL}:0", f"http={LOCAL}:0", f"admin={LOCAL}:0")
HOSTILE = "<img/src=x/onerror=alert(1)>"


@pytest.fixture
def serve_pages(serve):
    def start(**given: Any) -> tuple[Server, str]:
        server = serve(listen=LISTEN, **given)
        return server, f"http://{LOCAL}:{server.port_of('http')}"

    return start


def match_of(address: str) -> str:
    with urllib.request.urlopen(f"{address}/api/v1/lobby", timeout=30) as response:
        return f"{address}/matches/{json.load(response)['matches'][0]['id']}"


def begun(server: Server, *names: str) -> tuple[BlockingClient, BlockingClient]:
    ann, bob = (server.client(name) for name in names)
    return begin(ann, bob)


def test_a_board_changes_while_somebody_looks(server, new_page):
    first, second = begun(server, "ann", "bob")
    page = new_page(match_of(f"http://{LOCAL}:{server.port_of('http')}"))
    assert page.locator("#board .s-last").count() == 0
    play(first, second, 4)
    page.wait_for_selector("#board rect.s-last")
    page.wait_for_selector("#m1[aria-current=step]")
    assert re.fullmatch(r"\d+\.\d s|\d+:\d\d", page.locator(".seat.acts .clock").inner_text())
    page.keyboard.press("Home")
    expect(page.locator("#board polyline.s-first")).to_have_count(0)
    expect(page.locator("#past")).to_have_text("Looking back at move 0 1 newer move, follow the match")
    play(second, first, 0)
    page.wait_for_selector("#m2")
    assert page.locator("#where").inner_text() == "0 / 2", "who looks back is left where they are"
    expect(page.locator("#past")).to_contain_text("2 newer moves")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#board polyline.s-first")
    expect(page.locator("#past")).to_contain_text("Looking back at move 1 1 newer move,")
    page.click("#past a")
    page.wait_for_selector("#board circle.s-second")
    expect(page.locator("#past")).to_be_hidden()
    play(first, second, 1)
    page.wait_for_selector("#m3[aria-current=step]")
    page.click("#previous")
    expect(page.locator("#past")).to_contain_text("Looking back at move 2 1 newer move,")
    assert first.ask("forfeit") == "OK"
    expect(page.locator("#status")).to_contain_text("resigned")
    expect(page.locator("#past")).to_be_hidden()
    page.goto(page.url.partition("?")[0])
    page.wait_for_selector("#board circle.s-second")
    plain = new_page(page.url, java_script_enabled=False)
    plain.click("#previous")
    assert plain.locator("#where").inner_text() == "2 / 3", "the page works without scripts"
    assert plain.locator("#board polyline.s-first").count() == 2, "one cross"


def test_a_tournament_changes_while_somebody_looks(serve_pages, new_page):
    server, address = serve_pages()
    ann, bob = server.client("ann"), server.client("bob")
    page = new_page(f"{address}/tournaments")
    assert "no tournaments yet" in page.inner_text("main")
    ask_admin(server, "/api/tournaments", {"preset": "league", "name": "Spring cup", "game": "Tic-tac-toe"})
    ask_admin(server, "/api/tournaments/1/start", {"by": "Ms Reed"})
    page.goto(f"{address}/tournaments/1")
    page.wait_for_selector(".tile svg")
    expect(page.locator(".boards")).to_be_visible()
    phone = new_page(page.url, viewport={"width": 390, "height": 844})
    reader = new_page(page.url)
    reader.mouse.wheel(0, 10)
    for _ in range(2):
        opened = ann.expect("SVR GAME MATCH ")
        bob.expect("SVR GAME MATCH ")
        mover, other = (ann, bob) if 'PLAYERTOMOVE: "ann"' in opened else (bob, ann)
        mover.expect("SVR GAME YOURTURN ")
        play(mover, other, 4)
        page.wait_for_selector(".tile svg polyline.s-first")
        winner, loser = (other, mover) if mover is bob else (mover, other)
        assert loser.ask("forfeit") == "OK"
        loser.expect("SVR GAME LOSS ")
        winner.expect("SVR GAME WIN ")
    page.wait_for_url("**/tournaments/1/podium#ceremony")
    expect(page.locator(".place-1 .name")).to_have_text("ann")
    for other in (phone, reader):
        expect(other.locator("#way-on a")).to_have_text("It is over: see the podium")
        assert other.url.endswith("/tournaments/1"), "who reads is not taken away"
    expect(phone.locator("#head .phase")).to_have_text("over")
    expect(reader.locator("#head .phase")).to_have_text("running")
    reader.click("#way-on button")
    expect(reader.locator("#head .phase")).to_have_text("over")
    expect(reader.locator("#way-on")).to_be_empty()
    phone.click("#way-on a")
    expect(phone.locator(".place-1 .name")).to_have_text("ann")
    page.goto(f"{address}/tournaments/1")
    expect(page.locator("#head .phase")).to_have_text("over")
    expect(page.locator(".standings tbody tr").first).to_have_text(re.compile(r"^\s*1\s+ann\s+2\s"))
    expect(page.locator(".tile")).to_have_count(0)
    expect(page.locator(".boards")).to_be_hidden()
    page.get_by_role("link", name="Podium").click()
    ask_admin(server, "/api/tournaments/1/void", {"pairing": 2, "by": "Ms Reed", "why": "wet board"})
    page.wait_for_url("**/tournaments/1")
    expect(page.locator("#head .phase")).to_have_text("running")
    expect(phone.locator("#way-on a")).to_have_text("The tournament goes on: see the boards")
    expect(reader.locator("#head .phase")).to_have_text("running")
    expect(reader.locator("#way-on")).to_be_empty()


LONG_NAMES = ("M" * 32, "محمد عبد الرحمن بن عبد الله الطويل")
PATHS = ("/", "/matches/live", "/matches/1", "/matches", "/players/cleo", "/tournaments", "/tournaments/1")
HAVE_HOSTILE = ("/", "/matches/live", f"/players/{HOSTILE.replace('/', '%2F')}")


def test_pages_are_accessible_fit_and_take_no_name_for_markup(serve_pages, new_page):
    """Deque's axe sees contrast, names of everything that can be used, headings, tables, landmarks."""
    server, address = serve_pages()
    cleo, dora = begun(server, "cleo", "dora")
    assert cleo.ask("forfeit") == "OK"
    assert dora.ask("subscribe Reversi") == "OK"
    begun(server, *LONG_NAMES)
    begun(server, HOSTILE, "bob")
    ask_admin(server, "/api/tournaments", {"preset": "league", "name": "Spring cup", "game": "Reversi"})
    ask_admin(server, "/api/tournaments/1/start", {"by": "Ms Reed"})
    page = new_page(address, color_scheme="light", viewport={"width": 390, "height": 844})
    for path in PATHS:
        page.goto(f"{address}{path}")
        assert obstacles(page) == {}, path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark != light
    page.set_viewport_size({"width": 1920, "height": 1080})
    for row in page.locator(".standings tbody tr").all():
        name, points = row.locator(".name").bounding_box(), row.locator(".points").bounding_box()
        assert name["x"] + name["width"] <= points["x"], "a name does not lie over the points"
    for path in HAVE_HOSTILE:
        page.goto(f"{address}{path}")
        expect(page.locator("main")).to_contain_text(HOSTILE)
        assert page.locator("main img").count() == 0
    for path in PATHS:
        page.goto(f"{address}{path}")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
        assert obstacles(page) == {}, path
