"""The answers to a player who asks about their own match.

Part of `gameserver.core.events`, from where everything here is imported.
"""

from gameserver.values import frozen


@frozen
class MatchStanding:
    """The answer to `ShowMatch`: how your match stands.

    `awaited` are the seats that have to act, or to say that they are ready. `left_ms` is what is
    left of their time, running or not; None where no clock is set.
    """

    match: int
    game: str
    players: tuple[str, ...]
    seat: int
    awaited: tuple[int, ...]
    left_ms: int | None


@frozen
class BoardShown:
    """The answer to `ShowBoard`: the position as lines of text, as your seat may see it."""

    match: int
    lines: tuple[str, ...]
