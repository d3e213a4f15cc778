"""A player of the text protocol that outlives its server, and what is known of its matches from both of its players."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Self

from attrs import Factory, define, field

from tests.end_to_end.arena import Arena
from tests.end_to_end.bots import StrictBot, converse


@define
class Ledger:
    """A match as both of its players know it."""

    sent: set[tuple[int, str, str]] = Factory(set)
    """Every move that was sent: for which place, by whom, and the move."""
    acknowledged: list[tuple[str, str]] = Factory(list)
    """Every move that either player was told of, in order."""

    def acknowledge(self, place: int, player: str, move: str) -> None:
        assert (place, player, move) in self.sent, f"{player} never sent {move} as move {place} of {self}"
        if place < len(self.acknowledged):
            assert self.acknowledged[place] == (player, move), f"{player}'s {move} stands in the place of {self}"
        else:
            assert place == len(self.acknowledged), f"{player}'s {move} came as move {place} of {self}"
            self.acknowledged.append((player, move))


@define(eq=False, slots=False)
class Survivor(StrictBot):
    """A bot that outlives its server."""

    ledgers: dict[tuple[frozenset[str], int], Ledger] = field(kw_only=True, repr=False)
    on_acknowledged: Callable[[], None] = field(kw_only=True, repr=False)
    """Called when the bot hears that its move was taken."""
    _owed: list[tuple[str, str]] | None = None
    """The moves that have to be shown before the login is complete, if the match goes on at all."""
    _ended_unheard: bool = False
    """True if a login has not shown the latest match again: what the next one shows is another, if of the same two."""

    @property
    def ledger(self) -> Ledger:
        """The one of the latest match. Both players know which of the matches between them it is."""
        pair = frozenset({self.name, self.match.opponent})
        number = sum(match.opponent == self.match.opponent for match in self.matches)
        return self.ledgers.setdefault((pair, number), Ledger())

    @classmethod
    def several(cls, players: Mapping[str, int], arena: Arena, chance: Random) -> list[Self]:
        """So many players of each game, who know of each other's matches."""
        more: dict[str, Any] = {"ledgers": {}, "on_acknowledged": arena.a_move_was_taken}
        return [
            cls(f"{game} {number}", game, lambda: not arena.finishing, Random(chance.random()), **more)
            for game, count in players.items()
            for number in range(count)
        ]

    async def converse(self, server):
        await converse(self, server.port)

    def greet(self):
        under_way = bool(self.matches) and not (self.match.result or self._ended_unheard)
        self._owed = list(self.ledger.acknowledged) if under_way else None
        return super().greet()

    def _opened(self, heard):
        self._ended_unheard = False
        if self._owed is not None and not self.is_in_lobby:
            seen = self.matches.pop()
            assert (heard.opponent, heard.game, heard.first) == (seen.opponent, seen.game, seen.first)
        super()._opened(heard)

    def _moved(self, heard):
        super()._moved(heard)
        self.ledger.acknowledge(len(self.match.moves) - 1, heard.player, heard.text)

    def _chosen(self):
        move = super()._chosen()
        self.ledger.sent.add((len(self.match.moves), self.name, move))
        return move

    def _accepted(self, command):
        if command.startswith("move "):
            self.ledger.acknowledge(len(self.match.moves), self.name, command.removeprefix("move "))
            self.on_acknowledged()
        if command == "get gamelist" and not self.is_playing:
            self._ended_unheard = True
        elif command == "get gamelist" and self._owed is not None:
            shown = self.match.moves[: len(self._owed)]
            assert shown == self._owed, f"{self.name} was owed {self._owed}, and is shown {self.match.moves}"
        return super()._accepted(command)
