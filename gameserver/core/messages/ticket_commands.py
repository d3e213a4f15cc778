"""Commands about tickets: searches whose player need not be connected. `core.tickets` carries them out.

Part of `gameserver.core.messages.commands`, from where everything here is imported.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from attrs import Factory, field

from gameserver.core.messages.capabilities import Capability, are_capabilities
from gameserver.core.messages.identity import Proof
from gameserver.values import value


class Against(StrEnum):
    """The kind of opponent that a ticket looks for."""

    ANYBODY = "anybody"
    RATED = "rated"
    HOUSE = "house"


@value
class Book:
    """Take out a ticket: a search for an opponent whose player need not be connected.

    `ticket` is its id, new and unguessable; `player` is the name under which the player will sit,
    `identity` what the protocol calls them. `options` are the arguments of the game's
    `options_type`; `seat_options` are those that each seat may have otherwise, such as `by_hand`:
    the core puts them together, in the order of the seats. A ticket that is `open_to_queue` also
    meets players who look for the game in its queue. A client that shows the `token` may take the seat back from
    any address.
    """

    session: int
    ticket: str
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
    secret: str | None = field(default=None, repr=False)
    standing: Proof = Proof.OPEN
    """As with `Enter`: tells if the `identity` is bound to a secret. If so, only the token brings the player in."""
    is_listed: bool = False
    """True if `player` is the name that a roster gives to this identity: the name of a student, who may be here by
    another protocol, too. Else it is one that the protocol made of the identity, and reserved."""


@value
class Unbook:
    """Give a ticket back that has not led to a match yet."""

    session: int
    ticket: str
    identity: str


@value
class Arrive:
    """Come in with a ticket: to wait for the opponent, or to take the seat back that it led to."""

    session: int
    ticket: str
    identity: str
    protocol: str
    address: str
    capabilities: tuple[Capability, ...] = field(default=(), validator=are_capabilities)
    token: str = field(default="", repr=False)
    is_proven: bool = False
    """True if the protocol has a proof that this is the player: then it is as good as the token."""


@value
class TicketTimeUp:
    """A ticket is due: its player did not come, or a rated search may widen. Late is ignored."""

    ticket: str


@value
class ShowTicket:
    """Asks for the state of a search. A client that asks is still there, so the search does not lapse meanwhile."""

    session: int
    ticket: str
    identity: str


@value
class RecallTicket:
    """Asks for the ticket of a client that has lost its ids, or for the seat that the ticket led to.

    It is told to a client that shows the token or another proof, and to the address of the join.
    """

    session: int
    identity: str
    address: str
    token: str = field(default="", repr=False)
    is_proven: bool = False
    """Same as in `Arrive`."""
