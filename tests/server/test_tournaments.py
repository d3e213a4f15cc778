"""Tournaments and ladders on real sockets under virtual time, and what is worked out of them once."""

import json
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import Any

import trio
from attrs import evolve
from trio.testing import MockClock

from games.backgammon import TAVLA
from games.connect_four_3d import GAME as CONNECT_FOUR_3D
from games.tic_tac_toe import GAME
from gameserver.core.commands import Conduct, CreateTournament, EntryMode, SetLadder
from gameserver.core.events import Accepted, Answer, Event
from gameserver.core.identity import HOUSE_PREFIX
from gameserver.core.lobby import TournamentRow
from gameserver.http.listener import HttpProtocol
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.ladder import BETWEEN_MS, LadderResult
from gameserver.read_model.read_model import LobbyView
from gameserver.records.tournament_record import record_of_tournament
from gameserver.server.archive import FRESH_MS, PLACES_MAX, TournamentDigests
from gameserver.tournaments import model
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import Correct, PairingStatus, Pause, Verdict
from gameserver.tournaments.podium import winners
from gameserver.tournaments.presets import preset
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import GammonXProtocol
from protocols.gammonx.schema import MatchModus, MatchType, player_name
from tests.http.support import Browser
from tests.protocols.gammonx.test_rest import ANN, BOB, join
from tests.support.games import Countdown, catalogue
from tests.support.serving import Closed, LineClient, Running, serving
from tests.support.socket_clients import HubClient
from tests.tournaments.playing import World, finished, started

GAMES = catalogue(Countdown())
SEED = "7e7e7e7e00112ff3" * 4


class Asker:
    """Somebody who submits a command and waits for its answer."""

    def __init__(self) -> None:
        self.answer: Answer | None = None
        self.told = trio.Event()

    def deliver(self, answer: Answer | None, events: tuple[Event, ...]) -> None:
        self.answer = answer
        self.told.set()

    def flush(self) -> None: ...

    def resume(self) -> None: ...


async def conduct(running: Running, command: Any) -> None:
    asker = Asker()
    running.server._sequencer.submit(command, running.server.now_ms(), asker)
    await asker.told.wait()
    assert isinstance(asker.answer, Accepted)


def rows_of(running: Running) -> dict[int, TournamentRow]:
    return running.server._sequencer._lobby.tournaments


async def over(running: Running) -> None:
    rows = rows_of(running)
    with trio.fail_after(900):
        while not all(one.is_over for one in rows.values()):  # noqa: ASYNC110 - nobody is told of it on the wire
            await trio.sleep(1)


async def play(client: LineClient) -> None:
    """A bot that waits for matches and takes one each turn, for as long as it is let."""
    try:
        while True:
            line = await client.line()
            if "YOURTURN" in line:
                await trio.sleep(0.2)
                await client.send("move 1")
    except (Closed, trio.BrokenResourceError, trio.ClosedResourceError):
        return


async def forfeits(client: LineClient) -> None:
    """A text player who gives up whenever it is its turn."""
    with suppress(Closed, trio.BrokenResourceError, trio.ClosedResourceError):
        while True:
            if "YOURTURN" in await client.line():
                await client.send("forfeit")


async def resigns_in_rooms(running: Running, name: str) -> None:
    """A Connect Four client that sits in room 0, as they all do, gives up at its turn, and starts again."""
    stream = await trio.open_tcp_stream("127.0.0.1", running.ports["connect-four"])
    buffer = b""
    await stream.send_all(b'{"action":"connect","name":"%s"}\n' % name.encode())
    answers = {
        "lobby": b'{"action":"join","room number":0}\n',
        "game": b'{"action":"start"}\n',
        "make move": b'{"action":"resign"}\n',
        "game over": b'{"action":"restart"}\n',
    }
    async with stream:
        while not rows_of(running)[1].is_over and (received := await stream.receive_some()):
            *lines, buffer = (buffer + received).split(b"\n")
            for line in lines:
                answer = answers.get(json.loads(line)["event"])
                if answer is not None:
                    await trio.sleep(1)
                    await stream.send_all(answer)


async def resigns_with_tickets(running: Running, player: str) -> None:
    """A GammonX client that takes out a ticket for each match, and gives it up."""
    rows, running = rows_of(running), evolve(running, port=running.ports["http"])
    while not rows[2].is_over:
        browser = await Browser.connect(running)
        ticket = (
            await join(browser, player=player, modus=MatchModus.NORMAL.value, kind=MatchType.CASH_GAME.value)
        ).json["payload"]["matchId"]
        hub = await HubClient.connect(running, player, ticket)
        await hub.until("match-started")
        await hub.invoke("StartGame", ticket)
        await hub.until("game-started")
        await hub.invoke("ResignMatch", ticket)
        await hub.until("match-ended")
        hub.stream.socket.close()


async def test_every_protocol_takes_part_in_its_own_way(autojump_clock: MockClock) -> None:
    """Two tournaments at once: text and Connect Four clients at one game, text and GammonX clients at another."""
    games = catalogue(CONNECT_FOUR_3D, TAVLA)
    others = (CONNECT_FOUR, HttpProtocol([GammonXProtocol()]))
    async with serving(games=games, others=others) as running, trio.open_nursery() as bots:
        for client in await running.enter("ann", "bob", "eva"):
            bots.start_soon(forfeits, client)
        for number, (game, names) in enumerate(
            (("Connect-four-3D", ("ann", "bob", "cyd", "dan")), ("Tavla", ("eva", player_name(ANN), player_name(BOB)))),
            start=1,
        ):
            plan = preset("league", game, game, no_show_ms=600_000)
            roster = tuple(map(model.RegisterEntrant, names))
            await conduct(running, CreateTournament(plan, SEED, EntryMode.ROSTER, roster))
            await conduct(running, Conduct(number, model.StartTournament(0)))
        for name in ("cyd", "dan"):
            bots.start_soon(resigns_in_rooms, running, name)
        for player in (ANN, BOB):
            bots.start_soon(resigns_with_tickets, running, player)
        await over(running)
        bots.cancel_scope.cancel()
    rows = rows_of(running)
    for number, games_played in ((1, 12), (2, 6)):
        done = [one for one in rows[number].state.pairings if one.status is PairingStatus.DONE]
        assert len(done) == games_played
        assert {one.reason for one in done} == {"resigned"}


async def test_a_house_player_fills_the_odd_seat(autojump_clock: MockClock) -> None:
    async with serving(games=GAMES) as running, trio.open_nursery() as bots:
        for client in await running.enter("ann", "bob", "cyd"):
            bots.start_soon(play, client)
        plan = preset("swiss", "Cup", "Countdown", pause_ms=0, rounds=2, stand_in="house-random")
        await conduct(running, CreateTournament(plan, SEED, EntryMode.LOGGED_IN))
        await conduct(running, Conduct(1, model.StartTournament(0)))
        await over(running)
        bots.cancel_scope.cancel()
    state = rows_of(running)[1].state
    assert any("house-random" in one.seats for one in state.pairings)
    assert not state.byes


EVENING_MS = 1_788_303_600_000
"""23:00 on 2026-09-01, in UTC."""


def wall_ms() -> int:
    return EVENING_MS + round(trio.current_time() * 1000)


async def subscribes_again(client: LineClient) -> None:
    """A program that gives up whenever it is its turn, and looks for the next opponent after each match."""
    with suppress(Closed, trio.BrokenResourceError, trio.ClosedResourceError):
        await client.send("subscribe tic-tac-toe")
        while True:
            line = await client.line()
            if "YOURTURN" in line:
                await client.send("forfeit")
            elif any(f"GAME {word}" in line for word in ("WIN", "LOSS", "DRAW")):
                await client.send("subscribe tic-tac-toe")


async def on_record(running: Running) -> list[LadderResult]:
    return running.journal.reader().ladder(GAME.name, 0)[0]


def check(results: list[LadderResult]) -> None:
    by_pair = defaultdict(list)
    for one in results:
        by_pair[frozenset(one.players)].append(one)
    assert len(by_pair) >= 3
    for met in by_pair.values():
        for before, after in pairwise(met):
            assert after.ended_ms >= before.ended_ms + BETWEEN_MS
            assert after.players == before.players[::-1]


async def test_programs_that_search_again_and_again_play_near_equals_and_anchors(autojump_clock: MockClock) -> None:
    async with serving(games=catalogue(GAME), wall_ms=wall_ms) as running, trio.open_nursery() as bots:
        # Before they search: without a ladder they would play some hundred matches a second.
        await conduct(running, SetLadder("tic-tac-toe", True))
        for client in await running.enter("ann", "bob", "cyd"):
            bots.start_soon(subscribes_again, client)
        await trio.sleep(1800)
        for is_open in (False, True):
            await conduct(running, SetLadder("tic-tac-toe", is_open))
        await trio.sleep(5400)
        reader = running.journal.reader()
        results = await on_record(running)
        bots.cancel_scope.cancel()
    check(results)
    with_anchors = [one for one in results if any(name.startswith(HOUSE_PREFIX) for name in one.players)]
    assert 0 < len(with_anchors) <= len(results) / 3
    record = reader.match(with_anchors[-1].match)
    assert record.rated
    assert record.is_ladder
    assert [seat.rating is None for seat in record.seats] == [seat.protocol == "house" for seat in record.seats]
    # At midnight, and not at the openings before it.
    nights, ranking = reader.ranking(GAME.name, None, 5)
    assert nights == ("2026-09-02",)
    assert sorted(player for player, *_ in ranking) == ["ann", "bob", "cyd"]


VIEW = LobbyView(0, 0)
"""A lobby in which nothing is played."""


class Office:
    """Digests over the records of a journal; `threads` counts the times that something was worked out."""

    def __init__(self) -> None:
        self.journal = MemoryJournal()
        self.threads = 0
        self.digests = TournamentDigests(self.journal.reader(), self.off_the_loop)

    async def off_the_loop(self, work: Callable[[], None]) -> None:
        self.threads += 1
        await trio.lowlevel.checkpoint()
        work()

    def keep(self, row: TournamentRow) -> None:
        record = record_of_tournament(None, row)
        assert record is not None
        self.journal.append([], [record])


def plan_of(which: str = "hanze"):
    return preset(which, "Cup", "Reversi")


async def test_what_is_left_of_a_running_tournament_goes_on_falling() -> None:
    office = Office()
    running = TournamentRow(1, evolve(started(preset("arena", "Cup", "Reversi"), 4), ends_ms=90_000))
    (before,) = await office.digests.summaries(VIEW, [running], 0)
    (soon,) = await office.digests.summaries(VIEW, [running], FRESH_MS - 1)
    (later,) = await office.digests.summaries(VIEW, [running], FRESH_MS)
    assert (before.eta_ms, soon.eta_ms, later.eta_ms) == (90_000, 90_000, 90_000 - FRESH_MS)
    paused = [evolve(running, state=apply(running.state, Pause(0)))]
    await office.digests.summaries(VIEW, paused, FRESH_MS)
    worked_out = office.threads
    await office.digests.summaries(VIEW, paused, 9 * FRESH_MS)
    assert office.threads == worked_out, "nothing changes while it is paused"


async def test_places_follow_a_correction() -> None:
    office, state = Office(), finished(plan_of(), 2)
    row = TournamentRow(1, state)
    before = await office.digests.places([row], 1)
    assert before is await office.digests.places([row], 1)
    lost = Verdict.SECOND if winners(before) == (state.pairings[0].seats[0],) else Verdict.FIRST
    corrected = evolve(row, state=apply(state, Correct(1, lost, by="Ms Reed", why="a slip")))
    after = await office.digests.places([corrected], 1)
    assert winners(after) == state.pairings[0].seats[lost is Verdict.SECOND :][:1] != winners(before)
    assert await office.digests.places([evolve(row, state=started(plan_of(), 2))], 1) == (), "none before the end"


async def test_places_on_record_are_read_anew_after_it_was_in_the_lobby() -> None:
    office, row = Office(), TournamentRow(1, finished(plan_of(), 3))
    office.keep(row)
    before = await office.digests.places([], 1)
    assert winners(before) != ()
    assert await office.digests.places([], 1) is before
    assert office.threads == 1
    office.digests.restored([1])
    assert await office.digests.places([], 1) == before
    assert office.threads == 2
    assert await office.digests.places([], 99) == ()


async def test_a_class_that_comes_at_once_has_each_tournament_worked_out_once() -> None:
    office = Office()
    rows = [TournamentRow(number, finished(plan_of(), 3)) for number in (1, 2)]
    office.keep(rows[1])
    found = []

    async def look() -> None:
        summaries = await office.digests.summaries(VIEW, rows[:1], 1000)
        found.append((summaries, [await office.digests.places(rows[:1], row.number) for row in rows]))

    async with trio.open_nursery() as nursery:
        for _ in range(30):
            nursery.start_soon(look)
    assert len(found) == 30
    assert all(one == found[0] for one in found)
    assert office.threads == 3, "one summary, and the places of two"


async def test_places_of_many_are_bounded() -> None:
    office = Office()
    for number in range(1, PLACES_MAX + 10):
        await office.digests.places([], number)
    assert len(office.digests._places) == PLACES_MAX


async def test_a_summary_is_kept_until_something_happens() -> None:
    office, world = Office(), World(started(plan_of(), 4), 3)
    world.tick()
    row, other = TournamentRow(1, world.tournament), TournamentRow(2, started(plan_of("swiss"), 4))
    first = await office.digests.summaries(VIEW, [other, row], 1000)
    assert [one.number for one in first] == [2, 1]
    assert (await office.digests.summaries(VIEW, [other, row], 1500)) == first
    assert office.threads == 1
    world.tick()
    second = await office.digests.summaries(VIEW, [other, evolve(row, state=world.tournament)], 1500)
    assert second[1].done > first[1].done
    assert second[0] is first[0]
    assert office.threads == 2
    assert await office.digests.summaries(VIEW, [other], 1500) == first[:1]
    assert office.threads == 2
