"""The house players, without the threads that they think in."""

from collections.abc import Callable, Mapping, Sequence
from random import Random

from gameserver.core.messages.commands import HOUSE_SESSION, Play
from gameserver.core.state.match import Match
from gameserver.protocol import Answer, Event, TurnStarted

THINKS_ENOUGH = 0.7
"""How likely a thought is finished when it is looked after."""


class House:
    """Hears of its turns as a receiver does, thinks for a while, and then plays any legal move."""

    def __init__(
        self,
        matches: Mapping[int, Match],
        submit: Callable[[Play], None],
        chance: Random,
        numbers: Callable[[Match, Random], Random],
    ) -> None:
        self._matches = matches
        self._submit = submit
        self._chance = chance
        self._numbers = numbers
        self._thoughts: list[Play] = []

    def deliver(self, answer: Answer | None, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, TurnStarted):
                self._consider(event)

    def flush(self) -> None: ...

    def resume(self) -> None: ...

    def dismiss(self, why: str) -> None: ...

    @property
    def thinks(self) -> bool:
        """Whether a turn waits for a decision."""
        return bool(self._thoughts)

    def think(self) -> None:
        """Come to a decision, perhaps."""
        if self._thoughts and self._chance.random() < THINKS_ENOUGH:
            self._submit(self._thoughts.pop())

    def _consider(self, event: TurnStarted) -> None:
        match = self._matches.get(event.match)
        if match is None or match.turn.number != event.turn:
            return
        for seat in event.seats:
            if match.seats[seat].is_house:
                text = match.game.write_move(self._numbers(match, self._chance).choice(match.state.legal_moves(seat)))
                self._thoughts.append(Play(HOUSE_SESSION, text, match.id, seat, event.turn))
