"""Checks of what clients were told, which must never turn out to be untrue, and of the time that they were given."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import Factory, define, field, frozen

from gameserver.records.match_record import MatchRecord, SeatRecord
from tests.clients.strategic import BANNERS, Ended, Move, Opened
from tests.simulation.violation import Violation
from tests.simulation.wire import MatchTold, TurnTold

if TYPE_CHECKING:
    from tests.simulation.bot import Bot, View
    from tests.simulation.client import Client
    from tests.simulation.world import World

_COMMENTS = {
    "resigned": "Player forfeited match",
    "late": "Turn timelimit reached",
    "illegal move": "Illegal move",
    "dropped": "Client disconnected",
    "void": "Match void",
}


@frozen
class Tongue:
    """One profile of the text protocol: what its clients must know of it, from the protocol page."""

    banner: tuple[str, str]
    comments: Mapping[str, str] = Factory(lambda: _COMMENTS)
    """Of a match that ended otherwise than by play, by the reason on record."""
    scored: tuple[str, ...] = ("played", "illegal move")
    """The endings that the game's own score is told of."""
    forfeit: Mapping[str, str] = Factory(lambda: {"win": "0", "loss": "0"})
    """The score of a winner and a loser otherwise."""


TONGUES: Mapping[str, Tongue] = {
    "document": Tongue(BANNERS["document"]),
    "2009": Tongue(BANNERS["2009"]),
    "2015": Tongue(BANNERS["2015"]),
    "2016": Tongue(BANNERS["2016"]),
    "ngs": Tongue(
        BANNERS["ngs"],
        {**_COMMENTS, "resigned": "Player forfeited", "illegal move": "Invalid move"},
        ("played",),
        {"win": "1", "loss": "-1"},
    ),
}
"""By name."""


RESULT_LINES = {"win": "win", "loss": "loss", "draw": "draw", "void": "draw"}


@define
class Told:
    """A match as one client knows it, from all its connections together."""

    opened: Opened
    moves: list[tuple[str, str]] = field(factory=list)
    ended: Ended | None = None


@define
class Archive:
    """Everything that was told. Each thing is checked when it is heard, and again after every restart."""

    _world: "World"
    _told: dict[tuple[int, str, int], Told] = field(factory=dict)
    """By bot, name and match."""

    def opened(self, bot: int, name: str, match: int, heard: Opened) -> Told:
        """Take in that a client is told of a match, for the first time or again."""
        told = self._told.setdefault((bot, name, match), Told(heard))
        if told.opened != heard:
            raise Violation("what was told stays true", f"match {match} was {told.opened}, now {heard}")
        if told.ended is not None:
            raise Violation("every match ends once", f"match {match} is shown to {name} again after its end")
        if heard.opponent == name:
            raise Violation("what was told stays true", f"{name} plays against itself: {heard}")
        return told

    def moved(self, told: Told, match: int, number: int, move: tuple[str, str]) -> None:
        """Take in that a client is told the move with this number, from 0."""
        if number < len(told.moves):
            if told.moves[number] != move:
                raise Violation("what was told stays true", f"move {number} of match {match}: {told.moves}, now {move}")
            return
        if number > len(told.moves):
            raise Violation("nothing is left out", f"move {number} of match {match} after {told.moves}")
        told.moves.append(move)
        self._check_moves(told, match)

    def ended(self, bot: int, name: str, match: int, heard: Ended) -> None:
        told = self._told[bot, name, match]
        record = self._end(told, match, heard)
        tongue, mine = self._world.tongue, next(seat for seat in record.seats if seat.player == name)
        comment = record.reason_text if record.reason == "played" else tongue.comments[record.reason]
        expected = (RESULT_LINES[mine.result], _scores(tongue, record, told.opened.first), comment)
        if (heard.result, heard.scores, heard.comment) != expected:
            raise Violation("everybody is told what is on record", f"{name} is told {heard}, recorded is {record}")
        if told.moves != moves_on_record(record):
            raise Violation("nothing is left out", f"{name} was told {told.moves} of {record}")

    def ended_as(self, told: Told, meant: MatchTold, result: str, pending: str | None = None) -> MatchRecord:
        """A client is told `win`, `loss` or `draw`, in a protocol that says no more.

        `pending` is a move of its own that it had made and not heard of: it counted, or it did not.
        """
        record = self._end(told, meant.match, Ended(result, ("", ""), ""))
        mine = record.seats[meant.seat]
        if RESULT_LINES[mine.result] != result:
            raise Violation("everybody is told what is on record", f"{meant} a {result}, recorded is {record}")
        moves = moves_on_record(record)
        if moves not in (told.moves, [*told.moves, (mine.player, pending)]):
            raise Violation("nothing is left out", f"{mine.player} was told {told.moves} of {moves}")
        return record

    def _end(self, told: Told, match: int, heard: Ended) -> MatchRecord:
        record = self._world.auditor.records.get(match)
        if told.ended is not None:
            raise Violation("every match ends once", f"{told} is told to have ended with {heard} once more")
        if record is None:
            raise Violation("nothing undecided is told", f"{heard} of match {match}, which has no record")
        told.ended = heard
        return record

    def check(self) -> None:
        for (_, _, match), told in self._told.items():
            if told.ended is None:
                self._check_moves(told, match)

    def _check_moves(self, told: Told, match: int) -> None:
        if self._world.process is None:
            return
        truth = self._world.auditor.truth(match)
        if truth is None or told.moves != truth[: len(told.moves)]:
            raise Violation("nothing that was told is lost", f"match {match}: told {told.moves}, true {truth}")


def moves_on_record(record: MatchRecord) -> list[tuple[str, str]]:
    """Give player and move of each move, without draws."""
    return [(record.seats[move.seat].player, move.move) for move in record.moves if move.seat is not None]


def _scores(tongue: Tongue, record: MatchRecord, first: str) -> tuple[str, str]:
    """Give the first mover's score, then the other's. Without a decision by play the profile says them."""
    seats: list[SeatRecord] = sorted(record.seats, key=lambda seat: seat.player != first)
    if record.reason not in tongue.scored:
        one, other = (tongue.forfeit.get(seat.result, "0") for seat in seats)
        return (one, other)
    return (str(seats[0].points), str(seats[1].points))


STAMP_SLACK_MS = 350
"""Delay at most between a move's arrival and its stamp: a heartbeat, stalls and commits."""


def check_move(bot: "Bot", view: "View", heard: Move) -> None:
    """Check that a client's own new move can have been meant for this turn, and was not late."""
    turn, end = view.turn, bot.move_end
    if turn is None or end is None or bot.strayed:
        return
    arrival, read = bot.wire.arrival_of(end), bot.wire.read_of(end)
    if arrival is None:
        return
    # Nothing tells a late answer that is not waited for from an answer to the turn that it meets (`late_answers`).
    counts_late = read is not None and end == view.late_end and read.axis_ms >= view.waited_until_ms
    if read is not None and read.real_ms < turn.real_ms and not counts_late:
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
        check_overtaken(bot, view)
    elif heard.result == "loss" and heard.comment == comments["resigned"]:
        _check_gave_up(bot, view)


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
