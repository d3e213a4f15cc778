"""Tournaments on real sockets under virtual time: the director pairs, bots of every protocol play."""

from typing import Any

import trio
from trio.testing import MockClock

from gameserver.core.commands import Conduct, CreateTournament
from gameserver.core.events import Accepted, Answer, Event
from gameserver.core.tournament import TournamentRow
from gameserver.core.tournament_commands import Entry
from gameserver.tournaments import acts
from gameserver.tournaments.model import Phase, Status
from gameserver.tournaments.presets import preset
from gameserver.tournaments.standings import standings
from tests.support.games import Countdown, catalogue
from tests.support.serving import Client, Closed, Running, serving

GAMES = catalogue(Countdown())
SEED = "7e" * 32


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
    assert asker.answer == Accepted()


async def begin(running: Running, which: str = "hanze", *, entry: Entry = Entry.LOGGED_IN, **changes: Any) -> None:
    roster = changes.pop("roster", ())
    plan = preset(which, "Cup", "Countdown", **changes)
    await conduct(running, CreateTournament(plan, SEED, entry, roster))
    await conduct(running, Conduct(1, acts.Start(0)))


def row(running: Running) -> TournamentRow:
    return running.server._sequencer._lobby.tournaments[1]


async def over(running: Running) -> TournamentRow:
    while not row(running).is_over:  # noqa: ASYNC110 - nobody is told of it on the wire
        await trio.sleep(0.5)
    return row(running)


async def play(client: Client, think_s: float = 0.2) -> None:
    """A bot that waits for matches and takes one each turn, for as long as it is let."""
    try:
        while True:
            line = await client.line()
            if "YOURTURN" in line:
                await trio.sleep(think_s)
                await client.send("move 1")
    except (Closed, trio.BrokenResourceError, trio.ClosedResourceError):
        return


async def test_a_round_robin_of_text_bots_plays_itself(autojump_clock: MockClock) -> None:
    async with serving(games=GAMES) as running, trio.open_nursery() as bots:
        for client in await running.enter(*(f"bot{number}" for number in range(7))):
            bots.start_soon(play, client)
        await begin(running)
        done = await over(running)
        bots.cancel_scope.cancel()
    assert len([one for one in done.state.pairings if one.status is Status.DONE and one.played]) == 21
    assert sum(line.points for line in standings(done.state)) == 42


async def test_who_drops_out_loses_and_the_others_play_on(autojump_clock: MockClock) -> None:
    async with serving(games=GAMES) as running, trio.open_nursery() as bots:
        clients = await running.enter("ann", "bob", "cyd", "dan")
        for client in clients[1:]:
            bots.start_soon(play, client)
        await begin(running, no_show_ms=30_000)
        await trio.sleep(1)
        clients[0].stream.socket.close()
        done = await over(running)
        bots.cancel_scope.cancel()
    reasons = [one.reason for one in done.state.pairings if "ann" in one.seats and one.status is Status.DONE]
    assert {reason.partition(":")[0] for reason in reasons} <= {"dropped", "no-show", ""}
    assert "no-show" in reasons
    assert [entrant.name for entrant in done.state.entrants if entrant.is_out] == ["ann"]


async def test_a_house_player_fills_the_odd_seat(autojump_clock: MockClock) -> None:
    async with serving(games=GAMES) as running, trio.open_nursery() as bots:
        for client in await running.enter("ann", "bob", "cyd"):
            bots.start_soon(play, client)
        await begin(running, "swiss", rounds=2, stand_in="house-random")
        done = await over(running)
        bots.cancel_scope.cancel()
    assert any("house-random" in one.seats for one in done.state.pairings)
    assert not done.state.byes


async def test_a_stopped_server_goes_on_where_it_was(autojump_clock: MockClock) -> None:
    names = ("ann", "bob", "cyd", "dan")
    async with serving(games=GAMES) as running, trio.open_nursery() as bots:
        for client in await running.enter(*names):
            bots.start_soon(play, client, 1.0)
        await begin(running, "league")
        await trio.sleep(8)
        before = row(running).state
        await running.stop()
        bots.cancel_scope.cancel()
    assert before.phase is Phase.RUNNING
    assert any(one.status is Status.DONE for one in before.pairings)
    running.journal.close = lambda: None  # type: ignore[method-assign]
    async with serving(games=GAMES, journal=running.journal) as again, trio.open_nursery() as bots:
        for client in await again.enter(*names):
            bots.start_soon(play, client)
        done = await over(again)
        bots.cancel_scope.cancel()
    assert len([one for one in done.state.pairings if one.status is Status.DONE and one.played]) == 12
    assert len(done.state.pairings) == 12, "no match was lost with the stop"
