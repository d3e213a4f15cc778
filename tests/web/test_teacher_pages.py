"""The teacher's pages: cookies, floods and guessed secrets, which no visit can tell, and what each trouble offers."""

import html
import re
from base64 import b64encode
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from gameserver.authentication.secret_queue import CHECKS_PER_S
from gameserver.core.lobby import TournamentRow
from gameserver.core.match import AFTER_RESTART
from gameserver.endpoints import HttpEndpoint
from gameserver.exports.tournament_report import view_of
from gameserver.http.listener import HttpProtocol
from gameserver.read_model.troubles import GUESSES_MIN, Presence, Trouble, TroubleKind
from gameserver.tournaments.presets import preset
from gameserver.web.application import pages as web_pages
from gameserver.web.teacher_pages import TROUBLES_MAX, Remedy, listed_games, trouble_lines
from gameserver.wire_log.files import WireLogSettings
from tests.admin.support import BEARER, get, serving_admin
from tests.http.support import Browser
from tests.support.rosters import roster_on
from tests.support.serving import Running
from tests.tournaments.playing import World, started
from tests.web.support import check_html
from tests.web.teaching import CUP, acts, following, hall, look, refusal, submit, teachers

KINDS = TroubleKind
MATCH, LOG, GAME = "http://hall:8080/matches/5", "/players?name=ann", "/tournaments/3?pick=7#games-title"
VOID, DROP, PAUSE = (f"/tournaments/3/{act}" for act in ("void?pairing=7", "drop?player=ann", "pause"))
REPLAY = f"{VOID}&why=the+first+own+move+after+a+restart+of+the+server"


async def test_the_teachers_name_is_kept(autojump_clock: MockClock) -> None:
    async with hall() as running:
        for name in ("Ms Reed", "Zoë; Path=/x", ""):
            answer = await submit(running, "/name", {"name": name})
            cookie, *flags = answer.headers["set-cookie"].split("; ")
            assert {"HttpOnly", "SameSite=strict"} <= set(flags)
            await submit(running, "/tournaments", CUP | {"name": f"Cup by {name}"}, f"Cookie: {cookie}")
            assert acts(running, "create-tournament")[-1]["by"] == (name or "the teacher's page")


async def test_without_a_page_for_the_projector_none_is_linked(autojump_clock: MockClock) -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP)
        for path in ("/", "/tournaments/1"):
            assert 'href="http://127.0.0.1:' not in await look(running, path)


async def test_the_form_is_answered_with_a_forecast(autojump_clock: MockClock) -> None:
    form = CUP | {"roster": "ann\nbob\ncyd", "until": ""}
    async with hall() as running:
        answer = await submit(running, "/tournaments/check", form)
        check_html(answer.text)
        assert "<li>About 3 matches of 3 players: begun now" in answer.text
        assert "ann\nbob\ncyd</textarea>" in answer.text, "what was typed is there still"
        assert not acts(running, "create-tournament")
        for path in ("/tournaments/check", "/tournaments"):
            answer = await submit(running, path, form | {"until": "late"})
            assert answer.status == 400
            assert "write for example 15:45" in refusal(answer)
        await submit(running, "/tournaments", form)
        assert "<li>About 3 matches of 3 players" in await look(running, "/tournaments/1")


async def test_the_form_takes_the_time_of_the_start(autojump_clock: MockClock) -> None:
    start = (datetime.now().astimezone() + timedelta(hours=1)).replace(second=0, microsecond=0)
    async with hall() as running:
        await submit(running, "/tournaments", CUP | {"roster": "ann\nbob", "start_at": f"{start:%H:%M}"})
        assert f"begun at {start:%H:%M}, it takes" in await look(running, "/tournaments/1")
        (created,) = acts(running, "create-tournament")
        assert created["plan"]["starts_at_ms"] == start.timestamp() * 1000


def test_open_games_are_listed_however_many_there_are() -> None:
    running = World(started(preset("league", "Cup", "Reversi"), 12), 3)
    for _ in range(4):
        running.tick()
    view = view_of(TournamentRow(1, running.tournament))
    listed = listed_games(view, 10)
    assert {one.number for one in view.pairings if not one.result} <= {one.number for one in listed}
    assert len(listed) == 10
    assert [one.number for one in listed] == sorted((one.number for one in listed), reverse=True)
    assert len(listed_games(view, None)) == len(view.pairings) > 10


async def test_a_flood_of_trouble_is_counted(autojump_clock: MockClock) -> None:
    async with hall() as running:
        await running.enter("ann")
        roster = "\r\n".join(f"p{number:02}" for number in range(2 * TROUBLES_MAX))
        await submit(running, "/tournaments", CUP | {"entry": "roster", "roster": roster, "preset": "swiss"})
        await submit(running, "/tournaments/1/start", {})
        page = await look(running, "/tournaments/1")
        assert page.count(" is not here") == TROUBLES_MAX
        assert f"And {TROUBLES_MAX} more" in re.sub(r"<[^>]*>", "", page)


def mark_of(page: str) -> str:
    return page.partition('data-mark="')[2].partition('"')[0]


def wall_ms() -> int:
    return 1_700_000_000_000 + round(trio.current_time() * 1000)


async def test_names_under_attack_are_shown_with_count_address_and_time(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    roster, began_ms = roster_on(tmp_path, {"ann": "apple-pie-1", "<b>": "pear-tree-2"}), wall_ms()
    async with serving_admin(teachers(), roster=roster, wall_ms=wall_ms) as running:
        before = await look(running)
        assert "Wrong secrets" not in before
        async with following(running, f"/events?after={mark_of(before)}") as stream:
            for line in ("login ann guess", "login ann guess2", "login <b> guess"):
                client = await running.connect()
                await client.send(line)
                assert "not the secret" in (await client.lines(3))[2]
            assert "ann" in (await stream.news("attacks"))["html"]["attacks"], "without loading the page again"
        page = await look(running)
        check_html(page)
        (table,) = re.findall(r'<div id="attacks">.*?</table>', page, re.DOTALL)
        rows = [re.sub(r"<[^>]*>", " ", row).split() for row in re.findall("<tr>.*?</tr>", table)[1:]]
        ann, other = (await get(running, "/api/status", BEARER)).json["attacks"]
        since, last = (datetime.fromtimestamp(ann[key] / 1000).astimezone() for key in ("since_ms", "last_ms"))
        assert rows[0] == ["ann", "2", "127.0.0.1", f"{since:%H:%M:%S}", f"{last:%H:%M:%S}"]
        assert rows[1][:3] == ["&lt;b&gt;", "1", "127.0.0.1"]
        assert (ann["tries"], ann["addresses"], other["name"]) == (2, ["127.0.0.1"], "<b>")
        assert began_ms <= ann["since_ms"] <= ann["last_ms"] <= wall_ms()
        assert "guess" not in table


async def guess(running: Running) -> None:
    """Guess ann's secret at a page of hers."""
    browser = await Browser.connect(running, running.ports["http"])
    given = f"Authorization: Basic {b64encode(b'ann:guess').decode()}"
    assert (await browser.get("/wire-log", [given])).status == 401


async def test_a_secret_guessed_at_a_page_shows_on_the_teachers_page_at_once(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """Nothing is asked of the lobby then, and the page is brought up to date all the same."""
    setup = {
        "roster": roster_on(tmp_path, {"ann": "apple-pie-1"}),
        "others": [HttpProtocol([], [HttpEndpoint("/", web_pages())])],
        "wire_log": WireLogSettings(str(tmp_path / "logs")),
    }
    async with (
        serving_admin(teachers(), **setup) as running,
        following(running, f"/events?after={mark_of(await look(running))}") as stream,
    ):
        await guess(running)
        with trio.fail_after(5):
            assert "ann" in (await stream.news("attacks"))["html"]["attacks"]


async def test_guessing_needs_attention_and_slips_do_not(autojump_clock: MockClock, tmp_path: Path) -> None:
    names = [f"<p{number}>" for number in range(5)]
    roster = roster_on(tmp_path, dict.fromkeys(names, "apple-pie-12"))
    async with serving_admin(teachers(), roster=roster) as running:
        for name in names:
            for _ in range(3 * GUESSES_MIN):
                roster.throttle.note(name, "10.1.2.3")
        for number in range(GUESSES_MIN - 1):
            roster.throttle.note("slips", f"10.0.0.{number}")
        began_s = trio.current_time()
        for _ in range(GUESSES_MIN):
            assert (await get(running, "/api/status", "Authorization: Bearer wrong")).status == 401
            assert (await get(running, "/api/status", BEARER)).status == 200, "the right token never waits"
        assert trio.current_time() - began_s == pytest.approx((GUESSES_MIN - 1) / CHECKS_PER_S, abs=0.05)
        page = await look(running)
        check_html(page)
        (section,) = re.findall('<section class="troubles".*?</section>', page, re.DOTALL)
        said = " ".join(html.unescape(re.sub("<[^>]*>", "", section)).replace("\u2013", "-").split())
        assert "<p0> - <p1> - <p2> and 2 more were tried with 150 wrong secrets, from 10.1.2.3." in said
        assert "This listener was tried with 10 wrong tokens, from 127.0.0.1." in said
        assert "slips" not in said
        assert [one["name"] for one in (await get(running, "/api/status", BEARER)).json["attacks"]] == [*names, "slips"]


def trouble(kind: TroubleKind, **fields: Any) -> Trouble:
    """A trouble in match 5, which is game 7 of tournament 3."""
    of_kind = {
        KINDS.LATE: {"why": "the last 3 games were lost on time"},
        KINDS.CUT_OFF: {"why": "the connection ended", "match": 5, "until_ms": 9_000},
        KINDS.ABSENT: {"why": Presence.AWAY.value, "until_ms": 9_000},
        KINDS.LAST_OF_ROUND: {"players": ("ann", "bob"), "why": "ann to move", "match": 5, "round": 2},
        KINDS.AFTER_RESTART: {"why": AFTER_RESTART, "match": 5},
        KINDS.HELD: {"players": ("ann", "bob"), "why": "a bug of ours"},
    }[kind]
    base = {"players": ("ann",), "tournament": 3, "title": "Cup", "phase": "running", "pairing": 7}
    return Trouble(kind, **(base | of_kind | fields))


def remedies(one: Trouble, pages_url: str = "http://hall:8080") -> list[Remedy]:
    (line,) = trouble_lines([one], pages_url)
    return list(line.remedies)


@pytest.mark.parametrize(
    ("kind", "addresses"),
    [
        (KINDS.HELD, [GAME, VOID]),
        (KINDS.AFTER_RESTART, [MATCH, REPLAY, GAME]),
        (KINDS.LATE, [LOG, "/?player=ann#players-title", VOID, DROP]),
        (KINDS.CUT_OFF, [MATCH, LOG, VOID, DROP]),
        (KINDS.ABSENT, [PAUSE, DROP]),
        (KINDS.LAST_OF_ROUND, [MATCH, VOID]),
    ],
)
def test_each_trouble_says_what_can_be_done(kind: TroubleKind, addresses: list[str]) -> None:
    found = remedies(trouble(kind))
    assert [one.address for one in found] == addresses
    assert [one.address for one in found if one.is_act] == [one for one in addresses if one.endswith("/pause")]


def test_acts_that_are_not_possible_now_are_not_offered() -> None:
    assert remedies(trouble(KINDS.ABSENT, phase="paused"))[0].address == DROP
    assert remedies(trouble(KINDS.LAST_OF_ROUND), pages_url="") == [Remedy("Annul and replay…", VOID)]
    outside = trouble(KINDS.CUT_OFF, tournament=None, pairing=None, title="", phase="")
    assert [one.address for one in remedies(outside)] == [MATCH, LOG, "/?match=5#matches-title"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [({}, "round 2"), ({"round_name": "Semi-final"}, "its round (Semi-final)"), ({"round": 0}, "its round")],
)
def test_a_round_is_named_as_in_the_bracket(fields: dict[str, Any], words: str) -> None:
    (line,) = trouble_lines([trouble(KINDS.LAST_OF_ROUND, **fields)], "")
    assert line.words == f"is the last match of {words}, and everybody waits for it: ann to move."


def test_a_game_lost_after_a_restart_says_so() -> None:
    (line,) = trouble_lines([trouble(KINDS.AFTER_RESTART)], "")
    assert line.words == "lost game 7 by an illegal move, the first own move after a restart of the server."
    assert line.remedies[0].label == "Play again…"


def test_names_are_quoted_in_addresses() -> None:
    one = trouble(KINDS.LATE, players=("a&b=c#d",))
    assert all("a%26b%3Dc%23d" in remedy.address for remedy in remedies(one) if "void" not in remedy.address)
