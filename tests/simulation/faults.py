"""What goes wrong: one function for each kind of misfortune, drawn from that kind's own numbers."""

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from gameserver.core.messages.commands import Drain, Kick, Void
from gameserver.core.state.lobby import Lobby
from gameserver.policies import SeatReturn
from tests.simulation.bot import Bot
from tests.simulation.endpoint import BUGS
from tests.simulation.sequence import Killed
from tests.simulation.tickets import TicketClient

if TYPE_CHECKING:
    from tests.simulation.copied_world import World

Fault = Callable[["World", Random], None]

STALL_MS_MAX = 15_000
DRAIN_MS_MAX = 20_000


def _online(world: "World", chance: Random) -> Bot | None:
    """Somebody who is connected."""
    online = [bot for bot in world.bots if bot.wire is not None]
    return chance.choice(online) if online else None


def drop(world: "World", chance: Random) -> None:
    """A client closes; the server comes to read it sooner or later."""
    bot = _online(world, chance)
    if bot is not None:
        bot.hang_up()


def reset(world: "World", chance: Random) -> None:
    """A connection breaks, and what was on its way is lost."""
    bot = _online(world, chance)
    if bot is not None and bot.wire is not None:
        bot.wire.cut()


def vanish(world: "World", chance: Random) -> None:
    """The network to a client is gone. The client notices and tries again; the server knows nothing."""
    bot = _online(world, chance)
    if bot is not None and bot.wire is not None:
        bot.wire.silent_since_ms = world.real_ms
        bot.lose_sight()


def half_close(world: "World", chance: Random) -> None:
    """A client ends its side and reads on."""
    bot = _online(world, chance)
    if bot is not None and bot.wire is not None:
        bot.wire.client_done = True


def slow_reader(world: "World", chance: Random) -> None:
    """A client does not read for a while."""
    bot = _online(world, chance)
    if bot is not None:
        bot.deaf_until_ms = world.real_ms + chance.randint(50, 8_000)


def lag(world: "World", chance: Random) -> None:
    """Nothing gets through to or from a client for a while."""
    bot = _online(world, chance)
    if bot is not None and bot.wire is not None:
        bot.wire.held_until_ms = world.real_ms + chance.randint(20, 3_000)


def intruder(world: "World", chance: Random) -> None:
    """Somebody from another computer comes under a player's name, best while that player is away, or with a ticket."""
    if world.rules.seat_return is SeatReturn.ANY_ADDRESS or world.process is None or not world.process.serves:
        return
    world.thief.hang_up()
    known = public_ids(world.process.lobby)
    robbed = [bot for bot in world.bots if isinstance(bot, TicketClient) and bot.guid in known]
    if robbed and chance.random() < 0.5:
        victim = chance.choice(robbed)
        world.thief.rob(victim, known[victim.guid])
        return
    seats = [holder for match in world.process.lobby.matches.values() for holder in match.seats]
    empty = [holder.player for holder in seats if not holder.is_present]
    world.intruder.hang_up()
    world.intruder.name = chance.choice(empty or [bot.name for bot in world.bots])
    victim = next((bot for bot in world.bots if bot.name == world.intruder.name), None)
    is_safe = victim is not None and world.rosters.is_bound(victim)
    world.intruder.at = victim.address if victim is not None and is_safe and chance.random() < 0.5 else ""
    world.manners.act(world.intruder)


def public_ids(lobby: Lobby) -> dict[str, str]:
    """What an opponent knows: the ids of pairs, by each player of them."""
    places = [(ticket.identity, ticket.id, ticket.ids) for ticket in lobby.tickets.values()]
    places += [(seat.identity, seat.ticket, seat.ids) for match in lobby.matches.values() for seat in match.seats]
    known = {identity: ids.public or (own if ids.is_shared else "") for identity, own, ids in places}
    return {identity: public for identity, public in known.items() if public}


def teacher(world: "World", chance: Random) -> None:
    """The teacher ends a connection, or a match without a loser."""
    process = world.process
    if process is None or not process.serves:
        return
    lobby = process.lobby
    if lobby.matches and chance.random() < 0.5:
        process.sequencer.submit(
            Void(chance.choice(list(lobby.matches)), "so says the teacher", by="teacher"), process.now_ms()
        )
    elif lobby.players:
        player = chance.choice(list(lobby.players))
        process.sequencer.submit(Kick(player, "enough", by="teacher"), process.now_ms())


def roster(world: "World", chance: Random) -> None:
    """Somebody saves the roster."""
    world.rosters.change(chance)


def bug(world: "World", chance: Random) -> None:
    """A protocol's code fails with a player, the next time that this part of it is asked."""
    process = world.process
    if process is None:
        return
    here = [endpoint for session, endpoint in process.endpoints.items() if session in process.lobby.sessions]
    if here:
        chance.choice(here).planted = chance.choice(BUGS)


def stall(world: "World", chance: Random) -> None:
    """The server's process stands still; the rest of the world does not."""
    world.pass_time(int(STALL_MS_MAX * chance.random() ** 3), served=False)


def slow_commit(world: "World", chance: Random) -> None:
    """From now on commits take so long, while the server goes on reading."""
    world.commit_ms = chance.choice((0, 30, 300, 2_000, 5_000))


def failing_commit(world: "World", chance: Random) -> None:
    """The next commits fail; some of them keep the batch, and only the answer is lost."""
    world.journal.failures = [chance.random() < 0.5 for _ in range(chance.randint(1, 4))]


def late_alarm(world: "World", chance: Random) -> None:
    """From now on the alarm looks seldom, or as it should again."""
    world.alarm_pause_ms = chance.choice((0, 200, 500, 1_000))


def wall_clock(world: "World", chance: Random) -> None:
    """Somebody sets the time of day."""
    world.wall_offset_ms = chance.randint(-86_400_000, 86_400_000)


def snapshot(world: "World", chance: Random) -> None:
    """The lobby is saved, and perhaps the rows before it are forgotten."""
    process, journal = world.process, world.journal
    if process is None or process.sequencer.batch is not None:
        return
    process.sequencer.save_snapshot(process.now_ms())
    if chance.random() < 0.5:
        journal.trim(chance.randint(0, journal.last() + 1))


def stop(world: "World", chance: Random) -> None:
    """The server stops in good order, and comes back."""
    world.stop(chance, "stopped")


def drain(world: "World", chance: Random) -> None:
    """The server is told to stop when the matches are over that run, or after a while."""
    process = world.process
    if process is not None and process.serves:
        within_ms = chance.choice((0, 3_000, DRAIN_MS_MAX))
        process.sequencer.submit(Drain(within_ms, "the day is over", by="teacher"), process.now_ms())


def crash(world: "World", chance: Random) -> None:
    """The process is killed: now, or at the next turn of a commit."""
    if world.process is None:
        return
    fate = chance.choice(("now", "decided", "committed", "released to some", "released to some"))
    if fate == "now":
        raise Killed(fate)
    world.process.sequencer.doom = fate


FAULT_KINDS: dict[str, Fault] = {
    "drop": drop,
    "reset": reset,
    "vanish": vanish,
    "half-close": half_close,
    "slow-reader": slow_reader,
    "lag": lag,
    "intruder": intruder,
    "teacher": teacher,
    "roster": roster,
    "bug": bug,
    "stall": stall,
    "slow-commit": slow_commit,
    "failing-commit": failing_commit,
    "late-alarm": late_alarm,
    "wall-clock": wall_clock,
    "snapshot": snapshot,
    "stop": stop,
    "drain": drain,
    "crash": crash,
}
