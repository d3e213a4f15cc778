"""How sure the server is who comes in under a name.

A roster binds names to secrets. It is looked at outside the core, where the secret stays: the core
is told the outcome, and the journal keeps no more than that.
"""

from enum import StrEnum

from gameserver.core.events import Rejected
from gameserver.core.rejections import Code


class Standing(StrEnum):
    """What the roster says of somebody who wants to come in."""

    OPEN = "open"
    """Nothing: the name is anybody's who comes first."""
    PROVEN = "proven"
    """The name is bound, and this is its player."""
    UNPROVEN = "unproven"
    """The name is bound, and no secret came with it."""
    WRONG = "wrong"
    TOO_OFTEN = "too often"
    """The secret is wrong, after others on the same connection, which ends with this answer."""
    SLIP = "slip"
    """A secret came with a name one letter away from a bound one: it is not to become part of a public name."""
    STRANGER = "stranger"
    """Only who is on the roster may come in, and this name is not."""


_REFUSALS = {
    Standing.UNPROVEN: Code.UNPROVEN,
    Standing.WRONG: Code.PROOF_WRONG,
    Standing.TOO_OFTEN: Code.PROOF_TOO_OFTEN,
    Standing.SLIP: Code.NAME_SLIP,
    Standing.STRANGER: Code.NOT_LISTED,
}


def refusal(standing: Standing, name: str) -> Rejected | None:
    """Why somebody may not come in under this name; None if they may."""
    code = _REFUSALS.get(standing)
    return None if code is None else Rejected(code, {"name": name})
