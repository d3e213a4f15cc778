"""Checks that time and commands were judged fairly: what a client handed over, when, and what became of it."""

from typing import TYPE_CHECKING

from tests.clients.strategic import Ended, Move
from tests.simulation.violation import Violation
from tests.simulation.wire import TurnTold

if TYPE_CHECKING:
    from tests.simulation.bot import Bot, View
    from tests.simulation.client import Client

STAMP_SLACK_MS = 350
"""Delay at most between a move's arrival and its stamp: a heartbeat, stalls and commits."""


def check_move(bot: "Bot", view: "View", heard: Move) -> None:
    """Check that a client's own new move can have been meant for this turn, and was not late."""
    turn = view.turn
    arrival = None if bot.move_end is None else bot.wire.arrival_of(bot.move_end)
    if turn is None or arrival is None or bot.strayed:
        return
    read = None if bot.move_end is None else bot.wire.read_of(bot.move_end)
    if read is not None and read.real_ms < turn.real_ms:
        found = f"{bot} hears {heard} in match {view.match}, which was read before the turn was told"
        raise Violation("a command counts where it was meant", found)
    if turn.deadline_ms is None:
        return
    late_ms = arrival.axis_ms - turn.deadline_ms - bot.world.rules.late_margin_ms
    if late_ms > STAMP_SLACK_MS:
        raise Violation("late moves do not count", f"{bot}: {heard} arrived {late_ms} ms too late")


def check_end(bot: "Bot", view: "View", heard: Ended) -> None:
    """Check that a loss by time or resignation was the client's own doing."""
    comments = bot.world.tongue.comments
    if heard.result == "loss" and heard.comment == comments["late"]:
        _check_late(bot, view)
    elif heard.result == "loss" and heard.comment == comments["resigned"]:
        _check_gave_up(bot, view)


def _check_late(bot: "Bot", view: "View") -> None:
    check_overtaken(bot, view)


def check_overtaken(bot: "Bot", view: "View") -> None:
    """Check that a client in whose place the server moved was to move, and did not do so in time."""
    if view.turn is None or bot.wire is None:
        raise Violation("who loses on time was to move", f"{bot} was not, in match {view.match}")
    check_late(bot, view.turn, view.reply_end, view.match)


def check_late(client: "Client", turn: TurnTold, reply_end: int | None, match: int) -> None:
    """Check that a client whose time is up had not sent a move in time, however busy the server was."""
    wire = client.wire
    if match in client.world.outwaited:
        return  # its move waited behind answers that it did not read, for longer than the others have to wait
    if wire is None or reply_end is None or turn.allowed_ms is None or turn.deadline_ms is None:
        return
    arrival, read = wire.arrival_of(reply_end), wire.read_of(reply_end)
    if arrival is not None and arrival.real_ms - turn.real_ms <= turn.allowed_ms:
        found = f"{client} moved after {arrival.real_ms - turn.real_ms} of {turn.allowed_ms} ms in match {match}"
        raise Violation("who moves in time does not lose on time", found)
    if read is not None and read.axis_ms < turn.deadline_ms + client.world.rules.late_margin_ms:
        found = f"{client}'s move was read {read.axis_ms - turn.deadline_ms} ms after the deadline of match {match}"
        raise Violation("who moves in time does not lose on time", found)


def _check_gave_up(bot: "Bot", view: "View") -> None:
    """Check that a client told of its resignation has resigned this match, or since it was told of it."""
    if any(match in (view.match, None) for match, _ in bot.resigned):
        return
    reads = [bot.wire.read_of(end) for _, end in bot.resigned]
    if not any(read is not None and read.real_ms >= view.meant.real_ms for read in reads):
        found = f"{bot} has not given up match {view.match}, only {bot.resigned}"
        raise Violation("a command counts where it was meant", found)
