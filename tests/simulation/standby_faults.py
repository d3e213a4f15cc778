"""The faults of a shared database and of the two servers over it.

One thing does not: that the database ends a leader's session before its time while the leader is cut off from it. The
leader would not be told, and be certain for up to 2.5 s after another one has taken over. A database that is restarted
or replaced then takes as long as one whose end nobody is told of.
"""

from collections.abc import Mapping
from functools import partial
from random import Random
from typing import TYPE_CHECKING, cast

from gameserver.journal.journal import JournalBroken, JournalError
from gameserver.journal.snapshot import write_snapshot
from tests.simulation import faults
from tests.simulation.database_session import SESSION_MS
from tests.simulation.faults import STALL_MS_MAX, Fault
from tests.simulation.machine import ANSWERED, SENT
from tests.simulation.sequence import BROKEN, Killed, Stopped
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.standby import StandbyWorld

AWAY_MS_MAX = 40_000
STOPPED_MS_MAX = 25_000
FROZEN_MS = (SESSION_MS * 4 // 5, SESSION_MS * 5 // 4)
THAWED_MS_MAX = 500
PROMOTED_SHARE = 0.3
FATES = ("before", "after", "late", "never")


def _span(chance: Random, longest_ms: int) -> int:
    """Mostly short, and now and then nearly the longest."""
    return int(longest_ms * chance.random() ** 3)


def _is_cut_off(world: "StandbyWorld") -> bool:
    """True if a server would not be told that its session is over."""
    return not all(machine.link.is_whole for machine in world.machines)


def lost_connection(world: "StandbyWorld", chance: Random) -> None:
    """The connection that commits breaks: now, if the server can be told, or when it is used next."""
    holder = world.database.holder
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
    for machine in chance.choice((world.machines, world.machines[:1], world.machines[1:])):
        if machine.link.is_whole:
            machine.link.is_whole = False
            world.in_a_while(_span(chance, AWAY_MS_MAX), partial(setattr, machine.link, "is_whole", True))


def replica_away(world: "StandbyWorld", chance: Random) -> None:
    """The replica gets nothing for a while. It may be promoted all the same."""
    if not world.database.replica_is_away:
        world.database.replica_is_away = True
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
        world.lose_rows()


def stopped(world: "StandbyWorld", chance: Random) -> None:
    """A server is stopped for a while, mostly the leader."""
    leading = world.leading
    machine = leading if leading is not None and chance.random() < 0.8 else chance.choice(world.machines)
    machine.stop(chance.choice((_span(chance, STOPPED_MS_MAX), 2_400, 2_600, 20_000)))


def frozen(world: "StandbyWorld", chance: Random) -> None:
    """The leader's machine is frozen in the midst of its next commit, for about as long as its session lives."""
    moment = chance.choice((SENT, ANSWERED))
    world.freezes = moment, chance.randint(*FROZEN_MS), chance.randint(0, THAWED_MS_MAX)


def stall(world: "StandbyWorld", chance: Random) -> None:
    """A server stands still, as a busy machine has it."""
    chance.choice(world.machines).stop(int(STALL_MS_MAX * chance.random() ** 3))


def both_start(world: "StandbyWorld", chance: Random) -> None:
    """Both servers are killed, and started at once."""
    wait_ms = _span(chance, STOPPED_MS_MAX)
    for machine in world.machines:
        if machine.journal is not None:
            world.die(machine, Killed("now"))
        machine.starts_ms = world.real_ms + wait_ms


def standby_crash(world: "StandbyWorld", chance: Random) -> None:
    """A server that stands by is killed."""
    for machine in world.machines:
        if machine.journal is not None and machine.process is None:
            world.die(machine, Killed("now"))


def snapshot(world: "StandbyWorld", chance: Random) -> None:
    """The lobby is saved, as it is or as it was some rows ago, and perhaps old rows are forgotten."""
    leading = world.leading
    if leading is None or not leading.runs or leading.process is None or leading.process.sequencer.batch is not None:
        return
    process, journal = leading.process, leading.process.journal
    if not journal.is_certain:
        return
    taken, world.snapshot_begun = world.snapshot_begun, None
    if taken is None or taken[0] is not process:
        now = write_snapshot(process.lobby, journal.last(), process.now_ms())
        if chance.random() < 0.5:
            world.snapshot_begun = process, now
            return
        taken = process, now
    try:
        journal.save_snapshot(taken[1])
        if chance.random() < 0.7:
            journal.trim(chance.randint(0, taken[1].seq + 1))
    except JournalError:
        world.count("snapshot failed")
    except JournalBroken:
        world.die(leading, Stopped(BROKEN))


def crash(world: "StandbyWorld", chance: Random) -> None:
    """The leader is killed: now, or at the next turn of a commit, of which the database may have heard."""
    if world.process is None:
        return
    faults.crash(world, chance)


FAULT_KINDS: Mapping[str, Fault] = {
    **{kind: fault for kind, fault in faults.FAULT_KINDS.items() if kind != "failing-commit"},
    **cast(
        "dict[str, Fault]",
        {
            "lost-connection": lost_connection,
            "in-doubt": in_doubt,
            "database-restart": database_restart,
            "cut-network": cut_network,
            "replica-away": replica_away,
            "promotion": promotion,
            "stopped": stopped,
            "frozen": frozen,
            "stall": stall,
            "both-start": both_start,
            "standby-crash": standby_crash,
            "snapshot": snapshot,
            "crash": crash,
        },
    ),
}
