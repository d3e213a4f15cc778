"""The teacher's pages over HTTP: forms do what the requests do, and what is refused is said on the page."""

import re
from base64 import b64encode
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
import trio
from trio.testing import MockClock

from gameserver.admin.tournament_api import APPLICATION as TOURNAMENTS
from gameserver.authentication.roster import Roster
from gameserver.core.organizer.conduct import KEPT_MAX
from gameserver.core.state.tournament import TournamentRow
from gameserver.endpoints import HttpEndpoint
from gameserver.exports.tournament_report import view_of
from gameserver.http.listener import HttpProtocol
from gameserver.journal.recovery import replay
from gameserver.tournaments.output.shared_dice import WARNING
from gameserver.tournaments.plan import EFFECTS
from gameserver.tournaments.presets import preset
from gameserver.web.admin_pages.application import pages
from gameserver.web.admin_pages.tournament import listed_games
from gameserver.web.pages.application import pages as web_pages
from gameserver.wire_log.files import WireLogSettings
from tests.admin.support import BEARER, admin, get, serving_admin
from tests.http.support import Answer, Browser
from tests.support.games import catalogue
from tests.support.serving import Running
from tests.tournaments.playing import World, started
from tests.web.support import check_html

ORIGIN = "Origin: http://localhost:1"
CUP = {"preset": "hanze", "name": "Cup", "game": "Tic-tac-toe", "entry": "logged-in"}


def teachers() -> tuple[HttpEndpoint, ...]:
    return HttpEndpoint("/api/tournaments", TOURNAMENTS), HttpEndpoint("/", pages())


def hall() -> Any:
    return serving_admin(teachers())


async def submit(running: Running, path: str, form: Any, *headers: str) -> Answer:
    """Send a form, with the token."""
    body = urlencode(form).encode()
    return await (await admin(running)).post(path, body, BEARER, ORIGIN, *headers, host="localhost:1")


async def look(running: Running, path: str = "/") -> str:
    answer = await get(running, path, BEARER, "Accept: text/html")
    assert answer.status == 200, answer
    return answer.text


class Stream:
    """A page's stream, as its script reads it."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.unread = ""
        self.html: dict[str, str] = {}

    @classmethod
    async def open(cls, running: Running, path: str) -> "Stream":
        stream = await trio.open_tcp_stream("127.0.0.1", running.ports["admin"])
        await stream.send_all(f"GET {path} HTTP/1.1\r\nHost: localhost:1\r\n{BEARER}\r\n\r\n".encode())
        return cls(stream)

    async def until(self, region: str) -> str:
        """The region as it is sent next."""
        while region not in self.html:
            self.unread += (await self.stream.receive_some()).decode()
            for data in re.findall(r"^data: (.*)\n\n", self.unread, re.MULTILINE):
                self.html |= orjson.loads(data)["html"] if data.startswith("{") else {}
        return self.html.pop(region)

    def close(self) -> None:
        self.stream.socket.close()


def acts(running: Running, tag: str) -> list[Any]:
    return [orjson.loads(row.body) for row in running.journal.read_from(1) if row.tag == tag]


def refusal(answer: Answer) -> str:
    found = re.search(r'role="alert"><b>Not done:</b> (.*?)</p>', answer.text)
    assert found, answer.text
    return found[1]


async def test_a_tournament_by_forms_alone() -> None:
    async with hall() as running:
        assert "There are no tournaments yet" in await look(running)
        assert "<dt>hanze</dt><dd>format=round-robin, tie_breaks," in await look(running)
        ann, bob = await running.enter("ann", "bob")
        made = await submit(running, "/tournaments", CUP | {"why": "the last week", "turn_time_s": "7"})
        assert (made.status, made.headers["location"]) == (303, "/tournaments/1?done=create")
        assert "is created" in await look(running, made.headers["location"])
        reed = "Cookie: gameserver-teacher=Ms%20Reed"
        assert (await submit(running, "/tournaments/1/start", {"why": ""}, reed)).status == 303
        for act in ("pause", "resume"):
            answer = await submit(running, f"/tournaments/1/{act}", {"why": "lunch"}, reed)
            assert answer.headers["location"] == f"/tournaments/1?done={act}"
        page = await look(running, "/tournaments/1")
        assert "ann" in page
        assert "by Ms Reed: lunch" in page
        first, second = re.search(r">(ann|bob) \S (ann|bob) \(playing\)<", page).groups()  # type: ignore[union-attr]
        await {"ann": ann, "bob": bob}[second].send("forfeit")
        await {"ann": ann, "bob": bob}[first].until("WIN")
        correction = {"pairing": "1", "verdict": "draw", "why": "the board was wet"}
        assert (await submit(running, "/tournaments/1/correct", correction, reed)).status == 303
        page = await look(running, "/tournaments/1")
        assert "½-½" in page
        assert "the board was wet" in page
        assert {body["act"]["by"] for body in acts(running, "conduct") if body["act"]["act"] == "pause"} == {"Ms Reed"}
        assert ">over, 1 played" in re.sub(r"\s+", " ", await look(running))


async def test_players_come_and_go_by_forms() -> None:
    async with hall() as running:
        await running.enter("ann", "bob", "cyd")
        await submit(running, "/tournaments", CUP | {"entry": "roster", "roster": "ann\r\nbob,1650\r\n"})
        assert (await submit(running, "/tournaments/1/add", {"player": "cyd", "rating": "900"})).status == 303
        assert (await submit(running, "/tournaments/1/start", {})).status == 303
        assert (await submit(running, "/tournaments/1/void", {"pairing": "1", "why": "dead mouse"})).status == 303
        assert (await submit(running, "/tournaments/1/drop", {"player": "bob", "why": "ill"})).status == 303
        assert (await submit(running, "/tournaments/1/disqualify", {"player": "cyd", "why": "cheat"})).status == 303
        page = await look(running, "/tournaments/1")
        assert all(why in page for why in ("dead mouse", "ill", "cheat"))


async def test_effects_of_dropping_and_disqualifying_stand_beside_the_buttons() -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP)
        plan = preset("hanze", "Cup", "Tic-tac-toe")
        page = await look(running, "/tournaments/1")
        form = page[page.index(">Disqualify…</button>") :].partition("</form>")[0]
        assert f"After a drop: {EFFECTS[plan.withdrawal]}." in form
        assert f"After a disqualification: {EFFECTS[plan.disqualification]}." in form


async def test_the_lobby_by_forms() -> None:
    async with hall() as running:
        first, second = await running.match()
        page = await look(running)
        (number,) = re.findall(r'<option value="(\d+)">\d+: ', page)
        voided = await submit(running, "/void", {"match": number, "why": "x"})
        assert voided.headers["location"] == "/?done=void-match"
        assert "No match is being played" in await look(running)
        assert (await submit(running, "/kick", {"player": first.name, "why": "asleep"})).status == 303
        await first.rest()
        assert f'<option value="{second.name}">' in await look(running)
        assert f'<option value="{first.name}">' not in await look(running)
        assert (await submit(running, "/drain", {"within_s": "60", "why": "the evening"})).status == 303
        assert [body["within_ms"] for body in acts(running, "drain")] == [60_000]


REFUSALS = [
    ("/tournaments", CUP | {"name": ""}, 400, "Give the tournament a name"),
    ("/tournaments", CUP | {"settings": "games=0"}, 400, "games must be from 1 to 100"),
    ("/tournaments", CUP | {"settings": "games"}, 400, "KEY=VALUE"),
    ("/tournaments", CUP | {"turn_time_s": "soon"}, 400, "must be a whole number, not"),
    ("/tournaments", CUP | {"entry": "roster", "roster": "ann,best"}, 400, "the rating of ann"),
    ("/tournaments", CUP | {"game": "<b>"}, 409, "there is no game &lt;b&gt;"),
    ("/tournaments/1/start", {}, 409, "at least two players"),
    ("/tournaments/1/drop", {"player": "ann"}, 400, "Give a reason"),
    ("/tournaments/1/void", {"pairing": "", "why": "x"}, 400, "Give the number of the game"),
    ("/tournaments/1/dance", {}, 404, "there is no such act"),
    ("/tournaments/7/start", {}, 409, "there is no tournament 7"),
    ("/kick", {"player": "<zed>", "why": "x"}, 409, "there is no player &#39;&lt;zed&gt;&#39; here"),
    ("/kick", {"player": "ann", "why": " "}, 400, "Give a reason"),
    ("/void", {"match": "99", "why": "x"}, 409, "there is no such match, or it is over"),
    ("/void", {"match": "99999999999999999999", "why": "x"}, 400, "must be a whole number"),
    ("/drain", {"within_s": "999999", "why": "x"}, 400, "within_s"),
    ("/nowhere", {}, 404, "there is no such page"),
]


async def test_refusal_is_shown_on_the_page() -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP | {"entry": "roster"})
        for path, form, status, says in REFUSALS:
            answer = await submit(running, path, form)
            check_html(answer.text)
            assert (path, answer.status, says in refusal(answer)) == (path, status, True), refusal(answer)
        kept = await submit(running, "/tournaments", CUP | {"name": "Spring", "settings": "games=0"})
        assert 'value="Spring"' in kept.text, "what was typed is still there"
        assert ">games=0</textarea>" in kept.text


TYPED = [
    ("/kick", {"player": "zed", "why": "he sleeps"}),
    ("/void", {"match": "99", "why": "he sleeps"}),
    ("/drain", {"within_s": "soon", "why": "he sleeps"}),
    ("/tournaments/1/start", {"why": "he sleeps"}),
    ("/tournaments/1/disqualify", {"player": "zed", "why": "he sleeps"}),
    ("/tournaments/1/correct", {"pairing": "77", "verdict": "draw", "why": "he sleeps"}),
]


@pytest.mark.parametrize(("path", "form"), TYPED)
async def test_typed_text_stays_in_its_form_beside_the_refusal(path: str, form: dict[str, str]) -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP | {"entry": "roster"})
        answer = await submit(running, path, form)
        refused = [part for part in answer.text.split("<form")[1:] if "Not done:" in part.partition("</form>")[0]]
        assert len(refused) == 1, "said beside the form that asked"
        assert f'"{path}"' in refused[0].partition("</form>")[0]
        for value in form.values():
            if value not in {"zed", "99"} or path.startswith("/tournaments"):
                assert f'value="{value}"' in refused[0]
        assert answer.text.count("he sleeps") == 1, "and in no other form"


async def test_a_page_follows_what_happens(autojump_clock: MockClock) -> None:
    async with hall() as running:
        ann, bob = await running.enter("ann", "bob")
        await submit(running, "/tournaments", CUP)
        for path in ("/", "/tournaments/1"):
            page = await look(running, path)
            check_html(page)
            events, mark = re.findall(r' data-events="(.*?)" data-mark="(.*?)"', page)[0]
            stream = await Stream.open(running, f"{events}{'&' if '?' in events else '?'}after={mark}")
            if path == "/":
                (cyd,) = await running.enter("cyd")
                assert ">cyd</a></th>" in await stream.until("players")
                await cyd.send("logout")
            else:
                await submit(running, "/tournaments/1/start", {})
                assert "Pause" in await stream.until("life")
                assert "(playing)" in await stream.until("pairings")
            stream.close()
        assert ann is not bob


async def test_a_match_is_explained_with_the_network(autojump_clock: MockClock) -> None:
    async with hall() as running:
        first, _ = await running.match()
        live = await look(running, "/matches/1")
        check_html(live)
        assert "This match is still being played" in live
        await trio.sleep(11)
        await first.until("LOSS")
        page = await look(running, "/matches/1")
        check_html(page)
        assert f"{first.name} lost on time" in page
        assert "the round trip" in page
        for path in ("/matches/9", f"/matches/{1 << 80}", "/players?name=zed"):
            assert (await get(running, path, BEARER, "Accept: text/html")).status == 404


async def test_a_wire_log_is_shown_and_downloaded(tmp_path: Path) -> None:
    async with serving_admin(teachers(), wire_log=WireLogSettings(str(tmp_path))) as running:
        ann, _ = await running.enter("ann <1>", "bob")
        await ann.send("get gamelist")
        await ann.until("GAMELIST")
        running.server._wire_log.flush()
        page = await look(running, "/players?name=ann+%3C1%3E")
        check_html(page)
        assert re.search(r"\d\d:\d\d\.\d{6}Z +\d+ strategic &lt; b&#39;get gamelist", page)
        assert "login bob" not in page
        (address,) = re.findall(r'href="(/api/wire-log\?.*?)"', page)
        file = await get(running, address, BEARER)
        assert file.headers["content-disposition"] == 'attachment; filename="wire-log-ann1.txt"'
        assert "get gamelist" in file.text
        assert (await get(running, address)).status == 401
        assert (await get(running, "/api/wire-log?player=zed", BEARER)).status == 404


async def test_without_wire_logs_the_page_says_how_to_have_them() -> None:
    async with hall() as running:
        await running.enter("ann")
        assert "wire_log.directory" in await look(running, "/players?name=ann")


async def test_nobody_follows_without_the_token() -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP)
        for path in ("/events", "/tournaments/1/events"):
            assert (await get(running, path)).status == 401


@pytest.mark.parametrize("is_served", [True, False])
async def test_the_projectors_page_is_a_click_away(*, is_served: bool) -> None:
    others = [HttpProtocol([], [HttpEndpoint("/", web_pages())])] if is_served else []
    async with serving_admin(teachers(), others=others) as running:
        await submit(running, "/tournaments", CUP)
        address = f'href="http://127.0.0.1:{running.ports.get("http")}/tournaments/1"'
        for path in ("/", "/tournaments/1"):
            assert (address in await look(running, path)) == is_served


async def test_the_teacher_is_warned_of_dice_that_are_known_beforehand() -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP | {"name": "Fair"})
        await submit(running, "/tournaments", CUP | {"name": "Known", "settings": "same_chance=true"})
        assert WARNING not in await look(running, "/tournaments/1")
        assert WARNING in await look(running, "/tournaments/2")


def test_open_games_are_listed_however_many_there_are() -> None:
    running = World(started(preset("league", "Cup", "Reversi"), 12), 3)
    for _ in range(4):
        running.tick()
    view = view_of(TournamentRow(1, running.tournament), 0)
    listed = listed_games(view, 10)
    assert {one.number for one in view.pairings if not one.result} <= {one.number for one in listed}
    assert len(listed) == 10
    assert [one.number for one in listed] == sorted((one.number for one in listed), reverse=True)
    assert len(listed_games(view, None)) == len(view.pairings) > 10


async def test_names_are_only_text() -> None:
    async with hall() as running:
        await running.enter("<b>x</b>")
        await submit(running, "/tournaments", CUP | {"name": '"><script>alert(1)</script>'})
        for page in (await look(running), await look(running, "/tournaments/1")):
            assert "<script>alert" not in page
            assert "<b>x" not in page
            assert "&lt;b&gt;x&lt;/b&gt;" in page
        assert "Done." not in await look(running, "/?done=%3Cb%3E")
        answer = await get(running, "/", BEARER)
        assert "script-src 'self'" in answer.headers["content-security-policy"]


async def test_nobody_comes_in_without_the_token() -> None:
    async with hall() as running:
        for path in ("/", "/tournaments/1", "/static/page.css"):
            answer = await get(running, path, "Accept: text/html")
            assert (answer.status, 'name="token"' in answer.text) == (401, True)
        body = urlencode(CUP).encode()
        stranger = await admin(running)
        assert (await stranger.post("/tournaments", body, ORIGIN, host="localhost:1")).status == 401
        foreign = await admin(running)
        refused = await foreign.post("/tournaments", body, BEARER, "Origin: http://evil.example", host="localhost:1")
        assert refused.status == 403
        assert "There are no tournaments yet" in await look(running)


@pytest.mark.parametrize("name", ["Ms Reed", "Zoë; Path=/x", ""])
async def test_the_teachers_name_is_kept(name: str) -> None:
    async with hall() as running:
        answer = await submit(running, "/name", {"name": name})
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        await submit(running, "/tournaments", CUP, f"Cookie: {cookie.partition(';')[0]}")
        (made,) = acts(running, "create-tournament")
        assert made["by"] == (name or "the teacher's page")


async def test_an_old_tournament_comes_back_from_the_records_to_be_changed() -> None:
    async with hall() as running:
        for number in range(1, KEPT_MAX + 3):
            await submit(running, "/tournaments", CUP | {"name": f"Cup {number}", "entry": "roster", "roster": "ann"})
            await submit(running, f"/tournaments/{number}/cancel", {"why": "the next one"})
        kept = running.server._sequencer._lobby.tournaments
        assert list(kept) == list(range(2, KEPT_MAX + 3))
        assert 'href="/tournaments/1"' in await look(running)
        page = await look(running, "/tournaments/1")
        check_html(page)
        assert ">ann<" in page
        assert ">Resume</button>" in page
        (mark,) = re.findall(r'data-mark="([^"]+)"', page)
        refused = await submit(running, "/tournaments/1/pause", {})
        assert (refused.status, refusal(refused)) == (409, "Cup 1 was cancelled and cannot pause now")
        assert list(kept) == list(range(2, KEPT_MAX + 3)), "nothing was restored for it"
        stream = await Stream.open(running, f"/tournaments/1/events?after={mark}")
        assert (await submit(running, "/tournaments/1/resume", {"why": "it counts"})).status == 303
        assert "gathering" in await stream.until("facts"), "the page goes on"
        stream.close()
        assert kept[1].state.rulings[-1].why == "it counts"
        assert list(kept) == [*range(4, KEPT_MAX + 3), 1], "those that were there longest make room"
        assert replay(running.journal, catalogue()).lobby.tournaments == kept
        numbers = re.findall(r'class="name" href="/tournaments/(\d+)"', await look(running))
        assert numbers == [str(number) for number in range(KEPT_MAX + 2, 0, -1)], "in their order as ever"
        assert "it counts" in await look(running, "/tournaments/1")


async def test_names_under_attack_are_shown_with_count_address_and_time(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = tmp_path / "roster.csv"
    await trio.Path(file).write_text("name,secret\nann,apple-pie-1\n<b>,pear-tree-2\n")
    roster = Roster(file, trio.current_time)
    roster.load()

    def wall_ms() -> int:
        return 1_700_000_000_000 + round(trio.current_time() * 1000)

    began_ms = wall_ms()
    async with serving_admin(teachers(), roster=roster, wall_ms=wall_ms) as running:
        before = await look(running)
        assert "Wrong secrets" not in before
        (mark,) = re.findall(r'data-mark="([^"]+)"', before)
        stream = await Stream.open(running, f"/events?after={mark}")
        for line in ("login ann guess", "login ann guess2", "login <b> guess"):
            client = await running.connect()
            await client.send(line)
            assert "not the secret" in (await client.lines(3))[2]
        page = await look(running)
        check_html(page)
        (table,) = re.findall(r'<div id="attacks">.*?</table>', page, re.DOTALL)
        rows = [re.sub(r"<[^>]*>", " ", row).split() for row in re.findall("<tr>.*?</tr>", table)[1:]]
        ann, other = orjson.loads((await get(running, "/api/status", BEARER)).body)["attacks"]
        since, last = (datetime.fromtimestamp(ann[key] / 1000).astimezone() for key in ("since_ms", "last_ms"))
        assert rows[0] == ["ann", "2", "127.0.0.1", f"{since:%H:%M:%S}", f"{last:%H:%M:%S}"]
        assert rows[1][:3] == ["&lt;b&gt;", "1", "127.0.0.1"]
        assert (ann["tries"], ann["addresses"], other["name"]) == (2, ["127.0.0.1"], "<b>")
        assert began_ms <= ann["since_ms"] <= ann["last_ms"] <= wall_ms()
        assert "guess" not in table
        assert "ann" in await stream.until("attacks"), "without loading the page again"
        stream.close()


async def test_a_secret_guessed_at_a_page_shows_on_the_teachers_page_at_once(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """Nothing is asked of the lobby then, and the page is brought up to date all the same."""
    file = tmp_path / "roster.csv"
    await trio.Path(file).write_text("name,secret\nann,apple-pie-1\n")
    roster = Roster(file, trio.current_time)
    roster.load()
    others = [HttpProtocol([], [HttpEndpoint("/", web_pages())])]
    logs = WireLogSettings(str(tmp_path / "logs"))
    async with serving_admin(teachers(), roster=roster, others=others, wire_log=logs) as running:
        page = await look(running)
        (mark,) = re.findall(r'data-mark="([^"]+)"', page)
        stream = await Stream.open(running, f"/events?after={mark}")
        browser = await Browser.connect(running, running.ports["http"])
        guess = f"Authorization: Basic {b64encode(b'ann:guess').decode()}"
        assert (await browser.get("/wire-log", [guess])).status == 401
        with trio.fail_after(5):
            assert "ann" in await stream.until("attacks")
        stream.close()
