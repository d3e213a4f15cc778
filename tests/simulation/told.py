"""An archive of what clients were told, which must never turn out to be untrue."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import Factory, define, field, frozen

from gameserver.records.match_record import MatchRecord, SeatRecord
from tests.clients.strategic import BANNERS, Ended, Opened
from tests.simulation.violation import Violation
from tests.simulation.wire import MatchTold

if TYPE_CHECKING:
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
