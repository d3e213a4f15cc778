"""The calm at the end: nothing goes wrong any more, almost everybody comes back, everything must end."""

from typing import TYPE_CHECKING

from gameserver.engine.clock import HEARTBEAT_MS
from tests.simulation import tournaments
from tests.simulation.process import Process
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.copied_world import World

ROUNDS_MAX = 4_000
"""How many rounds of 20 to 50 ms it may take."""


def settle(world: "World") -> None:
    """Play on without faults until all is still, and check how things stand then."""
    if world.plan.ends_with_a_crash() and world.process is not None:
        world.kill("now")
    world.calm = True
    world.note("faults stop")
    _mend(world)
    for _ in range(ROUNDS_MAX):
        world.guarded(lambda: _round(world))
        if world.process is not None and _is_still(world, world.process):
            break
    if world.process is None:
        raise Violation("somebody leads in the end", "nobody does")
    _check_end(world, world.process)


def _mend(world: "World") -> None:
    """Take away whatever is still wrong with the surroundings; who stays away leaves now."""
    absentees = world.plan.absentees()
    world.mend()
    world.intruder.hang_up()
    world.thief.hang_up()
    for bot in world.bots:
        bot.deaf_until_ms = 0
        if bot.index in absentees:
            bot.hang_up()
    world.bots = [bot for bot in world.bots if bot.index not in absentees]
    for wire in world.wires:
        wire.held_until_ms = 0
    world.alarm_pause_ms = world.commit_ms = 0
    process = world.process
    if process is not None:
        process.sequencer.doom = ""
        process.sequencer.commit_due_ms = 0


def _round(world: "World") -> None:
    world.stop_if_drained()
    for bot in world.bots:
        bot.finish()
    world.organiser.wind_up()
    world.pass_time(world.chance.randint(20, HEARTBEAT_MS))


def _is_still(world: "World", process: Process) -> bool:
    return (
        process.serves
        and process.has_nothing_to_do
        and not process.lobby.matches
        and all(row.is_over for row in process.lobby.tournaments.values())
        and all(not bot.unsettled and (bot.wire is None or bot.wire.is_empty) for bot in world.bots)
    )


def _check_end(world: "World", process: Process) -> None:
    """No match is left, nobody waits who could play, and everybody knows how it ended."""
    lobby = process.lobby
    if lobby.matches:
        raise Violation("every match comes to an end", repr(list(lobby.matches.values())))
    tournaments.check_end(world, lobby)
    for game, waiting in lobby.queues.items():
        if len(waiting) > 1:
            raise Violation("who could play is not left waiting", f"{game}: {waiting}")
    for bot in world.bots:
        if bot.unsettled:
            raise Violation(bot.unsettled, f"not with {bot}: {bot!r}")
    world.shadow.compare(lobby, "at the end")
    world.shadow.compare_whole(lobby)
