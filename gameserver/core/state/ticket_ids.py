"""The ids by which a player knows a match.

Two tickets that found each other have one public id, that of the older ticket: payloads, pages and
records carry it for both. So an id alone names nobody; it resolves together with the player
(`ticket_lookup`). Each id that a player was ever told goes on resolving for that player, after the
pair came to nothing too, because a client keeps the id that its join answered.
"""

from attrs import evolve

from gameserver.values import value


@value
class MatchIds:
    """The ids that a player was told beside the id of their own ticket."""

    public: str = ""
    """The id of the pair; empty where that is the ticket's own."""
    aliases: tuple[str, ...] = ()
    """Ids of other tickets that the player was told, also for pairs that came to nothing."""
    is_shared: bool = False
    """True once an opponent was told the id of the player's own ticket."""

    def of_pair(self, public: str) -> "MatchIds":
        """The ids of the younger of a pair, whose player is told the older one's."""
        aliases = self.aliases if public in self.aliases else (*self.aliases, public)
        return evolve(self, public=public, aliases=aliases)

    def shared(self) -> "MatchIds":
        """The ids of the older of a pair: its own is public now."""
        return evolve(self, public="", is_shared=True)

    def alone(self) -> "MatchIds":
        """The ids without an opponent."""
        return evolve(self, public="")

    def all_with(self, own: str) -> tuple[str, ...]:
        """Every id that the player may use, the public one first; empty without a ticket."""
        return tuple(dict.fromkeys(filter(None, (self.public, own, *self.aliases))))
