"""A ticket as a value: a search whose player need not be connected.

What happens to tickets is in `tickets`.
"""

from collections.abc import Mapping
from typing import Any

from attrs import Factory, evolve, field

from gameserver.core.messages.commands import Against, Book
from gameserver.core.state.ticket_ids import MatchIds
from gameserver.values import value

RATED_WINDOWS = ((5_000, 50), (15_000, 100), (30_000, 200), (120_000, 400), (240_000, 800))
"""The most that ratings may differ after less than so many milliseconds of waiting; then there is no limit.

The steps up to 400 are GammonX's. There the search ends at them: a player far better or worse than
everybody else would wait for ever. So it is held to them for two minutes, and goes on after.
"""

ANSWER_LOST_MS = 5_000
"""A client comes with its ticket at once. One that has not come for this long and asks again was not answered."""


@value
class Ticket:
    """One player's search. `partner` is the ticket of the opponent that was found."""

    id: str
    player: str
    identity: str
    address: str
    game: str
    options: Mapping[str, Any] = Factory(dict)
    seat_options: Mapping[str, Any] = Factory(dict)
    against: Against = Against.ANYBODY
    rating: int = 0
    open_to_queue: bool = False
    token: str = field(default="", repr=False)
    is_bound: bool = False
    """True if nothing but the token lets its player in: a roster binds their identity to a secret."""
    opened_ms: int = 0
    session: int | None = None
    """The session in which its player waits; None before they arrive, and while they are away."""
    arrived_ms: int = 0
    partner: str | None = None
    due_ms: int | None = None
    """The time at which it has to be looked at: it lapses, or a rated search widens."""
    lapses_ms: int | None = None
    """The time at which it lapses; None while its player waits, who may wait for ever."""
    ids: MatchIds = MatchIds()
    is_claimed: bool = False
    """True if the player who came with it last came by a claim (`ticket_claims`)."""
    came_from: str = ""
    """The address from which it was last used; `address` is the address of the join."""

    @property
    def public_id(self) -> str:
        """The match's id for both of its players."""
        return self.ids.public or self.id

    def wants(self, other: "Ticket", now_ms: int) -> bool:
        """True if these two may play each other."""
        if (self.game, self.against, dict(self.options)) != (other.game, other.against, dict(other.options)):
            return False
        if self.against is Against.HOUSE:
            return False
        if self.against is Against.ANYBODY:
            return True
        return self.reaches(other.rating, now_ms) and other.reaches(self.rating, now_ms)

    def is_asked_again(self, command: Book, now_ms: int) -> bool:
        """True if it was booked by just such a command whose answer seems to have been lost.

        Nobody has come with it, though there was time. A client that asks sooner has it, and is told that it is open.
        """
        wishes = (
            self.address,
            self.game,
            self.against,
            self.open_to_queue,
            dict(self.options),
            dict(self.seat_options),
        )
        asked = (command.address, command.game, command.against, command.open_to_queue)
        is_same = wishes == (*asked, dict(command.options), dict(command.seat_options))
        is_unused = self.session is None and self.arrived_ms == 0
        return is_same and is_unused and now_ms - self.opened_ms >= ANSWER_LOST_MS

    def reaches(self, rating: int, now_ms: int) -> bool:
        """True if this rating is near enough by now."""
        waited_ms = now_ms - self.opened_ms
        window = next((window for until_ms, window in RATED_WINDOWS if waited_ms < until_ms), None)
        return window is None or abs(self.rating - rating) <= window

    def widens_ms(self, now_ms: int) -> int | None:
        """The time at which the window grows next; None if it does not."""
        if self.against is not Against.RATED:
            return None
        steps = (self.opened_ms + until_ms for until_ms, _ in RATED_WINDOWS)
        return next((step for step in steps if step > now_ms), None)

    def searching(self, now_ms: int, lapses_ms: int | None) -> "Ticket":
        """The ticket, without an opponent: when it lapses, and when it is to be looked at."""
        widens_ms = self.widens_ms(now_ms)
        due_ms = min((each for each in (lapses_ms, widens_ms) if each is not None), default=None)
        ids = self.ids.shared() if self.is_claimed else self.ids.alone()
        return evolve(self, partner=None, due_ms=due_ms, lapses_ms=lapses_ms, ids=ids)
