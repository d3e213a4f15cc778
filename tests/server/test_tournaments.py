"""Tournaments on real sockets under virtual time: the director pairs, bots of every protocol play."""

import json
from contextlib import suppress
from typing import Any

import trio
from attrs import evolve
from trio.testing import MockClock

from games.backgammon import TAVLA
from games.connect_four_3d import GAME as CONNECT_FOUR_3D
from gameserver.core.commands import Conduct, CreateTournament, EntryMode
from gameserver.core.events import Accepted, Answer, Event
from gameserver.core.lobby import TournamentRow
from gameserver.http.listener import HttpProtocol
from gameserver.tournaments import model
from gameserver.tournaments.model import PairingStatus
from gameserver.tournaments.presets import preset
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import GammonXProtocol
from protocols.gammonx.schema import MatchModus, MatchType, player_name
from tests.http.support import Browser
from tests.protocols.gammonx.test_rest import ANN, BOB, join
from tests.support.games import Countdown, catalogue
from tests.support.serving import Closed, LineClient, Running, serving
from tests.support.socket_clients import HubClient

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
