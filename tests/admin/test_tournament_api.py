"""Tournaments through the admin listener: create, conduct, look, export."""

import csv
from pathlib import Path
from typing import Any

import orjson
import pytest
import trio
from attrs import evolve
from trio.testing import MockClock

from gameserver.admin.tournament_api import APPLICATION
from gameserver.authentication.roster import Roster
from gameserver.core.organizer.conduct import KEPT_MAX
from gameserver.endpoints import HttpEndpoint
from gameserver.exports.tournament_report import EXPORTS
from gameserver.tournaments.lifecycle.act_table import teacher_acts
from tests.admin.support import BEARER, get, post, serving_admin
from tests.http.support import Answer
from tests.support.serving import NO_PAUSE, Running

CUP = {"preset": "hanze", "name": "Cup", "game": "tic-tac-toe", "changes": {"pause_ms": 0}}
ANN_ALONE = {"roster": [{"player": "ann"}]}


def hall() -> Any:
    return serving_admin((HttpEndpoint("/api/tournaments", APPLICATION),))


async def shown(running: Running, path: str = "/api/tournaments/1") -> Any:
    answer = await get(running, path, BEARER)
    assert answer.status == 200, answer
    return answer.json


async def test_a_tournament_from_its_creation_to_its_files() -> None:
    async with hall() as running:
        ann, bob, cyd = await running.enter("ann", "bob", "cyd")
        created = await post(running, "/api/tournaments", CUP | {"by": "Ms Reed", "why": "the last week"})
        assert created.status == 201
        assert created.json["game"] == "Tic-tac-toe"
        assert (created.json["number"], created.json["phase"]) == (1, "gathering")
        started = await post(running, "/api/tournaments/1/start", {"by": "Ms Reed"})
        assert (started.json["phase"], started.json["players"]) == ("running", 3)
        for _ in range(3):
            live = next(one for one in (await shown(running))["pairings"] if one["status"] == "playing")
            loser = {"ann": ann, "bob": bob, "cyd": cyd}[live["second"]]
            await loser.send("forfeit")
            await loser.until("LOSS")
        view = await shown(running)
        assert view["phase"] == "over"
        assert view["rulings"][0]["by"] == "Ms Reed"
        assert {one["result"] for one in view["pairings"]} == {"1-0"}
        for kind in EXPORTS:
            text = (await get(running, f"/api/tournaments/1/export/{kind}", BEARER)).body.decode()
            assert "ann" in text
        grades = (await get(running, "/api/tournaments/1/export/grades", BEARER)).body.decode()
        assert {row["player"] for row in csv.DictReader(grades.splitlines())} == {"ann", "bob", "cyd"}
        download = (await get(running, "/api/tournaments/1/export/grades?csv=dutch", BEARER)).body.decode("utf-8-sig")
        dutch = {row["player"]: row["grade"] for row in csv.DictReader(download.splitlines(), delimiter=";")}
        assert dutch == {row["player"]: row["grade"].replace(".", ",") for row in csv.DictReader(grades.splitlines())}
        posted = await post(running, "/api/tournaments/1/export/grades", {"csv": "dutch"})
        assert posted.body.decode() == download
        refused = await get(running, "/api/tournaments/1/export/grades?csv=greek", BEARER)
        assert (refused.status, "dutch" in refused.json["error"]) == (400, True)
        (listed,) = (await shown(running, "/api/tournaments"))["tournaments"]
        assert (listed["name"], listed["done"], listed["left"]) == ("Cup", 3, 0)
        bodies = [orjson.loads(row.body) for row in running.journal.read_from(1) if row.tag == "conduct"]
        assert [body["act"]["by"] for body in bodies if body["act"]["act"] == "start"] == ["Ms Reed"]


@pytest.mark.parametrize(
    ("setting", "changes", "turn_time_ms"),
    [
        ({}, {}, 10_000),
        ({"turn_time_ms": 30_000}, {}, None),
        ({"room_turn_time_ms": 30_000}, {}, None),
        ({"ticket_turn_time_ms": 30_000}, {}, None),
        ({"turn_time_ms": 30_000}, {"turn_time_ms": 5_000}, 5_000),
    ],
)
async def test_what_the_teacher_chose_goes_before_the_presets_turn_time(
    setting: dict[str, int], changes: dict[str, int], turn_time_ms: int | None
) -> None:
    """The preset names 10 s. A teacher who has set another time for the server, or for this tournament, wants that."""
    tournaments = HttpEndpoint("/api/tournaments", APPLICATION)
    async with serving_admin((tournaments,), rules=evolve(NO_PAUSE, **setting)) as running:
        created = await post(running, "/api/tournaments", CUP | {"changes": changes})
        assert created.json["turn_time_ms"] == turn_time_ms


async def test_remaining_time_and_bottleneck_are_those_of_the_moment_of_the_request(autojump_clock: MockClock) -> None:
    async with hall() as running:
        clients = dict(zip(("ann", "bob", "cyd"), await running.enter("ann", "bob", "cyd"), strict=True))
        await post(running, "/api/tournaments", CUP | {"changes": {"pause_ms": 0, "turn_time_ms": 600_000}})
        await post(running, "/api/tournaments/1/start", {})
        await trio.sleep(10)
        assert (await shown(running))["waiting"] is None
        live = next(one for one in (await shown(running))["pairings"] if one["status"] == "playing")
        await clients[live["second"]].send("forfeit")
        await clients[live["second"]].until("LOSS")
        etas_ms = []
        for _ in range(2):
            etas_ms.append((await shown(running))["eta_ms"])
            (listed,) = (await shown(running, "/api/tournaments"))["tournaments"]
            assert listed["eta_ms"] == pytest.approx(etas_ms[-1], abs=1_000)
            await trio.sleep(100)
        assert etas_ms[1] - etas_ms[0] == pytest.approx(130_000, abs=2_000), "a game has taken 100 s longer so far"
        (third,) = clients.keys() - {live["first"], live["second"]}
        waiting = (await shown(running))["waiting"]
        assert waiting.pop("for_ms") == pytest.approx(200_000, abs=1_000)
        assert waiting == {"players": [third], "why": "", "hold": None}


async def test_grades_have_ids_of_the_roster_and_of_the_request(tmp_path: Path) -> None:
    file = tmp_path / "class.csv"
    file.write_text("name,secret,id\nann,,s1001\nbob,,\ncyd,,s1003\n")
    roster = Roster(file, trio.current_time)
    roster.load()
    path = "/api/tournaments/1/export"
    names = {"entry": "roster", "roster": [{"player": name} for name in ("ann", "bob", "cyd")]}

    def ids(answer: Answer) -> dict[str, str]:
        return {row["player"]: row["id"] for row in csv.DictReader(answer.body.decode().splitlines())}

    async with serving_admin((HttpEndpoint("/api/tournaments", APPLICATION),), roster=roster) as running:
        await post(running, "/api/tournaments", CUP | names)
        assert ids(await get(running, f"{path}/grades", BEARER)) == {"ann": "s1001", "bob": "", "cyd": "s1003"}
        more = await post(running, f"{path}/grades", {"student_ids": {"bob": "=2+2", "cyd": "other"}})
        assert ids(more) == {"ann": "s1001", "bob": "'=2+2", "cyd": "other"}
        for kind in EXPORTS.keys() - {"grades"}:
            assert "s1001" not in (await get(running, f"{path}/{kind}", BEARER)).body.decode(), kind
        assert "s1001" not in orjson.dumps(await shown(running)).decode()
        refused = await post(running, f"{path}/grades", {"ids": {}})
        assert (refused.status, "ids" in refused.json["error"]) == (400, True)


REFUSALS: list[tuple[str, Any, int, str]] = [
    ("", {"preset": "nope", "name": "x", "game": "Reversi"}, 400, "there is no preset 'nope'"),
    ("", CUP | {"changes": {"turns": 3}}, 400, "has no setting 'turns'"),
    ("", CUP | {"changes": {"games": 0}}, 400, "games must be from 1 to 100"),
    ("", CUP | {"changes": {"games": "two"}}, 400, "games must be a whole number, not 'two'"),
    ("", CUP | {"changes": {"scoring": {"wins": 3}}}, 400, "scoring is a table of win, draw"),
    ("", CUP | {"roster": [{"player": "ann", "rating": 1e20}]}, 400, "rating"),
    ("/1/add", {"player": "ann", "rating": -1}, 400, "rating"),
    ("", CUP | {"game": "Chess"}, 409, "there is no game Chess"),
    ("", CUP | {"entry": "everybody"}, 400, "everybody"),
    ("/7/start", {}, 409, "there is no tournament 7"),
    ("/7/dance", {}, 404, ", ".join(teacher_acts())),
    ("/1/start", {}, 409, "at least two players"),
    ("/1/correct", {"pairing": 1, "why": "x"}, 400, "verdict is missing"),
    ("/1/disqualify", {"player": "ann"}, 409, "has not started"),
    ("/1/pause", {"extra": 1}, 400, "extra"),
]


async def test_refusals_say_what_is_wrong() -> None:
    async with hall() as running:
        await post(running, "/api/tournaments", CUP | {"entry": "roster"})
        for path, body, status, says in REFUSALS:
            answer = await post(running, f"/api/tournaments{path}", body)
            assert (answer.status, says in answer.json["error"]) == (status, True), answer.json


async def test_unknown_tournaments_acts_and_files_are_not_found() -> None:
    async with hall() as running:
        assert (await get(running, "/api/tournaments/3", BEARER)).status == 404
        await post(running, "/api/tournaments", CUP)
        assert (await get(running, "/api/tournaments/1/export/pdf", BEARER)).status == 404
        assert (await get(running, "/api/tournaments/1")).status == 401


async def test_tournament_that_left_the_lobby_is_read_from_the_records() -> None:
    async with hall() as running:
        for number in range(1, KEPT_MAX + 3):
            await post(running, "/api/tournaments", CUP | {"name": f"Cup {number}", "entry": "roster"} | ANN_ALONE)
            await post(running, f"/api/tournaments/{number}/cancel", {})
        assert 1 not in running.server._sequencer._lobby.tournaments
        listed = (await shown(running, "/api/tournaments"))["tournaments"]
        assert [one["number"] for one in listed] == list(range(1, KEPT_MAX + 3))
        assert [line["name"] for line in (await shown(running))["standings"]] == ["ann"]
        grades = await get(running, "/api/tournaments/1/export/grades", BEARER)
        assert "ann" in grades.body.decode()
        late = await post(running, "/api/tournaments/1/add", {"player": "bob"})
        assert (late.status, late.json["error"]) == (409, "Cup 1 was cancelled and cannot admit players now")
        assert (await post(running, "/api/tournaments/1/resume", {"why": "it counts"})).json["phase"] == "gathering"
        assert (await post(running, "/api/tournaments/1/add", {"player": "bob"})).status == 200
        listed = (await shown(running, "/api/tournaments"))["tournaments"]
        assert [one["number"] for one in listed] == list(range(1, KEPT_MAX + 3)), "in their order"


async def test_match_for_practice_is_in_no_list_and_at_its_address() -> None:
    async with hall() as running:
        await post(running, "/api/tournaments", CUP)
        practice = CUP | {"name": "ann - bob", "entry": "roster", "changes": {"event": False}} | ANN_ALONE
        assert (await post(running, "/api/tournaments", practice)).json["number"] == 2
        listed = (await shown(running, "/api/tournaments"))["tournaments"]
        assert [one["number"] for one in listed] == [1]
        assert (await shown(running, "/api/tournaments/2"))["name"] == "ann - bob"
        assert (await post(running, "/api/tournaments/2/cancel", {"why": "enough"})).status == 200
        assert (await post(running, "/api/tournaments/2/resume", {})).json["phase"] == "gathering"
