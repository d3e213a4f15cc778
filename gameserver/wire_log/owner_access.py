"""A player's own wire log: shown to a person who proves to be the player, refused with what to do instead.

The roster proves who the player is; the files are in `gameserver.wire_log.files`.
"""

from collections.abc import Mapping
from typing import NoReturn

import trio

from gameserver.authentication.roster import Roster
from gameserver.authentication.secret_throttle import PAUSE_S
from gameserver.core.messages.identity import Proof
from gameserver.values import value
from gameserver.wire_log.files import WireLog


class NotShown(Exception):
    """The log is not shown; the text says why.

    `wants_proof`: another secret might help. `is_last`: not on this connection, which ends with the answer.
    """

    def __init__(self, why: str, *, wants_proof: bool = False, is_last: bool = False) -> None:
        super().__init__(why)
        self.wants_proof = wants_proof
        self.is_last = is_last


NOT_KEPT = "This server keeps no wire logs"
NONE_YET = "There is no wire log of this player yet"

_UNBOUND = (
    "The roster binds this name to no secret, so nobody can show that the log is theirs; the teacher can, on their page"
)
_WHO_ARE_YOU = "Give the player's name and the secret of the roster"
_REFUSALS: Mapping[Proof, NotShown] = {
    Proof.OPEN: NotShown(_UNBOUND),
    Proof.SLIP: NotShown(_WHO_ARE_YOU, wants_proof=True),
    Proof.STRANGER: NotShown(_UNBOUND),
    Proof.UNPROVEN: NotShown(_WHO_ARE_YOU, wants_proof=True),
    Proof.TOO_OFTEN: NotShown(
        "That is not the secret of this player either, and it was the last try on this connection; ask the teacher",
        wants_proof=True,
        is_last=True,
    ),
    Proof.WRONG: NotShown("That is not the secret of this player", wants_proof=True),
}


def check_proven(standing: Proof) -> None:
    """Raise `NotShown` unless the requester has proved to be the player."""
    refusal = _REFUSALS.get(standing)
    if refusal is not None:
        raise NotShown(str(refusal), wants_proof=refusal.wants_proof, is_last=refusal.is_last)


def raise_unproven() -> NoReturn:
    """Raise the `NotShown` that asks for name and secret."""
    raise NotShown(_WHO_ARE_YOU, wants_proof=True)


@value
class OwnLogs:
    """Shows players their own wire logs. Every method raises `NotShown` with what to do instead."""

    _wire_log: WireLog
    _roster: Roster

    @property
    def are_kept(self) -> bool:
        """True if wire logs are kept."""
        return self._wire_log.is_on

    async def check(self, player: str, secret: str, session: int, address: str) -> None:
        """Check that the requester is the player; call it on the event loop."""
        if not self.are_kept:
            raise NotShown(NOT_KEPT)
        if self._roster.throttle.must_wait(session):
            await trio.sleep(PAUSE_S)
        check_proven(self._roster.standing(player, secret, session, address))

    def read(self, player: str) -> str:
        """The lines; it may take long."""
        found = self._wire_log.read(player)
        if found is None:
            raise NotShown(NONE_YET)
        return found
