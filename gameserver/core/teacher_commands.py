"""What a teacher asks of the lobby, through the admin listener. No game port takes any of it.

Every act carries who did it (`by`) and why: both are journaled with it. Part of
`gameserver.core.commands`, from where everything here is imported.
"""

from attrs import field, frozen, validators


@frozen
class Void:
    """End this match without a loser: no player is at fault. `why` goes to the log and the record.

    `by` is the teacher who did it; empty where the server did.
    """

    match: int
    why: str
    by: str = ""


@frozen
class Kick:
    """End a player's connection. For a match of theirs it is as if the connection had been lost.

    It keeps nobody out: the same player may enter again.
    """

    player: str
    why: str
    by: str


@frozen
class Drain:
    """Begin no new match: the server is to stop when the running ones are over, or after `within_ms`.

    It holds until the next start. One that comes later sets another time.
    """

    within_ms: int = field(validator=[validators.ge(0), validators.le(86_400_000)])
    why: str
    by: str


@frozen
class ShowLobby:
    """What goes on: players, matches, tables, queues, tickets?"""

    session: int
