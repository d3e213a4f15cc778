"""Decided, but not yet told: what a command means whose sender cannot know of it.

A batch decides one command on the lobby as the one before left it, and while it is committed more come in. Nobody has
been told a word of it by then. Two commands mean something else because of that, both the end of a session: nobody
loses a match that they never heard of, and nobody comes back whose return was not confirmed.
"""

from attrs import Factory, define, evolve

from gameserver.core.messages.commands import Command, Kick, Leave, Query, Void, Withdraw
from gameserver.core.state.lobby import Lobby
from gameserver.core.state.match import MatchPhase


@define
class InFlight:
    """What a batch has brought about that players are still to be told."""

    entered: list[int] = Factory(list)
    """The sessions that came in."""
    opened: list[int] = Factory(list)
    """The matches that were opened or began; not all of their players have been told."""

    def adjust(self, lobby: Lobby, command: Command | Query) -> tuple[Command | Query, ...]:
        """What is to be decided in the place of a command, one after the other: the last is the command itself."""
        if not isinstance(command, Leave | Kick):
            return (command,)
        before = self._ends_untold(lobby, command)
        if isinstance(command, Leave) and command.session in self.entered:
            command = evolve(command, unheard=True)
        return (*before, command)

    def _ends_untold(self, lobby: Lobby, command: Leave | Kick) -> tuple[Command, ...]:
        """What ends the match of a player who was seated but never told: nobody loses such a match.

        The player's search for the next one ends before that match does, or it could lead to a second one. Where a
        bug of ours ended the session, nothing has to come before: the seat waits for its player.
        """
        if isinstance(command, Leave) and command.fault:
            return ()
        name = command.player if isinstance(command, Kick) else lobby.sessions.get(command.session, "")
        player = lobby.players.get(name)
        if player is None or player.match is None or player.match not in self.opened:
            return ()
        match = lobby.matches[player.match]
        if match.phase is MatchPhase.PLAYING and match.seats[match.seat_of(name)].says_ready:
            return ()  # they have said to be ready for it, so they had been told
        return Withdraw(player.session), Void(player.match, f"{player.name} had left before it began")
