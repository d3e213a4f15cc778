"""Things that a protocol can do for its player beyond a match. Part of `gameserver.core.messages.commands`."""

from enum import StrEnum

from attrs import validators


class Capability(StrEnum):
    """One ability, named by `Enter` and `Arrive`; a protocol without any still plays whatever it is seated in.

    The values are journaled: one may be added, never renamed.
    """

    CHALLENGE = "challenge"
    """Its player can be seated in a match at any time: a challenge, which comes as `ChallengeOpened`, or a tournament.

    Without it others neither see the player in their lists nor challenge them, and a tournament seats them
    only in a room (`ROOMS`) or with a ticket.
    """
    CHAT = "chat"
    """It shows `Said`. Without it, messages to the player are refused."""
    ROOMS = "rooms"
    """It has rooms: `RoomsListed` comes after entering, and `Sit`, `Ready` and `Depart` are for it.

    Such a player takes an empty seat back by `Sit` and `Ready` in its room. Without it, entering gives the seat back.
    """
    READY = "ready"
    """It says `Ready` before each game. Without it, the player counts as ready at once and first hears of a match
    when its game begins."""


are_capabilities = validators.deep_iterable(validators.instance_of(Capability))
"""Refuses anything else before it is journaled: a row with an unknown word could not be read again."""
