"""The teacher's pages in a real browser: a tournament from its beginning to its end, by forms, while bots play."""

import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from tests.end_to_end.blocking_client import BlockingClient, begin
from tests.end_to_end.server_process import Server, ask_admin, token_of
from tests.end_to_end.support import LOCAL
from tests.support.browser import expect, obstacles

LISTEN = (f"strategic={LOCAL}:0", f"http={LOCAL}:0", f"admin={LOCAL}:0")
NAMES = ("ann", "bob", "cyd", "dan")
SETTINGS = "games=40\npause_ms=100"
"""More than is played while the test lasts."""
REFUSED = {"/tournaments/1": "Add"}
"""The button of each page whose form is refused, with its fields left empty."""


@pytest.fixture
def open_teacher(serve, new_page):
    """A server, and the teacher's page of it, opened with the token."""

    def start(
        wire_log: Mapping[str, Any] | None = None, lobby: Mapping[str, Any] | None = None, **options: Any
    ) -> tuple[Server, Any]:
        server = serve(listen=LISTEN, wire_log=wire_log or {}, lobby=lobby or {})
        return server, opened(server, new_page, **options)

    return start


def opened(server: Server, new_page: Any, **options: Any) -> Any:
    """The teacher's page, opened with the token."""
    page = new_page(f"http://{LOCAL}:{server.port_of('admin')}", expected=("401", "400", "409"), **options)
    page.get_by_label("Token").fill(token_of(server))
    page.get_by_role("button", name="Open").click()
    expect(page.locator("h1")).to_have_text("Teacher")
    return page


@contextmanager
def bots(server: Server) -> Iterator[None]:
    """Players of Tic-tac-toe who take the first free field, until the block ends."""
    clients = [server.client(name) for name in NAMES]
    threads = [threading.Thread(target=_play, args=(client,), daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for client in clients:
            with suppress(OSError):
                client.socket.shutdown(socket.SHUT_RD)  # wakes the thread that reads, as closing would not
        for thread in threads:
            thread.join()
        for client in clients:
            client.close()


def _play(client: BlockingClient) -> None:
    taken: set[int] = set()
    with suppress(OSError, EOFError, AssertionError):
        while True:
            line = client.line()
            moved = re.search(r'SVR GAME MOVE .*MOVE: "(\d)"', line)
            if "SVR GAME MATCH" in line:
                taken = set()
            elif moved:
                taken.add(int(moved[1]))
            elif "SVR GAME YOURTURN" in line:
                client.send(f"move {min(set(range(9)) - taken)}")


def form_with(page: Any, button: str) -> Any:
    return page.locator("form", has=page.get_by_role("button", name=button, exact=True))


def do(page: Any, button: str, **fields: str) -> Any:
    """Fill in the form that has this button, and press it; what is said beside the form."""
    form = form_with(page, button)
    for name, value in fields.items():
        field = form.locator(f"[name={name}]")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    place = form.evaluate("form => [...document.forms].indexOf(form)")
    form.get_by_role("button", name=button, exact=True).click()
    return page.locator("form").nth(place).locator(".answer")


def confirm(page: Any, button: str, why: str, **fields: str) -> None:
    """Ask for a destructive act, and confirm it on the page that asks again."""
    do(page, f"{button}…", **fields)
    expect(page.locator("h1")).to_contain_text(f"{button}?")
    expect(page.locator(".losses")).not_to_be_empty()
    do(page, button, why=why)


def number_of_game(page: Any, stands_at: re.Pattern[str]) -> str:
    row = page.locator("#games tbody tr").filter(has_text=stands_at).first
    return row.locator("th").inner_text()


def test_a_tournament_by_forms_while_bots_play(server, new_page):
    page = opened(server, new_page)
    do(page, "Save", name="Ms Reed")
    with bots(server):
        for name in NAMES:
            expect(page.locator("#players")).to_contain_text(name)
        do(page, "Create", name="Spring cup", game="Tic-tac-toe", preset="league", settings=SETTINGS)
        expect(page.locator("h1")).to_contain_text("Spring cup")
        expect(page.locator("#facts .phase")).to_have_text("gathering")
        projector = page.get_by_role("link", name="The page for the projector")
        number = page.url.rpartition("/")[2]
        assert projector.get_attribute("href") == f"http://{LOCAL}:{server.port_of('http')}/tournaments/{number}"
        expect(do(page, "Start", why="here we go")).to_contain_text("Done.")
        expect(page.locator("#facts .phase")).to_have_text("running")

        why = form_with(page, "Add").locator("[name=why]")
        why.fill("typed while they play")
        games = page.locator("#games tbody tr")
        expect(games.nth(12)).to_be_visible()
        assert why.input_value() == "typed while they play"
        refused = do(page, "Add", player="ann")
        expect(refused).to_contain_text("Not done:")
        assert why.input_value() == "typed while they play"

        expect(do(page, "Pause", why="lunch")).to_contain_text("No new matches start")
        expect(page.get_by_role("button", name="Resume")).to_be_visible()
        assert form_with(page, "Resume").locator("[name=why]").input_value() == "", "nothing is done twice by mistake"
        expect(page.locator("#games")).not_to_contain_text("playing")
        draw = number_of_game(page, re.compile("1-0|0-1"))
        confirm(page, "Correct the result", "wet board", pairing=draw, verdict="draw")
        expect(page.locator("#done")).to_contain_text("Done.")
        expect(page.locator("#rulings")).to_contain_text("wet board")
        corrected = page.locator("#games tbody tr", has=page.get_by_role("rowheader", name=draw, exact=True))
        expect(corrected).to_contain_text("½-½")

        expect(do(page, "Resume")).to_contain_text("goes on")
        expect(page.locator("#done")).to_have_count(0)
        playing = number_of_game(page, re.compile("playing"))
        confirm(page, "Annul and replay", "dead mouse", pairing=playing)
        expect(page.locator("#done")).to_contain_text("annulled")
        expect(page.locator("#rulings")).to_contain_text(f"(game {playing}), by Ms Reed: dead mouse")
        confirm(page, "Cancel the tournament", "the wrong button")
        expect(page.locator("#facts .phase")).to_have_text("cancelled")
        with page.expect_download() as download:
            page.get_by_role("link", name="grades").first.click()
        assert "ann" in download.value.path().read_text("utf-8")


def test_a_choice_is_kept_while_others_come_and_go(server, new_page):
    page = opened(server, new_page)
    ann, _ = server.client("ann"), server.client("bob")
    expect(page.locator("#players")).to_contain_text("bob")
    kicked = page.locator("#kicked")
    expect(kicked.locator("option")).to_have_count(3)
    kicked.select_option("ann")
    kicked.focus()
    server.client("cyd")
    expect(page.locator("#players")).to_contain_text("cyd")
    expect(kicked.locator("option")).to_have_count(3)
    page.get_by_label("Your name").focus()
    expect(kicked.locator("option")).to_have_count(4)
    expect(kicked).to_have_value("ann")
    ann.close()
    expect(page.locator("#players")).not_to_contain_text("ann")
    expect(kicked).to_have_value("")
    page.get_by_role("button", name="End the connection").click()
    expect(page.locator("#players")).to_contain_text("bob")
    assert page.evaluate("document.querySelector('#kicked').matches(':invalid')"), "nobody else is put out instead"


def test_troubles_and_their_remedies_are_a_click_away(open_teacher):
    server, page = open_teacher()
    clients = {name: server.client(name) for name in ("ann", "bob", "cyd", "zoe")}
    roster = [{"player": name} for name in ("ann", "bob", "cyd", "dan")]
    cup = {"preset": "swiss", "name": "Spring cup", "game": "Reversi", "entry": "roster", "roster": roster}
    ask_admin(server, "/api/tournaments", cup)
    ask_admin(server, "/api/tournaments/1/start", {"by": "Ms Reed"})
    troubles = page.locator("#troubles")
    expect(troubles).to_contain_text("dan is not here")
    page.goto(f"http://{LOCAL}:{server.port_of('admin')}/tournaments/1")
    expect(troubles.locator(".clock")).to_have_text(re.compile(r"^[0-9.:]+( s)?$"))
    assert obstacles(page) == {}
    why = form_with(page, "Add").locator("[name=why]")
    why.fill("typed before")
    page.get_by_role("button", name="Add zoe").click()
    expect(page.locator("#acted")).to_contain_text("was added")
    expect(page.locator("#players")).to_contain_text("zoe")
    expect(page.locator("#who")).to_contain_text("4 of 5")
    page.locator("#games").get_by_role("link", name="2", exact=True).click()
    assert page.locator("input[name=pairing]").input_value() == "2"
    expect(page.locator("input[name=pairing]")).to_be_in_viewport()
    page.locator("#troubles").get_by_role("button", name="Pause").first.click()
    expect(page.locator("#facts .phase")).to_have_text("paused")
    expect(troubles).not_to_contain_text("dan is not here")
    assert why.input_value() == "typed before", "what stands typed in other forms stays"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    clients["zoe"].close()
    expect(page.locator("#who")).to_contain_text("3 of 5")


def test_roster_fits_and_is_accessible(open_teacher, tmp_path):
    """Measures it with names of 64 letters and of other scripts, on a projector and on a phone."""
    names = ["W" * 64, "李明", "Мария Иванова", "محمد", "ann", *(f"student {number}" for number in range(55))]
    guid = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
    lines = "".join(f"{name},,{guid if name == 'ann' else ''}\n" for name in names)
    (tmp_path / "class.csv").write_text(f"name,secret,gammonx_id\n{lines}", encoding="utf-8")
    server, page = open_teacher(lobby={"roster": str(tmp_path / "class.csv")})
    for name in (*names[:3], "ann", "Student 7", "someone"):
        server.client(name)
    page.get_by_role("link", name="Roster").click()
    expect(page.locator("#roll")).to_contain_text("4 of 60 here")
    expect(page.locator(".mistaken")).to_contain_text("Student 7 is here")
    server.client("محمد")
    expect(page.locator("#roll")).to_contain_text("5 of 60 here")
    for size in ((1920, 1080), (390, 844)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        assert page.evaluate("document.documentElement.scrollWidth") == size[0]
        assert page.evaluate("document.querySelector('#missing-title').getBoundingClientRect().bottom") < size[1]
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert obstacles(page) == {}, scheme


def test_nothing_stands_in_the_teachers_way(open_teacher, tmp_path):
    server, page = open_teacher(wire_log={"directory": str(tmp_path / "logs")})
    first, _ = begin(server.client("eve"), server.client("fay"))
    assert first.ask("forfeit") == "OK"
    for name in NAMES:
        server.client(name)
    ask_admin(server, "/api/tournaments", {"preset": "league", "name": "Spring cup", "game": "Reversi"})
    ask_admin(server, "/api/tournaments/1/start", {"by": "Ms Reed", "why": "here we go"})
    for path in (
        "/matches/1",
        "/players?name=eve",
        "/",
        "/drain?within_s=soon",
        "/drain?within_s=60",
        "/tournaments/1",
    ):
        page.goto(f"http://{LOCAL}:{server.port_of('admin')}{path}")
        if path in REFUSED:
            do(page, REFUSED[path], why=" ")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert obstacles(page) == {}, (path, scheme)
    page.reload()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "why", "the keyboard comes to the forms at once"
