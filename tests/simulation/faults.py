"""The faults of a run: one function for each kind, which draws from that kind's own numbers.

Each acts on the network, the disk, the power or the clock of the machine, or is what a person does; none reaches into
the server.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from gameserver.core.commands import Drain, Kick, Void
from gameserver.core.lobby import Lobby
from gameserver.policies import SeatReturn
from tests.simulation.bot import Bot
from tests.simulation.database_session import ANSWERED, SENT, SESSION_MS
from tests.simulation.power import POINTS
from tests.simulation.tickets import TicketClient
from tests.simulation.violation import Violation
from tests.simulation.witness import BUGS

if TYPE_CHECKING:
    from tests.simulation.standby import StandbyWorld
    from tests.simulation.world import World

STALL_MS_MAX = 15_000
DRAIN_MS_MAX = 20_000

Fault = Callable[["World", Random], "Awaitable[None] | None"]


def _drop(bot: Bot, _: Random) -> None:
    """Close a connection; the server comes to read it sooner or later."""
    bot.hang_up()


def _reset(bot: Bot, _: Random) -> None:
    """Break a connection, and lose what was on its way."""
    bot.wire.cut()


def _vanish(bot: Bot, _: Random) -> None:
    """Take away the network to a client. The client notices and tries again; the server knows nothing."""
    bot.wire.silent_since_ms = bot.world.real_ms
    bot.lose_sight()


def _half_close(bot: Bot, _: Random) -> None:
    """End a client's side; it reads on."""
    bot.wire.client_done = True


def _slow_reader(bot: Bot, chance: Random) -> None:
    """Have a client not read for a while."""
    bot.deaf_until_ms = bot.world.real_ms + chance.randint(50, 8_000)


def _lag(bot: Bot, chance: Random) -> None:
    """Let nothing through to or from a client for a while."""
    bot.wire.held_until_ms = bot.world.real_ms + chance.randint(20, 3_000)


def _on_a_client(strike: Callable[[Bot, Random], None]) -> Fault:
    """Make a fault that strikes one of the clients that are connected."""

    def fault(world: "World", chance: Random) -> None:
        online = [bot for bot in world.bots if bot.wire is not None]
        if online:
            strike(chance.choice(online), chance)

    return fault


def intruder(world: "World", chance: Random) -> None:
    """Somebody from another computer comes under a player's name, best while that player is away, or with a ticket."""
    # After rows were lost nobody plays on, and there is no name to take.
    if world.rules.seat_return is SeatReturn.ANY_ADDRESS or world.serving is None or not world.bots:
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
    """Give what an opponent knows: the ids of pairs, by each player of them."""
    claims = [ticket.claim for ticket in lobby.tickets.values()]
    seats = (seat for match in lobby.matches.values() for seat in match.seats)
    claims += [seat.claim for seat in seats if seat.claim is not None]
    return {one.booked.identity: one.public_id for one in claims if one.pair_id or one.is_shared}


def roster(world: "World", chance: Random) -> None:
    """Somebody saves the roster."""
    world.rosters.change(chance)


def wall_clock(world: "World", chance: Random) -> None:
    """Somebody sets the time of day."""
    world.wall_offset_ms = chance.randint(-86_400_000, 86_400_000)


def teacher(world: "World", chance: Random) -> None:
    """The teacher ends a connection, or a match without a loser."""
    process = world.serving
    if process is None:
        return
    lobby = process.lobby
    if lobby.matches and chance.random() < 0.5:
        process.ask(Void(chance.choice(list(lobby.matches)), "so says the teacher", by="teacher"))
    elif lobby.players:
        process.ask(Kick(chance.choice(list(lobby.players)), "enough", by="teacher"))


def bug(world: "World", chance: Random) -> None:
    """A protocol's code fails with a player, the next time that this part of it is asked."""
    process = world.process
    if process is None:
        return
    here = [witness for session, witness in process.witnesses.items() if session in process.lobby.sessions]
    if here:
        chance.choice(here).planted = chance.choice(BUGS)


async def stall(world: "World", chance: Random) -> None:
    """The server's process stands still; the rest of the world does not."""
    await world.pass_time(int(STALL_MS_MAX * chance.random() ** 3), served=False)


def slow_commit(world: "World", chance: Random) -> None:
    """From now on commits take so long, while the server goes on reading."""
    world.disk.commit_s = chance.choice((0.0, 0.0002, 0.03, 0.3, 2.0, 5.0))


def failing_commit(world: "World", chance: Random) -> None:
    """The next commits fail; some of them keep the batch, and only the answer is lost."""
    world.disk.failures = [chance.random() < 0.5 for _ in range(chance.randint(1, 4))]


def stop(world: "World", chance: Random) -> None:
    """The server stops in good order, and comes back."""
    if world.serving is not None:
        world.serving.stop()


def drain(world: "World", chance: Random) -> None:
    """The server is told to stop when the matches are over that run, or after a while."""
    if world.process is not None:
        world.process.ask(Drain(chance.choice((0, 3_000, DRAIN_MS_MAX)), "the day is over", by="teacher"))


def crash_at(*points: str, meetings_max: int) -> Fault:
    """Make the fault of a power that fails: now, or at one of these points, which the server meets soon."""

    def crash(world: "World", chance: Random) -> None:
        process = world.process
        if process is None or process.doom is not None:
            return
        point = chance.choice(points)
        if point == "now":
            process.lose_power(point)
        else:
            process.doom = (point, chance.randint(1, meetings_max))

    return crash


FAULTS_BY_KIND: dict[str, Fault] = {
    "drop": _on_a_client(_drop),
    "reset": _on_a_client(_reset),
    "vanish": _on_a_client(_vanish),
    "half-close": _on_a_client(_half_close),
    "slow-reader": _on_a_client(_slow_reader),
    "lag": _on_a_client(_lag),
    "intruder": intruder,
    "teacher": teacher,
    "roster": roster,
    "bug": bug,
    "stall": stall,
    "slow-commit": slow_commit,
    "failing-commit": failing_commit,
    "wall-clock": wall_clock,
    "stop": stop,
    "drain": drain,
    "crash": crash_at("now", *POINTS, "send", "send", meetings_max=6),
}


# The faults of a shared database and of the two servers over it. One thing does not go wrong: that the database ends a
# leader's session early while the leader is cut off from it. The leader would not be told, and be certain for up to
# 2.5 s after another one has taken over. A database that is restarted or replaced then takes as long as one whose end
# nobody is told of.

AWAY_MS_MAX = 40_000
STOPPED_MS_MAX = 25_000
FROZEN_MS = (SESSION_MS * 4 // 5, SESSION_MS * 5 // 4)
THAWED_MS_MAX = 500
PROMOTED_SHARE = 0.3
CRASHES = ("now", "recv", "before append", "after append", "after append", "before snapshot", "send", "send")
"""Points at which the leader is killed; of some the database may have heard."""
FATES = ("before", "after", "late", "never")


def _span(chance: Random, longest_ms: int) -> int:
    """Draw a time: mostly short, now and then nearly the longest."""
    return int(longest_ms * chance.random() ** 3)


def _is_cut_off(world: "StandbyWorld") -> bool:
    """True if a server would not be told that its session is over."""
    return not all(host.is_linked for each in world.database.worlds for host in each.hosts)


def lost_connection(world: "StandbyWorld", chance: Random) -> None:
    """The connection that commits breaks: now, if the server can be told, or when it is used next."""
    holder = world.disk.holder
    if holder is not None and chance.random() < 0.5 and not _is_cut_off(world):
        holder.end()
    else:
        world.database.fates.append("before")


def in_doubt(world: "StandbyWorld", chance: Random) -> None:
    """The answers to the next commits get lost. They are made, come late, or are never made."""
    world.database.fates.extend(chance.choice(FATES) for _ in range(chance.randint(1, 3)))


def database_restart(world: "StandbyWorld", chance: Random) -> None:
    """The database is killed, and comes back by itself."""
    database = world.database
    if database.is_up:
        database.go_down()
        wait_ms = SESSION_MS if _is_cut_off(world) else 0
        world.in_a_while(wait_ms + _span(chance, AWAY_MS_MAX), database.come_up)


def cut_network(world: "StandbyWorld", chance: Random) -> None:
    """A server does not reach the database for a while, and nobody is told."""
    for host in chance.choice((world.hosts, world.hosts[:1], world.hosts[1:])):
        if host.is_linked:
            host.cut_off(_span(chance, AWAY_MS_MAX))


def replica_away(world: "StandbyWorld", chance: Random) -> None:
    """The replica gets nothing for a while. It may be promoted all the same."""
    if not world.database.replica_is_away:
        world.database.lose_replica()
        away_ms = _span(chance, AWAY_MS_MAX)
        world.in_a_while(away_ms, world.database.meet_replica)
        if chance.random() < PROMOTED_SHARE:
            world.in_a_while(chance.randint(0, away_ms), partial(promotion, world, chance))


def promotion(world: "StandbyWorld", chance: Random) -> None:
    """The primary is lost, and the replica is promoted; not at once, if nobody is told that the primary is gone."""
    if world.database.is_up:
        is_lost = chance.random() < 0.5
        world.database.go_down(is_lost=is_lost)
        wait_ms = SESSION_MS if is_lost or _is_cut_off(world) else 0
        world.in_a_while(wait_ms + _span(chance, STOPPED_MS_MAX), partial(_promote, world))


def _promote(world: "StandbyWorld") -> None:
    database = world.database
    if database.is_up:
        return
    lost = database.promote()
    world.note("the replica is promoted; %d rows are lost", lost)
    database.come_up()
    if lost and database.is_synchronous:
        raise Violation("nothing that was told is lost", f"{lost} rows, which the replica did not have")
    if lost:
        world.rows_lost()


def stopped(world: "StandbyWorld", chance: Random) -> None:
    """A server is stopped for a while, mostly the leader."""
    leading = world.leading
    host = leading if leading is not None and chance.random() < 0.8 else chance.choice(world.hosts)
    host.freeze(chance.choice((_span(chance, STOPPED_MS_MAX), 2_400, 2_600, 20_000)))


def frozen(world: "StandbyWorld", chance: Random) -> None:
    """The leader's host is frozen in the midst of its next commit, for about as long as its session lives."""
    moment = chance.choice((SENT, ANSWERED))
    world.freezes = moment, chance.randint(*FROZEN_MS), chance.randint(0, THAWED_MS_MAX)


def _busy(world: "StandbyWorld", chance: Random) -> None:
    """A server stands still, as a busy machine has it."""
    chance.choice(world.hosts).freeze(int(STALL_MS_MAX * chance.random() ** 3))


def both_start(world: "StandbyWorld", chance: Random) -> None:
    """Both servers are killed, and started at once."""
    wait_ms = _span(chance, STOPPED_MS_MAX)
    for host in world.hosts:
        if host.life is not None:
            host.life.lose_power("now")
        host.starts_ms = world.real_ms + wait_ms


def standby_crash(world: "StandbyWorld", _: Random) -> None:
    """A server that stands by is killed."""
    for host in world.hosts:
        if host.life is not None and host.stands_by:
            host.life.lose_power("now")


STANDBY_FAULTS_BY_KIND: Mapping[str, Fault] = {
    **{kind: fault for kind, fault in FAULTS_BY_KIND.items() if kind != "failing-commit"},
    "lost-connection": lost_connection,
    "in-doubt": in_doubt,
    "database-restart": database_restart,
    "cut-network": cut_network,
    "replica-away": replica_away,
    "promotion": promotion,
    "stopped": stopped,
    "frozen": frozen,
    "stall": _busy,
    "both-start": both_start,
    "standby-crash": standby_crash,
    "crash": crash_at(*CRASHES, meetings_max=3),
}
"""Commits fail in ways of their own here."""
