"""The teacher's view of the lobby, and the acts, which are in the journal with their author and reason."""

import orjson
import pytest
from trio.testing import MockClock

from tests.admin.support import BEARER, get, post, serving_admin


async def test_the_status_shows_everything(autojump_clock: MockClock) -> None:
    async with serving_admin() as running:
        first, second = await running.match()
        (cyd,) = await running.enter("cyd")
        await cyd.send("subscribe Reversi")
        await cyd.line()
        shown = (await get(running, "/api/status", BEARER)).json
        assert {player["name"]: player["match"] for player in shown["players"]} == {"ann": 1, "bob": 1, "cyd": None}
        assert shown["queues"] == [{"game": "Reversi", "players": ["cyd"]}]
        (match,) = shown["matches"]
        assert match["game"] == "Tic-tac-toe"
        assert sorted(match["players"]) == ["ann", "bob"]
        assert (match["moves"], match["phase"], match["awaited"]) == (0, "playing", [first.name])


async def test_a_voided_match_has_no_loser_and_says_who_and_why(autojump_clock: MockClock) -> None:
    async with serving_admin() as running:
        first, second = await running.match()
        done = await post(running, "/api/matches/1/void", {"why": "fire drill", "by": "Ms Reed"})
        assert done.json == {"done": True, "events": []}
        for client in (first, second):
            assert (await client.line()).startswith("SVR GAME DRAW")
        (record,) = running.journal.read_records()
        assert (record.reason, record.why) == ("void", "fire drill (voided by Ms Reed)")
        (row,) = [row for row in running.journal.read_from(1) if row.tag == "void"]
        assert orjson.loads(row.body) == {"match": 1, "why": "fire drill", "by": "Ms Reed"}
        again = await post(running, "/api/matches/1/void", {"why": "fire drill"})
        assert (again.status, again.json) == (409, {"error": "there is no such match, or it is over"})


async def test_a_kicked_player_is_told_why_and_may_come_back(autojump_clock: MockClock) -> None:
    async with serving_admin() as running:
        first, second = await running.match()
        await post(running, f"/api/players/{first.name}/kick", {"why": "floods", "by": "Ms Reed"})
        assert (await first.rest())[-1] == "ERR The teacher has ended this connection: floods"
        assert (await second.line()).startswith("SVR GAME WIN")
        tags = [row.tag for row in running.journal.read_from(1)]
        assert tags[-1] == "kick", "the end of the connection needs no row of its own"
        await running.enter(first.name)


async def test_a_kick_of_nobody(autojump_clock: MockClock) -> None:
    async with serving_admin() as running:
        refused = await post(running, "/api/players/no%2Fbody/kick", {"why": "x"})
        assert (refused.status, refused.json) == (409, {"error": "there is no player 'no/body' here"})


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "required field missing"),
        ({"why": ""}, "Length of 'why' must be >= 1"),
        ({"why": "x" * 501}, "Length of 'why' must be <= 500"),
        ({"why": "x", "for": "y"}, "extra fields found (for)"),
        ([], "the body does not fit"),
        (None, "the body does not fit"),
    ],
)
async def test_an_act_needs_a_reason(autojump_clock: MockClock, body: object, says: str) -> None:
    async with serving_admin() as running:
        await running.match()
        refused = await post(running, "/api/matches/1/void", body)
        assert refused.status == 400
        assert says in refused.json["error"]
