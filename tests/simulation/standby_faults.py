"""The faults of a shared database and of the two servers over it.

One thing does not go wrong: that the database ends a leader's session early while the leader is cut off from it. The
leader would not be told, and be certain for up to 2.5 s after another one has taken over. A database that is restarted
or replaced then takes as long as one whose end nobody is told of.
"""

from collections.abc import Mapping
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from tests.simulation.database_session import ANSWERED, SENT, SESSION_MS
from tests.simulation.faults import FAULTS_BY_KIND, STALL_MS_MAX, Fault, crash_at
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.standby import StandbyWorld

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


def stall(world: "StandbyWorld", chance: Random) -> None:
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
    "stall": stall,
    "both-start": both_start,
    "standby-crash": standby_crash,
    "crash": crash_at(*CRASHES, meetings_max=3),
}
"""Commits fail in ways of their own here."""
