"""Whether time and commands were judged fairly: what a client handed over, when, and what became of it."""

from typing import TYPE_CHECKING

from tests.clients.strategic import Ended, Move
from tests.simulation.view import View
from tests.simulation.violation import Violation
from tests.simulation.wire import TurnTold

if TYPE_CHECKING:
    from tests.simulation.bot import Bot
    from tests.simulation.client import Client

STAMP_SLACK_MS = 350
"""How much later than its arrival a move may count as read: a heartbeat, and what stalls and commits take at most."""


def check_move(bot: "Bot", view: View, heard: Move) -> None:
    """A new move of the client's own: it can have been meant for this turn, and did not come too late."""
    assert bot.wire is not None
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


def check_end(bot: "Bot", view: View, heard: Ended) -> None:
    """A loss: by time or by giving up, it was the client's own doing."""
    comments = bot.world.tongue.comments
    if heard.result == "loss" and heard.comment == comments["late"]:
        _check_late(bot, view)
    elif heard.result == "loss" and heard.comment == comments["resigned"]:
        _check_gave_up(bot, view)


def _check_late(bot: "Bot", view: View) -> None:
    """Who loses on time was to move, and has not done so in time."""
    check_overtaken(bot, view)


def check_overtaken(bot: "Bot", view: View) -> None:
    """In whose place the server moves was to move, and has not done so in time."""
    if view.turn is None or bot.wire is None:
        raise Violation("who loses on time was to move", f"{bot} was not, in match {view.match}")
    check_late(bot, view.turn, view.reply_end, view.match)


def check_late(client: "Client", turn: TurnTold, reply_end: int | None, match: int) -> None:
    """Whose time is up had not handed over a move in time, whatever the server was busy with."""
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


def _check_gave_up(bot: "Bot", view: View) -> None:
    """Who is told to have given up has done so in this match, or at least since it was told of it."""
    assert bot.wire is not None
    if any(match in (view.match, None) for match, _ in bot.resigned):
        return
    reads = [bot.wire.read_of(end) for _, end in bot.resigned]
    if not any(read is not None and read.real_ms >= view.meant.real_ms for read in reads):
        found = f"{bot} has not given up match {view.match}, only {bot.resigned}"
        raise Violation("a command counts where it was meant", found)
