"""Corrects commands whose senders cannot know yet what was decided.

A batch decides each command on the lobby as the one before left it, and more commands come in while it is committed. No
player has been told anything of it by then. That changes the meaning of two commands, both of which end a session: a
player must not lose a match that they never heard of, and a player whose return was not confirmed has not come back.
"""

from attrs import Factory, define, evolve

from gameserver.core.commands import Command, Kick, Leave, Query, Void, Withdraw
from gameserver.core.lobby import Lobby
from gameserver.core.match import MatchPhase


@define
class InFlight:
    """The changes of a batch that players have not been told yet."""

    entered: list[int] = Factory(list)
    """The sessions that came in."""
    opened: list[int] = Factory(list)
    """The matches that were opened or began; not all of their players have been told."""

    def adjust(self, lobby: Lobby, command: Command | Query) -> tuple[Command | Query, ...]:
        """The commands to decide in the place of this one, in order: the last is the command itself."""
        if not isinstance(command, Leave | Kick):
            return (command,)
        before = self._ends_untold(lobby, command)
        if isinstance(command, Leave) and command.session in self.entered:
            command = evolve(command, unheard=True)
        return (*before, command)

    def _ends_untold(self, lobby: Lobby, command: Leave | Kick) -> tuple[Command, ...]:
        """The commands that end the match of a player who was seated but never told: nobody loses such a match.

        The player's search for the next one ends before that match does, or it could lead to a second one. Where a bug
        of ours ended the session, no command has to come before it: the seat waits for its player.
        """
        if isinstance(command, Leave) and command.fault:
            return ()
        name = command.player if isinstance(command, Kick) else lobby.sessions.get(command.session, "")
        player = lobby.players.get(name)
        if player is None or player.match is None or player.match not in self.opened:
            return ()
        match = lobby.matches[player.match]
        if match.phase is MatchPhase.PLAYING and match.seats[match.seat_of(name)].says_ready:
            return ()  # they said that they are ready for it, so they had been told
        return Withdraw(player.session), Void(player.match, f"{player.name} had left before it began")
